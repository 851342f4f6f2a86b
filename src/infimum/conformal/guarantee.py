"""What a conformal set promises, in a sentence."""

from __future__ import annotations

from textwrap import fill
from typing import Any

SAME = "if calibration rows and new rows are exchangeable"


def guarantee(made: Any) -> str:
    """The promise of a fitted `Conformal`, and the assumption that it stands on."""
    return fill(_sentence(made), 120)


def _sentence(made: Any) -> str:
    level = made.level
    if made.cross_ is not None:
        what = "contains the truth" if made.covers == "truth" else "meets the set of a new row"
        loss = f", less at most {made.cross_.excess:.3f} for its folds" if made.cross_.excess else ""
        return (
            f"With probability at least {2 * level - 1:.4g}{loss} the predicted set {what}, if the rows and the new row are"
            f" exchangeable; usually about {level:g}.{_meaning(made)}"
        )
    head = f"With probability at least {level:g}"
    if made.covers == "set":
        each = " in every group" if made.groups is not None else ""
        return f"{head}{each} the predicted set meets the set of a new row, {SAME}; it says nothing about where in its set the truth is."
    if made._by_class:
        return f"For every class, {_lower(head)} the predicted set contains it where it is the truth, {SAME} and sets contain the truth."
    if made.groups is not None:
        return (
            f"In every group, {_lower(head)} the predicted set contains the truth, {SAME} and sets contain the truth."
        )
    if made.exact_only:
        return f"{head} the predicted set contains the truth, {SAME} and those known exactly were chosen at random among them."
    if made.ambiguity is not None:
        return (
            f"{head} the predicted set contains the truth, {SAME}, sets contain the truth, and every other class is a candidate"
            f" with probability at most {made.ambiguity:g}, whatever x and the truth are."
        )
    return f"{head} the predicted set contains the truth, {SAME} and sets contain the truth."


def _meaning(made: Any) -> str:
    return "" if made.covers == "truth" else " It says nothing about where in its set the truth is."


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]
