"""
Values below a detection limit
==============================

A laboratory reports "< 0.5" where its instrument sees nothing. Half of the limit is what spreadsheets put there. The
text itself can be given: ``<0.5`` is a one-sided interval, and nothing is filled in.
"""

# %%
# A concentration along a river. Three samples in ten went to a fine instrument, the others to a crude one; y is a
# column of text.

import matplotlib.pyplot as plt
import numpy as np

from infimum import PartialRegressor, weights
from infimum.plotting import COLOURS

rng = np.random.default_rng(3)
x = np.sort(rng.uniform(0, 10, 160))


def river(x: np.ndarray) -> np.ndarray:
    """Logarithm of the concentration, to base 10."""
    return 0.2 - 0.1 * x + 0.6 * np.sin(0.9 * x)


value = river(x) + 0.3 * rng.standard_normal(160)
limit = np.where(rng.random(160) < 0.3, -1.2, 0.2)
cells = [f"<{low:.1f}" if v < low else f"{v:.3f}" for v, low in zip(value, limit)]
print(cells[::20])

# %%
# The infimum on the text, against two ways to replace the interval by a number.

kernel = weights.KernelRidge(lam=1e-2, sigma=1.2)
grid = np.linspace(0, 10, 200)
seen = value >= limit
columns = {
    "the intervals themselves": cells,
    "half of the limit": np.where(seen, value, limit - np.log10(2)),
    "the limit": np.where(seen, value, limit),
    "dropped": None,
}
curves = {}
for name, column in columns.items():
    rows = seen if column is None else np.ones(160, dtype=bool)
    model = PartialRegressor.paper(weights=kernel)
    curves[name] = model.fit(x[rows, None], value[rows] if column is None else column).predict(grid[:, None])

# %%
# Where the crude instrument is blind, the curve only has to stay below its limit, and the fine one decides. To drop
# the arrows does as well here, since the fine instrument was used everywhere; what is filled in pulls the curve up to
# the limit of the crude one.

figure, axis = plt.subplots(figsize=(9, 4.6), layout="constrained")
axis.plot(x[seen], value[seen], ".", color="0.35", label="measured")
for at, top in zip(x[~seen], limit[~seen]):
    axis.annotate("", (at, top - 0.25), (at, top), arrowprops={"arrowstyle": "->", "color": COLOURS[4]})
axis.plot(grid, river(grid), ":", color="black", lw=2, label="the truth")
for colour, (name, z) in zip((COLOURS[0], COLOURS[1], COLOURS[3], "0.6"), curves.items()):
    error = np.sqrt(np.mean((z - river(grid)) ** 2))
    axis.plot(grid, z, color=colour, lw=3 if name.endswith("themselves") else 1.5, label=f"{name}: error {error:.2f}")
axis.set(xlabel="kilometres", ylabel="log10 of the concentration", title="Arrows: below the limit of their instrument")
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False)
plt.show()
