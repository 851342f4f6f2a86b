"""
Survey brackets: interval-censored regression
=============================================

Surveys record incomes in brackets and ages in decades. This example uses the 442 patients of scikit-learn's diabetes
data. One clinic reports the progression of the disease in brackets of width 50, the other only as "below 50", "50 to
100" and "100 or more". The usual workaround is to use midpoints, but an open bracket has no midpoint.
"""

# %%
# Each patient is assigned to a clinic at random.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.kernel_ridge import KernelRidge as MidpointRidge
from sklearn.model_selection import KFold

from infimum import PartialRegressor, weights
from infimum.plotting import COLOURS

X, y = load_diabetes(return_X_y=True)
rng = np.random.default_rng(0)
crude = rng.random(len(y)) < 0.5
lower = np.floor(y / 50) * 50
upper = lower + 50
lower, upper = np.where(crude & (y >= 100), 100, lower), np.where(crude & (y >= 100), np.inf, upper)
sets = np.column_stack([lower, upper])
print(f"open at the top: {np.mean(np.isinf(upper)):.0%} of the patients")

# %%
# Five-fold cross-validation. Midpoints require a number for the open bracket. 125, 200 and 300 are all plausible, and
# the choice matters.

lam, gamma, n = 1e-2, 10.0, len(y) * 4 // 5
errors: dict[str, list[float]] = {}
curve = np.empty(len(y))
for train, test in KFold(5, shuffle=True, random_state=0).split(X):
    for end in (125, 200, 300):
        middle = np.where(np.isinf(upper), end, (lower + upper) / 2)
        model = MidpointRidge(alpha=n * lam, kernel="rbf", gamma=gamma).fit(
            X[train], middle[train] - middle[train].mean()
        )
        z = model.predict(X[test]) + middle[train].mean()
        errors.setdefault(f"midpoints,\nopen end is {end}", []).append(np.mean((z - y[test]) ** 2))
    model = PartialRegressor.paper(weights=weights.KernelRidge(lam=lam, gamma=gamma)).fit(
        X[train], sets[train]
    )
    curve[test] = model.predict(X[test])
    errors.setdefault("infimum,\nnothing filled in", []).append(np.mean((curve[test] - y[test]) ** 2))

# %%
# Squared errors against the exact values, which no model has seen. Only with the right guess for the open bracket are
# midpoints nearly as good as the intervals.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
means = [np.mean(values) for values in errors.values()]
bars = left.barh(list(errors), means, color=["0.7"] * 3 + [COLOURS[0]])
left.bar_label(bars, [f" {value:.0f}" for value in means])
left.set(title="mean squared error, five folds", xticks=[], xlim=(0, 1.15 * max(means)))
left.invert_yaxis()
order = np.argsort(curve)
for k, i in enumerate(order[::4]):
    right.plot([k, k], [lower[i], min(upper[i], 360)], color=COLOURS[4], alpha=0.6, lw=2)
right.plot(y[order[::4]], ".", color="0.35", ms=5, label="exact values, for reference")
right.plot(curve[order[::4]], color=COLOURS[1], lw=2.5, label="predicted")
right.set(title="brackets, every fourth patient by prediction", xticks=[], ylabel="progression")
right.legend(frameon=False, loc="upper left")
for axis in (left, right):
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
