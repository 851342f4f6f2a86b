"""The summaries of a run as Markdown and for programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.defaults import _methods as m
from benchmarks.defaults._table import Summary, short
from benchmarks.defaults._work import ROOMS

LEGEND = """\
Mean ± standard error over folds. "Ours − best baseline" is taken fold by fold, positive where ours is better; the arrow
marks the best baseline as only the truth can tell. "Met": not below it by more than one standard error, and what was
asked for is reached. Seconds are those of one processor, for choosing and fitting, beside the forest on one answer.
"Looked at": whether the data set served when the constants of the default were chosen. A line with fewer folds than all
of them is provisional.

| column | labels | tags | rankings | intervals, numbers |
| --- | --- | --- | --- | --- |
| forest, every candidate | a row for each candidate, which together weigh one | a model a tag, both signs weighed by \
the members of the set that have them | mean place of an item over the orders that agree | – |
| linear, every candidate | the same, logistic regression | the same | a logistic regression a pair | – |
| XGBoost | a row for each candidate | a model a tag | mean places | `survival:aft`, tuned |
| one answer | a candidate drawn at random | what is not stated is absent; the center of a ball | missing items last | \
midpoints |
| neighbours | votes of the 10 nearest | their mean signs | their mean places, then a sort, as in scikit-lr | kernel \
ridge on midpoints, tuned |
| true answers | full supervision, the ceiling | the same | the same | the same, of numbers |
"""

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
        f"Ours as of {', '.join(sorted({commit for line in lines for commit in line.commits})) or 'no checkout'}.",
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
    return "\n".join([*out, *_times(timed), LEGEND])


def _never(lines: list[Summary]) -> str:
    new = [line for line in lines if not line.problem.looked_at]
    if not new:
        return ""
    kept_up, ahead = sum(line.keeps_up for line in new), sum(line.ahead.value > 0 for line in new)
    return f"Of the {len(new)} problems that were never looked at while constants were chosen: {kept_up} and {ahead}."


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
    head = (
        "rows",
        "ours, s",
        "processor, s",
        "forest, processor, s",
        "ratio",
        "beyond X, MiB",
        "accuracy",
        "forest's",
        "asked for",
        "",
    )
    out = ["**Time of a fit and its peak of memory.**", "", f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for row in timed:
        asked = f"≤ {row['limit']:g} s" + (f", {row['memory_limit'] / 2**20:.0f} MiB" if row["memory_limit"] else "")
        out.append(
            f"| {row['name']} | {row['seconds']:.1f} | {row['processor']:.1f} | {row['forest']:.1f} |"
            f" {row['processor'] / row['forest']:.1f} |"
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
