"""How far the scores of ``selection_`` are from those on new rows, on 50 simulated tables of candidate sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks._tools import Table, kept
from infimum import PartialClassifier, datasets

N_TABLES = 50
N_NEW = 2000


def table_of(seed: int) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Return X and candidates of the rows to fit, and those of new rows; every fifth table has independent labels."""
    rng = np.random.default_rng(seed)
    n, p, m = int(rng.integers(60, 600)), int(rng.integers(3, 40)), int(rng.integers(2, 9))
    X = rng.normal(size=(n + N_NEW, p)) * np.exp(rng.normal(size=p))
    Z = X / X.std(axis=0)
    if seed % 2:  # linear scores, with some interactions
        scores = Z @ rng.normal(size=(p, m)) + (Z[:, :1] * Z[:, 1:2]) * rng.normal(size=m) * 2
    else:  # boxes
        scores = sum((Z[:, [j]] > rng.normal()) * rng.normal(size=m) * 3 for j in rng.integers(0, p, 6))
    noise = rng.gumbel(size=(n + N_NEW, m))
    y = (noise + (0 if seed % 5 == 0 else scores * rng.uniform(0.3, 2))).argmax(axis=1)
    sets = datasets.make_candidate_sets(np.r_[np.arange(m), y], rng.uniform(0, 0.5), random_state=seed)[m:]
    return X[:n], sets[:n], X[n:], sets[n:]


def one_table(seed: int) -> list[float]:
    """Return the covering rate of the selection, the one on new rows, and the standard error of their difference."""
    X, sets, X_new, sets_new = table_of(seed)
    model = PartialClassifier().fit(X, sets)
    promised = float(model.selection_.scores["covering_rate"])
    labelled = ~sets_new.all(axis=1)  # scores do not count unlabelled rows
    inside = sets_new[np.arange(N_NEW), model.predict(X_new)][labelled]
    spread = promised * (1 - promised) / model.selection_.scores["n_labelled"] + inside.var() / len(inside)
    return [promised, float(inside.mean()), float(np.sqrt(spread + 1e-9))]


def main(names: list[str] | None = None) -> None:
    found = np.array([kept("promise", str(seed), lambda seed=seed: one_table(seed)) for seed in range(N_TABLES)])
    z = (found[:, 0] - found[:, 1]) / found[:, 2]
    table = Table(f"Covering rate of the selected model: cross-validation and {N_NEW:,} new rows, {N_TABLES} tables")
    table.row(
        "mean difference", f"{np.mean(found[:, 0] - found[:, 1]):+.4f}", "in standard errors " + f"{z.mean():+.2f}"
    )
    table.row("within two standard errors", f"{np.mean(np.abs(z) <= 2):.0%} of the tables")
    table.row("too high by more than two", f"{np.mean(z > 2):.0%} of the tables")
