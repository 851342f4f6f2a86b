"""Calibration error of probabilities, before and after temperature scaling on candidate sets.

Three splits of every table, two thirds of the rows for the fit. The error is the mean distance, over ten bins of equal
number, between the probability of the most probable class and the share of new rows in which it is the true label; the
log-likelihood is that of the true labels of new rows. Models and calibration use candidate sets only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks._tools import Table
from infimum import PartialClassifier, datasets, weights
from infimum.evidence.calibration import TemperatureScaling, mean_log_likelihood, reliability

SEEDS = range(3)
PRINCIPLES = ("disambiguation", "average", "infimum")


def tables() -> dict[str, tuple[NDArray, NDArray, NDArray]]:
    """Inputs, true classes, candidates."""
    X, y = load_digits(return_X_y=True)
    segment = datasets.load("libsvm/segment", download=False)
    z = np.unique(segment.target, return_inverse=True)[1]
    real = {name: datasets.load(f"partial-labels/{name}", download=False) for name in ("lost", "MSRCv2")}
    return {
        "digits, .5": (X, y, datasets.make_candidate_sets(y, 0.5, random_state=0)),
        "segment, .5": (segment.data, z, datasets.make_candidate_sets(z, 0.5, random_state=0)),
        **{name: (data.data, data.target, data.candidates) for name, data in real.items()},
    }


def judged(P: NDArray, truth: NDArray) -> tuple[float, float]:
    mask = np.eye(P.shape[1], dtype=bool)[truth]
    found = reliability(P, mask)
    return float(np.abs(found.confidence - found.high).mean()), mean_log_likelihood(P[:, None], mask[:, None])


def run(name: str, X: NDArray, truth: NDArray, candidates: NDArray) -> None:
    X = StandardScaler().fit_transform(X)
    table = Table(f"{name}: distance of probabilities from shares, log-likelihood of the true labels")
    family = weights.KernelRidge(lam=1e-5, kernel="laplacian", gamma=1 / X.shape[1])
    for principle in PRINCIPLES:
        found: dict[str, list[tuple[float, float]]] = {"as they are": [], "temperature": []}
        for seed in SEEDS:
            order = np.random.default_rng(seed).permutation(len(X))
            fit, new = np.split(order, [2 * len(X) // 3])
            model = PartialClassifier(
                principle=principle,
                negative_weights="inside",
                weights=family,
                classes=list(range(candidates.shape[1])),
                probabilities="temperature",
            ).fit(X[fit], candidates[fit])
            found["temperature"].append(judged(model.predict_proba(X[new]), truth[new]))
            model.calibrator_ = TemperatureScaling()  # not fitted
            found["as they are"].append(judged(model.predict_proba(X[new]), truth[new]))
        for kind, rows in found.items():
            error, value = np.mean(rows, axis=0)
            table.row(f"{principle}, {kind}", f"{error:.3f}, {value:.3f}")


def main() -> None:
    with threadpool_limits(1):
        for name, data in tables().items():
            run(name, *data)


if __name__ == "__main__":
    main()
