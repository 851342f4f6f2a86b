"""Sheet: a table to ask about: its rows as people see them, as numbers, and what is known of the target."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.errors import InputError
from ...data.features import Features
from ...io import Records, read_table
from ...io._frames import rows_of_frame
from ...outputs import Labels, OutputSpace, Rankings, Reals, Tags

IMAGES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
          ".bmp": "image/bmp"}  # fmt: skip
SIDE = 16  # pixels of the small pictures that a model sees


@dataclass
class Sheet:
    """What is asked about."""

    path: Path
    target: str
    records: Records
    space: Any
    """Y, fitted."""
    columns: list[str]
    """Those that are shown."""
    images: list[str] = field(default_factory=list)
    """Columns whose cells are paths of pictures."""

    def __post_init__(self) -> None:
        self.rows = rows_of_frame(self.records.data)

    def __len__(self) -> int:
        return len(self.rows)

    def header(self) -> dict:
        """What a journal of this table is about."""
        names = self.names()
        return {
            "studio": 1, "file": self.path.name, "sha256": hashlib.sha256(self.path.read_bytes()).hexdigest(),
            "target": self.target, "kind": self.records.kind, "rows": len(self), "names": names,
        }  # fmt: skip

    def names(self) -> list[str]:
        """The classes, tags or items; the ends of numbers."""
        for attribute in ("classes_", "tags_", "items_"):
            if hasattr(self.space, attribute):
                return [str(name) for name in getattr(self.space, attribute).tolist()]
        return [repr(self.space.low_), repr(self.space.high_)]

    def picture(self, row: int, column: str) -> tuple[Path, str] | None:
        """The file of a picture and its type; None where the cell names none inside the folder of the table."""
        if column not in self.images or not 0 <= row < len(self):
            return None
        root = self.path.resolve().parent
        found = (root / str(self.rows[row].get(column) or "")).resolve()
        kind = IMAGES.get(found.suffix.lower())
        return (found, kind) if kind and found.is_relative_to(root) and found.is_file() else None

    def features(self) -> NDArray:
        """The rows as numbers: pictures by their pixels, everything else as `infimum.Features` has it.

        A table whose columns all say nothing becomes a column of zeros: questions are then about rows that are alike.
        """
        parts = [self._pixels(column) for column in self.images]
        others = [column for column in self.columns if column not in self.images]
        if others:
            parts.append(np.asarray(Features().fit_transform(self.records.data[others]), dtype=float))
        found = [part for part in parts if part.shape[1]]
        return np.hstack(found) if found else np.zeros((len(self), 1))

    def _pixels(self, column: str) -> NDArray:
        try:
            from PIL import Image
        except ImportError as error:
            raise ImportError("Pictures are read by Pillow: pip install pillow, or leave the column out.") from error
        out = []
        for row in range(len(self)):
            found = self.picture(row, column)
            if found is None:
                out.append(np.zeros(SIDE * SIDE))
                continue
            with Image.open(found[0]) as image:
                small = image.convert("L")
                small = small.resize((SIDE, SIDE)) if max(small.size) > SIDE else small
                pixels = np.asarray(small, dtype=float)
            square = np.zeros((SIDE, SIDE))
            square[: pixels.shape[0], : pixels.shape[1]] = pixels / 255
            out.append(square.ravel())
        return np.array(out)


def read_sheet(
    path: Any, target: str, kind: str = "labels", classes: list | None = None, id: str | None = None, bounds: Any = None
) -> Sheet:
    """A table, its target and what the target may be.

    Parameters
    ----------
    path : path
        In any form that `read_table` reads.
    target : str
        The column of y; where the table has none, nothing is known yet and `classes` names what there is.
    kind : {"labels", "tags", "ranking", "number"}
    classes : list, optional
        All labels, tags or items, in order.
    id : str, optional
        The column of ids; by default rows are counted from 0.
    bounds : (low, high), optional
        Of numbers.
    """
    path = Path(path)
    plain = read_table(path, None, id=id)
    if target in plain.data.columns:
        records = read_table(path, target, id=id, kind=kind, classes=classes)
    else:
        records = Records(plain.ids, plain.data, [None] * len(plain), kind, classes=list(classes or []))
    if not len(records):
        raise InputError(f"{path} has no rows to ask about.")
    spaces: dict[str, Any] = {
        "labels": lambda: Labels(classes=classes), "tags": lambda: Tags(tags=classes),
        "ranking": lambda: Rankings(items=classes), "number": lambda: Reals(bounds=bounds),
    }  # fmt: skip
    if kind not in spaces:
        raise ValueError(f"kind must be one of {', '.join(map(repr, spaces))}. Got {kind!r}.")
    try:
        space: OutputSpace = spaces[kind]().fit(records.y)
    except ValueError as error:
        way = "--bounds LOW HIGH" if kind == "number" else "--classes with all the names, separated by commas"
        raise InputError(f"{path}: {error} On the command line that is {way}.") from error
    columns = [str(column) for column in records.data.columns]
    rows = rows_of_frame(records.data)
    images = [c for c in columns if _are_pictures([row.get(c) for row in rows])]
    return Sheet(path, target, records, space, columns, images)


def _are_pictures(cells: list) -> bool:
    known = [cell for cell in cells if cell]
    return bool(known) and all(isinstance(c, str) and Path(c).suffix.lower() in IMAGES for c in known)
