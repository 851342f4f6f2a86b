"""Functions that turn exact labels into partial labels, for experiments and tests.

Each function accepts any data and is seeded by `random_state` as in scikit-learn. The true label is always in its set.
For a fixed seed, the sets grow with the level, except those of `make_hamming_balls`.

References
----------
Cabannes, Rudi and Bach (2020), Structured prediction with partial labelling through the infimum loss, Sec. 5, App. B.
"""

from typing import Literal

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Bunch, check_array, check_random_state, column_or_1d

Seed = int | RandomState | None


def make_candidate_sets(
    y: ArrayLike,
    p: float,
    *,
    kind: Literal["uniform", "skewed"] = "uniform",
    frequent: object = None,
    classes: ArrayLike | None = None,
    random_state: Seed = None,
) -> NDArray[np.bool_]:
    """Turn exact labels into candidate sets by adding wrong classes at random.

    Parameters
    ----------
    y : (n,) labels
        The true labels.
    p : float in [0, 1]
        The probability with which each wrong class is added: 0 gives exact labels, 1 gives sets of all classes.
    kind : {"uniform", "skewed"}, default="uniform"
        The rows that get candidates: all rows, or only the rows of one class. The other rows then keep exact labels.
    frequent : label, optional
        The class whose rows get candidates with ``kind="skewed"``. By default the most frequent class of y, the first
        one if several are.
    classes : (m,) labels, optional
        Columns of the result; the sorted labels of y by default.
    random_state : int, RandomState or None
        Seed of the random numbers.

    Returns
    -------
    candidates : (n, m) booleans
        Whether each class is a candidate of each row. The true label always is.

    References
    ----------
    App. B.1.3, Fig. cl:uniform and Fig. libsvm, where p is called c.

    Examples
    --------
    >>> make_candidate_sets(["cat", "dog", "cow"], 0.0)
    array([[ True, False, False],
           [False, False,  True],
           [False,  True, False]])
    >>> make_candidate_sets([0, 1, 2], 0.5, random_state=0)
    array([[ True, False, False],
           [False,  True, False],
           [ True, False,  True]])
    >>> make_candidate_sets([0, 1, 1, 2], 1.0, kind="skewed")
    array([[ True, False, False],
           [ True,  True,  True],
           [ True,  True,  True],
           [False, False,  True]])
    """
    if kind not in ("uniform", "skewed"):
        raise ValueError(f"kind must be 'uniform' or 'skewed'. Got {kind!r}.")
    if frequent is not None and kind == "uniform":
        raise ValueError("frequent is used by kind='skewed' only. Pass kind='skewed', or leave frequent out.")
    given = column_or_1d(y)
    truth = _one_hot(given, classes)
    extended = truth | (check_random_state(random_state).uniform(size=truth.shape) < _level(p, "p"))
    if kind == "uniform":
        return extended
    if frequent is None:
        labels, counts = np.unique(given, return_counts=True)
        frequent = labels[counts.argmax()]
    return np.where((given == frequent)[:, None], extended, truth)


def _one_hot(y: ArrayLike, classes: ArrayLike | None) -> NDArray[np.bool_]:
    given = column_or_1d(y)
    columns = np.unique(given) if classes is None else column_or_1d(classes)
    truth = given[:, None] == columns
    unknown = np.flatnonzero(~truth.any(axis=1))
    if unknown.size:
        row = unknown[0]
        raise ValueError(
            f"Row {row} has the label {given[row].item()!r}, which is not one of the classes {columns.tolist()}."
        )
    return truth


def drop_pairs(scores: ArrayLike, c: float) -> NDArray[np.int8]:
    """Remove the comparisons of items whose scores differ most.

    These are the pairs with d_ij > 1 - c, where d_ij = |v_i - v_j| / max_kl |v_k - v_l|.

    Parameters
    ----------
    scores : (n, m) array
        Larger is preferred; give minus the ranks for ranks.
    c : float in [0, 1]
        0 removes nothing, 1 everything.

    Returns
    -------
    codes : (n, m(m-1)/2) in {-1, 0, 1}
        One column per pair i < j in the order of ``np.triu_indices(m, 1)``: 1 when i comes before j, -1 when after,
        0 when dropped or tied.

    Notes
    -----
    The paper prints d_ij > c; its figure needs d_ij > 1 - c, since nothing is known at c = 1.

    References
    ----------
    App. B.2.3, Fig. rk:corruption.

    Examples
    --------
    >>> drop_pairs([[3.0, 2.0, 0.0]], 0.0)
    array([[1, 1, 1]], dtype=int8)
    >>> drop_pairs([[3.0, 2.0, 0.0]], 0.5)
    array([[1, 0, 0]], dtype=int8)
    """
    difference = _pairwise(scores)
    # max_kl |v_k - v_l|; if all scores are equal, all codes are 0
    spread = np.abs(difference).max(axis=1, keepdims=True, initial=0.0)
    distance = np.divide(np.abs(difference), spread, out=np.zeros_like(difference), where=spread > 0)
    return np.where(distance > 1 - _level(c, "c"), 0, np.sign(difference)).astype(np.int8)


def drop_pairs_at_random(scores: ArrayLike, share: float = 0.5, *, random_state: Seed = None) -> NDArray[np.int8]:
    """Remove each comparison with probability `share`, independently of the scores.

    Parameters
    ----------
    scores : (n, m) array
        Larger is preferred.
    share : float in [0, 1], default=0.5
        The probability with which each comparison is dropped.
    random_state : int, RandomState or None
        Seed of the random numbers.

    Returns
    -------
    codes : (n, m(m-1)/2) in {-1, 0, 1}
        The column of the pair i < j is 1 if i comes before j, -1 if it comes after, and 0 if it is dropped.

    References
    ----------
    App. B.2.3, Fig. ranking_reconstruction.

    Examples
    --------
    >>> drop_pairs_at_random([[3.0, 2.0, 0.0], [0.0, 1.0, 2.0]], random_state=0)
    array([[ 1,  1,  1],
           [-1,  0, -1]], dtype=int8)
    """
    codes = np.sign(_pairwise(scores)).astype(np.int8)
    return np.where(_lost(codes.shape, share, random_state), np.int8(0), codes)


def drop_items(ranks: ArrayLike, share: float, *, random_state: Seed = None) -> NDArray[np.float64]:
    """Remove each item from the ranking with probability `share`; its rank becomes NaN.

    Parameters
    ----------
    ranks : (n, m) array
        The rank of each item, 1 is first.
    share : float in [0, 1]
        The probability with which each item is dropped.
    random_state : int, RandomState or None
        Seed of the random numbers.

    Returns
    -------
    ranks : (n, m) floats with NaN
        The rank of each item, 1 is first.

    References
    ----------
    Cheng, Hühn and Hüllermeier (2009), the "missing at random" protocol of label ranking.

    Examples
    --------
    >>> drop_items([[1, 2, 3], [3, 1, 2]], 0.5, random_state=0)
    array([[ 1.,  2.,  3.],
           [ 3., nan,  2.]])
    """
    given = check_array(ranks, dtype=np.float64, ensure_all_finite="allow-nan")
    return np.where(_lost(given.shape, share, random_state), np.nan, given)


def _pairwise(scores: ArrayLike) -> NDArray[np.float64]:
    """Return v_i - v_j for the pairs i < j."""
    v = check_array(scores, dtype=np.float64, ensure_min_features=2)
    i, j = np.triu_indices(v.shape[1], 1)
    return v[:, i] - v[:, j]


def make_lost_sign(n_samples: int = 100, *, random_state: Seed = None) -> Bunch:
    """Make the regression problem of the paper.

    y = 3 + sin 10x for x uniform on [0, 1]. The set is an interval [c - r, c + r], or with probability 0.7 its union
    with [-c - r, -c + r]. The half-width is r = 1/2 + E / 3 with E exponential, and the center is c = y + r U with U
    uniform on [-1, 1].

    With ``random_state=0`` these are the 100 rows of the authors' public code, draw for draw.

    Parameters
    ----------
    n_samples : int, default=100
        The number of rows.
    random_state : int, RandomState or None
        Seed of the random numbers.

    Returns
    -------
    Bunch
        `data` (n, 1), `target` (n,), the exact values, and `pieces` (n, 2, 2): row i is the union of the intervals
        ``pieces[i, k]`` = (lower, upper); if the sign is known the second is NaN. The two pieces may overlap around 0.

    Notes
    -----
    The paper does not contain the distribution of the intervals; its constants are those of the authors' public code
    (github.com/VivienCabannes/partial_labelling, first version of notebooks/partial_regression.ipynb).

    References
    ----------
    Sec. 5.3, Fig. interval-regression.

    Examples
    --------
    >>> problem = make_lost_sign(random_state=0)
    >>> problem.pieces[:2].round(2)
    array([[[ 1.18,  2.79],
            [-2.79, -1.18]],
    <BLANKLINE>
           [[ 3.11,  4.15],
            [-4.15, -3.11]]])
    """
    rng = check_random_state(random_state)
    x = rng.uniform(size=n_samples)
    y = 3 + np.sin(10 * x)
    unknown = _lost(y.shape, 0.7, rng)
    # The authors draw the intervals twice and keep the second draw.
    rng.uniform(size=2 * n_samples)
    r = 0.5 - np.log(rng.uniform(size=n_samples)) / 3
    center = y + r * (2 * rng.uniform(size=n_samples) - 1)
    piece = np.column_stack([center - r, center + r])
    mirror = np.where(unknown[:, None], -piece[:, ::-1], np.nan)
    return Bunch(data=x[:, None], target=y, pieces=np.stack([piece, mirror], axis=1))


def make_hamming_balls(
    Y: ArrayLike, c: float, *, random_state: Seed = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Replace tags by Hamming balls that contain them.

    The ball is B(center, r) = {y : Hamming(center, y) <= r}. The radius is r = floor(c (m + 1) U) with U uniform on
    [0, 1). To get the center, r coordinates of y are drawn with replacement, and each drawn coordinate is flipped once.

    Parameters
    ----------
    Y : (n, m) in {-1, 1}
        The true tags, in {-1, 1}.
    c : float >= 0
        At 1 the radius is uniform on 0 … m. The paper's figure goes up to 10, where most balls contain all outputs.
    random_state : int, RandomState or None
        Seed of the random numbers.

    Returns
    -------
    centers : (n, m) in {-1, 1}
    radii : (n,) integers

    References
    ----------
    App. B.3.3, Fig. mulan.

    Examples
    --------
    >>> centers, radii = make_hamming_balls([[1, 1, -1], [-1, 1, 1]], 0.5, random_state=0)
    >>> centers
    array([[ 1, -1, -1],
           [-1, -1,  1]])
    >>> radii
    array([1, 1])
    """
    y = _tags(Y)
    if not c >= 0:
        raise ValueError(f"c must be a number >= 0. Got {c}.")
    n, m = y.shape
    rng = check_random_state(random_state)
    radii = np.floor(c * (m + 1) * rng.uniform(size=n)).astype(np.int64)
    flipped = np.zeros(y.shape, dtype=bool)
    rows = np.repeat(np.arange(n), radii)
    flipped[rows, rng.randint(m, size=len(rows))] = True
    return np.where(flipped, -y, y), radii


def drop_tags(
    Y: ArrayLike, share: float, *, positive_only: bool = False, random_state: Seed = None
) -> NDArray[np.int64]:
    """Set each tag to unknown, 0, with probability `share`.

    Parameters
    ----------
    Y : (n, m) in {-1, 1}
        The true tags, in {-1, 1}.
    share : float in [0, 1]
        The probability with which each tag is dropped.
    positive_only : bool, default=False
        Annotators who mention only relevant tags: every -1 becomes unknown as well.
    random_state : int, RandomState or None
        Seed of the random numbers.

    Returns
    -------
    tags : (n, m) in {-1, 0, 1}

    References
    ----------
    App. B.3, S = {y : y_i = 1 on P, y_i = -1 on N}, and "Tackling positive bias" for N empty.

    Examples
    --------
    >>> drop_tags([[1, 1, -1], [-1, 1, 1]], 0.5, random_state=0)
    array([[ 1,  1, -1],
           [-1,  0,  1]])
    >>> drop_tags([[1, 1, -1], [-1, 1, 1]], 0.5, positive_only=True, random_state=0)
    array([[1, 1, 0],
           [0, 0, 1]])
    """
    tags = _tags(Y)
    unknown = _lost(tags.shape, share, random_state) | (positive_only & (tags < 0))
    return np.where(unknown, 0, tags)


def _tags(Y: ArrayLike) -> NDArray[np.int64]:
    tags = check_array(Y)
    rows = np.flatnonzero((np.abs(tags) != 1).any(axis=1))
    if rows.size:
        row = rows[0]
        raise ValueError(
            f"Tags must be -1 or 1. Row {row} is {tags[row].tolist()}. For tags of 0 and 1, pass 2 * Y - 1."
        )
    return tags.astype(np.int64)


def _level(value: float, name: str) -> float:
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number in [0, 1]. Got {value}.")
    return value


def _lost(shape: tuple[int, ...], share: float, random_state: Seed) -> NDArray[np.bool_]:
    """Draw independent booleans, True with probability `share`; with one seed, they grow with `share`."""
    return check_random_state(random_state).uniform(size=shape) < _level(share, "share")
