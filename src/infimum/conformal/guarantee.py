"""Coverage, the guarantee of a prediction set as a sentence, and radii for other guarantees on labels."""

from __future__ import annotations

import math
import warnings
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.errors import InfimumWarning
from ..outputs.score import rank_of

CHECKED = 100
"""Calibration rows of which the prediction sets are computed to find out whether most of them contain every output."""

MOST = 0.8
"""Share of prediction sets with all outputs above which a warning is issued."""

NOT_WHICH = "it does not say which member of that set is the true value"


class Coverage(NamedTuple):
    """Coverage on partially labelled rows: at least `holds` and at most `meets` of the true values are covered."""

    meets: float
    """The share of rows, or of whole sequences, whose sets share a member with their prediction sets."""
    holds: float
    """The share of those whose sets lie within their prediction sets; equal to `meets` on exact rows."""
    size: float
    """The mean size of the prediction sets."""
    n: int
    p_value: float
    """The probability of so small a `meets`, or a smaller one, if the guarantee holds; NaN except after a split."""


def guarantee(made: Any) -> str:
    """Return what a fitted `Conformal` guarantees, and the assumption behind it."""
    return fill(_sentence(made), 120)


def _sentence(made: Any) -> str:
    covers_set, units = made.covers == "set", made.unit_
    unit, exchangeable = units.removesuffix("s"), f"if calibration {units} and new {units} are exchangeable"
    subject, of = "the prediction set", "a new row"
    if units != "rows":  # all tokens of a sequence are covered at once
        subject, of = f"every prediction set of a new {unit}", "its row"
    what = f"{subject} {f'shares a member with the set of {of}' if covers_set else 'contains the true value'}"
    end = f"; {NOT_WHICH}" if covers_set else ""
    truth = "candidate sets contain the true value"
    if made.drawn_:
        truth = "the estimated probabilities of labels and answers are right"
    if made.cross_ is not None:
        less = f", less at most {made.cross_.excess:.3f} for its folds," if made.cross_.excess else ""
        drawn = f" and {truth}" if made.drawn_ else ""
        return (
            f"With probability at least {2 * made.confidence_level - 1:.4g}{less} {what}, if the"
            f" {units} and the new {unit} are exchangeable{drawn}; usually with about {made.confidence_level:g}{end}."
        )
    first = "With"
    if made.groups is not None:
        first = "For every class, with" if made.by_class else "In every group, with"
    head = f"{first} probability at least {made.confidence_level:g} {what}"
    if covers_set:
        return f"{head}, {exchangeable}{end}."
    if made.by_class:
        return f"{head} if that is the class, {exchangeable} and {truth}."
    if made.noise:
        return f"{head}, {exchangeable} and a set misses the true value with probability at most {made.noise:g}."
    if made.exact_only:
        return f"{head}, {exchangeable} and the exactly labelled {units} were chosen at random among them."
    if made.ambiguity is not None:
        return (
            f"{head}, {exchangeable}, candidate sets contain the true value, and every other class is a candidate with"
            f" probability at most {made.ambiguity:g}, whatever x and the true class are."
        )
    return f"{head}, {exchangeable} and {truth}."


def radius_of(scores: NDArray, level: float) -> float:
    """Return the radius that covers a new score with a given probability.

    P(s <= r) >= level for a new score s that is exchangeable with these n.

    It is the ceil((n + 1) level)-th smallest score. It is infinite if there are too few, n < level / (1 - level).

    Parameters
    ----------
    scores : (n,)
        Scores of held-out rows.
    level : float
        Between 0 and 1.

    Examples
    --------
    >>> radius_of(np.arange(1., 10.), .9), radius_of(np.arange(1., 9.), .9)
    (9.0, inf)
    """
    return rank_of(scores, (len(scores) + 1) * level)


def warn_if_everything(scores: NDArray, level: float, space: Any, units: str = "rows") -> None:
    """Warn if the prediction sets of all new rows contain every output.

    Parameters
    ----------
    scores : (n,)
        Scores of the calibration rows; they are infinite for sets without an end.
    level : float
        Between 0 and 1.
    space : OutputSpace
        Its parameters determine what can be done about it.
    units : str, default "rows"
        What is calibrated: "rows" or "sequences".
    """
    if math.isfinite(radius_of(scores, level)):
        return
    n, least = len(scores), math.ceil(level / (1 - level) - 1e-9)
    if n < least:
        why = (
            f"There are {n} calibration {units}, and confidence_level={level:g} requires at least {least}. Pass more"
            " labelled data, or a lower confidence_level."
        )
    else:
        unbounded, outside = int(np.isinf(scores).sum()), n - math.ceil((n + 1) * level - 1e-9)
        bounds = ", or bounds=(low, high) of the estimator if the range of y is known"
        why = (
            f"{unbounded} of the {n} calibration {units} have an unbounded set or no label, and confidence_level="
            f"{level:g} allows {outside}. Set covers='set'{bounds if 'bounds' in space.get_params(deep=False) else ''}."
        )
    warnings.warn(f"Every prediction set contains all outputs. {why}", InfimumWarning, stacklevel=4)


def warn_if_mostly_everything(score: Any, forecast: Any, radius: float, space: Any) -> None:
    """Warn if nearly all prediction sets of calibration rows contain every output, although the radius is finite."""
    some = forecast[:CHECKED]
    finite = len(some) and math.isfinite(radius)
    share = np.mean(score.within(some, np.full(len(some), radius), space).is_unlabelled) if finite else 0.0
    if share > MOST:
        warnings.warn(
            f"{share:.0%} of the prediction sets contain all outputs, because covers='truth' has to cover every member"
            " of the sets of the calibration rows. Set covers='set', which requires less, calibrate on rows with more"
            " complete labels, or lower confidence_level.",
            InfimumWarning,
            stacklevel=4,
        )


def radius_with_ambiguity(table: NDArray, mask: NDArray, level: float, ambiguity: float) -> tuple[float, int]:
    """Return a radius and a largest size with P(Y in C) >= level, if P(z in S | x, Y) <= ambiguity for z != Y.

    If C misses Y, the candidates hide this with probability at most ambiguity |C|, hence

        P(Y not in C) <= E[1[C and S are disjoint] / (1 - ambiguity |C|)].

    Sets are restricted to the K best classes, with K the largest number such that 1 - ambiguity K >= 1/4. The
    right-hand side is estimated on calibration rows, made monotone in the radius, and brought below 1 - level as in
    conformal risk control (Angelopoulos, Bates, Fisch, Lei and Schuster, 2024). If K classes do not suffice, the radius
    is infinite.
    """
    m = table.shape[1]
    most = m if ambiguity * m <= 0.75 else int(0.75 / ambiguity + 1e-9)
    scores = np.where(best_classes(table, most), table, np.inf)
    first = np.where(mask, scores, np.inf).min(axis=1)
    before = (scores < first[:, None]).sum(axis=1)  # the largest size at which C and S are still disjoint
    weight = 1 / (1 - ambiguity * np.minimum(before, most))
    allowed = (1 - level) * (len(table) + 1) - 1 / (1 - ambiguity * most)
    order = np.argsort(first)
    left = np.concatenate([np.cumsum(weight[order][::-1])[::-1], [0.0]])  # what is lost below the k-th
    if allowed < 0:
        return np.inf, most
    k = int(np.argmax(left <= allowed + 1e-9))
    return (float(first[order][k - 1]) if k else -np.inf), most


def best_classes(table: NDArray, most: int) -> NDArray:
    """Return the `most` smallest scores of each row, (n, m) boolean; among equal scores, the first."""
    rank = np.argsort(np.argsort(table, axis=1, kind="stable"), axis=1, kind="stable")
    return rank < most


def radius_by_class(table: NDArray, mask: NDArray, level: float) -> NDArray:
    """Return a radius for each class with P(Y in C | Y = y) >= level, from candidates: (n, m), (n, m) -> (m,).

    Of the N_y rows of class y, conformal prediction may leave e(N_y) = N_y - ceil((N_y + 1) level) outside. N_y is
    unknown, but at least n_y, the number of rows that are exactly {y}, and e increases. All rows of class y are among
    those that have y as a candidate. A radius that leaves e(n_y) of these candidates outside is therefore large enough.
    """
    exact = mask & (mask.sum(axis=1, keepdims=True) == 1)
    radius = np.full(mask.shape[1], np.inf)
    for y, n_y in enumerate(exact.sum(axis=0)):
        outside = n_y - np.ceil((n_y + 1) * level - 1e-9)
        if outside >= 0:
            scores = table[mask[:, y], y]
            radius[y] = rank_of(scores, len(scores) - outside)
    return radius
