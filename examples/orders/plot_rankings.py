"""
Label ranking from a few comparisons
====================================

The appeal of six products depends on the age of the customer. Nobody ranks all six: customers compare only products
that they find about equally good. Can the full ranking be recovered at every age?
"""

# %%
# Comparisons of products whose appeal differs by more than 30 % of the range are missing.

import matplotlib.pyplot as plt
import numpy as np

from infimum import PartialRanker, weights
from infimum.datasets import drop_pairs
from infimum.metrics import kendall_tau
from infimum.outputs import Rankings

rng = np.random.default_rng(4)
items = ["tea", "soda", "water", "coffee", "juice", "milk"]
slope, level = rng.standard_normal((2, 6))
X, grid = np.sort(rng.uniform(-1, 1, (60, 1)), axis=0), np.linspace(-1, 1, 200)[:, None]
y = Rankings(items).fit([]).read(drop_pairs(X * slope + level, 0.7))
truth = drop_pairs(grid * slope + level, 0)
y

# %%
# The infimum loss requires that the prediction agrees with *some* completion of the missing comparisons. The average
# uses the mean over all completions. Products that are never compared then get similar ranks, and their order is lost.

COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"]
kernel = weights.KernelRidge(lam=100, sigma=0.2)  # heavy smoothing: alpha(x) is close to a kernel average
figure, axes = plt.subplots(1, 4, figsize=(14, 3.8), layout="constrained", sharex=True)

heights = np.sort(slope + level) + np.linspace(-0.3, 0.3, 6)  # names apart from each other
for k, item in enumerate(items):
    axes[0].plot(grid, grid * slope[k] + level[k], color=COLOURS[k], linewidth=2.5)
    height = heights[np.argsort(np.argsort(slope + level))[k]]
    axes[0].text(1.06, height, item, color=COLOURS[k], va="center", weight="bold")
axes[0].set(title="appeal", xlabel="age", yticks=[], xticks=[])

orders = {"the true order": np.array(items)[np.argsort(-(grid * slope + level), axis=1)]}
for principle in ("infimum", "average"):
    model = PartialRanker.paper(items, principle, weights=kernel).fit(X, y)
    z = model.predict(grid)
    orders[f"{principle}: Kendall's tau {kendall_tau(truth, z, items=items):.2f}"] = z

for axis, (title, z) in zip(axes[1:], orders.items()):
    for k, item in enumerate(items):
        place = np.argmax(z == item, axis=1) + 1
        axis.plot(grid[:, 0], place, color=COLOURS[k], linewidth=4, solid_capstyle="round", solid_joinstyle="round")
    axis.set(title=title, xlabel="age", xticks=[], yticks=range(1, 7), ylim=(6.5, 0.5))
axes[1].set_ylabel("place")
for axis in axes:
    axis.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# With six items every ranking can be tried, so each prediction is provably optimal. With many items a search is used,
# and `minimum` returns a bound on its distance to the optimum.

model = PartialRanker.paper(items, weights=kernel).fit(X, y)
found = model.minimum(grid[::50])
for order, value, gap in zip(found.z, found.value, found.gap):
    print(" > ".join(order), f" risk {value:.2g}, gap {gap:.2g}")
