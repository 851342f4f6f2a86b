"""
Minimum feedback arc set: rank a league
=======================================

A beats B, B beats C, and C beats A: no ranking agrees with every match. The ranking that contradicts the fewest results
is a minimum feedback arc set. `infimum.feedback_arc` computes it, and reports whether the result is provably optimal.
The rankers of the library use it for every prediction.
"""

# %%
# In a season, 16 teams play each other twice. The probability of winning grows with the difference in strength.

import matplotlib.pyplot as plt
import numpy as np

from infimum.feedback_arc import minimum_feedback_arc

rng = np.random.default_rng(2)
m = 16
strength = np.sort(rng.normal(0, 1.2, m))[::-1]
wins = np.zeros((m, m))
for _ in range(2):
    for i in range(m):
        for j in range(i + 1, m):
            better = rng.random() < 1 / (1 + np.exp(strength[j] - strength[i]))
            wins[(i, j) if better else (j, i)] += 1

# %%
# Placing i before j costs one for every match that j won. The comparison is the usual table of points.

result = minimum_feedback_arc(wins.T)
points = np.argsort(-wins.sum(axis=1), kind="stable")


def against(order: np.ndarray) -> int:
    """Matches whose winner stands below the loser."""
    return int(np.tril(wins[np.ix_(order, order)], -1).sum())


print(f"{int(wins.sum())} matches; {against(points)} of them contradict the table by points")
print(f"{against(result.order)} contradict the best ranking")
print(f"provably optimal: {bool(result.proved)}; no ranking contradicts fewer than {int(np.ceil(result.bound - 1e-6))}")

# %%
# Wins of the row against the column. Entries below the diagonal contradict the ranking.

figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained")
orders = {"random order": rng.permutation(m), "by points": points, "feedback arc set": result.order}
for axis, (name, order) in zip(axes, orders.items()):
    table = wins[np.ix_(order, order)]
    upper = np.triu(np.ones((m, m), dtype=bool))
    axis.imshow(np.where(upper, table, np.nan), cmap="Blues", vmin=0, vmax=3)
    axis.imshow(np.where(upper | (table == 0), np.nan, table), cmap="Oranges", vmin=-1, vmax=3)
    axis.plot([-0.5, m - 0.5], [-0.5, m - 0.5], color="0.5", lw=1)
    axis.set(title=f"{name}: {against(order)} contradictions", xticks=[], yticks=[])
plt.show()
