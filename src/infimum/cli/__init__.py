"""The command `infimum`: one file per command."""

from __future__ import annotations

import sys
from typing import Annotated

try:
    import pandas  # noqa: F401 : tables
    import rich  # noqa: F401
    import typer
except ImportError as error:
    sys.exit(f'The command infimum requires the package {error.name}. Install it with: pip install "infimum[cli,plot]"')

try:
    from .clean import clean
    from .convert import convert
    from .fit import fit
    from .predict import predict
    from .report import report
    from .reproduce import reproduce
    from .score import score
    from .studio import studio
except KeyboardInterrupt:  # imports take a second
    sys.exit(130)

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_show_locals=False, rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip


def print_version(wanted: bool) -> None:
    """Print the version and exit, if it is wanted."""
    if wanted:
        from .. import __version__

        typer.echo(f"infimum {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=print_version, is_eager=True)
    ] = False,
) -> None:
    """Learn from partial labels: **cat|dog**, **!owl**, **a>b>c**, **[1,2]**, or an empty cell.

    A table has one row per example and a target column, written as in docs/data. Exit codes: 0 done, 1 invalid input
    (the message names the lines), 2 invalid command line, 3 interrupted after the best result so far was written,
    4 the result cannot be written, 130 interrupted and nothing written.
    """


MODELS, FILES = "Models", "Reports and files"
app.command(rich_help_panel=MODELS)(fit)
app.command(rich_help_panel=MODELS)(predict)
app.command(rich_help_panel=MODELS)(score)
app.command(rich_help_panel=MODELS)(clean)
app.command(rich_help_panel=FILES)(report)
app.command(rich_help_panel=FILES)(convert)
app.command(rich_help_panel="Annotation")(studio)
app.command(rich_help_panel="The paper")(reproduce)

__all__ = ["app"]
