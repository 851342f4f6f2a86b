"""The rows of the matrix that do not work yet, and the parameters of the tests that run over it.

Rows of the matrix are output types. Columns are what a user does with a default model. A pair in `NOT_YET` is a missing
feature: its tests are expected to fail, and they fail the suite as soon as they pass. Remove the pair then.
"""

from __future__ import annotations

from itertools import product

import pytest

from paths.tables import INPUTS, TABLES

FORMATS = ("pickle", "joblib", "skops")
COMMANDS = ("fit", "predict", "score", "clean", "report", "prediction sets")

NOT_YET: dict[tuple[str, str], str] = {
}


def cells(path: str, *others: tuple[str, ...]) -> list:
    """Parameters (output type, ...) of a test of one path; pairs in `NOT_YET` are expected to fail."""
    found = []
    for name, *rest in product(TABLES, *others):
        reason = NOT_YET.get((name, path))
        marks = () if reason is None else pytest.mark.xfail(strict=True, reason=reason)
        found.append(pytest.param(name, *rest, marks=marks, id="-".join((name, *rest))))
    return found


def in_python(path: str, *others: tuple[str, ...]) -> list:
    """Parameters (output type, inputs, ...): the path with an array and with a DataFrame."""
    return cells(path, tuple(INPUTS), *others)
