"""RidgeCV: lam and gamma chosen from the sets alone, by leave-one-out along whole paths."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .base import Path, Task, Weights
from .kernel import KernelRidge
from .left_out import HeldOut, LeftOut


class RidgeCV(Weights):
    """Ridge weights at the (lam, gamma) of the smallest leave-one-out set risk.

    (1/n) sum_i L(z_i, S_i), where z_i is predicted at x_i from the other rows. One reduction of the kernel matrix (or
    of the normal equations) a gamma serves every lam; the weights themselves are then fitted at the best pair.

    Parameters
    ----------
    weights : KernelRidge, Nystrom or LinearRidge, optional
        Where all other settings are taken from; ``KernelRidge()`` by default.
    lams : array, optional
        Values of lam; by default 20 of them between 1e-7 and 1, in equal ratios.
    gammas : list, optional
        Values of gamma, "scale" among them if wanted; by default the gamma of `weights`.

    Attributes
    ----------
    weights_ : Weights
        Fitted at the best pair.
    lam_, gamma_ : float
        The best pair; gamma_ is None for weights without a kernel.
    risks_ : (n_gammas, n_lams)
        The leave-one-out risks. On a tie the largest lam is taken.

    Notes
    -----
    The ridge n lam of a leave-one-out prediction is that of n rows, not of n - 1. Weights know nothing about outputs:
    the estimator tells them how to judge a path (`Weights.told`). Used on their own, they take the mean of
    ``|sum_j alpha_j(x_i) phi_j - phi_i|²`` over the rows instead.

    Examples
    --------
    >>> X = np.linspace(0, 1, 20)[:, None]
    >>> chosen = RidgeCV(gammas=[.1, 10.]).fit(X, np.sin(6 * X))
    >>> chosen.gamma_, chosen.risks_.shape
    (10.0, (2, 20))
    """

    signed: ClassVar[bool] = True

    def __init__(self, weights=None, lams=None, gammas=None):
        self.weights = weights
        self.lams = lams
        self.gammas = gammas

    def told(self, task: Task) -> Self:
        self._task = task
        return self

    def fit(self, X: Any, phi: Any = None, sample_weight: Any = None) -> Self:
        base = KernelRidge() if self.weights is None else self.weights
        if not hasattr(base, "path"):
            raise ValueError(f"RidgeCV is for KernelRidge, Nystrom and LinearRidge. Got {base!r} instead.")
        if phi is None:
            raise ValueError("RidgeCV judges by what is predicted: fit(X, phi) needs phi of shape (n, d).")
        lams = np.logspace(-7, 0, 20) if self.lams is None else np.asarray(self.lams, dtype=float)
        if lams.ndim != 1 or not len(lams) or not (lams > 0).all():
            raise ValueError(f"lams must be positive numbers. Got {self.lams!r}.")
        task = self.__dict__.pop("_task", None)
        risks = _Squares(phi, sample_weight) if task is None else task.risks
        families = [clone(base)] if self.gammas is None else [clone(base).set_params(gamma=g) for g in self.gammas]
        table = np.array([risks(family.path(X, lams, sample_weight)) for family in families])
        # the smallest risk; of equals, the largest lam
        g, l = min(np.ndindex(table.shape), key=lambda at: (table[at], -lams[at[1]]))
        best = clone(families[g]).set_params(lam=float(lams[l])).fit(X, phi, sample_weight)
        self.risks_, self.lams_ = table, lams
        self.lam_, self.gamma_ = float(lams[l]), getattr(families[g], "gamma_", None)
        self.n_rows_, self.weights_ = best.n_rows_, best
        return self

    def features(self, X: Any) -> Any:
        return self.weights_.features(X)

    def fold(self, phi: Any) -> Any:
        return self.weights_.fold(phi)

    def folds(self, *phis: Any) -> tuple:
        return self.weights_.folds(*phis)

    def spread(self, features: Any) -> NDArray:
        return self.weights_.spread(features)

    def leave_one_out(self, phi: Any) -> NDArray:
        return self.weights_.leave_one_out(phi)

    def left_out(self) -> LeftOut:
        return self.weights_.left_out()

    def held_out(self, X: Any, phi: Any, sample_weight: Any, blocks: list[NDArray]) -> HeldOut:
        # at the pair that was chosen from all the rows
        return self.weights_.held_out(X, phi, sample_weight, blocks)

    def release(self, summed: bool = False) -> None:
        self.weights_.release(summed)

    @property
    def width(self) -> int:
        return self.weights_.width


class _Squares:
    """path -> mean over rows of |F_i - phi_i|², at every setting."""

    def __init__(self, phi: Any, sample_weight: Any):
        self.phi = phi
        self.sample_weight = sample_weight

    def __call__(self, path: Path) -> list[float]:
        return [
            float(np.average(np.square(np.asarray(F - self.phi)).sum(axis=1), weights=self.sample_weight))
            for F in path(self.phi)
        ]
