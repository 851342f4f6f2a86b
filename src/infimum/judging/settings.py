"""What "auto" chooses between: families of weights at a few settings, and principles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances

from .._memory import require
from ..outputs.base import Sets
from ..weights import Forest, KernelRidge, Neighbors, Nystrom, Scaled, Weights

EXACT_ROWS = 8_000  # beyond, kernels go through centres
FOREST_ROWS = 20_000  # beyond, growing trees on embedded sets takes longer than all the rest
NARROW_ROWS = 200_000  # beyond, only the kernel that is one product of matrices
DISTANCES = {"rbf": lambda X: euclidean_distances(X, squared=True), "laplacian": manhattan_distances}
SCALINGS = ("none", "standard", "unit")


@dataclass(frozen=True)
class Kernel:
    """One kernel ridge: gamma in units of 1 / (the median distance), lam at n rows."""

    scaling: str
    kernel: str
    gamma: float
    lam: float

    @property
    def columns(self) -> dict[str, Any]:
        return {"weights": "kernel", **vars(self)}

    def near(self) -> list[Kernel]:
        """The settings next to this one, in gamma and in lam."""
        steps = [(2.0, 1.0), (0.5, 1.0), (1.0, 10.0), (1.0, 0.1)]
        return [Kernel(self.scaling, self.kernel, self.gamma * g, self.lam * l) for g, l in steps]


@dataclass(frozen=True)
class Other:
    """Weights that stand for themselves."""

    name: str
    weights: Weights = field(compare=False)
    detail: str = ""

    @property
    def columns(self) -> dict[str, Any]:
        none = {"scaling": "", "kernel": self.detail, "gamma": np.nan, "lam": np.nan}
        return {"weights": self.name, **none}

    def near(self) -> list:
        return []


class Ground:
    """Some rows on which settings are compared: distances are computed once, kernels once a setting."""

    def __init__(self, X: Any, w: NDArray | None):
        self.X, self.w = X, w
        self._distances: dict[tuple[str, str], tuple[NDArray, float]] = {}

    def distance(self, scaling: str, kernel: str) -> tuple[NDArray, float]:
        """Distances between the scaled rows, and their median."""
        if (scaling, kernel) not in self._distances:
            n = self.X.shape[0]
            require(8 * 8 * n**2, f"Comparing kernels on {n} rows", "Choose on fewer rows.")
            D = DISTANCES[kernel](scaled(scaling, self.X, self.w))
            self._distances[scaling, kernel] = D, float(np.median(D)) or 1.0
        return self._distances[scaling, kernel]

    @cached_property
    def ridge_scale(self) -> float:
        return float(self.X.shape[0] if self.w is None else self.w.sum())

    def kernel_weights(self, setting: Kernel) -> tuple[Weights, Any]:
        """Kernel ridge from distances that are already there, and what it is fitted on."""
        D, unit = self.distance(setting.scaling, setting.kernel)
        K = np.exp(D * (-setting.gamma / unit))
        return KernelRidge(setting.lam, kernel="precomputed", gamma=None), K

    def final(self, setting: Kernel | Other, n: int, random_state: Any) -> Weights:
        """The weights themselves, for all n rows: exact while that pays, through centres beyond."""
        if isinstance(setting, Other):
            return setting.weights
        _, unit = self.distance(setting.scaling, setting.kernel)
        # the ridge n lam grows as the root of n: between a constant noise and a constant lam
        lam = setting.lam * float(np.sqrt(self.ridge_scale / max(n, self.ridge_scale)))
        shape: dict[str, Any] = {"lam": lam, "kernel": setting.kernel, "gamma": setting.gamma / unit}
        family: Weights = KernelRidge(**shape)
        if n > EXACT_ROWS:
            family = Nystrom(n_centers(n), **shape, dtype="float32", random_state=random_state)
        return family if setting.scaling == "none" else Scaled(family, setting.scaling)


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


def first_settings(n: int, is_sparse: bool, costly: bool, random_state: Any) -> Iterator[Kernel | Other]:
    """Where the comparison begins."""
    kernels = ("rbf",) if n > NARROW_ROWS else ("rbf", "laplacian")
    gammas = (1.0,) if costly else (0.5, 1.0, 2.0)
    for lam in (1e-5, 1e-3):
        for scaling in ("standard", "unit"):
            for kernel in kernels:
                for gamma in gammas:
                    yield Kernel(scaling, kernel, gamma, lam)
    if n <= FOREST_ROWS and not is_sparse:
        for leaf in (1, 5):
            yield Other("forest", Forest(100, min_samples_leaf=leaf, random_state=random_state), f"leaves of {leaf}")
    if n <= FOREST_ROWS:
        for k in (5, 20):
            yield Other("neighbors", Scaled(Neighbors(k, weights="distance")), f"{k} nearest")


def readings(principle: Any, reading: str, sets: Sets) -> list[tuple[Any, str]]:
    """The (principle, negative_weights) that are compared: what is named is kept."""
    named = not (isinstance(principle, str) and principle == "auto")
    both = ["inside", "joint"] if reading == "auto" else [reading]
    if named:
        once = not isinstance(principle, str) or principle in ("average", "disambiguation")
        return [(principle, "inside" if reading == "auto" else reading)] if once else [(principle, r) for r in both]
    found: list[tuple[Any, str]] = [("disambiguation", both[0]), ("average", both[0])]
    return [*found, *(("infimum", r) for r in both)]


def is_sparse(X: Any) -> bool:
    return bool(sparse.issparse(X))

