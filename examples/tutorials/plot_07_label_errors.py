"""
Find label errors
=================

Some labels are wrong. Which rows should somebody review first? The support of a row is the probability of its own
label by a model that did not see the row. This tutorial measures how many of the flagged rows are really wrong.
"""

# %%
# Wine, with planted errors
# -------------------------
# One label in ten is replaced by another class. A third of the rows have two candidates, which are not errors.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from infimum import clean_labels
from infimum.plotting import COLOURS

X, truth = load_wine(return_X_y=True)
names = np.array(["Barolo", "Grignolino", "Barbera"])
rng = np.random.default_rng(1)
given = truth.copy()
wrong = rng.choice(len(X), len(X) // 10, replace=False)
given[wrong] = (given[wrong] + rng.integers(1, 3, len(wrong))) % 3
y = [
    f"{names[k]}|{names[(k + 1) % 3]}" if rng.random() < 0.33 and i not in wrong else names[k]
    for i, k in enumerate(given)
]

# %%
# Clean
# -----
# cleanlab needs predicted probabilities of your own model for the same purpose,
# ``find_label_issues(labels, pred_probs)``, and one label per row.

clean = clean_labels(X, y)
is_wrong = np.isin(np.arange(len(X)), wrong)
found = np.isin(clean.suspects, wrong)
print(f"{len(clean.suspects)} rows are flagged, {found.sum()} of them are wrong, of {len(wrong)} wrong rows in all")

# %%
# Review order
# ------------
# Go through the rows by increasing support, as far as there is time.

order = np.argsort(clean.support)
reviewed = np.arange(1, len(order) + 1)
recall = np.cumsum(is_wrong[order]) / is_wrong.sum()

figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
axis.plot(reviewed, recall, color=COLOURS[0], lw=2.5, label="by support")
axis.plot(reviewed, reviewed / len(reviewed), ":", color="0.5", label="in random order")
axis.axvline(len(clean.suspects), color="0.8", lw=1)
axis.set(xlabel="rows reviewed", ylabel="share of the errors found")
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False)
plt.show()
