"""How long a fit of the default takes, beside a random forest's, and the memory that it needs beyond X.

Wall time and CPU time of all threads, the best of three runs up to 5,000 rows. The forest is fitted to a random
candidate per row.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits, make_classification
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_info

from benchmarks._tools import peak_bytes
from benchmarks.defaults import _methods as m
from benchmarks.defaults._work import commit, keep, kept, task_of
from benchmarks.defaults.labels import one_of
from benchmarks.defaults.problems import SEED
from infimum import PartialClassifier, datasets

TESTED = 2000
FEW = 5000  # rows up to which the best of three runs counts


class Size(NamedTuple):
    n: int
    d: int
    n_classes: int
    seconds: float
    """The longest time of a fit, in seconds."""
    memory: int = 0
    """The most memory beyond X; 0 if there is no limit."""
    trees: int = 100
    """How many trees of the forest are grown; its time is that of 100."""

    @property
    def name(self) -> str:
        return f"{self.n:,} × {self.d}, {self.n_classes} classes"


SIZES = {
    "timing": [Size(1_200, 64, 10, 6.0), Size(5_000, 20, 10, 30.0)],
    "large": [Size(50_000, 30, 20, 90.0, trees=20), Size(1_000_000, 20, 10, 240.0, 2 * 2**30, trees=2)],
}


def rows_of(size: Size) -> tuple[NDArray, NDArray]:
    """X and the true classes, with some rows to test on; the digits where the size is theirs."""
    if size.d == 64:
        X, y = load_digits(return_X_y=True)
        order = np.random.RandomState(SEED).permutation(len(X))
        return X[order], y[order]
    informative = size.d // 2
    return make_classification(
        size.n + TESTED, size.d, n_informative=informative, n_redundant=0, n_classes=size.n_classes,
        n_clusters_per_class=1, class_sep=1.5, random_state=SEED,
    )  # fmt: skip


def measured(size: Size) -> dict[str, Any]:
    X, truth = rows_of(size)
    sets = datasets.make_candidate_sets(truth, 0.3, random_state=SEED)[: size.n]
    X, X_new, truth_new = X[: size.n], X[size.n :], truth[size.n :]
    threads = max((pool["num_threads"] for pool in threadpool_info()), default=1)
    clock: dict[str, float] = {}
    found: dict[str, Any] = {}

    def ours() -> None:
        start = time.perf_counter(), time.process_time()
        found["ours"] = m.fitted(m.default(PartialClassifier), X, sets)
        taken = time.perf_counter() - start[0], time.process_time() - start[1]
        if not clock or taken[0] < clock["seconds"]:
            clock["seconds"], clock["processor"] = taken

    memory = peak_bytes(ours)
    for _ in range(2 if size.n <= FEW else 0):
        ours()
    begun = time.process_time()
    forest = RandomForestClassifier(size.trees, random_state=0, n_jobs=threads).fit(X, one_of(sets))
    clock["forest"] = (time.process_time() - begun) * 100 / size.trees
    return {
        "name": size.name, **clock, "memory": memory, "limit": size.seconds, "memory_limit": size.memory,
        "threads": threads, "said": found["ours"].said, "commit": commit(),
        "accuracy": float(np.mean(found["ours"].predict(X_new) == truth_new)),
        "forest_accuracy": float(np.mean(forest.predict(X_new) == truth_new)),
        # a busy machine takes more wall time; on an idle one the wall time is at most the CPU time
        "met": min(clock["seconds"], clock["processor"]) <= size.seconds and memory <= (size.memory or np.inf),
    }  # fmt: skip


def run(part: str, out: Path, only: str | None = None) -> None:
    """Time what is not timed yet."""
    for size in SIZES[part]:
        task = task_of(size.name, m.OURS, 0)
        if (only is None or only in size.name) and kept(out, task) is None:
            keep(out, task, measured(size))


def timed(out: Path) -> list[dict[str, Any]]:
    """What is kept of all sizes."""
    found = (kept(out, task_of(size.name, m.OURS, 0)) for part in SIZES.values() for size in part)
    return [row for row in found if row is not None]
