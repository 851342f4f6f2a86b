"""LabelledRowsOnly: any family, fitted to the rows that know anything; the others have no weight."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .base import Weights, as_target
from .holdout.operators import LeftOut, product


class LabelledRowsOnly(Weights):
    """alpha(x) of a family that saw the rows with S_i != Y alone, and 0 for the others.

    A ridge that sees rows which know nothing hands part of every query on to them: what is left is a ratio of two
    smooth functions. Without them it is the ridge of the rows that say something. Which rows these are is what the
    target of `fit` says; without a target, all of them are.

    Parameters
    ----------
    weights : Weights
        The family.

    Examples
    --------
    >>> from infimum.weights import KernelRidge, Target
    >>> X = np.array([[0.], [1.], [2.]])
    >>> family = LabelledRowsOnly(KernelRidge(lam=.1)).fit(X, Target(np.zeros((3, 1)), np.array([True, False, True])))
    >>> alone = KernelRidge(lam=.1).fit(X[[0, 2]])
    >>> np.asarray(family(X))[:, 1]
    array([0., 0., 0.])
    >>> bool(np.allclose(np.asarray(family(X))[:, [0, 2]], np.asarray(alone(X))))
    True
    """

    def __init__(self, weights: Any) -> None:
        self.weights = weights

    @property
    def signed(self) -> bool:  # type: ignore[override]
        return self.weights.signed

    @property
    def blockwise(self) -> bool:  # type: ignore[override]
        return self.weights.blockwise

    @property
    def supervised(self) -> bool:  # type: ignore[override]
        return self.weights.supervised

    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        if self.weights.pairwise:
            raise ValueError("Rows of a precomputed kernel cannot be left out. Leave them out of X and y.")
        target = as_target(target)
        known = np.ones(X.shape[0], dtype=bool) if target is None else target.known
        if not known.any():
            known = np.ones_like(known)
        self.known_ = np.flatnonzero(known)
        some = None if target is None else target[self.known_]
        w = None if sample_weight is None else np.asarray(sample_weight)[self.known_]
        self.weights_ = clone(self.weights).fit(X[self.known_], some, w)
        self.n_rows_ = len(known)
        self._others = X[~known]
        return self

    @property
    def width(self) -> int:
        return self.weights_.width

    def features(self, X: Any) -> Any:
        return self.weights_.features(X)

    def project(self, phi: Any) -> Any:
        return self.weights_.project(phi[self.known_])

    def alpha_matrix(self, features: Any) -> NDArray:
        out = np.zeros((features.shape[0], self.n_rows_))
        out[:, self.known_] = self.weights_.alpha_matrix(features)
        return out

    def left_out(self) -> LeftOut | None:
        left_out = self.weights_.left_out()
        if left_out is None or len(self.known_) == self.n_rows_:
            return left_out
        others = np.delete(np.arange(self.n_rows_), self.known_)
        features = self.weights_.features(self._others)

        def predicted(phi: Any) -> NDArray:
            some = phi[self.known_]
            inside = left_out(some)
            out = np.empty((self.n_rows_, inside.shape[1]))
            out[self.known_], out[others] = inside, product(features, self.weights_.project(some))
            return out

        return predicted

    def release(self, summed: bool = False) -> None:
        self.weights_.release(summed)
        self._summed = summed

    def __getstate__(self) -> dict:
        """A family that leaves its rows behind when it is saved leaves those behind that it did not see, too."""
        state = super().__getstate__()
        leaves = self.blockwise and state.get("_summed", False)
        return {**state, "_others": state["_others"][:0]} if leaves else state
