"""Mixture: the weighted mean of several weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from .base import Weights
from .holdout.operators import Fold, Holdout, LooOperator
from .linalg import dense


class Mixture(Weights):
    """The weighted mean of several base learners.

    It is alpha(x) = sum_k s_k alpha_k(x). A mean of weights is again weights, so the mixture supports every output
    type, principle and solver. With the squared loss it predicts the mean of what its parts predict. A mean of good
    models is often better than each.

    Parameters
    ----------
    parts : sequence of Weights
        The base learners.
    shares : sequence of float, optional
        Their shares s_k, which are divided by their sum; equal by default.

    Attributes
    ----------
    parts_ : list of Weights
        The fitted base learners.
    shares_ : (k,) array
        Their shares.

    Examples
    --------
    >>> from infimum.weights import Constant, Neighbors
    >>> X = np.array([[0.], [1.], [2.], [3.]])
    >>> np.asarray(Mixture([Constant(), Neighbors(1)]).fit(X)(X[:1]))
    array([[0.625, 0.125, 0.125, 0.125]])
    """

    def __init__(self, parts: Sequence[Weights], shares: Sequence[float] | None = None) -> None:
        self.parts = parts
        self.shares = shares

    @property
    def signed(self) -> bool:  # type: ignore[override]
        return any(part.signed for part in self.parts)

    @property
    def supervised(self) -> bool:  # type: ignore[override]
        return any(part.supervised for part in self.parts)

    @property
    def is_ridge(self) -> bool:  # type: ignore[override]
        return all(part.is_ridge for part in self.parts)

    @property
    def has_leave_one_out(self) -> bool:  # type: ignore[override]
        return all(part.has_leave_one_out for part in self.parts)

    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        return self._fit_parts("fit", X, target, sample_weight)

    def fit_roughly(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        return self._fit_parts("fit_roughly", X, target, sample_weight)

    def _fit_parts(self, method: str, X: Any, target: Any, sample_weight: Any) -> Self:
        shares = np.ones(len(self.parts)) if self.shares is None else np.asarray(self.shares, dtype=float)
        if not len(self.parts) or shares.shape != (len(self.parts),) or not (shares >= 0).all() or not shares.any():
            raise ValueError(
                f"Mixture needs one share >= 0 for each of its parts, not all 0. Got {len(self.parts)} parts and shares"
                f" {self.shares!r}."
            )
        if any(part.pairwise for part in self.parts):
            raise ValueError("A precomputed kernel cannot be part of a Mixture, whose parts share their features.")
        self.shares_ = shares / shares.sum()
        self.parts_ = [getattr(clone(part), method)(X, target, sample_weight) for part in self.parts]
        self.n_rows_ = X.shape[0]
        self._operators: list[LooOperator | None] = [None] * len(self.parts_)
        return self._number_columns(X)

    def refit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        """Fit the parts again that depend on the target."""
        for k, part in enumerate(self.parts_):
            if part.supervised:
                self.parts_[k], self._operators[k] = part.refit(X, target, sample_weight), None
        return self._number_columns(X)

    def _number_columns(self, X: Any) -> Self:
        """Store where the features of each part end, and which of them are sparse."""
        each = [part.features(X[:1]) for part in self.parts_]
        self.ends_, self.sparse_ = np.cumsum([one.shape[1] for one in each]), [sparse.issparse(one) for one in each]
        return self

    @property
    def width(self) -> int:
        return sum(part.width for part in self.parts_)

    def features(self, X: Any) -> Any:
        each = [part.features(X) for part in self.parts_]
        if any(map(sparse.issparse, each)):
            return sparse.csr_matrix(sparse.hstack([sparse.csr_matrix(one) for one in each]))
        return np.hstack(each)

    def project(self, phi: Any) -> NDArray:
        return np.vstack([share * dense(part.project(phi)) for part, share in self._pairs()])

    def alpha_matrix(self, features: Any) -> NDArray:
        found = np.zeros((features.shape[0], self.n_rows_))
        for k, (part, share) in enumerate(self._pairs()):
            own = features[:, self.ends_[k - 1] if k else 0 : self.ends_[k]]
            found += share * part.alpha_matrix(own if self.sparse_[k] else dense(own))
        return found

    def loo_operator(self) -> LooOperator | None:
        # those of parts that do not depend on the target are kept while others are fitted again
        self._operators = [one or part.loo_operator() for one, part in zip(self._operators, self.parts_)]
        operators = [one for one in self._operators if one is not None]
        if len(operators) < len(self.parts_):
            return None
        return lambda phi: np.asarray(sum(share * one(phi) for share, one in zip(self.shares_, operators)))

    def first_operator(self) -> LooOperator | None:
        kept = [k for k, part in enumerate(self.parts_) if not part.supervised]
        for k in kept:
            self._operators[k] = self._operators[k] or self.parts_[k].loo_operator()
        operators = [self._operators[k] for k in kept]
        if not kept or None in operators:
            return None
        shares = self.shares_[kept] / self.shares_[kept].sum()
        return lambda phi: np.asarray(sum(share * one(phi) for share, one in zip(shares, operators) if one))

    def held_out(self, X: Any, target: Any, sample_weight: Any, folds: list[NDArray] | None) -> Holdout:
        return MixedHoldout([part.held_out(X, target, sample_weight, folds) for part in self.parts_], self.shares_)

    def release(self, sums_only: bool = False) -> None:
        self._operators = [None] * len(self.parts_)
        for part in self.parts_:
            part.release(sums_only)

    def __getstate__(self) -> dict:
        state = super().__getstate__()
        return {**state, "_operators": [None] * len(self.parts_)} if "_operators" in state else state

    def _pairs(self) -> list[tuple[Weights, float]]:
        return list(zip(self.parts_, self.shares_.tolist()))


class MixedHoldout(Holdout):
    """Hold-out for mixtures: the weighted mean of the predictions of all parts without each fold."""

    def __init__(self, parts: Sequence[Holdout], shares: Any):
        total = float(np.sum(shares))
        self.parts, self.shares, self.n = parts, [float(share) / total for share in shares], parts[0].n
        self.is_ridge = all(part.is_ridge for part in parts)

    def __call__(self, q: NDArray) -> NDArray:
        return self._mean([part(q) for part in self.parts])

    def in_single_precision(self) -> Self:
        self.parts = [part.in_single_precision() for part in self.parts]
        return self

    def fitted(self, q: NDArray) -> NDArray:
        return self._mean([part.fitted(q) for part in self.parts])

    def predict(self, phi: Any) -> NDArray:
        return self._mean([part.predict(phi) for part in self.parts])

    def weights(self) -> NDArray:
        return self._mean([part.weights() for part in self.parts])

    def folds(self) -> Iterator[Fold]:
        for same in zip(*(part.folds() for part in self.parts)):
            yield same[0]._replace(
                train_weights=self._mean([one.train_weights for one in same]),
                test_weights=self._mean([one.test_weights for one in same]),
            )

    def mask_out(self, mask: NDArray) -> NDArray:
        return self.parts[0].mask_out(mask)

    def out_of_fold(self, q: NDArray) -> NDArray:
        return self._mean([part.out_of_fold(q) for part in self.parts])

    def _mean(self, each: Sequence[Any]) -> NDArray:
        return np.asarray(sum(share * dense(one) for share, one in zip(self.shares, each)))
