"""Nearest-neighbour weights."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ...data.checks import check_number
from ..base import Weights
from ..holdout.operators import LooOperator
from ..linalg import product

ROUNDING = 1e-12  # relative error of sums of weights
SHARES = ("uniform", "distance")


class Neighbors(Weights):
    """Weights of the k training rows nearest to x; they are positive and sum to one.

    Parameters
    ----------
    n_neighbors : int, optional
        Number of neighbours, k; by default the root of n, rounded up.
    weights : {"uniform", "distance"}, default "uniform"
        "uniform" gives equal weights, and "distance" weights 1 / distance.
    metric, p : str or callable, and float, default "minkowski" and 2
        The distance between rows, as in :class:`sklearn.neighbors.NearestNeighbors`.
    algorithm, leaf_size : str and int, default "auto" and 30
        The search structure, which affects the speed only.
    n_jobs : int, optional
        The number of threads of the search.

    Notes
    -----
    A row of sample weight w takes w of the k places. A weight of 2 equals a row that is given twice, and a weight of 0
    a row that is left out.

    Examples
    --------
    >>> X = np.array([[0.], [1.], [5.]])
    >>> np.asarray(Neighbors(2).fit(X)(np.array([[.2]])))
    array([[0.5, 0.5, 0. ]])
    """

    signed = False

    def __init__(
        self,
        n_neighbors: int | None = None,
        weights: str = "uniform",
        metric: Any = "minkowski",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.n_jobs = n_jobs

    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        if not isinstance(self.weights, str) or self.weights not in SHARES:
            raise ValueError(f"The 'weights' of Neighbors must be one of {list(SHARES)}. Got {self.weights!r} instead.")
        check_number(self, "n_neighbors", 1, integer=True, optional=True)
        w = np.ones(X.shape[0]) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        # rows of weight 0 are left out
        self.rows_ = np.flatnonzero(w > 0)
        if not len(self.rows_):
            raise ValueError("All sample weights are 0. Pass at least one positive weight.")
        self.sample_weight_ = w[self.rows_]
        total = self.sample_weight_.sum()
        self.k_ = min(float(np.ceil(np.sqrt(total)) if self.n_neighbors is None else self.n_neighbors), total)
        # this many rows take k places even if they are those of least weight
        lightest = np.sort(self.sample_weight_).cumsum()
        self.depth_ = int(np.searchsorted(lightest, self.k_ * (1 - ROUNDING))) + 1
        from sklearn.neighbors import NearestNeighbors  # slow to import

        index = NearestNeighbors(
            n_neighbors=self.depth_,
            metric=self.metric,
            algorithm=self.algorithm,
            leaf_size=self.leaf_size,
            p=self.p,
            n_jobs=self.n_jobs,
        )
        X = X[self.rows_] if len(self.rows_) < len(w) else X
        self.index_ = index.fit(X)
        self.n_rows_ = len(w)
        return self

    def features(self, X: Any) -> sparse.csr_matrix:
        check_is_fitted(self, "n_rows_")
        distance, at = self.index_.kneighbors(X)
        return self._shares(distance, at, self.sample_weight_[at])

    @property
    def width(self) -> int:
        return self.depth_

    def project(self, phi: Any) -> Any:
        return phi

    def alpha_matrix(self, features: Any) -> NDArray:
        return features.toarray()

    def loo_operator(self) -> LooOperator:
        """Return the function phi -> sums over the k nearest other rows; a row of weight w > 1 keeps w - 1 places."""
        if len(self.rows_) < self.n_rows_:
            raise ValueError("leave_one_out needs positive sample weights. Leave out the rows of weight 0.")
        if self.n_rows_ < 2:
            raise ValueError("leave_one_out needs at least 2 rows.")
        # without a query, kneighbors leaves each row out of its own neighbours
        depth = min(self.depth_, self.n_rows_ - 1)
        distance, at = self.index_.kneighbors(n_neighbors=depth)
        own = self.sample_weight_ - 1
        if (own <= 0).all():
            return partial(product, self._shares(distance, at, self.sample_weight_[at]))
        # the remaining copies come first, at distance 0
        here = np.arange(self.n_rows_)[:, None]
        distance, at = np.hstack([0 * distance[:, :1], distance]), np.hstack([here, at])
        w = np.hstack([np.maximum(own, 0)[:, None], self.sample_weight_[at[:, 1:]]])
        return partial(product, self._shares(distance, at, w))

    def _shares(self, distance: NDArray, at: NDArray, w: NDArray) -> sparse.csr_matrix:
        # neighbours in order take their w places until k are taken
        places = np.clip(self.k_ - (np.cumsum(w, axis=1) - w), 0, w)
        share = places if self.weights == "uniform" else _by_distance(distance, places)
        share /= share.sum(axis=1, keepdims=True)
        q, k = at.shape
        alpha = sparse.csr_matrix(
            (share.ravel(), self.rows_[at.ravel()], np.arange(0, q * k + 1, k)), shape=(q, self.n_rows_)
        )
        alpha.eliminate_zeros()
        return alpha


def _by_distance(distance: NDArray, places: NDArray) -> NDArray:
    here = distance == 0
    with np.errstate(divide="ignore"):
        share = places / distance
    # rows that equal the query share all the weight, as in scikit-learn
    return np.where(here.any(axis=1, keepdims=True), here * places, share)
