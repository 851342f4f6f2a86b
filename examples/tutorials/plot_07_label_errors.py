"""
Find label errors
=================

Some labels are wrong. Which rows should somebody review first? The support of a row is the probability of its own
label by a model that did not see the row. This tutorial measures how many of the flagged rows are really wrong, beside
the ranking that cleanlab uses.
"""

# %%
# Wine, with planted errors
# -------------------------
# One label in ten is replaced by another class. A third of the rows have two candidates, which are not errors.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infimum import clean_labels
from infimum.plotting import COLOURS

X, truth = load_wine(return_X_y=True)
names = np.array(["Barolo", "Grignolino", "Barbera"])
rng = np.random.default_rng(1)
given = truth.copy()
wrong = rng.choice(len(X), len(X) // 10, replace=False)
given[wrong] = (given[wrong] + rng.integers(1, 3, len(wrong))) % 3
y = [
    "|".join(sorted(names[[k, (k + 1) % 3]])) if rng.random() < 0.33 and i not in wrong else names[k]
    for i, k in enumerate(given)
]

# %%
# Clean
# -----
# ``clean_labels`` computes held-out predictions itself and accepts candidate sets.

clean = clean_labels(X, y)
is_wrong = np.isin(np.arange(len(X)), wrong)
found = np.isin(clean.suspects, wrong)
print(f"{len(clean.suspects)} rows are flagged, {found.sum()} of them are wrong, of {len(wrong)} wrong rows in all")

# %%
# The same with self-confidence
# -----------------------------
# cleanlab ranks rows by the out-of-sample probability of their label (``label_quality_scores``, self-confidence). It
# needs one label per row and the probabilities of your own model. Here the model is a logistic regression, and a row
# with two candidates keeps the first one, which is often wrong.

one = np.array([cell.split("|")[0] for cell in y])
classifier = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
proba = cross_val_predict(classifier, X, one, cv=5, method="predict_proba")
self_confidence = proba[np.arange(len(X)), np.searchsorted(np.unique(one), one)]

# %%
# Decide what to review
# ---------------------
# Review rows by increasing support, as far as there is time. Twenty rows are enough here. The difference between the
# two rankings comes from the ambiguous rows: with the true label first in every pair, both find all errors.

reviewed = np.arange(1, len(X) + 1)
recalls = {
    "support (infimum)": np.cumsum(is_wrong[np.argsort(clean.support)]) / is_wrong.sum(),
    "self-confidence (as in cleanlab)": np.cumsum(is_wrong[np.argsort(self_confidence)]) / is_wrong.sum(),
}
for name, recall in recalls.items():
    print(f"{name:<34} {recall[19]:.0%} of the errors are among the first 20 rows")

figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, recall), colour in zip(recalls.items(), (COLOURS[0], COLOURS[1])):
    axis.plot(reviewed, recall, color=colour, lw=2.5, label=name)
axis.plot(reviewed, reviewed / len(reviewed), ":", color="0.5", label="in random order")
axis.axvline(len(clean.suspects), color="0.8", lw=1)
axis.set(xlabel="rows reviewed", ylabel="share of the errors found")
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False)
plt.show()
