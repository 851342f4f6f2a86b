"""What a conformal set promises, in a sentence."""

from __future__ import annotations

from textwrap import fill
from typing import Any

SAME = "if calibration rows and new rows are exchangeable"


def guarantee(made: Any) -> str:
    """The promise of a fitted `Conformal`, and the assumption that it stands on."""
    return fill(_sentence(made), 120)


def _sentence(made: Any) -> str:
    level, head = made.level, f"With probability at least {made.level:g}"
    truth = f"the predicted set contains the truth, {SAME}"
    where = "it says nothing about where in its set the truth is."
    if made.cross_ is not None:
        what = "contains the truth" if made.covers == "truth" else "meets the set of a new row"
        less = f", less at most {made.cross_.excess:.3f} for its folds," if made.cross_.excess else ""
        end = "" if made.covers == "truth" else f"; {where[:-1]}"
        return (
            f"With probability at least {2 * level - 1:.4g}{less} the predicted set {what}, if the rows and the new row"
            f" are exchangeable; usually with about {level:g}{end}."
        )
    group = "in every group, " if made.groups is not None else ""
    if made.covers == "set":
        return _upper(f"{group}{_lower(head)} the predicted set meets the set of a new row, {SAME}; {where}")
    if made._by_class:
        each = "the predicted set contains it where it is the truth"
        return f"For every class, {_lower(head)} {each}, {SAME} and sets contain the truth."
    if made.exact_only:
        return _upper(f"{group}{_lower(head)} {truth} and those known exactly were chosen at random among them.")
    if made.ambiguity is not None:
        return (
            f"{head} {truth}, sets contain the truth, and every other class is a candidate with probability at most"
            f" {made.ambiguity:g}, whatever x and the truth are."
        )
    return _upper(f"{group}{_lower(head)} {truth} and sets contain the truth.")


def _lower(text: str) -> str:
    return text[0].lower() + text[1:]


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]
