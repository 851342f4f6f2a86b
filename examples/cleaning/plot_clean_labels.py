"""
Clean the labels of a spreadsheet
=================================

Two people labelled photographs of animals. Where they disagreed, or could not tell, the cell holds every name that was
given: ``cat|dog``. Some cells are empty, and a few are plainly wrong. Which label does every row have, how sure is
that, and which rows should somebody look at again?
"""

# %%
# A file as it comes from a spreadsheet
# -------------------------------------
# Four numbers that some network made of each picture, in units of their own, and the column of labels.

import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier

from infimum import Disambiguated, PartialSearch, clean_labels
from infimum.plotting import COLOURS, ResolvedDisplay, SearchDisplay

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
# The features are scaled, and the kernel and its width chosen, from the candidate sets: no true label is used.

table = pd.read_csv(io.StringIO(csv), keep_default_na=False)
X, y = table[["f1", "f2", "f3", "f4"]].to_numpy(), table["label"]
clean = clean_labels(X, y)
clean

# %%
# What was found goes back into the table: the label, how sure it is, and which rows to review. A set is
# suspect where the other rows give it little support, by a model that did not see it.

table["clean"], table["confidence"], table["support"] = clean.labels, clean.confidence, clean.support
table.loc[clean.suspects, ["label", "clean", "confidence", "support"]].head(8)

# %%
# Since this file was made up, the truth is known.

several = y.str.contains("|", regex=False) | (y == "")
print(f"rows with several names or none: {several.mean():.0%}")
print(f"of those, right after cleaning:  {np.mean((clean.labels == names[truth])[several]):.0%}")
print(f"suspects: {len(clean.suspects)}, of which wrong: {np.isin(clean.suspects, wrong).sum()} (of {len(wrong)})")

# %%
# A picture: on the left what was written (grey where it is not one name), on the right what it became; crosses are
# suspects.

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
# How sure is it?

ResolvedDisplay.from_resolved(clean)
plt.show()

# %%
# Any classifier, on clean labels
# -------------------------------
# :class:`infimum.Disambiguated` cleans the labels, then fits a classifier of your choice to them,
# every row counted by its confidence.

model = Disambiguated(RandomForestClassifier(random_state=0), drop_suspects=True).fit(X, y)
model.predict(X[:5])

# %%
# What the search saw
# -------------------
# :class:`infimum.PartialSearch` reports its results as a DataFrame and as a figure.

search = PartialSearch().fit(X, y)
SearchDisplay.from_search(search)
plt.show()
search.to_frame()[["param_scaling", "param_kernel", "param_gamma", "mean_test_score"]].head()
