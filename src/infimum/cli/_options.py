"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

File = Annotated[Path, typer.Argument(help="A table: .csv, .tsv, .jsonl, .parquet, .arrow.", show_default=False)]
Model = Annotated[Path, typer.Argument(help="A model that `infimum fit` wrote.", show_default=False)]
Target = Annotated[
    list[str] | None,
    typer.Option("--target", "-t", help="The column of sets; twice for the two bounds of numbers.", show_default=False),
]
Kind = Annotated[
    str | None, typer.Option(help="labels, tags, order or number; recognised where it can be.", show_default=False)
]
Id = Annotated[
    str | None, typer.Option(help="The column that names rows; `id` where there is one.", show_default=False)
]
Annotator = Annotated[
    str | None,
    typer.Option(help="The column of who answered; `annotator` where there is one.", show_default=False),
]
Only = Annotated[
    list[str] | None, typer.Option("--feature", help="A column to learn from; all others are left.", show_default=False)
]
Drop = Annotated[list[str] | None, typer.Option("--drop", help="A column to leave aside.", show_default=False)]
Meaning = Annotated[
    str | None,
    typer.Option(help="What lists in cells say: one_of, all_of, known_tags, order.", show_default=False),
]
Unticked = Annotated[str | None, typer.Option(help="What 0 says of a tag: no or unknown.", show_default=False)]
Weights = Annotated[
    str,
    typer.Option(help="auto, kernel, nystrom, linear, neighbors, forest: how rows count at x."),
]
Principle = Annotated[str, typer.Option(help="auto, infimum, average, supremum or disambiguation.")]
Level = Annotated[
    float | None,
    typer.Option(min=0.5, max=0.999, help="Also learn sets that cover with this probability.", show_default=False),
]
Covers = Annotated[str, typer.Option(help="What these cover: the truth, or the set that would be given.")]
Json = Annotated[bool, typer.Option("--json", help="Print one object of JSON, for scripts.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]


def out(default: str, what: str):
    """The option --out."""
    return Annotated[Path, typer.Option("--out", "-o", help=f"{what} ({default}).", show_default=False)]
