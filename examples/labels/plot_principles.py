"""
Infimum, average and supremum loss compared
===========================================

The three principles turn a candidate set into different losses. Here annotators are sure of two classes. For rows of
the third class they also list each of the other classes, with probability 2/3. What does each principle learn?
"""

# %%
# Every point has one ring for each of its candidates.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from infimum import CandidateLabels, PartialClassifier, weights

rng = np.random.default_rng(0)
X, y = make_blobs(240, centers=[(-2, 0), (2, 0), (0, 2.5)], cluster_std=1.0, random_state=0)
mask = np.eye(3, dtype=bool)[y] | ((rng.random((240, 3)) < 2 / 3) & (y == 2)[:, None])
sets = CandidateLabels(mask, classes=["left", "right", "top"])
sets

# %%
# The infimum loss is zero if the prediction is one of the candidates. It stays closest to full supervision. The average
# gives each candidate the same share of its row, so the ambiguous class loses area. The supremum learns from exact
# labels only.

COLOURS = np.array(["#0072B2", "#E69F00", "#009E73"])
grid = np.stack(np.meshgrid(np.linspace(-5, 5, 200), np.linspace(-3.2, 5.5, 200)), axis=-1)
kernel = weights.KernelRidge(lam=1e-3, sigma=1.5)

figure, axes = plt.subplots(1, 4, figsize=(13, 3.6), layout="constrained", sharex=True, sharey=True)
models = {"full supervision": ("infimum", np.eye(3, dtype=bool)[y])} | {
    principle: (principle, mask) for principle in ("infimum", "average", "supremum")
}
for axis, (name, (principle, candidates)) in zip(axes, models.items()):
    model = PartialClassifier.paper(principle=principle, weights=kernel).fit(X, CandidateLabels(candidates))
    regions = model.predict(grid.reshape(-1, 2)).reshape(200, 200)
    axis.contourf(grid[..., 0], grid[..., 1], regions, levels=[-0.5, 0.5, 1.5, 2.5], colors=COLOURS, alpha=0.25)
    for k in range(3):
        rows = candidates[:, k]
        axis.scatter(*X[rows].T, s=28 - 9 * k, facecolors="none", edgecolors=COLOURS[k], linewidths=1)
    axis.set_title(f"{name}: {model.score(X, y):.0%} accuracy")
    axis.set(xticks=[], yticks=[])
plt.show()
