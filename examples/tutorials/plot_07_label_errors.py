"""
Find label errors
=================

Some labels of a table are wrong. Which rows should somebody review, and how many? The support of a row is the
probability of its own label by a model that did not see the row. This tutorial measures how many of the flagged rows
are really wrong, beside the ranking that cleanlab uses, and writes the list for the reviewer.
"""

# %%
# The file
# --------
# The first step writes a table of wines with planted errors: one label in ten is replaced by another class. A third of
# the other rows have two candidates, such as "Barbera|Barolo", which are not errors.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infimum import clean_labels
from infimum.plotting import COLOURS

wine, names, rng = load_wine(as_frame=True), np.array(["Barolo", "Grignolino", "Barbera"]), np.random.default_rng(1)
given = wine.target.to_numpy().copy()
wrong = rng.choice(len(given), len(given) // 10, replace=False)
given[wrong] = (given[wrong] + rng.integers(1, 3, len(wrong))) % 3
labels = [
    "|".join(sorted(names[[k, (k + 1) % 3]])) if rng.random() < 0.33 and i not in wrong else names[k]
    for i, k in enumerate(given)
]
folder = Path(tempfile.mkdtemp())
wine.data.assign(grape=labels).to_csv(folder / "wine.csv", index=False)

table = pd.read_csv(folder / "wine.csv")
X, y = table.drop(columns="grape"), table["grape"]
print(y.head(5).to_list())

# %%
# Likely errors
# -------------
# ``clean_labels`` computes held-out predictions itself and accepts candidate sets. ``suspects`` are the rows that it
# flags.

clean = clean_labels(X, y)
is_wrong = np.isin(np.arange(len(X)), wrong)
found = is_wrong[clean.suspects].sum()
print(f"{len(clean.suspects)} rows are flagged, {found} of them are wrong, of {len(wrong)} wrong rows in all")

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
recalls = {
    "support (infimum)": np.cumsum(is_wrong[np.argsort(clean.support)]) / is_wrong.sum(),
    "self-confidence (as in cleanlab)": np.cumsum(is_wrong[np.argsort(self_confidence)]) / is_wrong.sum(),
}
for name, recall in recalls.items():
    print(f"{name:<34} {recall[19]:.0%} of the errors are among the first 20 rows")

# %%
# The difference comes from the ambiguous rows: with the true label first in every pair, both find all errors.

reviewed = np.arange(1, len(X) + 1)
figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, recall), colour in zip(recalls.items(), (COLOURS[0], COLOURS[1])):
    axis.plot(reviewed, recall, color=colour, lw=2.5, label=name)
axis.plot(reviewed, reviewed / len(reviewed), ":", color="0.5", label="in random order")
axis.axvline(20, color="0.8", lw=1, label="20 rows")
axis.set(xlabel="rows reviewed", ylabel="share of the errors found")
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False)
plt.show()

# %%
# Decide what to review
# ---------------------
# Review rows by increasing support, as far as there is time. Here the first 20 rows are enough. The list for the
# reviewer contains the row, its label and its support.

order = np.argsort(clean.support)[:20]
review = pd.DataFrame({"row": order, "given": y[order], "support": clean.support[order]})
review.to_csv(folder / "review.csv", index=False, float_format="%.3f")
print(review.head(5).to_string(index=False, float_format="%.3f"))
