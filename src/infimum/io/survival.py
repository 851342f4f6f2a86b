"""Censored times in the formats of lifelines, scikit-survival, SciPy, XGBoost and pandas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.errors import BadRows
from ..outputs import Intervals, Reals
from ..outputs.numbers.survival import durations_to_bounds, right_censored


def from_durations(duration: Any, event: Any) -> Intervals:
    """Return durations and event indicators, as lifelines has them, as intervals.

    Parameters
    ----------
    duration : (n,)
        The time of the event, or of the last observation.
    event : (n,) of booleans, or of 0 and 1
        Whether the event was observed. If not, the time is right-censored: it is at least the duration.

    Returns
    -------
    Intervals
        The y of :class:`~infimum.PartialRegressor`.

    Examples
    --------
    >>> from_durations([3.0, 5.0], [True, False]).format(1)
    '≥ 5'
    """
    return Intervals(durations_to_bounds(duration, event))


def from_censored_data(data: Any) -> Intervals:
    """Return `scipy.stats.CensoredData` as intervals, in SciPy's order of rows.

    CensoredData stores uncensored values first, then left-, right- and interval-censored ones. The rows of X must have
    the same order.

    Parameters
    ----------
    data : scipy.stats.CensoredData
        Observations of one variable.

    Returns
    -------
    Intervals

    Examples
    --------
    >>> from scipy.stats import CensoredData
    >>> sets = from_censored_data(CensoredData(uncensored=[1, 2], left=[0.5], right=[7], interval=[[3, 4]]))
    >>> [sets.format(row) for row in range(5)]
    ['1', '2', '≤ 0.5', '≥ 7', '[3, 4]']
    """
    kinds = ("_uncensored", "_left", "_right")  # SciPy has no public names for them
    exact, left, right = (np.asarray(getattr(data, kind), dtype=float) for kind in kinds)
    both = np.asarray(data._interval, dtype=float).reshape(-1, 2)
    lower = np.concatenate([exact, np.full(len(left), -math.inf), right, both[:, 0]])
    upper = np.concatenate([exact, left, np.full(len(right), math.inf), both[:, 1]])
    return Intervals(np.column_stack([lower, upper]))


def to_durations(y: Any) -> tuple[NDArray, NDArray]:
    """Return values and right-censored times as lifelines expects them: durations and event indicators.

    Parameters
    ----------
    y : n intervals or numbers
        Values and one-sided intervals such as ``(5, inf)``, in any format that :class:`~infimum.PartialRegressor`
        accepts. Other intervals raise an error that names their rows.

    Returns
    -------
    duration : (n,)
        Times.
    event : (n,) boolean
        Whether the event was observed.

    Examples
    --------
    >>> to_durations([3.0, (5, None)])
    (array([3., 5.]), array([ True, False]))
    """
    return right_censored(Reals.unscaled(y), "The format (duration, event)")


def to_survival(y: Any) -> NDArray:
    """Return values and right-censored times as scikit-survival expects them: a structured array.

    Parameters
    ----------
    y : n intervals or numbers
        Values and right-censored times, in any format of :class:`infimum.PartialRegressor`.

    Returns
    -------
    (n,) structured array
        With the fields "event" and "time".

    Examples
    --------
    >>> to_survival([3.0, (5, None)])["time"]
    array([3., 5.])
    """
    duration, event = to_durations(y)
    found = np.empty(len(duration), dtype=[("event", bool), ("time", float)])
    found["event"], found["time"] = event, duration
    return found


def to_bounds(y: Any) -> dict[str, NDArray]:
    """Return intervals as XGBoost expects them for ``objective="survival:aft"``.

    Parameters
    ----------
    y : n intervals or numbers
        In any format that :class:`~infimum.PartialRegressor` accepts, except unions of intervals.

    Returns
    -------
    dict of (n,) arrays
        With the keys "label_lower_bound" and "label_upper_bound": ``xgboost.DMatrix(X, **to_bounds(y))``.

    Examples
    --------
    >>> to_bounds([3.0, (5, None)])["label_upper_bound"]
    array([ 3., inf])
    """
    sets = _single(Reals.unscaled(y))
    return {"label_lower_bound": sets.lowest, "label_upper_bound": sets.highest}


def to_censored_data(y: Any) -> Any:
    """Return intervals as `scipy.stats.CensoredData`, which sorts the rows by their kind of censoring.

    Parameters
    ----------
    y : n intervals or numbers
        Values and intervals, in any format of :class:`infimum.PartialRegressor`, without unions. Unlabelled rows
        contain no observation and are left out.

    Returns
    -------
    scipy.stats.CensoredData

    Examples
    --------
    >>> to_censored_data([1.0, (5, None), (2, 3)]).num_censored()
    2
    """
    from scipy.stats import CensoredData

    sets = _single(Reals.unscaled(y))
    low, high = sets.lowest, sets.highest
    exact, below, above = low == high, np.isneginf(low) & np.isfinite(high), np.isposinf(high) & np.isfinite(low)
    rest = ~(exact | below | above) & ~np.asarray(sets.is_unlabelled)
    return CensoredData(low[exact], left=high[below], right=low[above], interval=np.column_stack([low, high])[rest])


def to_interval_array(y: Any) -> Any:
    """Return intervals as an `IntervalArray` of pandas with closed ends.

    Parameters
    ----------
    y : n intervals or numbers
        Values and intervals, in any format of :class:`infimum.PartialRegressor`, without unions.

    Returns
    -------
    pandas.arrays.IntervalArray

    Examples
    --------
    >>> to_interval_array([1.0, (2, 3)])[1]
    Interval(2.0, 3.0, closed='both')
    """
    import pandas

    sets = _single(Reals.unscaled(y))
    return pandas.arrays.IntervalArray.from_arrays(sets.lowest, sets.highest, closed="both")


def _single(sets: Intervals) -> Intervals:
    """Return the sets; raise an error about rows that are unions of several intervals."""
    bad = BadRows("y")
    for row in np.flatnonzero(np.diff(sets.indptr) > 1).tolist():
        bad.add(row, f"{sets.format(row)} is a union of several intervals")
    bad.raise_if_any("Other libraries have one interval per row: use the interval around the union.")
    return sets
