"""
Vectors: amplitudes without phase
=================================

A sensor measures a vector in the plane as a function of x. It returns bounds on the amplitude, and the phase only in
some rows. A label is a ring, or a short segment of a ray if the phase is known. Rings contain no information about the
direction. With a few phases, the infimum loss recovers the curve.
"""

# %%
# A flower-shaped curve and 300 measurements. The phase is known in one row of ten.

import matplotlib.pyplot as plt
import numpy as np

from infimum import Annuli, PartialRegressor
from infimum.solvers import Alternate
from infimum.weights import KernelRidge

rng = np.random.default_rng(0)


def orbit(x):
    angle, radius = 2 * np.pi * x, 2 + 0.9 * np.cos(10 * np.pi * x)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


x = rng.random(300)
y = orbit(x)
amplitude = np.linalg.norm(y, axis=1)
below, above = rng.exponential(0.1, size=(2, 300))
inner, outer = np.maximum(amplitude - below, 0), amplitude + above
known = rng.random(300) < 0.1
rings = Annuli(inner, outer, phase=np.where(known[:, None], y, np.nan))
print(rings)

# %%
# Three ways to use the data: all sets with the infimum loss, all sets with the average loss, and only the rows with a
# phase. Each has the best of four bandwidths, by the error on the curve, as in the paper.

grid = np.linspace(0, 1, 500)
truth = orbit(grid)


def error(z):
    return np.mean(((z - truth) ** 2).sum(axis=1))


def best(rows, **settings):
    families = [KernelRidge(1.0, sigma=sigma) for sigma in (0.01, 0.02, 0.03, 0.05)]
    models = [PartialRegressor.paper(weights=w, **settings).fit(x[rows, None], rings[rows]) for w in families]
    return min((model.predict(grid[:, None]) for model in models), key=error)


everything = np.ones(300, dtype=bool)
curves = {
    "infimum over the sets": best(everything, solver=Alternate(max_iter=1000, tol=1e-6)),
    "centers of the sets": best(everything, principle="average"),
    "only the rows with a phase": best(known, solver=Alternate(max_iter=1000, tol=1e-6)),
}

# %%
# Some of the rings in blue, known phases as segments of rays. The colour of a curve shows x.

figure, axes = plt.subplots(1, 3, figsize=(13, 5.6), sharex=True, sharey=True, layout="constrained")
turn = np.linspace(0, 2 * np.pi, 200)
for axis, (name, z) in zip(axes, curves.items()):
    for i in np.flatnonzero(~known)[::12]:
        ring = np.concatenate([outer[i] * np.exp(1j * turn), inner[i] * np.exp(-1j * turn)])
        axis.fill(ring.real, ring.imag, color="#4c78a8", alpha=0.07, lw=0)
    axis.plot(*truth.T, color="0.35", lw=1.2, ls=(0, (1, 2)))
    ends = np.stack([r[known, None] * rings.phases[known] for r in (inner, outer)], axis=1)
    axis.plot(*ends.T, color="#1f3a5f", lw=3, solid_capstyle="round")
    axis.scatter(*z.T, c=grid, cmap="plasma", s=9, lw=0, zorder=3)
    axis.set_title(f"{name}\nmean squared error {error(z):.2g}", fontsize=12)
    axis.set_aspect("equal")
    axis.set_axis_off()
figure.suptitle("An orbit from amplitudes: nine phases in ten are lost", fontsize=14)
plt.show()
