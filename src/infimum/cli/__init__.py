"""The command `infimum`: one file per command."""

from __future__ import annotations

import sys
from typing import Annotated, Any

try:
    import pandas  # noqa: F401 : tables
    import rich  # noqa: F401
    import typer
    from typer.core import TyperCommand, TyperGroup
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


def without_types(params: list[Any]) -> list[Any]:
    """Return parameters whose help shows no Python type: flags have no value, and arguments show their metavar."""
    for param in params:
        if param.param_type_name == "argument" or getattr(param, "is_flag", False):
            param.display_type_rich = lambda ctx: None
    return params


class Command(TyperCommand):
    """A command whose help has words instead of Python types."""

    def get_params(self, ctx: Any) -> list[Any]:
        return without_types(super().get_params(ctx))


class Group(TyperGroup):
    """The command `infimum` itself, with the same help."""

    def get_params(self, ctx: Any) -> list[Any]:
        return without_types(super().get_params(ctx))


app = typer.Typer(
    cls=Group, no_args_is_help=True,
    add_completion=False, pretty_exceptions_show_locals=False, rich_markup_mode="markdown",
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

    The input is a table with one row per example and a column of partial labels. The page "Label formats" of the
    documentation lists all accepted forms.

    Example: `infimum fit tickets.csv --target label`

    Exit codes: 0 done, 1 invalid input, 2 invalid command line, 3 interrupted (the best result so far was written),
    4 the result cannot be written, 130 interrupted (nothing was written).
    """


MODELS, FILES = "Models", "Reports and files"
app.command(cls=Command, rich_help_panel=MODELS)(fit)
app.command(cls=Command, rich_help_panel=MODELS)(predict)
app.command(cls=Command, rich_help_panel=MODELS)(score)
app.command(cls=Command, rich_help_panel=MODELS)(clean)
app.command(cls=Command, rich_help_panel=FILES)(report)
app.command(cls=Command, rich_help_panel=FILES)(convert)
app.command(cls=Command, rich_help_panel="Annotation")(studio)
app.command(cls=Command, rich_help_panel="The paper")(reproduce)

__all__ = ["app"]
