"""Weights at scale: Nyström, leave-one-out paths, queries, forest and neighbours.

A whole run takes 200,000 rows; ``python -m benchmarks weights:million`` takes a million, ``weights:cluster`` ten
million in Parquet files, on a Dask cluster of two workers one of which is killed.
"""

from __future__ import annotations

import math

import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils import gen_batches

from benchmarks._cluster import cluster
from benchmarks._tools import Job, Table, peak_bytes, run_parts, side_by_side, traced_bytes
from infimum import PartialClassifier, weights
from infimum.data.memory import available

D, CLASSES, CENTERS, LAM, GAMMA = 20, 10, 1000, 1e-6, 0.02
GIB = 2**30


def main(names: list[str] | None = None) -> None:
    rng = np.random.default_rng(0)
    parts = {
        "forest": lambda: forest_and_neighbors(rng, 10_000),
        "nystrom": lambda: queries(rng, nystrom(rng, 200_000), 200_000),
        "million": lambda: queries(rng, nystrom(rng, 1_000_000), 1_000_000),
        "cluster": lambda: cluster(10_000_000),
    }
    run_parts(parts, names)


def blobs(rng: np.random.Generator, n: int) -> tuple[NDArray, NDArray]:
    """Ten classes, each of four Gaussian clouds: no linear rule tells them apart."""
    centers = np.random.default_rng(1).standard_normal((4 * CLASSES, D)) * 1.2
    cloud = rng.integers(4 * CLASSES, size=n)
    X = rng.standard_normal((n, D))
    X += centers[cloud]
    return X, cloud % CLASSES


def nystrom(rng: np.random.Generator, n: int) -> PartialClassifier:
    """Fit beside Nystroem + Ridge of scikit-learn: same kernel, same ridge, as many centres, both on all cores.

    Chunks go to threads through joblib, as the guide says; scikit-learn's products are threaded by BLAS.
    """
    table = Table(f"Nyström: n = {n}, d = {D}, {CENTERS} centres, {CLASSES} classes")
    X, y = blobs(rng, n)
    unseen, truth = blobs(rng, 20_000)
    model = PartialClassifier.paper(weights=weights.Nystrom(CENTERS, lam=LAM, gamma=GAMMA))
    smaller = PartialClassifier.paper(weights=model.weights)

    def fit(model: PartialClassifier, rows: int) -> None:
        with parallel_config(backend="threading", n_jobs=-1):
            model.fit(X[:rows], y[:rows])

    fit(smaller, n // 10)
    peak = peak_bytes(lambda: fit(model, n))
    table.row("peak memory of fit, beyond X", f"{peak / GIB:.2f} GiB", "at most 0.3 GiB", peak <= 0.3 * GIB)
    times = side_by_side(lambda: fit(model, n), lambda: fit(smaller, n // 10), 2)
    exponent = math.log10(times[0] / times[1])
    table.row(f"time grows from {n // 10} to {n} as", f"n^{exponent:.2f}", "at most n^1.1", exponent <= 1.1)

    # scikit-learn holds the features of all rows, twice: where they do not fit, a tenth of the rows are compared
    rows, ours = (n, model) if available() > 2.2 * 8 * n * CENTERS else (n // 10, smaller)
    features = Nystroem(gamma=GAMMA, n_components=CENTERS, random_state=0)
    pipeline = make_pipeline(features, Ridge(alpha=rows * LAM, copy_X=False, solver="cholesky"))

    def reference() -> None:
        pipeline.fit(X[:rows], np.eye(CLASSES)[y[:rows]])

    table.job(Job(f"fit {rows} / scikit-learn's Nystroem + Ridge", lambda: fit(ours, rows), reference, 1 / 3, 2))
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

    table.job(Job("predict / bare kernel, product, argmin", lambda: model.predict(X), bare, 1.3, 3))
    few, many = (traced_bytes(lambda k=k: model.predict(X[:k])) - 16 * k for k in (q // 10, q))
    table.ratio(f"peak memory of predict beside its result, {q} / {q // 10} queries", many, few, 1.3)


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
        model = PartialClassifier.paper(weights=family)
        fits = side_by_side(lambda m=model: m.fit(X, y), lambda r=reference: r.fit(X, y), 2)
        answers = side_by_side(lambda m=model: m.predict(unseen), lambda r=reference: r.predict(unseen), 2)
        both = [sum(pair) for pair in zip(fits, answers)]
        table.ratio(f"{name}: fit and predict / {type(reference).__name__}", *both, 1.5)
        ours, theirs = model.score(unseen, truth), reference.score(unseen, truth)
        table.row(f"{name}: accuracy, ours - theirs", f"{ours:.4f} - {theirs:.4f}")


if __name__ == "__main__":
    main()
