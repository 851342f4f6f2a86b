"""
Classification of digits from candidate labels
==============================================

Annotators who are not sure name several candidates. This example simulates them on the 1,797 images of handwritten
digits in scikit-learn: the candidate set contains the right digit, and each wrong digit with probability 0.3. How much
accuracy is lost?
"""

# %%
# There are 3.7 candidates per image, and one image in twenty has an exact label.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from infimum import CandidateLabels, PartialClassifier, weights
from infimum.datasets import make_candidate_sets
from infimum.plotting import COLOURS

X, truth = load_digits(return_X_y=True)
mask = make_candidate_sets(truth, 0.3, random_state=0)
rows, test = train_test_split(np.arange(len(X)), test_size=1 / 3, random_state=0)
CandidateLabels(mask[rows])

# %%
# Two common workarounds are compared with two ways to learn from candidate sets. A random forest is trained on one
# randomly chosen candidate per image, and on the exact images only. The infimum loss and disambiguation use the same
# kernel.

rng = np.random.default_rng(0)
drawn = np.array([rng.choice(np.flatnonzero(row)) for row in mask])
exact = rows[mask[rows].sum(axis=1) == 1]
kernel = weights.Scaled(weights.KernelRidge(lam=1e-4, gamma=0.01), "standard")
forest = RandomForestClassifier(random_state=0)

scores = {
    "forest, one random candidate": forest.fit(X[rows], drawn[rows]).score(X[test], truth[test]),
    "forest, exact rows": forest.fit(X[exact], truth[exact]).score(X[test], truth[test]),
}
for principle in ("infimum", "disambiguation"):
    model = PartialClassifier.paper(principle=principle, weights=kernel).fit(X[rows], CandidateLabels(mask[rows]))
    scores[principle] = model.score(X[test], truth[test])
scores["forest, true labels"] = forest.fit(X[rows], truth[rows]).score(X[test], truth[test])

# %%
# Some training images with their candidates. The estimated label is bold, and red if it is wrong.

figure = plt.figure(figsize=(11, 4), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=(1, 1.25))
axis = left.subplots()
bars = axis.barh(list(scores), list(scores.values()), color=["0.7", "0.7", COLOURS[0], COLOURS[2], "0.45"])
axis.bar_label(bars, [f" {score:.0%}" for score in scores.values()])
axis.set(xlim=(0, 1.12), xticks=[], title="accuracy on new images")
axis.invert_yaxis()
axis.spines[["top", "right", "bottom"]].set_visible(False)
several = np.flatnonzero(mask[rows].sum(axis=1) >= 3)[:18]
for axis, row, digit in zip(right.subplots(3, 6).ravel(), rows[several], model.labels_[several]):
    axis.imshow(X[row].reshape(8, 8), cmap="gray_r")
    axis.axis("off")
    shown = [rf"$\mathbf{{{k}}}$" if k == digit else str(k) for k in np.flatnonzero(mask[row])]
    axis.set_title(" ".join(shown), fontsize=9, color="black" if digit == truth[row] else "#c0392b")
plt.show()
