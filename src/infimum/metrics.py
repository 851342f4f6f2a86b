"""Scores of predictions against sets, for regression and rankings.

They accept y in all formats that the estimators accept, and can be used in ``sklearn.metrics.make_scorer``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .data.containers import materialise
from .data.errors import BadRows, InputError, listed, shown
from .data.names import Names, ordered, unpacked
from .data.shared_docs import SharedDocs
from .loss import SetLoss
from .outputs import PartialOrders, Rankings, Reals, Sets, Vectors
from .outputs.numbers import errors, survival
from .solvers import choose

__all__ = [
    "brier_score",
    "concordance",
    "covering_rate",
    "kendall_tau",
    "mean_squared_distance",
    "r2",
    "r2_range",
    "rmse_range",
    "wrong_pairs",
]  # fmt: skip


SCORES = SharedDocs("""
y : n intervals or numbers
    Targets, in any format that :class:`~infimum.PartialRegressor` accepts.
z : (n,) or (n, m)
    Predictions.
sample_weight : (n,), optional
    Weights of the rows. A pair of rows counts by their product.
""")
EMPTY = "There are no predictions, so there is nothing to score. Pass at least one row."


@SCORES
def mean_squared_distance(y: Any, z: Any, sample_weight: Any = None) -> float:
    """Compute the mean squared distance of predictions to their sets; for exact values, the mean squared error.

    Unlabelled rows do not count.

    Parameters
    ----------
    y, z, sample_weight : shared

    Examples
    --------
    >>> mean_squared_distance([(0, 1), (2, float("inf")), 5.0], [1.5, 1.0, 5.0])
    0.4166...
    """
    sets, z, w = _labelled(*_sets(y, z), sample_weight)
    return float(np.average(sets.distance(z) ** 2, weights=w))


@SCORES
def covering_rate(y: Any, z: Any, sample_weight: Any = None) -> float:
    """Compute the covering rate, the share of predictions that lie in their sets.

    Unlabelled rows do not count.

    Parameters
    ----------
    y, z, sample_weight : shared

    Examples
    --------
    >>> covering_rate([(0, 1), (2, float("inf")), 5.0, None], [1.5, 3.0, 5.0, 0.0])
    0.666...
    """
    sets, z, w = _labelled(*_sets(y, z), sample_weight)
    return float(np.average(sets.contains(z), weights=w))


@SCORES
def r2(y: Any, z: Any, sample_weight: Any = None) -> float:
    """Compute R² against the best constant prediction.

    It is 1 - sum_i d(z_i, S_i)² / min_c sum_i d(c, S_i)². For exact values c is their mean, and this is R². If one
    constant lies in every set, the score is 1 if all predictions lie in their sets and 0 otherwise, as in scikit-learn
    for constant values. A prediction on the border of a set lies in it, up to rounding. Unlabelled rows do not count.

    Parameters
    ----------
    y, z, sample_weight : shared

    Examples
    --------
    >>> r2([1.0, 2.0, 3.0], [1.0, 2.0, 2.0]), r2([(0, 1), (2, 3)], [0.5, 2.0]), r2([(0, 0.3)], [0.1 + 0.2])
    (0.5, 1.0, 1.0)
    """
    sets, z, w = _labelled(*_sets(y, z), sample_weight)
    space = (Vectors() if z.ndim == 2 else Reals()).fit(sets)
    L = SetLoss(space, space.read(sets))
    constant = choose("auto", L).fit(L).argmin(w[None])
    left, total = (
        float(w @ np.where(sets.contains(at), 0, sets.distance(at) ** 2))
        for at in (z, np.repeat(constant, len(sets), axis=0))
    )
    if total == 0:
        return float(left == 0)
    return 1 - left / total


@SCORES
def rmse_range(y: Any, z: Any, sample_weight: Any = None) -> tuple[float, float]:
    """Compute the lowest and the highest root mean squared error that the sets allow.

    The two are equal if y contains values. The highest is infinite if an interval is one-sided. Unlabelled rows do not
    count.

    Parameters
    ----------
    y : shared
    z : (n,)
        Predictions.
    sample_weight : shared

    Returns
    -------
    (float, float)
        The error if each value is as close to its prediction as its set allows, and if it is as far.

    Examples
    --------
    >>> rmse_range([1.0, 2.0], [1.0, 4.0]), rmse_range([(0, 2), (3, 7)], [1.0, 5.0])
    ((1.414..., 1.414...), (0.0, 1.581...))
    """
    return errors.rmse_range(*_values(y, z, sample_weight))


@SCORES
def r2_range(y: Any, z: Any, sample_weight: Any = None) -> tuple[float, float]:
    """Compute the lowest and the highest R² that the sets allow.

    The two are equal if y contains values. Otherwise the true values, which lie somewhere in their sets, have an R² in
    this range. Unions of intervals count as the interval around them. Unlabelled rows do not count.

    Parameters
    ----------
    y : shared
    z : (n,)
        Predictions.
    sample_weight : shared

    Returns
    -------
    (float, float)
        The lowest and the highest value; found by a numerical search, to about three digits.

    Examples
    --------
    >>> r2_range([1.0, 2.0, 3.0], [1.0, 2.0, 2.0])
    (0.5, 0.5)
    >>> low, high = r2_range([(0, 2), (4, 6), (8, 10)], [1.0, 5.0, 9.0])
    >>> round(low, 2), high
    (0.84, 1.0)
    """
    return errors.r2_range(*_values(y, z, sample_weight))


@SCORES
def concordance(y: Any, z: Any, sample_weight: Any = None) -> float:
    """Compute the concordance index of predicted times, for any censoring.

    Two rows are comparable if one interval ends before the other begins, or where it begins. The index is the share of
    comparable pairs whose predictions have the same order; equal predictions count one half. For values and
    right-censored times this is Harrell's index. Pass predicted times, or minus a predicted risk.

    Parameters
    ----------
    y : shared
    z : (n,)
        Predictions.
    sample_weight : shared

    References
    ----------
    Harrell, Califf, Pryor, Lee and Rosati (1982), Evaluating the yield of medical tests.

    Examples
    --------
    >>> concordance([1.0, (2, 3), (4, None)], [0.5, 2.5, 2.0])
    0.666...
    """
    right, total = survival.concordant_pairs(*_values(y, z, sample_weight))
    if total == 0:
        raise InputError("No two rows of y are comparable, because all intervals overlap. Pass narrower intervals.")
    return right / total


def brier_score(y: Any, probability: Any, times: Any, y_train: Any = None) -> NDArray:
    """Compute the Brier score of survival probabilities for right-censored times.

    The squared error of P(T > t | x) is weighted by the inverse probability of censoring, which is estimated by
    Kaplan-Meier. Rows that were censored before t do not count themselves; the weights of the others replace them.

    Parameters
    ----------
    y : n values and right-censored times
        Targets, in any format that :class:`~infimum.PartialRegressor` accepts; other intervals raise an error.
    probability : (n, k)
        Predicted probabilities of surviving each time.
    times : (k,)
        Times t.
    y_train : values and right-censored times, optional
        The rows from which the distribution of censoring is estimated; y by default.

    Returns
    -------
    (k,) array
        The score at each time; 0 is perfect, and 0.25 is the score of the constant 1/2.

    References
    ----------
    Graf, Schmoor, Sauerbrei and Schumacher (1999), Assessment and comparison of prognostic classification schemes.

    Examples
    --------
    >>> brier_score([1.0, 3.0, (2, None)], [[0.2], [0.9], [0.8]], [2.5]).round(4)
    array([0.02])
    """
    duration, event = survival.right_censored(Reals.unscaled(y), "The Brier score")
    train = survival.right_censored(Reals.unscaled(y if y_train is None else y_train), "The Brier score")
    t, P = np.atleast_1d(np.asarray(times, dtype=float)), np.asarray(probability, dtype=float)
    if P.shape != (len(duration), len(t)):
        raise InputError(f"probability must have shape ({len(duration)}, {len(t)}). Got shape {P.shape}.")
    at_event = survival.censoring_survival(*train, duration)[:, None]
    at_time = survival.censoring_survival(*train, t)
    failed, alive = (duration[:, None] <= t) & event[:, None], duration[:, None] > t
    if (at_event[failed.any(axis=1)] <= 0).any() or (at_time[alive.any(axis=0)] <= 0).any():
        raise InputError("Every time after the last of `times` is censored. Pass times before the largest event time.")
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(failed, P**2 / at_event, np.where(alive, (1 - P) ** 2 / at_time, 0.0))
    return found.mean(axis=0)


def _values(y: Any, z: Any, sample_weight: Any) -> tuple[Any, NDArray, NDArray]:
    """Return the labelled rows of y, z and the weights, for regression of one number."""
    sets, z = _sets(y, z)
    if z.ndim != 1:
        raise InputError(f"The predictions must be one number per row, shape (n,). Got shape {z.shape}.")
    return _labelled(sets, z, sample_weight)


def _labelled(sets: Any, z: NDArray, sample_weight: Any) -> tuple[Any, NDArray, NDArray]:
    """Return the labelled rows of sets, predictions and weights."""
    w = _weights(sample_weight, len(z))
    labelled = ~sets.is_unlabelled
    if labelled.all():
        return sets, z, w
    if not w[labelled].any():
        raise InputError(
            f"Scores require labelled rows. Got {len(z)} rows of y, and every number is possible for each of them."
            " Pass rows with labels."
        )
    rows = np.flatnonzero(labelled)
    return sets[rows], z[rows], w[rows]


def _weights(sample_weight: Any, n: int) -> NDArray:
    """Return one weight per row; weights must be finite, not negative and not all 0."""
    if sample_weight is None:
        return np.ones(n)
    try:
        w = np.asarray(sample_weight, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"sample_weight must be numbers. Got {shown(sample_weight)}.") from None
    if w.shape != (n,):
        raise InputError(f"sample_weight must have one number for each of the {n} rows. Got shape {w.shape}.")
    bad = BadRows("sample_weight")
    for row in np.flatnonzero(~(np.isfinite(w) & (w >= 0))):
        bad.add(row, f"expected a number >= 0, got {w[row]:g}")
    bad.raise_if_any("A row of weight 0 is left out, one of weight 2 counts twice.")
    if not w.any():
        raise InputError("sample_weight is 0 in every row: there is nothing to score.")
    return w / w.max()  # means do not change, and sums do not overflow


def _numbers(z: Any) -> NDArray:
    """Return predictions as an array of finite numbers."""
    try:
        out = np.asarray(z, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"The predictions must be numbers. Got {shown(z)}.") from None
    if out.ndim not in (1, 2):
        raise InputError(f"The predictions must have shape (n,), or (n, m) for vectors. Got shape {out.shape}.")
    if not len(out):
        raise InputError(EMPTY)
    bad = BadRows("the predictions")
    for row in np.flatnonzero(~np.isfinite(out.reshape(len(out), -1)).all(axis=1)):
        bad.add(row, f"expected finite numbers, got {shown(out[row])}")
    bad.raise_if_any("Predictions are points, not sets.")
    return out


def _sets(y: Any, z: Any) -> tuple[Any, NDArray]:
    """Return y as sets and z as numbers, of the same length."""
    z = _numbers(z)
    if not isinstance(y, Sets):
        space = Vectors() if z.ndim == 2 else Reals()
        y = space.unscaled(y)
    if z.ndim == 2 and getattr(y, "m", None) != z.shape[1]:
        raise InputError(f"y has {getattr(y, 'm', 1)} coordinates and the predictions have {z.shape[1]}.")
    if len(y) != len(z):
        raise InputError(f"y has {len(y)} rows and the predictions have {len(z)}: they must have the same number.")
    return y, z


def wrong_pairs(y: Any, z: Any, *, items: Any = None, sample_weight: Any = None) -> float:
    """Compute the mean share of the known pairs of items that predicted rankings have in the wrong order.

    Rows without a known pair are left out.

    Parameters
    ----------
    y : n partial or full orders
        Targets, in any format that :class:`~infimum.PartialRanker` accepts.
    z : (n, m) array
        Predicted rankings, best first.
    items : list, optional
        The items in the order of the columns of y, if y is an array of ranks or codes; sorted by default.
    sample_weight : (n,) array, optional
        Weights of the rows.

    Examples
    --------
    >>> wrong_pairs(["a>b>c", "c>b", None], [["a", "c", "b"], ["b", "a", "c"], ["a", "b", "c"]])
    0.666...
    """
    sets, orders = _orders(y, z, items)
    known = sets.n_known > 0
    if not known.any():
        raise InputError("No row of y contains a comparison of two items, so there is nothing to score.")
    weights = _weights(sample_weight, len(orders))[known]
    if not weights.sum() > 0:
        raise InputError("All rows of y with a comparison have weight 0, so there is nothing to score.")
    return float(np.average(1 - sets.agreement(orders)[known], weights=weights))


def kendall_tau(y: Any, z: Any, *, items: Any = None, sample_weight: Any = None) -> float:
    """Compute the mean of Kendall's tau, (right - wrong) / known pairs, over the rows with a known pair.

    Parameters
    ----------
    y : n partial or full orders
        Targets, in any format that :class:`~infimum.PartialRanker` accepts.
    z : (n, m)
        Predicted rankings, best first.
    items : list, optional
        All items, if y does not contain all of them.
    sample_weight : (n,), optional
        Weights of the rows.

    Examples
    --------
    >>> kendall_tau(["a>b>c"], [["a", "c", "b"]])
    0.333...
    """
    return 1 - 2 * wrong_pairs(y, z, items=items, sample_weight=sample_weight)


def _orders(y: Any, z: Any, items: Any) -> tuple[PartialOrders, NDArray]:
    """Return y as sets, and z as orders of 0 … m-1."""
    z = np.asarray(z)
    if not len(z):
        raise InputError(EMPTY)
    if z.ndim != 2:
        raise InputError(f"z must contain orders of m items, shape (n, m). Got shape {z.shape}.")
    names = Names(ordered(unpacked(z[0])) if items is None else items, "items")
    orders = np.empty(z.shape, dtype=int)
    bad = BadRows("z")
    for row, order in enumerate(z.tolist()):
        found = [names.find(item) for item in order]
        if None in found or sorted(found) != list(range(len(names))):  # type: ignore[type-var]
            bad.add(row, f"Row {row} of z must contain every item once, got {shown(order)}")
        else:
            orders[row] = found
    bad.raise_if_any(f"The items are {listed(names.list)}.")
    y = materialise(y)
    sets = Rankings(names.list).fit(y).read(y)
    if len(sets) != len(z):
        raise InputError(f"y has {len(sets)} rows and z has {len(z)}: they must have the same number.")
    return sets, orders
