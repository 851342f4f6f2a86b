"""A method on a fold is a task: done once and kept in a file, so that a run that was stopped goes on where it stopped.

What is kept of a model of ours also depends on the source of the parts that fit it: after a change of them it is
measured again. The others stay.
"""

from __future__ import annotations

import hashlib
import subprocess
import time
import warnings
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import infimum
from benchmarks.defaults import _methods as m
from benchmarks.defaults.intervals import INTERVALS
from benchmarks.defaults.labels import LABELS, ORDINAL
from benchmarks.defaults.numbers import NUMBERS
from benchmarks.defaults.problems import Data, Problem
from benchmarks.defaults.rankings import RANKED
from benchmarks.defaults.tags import BALLS, TAGS
from infimum.paper import store

ROOMS = {
    "labels": LABELS,
    "ordinal": ORDINAL,
    "tags": TAGS,
    "balls": BALLS,
    "rankings": RANKED,
    "intervals": INTERVALS,
    "numbers": NUMBERS,
}
FITTED_BY = ("data", "disambiguation", "estimators", "outputs", "selection", "solvers", "weights")


class Kept(NamedTuple):
    """How the files of this benchmark are named; a change of what is measured adds one to the version."""

    name: str = "defaults"
    version: int = 1


@cache
def source() -> str:
    """A digest of the parts of the library that a fit goes through."""
    root = Path(infimum.__file__).parent
    rooms = (file for part in FITTED_BY for file in (root / part).rglob("*.py"))
    digest = hashlib.sha256()
    for file in sorted([root / "loss.py", root / "recipe.py", *rooms]):
        digest.update(file.relative_to(root).as_posix().encode() + file.read_bytes())
    return digest.hexdigest()[:12]


@cache
def commit() -> str:
    """The state of the checkout, for the record; empty where there is none."""
    asked = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    try:
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def is_ours(method: str) -> bool:
    return method in (m.OURS, m.TRUE_OURS) or method.startswith("principle")


def all_methods(room: m.Room) -> list[str]:
    return [*room.methods, *room.ceilings, *room.principles]


def task_of(name: str, method: str, fold: int) -> dict[str, Any]:
    return {"problem": name, "method": method, "fold": fold, "source": source() if is_ours(method) else ""}


def kept(out: Path, task: dict[str, Any]) -> dict[str, Any] | None:
    """The row of a finished task, or None; a damaged file is done again."""
    try:
        return store.load(store.file_of(out, Kept(), task), Kept(), task)[0]
    except (FileNotFoundError, store.Damaged):
        return None


def keep(out: Path, task: dict[str, Any], row: dict[str, Any]) -> None:
    store.keep(store.file_of(out, Kept(), task), Kept(), task, [row])


def measured(room: m.Room, data: Data, split: tuple, method: str) -> dict[str, Any]:
    """Fit a method to the training rows, then score it by the true labels of the test rows."""
    train, test = split
    exact = method in room.ceilings
    learn = {**room.methods, **room.ceilings, **room.principles}[method]
    given = room.as_given(data.truth[train], data.given) if exact else data.given[train]
    start = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("ignore", infimum.InfimumWarning)
        found = learn(data.X[train], given)
        seconds, processor = time.perf_counter() - start[0], time.process_time() - start[1]
        z = found.predict(data.X[test])
    return {
        "value": room.score(data.truth[test], z),
        "rows": len(test),
        "seconds": seconds,
        "processor": processor,
        "said": found.said,
        "commit": commit(),
    }


def run(problem: Problem, out: Path, folds: int | None, methods: list[str] | None = None) -> list[str]:
    """Do what is not done yet of a problem, fold by fold; what could not be fitted, in the words of its error."""
    room, refused = ROOMS[problem.kind], []
    todo = [
        (fold, method)
        for fold in range(min(folds or problem.n_folds, problem.n_folds))
        for method in methods or all_methods(room)
        if kept(out, task_of(problem.name, method, fold)) is None
    ]
    if not todo:
        return []
    data = problem.load()
    splits = list(problem.splits(data))
    for fold, method in todo:
        try:
            row = measured(room, data, splits[fold], method)
        except (ValueError, MemoryError) as error:
            refused.append(f"{problem.name}, fold {fold}, {method}: {error}")
        else:
            keep(out, task_of(problem.name, method, fold), row)
    return refused
