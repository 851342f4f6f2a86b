"""Options that several commands share, with the values that they accept."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ..data.columns import KINDS
from ._own_types import KINDS as OUTPUT_KINDS
from ._own_types import OWN, check_kind, check_own_kind

KINDS_TO_SET = KINDS[:5]
"""Kinds of columns that --column accepts."""


def check_columns(given: list[str] | None) -> list[str] | None:
    """Raise BadParameter unless every value of --column is COLUMN=KIND."""
    for text in given or []:
        name, sign, kind = text.rpartition("=")
        if not (name and sign) or kind not in KINDS_TO_SET:
            raise typer.BadParameter(f"expected COLUMN=KIND, where KIND is {', '.join(KINDS_TO_SET)}. Got {text!r}.")
    return given


File = Annotated[
    Path,
    typer.Argument(
        help="A table: .csv, .tsv, .txt, .xlsx, .json, .jsonl, .parquet, .arrow, .csv.gz; `-` reads stdin.",
        show_default=False, metavar="FILE",
    ),
]  # fmt: skip
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
    typer.Option(
        help="The output type. By default it is recognised. MODULE:CLASS is your own type, which is imported.",
        show_default=False, metavar=f"[{'|'.join(OUTPUT_KINDS)}|{OWN}]", callback=check_kind,
    ),
]  # fmt: skip
ModelKind = Annotated[
    str | None,
    typer.Option(
        help="The output type of the model, if it is your own: MODULE:CLASS. It is imported, and its code is run.",
        show_default=False, metavar=OWN, callback=check_own_kind,
    ),
]  # fmt: skip
Id = Annotated[
    str | None, typer.Option(help="The column of row ids; `id` if there is one.", show_default=False, metavar="COLUMN")
]
Annotator = Annotated[
    str | None,
    typer.Option(
        help="The column of annotators, if the table has one line per answer; `annotator` if there is one.",
        show_default=False, metavar="COLUMN",
    ),
]  # fmt: skip
Gold = Annotated[
    str | None,
    typer.Option(
        help="A column with the true labels of some rows, which calibrate the annotators.", show_default=False,
        metavar="COLUMN",
    ),
]  # fmt: skip
Soft = Annotated[
    bool, typer.Option("--soft", help="The target columns contain the probability of the class they are named after.")
]
Feature = Annotated[
    list[str] | None,
    typer.Option("--feature", help="A feature column; no others are used.", show_default=False, metavar="COLUMN"),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", help="A column to leave out; repeatable.", show_default=False, metavar="COLUMN"),
]
Column = Annotated[
    list[str] | None,
    typer.Option(
        "--column", help=f"The kind of a column, as in created=date: {', '.join(KINDS_TO_SET)}; repeatable.",
        show_default=False, metavar="COLUMN=KIND", callback=check_columns,
    ),
]  # fmt: skip
Sep = Annotated[
    str | None,
    typer.Option(
        "--sep", help="The separator of a text file. By default detected.", show_default=False, metavar="TEXT"
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(help="The encoding of a text file. By default detected.", show_default=False, metavar="NAME"),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing", help='Cells that are read as empty, in all columns: -1, or "*Per Hour*" (* is any text);'
        " repeatable.", show_default=False, metavar="TEXT",
    ),
]  # fmt: skip
Meaning = Annotated[
    Literal["one_of", "all_of", "known_tags", "order"] | None,
    typer.Option(help="What lists in cells mean.", show_default=False),
]
Unticked = Annotated[Literal["no", "unknown"] | None, typer.Option(help="What 0 means for a tag.", show_default=False)]
Weights = Annotated[
    Literal["auto", "kernel", "nystrom", "linear", "neighbors", "forest", "laplacian"],
    typer.Option(help="The base learner."),
]
Principle = Annotated[
    Literal["auto", "infimum", "average", "supremum", "disambiguation"],
    typer.Option(help="The loss of a set of possible outputs."),
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
Contradictions = Annotated[
    Literal["error", "majority", "weigh"] | None,
    typer.Option(
        help="For rankings: rows that contradict themselves raise an error (error, the default), keep what most of"
        " their comparisons agree on (majority), or count each comparison as a row of its own (weigh).",
        show_default=False,
    ),
]
Level = Annotated[
    float | None,
    typer.Option(
        min=0.5, max=0.999, help="Also learn prediction sets of this coverage.", show_default=False, metavar="NUMBER"
    ),
]
Covers = Annotated[
    Literal["truth", "set"],
    typer.Option(
        help="What prediction sets cover: the true output (truth), or a member of its candidate set (set; smaller)."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, for scripts.")]
Escape = Annotated[
    bool,
    typer.Option(
        "--escape/--no-escape", help="Put an apostrophe before text in CSV files that a spreadsheet would run (=1+1)."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]


def out(default: str, what: str):
    """Return the option --out."""
    return Annotated[Path, typer.Option("--out", "-o", help=f"{what} ({default}).", show_default=False, metavar="FILE")]
