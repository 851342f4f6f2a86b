"""Nyström weights: kernel ridge through a few centres, for many rows."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from ...data.checks import check_number
from ...data.chunks import Chunks
from .centers import Sketch
from .kernel import Kernel
from .primal import Primal


class Nystrom(Primal, Kernel):
    """Nyström weights, which approximate kernel ridge through a few centres (landmarks).

    They are alpha(x) = k(x, C) (K_Cn K_nC + n lam K_CC)^{-1} K_Cn, for centres C among the rows. With all rows as
    centres this is kernel ridge. `fit` reads the rows once for the centres and once for the sums. Memory grows as
    n_centers² and not with the number of rows.

    Parameters
    ----------
    n_centers : int, default 500
        Number of centres, m; all distinct rows if there are fewer.
    lam : float, optional
        Regularisation strength; the ridge is n * lam. By default n^(-1/2).
    centers : "uniform" or (m, d) array, default "uniform"
        "uniform" draws distinct rows, and does not depend on the order of the rows or on the chunks. An array contains
        the centres themselves, for example from :func:`sklearn.cluster.kmeans_plusplus`.
    kernel : str or callable, default "rbf"
        Name of a scikit-learn kernel, or a function of two rows. It cannot be precomputed.
    gamma : float or "scale", default "scale"
        Inverse width of the kernel; "scale" is 1 / (n_features * X.var()).
    sigma : float, optional
        The paper's bandwidth, instead of gamma: gamma = 1 / (2 sigma^2) for "rbf", 1 / sigma for "laplacian".
    degree, coef0 : float, default 3 and 1
        Degree and constant of the "polynomial" and "sigmoid" kernels.
    kernel_params : dict, optional
        Further arguments of a kernel that is a function.
    random_state : int, default 0
        Seed of the centres.
    verbose : int, default 0
        If positive, show a progress bar.

    Attributes
    ----------
    centers_ : (m, d)
        The centres.
    lam_, gamma_ : float
        The values that are used.
    jitter_ : float
        Number that was added to the diagonal of the normal equations because they were numerically singular.

    Notes
    -----
    With sample weights w the ridge is lam * sum(w). A weight of 2 equals a row that is given twice, and a weight of 0
    a row that is left out.

    Examples
    --------
    >>> X = np.array([[0.], [1.], [2.]])
    >>> alpha = Nystrom(3, lam=1e-9, sigma=.1).fit(X)(X)
    >>> np.round(np.asarray(alpha), 3) + 0.
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """

    def __init__(
        self,
        n_centers: int = 500,
        lam: float | None = None,
        centers: Any = "uniform",
        kernel: Any = "rbf",
        gamma: Any = "scale",
        sigma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self.n_centers = n_centers
        self.lam = lam
        self.centers = centers
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.random_state = random_state
        self.verbose = verbose

    def _fit_features(self, chunks: Chunks) -> None:
        self._check()
        seed = int(check_random_state(self.random_state).randint(2**31))
        given = not isinstance(self.centers, str)
        size = 0 if given else int(self.n_centers)
        sketch = chunks.reduce(
            partial(Sketch.of, size=size, seed=seed), partial(_merge, size=size), "centres", self.verbose
        )
        self._fit_kernel(sketch.rows, variance=sketch.moments.variance_of_entries())
        centers = np.asarray(self.centers, dtype=float) if given else sketch.rows
        self._origin = np.asarray(centers.mean(axis=0), dtype=float).ravel()
        fast = self.kernel == "rbf" and not sparse.issparse(centers)
        self._scaled = self._exponents(centers, center=True) if fast else None
        self.centers_ = centers
        self.n_rows_ = sketch.n
        self.n_features_in_ = centers.shape[1]

    @property
    def width(self) -> int:
        return self.centers_.shape[0]

    def _map(self, X: Any) -> NDArray:
        """Return k(x, c) of rows and centres."""
        if self._scaled is None or sparse.issparse(X):
            return np.asarray(self._k(X, self.centers_), dtype=float)
        # -gamma |x - c|² is one product of the two augmented matrices
        K = self._exponents(X) @ self._scaled.T
        np.minimum(K, 0, out=K)
        return np.exp(K, out=K)

    def _penalty(self) -> NDArray:
        return np.asarray(self._k(self.centers_, self.centers_), dtype=float)

    def _exponents(self, X: Any, center: bool = False) -> NDArray:
        """Return (√(2 gamma) x, -gamma |x|², 1) of a row x, or (√(2 gamma) c, 1, -gamma |c|²) of a centre c."""
        gamma = 1 / X.shape[1] if self.gamma_ is None else self.gamma_
        out = np.empty((X.shape[0], X.shape[1] + 2))
        x = out[:, :-2]
        np.subtract(X, self._origin, out=x)  # small squares have small rounding errors
        square = -gamma * np.einsum("ij,ij->i", x, x)
        x *= np.sqrt(2 * gamma)
        out[:, -2], out[:, -1] = (1, square) if center else (square, 1)
        return out

    def _check(self) -> None:
        if isinstance(self.centers, str) and self.centers != "uniform":
            raise ValueError(f"centers must be 'uniform' or an array. Got {self.centers!r} instead.")
        check_number(self, "n_centers", 1, integer=True)
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError(
                "Nystrom computes the kernel of rows and centres: it cannot be precomputed. Use KernelRidge."
            )


def _merge(a: Sketch, b: Sketch, size: int) -> Sketch:
    return a.merge(b, size)
