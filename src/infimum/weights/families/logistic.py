"""Logistic regression weights, for labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.optimize import minimize

from ...data.checks import check_number
from ..base import Weights, as_target
from ..holdout.operators import LooOperator
from ..linalg import dense

MAX_STEPS = 100
"""Steps of the optimiser. More of them hardly change predictions."""
RIDGE = 0.1
"""Rows of each class that are added to the normal equations, so classes without rows get no weight."""


class Logistic(Weights):
    """Weights of a logistic regression that maximises the likelihood of the candidate sets.

    The class probabilities P(x), a softmax of linear scores, maximise the sum of log P(S_i | x_i) minus the penalty.
    The weights are those of least squares on these probabilities, alpha(x) = P(x) (P'P + r I)^{-1} P'. P are those of
    the training rows. Linear ridge fits the labels by linear functions instead, which hide classes that lie between
    others. Features should have the same scale; see `Scaled`.

    The target of `fit` must contain the candidates; see `Target.options`.

    Parameters
    ----------
    penalty : float, default 1
        Strength of the penalty, penalty / 2 times the sum of squared slopes. Larger values give smoother probabilities.

    Attributes
    ----------
    coef_ : (d + 1, c) array
        The slopes of the scores of the c classes, and their intercepts in the last row.

    Notes
    -----
    Leave-one-out predictions are those of least squares, for which P is fixed.

    References
    ----------
    Jin and Ghahramani (2002), Learning with multiple labels.

    Examples
    --------
    >>> from infimum.weights import Target
    >>> X, sets = np.array([[0.], [1.], [2.], [3.]]), np.array([[1, 0], [1, 0], [1, 1], [0, 1]])
    >>> alpha = Logistic().fit(X, Target(1. - sets, options=sets))(np.array([[-1.], [4.]]))
    >>> (alpha @ sets).argmax(axis=1)
    array([0, 1])
    """

    supervised = True

    def __init__(self, penalty: float = 1.0) -> None:
        self.penalty = penalty

    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        check_number(self, "penalty", 0, above=True)
        target = as_target(target)
        if target is None or target.options is None:
            raise ValueError(
                "Logistic requires labels with listed candidates, and only PartialClassifier has these for each row."
                " Use weights='linear' for other outputs."
            )
        self.n_rows_ = X.shape[0]
        w = np.ones(X.shape[0]) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        options, rows = np.asarray(target.options, dtype=float), np.flatnonzero(target.labelled & (w > 0))
        A = _with_constant(X)
        self.coef_ = _maximised(A[rows], options[rows], w[rows], self.penalty)
        w = w * target.labelled if target.labelled.any() else w
        self._P = _softmax(A @ self.coef_)
        weighted = self._P.T * w
        self._map = linalg.solve(weighted @ self._P + RIDGE * np.eye(options.shape[1]), weighted, assume_a="pos")
        return self

    def refit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        """Return the same weights: the likelihood of the candidate sets does not depend on estimated labels."""
        return self

    @property
    def width(self) -> int:
        return self.coef_.shape[1]

    def features(self, X: Any) -> NDArray:
        return _softmax(_with_constant(X) @ self.coef_)

    def project(self, phi: Any) -> NDArray:
        return self._map @ dense(phi)

    def loo_operator(self) -> LooOperator:
        own = np.minimum(np.einsum("nc,cn->n", self._P, self._map), 1 - 1e-9)[:, None]

        def leave_one_out(phi: NDArray) -> NDArray:
            return (self._P @ (self._map @ phi) - own * phi) / (1 - own)

        return leave_one_out


def _with_constant(X: Any) -> NDArray:
    """Return the features with a constant one."""
    X = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=float)
    return np.hstack([X, np.ones((len(X), 1))])


def _softmax(scores: NDArray) -> NDArray:
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


def _maximised(A: NDArray, options: NDArray, w: NDArray, penalty: float) -> NDArray:
    """Return the slopes that maximise the penalised likelihood of the sets; the last row has no penalty."""
    shape = A.shape[1], options.shape[1]

    def cost(flat: NDArray) -> tuple[float, NDArray]:
        coef = flat.reshape(shape)
        P = _softmax(A @ coef)
        inside = P * options
        total = np.maximum(inside.sum(axis=1), 1e-300)
        gradient = A.T @ ((P - inside / total[:, None]) * w[:, None])
        gradient[:-1] += penalty * coef[:-1]
        return penalty / 2 * np.square(coef[:-1]).sum() - w @ np.log(total), gradient.ravel()

    found = minimize(cost, np.zeros(shape[0] * shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": MAX_STEPS})
    return found.x.reshape(shape)
