"""Prediction sets from partial labels, beside conformal prediction with the true labels of the calibration rows.

Ten splits of each table: half of the rows fit a model to candidate sets, a quarter calibrates, a quarter is new. All
methods share the model. "True labels" calibrates on the true labels of the same rows. The ratio of sizes is the cost of
partial labels. If some rows are exact, they were chosen at random. The bound on the ambiguity is the probability with
which wrong labels were added.

``python -m benchmarks.conformal [digits …]`` runs some of the tables. Without names, all tables are run, the figure is
written to docs/_static and the table of the page to benchmarks/results/conformal.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks._tools import Table
from infimum import (
    CandidateLabels,
    Intervals,
    PartialClassifier,
    PartialOrders,
    PartialRanker,
    PartialRegressor,
    datasets,
    weights,
)
from infimum.conformal import Conformal

SEEDS = range(10)
LEVELS = (0.8, 0.9, 0.95)
METHODS = {
    "true labels": "calibration with true labels",
    "truth": 'covers="truth"',
    "ambiguity": 'covers="truth", ambiguity=…',
    "exact rows": 'covers="truth", exact_only=True',
    "set": 'covers="set"',
}
"""The methods, and their names in the figure."""
OTHERS = list(METHODS)[1:]
ROOT = Path(__file__).resolve().parents[1]
BLUR = 0.3
SHORT = {"neuroblastoma.bac": "neurobl.", "H3K4me3_TDH_immune_FPOP": "H3K4me3"}


class Problem(NamedTuple):
    X: NDArray
    sets: Any
    truth: Any
    """The true outputs as sets; None if they are not known."""
    model: Any
    score: str
    unit: float
    """The size is divided by it."""
    size_unit: str
    ambiguity: float | None = None
    exact: bool = False
    """Whether some rows are exact, and were chosen at random."""


def labels(X: NDArray, truth: NDArray, mask: NDArray, **settings: Any) -> Problem:
    m = mask.shape[1]
    family = weights.KernelRidge(lam=1e-5, kernel="laplacian", gamma=1 / X.shape[1])
    model = PartialClassifier(principle="disambiguation", weights=family, classes=list(range(m)))
    exact = CandidateLabels(np.eye(m, dtype=bool)[truth], range(m))
    return Problem(scaled(X), CandidateLabels(mask, range(m)), exact, model, "lac", 1.0, "labels", **settings)


def scaled(X: NDArray) -> NDArray:
    return StandardScaler().fit_transform(X)


def blurred(X: NDArray, truth: NDArray) -> Problem:
    """Return a problem with a third of exact rows, at random; other rows get each wrong class with probability BLUR."""
    mask = datasets.make_candidate_sets(truth, BLUR, random_state=0)
    exact = np.random.default_rng(1).random(len(X)) < 1 / 3
    mask[exact] = np.eye(mask.shape[1], dtype=bool)[truth[exact]]
    return labels(X, truth, mask, ambiguity=BLUR, exact=True)


def real_labels(name: str) -> Problem:
    data = datasets.load(f"partial-labels/{name}", download=False)
    return labels(data.data, data.target, data.candidates)


def ranking(name: str) -> Problem:
    """Return a problem with a third of exact rows, at random; other rows lose each pair with probability BLUR."""
    data = datasets.load(f"label-ranking/{name}", download=False)
    codes = datasets.drop_pairs_at_random(-data.target, BLUR, random_state=0)
    full = PartialOrders.from_ranks(data.target)
    exact = np.random.default_rng(1).random(len(codes)) < 1 / 3
    codes[exact] = full.codes[exact]
    family = weights.KernelRidge(lam=1e-4, gamma=0.5 / data.data.shape[1])
    model = PartialRanker(principle="average", negative_weights="inside", weights=family)
    pairs = full.codes.shape[1]
    return Problem(
        scaled(data.data), PartialOrders(codes), full, model, "pairs", pairs, "share of uncertain pairs", exact=True
    )


def brackets(X: NDArray, y: NDArray) -> Problem:
    """Return a problem with a third of exact rows, at random; other rows are brackets, half a deviation wide."""
    rng = np.random.default_rng(1)
    y = (y - y.mean()) / y.std()
    width = np.where(rng.random(len(y)) < 1 / 3, 0.0, rng.exponential(0.5, len(y)))
    low = y - width * rng.random(len(y))
    return intervals(X, Intervals(np.column_stack([low, low + width])), Intervals(y), exact=True)


def intervals(X: NDArray, sets: Intervals, truth: Intervals | None, **settings: Any) -> Problem:
    family = weights.KernelRidge(lam=1e-3, gamma=0.3 / X.shape[1])
    model = PartialRegressor(principle="infimum", negative_weights="inside", weights=family)
    return Problem(scaled(X), sets, truth, model, "scaled", 1.0, "width", **settings)


def real_intervals(name: str) -> Problem:
    data = datasets.load(f"intervals/{name}", download=False)
    keep = np.isfinite(data.data).all(axis=0) & (data.data.std(axis=0) > 0)
    return intervals(data.data[:, keep], Intervals(data.target), None)


def bunch(load: Callable, column: int | None = None) -> tuple[NDArray, NDArray]:
    X, y = load(return_X_y=True)
    return (X, y) if column is None else (X[:, :20], X[:, column])


def segment() -> Problem:
    data = datasets.load("libsvm/segment", download=False)
    return blurred(data.data, np.unique(data.target, return_inverse=True)[1])


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "digits": lambda: blurred(*load_digits(return_X_y=True)),
    "segment": segment,
    "lost": lambda: real_labels("lost"),
    "MSRCv2": lambda: real_labels("MSRCv2"),
    "housing": lambda: ranking("housing"),
    "vehicle": lambda: ranking("vehicle"),
    "diabetes": lambda: brackets(*bunch(load_diabetes)),
    "cancer": lambda: brackets(*bunch(load_breast_cancer, 23)),
    "neuroblastoma.bac": lambda: real_intervals("neuroblastoma.bac"),
    "H3K4me3_TDH_immune_FPOP": lambda: real_intervals("H3K4me3_TDH_immune_FPOP"),
}

Found = dict[tuple[str, float], list[tuple[float, float, float, float]]]
"""(method, level) -> lower and upper bound of the coverage, share of sets met, size; one entry per split."""


def methods(problem: Problem) -> dict[str, tuple[dict[str, Any], Any]]:
    """Return the parameters of `Conformal` and the calibration labels of each method."""
    found: dict[str, tuple[dict[str, Any], Any]] = {
        "truth": ({}, problem.sets),
        "set": ({"covers": "set"}, problem.sets),
    }
    if problem.truth is not None:
        found["true labels"] = ({}, problem.truth)
    if problem.ambiguity is not None:
        found["ambiguity"] = ({"ambiguity": problem.ambiguity}, problem.sets)
    if problem.exact:
        found["exact rows"] = ({"exact_only": True}, problem.sets)
    return {name: found[name] for name in METHODS if name in found}


def one_split(problem: Problem, seed: int, found: Found) -> None:
    n = len(problem.X)
    fit, held, new = np.split(np.random.default_rng(seed).permutation(n), [n // 2, 3 * n // 4])
    model = problem.model.fit(problem.X[fit], problem.sets[fit])
    for method, (settings, given) in methods(problem).items():
        made = Conformal(model, score=problem.score, prefit=True, **settings).conformalize(problem.X[held], given[held])
        for level in LEVELS:
            sets = made.predict_set(problem.X[new], level)
            inside = problem.sets[new] if problem.truth is None else problem.truth[new]
            low, high = sets.contains_set(inside).mean(), sets.meets(inside).mean()
            met = sets.meets(problem.sets[new]).mean()
            found.setdefault((method, level), []).append((low, high, met, sets.size.mean() / problem.unit))


def run(name: str) -> Found:
    problem, found = PROBLEMS[name](), {}
    for seed in SEEDS:
        one_split(problem, seed, found)
    table = Table(f"{name}: sets of predictions, {len(problem.X)} rows, {len(SEEDS)} splits")
    order = list(METHODS)
    for (method, level), rows in sorted(found.items(), key=lambda item: (item[0][1], order.index(item[0][0]))):
        guaranteed = np.array(rows)[:, 2 if method == "set" else 1]
        error = 3 * max(guaranteed.std(ddof=1), 0.01) / len(rows) ** 0.5
        ok = None if problem.truth is None and method != "set" else bool(guaranteed.mean() >= level - error)
        what = f"{level:.0%}, {method}: coverage, size ({problem.size_unit})"
        shown = f"{met(found, level)} met; " if method == "set" else ""
        table.row(what, shown + cell(found, method, level), f"at least {level} less 3 standard errors", ok)
    return found


def short(value: float) -> str:
    """.905; 1 and inf as they are."""
    return f"{value:.3f}".removeprefix("0") if value < 0.9995 else "1"


def cell(found: Found, method: str, level: float) -> str:
    """Return the coverage of the true output, or bounds on it, and the size, as on the page."""
    if (method, level) not in found:
        return "–"
    low, high, _, size = np.mean(found[method, level], axis=0)
    truth = short(high) if abs(high - low) < 1e-9 else f"{short(low)}–{short(high)}"
    return f"{truth}, {'all' if np.isinf(size) else f'{size:.2f}'}"


def met(found: Found, level: float) -> str:
    """Return the share of candidate sets that share a member with their prediction set."""
    return short(np.mean(found["set", level], axis=0)[2])


def markdown(all_found: dict[str, Found]) -> str:
    """Return the table of docs/bench_conformal.md."""
    head = [
        "| table | level | true labels | covers truth | ambiguity | exact only | sets met | covers set |",
        "| --- " * 8 + "|",
    ]
    lines = []
    for name, found in all_found.items():
        for k, level in enumerate(LEVELS):
            cells = [cell(found, method, level) for method in METHODS]
            first = SHORT.get(name, name) if k == 0 else ""
            lines.append(f"| {' | '.join([first, f'{level:.0%}', *cells[:-1], met(found, level), cells[-1]])} |")
    return "\n".join([*head, *lines]) + "\n"


def picture(all_found: dict[str, Found], level: float = 0.9) -> None:
    """Draw the sizes relative to calibration with true labels, in docs/_static/conformal-price.png."""
    import matplotlib.pyplot as plt

    from infimum.plotting import COLOURS

    names = [name for name, found in all_found.items() if ("true labels", level) in found]
    figure, ax = plt.subplots(figsize=(8.2, 0.5 * len(names) + 1.8), layout="constrained")
    marks = dict(zip(OTHERS, "so^D"))
    for k, method in enumerate(OTHERS):
        at, price = [], []
        for row, name in enumerate(names):
            if (method, level) in all_found[name]:
                sizes = [np.mean(all_found[name][w, level], axis=0)[3] for w in (method, "true labels")]
                at.append(row + 0.13 * (k - 1.5))  # equal sizes are drawn side by side
                price.append(sizes[0] / sizes[1])
        ax.plot(price, at, marks[method], ls="", ms=9, color=COLOURS[k], label=METHODS[method], alpha=0.85)
    ax.axvline(1, color="0.5", lw=1)
    ax.set(xscale="log", yticks=range(len(names)), ylim=(len(names) - 0.5, -0.5))
    ax.set_xlabel(f"mean size at level {level:.0%}, relative to calibration with true labels")
    ax.set_yticklabels(names)
    ticks = [0.2, 0.5, 1, 2, 5, 10]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.grid(axis="y", color="0.92")
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    figure.savefig(ROOT / "docs" / "_static" / "conformal-price.png", dpi=110)
    plt.close(figure)


def main(names: list[str] | None = None) -> None:
    with threadpool_limits(1):
        found = {name: run(name) for name in names or PROBLEMS}
    if not names:
        out = ROOT / "benchmarks" / "results"
        out.mkdir(parents=True, exist_ok=True)
        (out / "conformal.md").write_text(markdown(found), encoding="utf-8")
        picture(found)


if __name__ == "__main__":
    main(sys.argv[1:])
