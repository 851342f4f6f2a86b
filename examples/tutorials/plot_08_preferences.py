"""
Learn preferences that depend on the person
===========================================

People compare two or three products each. A Bradley–Terry model gives one ranking for everybody. With features of the
person, the ranking may change with age.
"""

# %%
# Comparisons of four drinks
# --------------------------
# Each person compares two random drinks. Tastes depend on age, with noise.

import matplotlib.pyplot as plt
import numpy as np

from infimum import PartialRanker
from infimum.plotting import COLOURS

rng = np.random.default_rng(0)
items = ["tea", "milk", "cola", "juice"]


def appeal(age: np.ndarray) -> np.ndarray:
    """Return the mean appeal of each drink at each age."""
    x = (np.asarray(age) - 45) / 30
    return np.column_stack([x, 0.3 - 0 * x, -x, 0.6 - x**2])


age = rng.uniform(15, 75, 220)
taste = appeal(age) + 0.35 * rng.gumbel(size=(220, 4))
pairs = np.array([rng.choice(4, 2, replace=False) for _ in age])
winner = np.where(np.take_along_axis(taste, pairs, 1).argmax(axis=1) == 0, pairs[:, 0], pairs[:, 1])
loser = pairs.sum(axis=1) - winner
y = [[(items[a], items[b])] for a, b in zip(winner, loser)]
print(y[:3])

# %%
# Two models
# ----------
# The Bradley–Terry strengths are fitted by the iteration of Zermelo; the package ``choix`` provides the same.

strength, wins = np.ones(4), np.bincount(winner, minlength=4)
for _ in range(200):
    rate = 1 / (strength[pairs[:, 0]] + strength[pairs[:, 1]])
    strength = wins / sum(np.bincount(pairs[:, k], rate, minlength=4) for k in range(2))
one_ranking = np.argsort(-strength)
model = PartialRanker().fit(age[:, None], y)

# %%
# Agreement with new comparisons
# ------------------------------

ages = np.linspace(15, 75, 121)
truth = np.argsort(-appeal(ages), axis=1)
places = {"infimum, by age": np.array([[items.index(name) for name in row] for row in model.predict(ages[:, None])])}
places["Bradley–Terry, one ranking"] = np.tile(one_ranking, (121, 1))
for name, ranking in places.items():
    rank, right = np.argsort(ranking, axis=1), np.argsort(truth, axis=1)
    agree = [(rank[:, a] < rank[:, b]) == (right[:, a] < right[:, b]) for a in range(4) for b in range(a)]
    print(f"{name:<28} {np.mean(agree):.0%} of the pairs in the true order")

# %%
# The ranking at each age
# -----------------------

figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), sharey=True, layout="constrained")
for axis, (name, ranking) in zip(axes, places.items()):
    for k, item in enumerate(items):
        axis.plot(ages, 1 + np.argsort(ranking, axis=1)[:, k], color=COLOURS[k], lw=2.5, label=item)
    axis.set(xlabel="age", title=name, yticks=[1, 2, 3, 4])
    axis.spines[["top", "right"]].set_visible(False)
axes[0].invert_yaxis()
axes[0].set_ylabel("place in the ranking")
axes[1].legend(frameon=False)
plt.show()
