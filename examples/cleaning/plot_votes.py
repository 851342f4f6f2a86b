"""
Several annotators: votes as candidate sets
===========================================

Five annotators label every image. Two of them confuse some classes, and one sometimes answers at random. The usual
label is the majority vote. This example keeps all names that at least two annotators gave, as a candidate set.
"""

# %%
# The images are the digits of scikit-learn, the annotators are simulated. Everybody confuses similar classes in the
# same way: two people in three confuse 1 and 7, 3 and 5, 4 and 9.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from infimum import CandidateLabels, PartialClassifier, weights
from infimum.plotting import COLOURS

X, truth = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
twin = np.array([0, 7, 2, 5, 9, 3, 6, 1, 8, 4])
hard = rng.random(len(X)) < 0.5
votes = np.tile(truth[:, None], (1, 5))
mixed = (rng.random(votes.shape) < 0.6) & (hard & np.isin(truth, [1, 3, 4, 5, 7, 9]))[:, None]
votes = np.where(mixed, twin[truth][:, None], votes)
votes = np.where(rng.random(votes.shape) < 0.05, rng.integers(10, size=votes.shape), votes)

# %%
# Votes per class, the majority vote, and the set of all names that were given at least twice.

counts = (votes[:, :, None] == np.arange(10)).sum(axis=1)
majority = counts.argmax(axis=1)
sets = counts >= np.minimum(2, counts.max(axis=1))[:, None]
print(f"the majority vote is right for {np.mean(majority == truth):.0%} of the images")
inside = np.mean(sets[np.arange(len(X)), truth])
print(f"the set contains the true label for {inside:.0%}, with {sets.sum(axis=1).mean():.2f} names on average")

# %%
# The same kernel learns from the majority votes and from the candidate sets. The labels of the training images are then
# compared.

train, test = train_test_split(np.arange(len(X)), test_size=1 / 3, random_state=0)
kernel = weights.Scaled(weights.KernelRidge(lam=1e-4, gamma=0.01))
model = PartialClassifier.paper(principle="disambiguation", weights=kernel).fit(X[train], CandidateLabels(sets[train]))
plain = PartialClassifier.paper(weights=kernel).fit(X[train], majority[train])
right = {
    "training images": (np.mean(majority[train] == truth[train]), np.mean(model.labels_ == truth[train])),
    "new images": (plain.score(X[test], truth[test]), model.score(X[test], truth[test])),
}

# %%
# The majority vote repeats the common mistakes. The images on the right were corrected.

figure = plt.figure(figsize=(11, 4), layout="constrained")
left, side = figure.subfigures(1, 2)
axis = left.subplots()
for k, (name, colour) in enumerate((("majority vote", "0.7"), ("candidate sets: all names given twice", COLOURS[0]))):
    bars = axis.bar(np.arange(2) + 0.4 * k, [pair[k] for pair in right.values()], 0.38, color=colour, label=name)
    axis.bar_label(bars, fmt="{:.0%}")
axis.set_xticks(np.arange(2) + 0.2, list(right))
axis.set(ylim=(0.5, 1.05), ylabel="share of correct labels")
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False, loc="upper left", bbox_to_anchor=(0, 1.16), ncol=2)
mended = np.flatnonzero((majority[train] != truth[train]) & (model.labels_ == truth[train]))[:15]
for axis, row in zip(side.subplots(3, 5).ravel(), mended):
    axis.imshow(X[train[row]].reshape(8, 8), cmap="gray_r")
    axis.axis("off")
    axis.set_title(f"{majority[train[row]]} → {model.labels_[row]}", fontsize=10)
plt.show()
