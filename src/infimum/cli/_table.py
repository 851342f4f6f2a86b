"""Read the table that a command is given: features, target, ids, annotators and true labels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..data.errors import InputError, is_missing
from ..diagnostics.audit.conflicts import unreadable
from ..io import Records, read_table
from ..io._names import NamedCells
from ..io._records import new_space
from ..io._table_cells import parse_cells
from ..io.tables import LIST_CELLS, load_table
from ..outputs import OUTPUT_TYPES, OutputSpace
from ._kind import recognise
from ._names import naming

IDS = "ids"


@dataclass(frozen=True)
class TableOptions:
    """The options of a command that say how a table is read."""

    target: list[str] = field(default_factory=list)
    kind: str | None = None
    id: str | None = None
    annotator: str | None = None
    truth: str | None = None
    feature: list[str] = field(default_factory=list)
    drop: list[str] = field(default_factory=list)
    meaning: str | None = None
    unticked: str | None = None
    classes: str | None = None
    separator: str | None = None
    merge_classes: bool = False


@dataclass(frozen=True, eq=False)
class Table:
    """A table as the commands use it."""

    path: Path
    X: Any
    """The DataFrame of features."""
    cells: list
    """The target, cell by cell."""
    kind: str
    ids: list
    places: list[str]
    target: list[str]
    annotators: list | None = None
    truth: list | None = None
    classes: list = field(default_factory=list)
    unused: dict[str, str] = field(default_factory=dict)
    """Columns that are not features, and why."""
    invalid: dict[int, str] = field(default_factory=dict)
    """Rows that no output satisfies, if these are treated as unlabelled."""
    named: NamedCells | None = None
    """The look-alikes among the names of the target."""

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def output(self) -> OutputSpace:
        """An unfitted output space for the target."""
        return new_space(self.kind, self.cells, self.classes)

    def y(self, rows: Any = None) -> Any:
        """Return the target, or some rows of it, as the estimators accept it."""
        return self.output.from_cells(self.cells if rows is None else [self.cells[row] for row in rows])

    @property
    def names(self) -> list[str]:
        """The names of the rows: by their column of ids, otherwise by their lines."""
        column = next((name for name, why in self.unused.items() if why == IDS), None)
        if column is not None:
            return [f"{column} {key}" for key in self.ids]
        return [place.removeprefix(f"{self.path.name}, ") for place in self.places]

    def place(self, row: int) -> str:
        """Return the place of a row in the file."""
        return self.places[row]


def read(path: Path, options: TableOptions, lenient: bool = False) -> Table:
    """Read a table. Rows that no output satisfies raise an error or, if lenient, count as unlabelled."""
    if options.kind is not None and options.kind not in OUTPUT_TYPES:
        raise ValueError(f"--kind must be one of {', '.join(OUTPUT_TYPES)}. Got {options.kind!r}.")
    columns = list(dict.fromkeys(column for found in load_table(path) for column in found.value))
    if not options.target:
        raise ValueError(f"{path.name}: name the target column with --target. Its columns are {', '.join(columns)}.")
    options = _with_defaults(path, options, columns)
    records, kind, invalid, named = _read(path, options, lenient)
    X, unused = _features(path, records, options)
    taken = {name: records.data[name].tolist() for name in (options.annotator, options.truth) if name is not None}
    return Table(
        path, X, records.y, kind, records.ids, records.places, options.target,
        None if options.annotator is None else taken[options.annotator],
        None if options.truth is None else [None if is_missing(cell) else cell for cell in taken[options.truth]],
        records.classes, unused, invalid, named,
    )  # fmt: skip


def _with_defaults(path: Path, options: TableOptions, columns: list[str]) -> TableOptions:
    """Return the options with the columns `id` and `annotator`, which `infimum convert` writes, as defaults."""
    wanted = [("--target", options.target), ("--feature", options.feature), ("--drop", options.drop)]
    wanted += [(f"--{name}", [getattr(options, name)]) for name in ("id", "annotator", "truth")]
    for option, names in wanted:
        for name in names:
            if name is not None and name not in columns:
                raise ValueError(
                    f"{path.name} has no column {name!r}, which {option} names. Its columns are {', '.join(columns)}."
                )
    others = [name for name in columns if name not in (*options.target, *options.feature)]
    return replace(
        options,
        id=options.id or ("id" if "id" in others else None),
        annotator=options.annotator or ("annotator" if "annotator" in others else None),
    )


def _read(path: Path, options: TableOptions, lenient: bool) -> tuple[Records, str, dict[int, str], NamedCells | None]:
    several = len(options.target) > 1
    target: Any = options.target if several else options.target[0]
    settings: dict[str, Any] = {"id": options.id, "meaning": options.meaning, "unticked": options.unticked}
    kind = options.kind
    if several and kind is None:
        raise ValueError(f"{path.name}: several target columns require --kind number, tags, ranking or vector.")
    if several and kind == "number" and len(target) == 2 and lenient:
        return *_lenient_bounds(path, options), None
    names = naming(options.classes, options.separator, options.merge_classes)
    if several or (kind in LIST_CELLS and not lenient):
        records = read_table(path, target, kind=kind, **settings)
        if not several:
            names.apply(records.kind, path.name, records.y, records.places)
        return records, records.kind, {}, None
    records = read_table(path, target, **settings)
    invalid: dict[int, str] = {}
    if records.kind == "text":
        kind = kind or recognise(path.name, target, records.y, records.places)
        if lenient:
            records, kind, invalid = _lenient(path, records, kind)
    elif kind is not None:
        records = read_table(path, target, kind=kind, **settings)
    kind = kind or records.kind
    named = names.apply(kind, path.name, records.y, records.places)
    cells, classes = parse_cells(path.name, named.cells, records.places, kind, names.classes or [])
    return replace(records, y=cells, kind=kind, classes=classes or named.names), kind, invalid, named


def _lenient(path: Path, records: Records, kind: str) -> tuple[Records, str, dict[int, str]]:
    """Return the records with None for rows that no output satisfies, and what is wrong with each of them."""
    space = new_space(kind, records.y)
    try:
        cells = space.text_to_cells(records.y)
    except InputError as error:
        raise error.renumbered(records.places.__getitem__) from None
    cells, invalid = unreadable(space, cells)
    return replace(records, y=cells, kind=kind), kind, invalid


def _lenient_bounds(path: Path, options: TableOptions) -> tuple[Records, str, dict[int, str]]:
    """Read two columns of bounds, in which a lower bound may be above the upper one."""
    records = read_table(path, None, id=options.id)
    low, high = ([None if is_missing(v) else v for v in records.data[name].tolist()] for name in options.target)
    cells = [None if pair == (None, None) else pair for pair in zip(low, high)]
    data = records.data[[name for name in records.data.columns if name not in options.target]]
    return _lenient(path, replace(records, data=data, y=cells), "number")


def _features(path: Path, records: Records, options: TableOptions) -> tuple[Any, dict[str, str]]:
    why = {options.id: IDS, options.annotator: "annotators", options.truth: "true labels"}
    unused = {name: reason for name, reason in why.items() if name is not None}
    unused |= dict.fromkeys(options.drop, "dropped")
    columns = [name for name in records.data.columns if name not in unused]
    if options.feature:
        unused |= {name: "not named by --feature" for name in columns if name not in options.feature}
        columns = options.feature
    if not columns:
        raise ValueError(f"{path.name} has no feature columns besides {', '.join([*options.target, *unused])}.")
    return records.data[columns], unused
