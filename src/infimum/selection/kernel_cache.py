"""KernelCache: distances between the rows of a comparison, computed once for all candidates."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances
from sklearn.utils.parallel import Parallel, delayed

from ..data import Table
from ..data.hashes import column_ranks
from ..data.memory import require
from ..disambiguation import SetPosterior, fit_growing
from ..loss import SetLoss
from ..outputs.base import OutputSpace, Sets
from ..weights import KernelRidge, Mixture, Scaled, Target, Weights, relevance
from ..weights.holdout import FoldFit, Holdout, Refitted
from ..weights.mixture import MixedHoldout
from ..weights.relevance import held_out_relevances, median
from ..weights.wrappers import is_relevant
from .candidates import Candidate
from .config import SearchConfig


class KernelCache:
    """Some rows with their folds, the distances between them, and the held-out weights of candidates.

    Forests and feature relevances learn from the candidate sets of the rows, with `n_jobs` threads.
    """

    def __init__(
        self, table: Table, output: OutputSpace, sets: Sets, folds: list[NDArray], config: SearchConfig,
        n_jobs: int | None = None,
    ):  # fmt: skip
        self.X, self.w, self.groups, self.n = table.X, table.w, table.groups, len(sets)
        self.output, self.sets, self.folds, self.config, self.n_jobs = output, sets, folds, config, n_jobs
        self.lists_options = sets.options() is not None
        few = min(config.n_trees, config.n_trees_compared) if self.lists_options else config.n_trees
        self.compared = replace(config, n_trees=few)
        self._distances: dict[tuple[str, str], tuple[NDArray, float]] = {}
        self._grown: dict[tuple[Candidate, SetPosterior | None], Holdout] = {}
        self._latest: tuple[Candidate, Holdout] | None = None
        self._relevance: NDArray | None = None
        self._relevances_without: list[NDArray] = []
        self._lock = threading.Lock()  # candidates are evaluated in threads

    @property
    def total(self) -> float:
        """The sum of the sample weights."""
        return float(self.n if self.w is None else self.w.sum())

    @cached_property
    def target(self) -> Target:
        """What supervised weights learn from."""
        labelled = ~self.output.is_unlabelled(self.sets)
        phi, sets = SetLoss(self.output, self.sets).target(), self.sets
        return Target(phi, labelled, self.groups, sets.is_exact, sets.single_choice())

    def distances(self, scaling: str, kernel: str) -> tuple[NDArray, float]:
        """Return the distances between the scaled rows, and their median."""
        if (scaling, kernel) not in self._distances:
            require(8 * 8 * self.n**2, f"Comparing kernels on {self.n} rows", "Choose on fewer rows.")
            D = pairwise(kernel, scaled(scaling, self.X, self.w, self.relevance(scaling)))
            self._distances[scaling, kernel] = D, median(D, self.w) or 1.0
        return self._distances[scaling, kernel]

    def relevance(self, scaling: str) -> NDArray | None:
        """Return the relevance of each feature, learned from all rows, if the scaling uses it."""
        if not is_relevant(scaling):
            return None
        with self._lock:
            if self._relevance is None:
                self._relevance = relevance(scaled("standard", self.X, self.w), self.target.phi, self.w)
            return self._relevance

    def holdout(self, candidate: Candidate, preview: bool = False, posterior: SetPosterior | None = None) -> Holdout:
        """Return the operator that predicts each row without its fold, for every principle.

        With a `posterior`, forests are grown on the labels that they estimate.

        With `preview`, feature relevances are learned once from all rows, held-out ones included. This overestimates
        candidates that use them, and costs as little as a candidate without.
        """
        if candidate.parts:
            each = [self.holdout(part, preview, posterior) for part, _ in candidate.parts]
            return MixedHoldout(each, [share for _, share in candidate.parts])
        if candidate.rows:
            return self._of_exact_rows(replace(candidate, rows=""))
        if candidate.lam is None:
            n_growths = 0 if posterior is None else posterior.n_growths_compared
            key = candidate.learner, posterior if n_growths else None
            if key not in self._grown:  # mixtures use the same forests
                self._grown[key] = self._hold_out(candidate.build(self.n, self.compared), posterior, n_growths)
            return self._grown[key]
        if candidate.has_relevance and not preview:
            latest = self._latest
            if latest is None or latest[0] != candidate.learner:  # later stages evaluate the best one again
                self._latest = latest = candidate.learner, self._refitted(candidate)
            return latest[1]
        K = self._linear_kernel if candidate.gamma is None else self._kernel(candidate)
        found = ridge(candidate.lam, K, self.w).held_out(K, None, self.w, self.folds)
        large = self.n >= self.config.single_precision_rows
        return found.in_single_precision() if large and self.lists_options else found

    def _hold_out(self, weights: Weights, posterior: SetPosterior | None, n_growths: int) -> Holdout:
        """Return the predictions of weights without a regularisation strength."""
        if weights.supervised and self.sets.comparisons() is not None:
            # the splits of one forest have seen all comparisons, and rounds of updates spread them: pure noise would
            # be predicted better than by a constant
            return Refitted.of(weights, self.X, self.target, self.w, self.folds)
        fitted, _ = fit_growing(weights, self.X, self.target, posterior, self.w, n_growths)
        return fitted.held_out(self.X, self.target, self.w, self.folds)

    def predict_grown(self, candidate: Candidate, posterior: SetPosterior) -> NDArray | None:
        """Predict each row without its fold by weights that are fitted to estimated labels of the other rows, (n, *e).

        Return None if predictions by `holdout` are not too good, as for weights that do not depend on the labels.
        """
        if candidate.rows or not posterior.confirms_growths:
            return None
        table, order = Table(self.X, None, self.w), np.arange(self.n)
        weights = self.final_weights(candidate, self.n, table, order, self.compared)
        F = np.empty(posterior.shape)
        for fold in self.folds if weights.supervised else []:
            rest = np.delete(order, fold)
            w, own = None if self.w is None else self.w[rest], posterior.of_rows(rest)
            fitted, q = fit_growing(clone(weights), self.X[rest], self.target[rest], own, w, own.n_growths)
            if q is None:
                return None
            F[fold] = (fitted(self.X[fold]) @ q.reshape(len(q), -1)).reshape(len(fold), *q.shape[1:])
        return F if weights.supervised else None

    def _of_exact_rows(self, candidate: Candidate) -> Holdout:
        """Return the predictions of a base learner that is fitted to the rows with an exact label."""
        target = self.target.exact_only()
        if candidate.lam is None:
            return (
                candidate.build(self.n, self.compared)
                .fit(self.X, target, self.w)
                .held_out(self.X, target, self.w, self.folds)
            )
        w = target.exact.astype(float) if self.w is None else self.w * target.exact
        K = self._linear_kernel if candidate.gamma is None else self._kernel(candidate)
        return ridge(candidate.lam, K, w).held_out(K, None, w, self.folds)

    def _kernel(self, candidate: Candidate) -> NDArray:
        D, unit = self.distances(candidate.scaling, candidate.kernel)
        return exponential(D, (candidate.gamma or 0.0) / unit)

    @cached_property
    def _linear_kernel(self) -> NDArray:
        Z = scaled("standard", self.X, self.w)
        products = (Z @ Z.T).toarray() if sparse.issparse(Z) else Z @ Z.T
        # a constant feature of large variance is hardly penalised, as the intercept of linear ridge is not
        return products + self.config.intercept_weight * Z.shape[1]

    def _refitted(self, candidate: Candidate) -> Refitted:
        """Learn feature relevances again without the rows of each fold."""
        with self._lock:
            if not self._relevances_without:  # they do not depend on the candidate
                Z = scaled("standard", self.X, self.w)
                self._relevances_without = held_out_relevances(Z, self.target.phi, self.folds, self.w)
        without = self._relevances_without

        def fit(k: int, fold: NDArray) -> FoldFit:
            rest = np.delete(np.arange(self.n), fold)
            w = None if self.w is None else self.w[rest]
            D = pairwise(candidate.kernel, scaled(candidate.scaling, self.X, self.w, without[k]))
            rate = (candidate.gamma or 0.0) / (median(D, self.w) or 1.0)
            inner, outer = (exponential(D[np.ix_(rows, rest)], rate) for rows in (rest, fold))
            # the ridge n lam stays the same
            lam = (candidate.lam or 0.0) * self.total / (len(rest) if w is None else w.sum())
            return FoldFit(fold, rest, ridge(lam, inner, w), inner, outer)

        fits = Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(fit)(*one) for one in enumerate(self.folds))
        return Refitted(self.n, fits)

    def final_weights(
        self, candidate: Candidate, n: int, table: Table | None, order: NDArray, config: SearchConfig | None = None
    ) -> Weights:
        """Return the weights of a candidate, to be fitted to all n rows.

        `table` contains all rows, or is None for rows in chunks. The first rows of `order`, which does not depend on
        the units of the features, are the Nyström centres.
        """
        if candidate.parts:
            each = [self.final_weights(part, n, table, order, config) for part, _ in candidate.parts]
            return Mixture(each, [share for _, share in candidate.parts])
        # the ridge n lam grows as the root of n: between constant noise and constant lam
        ratio = float(np.sqrt(self.total / max(n, self.total)))
        if candidate.gamma is None:
            return candidate.build(n, config or self.config, lam_ratio=ratio, n_features=self.X.shape[1])
        found: dict[str, Any] = {
            "lam_ratio": ratio,
            "median": self.distances(candidate.scaling, candidate.kernel)[1],
            "relevance": self.relevance(candidate.scaling),
        }
        weights = candidate.build(n, self.config, **found, chunked=table is None)
        exact = not candidate.is_approximated(n, self.config)
        if exact or table is None or sparse.issparse(table.X) or candidate.scaling == "none":
            return weights
        # distinct rows, as weights that scale all rows see them
        some = table.X[np.sort(order[: self.config.n_centers(n)])]
        some = some[np.unique(column_ranks(some), axis=0, return_index=True)[1]]
        centers = np.asarray(clone(weights).fit_scale(table.X, None, table.w).scaled(some))
        return candidate.build(n, self.config, **found, centers=centers)


def pairwise(kernel: str, Z: Any) -> NDArray:
    """Return the distances D between all rows such that the kernel is exp(-gamma D)."""
    if kernel == "rbf":
        return euclidean_distances(Z, squared=True)
    return manhattan_distances(Z) if sparse.issparse(Z) else squareform(pdist(Z, "cityblock"))


def exponential(D: NDArray, rate: float) -> NDArray:
    """Return exp(-rate D), computed in place of the product."""
    K = D * -rate
    return np.exp(K, out=K)


def ridge(lam: float, K: NDArray, w: NDArray | None) -> KernelRidge:
    """Fit kernel ridge weights to a kernel matrix."""
    return KernelRidge(lam, kernel="precomputed", gamma=None).fit(K, None, w)


def scaled(scaling: str, X: Any, w: NDArray | None, relevance: NDArray | None = None) -> Any:
    """Return X as weights with this scaling see it."""
    return X if scaling == "none" else Scaled(scaling=scaling, relevance=relevance).fit_scale(X, None, w).scaled(X)
