"""Ground: some rows on which settings are compared, and what they share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances

from .._memory import require
from ..loss import SetLoss
from ..outputs.base import OutputSpace, Sets
from ..problem import target_of
from ..rows import Table
from ..rows.hashes import hash_of, hashed, places
from ..weights import KernelRidge, LinearRidge, Nystrom, Scaled, Target, Weights
from ..weights.left_out import HeldOut
from .settings import Kernel, Linear, Setting

EXACT_ROWS = 8_000  # beyond, kernels go through centres
DISTANCES = {"rbf": lambda X: euclidean_distances(X, squared=True), "laplacian": manhattan_distances}


class Ground:
    """Rows, their sets and the blocks that are held out: distances are computed once, one operator a setting."""

    def __init__(self, table: Table, output: OutputSpace, sets: Sets, blocks: list[NDArray]):
        self.output, self.sets, self.blocks = output, sets, blocks
        self.X, self.w = table.X, table.w
        self._distances: dict[tuple[str, str], tuple[NDArray, float]] = {}
        self._products: NDArray | None = None
        self._target: Target | None = None

    def __len__(self) -> int:
        return len(self.sets)

    @property
    def total(self) -> float:
        """How many rows there are, each as often as it counts."""
        return float(len(self) if self.w is None else self.w.sum())

    def distance(self, scaling: str, kernel: str) -> tuple[NDArray, float]:
        """Distances between the scaled rows, and their median."""
        if (scaling, kernel) not in self._distances:
            n = len(self)
            require(8 * 8 * n**2, f"Comparing kernels on {n} rows", "Choose on fewer rows.")
            D = DISTANCES[kernel](scaled(scaling, self.X, self.w))
            self._distances[scaling, kernel] = D, median(D, self.w) or 1.0
        return self._distances[scaling, kernel]

    def operator(self, setting: Setting) -> HeldOut:
        """Predictions without blocks of rows, for every principle at once."""
        if isinstance(setting, Kernel | Linear):
            K = self._kernel(setting)
            return KernelRidge(setting.lam, kernel="precomputed", gamma=None).fit(K, None, self.w).held_out(
                K, None, self.w, self.blocks
            )  # fmt: skip
        if self._target is None:
            self._target = Target(target_of(SetLoss(self.output, self.sets, "infimum")))
        fitted = clone(setting.weights).fit(self.X, self._target, self.w)
        return fitted.held_out(self.X, self._target, self.w, self.blocks)

    def _kernel(self, setting: Kernel | Linear) -> NDArray:
        if isinstance(setting, Kernel):
            D, unit = self.distance(setting.scaling, setting.kernel)
            return np.exp(D * (-setting.gamma / unit))
        if self._products is None:
            Z = scaled("standard", self.X, self.w)
            products = (Z @ Z.T).toarray() if sparse.issparse(Z) else Z @ Z.T
            # an intercept that is hardly shrunk, as that of the linear ridge is not
            self._products = products + 100 * Z.shape[1]
        return self._products

    def final(self, setting: Setting, n: int, rows: Table | None, first: NDArray, random_state: Any) -> Weights:
        """The weights themselves, for all n rows: exact while that pays, through centres beyond and for blocks.

        `rows` are all rows, None for blocks; `first` are those of them that come first, in any units: the centres.
        """
        if not isinstance(setting, Kernel | Linear):
            return setting.weights
        # the ridge n lam grows as the root of n: between a constant noise and a constant lam
        lam = setting.lam * float(np.sqrt(self.total / max(n, self.total)))
        if isinstance(setting, Linear):
            return Scaled(LinearRidge(lam))
        _, unit = self.distance(setting.scaling, setting.kernel)
        shape: dict[str, Any] = {"lam": lam, "kernel": setting.kernel, "gamma": setting.gamma / unit}
        family: Weights = KernelRidge(**shape)
        if n > EXACT_ROWS or rows is None:
            shape |= {"random_state": random_state}
            family = Nystrom(n_centers(n), **shape)
            if rows is not None and not sparse.issparse(rows.X):
                family.set_params(centers=self._centers(setting.scaling, rows, first[: n_centers(n)]))
        return family if setting.scaling == "none" else Scaled(family, setting.scaling)

    @staticmethod
    def _centers(scaling: str, rows: Table, at: NDArray) -> NDArray:
        """Some rows, as weights that scale all rows see them; each once."""
        scale = Scaled(scaling=scaling)
        scale.mean_, scale.scale_ = scale._learned(rows.X, rows.w)
        some = rows.X[np.sort(at)]
        return np.asarray(scale.scaled(some[np.unique(places(some), axis=0, return_index=True)[1]]))


def n_centers(n: int) -> int:
    """Centres for n rows: about 8 times the root of n, between 500 and 2000."""
    return int(np.clip(8 * np.sqrt(n), 500, 2000))


def scaled(scaling: str, X: Any, w: NDArray | None) -> Any:
    """X as the weights of this scaling see it."""
    if scaling == "none":
        return X
    one = Scaled(scaling=scaling)
    one.mean_, one.scale_ = one._learned(X, w)
    return one.scaled(X)


def median(D: NDArray, w: NDArray | None) -> float:
    """The median distance between two rows, each as often as it counts."""
    if w is None:
        return float(np.median(D))
    order = np.argsort(D, axis=None)
    total = np.cumsum(np.outer(w, w).ravel()[order])
    half = total[-1] / 2
    at = D.ravel()[order]
    # the two in the middle, which are one and the same unless exactly half of the weight is below
    low, high = np.searchsorted(total, half * (1 - 1e-12)), np.searchsorted(total, half * (1 + 1e-12), side="right")
    return float((at[low] + at[min(high, len(at) - 1)]) / 2)


def order(table: Table, sets: Sets, pairwise: bool = False) -> NDArray:
    """The rows in the order of a hash, those of weight 0 last: the same ones first, whatever order they come in."""
    code = hashed(table.X, pairwise)
    absent = np.zeros(len(code)) if table.w is None else table.w == 0
    if len(np.unique(code)) == len(code):
        return np.lexsort((code, absent))
    return np.lexsort((hash_of(np.asarray(sets.start(), dtype=float), 1), code, absent))  # equal rows by their sets
