"""The summaries of a run as Markdown and for programs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benchmarks.defaults import _methods as m
from benchmarks.defaults._table import Summary, short
from benchmarks.defaults._work import ROOMS

LEGEND = """\
All values are means ± standard errors over folds. The difference is taken fold by fold and positive if infimum is
better. The best baseline is chosen by the true labels. "× forest" is the CPU time of selection and fit, relative to a
random forest on one candidate per row. "Development" says whether the data set was used to choose constants.

| method | labels | tags | rankings | intervals, numbers |
| --- | --- | --- | --- | --- |
| forest, every candidate | one row per candidate, with total weight 1 | one model per tag, both signs weighted by the \
members of the set | mean position of an item over the rankings that agree | – |
| linear, every candidate | the same, logistic regression | the same | one logistic regression per pair | – |
| XGBoost | one row per candidate | one model per tag | mean positions | `survival:aft`, tuned |
| one answer | a random candidate | unknown tags are absent; the centre of a ball | missing items last | midpoints |
| neighbours | votes of the 10 nearest | their mean signs | their mean positions, then a sort, as in scikit-lr | \
kernel ridge on midpoints, tuned |
| true answers | full supervision | the same | the same | the same |
"""

COLUMNS = ("data", "**infimum**", "best baseline", "infimum, true labels", "difference")
ALL_COLUMNS = ("data", "folds", *m.BASELINES, *m.CEILINGS, "s per fit", "× forest", "development")


def cells(line: Summary) -> list[str]:
    """Return the cells of the short table: ours, the best baseline, full supervision and the difference."""
    return [
        line.problem.name, f"**{line.means[m.OURS]}**", f"{line.means[line.best]} ({line.best})",
        str(line.means.get(m.CEILINGS[-1], "–")), str(line.ahead),
    ]  # fmt: skip


def all_cells(line: Summary) -> list[str]:
    """Return the cells of the long table: every baseline."""
    means = [str(line.means.get(name, "–")) for name in (*m.BASELINES, *m.CEILINGS)]
    folds, development = f"{line.folds} of {line.problem.n_folds}", "yes" if line.problem.looked_at else "no"
    return [line.problem.name, folds, *means, f"{line.seconds:.1f}", f"{line.ratio:.0f}", development]


def markdown(lines: list[Summary], timed: list[dict[str, Any]]) -> str:
    """Return the tables as Markdown: one line per data set, a heading per output type, all baselines folded."""
    kept_up = sum(line.keeps_up for line in lines)
    ahead = sum(line.ahead.value > 0 for line in lines)
    out = [
        f"infimum is not below the best baseline by more than one standard error on {kept_up} of {len(lines)}",
        f"problems, and above it on {ahead}. {_unseen(lines)}",
        "",
    ]
    kinds = {"tags": "tags", "balls": "tags"}
    for measure in dict.fromkeys(ROOMS[line.problem.kind].measure for line in lines):
        some = [line for line in lines if ROOMS[line.problem.kind].measure == measure]
        better = "larger" if ROOMS[some[0].problem.kind].larger else "smaller"
        kind = kinds.get(some[0].problem.kind, some[0].problem.kind)
        out += [f"**{kind.capitalize()}: {measure}, {better} is better.**", "", *_table(COLUMNS, map(cells, some)), ""]
        folded = ["<details>", "<summary>All baselines</summary>", "", *_table(ALL_COLUMNS, map(all_cells, some)), ""]
        out += [*folded, "</details>", ""]
    return "\n".join([*out, *_times(timed), LEGEND])


def _table(columns: Iterable[str], rows: Iterable[list[str]]) -> list[str]:
    columns = list(columns)
    rows = [[cell.replace(" ± ", "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}") for cell in row] for row in rows]
    head = [f"| {' | '.join(columns)} |", f"|{' --- |' * len(columns)}"]
    return head + [f"| {' | '.join(row)} |" for row in rows]


def _unseen(lines: list[Summary]) -> str:
    new = [line for line in lines if not line.problem.looked_at]
    if not new:
        return ""
    kept_up, ahead = sum(line.keeps_up for line in new), sum(line.ahead.value > 0 for line in new)
    return f"On the {len(new)} problems that were not used to choose constants: {kept_up} and {ahead}."


def _times(timed: list[dict[str, Any]]) -> list[str]:
    if not timed:
        return []
    head = ("rows", "wall time, s", "CPU time, s", "forest, CPU time, s", "ratio", "memory beyond X, MiB", "accuracy")
    rows = [
        [
            row["name"], f"{row['seconds']:.1f}", f"{row['processor']:.1f}", f"{row['forest']:.1f}",
            f"{row['processor'] / row['forest']:.1f}", f"{row['memory'] / 2**20:.0f}",
            f"{short(row['accuracy'])} (forest {short(row['forest_accuracy'])})",
        ]
        for row in timed
    ]  # fmt: skip
    return ["**Time and memory of a fit.**", "", *_table(head, rows), ""]


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
