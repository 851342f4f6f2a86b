"""Candidate classes from exact classes."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state, column_or_1d

from ._checks import Seed, level


def uniform(
    y: ArrayLike, c: float, *, classes: ArrayLike | None = None, random_state: Seed = None
) -> NDArray[np.bool_]:
    """Add each wrong class to the candidates with probability c.

    P(z in S | y) = c for z != y.

    Parameters
    ----------
    y : (n,) labels
    c : float in [0, 1]
        0 gives exact labels, 1 gives sets of all classes.
    classes : (m,) labels, optional
        Columns of the result; the sorted labels of y by default.
    random_state : int, RandomState or None

    Returns
    -------
    candidates : (n, m) booleans

    References
    ----------
    App. B.1.3, Fig. cl:uniform.

    Examples
    --------
    >>> uniform(["cat", "dog", "cow"], 0.0)
    array([[ True, False, False],
           [False, False,  True],
           [False,  True, False]])
    >>> uniform([0, 1, 2], 0.5, random_state=0)
    array([[ True, False, False],
           [False,  True, False],
           [ True, False,  True]])
    """
    truth = _one_hot(y, classes)
    return truth | (check_random_state(random_state).uniform(size=truth.shape) < level(c))


def skewed(
    y: ArrayLike, c: float, *, frequent: object = None, classes: ArrayLike | None = None, random_state: Seed = None
) -> NDArray[np.bool_]:
    """Add wrong classes to the candidates of the most frequent class only.

    P(z' in S | y = z) = c · 1[z is the most frequent class] for z' != z. The rows of other classes keep exact labels.

    Parameters
    ----------
    y, c, classes, random_state
        As in `uniform`.
    frequent : label, optional
        The class whose rows get more candidates; by default the most frequent class of y, the first one if several are.

    Returns
    -------
    candidates : (n, m) booleans

    References
    ----------
    App. B.1.3, Fig. libsvm.

    Examples
    --------
    >>> skewed([0, 1, 1, 2], 1.0)
    array([[ True, False, False],
           [ True,  True,  True],
           [ True,  True,  True],
           [False, False,  True]])
    """
    given = column_or_1d(y)
    if frequent is None:
        labels, counts = np.unique(given, return_counts=True)
        frequent = labels[counts.argmax()]
    extended = uniform(given, c, classes=classes, random_state=random_state)
    return np.where((given == frequent)[:, None], extended, _one_hot(given, classes))


def _one_hot(y: ArrayLike, classes: ArrayLike | None) -> NDArray[np.bool_]:
    given = column_or_1d(y)
    columns = np.unique(given) if classes is None else column_or_1d(classes)
    truth = given[:, None] == columns
    unknown = np.flatnonzero(~truth.any(axis=1))
    if unknown.size:
        row = unknown[0]
        raise ValueError(f"row {row}: label {given[row].item()!r} is not one of the classes {columns.tolist()}")
    return truth
