"""The paper's worked examples, as exact fractions."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .checks import fractions


class Example(NamedTuple):
    """A loss, a weak distribution, and the true label y of the supervised problem."""

    cost: NDArray[Any]
    sets: NDArray[np.bool_]
    p: NDArray[Any]
    y: int


_COST = ((0, 1, 1), (1, 0, 2), (1, 2, 0))


def pointwise_example() -> Example:
    """Return the pointwise example, in which only the infimum loss finds the true label.

    Y = {a, b, c}, l(a, b) = l(a, c) = 1, l(b, c) = 2, and the true label is c. tau({a, b, c}) = 5/8 and
    tau({c}) = tau({a, c}) = tau({b, c}) = 1/8.

    References
    ----------
    Sec. 4.1, Fig. inconsistency.

    Examples
    --------
    >>> from infimum.paper.theory import pointwise_example, set_risk
    >>> cost, sets, p, y = pointwise_example()
    >>> y, [int(set_risk(cost, sets, p, rule).argmin()) for rule in ("infimum", "average", "supremum")]
    (2, [2, 0, 0])
    """
    sets = np.array([[1, 1, 1], [0, 0, 1], [1, 0, 1], [0, 1, 1]], dtype=bool)
    return Example(fractions(_COST), sets, fractions([5, 1, 1, 1]) / 8, 2)


def signed_example() -> Example:
    """Return the example of an estimated, signed tau, with the loss and the true label of `pointwise_example`.

    tau({a, b}) = tau({c}) = 1/2, tau({a, c}) = 1/4, tau({a, b, c}) = -1/4. The region R_tau has five vertices,
    three of them outside the simplex, and E is minimal at rho = (1/2, -1/4, 3/4), in the decision region of c. This is
    ``negative_weights="joint"``; with "inside", a and c tie at risk 1/2.

    References
    ----------
    App. A.6, remark "Illustrating the consistency in a discrete setting", Fig. consistency.

    Examples
    --------
    >>> from infimum.paper.theory import set_risk, signed_example
    >>> cost, sets, p, y = signed_example()
    >>> for kind in ("joint", "inside"):
    ...     print(*set_risk(cost, sets, p, negative_weights=kind))
    1/4 3/4 0
    1/2 5/4 1/2
    """
    sets = np.array([[1, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1]], dtype=bool)
    return Example(fractions(_COST), sets, fractions([2, 2, 1, -1]) / 4, 2)
