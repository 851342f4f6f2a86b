"""What two sets share: how rows that share nothing are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..data.errors import BadRows, InputError

if TYPE_CHECKING:
    from .base import Sets

ONE_IS_WRONG = "Every set must hold the true output: one of the two is wrong."


def check_pair(a: Sets, b: Any, *kinds: type) -> None:
    """a and b must have the same number of rows, and b be of a kind that a can be compared with."""
    rows = len(b)
    if not isinstance(b, kinds):
        names = ", ".join(kind.__name__ for kind in kinds)
        raise InputError(
            f"{type(a).__name__} have an intersection with {names}. Got {type(b).__name__}. Rows in other forms are"
            " read by the space: output.read(y)."
        )
    if len(a) != rows:
        raise InputError(f"Sets are intersected row by row: {len(a)} rows and {rows} rows are not.")


def same_names(a: Any, b: Any, what: str) -> None:
    """Names, where both have them, must be the same in the same order."""
    if a is None or b is None:
        return
    if len(a) != len(b) or any(x != y for x, y in zip(np.asarray(a).tolist(), np.asarray(b).tolist())):
        raise InputError(
            f"The sets must be over the same {what}. Got {list(a)[:10]} and {list(b)[:10]}. Read both by one space,"
            " output.read(y)."
        )


def refuse_empty(a: Sets, b: Sets, empty: NDArray) -> None:
    """Refuse rows where nothing is in both sets, naming the two."""
    if not empty.any():
        return
    bad = BadRows("y")
    for row in np.flatnonzero(empty).tolist():
        bad.add(row, f"nothing is both in {a.format(row)} and in {b.format(row)}")
    bad.refuse(ONE_IS_WRONG)


def refuse_shape(a: Sets, b: Sets, rows: NDArray, kind: str) -> None:
    """Refuse rows whose intersection is a set of no kind that there is."""
    bad = BadRows("y")
    for row in np.flatnonzero(rows).tolist():
        bad.add(row, f"what {a.format(row)} and {b.format(row)} share is no {kind}")
    bad.refuse("Where one holds the other the smaller one is kept; list the points that are left as candidates.")


def signs_shared(a: Sets, b: Sets, left: NDArray, right: NDArray) -> NDArray:
    """Known signs of both, (n, m) in {-1, 0, 1}; rows that contradict each other are refused."""
    refuse_empty(a, b, (left * right < 0).any(axis=1))
    return np.where(left != 0, left, right)


def signs_text(values: NDArray, what: str) -> str:
    """Known signs in words.

    >>> signs_text(np.array([1, 0, -1]), "tag")
    '{tag 0, not tag 2}'
    """
    known = np.flatnonzero(values)
    if not len(known):
        return "{anything}"
    some = [f"{'' if values[k] > 0 else 'not '}{what} {k}" for k in known[:10].tolist()]
    return "{" + ", ".join(some) + (", …" if len(known) > 10 else "") + "}"
