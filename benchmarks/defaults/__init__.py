"""The default of every estimator beside what people would do instead, in the same run and on the same folds.

Parts: labels, intervals, numbers, rankings, tags, timing (up to 5,000 rows) and large (50,000 and 1,000,000 rows). A
method on a fold is kept in benchmarks/results/defaults once it is done; a rerun does what is missing. ``--folds 3``
takes the first three folds of every problem, ``--only vowel`` the problems with that text in their names, and
``--docs`` writes the table and its figure into docs. Only the two fully supervised models use true labels during
training.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks._tools import Table
from benchmarks.defaults import _methods, _work, timing
from benchmarks.defaults._markdown import as_json, markdown
from benchmarks.defaults._picture import draw
from benchmarks.defaults._table import Summary, short, summaries, summary
from benchmarks.defaults.problems import PARTS, Problem, wanted
from infimum.data.files import atomic_write
from infimum.paper import store

OUT = Path(__file__).parents[1] / "results" / "defaults"
DOCS = Path(__file__).parents[2] / "docs"


def main(
    names: list[str] | None = None,
    folds: int | None = None,
    only: str | None = None,
    docs: bool = False,
    out: Path = OUT,
) -> None:
    left = store.prepare(out)
    for part in names or [*PARTS, *timing.SIZES]:
        table = Table(f"The default beside what people would do instead: {part}")
        if part in timing.SIZES:
            timing.run(part, out, only)
            _report_times(table, out)
        else:
            for problem in wanted(part, only):
                _one(table, problem, out, folds)
        write(out)
    store.sweep(left)
    if docs:
        publish(out)


def _one(table: Table, problem: Problem, out: Path, folds: int | None) -> None:
    """Measure a problem and print its line."""
    for error in _work.run(problem, out, folds):
        table.row(error, "not fitted", "fitted", False)
    line = summary(problem, out)
    if line is None:
        return
    room = _work.ROOMS[problem.kind]
    named = f"{problem.name}, {room.measure}, {line.folds} folds"
    against = f"best: {line.means[line.best]} {line.best}; ahead {line.ahead}"
    table.row(named, str(line.means[_methods.OURS]), against, line.keeps_up)
    if problem.goal is not None:
        asked = f"at {'least' if room.larger else 'most'} {short(problem.goal)}"
        table.row(f"{problem.name}, reference value", str(line.means[_methods.OURS]), asked, line.goal_met)
    if line.gap is not None:
        table.row(f"{problem.name}, below the best principle", short(line.gap))


def _report_times(table: Table, out: Path) -> None:
    for row in timing.timed(out):
        table.row(row["name"], f"{row['processor']:.1f} s, {row['memory'] / 2**20:.0f} MiB",
                  f"at most {row['limit']:g} s; forest {row['forest']:.1f} s", row["met"])  # fmt: skip


def write(out: Path) -> list[Summary]:
    """defaults.md, defaults.json and defaults.png of all that is kept."""
    lines, times = summaries(out), timing.timed(out)
    _write(out / "defaults.md", markdown(lines, times))
    _write(out / "defaults.json", json.dumps(as_json(lines, times), indent=1, ensure_ascii=False) + "\n")
    if lines:
        draw(lines, out / "defaults.png")
    return lines


def publish(out: Path, docs: Path = DOCS) -> None:
    """The table and the picture as docs/defaults.md includes them."""
    (docs / "_tables").mkdir(exist_ok=True)
    _write(docs / "_tables" / "defaults.md", (out / "defaults.md").read_text(encoding="utf-8"))
    (docs / "_static" / "defaults.png").write_bytes((out / "defaults.png").read_bytes())


def _write(path: Path, text: str) -> None:
    with atomic_write(path) as file:
        file.write(text)
