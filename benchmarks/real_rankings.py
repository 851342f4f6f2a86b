"""Rankings on real and simulated tables: the default beside a constant order and a Bradley-Terry model with features.

Pair agreement is the share of the known comparisons of test rows that a prediction has right. Fits are timed in CPU
time, beside a random forest in the same process. Real tables are read from the folder that the environment variable
INFIMUM_DATA names: label-ranking/*.csv, preferences/beans.csv and preferences/EuropeanValuesStudy.csv.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn.ensemble import RandomForestRegressor
from sklearn.preprocessing import StandardScaler

from benchmarks._tools import Table, run_parts
from infimum import Features, PartialRanker
from infimum.datasets import drop_items
from infimum.feedback_arc import minimum_feedback_arc
from infimum.outputs import PartialOrders, Rankings
from infimum.outputs.rankings.codes import costs_of
from infimum.outputs.rankings.many_items import SparseOrders
from infimum.outputs.rankings.space import KENDALL_ITEMS

SPLITS = 2
TRAIN = 2 / 3
MISSING = 0.6
FULL = ["vehicle", "vowel", "housing", "authorship", "wisconsin"]
"""Label rankings; vehicle, vowel and housing were used to choose the posterior, the others were not."""
STRENGTHS = (0.1, 1.0, 10.0, 100.0, 1000.0)
"""Ridge penalties of the Bradley-Terry model, compared by five folds."""


class Problem(NamedTuple):
    name: str
    X: NDArray
    sets: PartialOrders
    truth: PartialOrders | None = None
    """Full rankings, if they are known."""


def main(names: list[str] | None = None) -> None:
    run_parts({"tables": tables, "speed": speed}, names)


def tables() -> None:
    """Accuracy and cost on each table."""
    out = Table("Pair agreement on test rows: the default; constant order / Bradley-Terry / full supervision")
    for problem in problems():
        found: dict[str, list[float]] = {}
        for seed in range(SPLITS):
            for name, value in compare(problem, seed).items():
                found.setdefault(name, []).append(value)
        mean = {name: float(np.mean(values)) for name, values in found.items()}
        others = f"{mean['constant']:.3f} / {mean['bradley_terry']:.3f} / {mean.get('full', np.nan):.3f}"
        cost = f"fit {mean['seconds']:.1f} s, {mean['forests']:.0f} × forest, {mean['ms']:.2g} ms per prediction"
        best = max(mean["constant"], mean["bradley_terry"])
        out.row(problem.name, f"{mean['ours']:.3f}; {cost}", others, mean["ours"] >= best)


def speed() -> None:
    """Cost of default fits on simulated comparisons."""
    out = Table("Default fits on simulated comparisons, CPU time")
    for n, m, k in ((400, 16, 3), (1000, 10, 4), (400, 100, 4), (400, 500, 4)):
        problem = simulated(n + 50, m, k)
        train, test = np.arange(n), np.arange(n, n + 50)
        model, seconds = timed(lambda: default().fit(problem.X[train], problem.sets[train]))  # noqa: B023
        _, ms = timed(lambda: model.predict(problem.X[test]))  # noqa: B023
        forest = forest_seconds(problem.X[train], problem.sets[train])
        text = f"{seconds:.1f} s, {seconds / forest:.0f} × forest, {1e3 * ms / len(test):.1f} ms per prediction"
        out.row(f"{n} rows, {k} of {m} items", text, "", True)


def problems() -> Iterator[Problem]:
    """Yield the tables."""
    yield simulated(493, 16, 3)
    folder = os.environ.get("INFIMUM_DATA")
    if folder:
        yield from (label_ranking(Path(folder), name) for name in FULL)
        yield beans(Path(folder))
        yield values(Path(folder))


def simulated(n: int, m: int, k: int, seed: int = 0) -> Problem:
    """Rankings of k of m items by a Plackett-Luce model that is linear in six features."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6))
    utility = X @ (0.7 * rng.standard_normal((6, m))) + rng.standard_normal(m)
    noisy = utility + rng.gumbel(size=utility.shape)
    ranks = np.full((n, m), np.nan)
    for row in range(n):
        some = rng.choice(m, k, replace=False)
        ranks[row, some] = -noisy[row, some]
    name = f"simulated, {k} of {m} items"
    if m > KENDALL_ITEMS:
        return Problem(name, X, SparseOrders.from_ranks(ranks))
    return Problem(name, X, PartialOrders.from_ranks(ranks), PartialOrders.from_ranks(-utility))


def label_ranking(folder: Path, name: str) -> Problem:
    """At most 600 full rankings, of whose items most are missing at random in the training rows."""
    import pandas as pd

    data = pd.read_csv(folder / "label-ranking" / f"{name}.csv").sample(frac=1, random_state=0)[:600]
    X, ranks = (data[[c for c in data if c.startswith(letter)]].to_numpy(float) for letter in "AL")
    lost = PartialOrders.from_ranks(drop_items(ranks, MISSING, random_state=0))
    return Problem(f"{name}, {MISSING:.0%} missing", X, lost, PartialOrders.from_ranks(ranks))


def beans(folder: Path) -> Problem:
    """Farmers' plots: best and worst of three varieties, and each against the local one; many contradict themselves."""
    import pandas as pd

    data = pd.read_csv(folder / "preferences" / "beans.csv")
    cells = []
    for row in data.itertuples():
        name = {"A": row.variety_a, "B": row.variety_b, "C": row.variety_c}
        pairs = [
            (name[key], "Local") if said == "Better" else ("Local", name[key])
            for key, said in zip("ABC", (row.var_a, row.var_b, row.var_c))
        ]
        if row.best in name and row.worst in name and row.best != row.worst:
            middle = ({"A", "B", "C"} - {row.best, row.worst}).pop()
            chain = [name[row.best], name[middle], name[row.worst]]
            pairs += [(chain[0], chain[1]), (chain[1], chain[2]), (chain[0], chain[2])]
        cells.append(pairs)
    X = Features().fit_transform(data[["season", "year", "maxTN", "lon", "lat", "planting_date"]])
    space = Rankings(contradictions="weigh").fit(cells)
    return Problem("beans", np.asarray(X), space.read(cells))


def values(folder: Path) -> Problem:
    """First and second of four aims of European societies."""
    import pandas as pd

    data = pd.read_csv(folder / "preferences" / "EuropeanValuesStudy.csv")
    columns = [name for name in data if ":" in name]
    cells = [
        [tuple(c.split(":") if v > 0 else reversed(c.split(":"))) for c, v in zip(columns, row) if v == v]
        for row in data[columns].to_numpy()
    ]
    names = ["country", "gender", "birthyear", "eduage", "marital", "employment", "occupation", "income"]
    space = Rankings(contradictions="weigh").fit(cells)
    return Problem("values", np.asarray(Features().fit_transform(data[names])), space.read(cells))


def compare(problem: Problem, seed: int) -> dict[str, float]:
    """Fit all methods to two thirds of the rows; return their agreement with the other rows, and what ours costs."""
    rows = np.random.default_rng(seed).permutation(len(problem.X))
    cut = int(TRAIN * len(rows))
    train, test = rows[:cut], rows[cut:]
    X, sets, Xt = problem.X[train], problem.sets[train], problem.X[test]
    tested = problem.sets[test] if problem.truth is None else problem.truth[test]
    model, seconds = timed(lambda: default().fit(X, sets))
    place = {item: k for k, item in enumerate(model.items_.tolist())}
    z, predicting = timed(lambda: np.vectorize(place.get)(model.predict(Xt)))
    found = {
        "ours": agreement(tested, z),
        "constant": agreement(tested, np.repeat(constant_order(sets)[None], len(test), axis=0)),
        "bradley_terry": agreement(tested, bradley_terry(X, sets, Xt)),
        "seconds": seconds, "forests": seconds / forest_seconds(X, sets), "ms": 1e3 * predicting / len(test),
    }  # fmt: skip
    if problem.truth is not None:
        full = default().fit(X, problem.truth[train])
        found["full"] = agreement(tested, np.vectorize(place.get)(full.predict(Xt)))
    return found


def default() -> PartialRanker:
    return PartialRanker(contradictions="weigh")


def agreement(sets: PartialOrders, z: NDArray) -> float:
    return float(np.mean(sets.agreement(z)[~sets.is_unlabelled]))


def constant_order(sets: PartialOrders) -> NDArray:
    """Return the order that agrees with most comparisons."""
    return minimum_feedback_arc(costs_of(-sets.start()[:, :-1].sum(axis=0)), max_steps=20).order


def forest_seconds(X: NDArray, sets: PartialOrders) -> float:
    """Return the CPU time of a forest of 300 trees on how often each item comes before others."""
    target = sets.item_sums(sets.start())
    return timed(lambda: RandomForestRegressor(300, max_features="sqrt", random_state=0).fit(X, target))[1]


def timed(run: Any) -> tuple[Any, float]:
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run()
    return found, time.process_time() - start


def bradley_terry(X: NDArray, sets: PartialOrders, Xt: NDArray) -> NDArray:
    """Return orders by utilities that are linear in the features; the ridge penalty is chosen by five folds."""
    scaler = StandardScaler().fit(X)
    Z, Zt = (np.column_stack([np.ones(len(A)), scaler.transform(A)]) for A in (X, Xt))
    folds = np.array_split(np.random.default_rng(0).permutation(len(Z)), 5)

    def held_out(strength: float) -> float:
        total = 0.0
        for fold in folds:
            rest = np.setdiff1d(np.arange(len(Z)), fold)
            total += agreement(sets[fold], by_utility(Z[fold] @ fit_utilities(Z[rest], sets[rest], strength)))
        return total

    return by_utility(Zt @ fit_utilities(Z, sets, max(STRENGTHS, key=held_out)))


def by_utility(utility: NDArray) -> NDArray:
    return np.argsort(-utility, axis=1, kind="stable")


def fit_utilities(Z: NDArray, sets: PartialOrders, strength: float) -> NDArray:
    """Return the (features, items) coefficients of largest penalised likelihood."""
    n, m, row, better, worse, _ = sets.comparisons()
    penalty = np.full((Z.shape[1], m), strength)
    penalty[0] = 1e-2

    def objective(w: NDArray) -> tuple[float, NDArray]:
        W = w.reshape(-1, m)
        u = Z @ W
        difference = u[row, better] - u[row, worse]
        push, slope = expit(-difference), np.zeros((n, m))
        np.add.at(slope, (row, better), -push)
        np.add.at(slope, (row, worse), push)
        value = -log_expit(difference).sum() + 0.5 * (penalty * W**2).sum()
        return value, (Z.T @ slope + penalty * W).ravel()

    start = np.zeros(Z.shape[1] * m)
    return minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 200}).x.reshape(-1, m)
