"""
Nyström approximation: how many centres?
========================================

Kernel ridge needs the n × n matrix of all pairs of rows, so it is limited to 46,340 rows. The Nyström approximation
with m centres takes n m² steps and m² numbers. How many centres are enough, and what do they cost?
"""

# %%
# Six interleaved spirals in the plane. Every row has two or three candidates.

import time

import matplotlib.pyplot as plt
import numpy as np

from infimum import CandidateLabels, PartialClassifier, weights
from infimum.datasets import make_candidate_sets
from infimum.plotting import COLOURS

rng = np.random.default_rng(0)


def spirals(n: int) -> tuple[np.ndarray, np.ndarray]:
    radius, arm = np.sqrt(rng.random(n)), rng.integers(6, size=n)
    angle = 2 * np.pi * arm / 6 + 3 * radius + 0.12 * rng.standard_normal(n)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), arm


X_test, y_test = spirals(2000)

# %%
# Exact kernel ridge up to 1,000 rows, and the Nyström approximation beyond.

families = {
    "kernel ridge": (lambda: weights.KernelRidge(lam=1e-5, sigma=0.12), (250, 500, 1000)),
    "Nyström, 100 centres": (lambda: weights.Nystrom(100, lam=1e-6, sigma=0.12), (250, 1000, 4000, 16_000, 32_000)),
    "Nyström, 300 centres": (lambda: weights.Nystrom(300, lam=1e-6, sigma=0.12), (1000, 4000, 16_000, 32_000)),
}
found: dict[str, list[tuple[int, float, float]]] = {}
for name, (family, sizes) in families.items():
    for n in sizes:
        X, y = spirals(n)
        sets = CandidateLabels(make_candidate_sets(y, 0.3, classes=range(6), random_state=0))
        start = time.perf_counter()
        model = PartialClassifier.paper(weights=family()).fit(X, sets)
        found.setdefault(name, []).append((n, time.perf_counter() - start, model.score(X_test, y_test)))

# %%
# The time grows with the number of rows, not with its cube. With enough centres, the accuracy is that of exact kernel
# ridge.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for colour, (name, rows) in zip(COLOURS, found.items()):
    n, seconds, score = np.array(rows).T
    left.plot(n, score, "o-", color=colour, lw=2.5, label=name)
    right.plot(n, seconds, "o-", color=colour, lw=2.5, label=name)
left.set(xscale="log", xlabel="rows", ylabel="accuracy on new rows", title="accuracy")
right.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds to fit", title="time")
left.legend(frameon=False)
for axis in (left, right):
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
