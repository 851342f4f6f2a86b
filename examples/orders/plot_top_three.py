"""
Full rankings from top-3 lists
==============================

A survey asks for the three best of ten films. Every answer is compatible with 7! = 5,040 rankings. Can the full ranking
be learned, as it changes with age?
"""

# %%
# The appeal of ten films is a smooth function of age. 250 people name their three favourites, with noise.

import matplotlib.pyplot as plt
import numpy as np

from infimum import PartialRanker, weights
from infimum.metrics import kendall_tau

rng = np.random.default_rng(1)
films = [f"film {letter}" for letter in "ABCDEFGHIJ"]
waves, shifts = rng.uniform(0.5, 1.5, 10), rng.uniform(0, 2 * np.pi, 10)


def appeal(age: np.ndarray) -> np.ndarray:
    return np.sin(waves * age[:, None] / 12 + shifts)


age = rng.uniform(15, 75, 250)
taste = appeal(age) + 0.25 * rng.standard_normal((250, 10))
favourites = [[films[k] for k in np.argsort(-row)[:3]] for row in taste]
favourites[0]

# %%
# Top-k lists are bucket orders. For these the infimum loss is linear, and every prediction is one minimum feedback arc
# set that is provably optimal.

model = PartialRanker.paper(films, weights=weights.KernelRidge(lam=1e-2, sigma=6.0))
model.fit(age[:, None], favourites)
grid = np.linspace(16, 74, 120)
found = model.minimum(grid[:, None])
print(f"provably optimal: {np.mean(found.gap <= 1e-9):.0%} of the rankings")

# %%
# Left: the true places of all films at every age. Right: what was learned from the top three. The top of the ranking is
# correct. The order of films that nobody names cannot be learned.

truth = np.argsort(-appeal(grid), axis=1)
tau = kendall_tau([[films[k] for k in row] for row in truth], found.z, items=films)
places = {
    "true ranking": np.argsort(truth, axis=1),
    f"learned, Kendall's tau {tau:.2f}": np.array([[list(row).index(film) for film in films] for row in found.z]),
}
figure, axes = plt.subplots(1, 2, figsize=(11, 4), sharey=True, layout="constrained")
for axis, (title, place) in zip(axes, places.items()):
    picture = axis.imshow(place.T + 1, aspect="auto", cmap="viridis_r", extent=(16, 74, 9.5, -0.5))
    axis.set(title=title, xlabel="age", yticks=range(10))
axes[0].set_yticks(range(10), films)
figure.colorbar(picture, ax=axes, label="place", ticks=[1, 5, 10])
plt.show()
