"""A table that the user gives: what is learned from, what is asked, what is left aside."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import outputs
from ..diagnostics._conflicts import unreadable
from ..io import Records, read_table
from ..io._records import KINDS
from ..io.tables import load_table
from ._kind import recognise

SPACES: dict[str, Any] = {
    "labels": outputs.Labels,
    "tags": outputs.Tags,
    "order": outputs.Rankings,
    "number": outputs.Reals,
}
NAMES = "names rows"


@dataclass(frozen=True)
class Ask:
    """How the user wants a table to be read."""

    target: list[str] = field(default_factory=list)
    kind: str | None = None
    id: str | None = None
    annotator: str | None = None
    truth: str | None = None
    only: list[str] = field(default_factory=list)
    drop: list[str] = field(default_factory=list)
    meaning: str | None = None
    unticked: str | None = None

    def checked(self) -> Ask:
        if self.kind is not None and self.kind not in KINDS:
            raise ValueError(f"--kind must be one of {', '.join(KINDS)}. Got {self.kind!r}.")
        return self


@dataclass(frozen=True, eq=False)
class Given:
    """A table as the commands use it."""

    path: Path
    X: Any
    """The frame of features."""
    y: list
    kind: str
    ids: list
    places: list[str]
    target: list[str]
    annotators: list | None = None
    truth: list | None = None
    classes: list = field(default_factory=list)
    aside: dict[str, str] = field(default_factory=dict)
    """Columns that are not learned from, and why."""
    impossible: dict[int, str] = field(default_factory=dict)
    """Rows that no output satisfies, where these are set aside instead of refused."""

    def __len__(self) -> int:
        return len(self.y)

    @property
    def names(self) -> list[str]:
        """What rows are called: by their column of ids, else by their lines."""
        column = next((name for name, why in self.aside.items() if why == NAMES), None)
        if column is not None:
            return [f"{column} {key}" for key in self.ids]
        return [place.removeprefix(f"{self.path.name}, ") for place in self.places]


def given(path: Path, ask: Ask, lenient: bool = False) -> Given:
    """Read a table. Rows that contradict themselves are refused by line or, if lenient, set aside as unknown."""
    ask = ask.checked()
    if not ask.target:
        columns = _columns(path)
        raise ValueError(f"{path.name}: name the column of sets with --target. Its columns are {', '.join(columns)}.")
    ask = _usual(path, ask)
    records, kind, impossible = _read(path, ask, lenient)
    X, aside = _features(path, records, ask)
    taken = {name: records.data[name].tolist() for name in (ask.annotator, ask.truth) if name is not None}
    return Given(
        path, X, records.y, kind, records.ids, records.places, ask.target,
        None if ask.annotator is None else taken[ask.annotator],
        None if ask.truth is None else [_blank(cell) for cell in taken[ask.truth]],
        records.classes, aside, impossible,
    )  # fmt: skip


def _blank(cell: Any) -> Any:
    return None if cell is None or cell != cell or cell == "" else cell


def _columns(path: Path) -> list[str]:
    return list(dict.fromkeys(column for found in load_table(path) for column in found.value))


def _usual(path: Path, ask: Ask) -> Ask:
    """The columns `id` and `annotator`, as `infimum convert` writes them, where they are not features by name."""
    columns = _columns(path)
    wanted = [("--target", ask.target), ("--feature", ask.only), ("--drop", ask.drop)]
    wanted += [(f"--{name}", [getattr(ask, name)]) for name in ("id", "annotator", "truth") if getattr(ask, name)]
    for option, names in wanted:
        for name in names:
            if name not in columns:
                raise ValueError(
                    f"{path.name} has no column {name!r}, which {option} names. Its columns are {', '.join(columns)}."
                )
    free = [name for name in columns if name not in (*ask.target, *ask.only)]
    return replace(
        ask,
        id=ask.id or ("id" if "id" in free else None),
        annotator=ask.annotator or ("annotator" if "annotator" in free else None),
    )


def _read(path: Path, ask: Ask, lenient: bool) -> tuple[Records, str, dict[int, str]]:
    target: Any = ask.target[0] if len(ask.target) == 1 else ask.target
    several = not isinstance(target, str)
    options: dict[str, Any] = {"id": ask.id, "meaning": ask.meaning, "unticked": ask.unticked}
    if several and ask.kind is None:
        raise ValueError(f"{path.name}: several target columns need --kind number, tags or order.")
    if several and ask.kind == "number" and len(target) == 2 and lenient:
        return _bounds(path, ask)
    if several or (ask.kind is not None and not lenient):
        records = read_table(path, target, kind=ask.kind, **options)
        return records, ask.kind or records.kind, {}
    records = read_table(path, target, **options)
    if records.kind != "text":
        return records, records.kind, {}
    kind = ask.kind or recognise(path.name, target, records.y, records.places)
    impossible: dict[int, str] = {}
    if not lenient:
        return read_table(path, target, kind=kind, **options), kind, impossible
    y, impossible = unreadable(SPACES[kind](), records.y)
    return replace(records, y=y, kind=kind), kind, impossible


def _bounds(path: Path, ask: Ask) -> tuple[Records, str, dict[int, str]]:
    """Two columns of bounds, where a lower one may lie above the upper one."""
    records = read_table(path, None, id=ask.id)
    low, high = (records.data[name].tolist() for name in ask.target)
    pairs = [(_blank(a), _blank(b)) for a, b in zip(low, high)]
    y, impossible = unreadable(outputs.Reals(), [None if a is None and b is None else (a, b) for a, b in pairs])
    data = records.data[[name for name in records.data.columns if name not in ask.target]]
    return replace(records, data=data, y=y, kind="number"), "number", impossible


def _features(path: Path, records: Records, ask: Ask) -> tuple[Any, dict[str, str]]:
    why = {ask.id: NAMES, ask.annotator: "who answered", ask.truth: "the truth"}
    aside = {name: reason for name, reason in why.items() if name is not None}
    aside |= dict.fromkeys(ask.drop, "dropped")
    columns = [name for name in records.data.columns if name not in aside]
    if ask.only:
        aside |= {name: "not named by --feature" for name in columns if name not in ask.only}
        columns = ask.only
    if not columns:
        raise ValueError(f"{path.name} has no column to learn from beside {', '.join([*ask.target, *aside])}.")
    return records.data[columns], aside


def is_known(y: list) -> np.ndarray:
    """Which rows say anything."""
    return np.array([cell is not None for cell in y])
