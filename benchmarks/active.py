"""What questions cost: the cost at which 95 % of the score with all outputs known is reached, and seconds per step.

``python -m benchmarks.active [speed] [studio] [digits] [vowel] …`` runs some of it. Every (data set, strategy, seed)
is kept in benchmarks/results/active.json as soon as it is there: a run that was stopped goes on, and INFIMUM_SEEDS (10)
says how many seeds are wanted. The table and results/active.png are made from that file.

A question costs log2 of the number of answers: 1 for yes or no, log2 K for a whole label among K; a number, read to a
hundredth of its range, log2 100; an order of m items log2 m!. ``python -m benchmarks.active seconds`` measures labels
by the time of simulated people instead, `infimum.active.Seconds`, who answer without errors. LabelMe (images of eight
scenes, features of a neural network) is read from the folder INFIMUM_LABELME, and left out without it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_diabetes, load_digits, load_iris, load_wine
from threadpoolctl import threadpool_limits

from benchmarks._tools import Table
from infimum import datasets
from infimum.active import QuestionSelector, simulate
from infimum.outputs import Labels, Rankings, Reals

KEPT = Path(__file__).parent / "results" / "active.json"
PICTURE = KEPT.with_suffix(".png")
STRATEGIES = ("information", "median", "conformal", "uncertain", "whole", "random")
WHOLE = ("uncertain", "whole")
POINTS = 81  # of a curve
COLOURS = {"information": "#0072B2", "median": "#56B4E9", "conformal": "#009E73", "uncertain": "#D55E00",
           "whole": "#777777", "random": "#CC79A7"}  # fmt: skip


class Data(NamedTuple):
    X: Any
    truth: Any
    output: Any
    budget: float
    every: float
    """Scored after so much cost."""
    cost: str = "bits"


def _libsvm(name: str, budget: float, every: float) -> Data:
    data = datasets.load(f"libsvm/{name}", download=False)
    return Data(data.data, data.target, Labels(), budget, every)


def _labelme() -> Data:
    folder = Path(os.environ["INFIMUM_LABELME"])
    X = np.load(folder / "LabelMe_VGG_avg_train.npy")
    truth = np.loadtxt(folder / "LabelMe_Z_train.txt").astype(int)
    return Data(X.reshape(len(X), -1), truth, Labels(), 5400.0, 10.0, "seconds")


def _in_seconds(data: Data) -> Data:
    return data._replace(budget=6 * data.budget, every=10.0, cost="seconds")


def _scikit(load: Any, output: Any, budget: float, every: float) -> Data:
    data = load()
    return Data(data.data, data.target, output, budget, every)


def _ranking(name: str, budget: float, every: float) -> Data:
    data = datasets.load(f"label-ranking/{name}", download=False)
    return Data(data.data, data.target, Rankings(items=data.target.shape[1]), budget, every)


PROBLEMS: dict[str, Any] = {
    "digits": lambda: _scikit(load_digits, Labels(), 800.0, 5.0),
    "vowel": lambda: _libsvm("vowel", 1200.0, 8.0),
    "iris": lambda: _scikit(load_iris, Labels(), 80.0, 0.5),
    "wine": lambda: _scikit(load_wine, Labels(), 80.0, 0.5),
    "segment": lambda: _libsvm("segment", 800.0, 5.0),
    "dna": lambda: _libsvm("dna", 800.0, 5.0),
    "vehicle (orders of 4)": lambda: _ranking("vehicle", 1200.0, 8.0),
    "diabetes (numbers)": lambda: _scikit(load_diabetes, Reals(), 1200.0, 8.0),
}
PROBLEMS |= {
    "seconds, digits": lambda: _in_seconds(PROBLEMS["digits"]()),
    "seconds, segment": lambda: _in_seconds(PROBLEMS["segment"]()),
    "seconds, vowel": lambda: _in_seconds(PROBLEMS["vowel"]()),
    "seconds, labelme": _labelme,
}


def kept() -> dict:
    return json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}


def keep(found: dict) -> None:
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    part = KEPT.with_suffix(".part")
    part.write_text(json.dumps(found, indent=0), encoding="utf-8")
    part.replace(KEPT)


def strategies(data: Data) -> list[str]:
    if data.cost == "seconds":
        return ["information", *WHOLE]
    return [name for name in STRATEGIES if name != "conformal" or data.output.kind == "labels"]


def one(data: Data, strategy: str, seed: int, full: float | None = None) -> dict:
    """The curve of one run, at eighty costs."""
    asker = QuestionSelector(strategy, cost=data.cost, random_state=seed)
    curve = simulate(data.X, data.truth, asker, data.budget, output=data.output,
                     every=data.every, stop_at=0.95, full=full, random_state=seed)  # fmt: skip
    at = np.linspace(0, data.budget, POINTS)
    score = np.interp(at, curve.cost, curve.score, right=np.nan)
    reached = curve.reaches()
    return {
        "cost": None if np.isinf(reached) else round(reached, 1), "full": curve.full,
        "score": [None if np.isnan(s) else round(float(s), 4) for s in score], "budget": data.budget,
    }  # fmt: skip


def study(name: str) -> None:
    """All strategies and seeds of one data set; what is there is not computed again."""
    found = kept()
    data = PROBLEMS[name]()
    for seed in range(int(os.environ.get("INFIMUM_SEEDS", "10"))):
        for strategy in strategies(data):
            key = f"{name} / {strategy} / {seed}"
            if key not in found:
                full = next((run["full"] for at, run in found.items() if at in _keys(name, seed)), None)
                found = {**kept(), key: one(data, strategy, seed, full)}
                keep(found)
    report(name, found)


def _keys(name: str, seed: int) -> list[str]:
    return [f"{name} / {strategy} / {seed}" for strategy in STRATEGIES]


def costs(name: str, strategy: str, found: dict) -> np.ndarray:
    """The costs of all seeds; the budget where the score was not reached."""
    runs = [run for key, run in found.items() if key.startswith(f"{name} / {strategy} / ")]
    return np.array([run["budget"] if run["cost"] is None else run["cost"] for run in runs])


def report(name: str, found: dict) -> None:
    every = {s: costs(name, s, found) for s in STRATEGIES}
    every = {s: c for s, c in every.items() if len(c)}
    n = min(map(len, every.values()))
    every = {s: c[:n] for s, c in every.items()}
    best = min((s for s in WHOLE), key=lambda s: every[s].mean())
    table = Table(f"{name}: cost to 95 % of the score with all outputs known, {n} seeds; beside whole answers ({best})")
    classes = name in ("digits", "vowel") or name.startswith("seconds")
    for strategy, cost in every.items():
        ratio = cost.mean() / every[best].mean()
        words = f"{cost.mean():.0f} ± {cost.std(ddof=1) / np.sqrt(n):.0f}" if n > 1 else f"{cost.mean():.0f}"
        if strategy == "information":
            if classes:
                target, ok = "ratio at most 0.6", ratio <= 0.6
            else:
                target, ok = "no worse than random", _better(every)
            table.row(strategy, f"{words}, ratio {ratio:.2f}", target, ok)
        else:
            table.row(strategy, f"{words}, ratio {ratio:.2f}")


def markdown() -> str:
    """The table of docs/active.md, from what was kept: mean costs, and the ratio to the better of whole answers."""
    found = kept()
    head = f"| data | seeds | {' | '.join(STRATEGIES)} | information / whole |"
    lines = [head, "| --- " * (len(STRATEGIES) + 3) + "|"]
    for name in PROBLEMS:
        every = {s: costs(name, s, found) for s in STRATEGIES}
        n = min((len(c) for c in every.values() if len(c)), default=0)
        if not n or any(not len(every[s]) for s in ("information", *WHOLE)):
            continue
        means = {s: c[:n].mean() for s, c in every.items() if len(c)}
        ratio = means["information"] / min(means[s] for s in WHOLE)
        cells = [_cell(means.get(s), found, name, s) for s in STRATEGIES]
        lines.append(f"| {name} | {n} | " + " | ".join(cells) + f" | **{ratio:.2f}** |")
    return "\n".join(lines)


def _cell(mean: float | None, found: dict, name: str, strategy: str) -> str:
    if mean is None:
        return "–"
    runs = [run for key, run in found.items() if key.startswith(f"{name} / {strategy} / ")]
    return f"> {mean:.0f}" if any(run["cost"] is None for run in runs) else f"{mean:.0f}"


def _better(every: dict) -> bool:
    return every["information"].mean() <= min(every["whole"].mean(), every["random"].mean())


def draw() -> None:
    """Mean curves of every data set, as results/active.png."""
    from matplotlib.figure import Figure

    found = kept()
    names = [name for name in PROBLEMS if any(key.startswith(name) for key in found) and "seconds" not in name]
    figure = Figure(figsize=(9.6, 4.9), layout="constrained")
    axes = figure.subplots(2, 4).ravel()
    for axis, name in zip(axes, names):
        _curves(axis, name, found)
    for axis in axes[len(names) :]:
        axis.remove()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=6, fontsize=8, frameon=False)
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=110)


def _curves(axis: Any, name: str, found: dict) -> None:
    ends = []
    for strategy in STRATEGIES:
        runs = [run for key, run in found.items() if key.startswith(f"{name} / {strategy} / ")]
        if not runs:
            continue
        at = np.linspace(0, runs[0]["budget"], POINTS)
        # a run ends when it has reached the score; its last value is repeated from there on
        scores = np.array([_filled(run) for run in runs])
        axis.plot(at, scores.mean(axis=0), color=COLOURS[strategy], label=strategy, linewidth=1.6)
        ends.append(costs(name, strategy, found).mean())
    full = np.mean([run["full"] for key, run in found.items() if key.startswith(f"{name} / ")])
    axis.axhline(0.95 * full, color="#999999", linewidth=0.8, linestyle=":")
    axis.set_xlim(0, min(max(ends) * 1.1, at[-1]))
    axis.set_title(name, fontsize=9)
    axis.set_xlabel("cost (bits)", fontsize=8)
    axis.tick_params(labelsize=7)
    axis.spines[["top", "right"]].set_visible(False)


def _filled(run: dict) -> list[float]:
    out: list[float] = []
    for value in run["score"]:
        out.append(value if value is not None else out[-1])
    return out


def speed(n: int = 5000, known: int = 500) -> None:
    """Seconds of one step of `QuestionSelector.query` at 5,000 rows of which 500 are known."""
    rng = np.random.default_rng(0)
    truth = rng.integers(10, size=n)
    X = rng.normal(size=(10, 20))[truth] + rng.normal(size=(n, 20))
    table = Table(f"One step of QuestionSelector.query, {n} rows, {known} known, 10 classes, one thread")
    for strategy in STRATEGIES:
        space = Labels(classes=list(range(10))).fit([])
        y = space.read([int(t) if k < known else None for k, t in enumerate(truth)])
        asker = QuestionSelector(strategy, random_state=0)
        question = asker.query(X, y, output=space)[0]
        spent = []
        for _ in range(5):
            start = time.perf_counter()
            y = question.apply_answer(y, question.true_answer(truth[question.row]))
            question = asker.query(X, y, output=space)[0]
            spent.append(time.perf_counter() - start)
        table.limit(strategy, float(np.median(spent)), 1.0)
        if strategy == "information":
            start = time.perf_counter()
            asker.query(X, y, output=space, n=50)
            table.limit(f"{strategy}, 50 questions at once", time.perf_counter() - start, None)


def studio() -> None:
    """Answers a minute through HTTP: journal synced, model learning, the next question chosen."""
    from benchmarks._studio import measure

    measure(Table("The studio: answers per minute through HTTP, each synced to the journal before it is acknowledged"))


def main(names: list[str] | None = None) -> None:
    with threadpool_limits(1):
        chosen = names or ["speed", "studio", *PROBLEMS]
        if "seconds" in chosen:
            known = "INFIMUM_LABELME" in os.environ
            chosen = [name for name in PROBLEMS if name.startswith("seconds") and (known or "labelme" not in name)]
        for name in chosen:
            if name == "speed":
                speed()
            elif name == "studio":
                studio()
            elif name == "draw":
                draw()
                sys.stdout.write(markdown() + "\n")
            else:
                study(next(full for full in PROBLEMS if full.startswith(name)))
                if not name.startswith("seconds"):
                    draw()


if __name__ == "__main__":
    main(sys.argv[1:])
