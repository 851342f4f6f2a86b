"""
Prediction intervals of varying width
=====================================

Values are known up to brackets, and the noise grows with x. Prediction intervals of constant width are too wide on the
left and too narrow on the right. The score "scaled" lets the width vary, with the same guarantee on average. For
rankings, the same method returns the pairs of items whose order is certain.
"""

# %%
# Brackets around values
# ----------------------

import matplotlib.pyplot as plt
import numpy as np

from infimum import Intervals, PartialOrders, PartialRanker, PartialRegressor, datasets, weights
from infimum.conformal import Conformal
from infimum.plotting import COLOURS

rng = np.random.default_rng(0)


def draw(n):
    """Inputs, brackets, and the values in them."""
    x = rng.uniform(0, 1, n)
    y = np.sin(6 * x) + (0.05 + 0.6 * x**2) * rng.standard_normal(n)
    width = rng.exponential(0.1, n)
    low = y - width * rng.random(n)
    return x[:, None], Intervals(np.column_stack([low, low + width])), y


X, brackets, _ = draw(900)
new, new_brackets, value = draw(1000)
model = PartialRegressor(
    principle="infimum", negative_weights="inside", weights=weights.KernelRidge(lam=1e-3, gamma=20.0)
)

# %%
# Two scores
# ----------
# "distance" yields one width. "scaled" divides by a local scale of the errors, which is estimated on a third of the
# rows of the fit.

grid = np.linspace(0, 1, 300)[:, None]
figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), sharey=True, layout="constrained")
for axis, score in zip(axes, ("distance", "scaled")):
    truth = Conformal(model, 0.9, "truth", score).fit(X, brackets)
    meets = Conformal(model, 0.9, "set", score).fit(X, brackets)
    axis.vlines(X[:300, 0], brackets.lowest[:300], brackets.highest[:300], color="0.8", lw=1)
    for colour, made in zip(COLOURS, (truth, meets)):
        ends = made.predict_set(grid)
        axis.plot(grid, np.column_stack([ends.lower, ends.upper]), color=colour, label=f"covers='{made.covers}'")
    inside, third = truth.predict_set(new).contains(value), np.digitize(new[:, 0], [1 / 3, 2 / 3])
    shares = " / ".join(f"{inside[third == k].mean():.0%}" for k in range(3))
    print(f"{score} covers the value in {shares} of the thirds, from left to right")
    axis.set(title=score, xlabel="x")
handles, labels = axes[0].get_legend_handles_labels()
figure.legend(handles[::2], labels[::2], loc="outside right upper", frameon=False)
plt.show()

# %%
# Both guarantee 90 % on average. "scaled" is close to 90 % on both sides of the figure.
#
# Without a split
# ---------------
# With sixty rows, holding some out is expensive. CV+ predicts each row without its fold, and uses all rows for fitting
# and calibration.

few = Conformal(model, 0.9, "truth", "distance", method="cv+", cv=10).fit(X[:60], brackets[:60])
print(f"{few.check(new, Intervals(value)).meets:.0%} covered, mean width {few.check(new, Intervals(value)).size:.2f}")
print(few.guarantee_)

# %%
# Rankings: pairs whose order is certain
# --------------------------------------
# The scores of five items depend on x, and some comparisons of every row are missing. The prediction set is a partial
# order: it contains the pairs whose order is certain at this x.

items = ["a", "b", "c", "d", "e"]
slopes = np.array([2.0, 1.0, 0.0, -1.0, -2.0])


def ranked(n):
    """Inputs, partial orders, and the orders themselves."""
    x = rng.uniform(-1, 1, n)
    scores = np.outer(x, slopes) + 0.25 * rng.standard_normal((n, 5))
    lost = datasets.drop_pairs_at_random(scores, 0.3, random_state=0)
    return x[:, None], PartialOrders(lost, items), PartialOrders(datasets.drop_pairs_at_random(scores, 0.0), items)


Z, orders, _ = ranked(600)
ranker = PartialRanker(principle="average", negative_weights="inside", weights=weights.KernelRidge(lam=1e-3, gamma=5.0))
sure = Conformal(ranker, 0.8, "set", "pairs").fit(Z, orders)
other, other_orders, full = ranked(400)
print(sure.check(other, other_orders))
print(f"the prediction set contains the true ranking in {sure.check(other, full).meets:.0%}")

line = np.linspace(-1, 1, 200)[:, None]
codes = sure.predict_set(line).codes
i, j = np.triu_indices(5, 1)
figure, axis = plt.subplots(figsize=(7, 3.4), layout="constrained")
axis.imshow(
    codes.T, aspect="auto", cmap="RdBu", vmin=-1.5, vmax=1.5, extent=(-1, 1, 9.5, -0.5), interpolation="nearest"
)
axis.set(xlabel="x", yticks=range(10), yticklabels=[f"{items[a]} before {items[b]}" for a, b in zip(i, j)])
axis.set_title("blue: certain; red: certainly reversed; white: uncertain")
plt.show()
