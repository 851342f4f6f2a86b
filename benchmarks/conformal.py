"""Sets of predictions from sets alone, beside conformal prediction that knew the truth of the calibration rows.

Ten splits of every table: half of the rows fit a model to sets, a quarter calibrates, a quarter is new. All ways share
the model. "Knew the truth" calibrates on the true answers of the same rows: how much larger the other sets are is the
price of partial labels. Where a part of the rows is exact, it was chosen at random; the bound on ambiguity is the rate
of the corruption.

``python -m benchmarks.conformal [digits …]`` runs some of the tables; the picture goes to docs/_static, the table of
the page to benchmarks/results/conformal.md.
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
WAYS = ("knew the truth", "truth", "truth, ambiguity", "truth, exact rows", "the set")
ROOT = Path(__file__).resolve().parents[1]
BLUR = 0.3
SHORT = {"neuroblastoma.bac": "neurobl.", "H3K4me3_TDH_immune_FPOP": "H3K4me3"}


class Problem(NamedTuple):
    X: NDArray
    sets: Any
    truth: Any
    """The true answers as sets; None where nobody knows them."""
    model: Any
    score: str
    unit: float
    """What the size is divided by."""
    says: str
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
    """A third of the rows exact, at random; in the others every wrong class is a candidate with probability BLUR."""
    mask = datasets.uniform(truth, BLUR, random_state=0)
    exact = np.random.default_rng(1).random(len(X)) < 1 / 3
    mask[exact] = np.eye(mask.shape[1], dtype=bool)[truth[exact]]
    return labels(X, truth, mask, ambiguity=BLUR, exact=True)


def real_labels(name: str) -> Problem:
    data = datasets.load(f"partial-labels/{name}", download=False)
    return labels(data.data, data.target, data.candidates)


def ranking(name: str) -> Problem:
    """A third of the rows exact, at random; in the others every pair is lost with probability BLUR."""
    data = datasets.load(f"label-ranking/{name}", download=False)
    codes = datasets.lose_pairs_at_random(-data.target, BLUR, random_state=0)
    full = PartialOrders.from_ranks(data.target)
    exact = np.random.default_rng(1).random(len(codes)) < 1 / 3
    codes[exact] = full.codes[exact]
    family = weights.KernelRidge(lam=1e-4, gamma=0.5 / data.data.shape[1])
    model = PartialRanker(principle="average", negative_weights="inside", weights=family)
    pairs = full.codes.shape[1]
    return Problem(
        scaled(data.data), PartialOrders(codes), full, model, "pairs", pairs, "of the pairs unsure", exact=True
    )


def brackets(X: NDArray, y: NDArray) -> Problem:
    """A third of the rows exact, at random; the others known up to a bracket, half a deviation wide on average."""
    rng = np.random.default_rng(1)
    y = (y - y.mean()) / y.std()
    width = np.where(rng.random(len(y)) < 1 / 3, 0.0, rng.exponential(0.5, len(y)))
    low = y - width * rng.random(len(y))
    return intervals(X, Intervals(np.column_stack([low, low + width])), Intervals(y), exact=True)


def intervals(X: NDArray, sets: Intervals, truth: Intervals | None, **settings: Any) -> Problem:
    family = weights.KernelRidge(lam=1e-3, gamma=0.3 / X.shape[1])
    model = PartialRegressor(principle="infimum", negative_weights="inside", weights=family)
    return Problem(scaled(X), sets, truth, model, "scaled", 1.0, "wide", **settings)


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
"""(way, level) -> coverage of the truth, at least and at most, share of sets met, size; one a split."""


def ways(problem: Problem) -> dict[str, tuple[dict[str, Any], Any]]:
    """Settings of `Conformal`, and what it is calibrated on."""
    found: dict[str, tuple[dict[str, Any], Any]] = {
        "truth": ({}, problem.sets),
        "the set": ({"covers": "set"}, problem.sets),
    }
    if problem.truth is not None:
        found["knew the truth"] = ({}, problem.truth)
    if problem.ambiguity is not None:
        found["truth, ambiguity"] = ({"ambiguity": problem.ambiguity}, problem.sets)
    if problem.exact:
        found["truth, exact rows"] = ({"exact_only": True}, problem.sets)
    return {way: found[way] for way in WAYS if way in found}


def one_split(problem: Problem, seed: int, found: Found) -> None:
    n = len(problem.X)
    fit, held, new = np.split(np.random.default_rng(seed).permutation(n), [n // 2, 3 * n // 4])
    model = problem.model.fit(problem.X[fit], problem.sets[fit])
    for way, (settings, given) in ways(problem).items():
        made = Conformal(model, score=problem.score, prefit=True, **settings).conformalize(problem.X[held], given[held])
        for level in LEVELS:
            sets = made.predict_set(problem.X[new], level)
            inside = problem.sets[new] if problem.truth is None else problem.truth[new]
            low, high = sets.contains_set(inside).mean(), sets.meets(inside).mean()
            met = sets.meets(problem.sets[new]).mean()
            found.setdefault((way, level), []).append((low, high, met, sets.size.mean() / problem.unit))


def run(name: str) -> Found:
    problem, found = PROBLEMS[name](), {}
    for seed in SEEDS:
        one_split(problem, seed, found)
    table = Table(f"{name}: sets of predictions, {len(problem.X)} rows, {len(SEEDS)} splits")
    for (way, level), rows in sorted(found.items(), key=lambda item: (item[0][1], WAYS.index(item[0][0]))):
        promised = np.array(rows)[:, 2 if way == "the set" else 1]
        error = 3 * max(promised.std(ddof=1), 0.01) / len(rows) ** 0.5
        ok = None if problem.truth is None and way != "the set" else bool(promised.mean() >= level - error)
        what = f"{level:.0%}, {way}: coverage, size ({problem.says})"
        shown = f"{met(found, level)} met; " if way == "the set" else ""
        table.row(what, shown + said(found, way, level), f"at least {level} less 3 standard errors", ok)
    return found


def short(value: float) -> str:
    """.905; 1 and inf as they are."""
    return f"{value:.3f}".removeprefix("0") if value < 0.9995 else "1"


def said(found: Found, way: str, level: float) -> str:
    """Coverage of the truth, or bounds on it, and size, as the page has them."""
    if (way, level) not in found:
        return "–"
    low, high, _, size = np.mean(found[way, level], axis=0)
    truth = short(high) if abs(high - low) < 1e-9 else f"{short(low)}–{short(high)}"
    return f"{truth}, {'all' if np.isinf(size) else f'{size:.2f}'}"


def met(found: Found, level: float) -> str:
    """The share of sets that are met, where that is promised."""
    return short(np.mean(found["the set", level], axis=0)[2])


def markdown(all_found: dict[str, Found]) -> str:
    """The table of docs/conformal.md."""
    head = [
        "| table | level | knew the truth | truth | ambiguity | exact rows | sets met | the set |",
        "| --- " * 8 + "|",
    ]
    lines = []
    for name, found in all_found.items():
        for k, level in enumerate(LEVELS):
            cells = [said(found, way, level) for way in WAYS]
            first = SHORT.get(name, name) if k == 0 else ""
            lines.append(f"| {' | '.join([first, f'{level:.0%}', *cells[:-1], met(found, level), cells[-1]])} |")
    return "\n".join([*head, *lines]) + "\n"


def picture(all_found: dict[str, Found], level: float = 0.9) -> None:
    """Sizes at one level over that of the sets that knew the truth, as docs/_static/conformal-price.png."""
    import matplotlib.pyplot as plt

    from infimum.plotting import COLOURS

    names = [name for name, found in all_found.items() if ("knew the truth", level) in found]
    figure, ax = plt.subplots(figsize=(8.2, 0.55 * len(names) + 1.4), layout="constrained")
    marks = dict(zip(WAYS[1:], "so^D"))
    for k, way in enumerate(WAYS[1:]):
        at, price = [], []
        for row, name in enumerate(names):
            if (way, level) in all_found[name]:
                sizes = [np.mean(all_found[name][w, level], axis=0)[3] for w in (way, "knew the truth")]
                at.append(row + 0.13 * (k - 1.5))  # side by side where they are equal
                price.append(sizes[0] / sizes[1])
        ax.plot(price, at, marks[way], ls="", ms=9, color=COLOURS[k], label=way, alpha=0.85)
    ax.axvline(1, color="0.5", lw=1)
    ax.set(xscale="log", yticks=range(len(names)), ylim=(len(names) - 0.5, -0.5))
    ax.set_xlabel(f"size at {level:.0%}, over that of sets that knew the truth of the calibration rows")
    ax.set_yticklabels(names)
    ticks = [0.2, 0.5, 1, 2, 5, 10]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.grid(axis="y", color="0.92")
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
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
