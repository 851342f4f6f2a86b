"""Options that several commands share, with the values that they accept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..io._meaning import CHOICES
from ..outputs import OUTPUT_TYPES

WEIGHTS = ("auto", "kernel", "nystrom", "linear", "neighbors", "forest", "laplacian")
PRINCIPLES = ("auto", "infimum", "average", "supremum", "disambiguation")
COVERS = ("truth", "set")


def one_of(values: tuple[str, ...] | dict) -> str:
    """Return the allowed values as text: "a, b or c"."""
    *first, last = values
    return f"{', '.join(first)} or {last}"


File = Annotated[
    Path, typer.Argument(help="A table: .csv, .tsv, .jsonl, .parquet, .arrow.", show_default=False, metavar="FILE")
]
Model = Annotated[Path, typer.Argument(help="A model that `infimum fit` wrote.", show_default=False, metavar="MODEL")]
Target = Annotated[
    list[str] | None,
    typer.Option(
        "--target", "-t", help="The target column; repeat it for bounds or coordinates.", show_default=False,
        metavar="COLUMN",
    ),
]  # fmt: skip
Kind = Annotated[
    str | None,
    typer.Option(help=f"The output type: {one_of(OUTPUT_TYPES)}. By default recognised.", show_default=False),
]
Id = Annotated[
    str | None, typer.Option(help="The column of row ids; `id` if there is one.", show_default=False, metavar="COLUMN")
]
Annotator = Annotated[
    str | None,
    typer.Option(help="The column of annotators; `annotator` if there is one.", show_default=False, metavar="COLUMN"),
]
Feature = Annotated[
    list[str] | None,
    typer.Option("--feature", help="A feature column; no others are used.", show_default=False, metavar="COLUMN"),
]
Drop = Annotated[
    list[str] | None, typer.Option("--drop", help="A column to ignore.", show_default=False, metavar="COLUMN")
]
Meaning = Annotated[
    str | None,
    typer.Option(help=f"What lists in cells mean: {one_of(CHOICES['meaning'])}.", show_default=False),
]
Unticked = Annotated[
    str | None, typer.Option(help=f"What 0 means for a tag: {one_of(CHOICES['unticked'])}.", show_default=False)
]
Classes = Annotated[
    str | None,
    typer.Option(
        "--classes",
        help="All classes, tags or items: a file with one name per line, or names separated by commas. Names in quotes"
        " may contain commas. Other names raise an error.",
        show_default=False,
        metavar="FILE|LIST",
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--separator", help='What separates candidates of a cell besides "|".', show_default=False, metavar="TEXT"
    ),
]
MergeClasses = Annotated[
    bool,
    typer.Option("--merge-classes", help="Merge names that look like variants of others, and list what was merged."),
]
Weights = Annotated[str, typer.Option(help=f"The base learner: {one_of(WEIGHTS)}.")]
Principle = Annotated[str, typer.Option(help=f"The loss of a set of possible outputs: {one_of(PRINCIPLES)}.")]
Level = Annotated[
    float | None,
    typer.Option(min=0.5, max=0.999, help="Also learn prediction sets of this coverage.", show_default=False),
]
Covers = Annotated[str, typer.Option(help="What prediction sets cover: the true output (truth) or its set (set).")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for scripts.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]


def out(default: str, what: str):
    """Return the option --out."""
    return Annotated[
        Path, typer.Option("--out", "-o", help=f"{what} ({default}).", show_default=False, metavar="FILE")
    ]
