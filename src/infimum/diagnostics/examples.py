"""The paper's worked examples, as exact fractions."""

from collections.abc import Callable
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._checks import fractions, numbers


class Example(NamedTuple):
    """A loss, a weak distribution, and the truth y of the supervised problem behind it."""

    cost: NDArray[Any]
    sets: NDArray[np.bool_]
    p: NDArray[Any]
    y: int


_COST = ((0, 1, 1), (1, 0, 2), (1, 2, 0))


def pointwise_example() -> Example:
    """Y = {a, b, c}, l(a, b) = l(a, c) = 1, l(b, c) = 2; truth c, of which only the infimum loss finds c.

    tau({a, b, c}) = 5/8 and tau({c}) = tau({a, c}) = tau({b, c}) = 1/8.

    References
    ----------
    Sec. 4.1, Fig. inconsistency.

    Examples
    --------
    >>> from infimum.diagnostics import pointwise_example, set_risk
    >>> cost, sets, p, y = pointwise_example()
    >>> y, [int(set_risk(cost, sets, p, rule).argmin()) for rule in ("infimum", "average", "supremum")]
    (2, [2, 0, 0])
    """
    sets = np.array([[1, 1, 1], [0, 0, 1], [1, 0, 1], [0, 1, 1]], dtype=bool)
    return Example(fractions(_COST), sets, fractions([5, 1, 1, 1]) / 8, 2)


def signed_example() -> Example:
    """The same loss and truth with an estimated, signed tau: disambiguation leaves the simplex and still predicts c.

    tau({a, b}) = tau({c}) = 1/2, tau({a, c}) = 1/4, tau({a, b, c}) = -1/4. The region R_tau has five vertices,
    three of them outside the simplex, and E is minimal at rho = (1/2, -1/4, 3/4), in the decision region of c. This is
    the joint reading of a negative weight; under the inside reading a and c tie at risk 1/2.

    References
    ----------
    App. A.6, remark "Illustrating the consistency in a discrete setting", Fig. consistency.

    Examples
    --------
    >>> from infimum.diagnostics import set_risk, signed_example
    >>> cost, sets, p, y = signed_example()
    >>> print(*set_risk(cost, sets, p, reading="joint"), "|", *set_risk(cost, sets, p, reading="inside"))
    1/4 3/4 0 | 1/2 5/4 1/2
    """
    sets = np.array([[1, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1]], dtype=bool)
    return Example(fractions(_COST), sets, fractions([2, 2, 1, -1]) / 4, 2)


def average_counterexample(cost: ArrayLike) -> Example:
    """A non-ambiguous tau with truth c on which the average loss prefers a to c.

    It exists for every symmetric loss with discrepancy: where l(b, c) > l(a, b), take tau = lam δ_{c} +
    (1 - lam) δ_{a, b, c} with

        lam = 1/2 · gap / (3 l(a, c) + gap),    gap = l(b, c) - l(a, b),

    since R_ac(c) - R_ac(a) = (1 - lam)/3 · gap - lam l(a, c). The triple with the largest lam is taken.

    Parameters
    ----------
    cost : (m, m) array
        Symmetric, zero on the diagonal.

    Returns
    -------
    Example

    Notes
    -----
    The printed lam, 1/2 · eps / (3 l(a, b) + eps) with eps = gap / l(a, b), is too large where l(a, b) is small.

    References
    ----------
    App. A.7 (other losses).

    Examples
    --------
    >>> from infimum.diagnostics import average_counterexample, set_risk
    >>> cost, sets, p, y = average_counterexample([[0, 1, 1], [1, 0, 2], [1, 2, 0]])
    >>> y, int(set_risk(cost, sets, p, "average").argmin()), int(set_risk(cost, sets, p).argmin())
    (2, 0, 2)
    """
    (loss,) = numbers(cost)

    def bound(a: int, b: int, c: int) -> Any:
        gap = loss[b, c] - loss[a, b]
        return gap / (3 * loss[a, c] + gap) if gap > 0 else 0 * gap

    return _counterexample(loss, bound, truth=2, reason="all l(z, y) with z != y are equal")


def supremum_counterexample(cost: ArrayLike) -> Example:
    """A non-ambiguous tau with truth b on which the supremum loss prefers a to b.

    Where the farthest of {a, b, c} is farther from b than from a, take tau = lam δ_{b} + (1 - lam) δ_{a, b, c} with

        lam = 1/2 · gap / (gap + l(a, b)),    gap = max(l(a, b), l(b, c)) - max(l(a, b), l(a, c)),

    since R_sp(b) - R_sp(a) = (1 - lam) gap - lam l(a, b). The triple with the largest lam is taken.

    Parameters
    ----------
    cost : (m, m) array
        Symmetric, zero on the diagonal.

    Returns
    -------
    Example

    Notes
    -----
    There is none of this form when the two longest sides of every triple are equal, that is, for an ultrametric.

    References
    ----------
    App. A.7 (other losses).

    Examples
    --------
    >>> from infimum.diagnostics import set_risk, supremum_counterexample
    >>> cost, sets, p, y = supremum_counterexample([[0, 1, 1], [1, 0, 2], [1, 2, 0]])
    >>> y, int(set_risk(cost, sets, p, "supremum").argmin()), int(set_risk(cost, sets, p).argmin())
    (1, 0, 1)
    """
    (loss,) = numbers(cost)

    def bound(a: int, b: int, c: int) -> Any:
        gap = max(loss[a, b], loss[b, c]) - max(loss[a, b], loss[a, c])
        return gap / (gap + loss[a, b]) if gap > 0 else 0 * gap

    return _counterexample(loss, bound, truth=1, reason="the two longest sides of every triple are equal")


def _counterexample(loss: NDArray, bound: Callable[[int, int, int], Any], truth: int, reason: str) -> Example:
    """tau = lam δ_{y} + (1 - lam) δ_{a, b, c} with lam half its bound, for the triple that allows the largest."""
    if loss.ndim != 2 or loss.shape[0] != loss.shape[1] or (loss != loss.T).any() or loss.diagonal().any():
        raise ValueError("cost must be a symmetric (m, m) array with a zero diagonal")
    triples = list(permutations(range(len(loss)), 3))
    best = max(triples, key=lambda triple: bound(*triple), default=None)
    if best is None or not bound(*best) > 0:
        raise ValueError(f"no counterexample: {reason if triples else 'it takes at least three outputs'}")
    lam, y = bound(*best) / 2, best[truth]
    sets = np.array([[i == y for i in range(len(loss))], [i in best for i in range(len(loss))]])
    return Example(loss, sets, np.array([lam, 1 - lam], dtype=loss.dtype), y)
