"""Semi-supervised weights on a neighbour graph: harmonic functions and label spreading."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import cg, splu
from sklearn.utils.validation import check_is_fitted

from ...data.checks import check_number
from ...data.errors import InfimumWarning
from ..base import Weights, as_target
from ..linalg import dense


class Laplacian(Weights):
    """Semi-supervised weights, which propagate labels to the unlabelled rows of a neighbour graph.

    They are alpha(x) = p(x) M, where M extends phi from the labelled rows to all rows. W connects each row with its k
    nearest rows, with weight exp(-gamma |x_i - x_j|²), and D = diag(W 1).

    * "harmonic" (Zhu et al., 2003): labelled rows keep their phi, and each other row has the mean of its neighbours,
      F_u = (D_uu - W_uu)^{-1} W_ul phi_l.
    * "spreading" (Zhou et al., 2003): F = (1 - a) (I - a D^{-½} W D^{-½})^{-1} phi, with phi = 0 on unlabelled rows;
      labelled rows also depend on their neighbours.

    A query has the mean of its k nearest rows, p(x) (Bengio et al., 2006). The columns of M of unlabelled rows are 0.
    The unlabelled rows are given by the target of `fit`, or by `unlabelled`.

    Parameters
    ----------
    n_neighbors : int, default 10
        Number of neighbours, k.
    method : {"harmonic", "spreading"}, default "harmonic"
        "harmonic" keeps labelled rows fixed. "spreading" also updates them from their neighbours; use it if few
        labels are exact.
    a : float, default 0.9
        For spreading, how much a row depends on its neighbours, in (0, 1).
    gamma : float or "scale", default "scale"
        Inverse width of the edge weights. "scale" is the inverse of the mean squared distance between neighbours; 0
        gives all edges the same weight.
    unlabelled : (n,) boolean, optional
        The unlabelled rows, if the weights are used without an estimator.
    n_jobs : int, optional
        Number of processors for the neighbour search.

    Notes
    -----
    Sample weights raise an error, because a row that is given twice is a second node of the graph.

    Examples
    --------
    >>> X = np.array([[0.], [1.], [1.9], [3.]])
    >>> weights = Laplacian(1, gamma=0, unlabelled=[False, True, True, False]).fit(X)
    >>> weights.project(np.array([[0.], [0.], [0.], [1.]])).ravel().round(3)
    array([0.   , 0.333, 0.667, 1.   ])
    """

    signed = False
    has_leave_one_out = False

    def __init__(
        self,
        n_neighbors: int = 10,
        method: str = "harmonic",
        a: float = 0.9,
        gamma: Any = "scale",
        unlabelled: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.method = method
        self.a = a
        self.gamma = gamma
        self.unlabelled = unlabelled
        self.n_jobs = n_jobs

    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        self._check(sample_weight)
        n = X.shape[0]
        target = as_target(target)
        labelled = np.ones(n, bool) if target is None else target.labelled
        if self.unlabelled is not None:
            labelled = labelled & ~np.asarray(self.unlabelled, dtype=bool)
        if not labelled.any():
            raise ValueError("All rows are unlabelled. Laplacian needs at least one labelled row.")
        from sklearn.neighbors import NearestNeighbors  # slow to import

        self.index_ = NearestNeighbors(n_neighbors=min(self.n_neighbors, n), n_jobs=self.n_jobs).fit(X)
        # without a query, kneighbors leaves each row out of its own neighbours
        distance, at = self.index_.kneighbors(n_neighbors=max(1, min(self.n_neighbors, n - 1))) if n > 1 else EMPTY
        self.gamma_ = self._width(distance)
        W = self._joined(distance**2, at, n)
        self.graph_ = W.maximum(W.T).tocsr()
        self.labelled_ = labelled
        self._operator: tuple | None = self._harmonic() if self.method == "harmonic" else self._spreading()
        self.n_rows_ = n
        return self

    def features(self, X: Any) -> sparse.csr_matrix:
        check_is_fitted(self, "n_rows_")
        distance, at = self.index_.kneighbors(X)
        # subtracting the smallest square changes nothing in p(x), and avoids underflow for distant queries
        near = self._joined(distance**2 - distance[:, :1] ** 2, at, self.n_rows_)
        return sparse.diags(1 / np.asarray(near.sum(axis=1)).ravel()) @ near

    @property
    def width(self) -> int:
        return self.index_.n_neighbors

    def project(self, phi: Any) -> NDArray:
        """Return F, the extension of phi from the labelled rows to all rows, (n, d)."""
        if self._operator is None:
            self._operator = self._harmonic() if self.method == "harmonic" else self._spreading()
        phi = dense(phi)
        solve, right, mean = self._operator
        F = solve(np.asarray(right @ phi[self.labelled_]))
        if mean.any():
            F[mean] = phi[self.labelled_].mean(axis=0)
        if self.method == "harmonic":
            F[self.labelled_] = phi[self.labelled_]
        return F

    def release(self, sums_only: bool = False) -> None:
        self._operator = None

    def _check(self, sample_weight: Any) -> None:
        if self.method not in ("harmonic", "spreading"):
            raise ValueError(
                f"The 'method' of Laplacian must be 'harmonic' or 'spreading'. Got {self.method!r} instead."
            )
        check_number(self, "a", 0, 1, above=True, below=True)
        check_number(self, "n_neighbors", 1, integer=True)
        check_number(self, "gamma", 0, words=["scale"])
        if sample_weight is not None and np.ptp(sample_weight) > 0:
            raise ValueError(
                "Laplacian does not support sample weights. Repeat or leave out rows, or use weights.KernelRidge."
            )

    def _harmonic(self) -> tuple:
        """Return the solver of D_uu - W_uu, the matrix W_ul, and the rows that are connected to no labelled row."""
        W, labelled = self.graph_, self.labelled_
        n = W.shape[0]
        _, component = connected_components(W, directed=False)
        lost = ~np.isin(component, component[labelled])
        if lost.any():
            warnings.warn(
                f"{lost.sum()} of {n} rows are not connected to a labelled row in the graph of {self.n_neighbors}"
                " neighbours. They get the mean of the labelled rows. Increase n_neighbors.",
                InfimumWarning,
                stacklevel=3,
            )
        free = sparse.diags((~labelled & ~lost).astype(float))
        degree = np.asarray(W.sum(axis=1)).ravel()
        # D - W on the free rows and the identity on the others, so one factorisation has all n rows
        system = free @ (sparse.diags(degree) - W) @ free + sparse.diags((labelled | lost).astype(float))
        return _solver(system), (free @ W)[:, labelled].tocsr(), lost

    def _spreading(self) -> tuple:
        W, n = self.graph_, self.graph_.shape[0]
        root = sparse.diags(np.asarray(W.sum(axis=1)).ravel() ** -0.5) if n > 1 else sparse.eye(1)
        system = sparse.eye(n) - self.a * (root @ W @ root)
        right = (1 - self.a) * sparse.eye(n, format="csr")[:, self.labelled_]
        return _solver(system), right, np.zeros(n, bool)

    def _width(self, distance: NDArray) -> float:
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        mean = float(np.mean(distance**2)) if distance.size else 0.0
        return 1 / mean if mean > 0 else 1.0

    def _joined(self, square: NDArray, at: NDArray, n: int) -> sparse.csr_matrix:
        """Return the sparse matrix with exp(-gamma square) at the given columns, (q, n)."""
        near = np.maximum(np.exp(-self.gamma_ * square), TINY)
        q, k = at.shape
        return sparse.csr_matrix((near.ravel(), at.ravel(), k * np.arange(q + 1)), shape=(q, n))

    def __getstate__(self) -> dict:
        # the sparse factor cannot be pickled and is computed again from the graph
        state = super().__getstate__()
        return {**state, "_operator": None} if "_operator" in state else state


def _solver(system: Any) -> Callable[[NDArray], NDArray]:
    """Return the function b -> system^{-1} b, for a symmetric positive-definite system."""
    return splu(system.tocsc()).solve if system.shape[0] <= DIRECT else partial(_iterate, system.tocsr())


def _iterate(system: Any, b: NDArray) -> NDArray:
    """Solve by preconditioned conjugate gradients, or by a factorisation if these do not converge."""
    x = np.empty_like(b)
    scale = sparse.diags(1 / system.diagonal())
    for column in range(b.shape[1]):
        x[:, column], failed = cg(system, b[:, column], rtol=1e-11, maxiter=5 * DIRECT, M=scale)
        if failed:
            return splu(system.tocsc()).solve(b)
    return x


EMPTY = (np.empty((1, 0)), np.empty((1, 0), dtype=int))
DIRECT = 1000  # largest number of rows for a factorisation; factors of larger graphs have many entries
TINY = 1e-12  # smallest weight of an edge, so no edge is lost to underflow
