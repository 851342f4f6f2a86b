"""Weights alpha(x): how much every training row counts at x.

Shapes, once for all families: n training rows, q queries, r features, d embedding.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from .left_out import HeldOut, LeftOut, Refitted

Path = Callable[[Any], Iterable[NDArray]]
"""phi -> leave_one_out(phi) for every setting that a family chooses between."""


class Task(NamedTuple):
    """What a problem can tell its weights beside phi. Few families listen."""

    teaches: NDArray
    """(n,) boolean: False where S_i = Y."""
    risks: Callable[[Path], list[float]]
    """The set risk of leave-one-out predictions, for every setting along a path."""


class Weights(BaseEstimator, ABC):
    """alpha(x) = v(x) M in R^n, such that sum_i alpha_i(x) delta_{S_i} approximates the law of S given x.

    A family gives `fit`, `features` (v) and `fold` (M phi); it knows nothing about outputs. Sums
    ``sum_i alpha_i(x) phi_i = v(x) (M phi)`` never form alpha; ``np.asarray(weights(X))`` does.
    """

    signed: ClassVar[bool] = True
    """Whether alpha_i(x) may be negative."""

    blockwise: ClassVar[bool] = False
    """Whether `fit` and `fold` take `infimum.Blocks`."""

    n_rows_: int

    def told(self, task: Task) -> Self:
        """Hear what the problem tells before `fit`; ignored, unless the family says so."""
        return self

    @abstractmethod
    def fit(self, X: Any, phi: Any = None, sample_weight: Any = None) -> Self:
        """Learn from inputs X; `phi` (n, d) embeds the sets, for families that look at the outputs too."""

    @abstractmethod
    def features(self, X: Any) -> Any:
        """v(x), of shape (q, r), dense or sparse."""

    @abstractmethod
    def fold(self, phi: Any) -> Any:
        """M phi, of shape (r, d): fold once, then every query costs one product."""

    def folds(self, *phis: Any) -> tuple:
        """fold(phi) of each, in one pass over the rows where the family can."""
        return tuple(self.fold(phi) for phi in phis)

    @property
    def width(self) -> int:
        """How many numbers the features of a query take: r, or fewer where they are sparse."""
        return self.n_rows_

    def leave_one_out(self, phi: Any) -> NDArray:
        """sum_{j != i} alpha_j^{(-i)}(x_i) phi_j for every training row i, (n, d): what is predicted at x_i without it.

        alpha^{(-i)} are the weights fitted to the other rows. ``leave_one_out(np.eye(n))`` are these weights.
        """
        raise NotImplementedError(f"{type(self).__name__} has no closed-form leave-one-out predictions.")

    def left_out(self) -> LeftOut:
        """phi -> leave_one_out(phi), prepared once to be applied many times."""
        return self.leave_one_out

    def held_out(self, X: Any, phi: Any, sample_weight: Any, blocks: list[NDArray]) -> HeldOut:
        """Predictions without whole blocks of the rows that the weights were fitted on."""
        return Refitted(self, X, phi, sample_weight, blocks)

    def spread(self, features: Any) -> NDArray:
        """v(x) M, the weights themselves, (q, n)."""
        return product(features, self.fold(np.eye(self.n_rows_)))

    def release(self, summed: bool = False) -> None:
        """Let go of what only later folds would need; a later fold computes it again.

        `summed` says that queries will only ask for sums, so that a saved copy may leave the training rows behind.
        """

    def __call__(self, X: Any) -> Alpha:
        return Alpha(self.features(X), self)


class Alpha:
    """The (q, n) matrix alpha_i(x_j), kept as its two factors.

    ``alpha @ phi`` and ``alpha.sum(fold)`` never form it; ``np.asarray(alpha)`` does.
    """

    __array_ufunc__ = None

    def __init__(self, features: Any, weights: Weights):
        self.features = features
        self.weights = weights

    @property
    def shape(self) -> tuple[int, int]:
        return self.features.shape[0], self.weights.n_rows_

    def __len__(self) -> int:
        return self.features.shape[0]

    def __matmul__(self, phi: Any) -> NDArray:
        return self.sum(self.weights.fold(phi))

    def sum(self, folded: Any) -> NDArray:
        """sum_i alpha_i(x) phi_i, of shape (q, d), where ``folded = weights.fold(phi)``."""
        return product(self.features, folded)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.asarray(self.weights.spread(self.features), dtype=dtype)

    def __repr__(self) -> str:
        return f"<Alpha of {self.shape[0]} queries x {self.shape[1]} rows by {self.weights!r}>"


class Given(Weights):
    """The rows of X are the weights: alpha(x) = x.

    For weights that come from elsewhere, and for the laws in the tests.

    >>> Given().fit(np.eye(3))(np.array([[.5, .5, 0]])) @ np.array([[1.], [2.], [9.]])
    array([[1.5]])
    """

    def fit(self, X: Any, phi: Any = None, sample_weight: Any = None) -> Self:
        self.n_rows_ = X.shape[1]
        return self

    def features(self, X: Any) -> Any:
        return X

    def fold(self, phi: Any) -> Any:
        return phi

    def spread(self, features: Any) -> NDArray:
        return features.toarray() if sparse.issparse(features) else np.asarray(features, dtype=float)


class SplitSigns(Weights):
    """(alpha^+, alpha^-) in R^{2n}: the doubled weights that turn the joint reading of negative weights
    into the inside one, over the infimum loss for the first half and the supremum loss for the second.
    """

    def __init__(self, weights: Weights):
        self.weights = weights

    def fit(self, X: Any, phi: Any = None, sample_weight: Any = None) -> Self:
        self.weights.fit(X, phi, sample_weight)
        self.n_rows_ = 2 * self.weights.n_rows_
        return self

    def told(self, task: Task) -> Self:
        self.weights.told(Task(task.teaches, lambda path: task.risks(partial(_split, path))))
        return self

    def leave_one_out(self, phi: Any) -> NDArray:
        return next(_split(lambda eye: [self.weights.leave_one_out(eye)], phi))

    def features(self, X: Any) -> NDArray:
        alpha = np.asarray(self.weights(X))
        return np.hstack([np.maximum(alpha, 0), np.minimum(alpha, 0)])

    def fold(self, phi: Any) -> Any:
        return phi

    def spread(self, features: Any) -> NDArray:
        return features


def _split(path: Path, phi: Any) -> Iterator[NDArray]:
    """Leave-one-out sums of the doubled weights, from the weights themselves."""
    n = phi.shape[0] // 2
    for alpha in path(np.eye(n)):
        yield product(np.maximum(alpha, 0), phi[:n]) + product(np.minimum(alpha, 0), phi[n:])


def product(features: Any, folded: Any) -> NDArray:
    """features @ folded as a dense array, whichever of the two is sparse."""
    out = features @ folded
    return out.toarray() if sparse.issparse(out) else np.asarray(out)


def as_alpha(alpha: Any) -> Alpha:
    """An Alpha, from one or from a plain (q, n) array of weights."""
    return alpha if isinstance(alpha, Alpha) else Given().fit(alpha)(alpha)
