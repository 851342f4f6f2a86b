"""Nyström weights: kernel ridge through a few centres, for as many rows as can be read once."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ...data.checks import check_number
from ...data.chunks import Blocks
from .centers import CHOICES, POOL, Sketch
from .kernel import Kernel
from .primal import Primal, Sums
from .single import LOST, PAYS, hopeless, lost

NEAR = 32.0  # gamma |x|² up to which single precision keeps gamma |x - c|²
TINY = 1e-30  # of the kernel: single precision ends soon below


class Nystrom(Primal, Kernel):
    """alpha(x) = k(x, C) (K_Cn K_nC + n lam K_CC)^{-1} K_Cn, for centres C among the rows.

    With all rows as centres this is kernel ridge. One pass over the rows, memory of the order of n_centers².

    Parameters
    ----------
    n_centers : int, default 500
        m; all distinct rows, where there are fewer.
    lam : float, optional
        The ridge is n * lam. By default n^(-1/2).
    centers : {"uniform", "kmeans++", "leverage"} or (m, d) array, default "uniform"
        How the centres are chosen, or the centres. Uniform centres are distinct rows, whatever the order of the rows
        and the blocks they come in; the two others choose among ten times as many of these.
    kernel, gamma, sigma, degree, coef0, kernel_params
        As for :class:`KernelRidge`; the kernel cannot be precomputed.
    dtype : {"auto", "float64", "float32"}, default "auto"
        Precision of the kernel and of the products; sums over blocks are in double precision. "auto" is single
        precision where rows are many and rounding is estimated to be below 1/256 of what the sums differ by from row
        to row; where that is seen only after the rows are read, they are read once more.
    random_state : int, default 0
        Seed of the centres.
    verbose : int, default 0
        Show progress.

    Attributes
    ----------
    centers_ : (m, d)
        The centres.
    lam_, gamma_, dtype_, jitter_
        What was used; the jitter is what had to be added to the diagonal of the normal equations.

    Notes
    -----
    With sample weights w the ridge is lam * sum(w): 2 is a row given twice, 0 a row left out.

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
        dtype: str = "auto",
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
        self.dtype = dtype
        self.random_state = random_state
        self.verbose = verbose

    def _settle(self, blocks: Blocks) -> None:
        self._check()
        seed = int(check_random_state(self.random_state).randint(2**31))
        given = not isinstance(self.centers, str)
        size = 0 if given else int(self.n_centers) * (1 if self.centers == "uniform" else POOL)
        sketch = blocks.reduce(
            partial(Sketch.of, size=size, seed=seed), partial(_merge, size=size), "centres", self.verbose
        )
        self._fit_kernel(sketch.rows, variance=sketch.variance)
        if given:
            centers = np.asarray(self.centers, dtype=float)
        else:
            ridge = sketch.n**-0.5 if self.lam is None else self.lam
            m = min(int(self.n_centers), sketch.rows.shape[0])
            centers = CHOICES[self.centers](sketch.rows, m, self._k, ridge, seed)
        self._origin = np.asarray(centers.mean(axis=0), dtype=float).ravel()
        self.dtype_ = "float64" if self.dtype == "auto" else self.dtype
        self._scaled = self._exponents(centers, center=True) if self._is_fast(centers) else None
        self.centers_ = centers
        self.n_rows_ = sketch.n
        self.n_features_in_ = centers.shape[1]
        if self.dtype == "auto" and sketch.n >= PAYS * self.width:
            total = sketch.total / self.n_features_in_
            lam = max(total, 1.0) ** -0.5 if self.lam is None else float(self.lam)
            self.dtype_ = "float64" if hopeless(self._penalty(), lam) else "float32"

    def _in_double(self) -> None:
        self.dtype_ = "float64" if self.dtype == "auto" else self.dtype

    def _is_rough(self, sums: Sums) -> bool:
        if self.dtype != "auto" or self.dtype_ == "float64" or not self._loses(sums):
            return False
        self._in_double()
        return True

    def _loses(self, sums: Sums) -> bool:
        """Whether sums in single precision change the predictions."""
        assert sums.gram is not None
        if not np.isfinite(sums.gram).all() or not sums.cross[0].size:
            return True
        try:
            M = sums.gram + np.tril(sums.total * self.lam_ * self._penalty())
            factor = linalg.cholesky(M, lower=True, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            return True
        return lost(sums, factor) > LOST

    @property
    def width(self) -> int:
        return self.centers_.shape[0]

    def _map(self, X: Any) -> NDArray:
        return self._kernel_of(X, self.dtype_)

    def features(self, X: Any) -> NDArray:
        check_is_fitted(self, "n_features_in_")
        # what single precision is enough for is known once there are sums
        B = self._kernel_of(X, "float64" if self.dtype == "auto" and self._factor is None else self.dtype_)
        if B.dtype == np.float32 and self._scaled is not None and not sparse.issparse(X) and self._reaches(X):
            far = np.flatnonzero(B.max(axis=1, initial=0.0) < TINY)
            if len(far):  # whose nearest centre is one that single precision cannot tell from the others
                B = B.astype(float)
                B[far] = self._kernel_of(X[far], "float64")
        return B

    def _kernel_of(self, X: Any, dtype: str) -> NDArray:
        """k(x, c) of rows and centres."""
        if self._scaled is None or sparse.issparse(X):
            return np.asarray(self._k(X, self.centers_), dtype=dtype)
        # -gamma |x - c|² is one product of the two augmented matrices
        E, C, kind = self._exponents(X), self._scaled, dtype
        if dtype == "float32" and min(E[:, -2].min(initial=0.0), C[:, -1].min(initial=0.0)) < -NEAR:
            kind = "float64"  # squares that nearly cancel are subtracted in double precision
        K = (E.astype(kind, copy=False) @ C.T.astype(kind, copy=False)).astype(dtype, copy=False)
        np.minimum(K, 0, out=K)
        return np.exp(K, out=K)

    def _penalty(self) -> NDArray:
        return np.asarray(self._k(self.centers_, self.centers_), dtype=float)

    def _is_fast(self, centers: Any) -> bool:
        return self.kernel == "rbf" and not sparse.issparse(centers)

    def _reaches(self, X: Any) -> bool:
        """Whether a row may be so far from the centres that k is below `TINY`."""
        assert self._scaled is not None
        reach = np.sqrt([-self._exponents(X)[:, -2].min(initial=0.0), -self._scaled[:, -1].min(initial=0.0)]).sum()
        return bool(reach**2 > -np.log(TINY))

    def _exponents(self, X: Any, center: bool = False) -> NDArray:
        """(√(2 gamma) x, -gamma |x|², 1) for a row x and (√(2 gamma) c, 1, -gamma |c|²) for a centre c."""
        gamma = 1 / X.shape[1] if self.gamma_ is None else self.gamma_
        out = np.empty((X.shape[0], X.shape[1] + 2))
        x = out[:, :-2]
        np.subtract(X, self._origin, out=x)  # near the origin, where squares are small, less is rounded
        square = -gamma * np.einsum("ij,ij->i", x, x)
        x *= np.sqrt(2 * gamma)
        out[:, -2], out[:, -1] = (1, square) if center else (square, 1)
        return out

    def _check(self) -> None:
        if isinstance(self.centers, str) and self.centers not in CHOICES:
            raise ValueError(f"centers must be an array or one of {list(CHOICES)}. Got {self.centers!r} instead.")
        check_number(self, "n_centers", 1, integer=True)
        if self.dtype not in ("auto", "float32", "float64"):
            raise ValueError(f"dtype must be 'auto', 'float32' or 'float64'. Got {self.dtype!r}.")
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError(
                "Nystrom computes the kernel of rows and centres: it cannot be precomputed. Use KernelRidge."
            )


def _merge(a: Sketch, b: Sketch, size: int) -> Sketch:
    return a.merge(b, size)
