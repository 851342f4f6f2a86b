"""What is chosen between: families of weights at a few settings, and principles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse

from ..outputs.base import Sets
from ..weights import Forest, Neighbors, Scaled, Weights

# with fewer rows trees see too little, with more of them growing takes longer than all the rest
FOREST_ROWS = (50, 20_000)
NARROW_ROWS = 200_000  # beyond, only the kernel that is one product of matrices
SPARSE_ROWS = 5_000  # the same for sparse rows, whose city-block distances take forty times as long
LAMS = (1e-5, 1e-3)
GAMMAS = (0.5, 1.0, 2.0)
LINEAR_LAMS = (1e-3, 1e-1)
LINEAR_COLUMNS = 300  # beyond, the normal equations take longer than kernels of a thousand rows
RELEVANT = {"standard": "relevant", "unit": "relevant unit"}
RELEVANT_COLUMNS = 300  # beyond, slopes take longer than all the rest
LEAST = 1e-7  # the smallest lam that is tried: beyond, only rounding changes


def _plain(lam: float) -> float:
    """Without the last digits: ways that lead to one setting lead to the same number."""
    return float(f"{lam:.6g}")


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

    def relevant(self) -> Kernel:
        """The same on features that are multiplied by their relevance."""
        scaling = RELEVANT.get(self.scaling, self.scaling)
        return Kernel(scaling, self.kernel, self.gamma, self.lam)

    def near(self) -> list[Kernel]:
        """The settings next to this one, in gamma and in lam."""
        steps = [(2.0, 1.0), (0.5, 1.0), (1.0, 10.0), (1.0, 0.1)]
        found = [Kernel(self.scaling, self.kernel, self.gamma * g, _plain(self.lam * l)) for g, l in steps]
        return [one for one in found if LEAST <= one.lam <= 1]


@dataclass(frozen=True)
class Linear:
    """One linear ridge on columns of one scale."""

    lam: float

    @property
    def columns(self) -> dict[str, Any]:
        return {"weights": "linear", "scaling": "standard", "kernel": "", "gamma": np.nan, "lam": self.lam}

    def near(self) -> list[Linear]:
        return [Linear(lam) for lam in (_plain(self.lam * 10), _plain(self.lam / 10)) if LEAST <= lam <= 10]


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


Setting = Kernel | Linear | Other


def first_settings(n: int, X: Any, costly: bool, random_state: Any, n_jobs: int | None) -> Iterator[Setting]:
    """Where the comparison begins, for n rows of which X are some: first half of the kernels, and the others between.

    Trees hold the interpreter's lock for much of their time, and kernels go on meanwhile.
    """
    kernels = ("rbf",) if n > (SPARSE_ROWS if sparse.issparse(X) else NARROW_ROWS) else ("rbf", "laplacian")
    gammas = (1.0,) if costly else GAMMAS
    first, second = ([Kernel(*one, lam) for one in product(("standard", "unit"), kernels, gammas)] for lam in LAMS)
    yield from first
    if X.shape[1] <= LINEAR_COLUMNS:
        yield from map(Linear, LINEAR_LAMS)
    if FOREST_ROWS[0] <= n <= FOREST_ROWS[1] and not sparse.issparse(X):
        for leaf in (1, 5):
            forest = Forest(100, min_samples_leaf=leaf, random_state=random_state, n_jobs=n_jobs)
            yield Other("forest", forest, f"leaves of {leaf}")
    if n <= FOREST_ROWS[1]:
        for k in (5, 20):
            yield Other("neighbors", Scaled(Neighbors(k, weights="distance", n_jobs=n_jobs)), f"{k} nearest")
    yield from second


def readings(principle: Any, reading: str, signed: bool = True) -> list[tuple[Any, str]]:
    """The (principle, negative_weights) that are compared, the first of equals first: what is named is kept."""
    is_open = isinstance(principle, str) and principle == "auto"
    both = [reading] if reading != "auto" else ["inside", "joint"] if signed else ["inside"]
    if not is_open:
        once = not isinstance(principle, str) or principle in ("average", "disambiguation")
        return [(principle, r) for r in (both[:1] if once else both)]
    return [("disambiguation", both[0]), *(("infimum", r) for r in both), ("average", both[0])]


def is_costly(sets: Sets) -> bool:
    """Whether predicting needs a search, as where no principle but the average is linear."""
    return sets.embed("infimum") is None and sets.curves("infimum") is None and sets.coordinates() is None
