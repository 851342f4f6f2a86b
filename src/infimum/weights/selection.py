"""RidgeCV: lam and gamma chosen from the sets alone, by leave-one-out along whole paths."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .._checks import check_numbers
from .around import Around
from .base import Weights, as_target
from .kernel_ridge import KernelRidge
from .left_out import HeldOut, Path


class RidgeCV(Around):
    """Ridge weights at the (lam, gamma) of the smallest leave-one-out set risk.

    (1/n) sum_i inf over y in S_i of l(z_i, y), where z_i is predicted at x_i from the other rows. One reduction of the
    kernel matrix (or of the normal equations) a gamma serves every lam; the weights themselves are then fitted at the
    best pair.

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
    the target that an estimator gives to `fit` says how wrong the predictions of its own principle, reading and solver
    are. Weights on their own take the mean of ``|sum_j alpha_j(x_i) phi_j - phi_i|²`` over the rows instead.

    Examples
    --------
    >>> X = np.linspace(0, 1, 20)[:, None]
    >>> chosen = RidgeCV(gammas=[.1, 10.]).fit(X, np.sin(6 * X))
    >>> chosen.gamma_, chosen.risks_.shape
    (10.0, (2, 20))
    """

    def __init__(self, weights: Any = None, lams: Any = None, gammas: Any = None) -> None:
        self.weights = weights
        self.lams = lams
        self.gammas = gammas

    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        target = as_target(target)
        if target is None:
            raise ValueError("RidgeCV judges by what is predicted: fit(X, phi) needs phi of shape (n, d).")
        if self.lams is not None:
            check_numbers(self, "lams")
        if self.gammas is not None:
            check_numbers(self, "gammas", words=["scale"])
        lams = np.logspace(-7, 0, 20) if self.lams is None else np.asarray(self.lams, dtype=float)
        families = self._families()
        paths = (self._path(family, X, lams, sample_weight) for family in families)
        table = np.array([target.risks(path, sample_weight) for path in paths])
        # the smallest risk; of equals, the largest lam
        g, l = min(np.ndindex(table.shape), key=lambda at: (table[at], -lams[at[1]]))
        best = clone(families[g]).set_params(lam=float(lams[l])).fit(X, target, sample_weight)
        self.risks_, self.lams_ = table, lams
        self.lam_, self.gamma_ = float(lams[l]), vars(families[g]).get("gamma_")
        self.n_rows_, self.weights_ = best.n_rows_, best
        return self

    def _base(self) -> Weights:
        return KernelRidge() if self.weights is None else self.weights

    def _families(self) -> list[Weights]:
        base = self._base()
        if "lam" not in base.get_params():
            raise ValueError(
                f"RidgeCV is for KernelRidge, Nystrom and LinearRidge. Got {base!r} instead. To scale features, put"
                " Scaled around it: Scaled(RidgeCV())."
            )
        if self.gammas is None:
            return [clone(base)]
        if "gamma" not in base.get_params():
            raise ValueError(f"gammas= is for weights with a kernel. Got {base!r}.")
        if base.get_params().get("sigma") is not None:
            raise ValueError(f"gammas= would be overruled by sigma: leave one of them out. Got {base!r}.")
        return [clone(base).set_params(gamma=g) for g in self.gammas]

    def _path(self, family: Weights, X: Any, lams: NDArray, sample_weight: Any) -> Path:
        path = family.path(X, lams, sample_weight)
        if path is None:
            raise ValueError(f"RidgeCV is for KernelRidge, Nystrom and LinearRidge. Got {family!r} instead.")
        return path

    @property
    def supervised(self) -> bool:  # type: ignore[override]
        return self._base().supervised

    @property
    def pairwise(self) -> bool:
        return self._base().pairwise

    def features(self, X: Any) -> Any:
        return self.weights_.features(X)

    def fold(self, phi: Any) -> Any:
        return self.weights_.fold(phi)

    def folds(self, *phis: Any) -> tuple:
        return self.weights_.folds(*phis)

    def held_out(self, X: Any, target: Any, sample_weight: Any, blocks: list[NDArray] | None) -> HeldOut:
        # at the pair that was chosen from all the rows
        return self.weights_.held_out(X, target, sample_weight, blocks)

    def release(self, summed: bool = False) -> None:
        self.weights_.release(summed)

    @property
    def width(self) -> int:
        return self.weights_.width
