"""Ground: some rows on which settings are compared, and what they share."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances
from sklearn.utils.parallel import Parallel, delayed

from ..data import Table
from ..data.hashes import column_ranks, hash_of, hashed
from ..data.memory import require
from ..loss import SetLoss
from ..outputs.base import OutputSpace, Sets
from ..weights import KernelRidge, LinearRidge, Nystrom, Scaled, Target, Weights, relevance
from ..weights.holdout import FoldFit, Holdout, Refitted
from ..weights.relevance import median
from ..weights.wrappers import is_relevant
from .candidates import Kernel, Linear, Setting

EXACT_ROWS = 8_000  # beyond, kernels go through centres


def distances(kernel: str, Z: Any) -> NDArray:
    """Between all rows: what exp(-gamma .) makes the kernel of."""
    if kernel == "rbf":
        return euclidean_distances(Z, squared=True)
    return manhattan_distances(Z) if sparse.issparse(Z) else squareform(pdist(Z, "cityblock"))


def shrunk(D: NDArray, rate: float) -> NDArray:
    """exp(-rate D), in one piece of memory."""
    K = D * -rate
    return np.exp(K, out=K)


class Ground:
    """Rows, their sets and the blocks that are held out: distances are computed once, one operator a setting."""

    def __init__(
        self, table: Table, output: OutputSpace, sets: Sets, blocks: list[NDArray], n_jobs: int | None = None
    ):
        self.output, self.sets, self.blocks, self.n_jobs = output, sets, blocks, n_jobs
        self.X, self.w = table.X, table.w
        self._distances: dict[tuple[str, str], tuple[NDArray, float]] = {}
        self._relevance: NDArray | None = None
        self._once = threading.Lock()  # settings are judged in threads
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
            relevance = self.relevance() if is_relevant(scaling) else None
            D = distances(kernel, scaled(scaling, self.X, self.w, relevance))
            self._distances[scaling, kernel] = D, median(D, self.w) or 1.0
        return self._distances[scaling, kernel]

    def relevance(self) -> NDArray:
        """Of every feature, learned from all rows."""
        with self._once:
            if self._relevance is None:
                self._relevance = self._learned(np.arange(len(self)))
            return self._relevance

    def _learned(self, at: NDArray) -> NDArray:
        w = None if self.w is None else self.w[at]
        return relevance(scaled("standard", self.X[at], w), self.target().phi[at], w)

    def target(self) -> Target:
        """What weights that look at outputs learn from."""
        if self._target is None:
            self._target = Target(SetLoss(self.output, self.sets, "infimum").target())
        return self._target

    def operator(self, setting: Setting, quick: bool = False) -> Holdout:
        """Predictions without blocks of rows, for every principle at once.

        If `quick`, relevances have seen the rows that are held out: good enough to compare settings that have them.
        """
        if isinstance(setting, Kernel) and is_relevant(setting.scaling) and not quick:
            return self._relearned(setting)
        if isinstance(setting, Kernel | Linear):
            K = self._kernel(setting)
            return self._ridge(setting.lam, K, self.w).held_out(K, None, self.w, self.blocks)
        fitted = clone(setting.weights).fit(self.X, self.target(), self.w)
        return fitted.held_out(self.X, self.target(), self.w, self.blocks)

    def _relearned(self, setting: Kernel) -> Holdout:
        """Relevances are learned without the rows that are held out, as they look at outputs."""

        def fit(block: NDArray) -> FoldFit:
            rest = np.delete(np.arange(len(self)), block)
            w = None if self.w is None else self.w[rest]
            Z = scaled(setting.scaling, self.X, self.w, self._learned(rest))
            D = distances(setting.kernel, Z)
            rate = setting.gamma / (median(D, self.w) or 1.0)
            inner, outer = (shrunk(D[np.ix_(rows, rest)], rate) for rows in (rest, block))
            lam = setting.lam * self.total / (len(rest) if w is None else w.sum())  # n lam is kept
            return FoldFit(block, rest, self._ridge(lam, inner, w), inner, outer)

        fits = Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(fit)(block) for block in self.blocks)
        return Refitted(len(self), fits)

    @staticmethod
    def _ridge(lam: float, K: NDArray, w: NDArray | None) -> KernelRidge:
        return KernelRidge(lam, kernel="precomputed", gamma=None).fit(K, None, w)

    def _kernel(self, setting: Kernel | Linear) -> NDArray:
        if isinstance(setting, Kernel):
            D, unit = self.distance(setting.scaling, setting.kernel)
            return shrunk(D, setting.gamma / unit)
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
        if setting.scaling == "none":
            return family
        relevance = self.relevance() if is_relevant(setting.scaling) else None
        around = Scaled(family, setting.scaling, relevance)
        if n > EXACT_ROWS and rows is not None and not sparse.issparse(rows.X):
            family.set_params(centers=self._centers(around, rows, first[: n_centers(n)]))
        return around

    @staticmethod
    def _centers(around: Scaled, rows: Table, at: NDArray) -> NDArray:
        """Some rows, as weights that scale all rows see them; each once."""
        scale = clone(around).fit_scale(rows.X, None, rows.w)
        some = rows.X[np.sort(at)]
        return np.asarray(scale.scaled(some[np.unique(column_ranks(some), axis=0, return_index=True)[1]]))


def n_centers(n: int) -> int:
    """Centres for n rows: about 8 times the root of n, between 500 and 2000."""
    return int(np.clip(8 * np.sqrt(n), 500, 2000))


def scaled(scaling: str, X: Any, w: NDArray | None, relevance: NDArray | None = None) -> Any:
    """X as the weights of this scaling see it."""
    return X if scaling == "none" else Scaled(scaling=scaling, relevance=relevance).fit_scale(X, None, w).scaled(X)


def order(table: Table, sets: Sets, pairwise: bool = False) -> NDArray:
    """The rows in the order of a hash, those of weight 0 last: the same ones first, whatever order they come in."""
    code = hashed(table.X, pairwise)
    absent = np.zeros(len(code)) if table.w is None else table.w == 0
    if len(np.unique(code)) == len(code):
        return np.lexsort((code, absent))
    return np.lexsort((hash_of(np.asarray(sets.start(), dtype=float), 1), code, absent))  # equal rows by their sets
