"""The command `infimum`: one file a command."""

from __future__ import annotations

import sys

try:
    import pandas  # noqa: F401 : tables
    import rich  # noqa: F401
    import typer
except ImportError as error:
    sys.exit(f'The command infimum needs the package {error.name}. Install it with: pip install "infimum[cli,plot]"')

from .reproduce import reproduce
from .studio import studio

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_show_locals=False)


@app.callback()
def main() -> None:
    """Learn from sets of possible answers."""


app.command()(reproduce)
app.command()(studio)

__all__ = ["app"]
