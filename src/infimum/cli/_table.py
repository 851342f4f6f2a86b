"""Read the table that a command is given: features, target, ids, annotators and true labels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..data.errors import is_missing
from ..data.features import Features
from ..diagnostics.conflicts import unreadable
from ..evidence import Votes
from ..io import Records
from ..io._files import name_of
from ..io._load import Loaded, load_table
from ..io._meaning import KINDS, ReadOptions
from ..io._names import NamedCells
from ..io._records import new_space
from ..io._table_cells import parse_cells
from ..io._text_lists import is_split, joined_ranks, with_lists
from ..io.tables import records_of
from ..outputs import OUTPUT_TYPES, OutputSpace
from ._columns import check_annotator, meanings_of, one_line_per_answer, with_events
from ._console import rows_called, stderr
from ._kind import recognise, warn_of_doubts
from ._options import TableOptions, naming
from ._shares import with_shares
from ._votes import has_votes, soft_labels, with_votes

IDS = "ids"

EXPORTS = {
    "label-studio": {"annotations", "data"}, "argilla": {"fields", "responses"}, "prodigy": {"answer", "_input_hash"},
    "zooniverse": {"annotations", "subject_data"},
}  # fmt: skip
"""Columns of the exports of annotation tools, which are no tables of labels yet."""

STUDIO = "annotators"
"""The column of an export of the studio that lists who has answered; it depends on the target."""

WRITTEN = {
    "clean": (("clean", "tied", "suspect"), ("confidence", "support")),
    "predict": (("prediction", "confidence"), ("set",)),
}
"""Columns that a command always adds to a table, and those that it sometimes adds."""


@dataclass(frozen=True, eq=False)
class LoadedTable:
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
    columns: dict[str, str] = field(default_factory=dict)
    """Kinds of columns that the user has set."""
    rows: list[dict] = field(default_factory=list)
    """The rows of the file, with all columns."""
    named: NamedCells | None = None
    """The look-alikes among the names of the target."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Parameters of the output space that the user has set."""
    sequence: str | None = None
    """The column of sequence ids, if the rows are tokens."""
    transitions: str | None = None
    """The labels that may follow a label, if the rows are tokens."""
    constraints: list | None = None
    """What is known about groups of rows."""
    votes: Votes | None = None
    """The answers of several annotators, if the file has one line per answer; the rows are those of X."""

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def output(self) -> OutputSpace:
        """An unfitted output space for the target."""
        cells = self.cells if self.votes is None else self.votes.answers.tolist()
        return configured(new_space(self.kind, cells, self.classes), self.settings)

    def y(self, rows: Any = None) -> Any:
        """Return the target, or some rows of it, as the estimators accept it."""
        if self.votes is not None:
            return self.votes if rows is None else self.votes[rows]
        return self.output.from_cells(self.cells if rows is None else [self.cells[row] for row in rows])

    @property
    def names(self) -> list[str]:
        """The names of the rows: by their column of ids, otherwise by their lines."""
        column = next((name for name, why in self.unused.items() if why == IDS), None)
        if column is not None:
            return [f"{column} {key}" for key in self.ids]
        return [place.removeprefix(f"{self.path.name}, ") for place in self.places]

    def describe(self, features: Features) -> list[str]:
        """Return one line per column of the file: what it is, and whether it is left out."""
        used = dict(zip(map(str, features.feature_names_in_), features.describe()))
        lines = {name: f"{name}: {why}, left out" for name, why in self.unused.items()}
        lines |= {name: f"{name}: target" for name in self.target}
        return [(used | lines).get(name, name) for name in self.rows[0]]


def load(path: Path, options: TableOptions) -> Loaded:
    """Load a file; a separator or an encoding other than the usual one is printed on stderr."""
    loaded = load_table(path, sep=options.sep, encoding=options.encoding, header=options.header)
    if loaded.layout is not None and not loaded.usual:
        stderr.print(f"{loaded.name}: {loaded.layout}", markup=False)
    return loaded


def read(path: Path, options: TableOptions, lenient: bool = False) -> LoadedTable:
    """Read a table. Rows that no output satisfies raise an error or, if lenient, count as unlabelled."""
    loaded = load(path, options)
    loaded.check_rows()
    loaded, options, shares = with_shares(loaded, options)
    columns, written = loaded.columns, loaded.rows
    loaded = loaded.without(options.missing)
    given = options.annotator
    if not options.target:
        raise ValueError(
            f"{loaded.name}: name the target column with --target. Its columns are {', '.join(columns)}."
            f"{_conversion(loaded.name, columns)}"
        )
    options = _with_defaults(path, options, columns)
    target = options.target
    if given is not None:
        check_annotator(loaded, options)
    loaded, options = with_events(loaded, options)
    loaded, options, lines = one_line_per_answer(loaded, options)
    written = [written[k] for k in lines]
    records, kind, invalid, named = _read(loaded, options, lenient)
    X, unused = _features(path, records, options)
    extra = [name for name in (options.annotator, options.truth, options.gold, options.group) if name is not None]
    typed = records_of(loaded, None, None, None, ReadOptions()).data if extra else {}
    taken = {name: typed[name].tolist() for name in extra}
    table = LoadedTable(
        path, X, records.y, kind, records.ids, records.places, target,
        None if options.annotator is None else taken[options.annotator],
        None if options.truth is None else [None if is_missing(cell) else cell for cell in taken[options.truth]],
        records.classes, unused, invalid, options.columns,
        [{name: found.value.get(name) for name in columns} for found in written], named,
        options.settings, options.sequence, options.transitions,
        constraints=None if shares is None else shares.constraints(taken[str(options.group)]),
    )  # fmt: skip
    if options.sequence is not None and (kind != "labels" or table.annotators is not None):
        raise ValueError(
            f"{loaded.name}: --sequence needs one label per token, of kind labels and without annotators. The target"
            f" was read as {kind}. Pass --kind labels, or rename the column annotator."
        )
    if has_votes(table):
        answer_columns = [name for name in (options.annotator, *options.target, options.gold) if name is not None]
        gold = None if options.gold is None else taken[options.gold]
        return with_votes(table, gold, answer_columns, options.repeated)
    if options.gold is not None:
        raise ValueError(
            f"{loaded.name}: --gold calibrates annotators, but no id occurs twice. Name the columns of row ids and"
            " annotators with --id and --annotator; put known labels of other tables into the target."
        )
    return table


def configured(space: OutputSpace, settings: dict[str, Any]) -> OutputSpace:
    """Return a space with parameters that the user has set; raise an error if its type does not have them."""
    unknown = [name for name in settings if name not in space.get_params(deep=False)]
    if unknown:
        what = {"contradictions": "rankings", "bounds": "numbers"}[unknown[0]]
        raise ValueError(f"--{unknown[0]} is for {what}. The target was read as {space.kind}.")
    return space.set_params(**settings)


def _with_defaults(path: Path, options: TableOptions, columns: list[str]) -> TableOptions:
    """Return the options with the columns `id` and `annotator`, which `infimum convert` writes, as defaults."""
    wanted = [("--target", options.target), ("--feature", options.feature), ("--ignore", options.ignore)]
    wanted += [("--column", list(options.columns))]
    single = ("id", "annotator", "truth", "gold", "sequence", "group", "event")
    wanted += [(f"--{name}", [getattr(options, name)]) for name in single]
    for option, names in wanted:
        for name in names:
            if name is not None and name not in columns:
                raise ValueError(
                    f"{name_of(path)} has no column {name!r}, which {option} names. Its columns are"
                    f" {', '.join(columns)}.{_conversion(name_of(path), columns)}"
                )
    others = [name for name in columns if name not in (*options.target, *options.feature, options.sequence)]
    return replace(
        options,
        id=options.id or ("id" if "id" in others else None),
        annotator=options.annotator or ("annotator" if "annotator" in others else None),
    )


def _conversion(name: str, columns: list[str]) -> str:
    """Return how to convert a file that has the columns of an annotation tool; "" for other files."""
    tool = next((tool for tool, own in EXPORTS.items() if own <= {*columns}), None)
    return "" if tool is None else f" Convert the export of the tool first: infimum convert {name} --from {tool}"


def _read(
    loaded: Loaded, options: TableOptions, lenient: bool
) -> tuple[Records, str, dict[int, str], NamedCells | None]:
    if options.soft:
        return soft_labels(loaded, options.target, options.id), "labels", {}, None
    several = len(options.target) > 1
    target: Any = options.target if several else options.target[0]
    settings = ReadOptions(options.meaning, options.unticked)
    kind = options.kind
    loaded, target = joined_ranks(loaded, target, kind, settings)
    several = several and not isinstance(target, str)
    if several and kind is None:
        raise ValueError(meanings_of(loaded, options.target))
    names = naming(options)
    if not several:
        given = replace(settings, separator=options.separator, classes=names.classes)
        loaded, given = with_lists(loaded, target, kind, given)
        settings = replace(settings, meaning=given.meaning)
        if is_split(settings):
            return _read_lists(loaded, target, settings, options)
        kind = kind if settings.meaning is None else KINDS[settings.meaning]
    if several:
        settings = replace(settings, classes=names.of_columns(kind, loaded.name, options.target))
    if several and kind == "number" and len(target) == 2 and lenient:
        return *_lenient_bounds(loaded, options), None
    keep_lists = kind is not None and not OUTPUT_TYPES[kind].lists_need_meaning
    if several or (keep_lists and not lenient):
        records = records_of(loaded, target, options.id, kind, settings, keep_text=True)
        if not several:
            names.apply(records.kind, loaded.name, records.y, records.places)
        return records, records.kind, {}, None
    records = records_of(loaded, target, options.id, None, settings, keep_text=True, keep_lists=keep_lists)
    invalid: dict[int, str] = {}
    if records.kind == "text":
        kind = kind or recognise(loaded.name, target, records.y, records.places)
        if lenient and any(cell is not None for cell in records.y):
            records, kind, invalid = _lenient(records, kind, options.settings)
    else:
        kind = records.kind
    named = names.apply(kind, loaded.name, records.y, records.places)
    cells, classes = parse_cells(loaded.name, named.cells, records.places, kind, names.classes or [])
    if kind == "labels" and names.classes is None:
        warn_of_doubts(new_space(kind).names_in(named.cells))
    return replace(records, y=cells, kind=kind, classes=classes or named.names), kind, invalid, named


def _read_lists(
    loaded: Loaded, target: str, settings: ReadOptions, options: TableOptions
) -> tuple[Records, str, dict[int, str], NamedCells | None]:
    """Read lists of tags or items. Look-alikes are merged before tags that a cell does not list become absent."""
    kind, names = KINDS[str(settings.meaning)], replace(naming(options), separator=None)
    cells = [row.value.get(target) for row in loaded.rows]
    named = names.apply(kind, loaded.name, cells, [row.place for row in loaded.rows])
    lists = [None if is_missing(cell) else list(cell) for cell in named.cells]
    rows = [row._replace(value={**row.value, target: cell}) for row, cell in zip(loaded.rows, lists)]
    every = list(dict.fromkeys([*named.names, *options.offered]))
    settings = replace(settings, classes=every)
    records = records_of(loaded._replace(rows=rows), target, options.id, None, settings, keep_text=True)
    return replace(records, classes=every), kind, {}, named


def _lenient(records: Records, kind: str, settings: dict[str, Any]) -> tuple[Records, str, dict[int, str]]:
    """Return the records with None for rows that no output satisfies, and what is wrong with each of them."""
    space = configured(new_space(kind, records.y), settings)
    with rows_called(records.places):
        cells = space.text_to_cells(records.y)
    cells, invalid = unreadable(space, cells)
    return replace(records, y=cells, kind=kind), kind, invalid


def _lenient_bounds(loaded: Loaded, options: TableOptions) -> tuple[Records, str, dict[int, str]]:
    """Read two columns of bounds, in which a lower bound may be above the upper one."""
    records = records_of(loaded, None, options.id, None, ReadOptions(), keep_text=True)
    typed = records_of(loaded, None, options.id, None, ReadOptions()).data
    low, high = ([None if is_missing(v) else v for v in typed[name].tolist()] for name in options.target)
    cells = [None if pair == (None, None) else pair for pair in zip(low, high)]
    data = records.data[[name for name in records.data.columns if name not in options.target]]
    return _lenient(replace(records, data=data, y=cells), "number", options.settings)


def _written(options: TableOptions, columns: list[str]) -> dict[str, str]:
    """Return the columns that a command of infimum has added to the table; they depend on the target.

    Columns that --feature or --column names are features.
    """
    given = {*options.feature, *options.columns, *options.target}
    studio = {STUDIO: "written by infimum studio"} if STUDIO in columns and STUDIO not in given else {}
    return studio | {
        name: f"written by infimum {command}"
        for command, (always, sometimes) in WRITTEN.items()
        if {*always} <= {*columns, *options.target}
        for name in (*always, *sometimes)
        if name in columns and name not in given
    }


def _features(path: Path, records: Records, options: TableOptions) -> tuple[Any, dict[str, str]]:
    why = {options.id: IDS, options.annotator: "annotators", options.truth: "true labels",
           options.gold: "true labels", options.group: "groups", options.event: "event indicator"}  # fmt: skip
    unused = {name: reason for name, reason in why.items() if name is not None}
    unused |= dict.fromkeys(options.ignore, "ignored")
    unused = _written(options, list(records.data.columns)) | unused
    columns = [name for name in records.data.columns if name not in unused]
    if options.feature:
        unused |= {name: "not named by --feature" for name in columns if name not in options.feature}
        columns = [*options.feature, *([options.sequence] if options.sequence in columns else [])]
        unused.pop(options.sequence, None)  # type: ignore[arg-type]
    if not columns:
        alone = "" if options.annotator is None else (
            " Models need features. Answers of several annotators are aggregated without them in Python:"
            " PartialClassifier().fit(None, Votes.from_table(df, row=…, annotator=…, answer=…)).labels_"
        )  # fmt: skip
        named = ", ".join([*options.target, *unused])
        raise ValueError(f"{name_of(path)} has no feature columns besides {named}.{alone}")
    return records.data[columns], unused
