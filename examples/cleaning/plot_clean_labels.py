"""
Clean the labels of a spreadsheet
=================================

Two people labelled photographs of animals. If they disagreed or were not sure, the cell contains all names:
``cat|dog``. Some cells are empty, and a few are wrong. This example estimates the label of every row and its
probability, and lists the rows to review.
"""

# %%
# A file as it comes from a spreadsheet
# -------------------------------------
# The table has four numbers per photograph, computed by a neural network, and a column of labels.

import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier

from infimum import DisambiguationClassifier, PartialSearch, clean_labels
from infimum.plotting import COLOURS, DisambiguationDisplay, SearchDisplay

rng = np.random.default_rng(7)
names = np.array(["cat", "dog", "fox", "owl"])
truth = rng.integers(4, size=300)
centers = np.array([[0, 0, 1, 0], [2.2, 0, 0, 1], [1, 2, 0, 0], [4, 4, 3, 2.0]])
features = (centers[truth] + 0.6 * rng.standard_normal((300, 4))) * [1, 10, 100, 0.1]


def cell(label: int) -> str:
    """What was written for an animal: cats, dogs and foxes are taken for one another, owls seldom."""
    others = [k for k in range(4) if k != label and rng.random() < (0.05 if 3 in (k, label) else 0.45)]
    if rng.random() < 0.04:
        return ""
    return "|".join(names[sorted([label, *others])])


cells = [cell(label) for label in truth]
wrong = rng.choice(300, 8, replace=False)
for row in wrong:
    cells[row] = names[(truth[row] + 1 + rng.integers(3)) % 4]
table = pd.DataFrame(features, columns=["f1", "f2", "f3", "f4"]).round(3).assign(label=cells)
csv = table.to_csv(index=False)
print(csv[:180])

# %%
# From cells to labels
# --------------------
# Features are scaled, and the kernel and its width are selected by cross-validation on the candidate sets. No true
# label is used.

table = pd.read_csv(io.StringIO(csv), keep_default_na=False)
X, y = table[["f1", "f2", "f3", "f4"]].to_numpy(), table["label"]
clean = clean_labels(X, y)
clean

# %%
# The result goes back into the table: the label, its probability, and the rows to review. A row is a suspect if a model
# that did not see it assigns little probability to its candidate set.

table["clean"], table["confidence"], table["support"] = clean.labels, clean.confidence, clean.support
table.loc[clean.suspects, ["label", "clean", "confidence", "support"]].head(8)

# %%
# This file is simulated, so the true labels are known.

several = y.str.contains("|", regex=False) | (y == "")
print(f"rows with several names or none: {several.mean():.0%}")
print(f"of those, right after cleaning:  {np.mean((clean.labels == names[truth])[several]):.0%}")
print(f"suspects: {len(clean.suspects)}, of which wrong: {np.isin(clean.suspects, wrong).sum()} (of {len(wrong)})")

# %%
# Left: the labels as written, grey if there is not exactly one name. Right: the estimated labels. Crosses are suspects.

place = PCA(2).fit_transform((X - X.mean(axis=0)) / X.std(axis=0))
figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), sharex=True, sharey=True, layout="constrained")
for axis, labels, title in zip(axes, (y, clean.labels), ("as written", "after disambiguation")):
    axis.scatter(*place.T, c="lightgrey", s=22)
    for colour, name in zip(COLOURS, names):
        axis.scatter(*place[np.asarray(labels == name)].T, c=colour, s=22, label=name)
    axis.set(title=title, xticks=[], yticks=[])
axes[1].scatter(*place[clean.suspects].T, marker="x", s=90, c="black", label="suspect")
figure.legend(*axes[1].get_legend_handles_labels(), loc="outside right upper", frameon=False)
plt.show()

# %%
# The probabilities of the estimated labels:

DisambiguationDisplay.from_result(clean)
plt.show()

# %%
# Any classifier, on clean labels
# -------------------------------
# :class:`infimum.DisambiguationClassifier` cleans the labels and then fits a classifier of your choice to them. Each
# row is weighted by its confidence.

model = DisambiguationClassifier(RandomForestClassifier(random_state=0), drop_suspects=True).fit(X, y)
model.predict(X[:5])

# %%
# Results of the search
# ---------------------
# :class:`infimum.PartialSearch` reports its results as a DataFrame and as a figure.

search = PartialSearch().fit(X, y)
SearchDisplay.from_search(search)
plt.show()
search.to_frame()[["param_scaling", "param_kernel", "param_gamma", "mean_test_score"]].head()
