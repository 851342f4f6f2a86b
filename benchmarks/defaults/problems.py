"""The data sets: rows, partial labels, true labels, folds and reference values; all fixed by SEED."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets as plain
from sklearn.model_selection import KFold

from benchmarks.defaults.numbers import SOURCES, TOLD
from infimum import datasets

SEED = 2026
RANKED_ROWS = 600
MISSING = (0.0, 0.3, 0.6)
RANKINGS = ("iris", "wine", "glass", "bodyfat", "housing", "vehicle", "vowel")
NEVER_LOOKED_AT = {"car", "emotions", "rank-glass"}


class Data(NamedTuple):
    """Rows. Methods use `X` and `given` of the training rows; `truth` counts errors, and trains full supervision."""

    X: NDArray
    given: NDArray
    """Labels: (n, m) candidates. Tags: (n, m) in {-1, 0, 1}. Balls: (n, m + 1), the center and the radius. Rankings:
    (n, m) ranks with NaN. Intervals, numbers: (n, 2) bounds."""
    truth: NDArray
    """(n,) classes, (n, m) tags, (n, m) ranks, (n,) numbers; of intervals the bounds, for nobody knows more."""
    folds: NDArray | None = None
    """(n,) where they come with the data."""


class Problem(NamedTuple):
    name: str
    kind: str
    """Which room has its methods and its score."""
    load: Callable[[], Data]
    n_folds: int
    goal: float | None = None
    """A reference value: at least this score, or at most if smaller is better."""
    source: str = ""
    """The data set, where several problems are made of it."""

    @property
    def looked_at(self) -> bool:
        """Whether its rows served when the constants of the default were chosen."""
        return (self.source or self.name) not in NEVER_LOOKED_AT

    def splits(self, data: Data) -> Iterator[tuple[NDArray, NDArray]]:
        """Training and test rows of every fold."""
        if data.folds is None:
            yield from KFold(self.n_folds, shuffle=True, random_state=SEED).split(data.X)
            return
        for fold in np.unique(data.folds):
            yield np.flatnonzero(data.folds != fold), np.flatnonzero(data.folds == fold)


def candidates(X: NDArray, y: NDArray, how: str, c: float) -> Data:
    truth = np.unique(y, return_inverse=True)[1]
    return Data(X, datasets.make_candidate_sets(truth, c, kind=how, random_state=SEED), truth)


def _libsvm(name: str, how: str, c: float, folds: int, goal: float | None = None) -> Problem:
    def load() -> Data:
        found = datasets.load(f"libsvm/{name}", download=False)
        return candidates(found.data, found.target, how, c)

    return Problem(f"{name}-{how}-{c:g}", "labels", load, folds, goal, name)


def _plain(name: str, goal: float | None = None) -> Problem:
    def load() -> Data:
        return candidates(*getattr(plain, f"load_{name}")(return_X_y=True), "uniform", 0.3)

    return Problem(f"{name}-uniform-0.3", "labels", load, 3, goal, name)


def _met(name: str, goal: float) -> Problem:
    """Candidates that were met in practice."""

    def load() -> Data:
        found = datasets.load(f"partial-labels/{name}", download=False)
        return Data(found.data, found.candidates, found.target)

    return Problem(name, "labels", load, 10, goal)


def _car() -> Data:
    found = datasets.load("ordinal/car", download=False)
    return candidates(found.data, found.target, "uniform", 0.3)


def _tags(name: str, kind: str) -> Problem:
    def load() -> Data:
        found = datasets.load(f"mulan/{name}", download=False)
        if kind == "tags":
            return Data(found.data, datasets.drop_tags(found.target, 0.5, random_state=SEED), found.target)
        centers, radii = datasets.make_hamming_balls(found.target, 0.5, random_state=SEED)
        return Data(found.data, np.column_stack([centers, radii]), found.target)

    return Problem(f"{name}-{'half' if kind == 'tags' else kind}", kind, load, 3, None, name)


def _ranking(name: str, missing: float) -> Problem:
    def load() -> Data:
        found = datasets.load(f"label-ranking/{name}", download=False)
        rows = np.random.RandomState(SEED).permutation(len(found.data))[:RANKED_ROWS]
        ranks = found.target[rows].astype(float)
        return Data(found.data[rows], datasets.drop_items(ranks, missing, random_state=SEED), ranks)

    return Problem(f"rank-{name}-{missing:g}", "rankings", load, 3, None, f"rank-{name}")


def _intervals(name: str, goal: float) -> Problem:
    def load() -> Data:
        found = datasets.load(f"intervals/{name}", download=False)
        return Data(found.data, found.target, found.target, found.folds)

    return Problem(name, "intervals", load, 5, goal)


def _numbers(name: str, how: str) -> Problem:
    def load() -> Data:
        X, y = SOURCES[name]()
        y = (y - y.mean()) / y.std()
        return Data(X, TOLD[how](y, np.random.RandomState(SEED)), y)

    return Problem(f"{name}-{how}", "numbers", load, 3, None, name)


PARTS: dict[str, list[Problem]] = {
    "labels": [
        _plain("iris"),
        _plain("wine", 0.967),
        *(_libsvm("svmguide2", how, c, 8) for how, c in (("uniform", 0.5), ("skewed", 0.5), ("skewed", 0.8))),
        _libsvm("vowel", "uniform", 0.3, 3),
        _libsvm("vowel", "uniform", 0.5, 8, 0.82),
        _libsvm("vowel", "skewed", 0.5, 8),
        _libsvm("vowel", "skewed", 0.8, 8),
        _met("lost", 0.84),
        _plain("digits", 0.976),
        _met("MSRCv2", 0.57),
        _libsvm("segment", "uniform", 0.3, 3),
        _libsvm("segment", "uniform", 0.5, 8, 0.972),
        _libsvm("segment", "skewed", 0.5, 8),
        _libsvm("segment", "skewed", 0.8, 8),
        _libsvm("dna", "uniform", 0.5, 8),
        _libsvm("dna", "skewed", 0.5, 8, 0.96),
        _libsvm("dna", "skewed", 0.8, 8, 0.945),
        Problem("car-uniform-0.3", "ordinal", _car, 3, None, "car"),
    ],
    "intervals": [_intervals("neuroblastoma.bac", 0.041), _intervals("H3K4me3_TDH_immune_FPOP", 0.220)],
    "numbers": [_numbers(name, how) for name in SOURCES for how in TOLD],
    "rankings": [_ranking(name, missing) for name in RANKINGS for missing in MISSING],
    "tags": [_tags(name, kind) for name in ("emotions", "scene") for kind in ("tags", "balls")],
}
"""What is measured, in the order in which it is run: the small ones of a part first."""


def wanted(part: str, only: Any = None) -> list[Problem]:
    """The problems of a part, or those whose name holds the text `only`."""
    return [problem for problem in PARTS[part] if only is None or only in problem.name]
