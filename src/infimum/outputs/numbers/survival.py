"""Censored times: formats of survival libraries as intervals, and scores that use the order of intervals."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from ...data.containers import ValueTable
from ...data.errors import BadRows, InputError, listed

EVENT_WORDS = {"event", "events", "observed", "death", "died", "dead", "failure", "failed", "uncensored"}
"""Words in the name of a column that is 1 if the event was observed, and 0 if the time is censored."""

PAIRS = 2**22  # pairs of rows that are compared at a time: a few dozen MiB


def is_structured(y: Any) -> bool:
    """Whether y is a structured array, such as scikit-survival's with the fields event and time."""
    return isinstance(y, np.ndarray) and y.dtype.names is not None


def check_ordered(y: Any) -> None:
    """Raise an error about scipy.stats.CensoredData, which sorts rows by their kind of censoring."""
    if type(y).__name__ == "CensoredData" and type(y).__module__.startswith("scipy."):
        raise InputError(
            "scipy.stats.CensoredData does not keep the order of the rows, so they cannot be matched with X. Pass"
            " (n, 2) bounds; or, if the rows of X are uncensored, left-, right- and interval-censored ones in this"
            " order, pass infimum.io.from_censored_data(y)."
        )


def from_structured(y: NDArray) -> tuple[NDArray, NDArray]:
    """Return durations and events of a structured array with one boolean and one numeric field."""
    kinds = {name: y.dtype[name].kind for name in y.dtype.names or ()}
    events, times = ([name for name, kind in kinds.items() if kind in some] for some in ("b", "iuf"))
    if len(kinds) != 2 or len(events) != 1 or len(times) != 1:
        raise InputError(
            "A structured y has two fields, a boolean event and a time, as in scikit-survival's Surv.from_arrays(event,"
            f" time). Got the fields {listed(kinds)}."
        )
    return y[times[0]].astype(float), y[events[0]]


def events_in(table: ValueTable) -> tuple[NDArray, NDArray] | None:
    """Return durations and events, if one of the two columns of a DataFrame is an event indicator; otherwise None.

    A column is one if it is boolean, or if it contains 0 and 1 and is named as one.
    """
    if table.names is None or len(table.names) != 2 or table.missing.any():
        return None
    for k, name in enumerate(table.names):
        column = table.values[:, k]
        words = set(re.findall("[a-z]+", re.sub("([a-z])([A-Z])", r"\1 \2", str(name)).lower()))
        flags = all(isinstance(value, bool | np.bool_) for value in column.tolist()) and len(column) > 0
        if flags or (words & EVENT_WORDS and set(column.tolist()) <= {0, 1}):
            return table.values[:, 1 - k].astype(float), column.astype(bool)
    return None


def durations_to_bounds(duration: Any, event: Any) -> NDArray:
    """Return (n, 2) bounds: the duration itself if the event was observed, otherwise at least the duration."""
    time, seen = np.asarray(duration, dtype=float), np.asarray(event)
    if time.ndim != 1 or time.shape != seen.shape:
        raise InputError(f"Durations and events must have one entry per row. Got {time.shape} and {seen.shape}.")
    bad = BadRows("event")
    for row in np.flatnonzero(~np.isin(seen, (0, 1))):
        bad.add(row, f"expected True or False, or 1 or 0, got {seen[row]!r}")
    bad.raise_if_any("An event is 1 if it was observed, and 0 if the duration is censored.")
    return np.column_stack([time, np.where(seen.astype(bool), time, math.inf)])


def right_censored(sets: Any, purpose: str) -> tuple[NDArray, NDArray]:
    """Return durations and events of sets that are values or [t, inf); raise an error about all other rows."""
    event = np.asarray(sets.is_exact)
    fits = (event | (np.isfinite(sets.lowest) & np.isposinf(sets.highest))) & (np.diff(sets.indptr) == 1)
    bad = BadRows("y")
    for row in np.flatnonzero(~fits):
        bad.add(row, f"{sets.format(row)} is neither a value nor right-censored")
    bad.raise_if_any(f"{purpose} needs values and right-censored times, such as (5, inf).")
    return sets.lowest, event


def concordant_pairs(sets: Any, z: NDArray, w: NDArray) -> tuple[float, float]:
    """Return the weight of pairs whose predictions have the order of their intervals, and that of all ordered pairs.

    Two intervals are ordered if one ends before the other begins, or where it begins. Equal values are not ordered.
    Pairs with equal predictions count one half.
    """
    low, high = sets.lowest, sets.highest
    right = total = 0.0
    for rows in gen_batches(len(z), max(1, PAIRS // max(1, len(z)))):
        before = (high[rows, None] <= low[None]) & ~((low[rows, None] == low[None]) & (high[rows, None] == high[None]))
        pairs = np.where(before, w[rows, None] * w[None], 0.0)
        total += pairs.sum()
        right += (pairs * ((z[rows, None] < z[None]) + 0.5 * (z[rows, None] == z[None]))).sum()
    return float(right), float(total)


def censoring_survival(duration: NDArray, event: NDArray, at: NDArray) -> NDArray:
    """Return the Kaplan-Meier estimate of the probability that a time is censored after `at`.

    At equal times, events come before censoring.
    """
    times = np.unique(duration[~event])
    at_risk = np.array([(duration > t).sum() + ((duration == t) & ~event).sum() for t in times], dtype=float)
    censored = np.array([((duration == t) & ~event).sum() for t in times], dtype=float)
    curve = np.concatenate([[1.0], np.cumprod(1 - censored / at_risk)])
    return curve[np.searchsorted(times, at, side="right")]
