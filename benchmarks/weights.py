"""Weights at scale: Nyström at a million rows, leave-one-out paths, queries, forest and neighbours.

``python -m benchmarks.weights [--quick]``; the table of the five weights is ``python -m benchmarks.weights_table``.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable

import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import gen_batches

from benchmarks._tools import Table, peak_bytes, side_by_side, traced_bytes
from infimum import PartialClassifier, weights
from infimum._memory import available

D, CLASSES, CENTERS, LAM, GAMMA = 20, 10, 1000, 1e-6, 0.02
GIB = 2**30


def main(quick: bool = "--quick" in sys.argv) -> None:
    rng = np.random.default_rng(0)
    path(rng, 800 if quick else 3000)
    forest_and_neighbors(rng, 3000 if quick else 20_000)
    model = nystrom(rng, 50_000 if quick else 1_000_000)
    queries(rng, model, 50_000 if quick else 1_000_000)


def blobs(rng: np.random.Generator, n: int) -> tuple[NDArray, NDArray]:
    """Ten classes, each of four Gaussian clouds: no linear rule tells them apart."""
    centers = np.random.default_rng(1).standard_normal((4 * CLASSES, D)) * 1.2
    cloud = rng.integers(4 * CLASSES, size=n)
    X = rng.standard_normal((n, D))
    X += centers[cloud]
    return X, cloud % CLASSES


def once(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def nystrom(rng: np.random.Generator, n: int) -> PartialClassifier:
    """Fit beside Nystroem + Ridge of scikit-learn: same kernel, same ridge, as many centres, both on all cores.

    Blocks go to threads through joblib, as the guide says; scikit-learn's products are threaded by BLAS.
    """
    table = Table(f"Nyström: n = {n}, d = {D}, {CENTERS} centres, {CLASSES} classes")
    X, y = blobs(rng, n)
    unseen, truth = blobs(rng, 20_000)
    model = PartialClassifier(weights=weights.Nystrom(CENTERS, lam=LAM, gamma=GAMMA, centers="kmeans++"))
    seconds: list[float] = []
    smaller = PartialClassifier(weights=model.weights)
    with parallel_config(backend="threading", n_jobs=-1):
        peak = peak_bytes(lambda: seconds.append(once(lambda: model.fit(X, y))))
        seconds.append(once(lambda: smaller.fit(X[: n // 10], y[: n // 10])))
    table.row("peak memory of fit, beyond X", f"{peak / GIB:.2f} GiB", "under 1.5 GiB", peak < 1.5 * GIB)
    exponent = math.log10(seconds[0] / seconds[1])
    table.row(f"time grows from {n // 10} to {n} as", f"n^{exponent:.2f}", "at most n^1.1", exponent <= 1.1)

    # scikit-learn holds the features of all rows, twice: where they do not fit, a tenth of the rows are compared
    fits = available() > 2.2 * 8 * n * CENTERS
    rows, ours = (n, model) if fits else (n // 10, smaller)
    features = Nystroem(gamma=GAMMA, n_components=CENTERS, random_state=0)
    pipeline = make_pipeline(features, Ridge(alpha=rows * LAM, copy_X=False, solver="cholesky"))
    theirs = once(lambda: pipeline.fit(X[:rows], np.eye(CLASSES)[y[:rows]]))
    table.ratio(f"fit {rows} / scikit-learn's Nystroem + Ridge", seconds[0 if fits else 1], theirs, 0.5)
    accuracy = ours.score(unseen, truth), float(np.mean(pipeline.predict(unseen).argmax(axis=1) == truth))
    shown = f"{accuracy[0]:.4f} - {accuracy[1]:.4f}"
    table.row("accuracy, ours - theirs", shown, "equal or better", accuracy[0] >= accuracy[1] - 0.0005)
    return model


def queries(rng: np.random.Generator, model: PartialClassifier, q: int) -> None:
    table = Table(f"Predicting {q} queries through {CENTERS} centres")
    X, _ = blobs(rng, q)
    centers, folded = model.weights_.centers_, model.solver_.risk_.phi

    def bare() -> None:
        for rows in gen_batches(q, 2**21 // CENTERS):
            np.argmin(rbf_kernel(X[rows], centers, gamma=GAMMA) @ folded, axis=1)

    table.ratio("predict / bare kernel, product, argmin", *side_by_side(lambda: model.predict(X), bare, 1), 1.3)
    few, many = (traced_bytes(lambda k=k: model.predict(X[:k])) - 16 * k for k in (q // 10, q))
    table.ratio(f"peak memory of predict beside its result, {q} / {q // 10} queries", many, few, 1.3)


def path(rng: np.random.Generator, n: int) -> None:
    """Twenty lams by leave-one-out, beside eight-fold cross-validation by refitting."""
    table = Table(f"A path of 20 lams: n = {n}")
    X, y = blobs(rng, n)
    lams = np.logspace(-7, -1, 20)
    chosen = PartialClassifier(weights=weights.RidgeCV(weights.KernelRidge(gamma=GAMMA), lams=lams))

    def refits() -> None:
        for train, test in StratifiedKFold(8).split(X, y):
            for lam in lams:
                one = PartialClassifier(weights=weights.KernelRidge(lam, gamma=GAMMA)).fit(X[train], y[train])
                one.score(X[test], y[test])

    table.ratio("path and final fit / 8-fold refits", once(lambda: chosen.fit(X, y)), once(refits), 0.25)
    alone = once(lambda: PartialClassifier(weights=weights.KernelRidge(1e-3, gamma=GAMMA)).fit(X, y))
    table.row("one fit", f"{1e3 * alone:.0f} ms")


def forest_and_neighbors(rng: np.random.Generator, n: int) -> None:
    table = Table(f"Forest and neighbours: n = {n}, as many queries")
    X, y = blobs(rng, n)
    unseen, truth = blobs(rng, n)
    pairs = {
        "forest": (
            weights.Forest(100, random_state=0),
            RandomForestClassifier(100, min_samples_leaf=5, random_state=0),
        ),
        "neighbours": (weights.Neighbors(15), KNeighborsClassifier(15)),
    }
    for name, (family, reference) in pairs.items():
        model = PartialClassifier(weights=family)
        fits = side_by_side(lambda m=model: m.fit(X, y), lambda r=reference: r.fit(X, y), 2)
        answers = side_by_side(lambda m=model: m.predict(unseen), lambda r=reference: r.predict(unseen), 2)
        both = [sum(pair) for pair in zip(fits, answers)]
        table.ratio(f"{name}: fit and predict / {type(reference).__name__}", *both, 1.5)
        ours, theirs = model.score(unseen, truth), reference.score(unseen, truth)
        table.row(f"{name}: accuracy, ours - theirs", f"{ours:.4f} - {theirs:.4f}")


if __name__ == "__main__":
    main()
