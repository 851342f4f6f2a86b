"""Task: a table to ask about, with its rows for people, its features for the model, and its output space."""

from __future__ import annotations

import importlib.util
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.columns import KINDS, recognise
from ...data.errors import InputError
from ...data.features import Features, columns_of
from ...data.images import are_images, image_file, read_image
from ...io import Records, read_table
from ...io._frames import rows_of_frame
from ...io._names import NamedCells, Naming
from ...io._table_cells import parse_cells
from ...outputs import OUTPUT_TYPES, Groups, has_names
from .guidelines import Guidelines, read_guidelines

SIDE = 16  # images are scaled to 16 x 16 grey pixels for the model


@dataclass
class Task:
    """A table and the column to be labelled.

    Attributes
    ----------
    path : Path
        The file of the table.
    target : str
        The column to be labelled.
    records : Records
        The rows.
    space : OutputSpace
        The fitted output space of the target.
    columns : list of str
        The columns that are shown.
    images : list of str
        Those whose cells are paths of images.
    named : NamedCells, optional
        The look-alikes among the classes, tags or items.
    ids : list, optional
        The column of ids; None if there is none.
    shown : list of str, optional
        The columns that people see; by default all.
    guidelines : Guidelines
        Texts about the classes, in Markdown.
    """

    path: Path
    target: str
    records: Records
    space: Any
    columns: list[str]
    images: list[str] = field(default_factory=list)
    named: NamedCells | None = None
    ids: list | None = None
    shown: list[str] | None = None
    guidelines: Guidelines = field(default_factory=Guidelines)

    def __post_init__(self) -> None:
        self.rows = rows_of_frame(self.records.data)
        self.notes: list[str] = []
        """What people should know about the table, such as cells of an image column that are not images."""
        for column in self.images:
            others = [row for row in range(len(self)) if self.rows[row].get(column) and self.image(row, column) is None]
            if others:
                self.notes.append(
                    f"Column {column!r}: {len(others)} of {len(self)} cells are not images in the folder of the table."
                    f" They are shown as text. The first is in row {others[0]}."
                )
        if self.guidelines.classes and self.guidelines.missing:
            self.notes.append(f"The guidelines have no heading for: {', '.join(self.guidelines.missing)}.")

    def __len__(self) -> int:
        return len(self.rows)

    def header(self) -> dict:
        """Return what identifies the task in a journal."""
        return {"file": self.path.name, "target": self.target, "kind": self.records.kind}

    def names(self) -> list[str]:
        """Return the classes, tags or items, or the ends of a range."""
        return [str(name) for name in self.space.questions().names]

    def image(self, row: int, column: str) -> tuple[Path, str] | None:
        """Return the file and the type of an image; None unless it is a file in the folder of the table."""
        if column not in self.images or not 0 <= row < len(self):
            return None
        return image_file(self.path.resolve().parent, self.rows[row].get(column))

    def features(self) -> NDArray:
        """Return the rows as numbers: images as pixels, other columns by `infimum.Features`.

        A table without usable columns becomes a column of zeros.
        """
        parts = [self._pixels(column) for column in self.images]
        others = [column for column in self.columns if column not in self.images]
        if others:
            data = self.records.data[others]
            kinds = [recognise(name, cells).kind for name, cells in columns_of(data).items()]
            if any(kind in KINDS[:4] for kind in kinds):
                parts.append(np.asarray(Features().fit_transform(data), dtype=float))
        found = [part for part in parts if part.shape[1]]
        return np.hstack(found) if found else np.zeros((len(self), 1))

    def _pixels(self, column: str) -> NDArray:
        if importlib.util.find_spec("PIL") is None:
            raise ImportError("Images require Pillow. Install it with pip install pillow, or remove the column.")
        out = np.zeros((len(self), SIDE, SIDE))
        for row in range(len(self)):
            found = self.image(row, column)
            if found is None:
                continue
            try:
                grey = read_image(found[0], 4 * SIDE).convert("L")
            except ValueError as error:
                self.notes.append(f"Column {column!r}, row {row}: the image cannot be read ({error}).")
                continue
            pixels = np.asarray(grey.resize((SIDE, SIDE)) if max(grey.size) > SIDE else grey, dtype=float) / 255
            out[row, : pixels.shape[0], : pixels.shape[1]] = pixels
        return out.reshape(len(self), -1)


def read_groups(path: Path, kind: str = "labels") -> Groups:
    """Read named groups of classes: lines such as ``animal: cat|dog``; lines that begin with # are left out."""
    if kind != "labels":
        raise InputError(f"Groups are for labels. Got {kind!r}.")
    found: dict[str, list[str]] = {}
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        name, mark, members = line.partition(":")
        name = name.strip()
        if not mark or not name or not members.strip() or name in found:
            why = "this group is there twice" if name in found else "expected a name, a colon and classes"
            raise InputError(f"{path}, line {number}: {why}. Got {line!r}. Write, for example, animal: cat|dog")
        found[name] = [member.strip() for member in members.split("|") if member.strip()]
    return Groups(found)


def _check_distinct_ids(path: Path, column: str, ids: list) -> None:
    """Raise an error if the table has several lines per id, such as the answers of several annotators."""
    counts = Counter(map(str, ids))
    name, most = counts.most_common(1)[0]
    if most > 1:
        raise InputError(
            f"{path}: the column {column!r} must contain one id per line, because people are asked about each line. Got"
            f" {len(ids)} lines with {len(counts)} ids; {name!r} is in {most} lines. If each line is the answer of an"
            f" annotator, combine them first: infimum clean {path.name} --target COLUMN --id {column} --annotator"
            " COLUMN --out rows.csv. Otherwise name another column with --id."
        )


def read_task(
    path: Any, target: str, kind: str = "labels", classes: list | None = None, id: str | None = None,
    bounds: Any = None, naming: Naming | None = None, show: list[str] | None = None, guidelines: Any = None,
    groups: Any = None, missing: list[str] | tuple = (), contradictions: str | None = None,
    header: int | None = None,
) -> Task:  # fmt: skip
    """Read a table, its target and the output space of the target.

    Parameters
    ----------
    path : path
        A table in any format of `read_table`.
    target : str
        The column of y. If the table has no such column, all rows are unlabelled.
    kind : str, default "labels"
        The output type: "labels", "tags", "ranking", "number" or another one of `infimum.outputs.OUTPUT_TYPES`.
    classes : list, optional
        All labels, tags or items, in order.
    id : str, optional
        The column of ids; by default the column "id" if there is one. Otherwise rows are counted from 0.
    bounds : (low, high), optional
        The range of numbers.
    naming : Naming, optional
        The separator of candidates, and whether look-alike names are merged; by default neither.
    show : list of str, optional
        The columns that people see, in this order; by default all except the target and the ids.
    guidelines : path, optional
        A text file about the classes, in Markdown; a heading that is the name of a class begins its part.
    groups : path, optional
        A text file of named groups of classes, one per line, such as ``animal: cat|dog``, for yes-or-no questions.
    contradictions : {"error", "majority", "weigh"}, optional
        What happens to rankings that contradict themselves, as in `PartialRanker`.
    missing : list of str, optional
        Cells with one of these texts are empty, such as "not sure".
    header : int, optional
        The line with the column names, as in `read_table`.
    """
    if kind not in OUTPUT_TYPES:
        raise ValueError(f"kind must be one of {', '.join(map(repr, OUTPUT_TYPES))}. Got {kind!r}.")
    path = Path(path)
    named_groups = None if groups is None else read_groups(Path(groups), kind)
    plain = read_table(path, None, missing=missing, header=header)
    if id is None and "id" in plain.data.columns and target != "id":
        id = "id"
    named = None
    if target in plain.data.columns and has_names(kind):
        records = read_table(path, target, id=id, missing=missing, header=header)
        if records.kind == "text":
            named = (naming or Naming(classes)).apply(kind, path.name, records.y, records.places)
            cells, names = parse_cells(path.name, named.cells, records.places, kind, list(classes or []))
            records = replace(records, y=cells, kind=kind, classes=names)
    elif target in plain.data.columns:
        records = read_table(path, target, id=id, kind=kind, classes=classes, missing=missing, header=header)
    else:
        plain = read_table(path, None, id=id, missing=missing, header=header)
        records = Records(plain.ids, plain.data, [None] * len(plain), kind, classes=list(classes or []))
    if not len(records):
        raise InputError(f"{path} has no rows to ask about.")
    if id is not None:
        _check_distinct_ids(path, id, records.ids)
    try:
        space = OUTPUT_TYPES[kind].for_cells(records.y, classes)
        space = space if bounds is None else space.set_params(bounds=bounds)
        space = space if named_groups is None else space.set_params(cost=named_groups)
        space = space if contradictions is None else space.set_params(contradictions=contradictions)
        space = space.fit(space.from_cells(records.y))
    except ValueError as error:
        option = "--bounds LOW HIGH" if kind == "number" else "--classes with all the names, separated by commas"
        raise InputError(f"{path}: {error} On the command line, use {option}.") from error
    columns = [str(column) for column in records.data.columns]
    missing = [name for name in show or [] if name not in columns]
    if missing:
        raise InputError(f"{path} has no column {missing[0]!r} to show. Its columns are {', '.join(columns)}.")
    rows = rows_of_frame(records.data)
    images = [column for column in columns if are_images([row.get(column) for row in rows])]
    names = [str(name) for name in space.questions().names]
    texts = Guidelines() if guidelines is None else read_guidelines(Path(guidelines).read_text("utf-8"), names)
    ids = None if id is None else list(records.ids)
    return Task(path, target, records, space, columns, images, named, ids, show, texts)
