"""The table of a run: ours beside the others on the folds that all of them finished, with standard errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.defaults import _methods as m
from benchmarks.defaults._work import ROOMS, all_methods, kept, task_of
from benchmarks.defaults.problems import PARTS, Problem


class Mean(NamedTuple):
    """A mean over folds, weighed by their rows, and its standard error; NaN where there is one fold."""

    value: float
    error: float

    @classmethod
    def of(cls, values: NDArray, rows: NDArray) -> Mean:
        error = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
        return cls(float(np.average(values, weights=rows)), error)

    def __str__(self) -> str:
        return short(self.value) if np.isnan(self.error) else f"{short(self.value)} ± {short(self.error)}"


def short(number: float) -> str:
    """Three decimals, without the nought in front."""
    text = f"{number:.3f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


class Summary(NamedTuple):
    """One line of the table."""

    problem: Problem
    folds: int
    means: dict[str, Mean]
    best: str
    """The best baseline, by its mean score."""
    ahead: Mean
    """Ours beyond the best baseline, fold by fold; positive where ours is better, whatever the score."""
    seconds: float
    """Processor seconds of a fit of ours, the mean over folds."""
    ratio: float
    """The same, over those of the forest on one answer."""
    gap: float | None
    """What ours lacks to the best principle, as only the truth can tell; None where principles are not compared."""
    said: list[str]

    @property
    def keeps_up(self) -> bool:
        """Whether ours is not below the best baseline by more than one standard error."""
        return not self.ahead.value < -np.nan_to_num(self.ahead.error)

    @property
    def goal_met(self) -> bool | None:
        goal, value = self.problem.goal, self.means[m.OURS].value
        if goal is None:
            return None
        return value >= goal - 5e-4 if ROOMS[self.problem.kind].larger else value <= goal + 5e-4

    @property
    def met(self) -> bool:
        return self.keeps_up and self.goal_met is not False


def summary(problem: Problem, out: Path) -> Summary | None:
    """What is kept of a problem; None while no fold is finished."""
    room = ROOMS[problem.kind]
    found: list[dict[str, dict[str, Any]]] = []
    for fold in range(problem.n_folds):
        rows = {method: kept(out, task_of(problem.name, method, fold)) for method in all_methods(room)}
        if all(rows[method] is not None for method in room.methods):
            found.append({method: row for method, row in rows.items() if row is not None})
    if not found:
        return None
    rows = np.array([fold[m.OURS]["rows"] for fold in found])
    scores = {
        method: np.array([fold[method]["value"] for fold in found])
        for method in all_methods(room)
        if all(method in fold for fold in found)
    }
    means = {method: Mean.of(values, rows) for method, values in scores.items()}
    sign = 1 if room.larger else -1
    best = max((method for method in room.methods if method != m.OURS), key=lambda k: sign * means[k].value)
    seconds = {k: float(np.mean([fold[k]["processor"] for fold in found])) for k in (m.OURS, m.ONE_FOREST)}
    principles = [sign * means[k].value for k in room.principles if k in means]
    whole = len(principles) == len(room.principles) > 0
    return Summary(
        problem,
        len(found),
        means,
        best,
        Mean.of(sign * (scores[m.OURS] - scores[best]), rows),
        seconds[m.OURS],
        seconds[m.OURS] / seconds[m.ONE_FOREST],
        max(principles) - sign * means[m.OURS].value if whole else None,
        [fold[m.OURS]["said"] for fold in found],
    )


def summaries(out: Path) -> list[Summary]:
    every = (summary(problem, out) for part in PARTS.values() for problem in part)
    return [line for line in every if line is not None]


COLUMNS = (
    "data", "folds", "**ours**", *m.BASELINES, *(f"*{name}*" for name in m.CEILINGS), "ours − best baseline",
    "s a fit", "× forest", "asked for", "", "looked at",
)  # fmt: skip


def cells(line: Summary) -> list[str]:
    room, problem = ROOMS[line.problem.kind], line.problem
    means = [_mean(line, name) for name in (*m.BASELINES, *m.CEILINGS)]
    asked = "" if problem.goal is None else f"{'≥' if room.larger else '≤'} {short(problem.goal)}"
    state = "met" if line.met else "**missed**"
    return [
        problem.name, f"{line.folds} of {problem.n_folds}", f"**{line.means[m.OURS]}**", *means, str(line.ahead),
        f"{line.seconds:.1f}", f"{line.ratio:.0f}", asked, state, "yes" if problem.looked_at else "**no**",
    ]  # fmt: skip


def _mean(line: Summary, name: str) -> str:
    if name not in line.means:
        return "–"
    return f"{line.means[name]} ←" if name == line.best else str(line.means[name])


def markdown(lines: list[Summary], timed: list[dict[str, Any]]) -> str:
    """The tables as Markdown: one line a data set, the kinds of answers under their own heading."""
    kept_up = sum(line.keeps_up for line in lines)
    ahead = sum(line.ahead.value > 0 for line in lines)
    out = [
        f"Ours is not below the best baseline by more than one standard error on {kept_up} of {len(lines)} problems,",
        f"and above it on {ahead}. {_never(lines)}",
        "",
    ]
    kinds = {"tags": "tags", "balls": "tags"}
    for measure in dict.fromkeys(ROOMS[line.problem.kind].measure for line in lines):
        some = [line for line in lines if ROOMS[line.problem.kind].measure == measure]
        better = "larger" if ROOMS[some[0].problem.kind].larger else "smaller"
        kind = kinds.get(some[0].problem.kind, some[0].problem.kind)
        out += [f"**{kind.capitalize()}: {measure}, {better} is better.**", ""]
        out += [f"| {' | '.join(COLUMNS)} |", f"|{' --- |' * len(COLUMNS)}"]
        out += [f"| {' | '.join(cells(line))} |" for line in some]
        out += ["", *_gaps(some)]
    return "\n".join([*out, *_times(timed)]) + "\n"


def _never(lines: list[Summary]) -> str:
    new = [line for line in lines if not line.problem.looked_at]
    if not new:
        return ""
    kept_up, ahead = sum(line.keeps_up for line in new), sum(line.ahead.value > 0 for line in new)
    return f"Of the {len(new)} that were never looked at while constants were chosen: on {kept_up}, and on {ahead}."


GAP = 0.005  # of tau, that was asked for


def _gaps(lines: list[Summary]) -> list[str]:
    """The rankings beside the best principle, which only the truth can tell."""
    found = [(line.problem.name, line.gap) for line in lines if line.gap is not None]
    if not found:
        return []
    mean = float(np.mean([gap for _, gap in found]))
    named = ", ".join(f"{name.removeprefix('rank-')} {short(gap)}" for name, gap in found)
    return [
        f"Below the best principle, as only the truth could tell: {short(mean)} on average over {len(found)} tables"
        f" (asked for: at most {short(GAP)}; {'met' if mean <= GAP else '**missed**'}). {named}.",
        "",
    ]


def _times(timed: list[dict[str, Any]]) -> list[str]:
    if not timed:
        return []
    head = ("rows", "ours, s", "forest, s", "ratio", "beyond X, MiB", "accuracy", "forest's", "asked for", "")
    out = ["**Time of a fit and its peak of memory.**", "", f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for row in timed:
        asked = f"≤ {row['limit']:g} s" + (f", {row['memory_limit'] / 2**20:.0f} MiB" if row["memory_limit"] else "")
        out.append(
            f"| {row['name']} | {row['seconds']:.1f} | {row['forest']:.1f} | {row['seconds'] / row['forest']:.1f} |"
            f" {row['memory'] / 2**20:.0f} | {short(row['accuracy'])} | {short(row['forest_accuracy'])} | {asked} |"
            f" {'met' if row['met'] else '**missed**'} |"
        )
    return [*out, ""]


def as_json(lines: list[Summary], timed: list[dict[str, Any]]) -> dict[str, Any]:
    """The same for programs."""
    return {
        "problems": [
            {
                "name": line.problem.name, "kind": line.problem.kind, "folds": line.folds,
                "of": line.problem.n_folds, "means": {k: list(v) for k, v in line.means.items()},
                "best": line.best, "ahead": list(line.ahead), "seconds": line.seconds, "ratio": line.ratio,
                "gap": line.gap, "goal": line.problem.goal, "met": line.met, "keeps_up": line.keeps_up,
                "looked_at": line.problem.looked_at, "chosen": line.said,
            }
            for line in lines
        ],
        "timing": timed,
    }  # fmt: skip
