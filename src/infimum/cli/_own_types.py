"""A user's own output type on the command line: `--kind package.module:Class`.

The module is imported only if the user names it. A saved model contains the notation, so that the commands that load it
can ask for it; nothing is imported because a file says so.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import typer

from ..outputs import OUTPUT_TYPES, OutputSpace

KINDS = tuple(OUTPUT_TYPES)
OWN = "MODULE:CLASS"


def output_type(notation: str) -> type[OutputSpace]:
    """Import an output type that is written as MODULE:CLASS, and add it to OUTPUT_TYPES under this name.

    Modules are found as in Python, also in the current folder.
    """
    module, _, name = notation.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = import_module(module)
    except ImportError as error:
        raise ValueError(
            f"the module {module!r} cannot be imported ({error}). Run the command in its folder, or install it."
        ) from error
    for part in name.split("."):
        found = getattr(found, part, None)
    if not (isinstance(found, type) and issubclass(found, OutputSpace)):
        raise ValueError(f"{name!r} of the module {module!r} must be a subclass of infimum.outputs.OutputSpace.")
    OUTPUT_TYPES[notation] = found
    return found


def is_own(kind: str) -> bool:
    """Whether a kind is written as MODULE:CLASS."""
    module, sign, name = kind.partition(":")
    return bool(sign) and all(part.isidentifier() for part in (*module.split("."), *name.split(".")))


def check_kind(kind: str | None) -> str | None:
    """Return the value of --kind; raise BadParameter unless it is one of the library or a type that can be imported."""
    if kind is not None and ":" not in kind and kind not in KINDS:
        raise typer.BadParameter(f"{kind!r} is not one of {', '.join(map(repr, KINDS))}, or {OWN}.")
    return check_own_kind(kind) if kind is not None and kind not in KINDS else kind


def check_own_kind(kind: str | None) -> str | None:
    """Return the value of --kind, MODULE:CLASS, after it is imported; raise BadParameter if that is impossible."""
    if kind is None:
        return None
    if not is_own(kind):
        raise typer.BadParameter(f"expected {OWN}. Other models need no --kind. Got {kind!r}.")
    try:
        output_type(kind)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    return kind
