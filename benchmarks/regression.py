"""Regression from sets: the sweep beside a grid of outputs; real intervals beside XGBoost and midpoints."""

from __future__ import annotations

import time

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks._tools import Job, Table, run_parts
from infimum import Boxes, Intervals, PartialRegressor, SetLoss, metrics
from infimum.datasets import load, make_lost_sign
from infimum.outputs import Reals, Vectors
from infimum.solvers import Alternate, Coordinatewise, Piecewise
from infimum.weights import KernelRidge

N, Q, GRID = 5000, 10_000, 1000
TRAIN = [1250, 2500, 5000, 10_000, 20_000]


def main(names: list[str] | None = None) -> None:
    parts = {"speed": speed, "growth": growth, "boxes": boxes, "paper": paper, "where": where, "real_data": real_data}
    run_parts(parts, names)


def unions(n: int, seed: int = 0) -> np.ndarray:
    """(n, 2, 2): an interval and its mirror image."""
    rng = np.random.default_rng(seed)
    center, half = rng.uniform(2, 10, n), rng.uniform(0, 1.5, n)
    right = np.column_stack([center - half, center + half])
    return np.stack([-right[:, ::-1], right], axis=1)


def signed_weights(q: int, n: int) -> np.ndarray:
    return np.random.default_rng(1).normal(0.2, 1, (q, n)) / n


def speed() -> None:
    """The sweep, given alpha, beside alpha @ L(grid) and its argmin; then fit and predict from end to end."""
    y, alpha = unions(N), signed_weights(Q, N)
    space = Reals().fit(y)
    L = SetLoss(space, space.read(y))
    grid = np.linspace(space.low_, space.high_, GRID)
    solver = Piecewise().fit(L)
    solver.argmin(alpha[:2])  # compiled, or loaded from the cache

    def on_grid():
        return grid[np.argmin(alpha @ L(grid).T, axis=1)]

    table = Table(f"Regression: {N} unions, {Q} queries")
    table.job(Job(f"sweep / grid of {GRID} outputs, alpha given", lambda: solver.argmin(alpha), on_grid, 0.1, 7))
    excess = np.max(solver.minimise(alpha).value - (alpha @ L(grid).T).min(axis=1))
    table.row("largest objective beyond the best of the grid", f"{excess:.2e}", "at most 0", excess <= 0)


def boxes() -> None:
    """Boxes of R^m under weights >= 0: coordinate by coordinate and proved, beside alternation."""
    rng = np.random.default_rng(3)
    n, m, q = 1000, 4, 500
    lower = rng.normal(size=(n, m))
    y = Boxes(lower, lower + rng.exponential(size=(n, m)))
    alpha = rng.dirichlet(np.full(n, 0.1), size=q)
    space = Vectors().fit(y)
    L = SetLoss(space, space.read(y))
    ours, other = Coordinatewise().fit(L), Alternate().fit(L)
    found = ours.minimise(alpha)
    table = Table(f"Regression: {n} boxes of R^{m}, {q} queries of weights >= 0")
    table.job(
        Job("coordinate by coordinate / alternation", lambda: ours.argmin(alpha), lambda: other.argmin(alpha), 1.0, 3)
    )
    table.row("share proved", f"{np.mean(found.gap == 0):.0%}", "100 %", bool((found.gap == 0).all()))
    above = np.mean(other.minimise(alpha).value / found.value - 1)
    table.row("objective of alternation above the minimum", f"{above:.2%}")


def growth() -> None:
    """The exponent of the time of a query in n, by least squares on the logarithms; processor time of one thread."""
    runs = []
    for n in TRAIN:
        y, alpha = unions(n), signed_weights(128, n)
        space = Reals().fit(y)
        solver = Piecewise().fit(SetLoss(space, space.read(y)))
        runs.append(lambda s=solver, a=alpha: s.argmin(a))
        solver.argmin(alpha[:2])
    # in turns, so that a noisy machine is noisy for all of them
    times = np.min([[_processor_time(run) for run in runs] for _ in range(40)], axis=0)
    exponent = np.polyfit(np.log(TRAIN), np.log(times), 1)[0]
    table = Table(f"Regression: time of a query, n = {TRAIN[0]} to {TRAIN[-1]}")
    table.row("exponent of n", f"{exponent:.2f}", "at most 1.1", exponent <= 1.1)


def _processor_time(run) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def paper() -> None:
    """Seed 0 of the paper's setting, beside the authors' grid with the loss of the text (their public code)."""
    problem, x = make_lost_sign(random_state=0), np.linspace(0, 1, 200)[:, None]
    truth, y = 3 + np.sin(10 * x[:, 0]), Intervals(problem.pieces)

    def error(kernel, **settings):
        every = [KernelRidge(lam, kernel, sigma=s) for s in (1, 0.5, 0.1, 0.05, 0.01) for lam in (1e3, 1, 1e-3)]
        models = (PartialRegressor.paper(weights=w, **settings).fit(problem.data, y) for w in every)
        return min(np.mean((model.predict(x) - truth) ** 2) for model in models)

    table = Table("Regression: the paper's setting, seed 0 (best of its grid, by the test error, as in its figure)")
    for kernel, infimum, average in (("laplacian", 0.01803, 5.2495), ("rbf", 0.02764, 5.2493)):
        table.row(f"{kernel}, infimum, exact", f"{error(kernel):.5f}", f"grid {infimum:.5f}")
        near = error(kernel, solver=Piecewise(tol=1e-4))
        table.row(f"{kernel}, infimum, tol = 1e-4", f"{near:.5f}", f"at most {infimum:.5f}", near <= infimum)
        table.row(f"{kernel}, average", f"{error(kernel, principle='average'):.4f}", f"grid {average:.4f}")


def where() -> None:
    """Compare the default, which may estimate the value in a set, with the infimum, for numbers given as sets."""
    from benchmarks.defaults.problems import PARTS

    table = Table("Regression: where in the set? Mean squared error in variances, three folds")
    for problem in PARTS["numbers"]:
        data, errors, taken = problem.load(), {"auto": 0.0, "infimum": 0.0}, 0
        for train, test in problem.splits(data):
            for principle in errors:
                model = PartialRegressor(principle=principle).fit(data.X[train], data.given[train])
                errors[principle] += float(np.sum(np.square(model.predict(data.X[test]) - data.truth[test])))
                taken += principle == "auto" and model.disambiguation_ is not None
        auto, infimum = (error / len(data.truth) for error in errors.values())
        named = f"{problem.name}, disambiguation in {taken} of {problem.n_folds}"
        table.row(named, f"{auto:.3f}", f"infimum {infimum:.3f}")


class MidpointRidge(Ridge):
    """Ridge on the middle of the interval, or on the end of a one-sided one."""

    def fit(self, X, y):
        return super().fit(X, _middle(y))


class MidpointRegressor(PartialRegressor):
    """Our own regressor on the middle of the interval: what the sets themselves add."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, _middle(y), sample_weight)


def _middle(y: np.ndarray) -> np.ndarray:
    finite = np.isfinite(y)
    return np.where(finite.all(axis=1), np.where(finite, y, 0).mean(axis=1), np.where(finite, y, 0).sum(axis=1))


def boosted(X, y, X_new, params: dict, rounds: int) -> np.ndarray:
    """XGBoost's survival:aft on exp(y), whose prediction is taken back by the logarithm."""
    import xgboost

    train = xgboost.DMatrix(X, label_lower_bound=np.exp(y[:, 0]), label_upper_bound=np.exp(y[:, 1]))
    settings = {"objective": "survival:aft", "verbosity": 0, "nthread": 2, **params}
    return np.log(xgboost.train(settings, train, rounds).predict(xgboost.DMatrix(X_new)))


BOOSTED = [
    ({"eta": 0.1, "max_depth": depth, "aft_loss_distribution_scale": scale, "aft_loss_distribution": law}, rounds)
    for depth in (1, 3)
    for scale in (0.5, 1.5)
    for law in ("normal", "logistic")
    for rounds in (100,)
]


def tuned_boosting(X, y, X_new) -> np.ndarray:
    def held_out(setting):
        folds = KFold(4, shuffle=True, random_state=0).split(X)
        return np.mean([metrics.mean_squared_distance(y[b], boosted(X[a], y[a], X[b], *setting)) for a, b in folds])

    return boosted(X, y, X_new, *min(BOOSTED, key=held_out))


def tuned(model, grid: dict):
    """Chosen by the held-out distance to the sets: no exact value is ever seen."""

    def predict(X, y, X_new):
        score = _minus_distance
        search = GridSearchCV(
            make_pipeline(StandardScaler(), model), grid, scoring=score, cv=KFold(4, shuffle=True, random_state=0)
        )
        return search.fit(X, y).predict(X_new)

    return predict


def _minus_distance(model, X, y) -> float:
    return -metrics.mean_squared_distance(y, model.predict(X))


def real_data() -> None:
    """Five given folds; every method tuned inside the training folds on the mean squared distance to the sets."""
    for name in ("neuroblastoma.bac", "H3K4me3_TDH_immune_FPOP"):
        bunch = load(f"intervals/{name}")
        y, d = bunch.target, bunch.data.shape[1]
        kernels = [KernelRidge(lam, gamma=g / d) for g in (0.01, 0.1, 1.0) for lam in (1e-4, 1e-3, 1e-2, 1e-1)]
        ours = {"partialregressor__weights": kernels}
        methods = {
            "PartialRegressor, infimum": tuned(PartialRegressor.paper(), ours),
            "XGBoost, survival:aft": tuned_boosting,
            "ridge on midpoints": tuned(MidpointRidge(), {"midpointridge__alpha": np.logspace(-2, 5, 15)}),
            "kernel ridge on midpoints": tuned(MidpointRegressor(), {"midpointregressor__weights": kernels}),
        }
        table = Table(f"Regression: {name}, n = {len(y)}, d = {d} (share inside, mean squared distance)")
        for what, predict in methods.items():
            z = np.empty(len(y))
            start = time.perf_counter()
            for fold in np.unique(bunch.folds):
                train = bunch.folds != fold
                z[~train] = predict(bunch.data[train], y[train], bunch.data[~train])
            took = time.perf_counter() - start
            inside, far = metrics.covering_rate(y, z), metrics.mean_squared_distance(y, z)
            table.row(what, f"{inside:.3f}, {far:.4f}", f"{took:.0f} s with tuning")


if __name__ == "__main__":
    main()
