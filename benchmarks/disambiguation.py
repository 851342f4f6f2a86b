"""Disambiguation and model selection without true labels, beside full supervision and simpler methods.

Folds and corruptions are fixed by SEED. Within each training fold a `PartialSearch` selects one of its 12 settings by
held-out candidate sets. True labels are used only to count errors on the test fold. "The best of the 12" is the
single setting with the best mean accuracy on the *test* folds (the first four of them if n > 1500), which
requires true labels. With one BLAS thread, the CPU time is about the wall time of an idle machine.

``python -m benchmarks.disambiguation [name …]`` runs some of the data sets.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks._tools import Table
from infimum import Disambiguation, PartialClassifier, PartialSearch, datasets

SEED = 2026


class Problem(NamedTuple):
    X: NDArray
    truth: NDArray
    candidates: NDArray
    folds: int
    target: float
    """A reference value for the error; NaN if there is none."""
    seconds: float = np.inf
    """A limit for the time of all folds, in seconds."""


def _real(name: str, target: float, seconds: float) -> Problem:
    data = datasets.load(f"partial-labels/{name}", download=False)
    return Problem(data.data, data.target, data.candidates, 10, target, seconds)


def _corrupted(name: str, kind: str, c: float, target: float) -> Problem:
    data = datasets.load(f"libsvm/{name}", download=False)
    truth = np.unique(data.target, return_inverse=True)[1]
    return Problem(data.data, truth, datasets.make_candidate_sets(truth, c, kind=kind, random_state=SEED), 8, target)


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "lost": lambda: _real("lost", 0.18, 60),
    "MSRCv2": lambda: _real("MSRCv2", 0.47, 120),
    "dna-.5": lambda: _corrupted("dna", "skewed", 0.5, 0.06),
    "dna-.8": lambda: _corrupted("dna", "skewed", 0.8, 0.06),
    "segment": lambda: _corrupted("segment", "uniform", 0.5, 0.066),
    "vowel": lambda: _corrupted("vowel", "uniform", 0.5, np.nan),
}


def voting(X: NDArray, candidates: NDArray, queries: NDArray, k: int = 10) -> NDArray:
    """The class that most of the k nearest rows have among their candidates, nearer rows counting more.

    The weighting by rank of Hüllermeier and Beringer (2006), PL-kNN.
    """
    scaler = StandardScaler().fit(X)
    at = NearestNeighbors(n_neighbors=k).fit(scaler.transform(X)).kneighbors(scaler.transform(queries))[1]
    return np.einsum("k,qkm->qm", np.arange(k, 0, -1.0), candidates[at]).argmax(axis=1)


def run(name: str) -> None:
    problem = PROBLEMS[name]()
    X, truth, candidates = problem[:3]
    exact = np.eye(candidates.shape[1], dtype=bool)[truth]
    splits = list(KFold(problem.folds, shuffle=True, random_state=SEED).split(X))
    errors: dict[str, list[float]] = {}
    settings: dict[tuple, list[float]] = {}
    spent = np.zeros(2)
    for train, test in splits:
        start = _clocks()
        search = PartialSearch().fit(X[train], candidates[train])
        errors.setdefault("chosen", []).append(np.mean(search.predict(X[test]) != truth[test]))
        spent += _clocks() - start
        if len(errors["chosen"]) <= (4 if len(X) > 1500 else problem.folds):
            for key, model in _every_setting(search):
                model.fit(X[train], candidates[train])
                settings.setdefault(key, []).append(np.mean(model.predict(X[test]) != truth[test]))
        best = search.best_estimator_
        for what, principle, sets in BASELINES:
            model = clone(best).set_params(principle=principle)
            model.fit(X[train], exact[train] if sets == "exact" else candidates[train])
            errors.setdefault(what, []).append(np.mean(model.predict(X[test]) != truth[test]))
        plain = PartialSearch(gammas=[0.5, 2], lams=[1e-5, 1e-3], principles=["infimum", "joint", "average"])
        plain.fit(X[train], candidates[train])
        errors.setdefault(PLAIN, []).append(np.mean(plain.predict(X[test]) != truth[test]))
        votes = voting(X[train], candidates[train], X[test])
        errors.setdefault("PL-kNN voting, k = 10", []).append(np.mean(votes != truth[test]))
    report(name, problem, errors, settings, spent)


PLAIN = "infimum, joint or average, by held-out set risk (48)"
BASELINES = (
    ("infimum, same weights", "infimum", "candidates"),
    ("average, same weights", "average", "candidates"),
    ("full supervision, same weights", "infimum", "exact"),
)


def _every_setting(search: PartialSearch) -> Iterator[tuple[tuple, PartialClassifier]]:
    """Every row of a path, as its name and as a model that is yet to be fitted."""
    model = PartialClassifier.paper(principle=Disambiguation(threshold=None))
    for params, median in zip(search.cv_results_["params"], search.cv_results_["median_distance"]):
        yield tuple(params[k] for k in ("scaling", "kernel", "gamma", "lam")), search._configured(model, params, median)


def report(name: str, problem: Problem, errors: dict, settings: dict, spent: NDArray) -> None:
    table = Table(f"{name}: error, mean ± std over {problem.folds} folds (seed {SEED})")
    chosen = float(np.mean(errors["chosen"]))
    asked = "" if np.isnan(problem.target) else f"at most {problem.target:g}"
    table.row("soft disambiguation, setting selected without true labels", _shown(errors["chosen"]), asked,
              None if np.isnan(problem.target) else chosen <= problem.target)  # fmt: skip
    oracle = min(settings, key=lambda key: np.mean(settings[key]))
    run = len(settings[oracle])
    gap = float(np.mean(errors["chosen"][:run]) - np.mean(settings[oracle]))
    table.row(f"  the best of the 12 on {run} test folds", _shown(settings[oracle]), " ".join(map(str, oracle)))
    table.row("  lost to it on these folds", f"{100 * gap:.1f} points", "at most 2", gap <= 0.02)
    limit = f"at most {problem.seconds:g} s" if np.isfinite(problem.seconds) else ""
    shown = f"{spent[0]:.0f} s ({spent[1]:.0f} s processor)"
    table.row("  time of all searches, fits and predictions", shown, limit,
              spent[0] <= problem.seconds if limit else None)  # fmt: skip
    for what, values in errors.items():
        if what != "chosen":
            table.row(what, _shown(values))


def _clocks() -> NDArray:
    return np.array([time.perf_counter(), time.process_time()])


def _shown(values: list[float]) -> str:
    return f"{np.mean(values):.4f} ± {np.std(values):.4f}"


def main(names: list[str] | None = None) -> None:
    with threadpool_limits(1):
        for name in names or PROBLEMS:
            run(name)


if __name__ == "__main__":
    main(sys.argv[1:])
