"""
Unions of intervals: a signal without its sign
==============================================

The experiment of Sec. 5.3 of the paper. A sensor measures y = 3 + sin 10x up to an interval, and loses the sign in 70 %
of the rows. The label is then a union of two intervals. The infimum loss finds a curve through the sets. The average
aims at their centres, which are 0 if the sign is lost.
"""

# %%
# The data are the same as in the authors' code.

import matplotlib.pyplot as plt
import numpy as np

from infimum import Intervals, PartialRegressor
from infimum.datasets import make_lost_sign
from infimum.solvers import Piecewise
from infimum.weights import KernelRidge

problem = make_lost_sign(random_state=0)
y = Intervals(problem.pieces)
x = np.linspace(0, 1, 400)[:, None]
truth = 3 + np.sin(10 * x[:, 0])
print(y)

# %%
# For each loss, the best hyperparameters of the grid of the paper, by the error on the exact values, as in its figure.

WEIGHTS = [KernelRidge(lam, "laplacian", sigma=s) for s in (1, 0.5, 0.1, 0.05, 0.01) for lam in (1e3, 1, 1e-3)]


def best(**settings):
    models = [PartialRegressor.paper(weights=w, **settings).fit(problem.data, y) for w in WEIGHTS]
    predictions = [model.predict(x) for model in models]
    return min(predictions, key=lambda z: np.mean((z - truth) ** 2))


curves = {
    "infimum": (best(), "#d95f02"),
    "infimum, tol = 1e-4": (best(solver=Piecewise(tol=1e-4)), "#7570b3"),
    "average": (best(principle="average"), "#1b9e77"),
}

# %%
# Blue bars are the sets. A bar with a mirror image below 0 is a row without a sign.

figure, axis = plt.subplots(figsize=(9, 5.5))
position = problem.data[y.row, 0]
axis.vlines(position, y.lower, y.upper, color="#4c78a8", alpha=0.3, lw=2.5, label="intervals")
axis.plot(x, truth, ":", color="#1f3a5f", lw=2, label="true signal")
for name, (z, color) in curves.items():
    axis.plot(x, z, color=color, lw=1.8, label=f"{name}: MSE {np.mean((z - truth) ** 2):.3g}")
axis.axhline(0, color="0.8", lw=0.8, zorder=0)
axis.set(xlabel="x", ylabel="y", xlim=(0, 1), title="Recovering a signal from intervals without sign")
axis.legend(loc="upper center", ncol=3, bbox_to_anchor=(0.5, -0.1), frameon=False)
axis.spines[["top", "right"]].set_visible(False)
figure.tight_layout()
plt.show()
