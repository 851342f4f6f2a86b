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
    """A mean over folds, weighted by their rows, and its standard error; NaN for one fold."""

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
    text = f"{round(number, 3) + 0.0:.3f}"
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
    """CPU time of a fit of our model in seconds, mean over folds."""
    ratio: float
    """The same, relative to a forest on one candidate per row."""
    gap: float | None
    """The difference to the best principle by true labels; None if principles are not compared."""
    said: list[str]
    commits: set[str]
    """Of the checkouts that ours was measured with."""

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
        {fold[m.OURS]["commit"] for fold in found},
    )


def summaries(out: Path) -> list[Summary]:
    every = (summary(problem, out) for part in PARTS.values() for problem in part)
    return [line for line in every if line is not None]
