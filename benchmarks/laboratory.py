"""Simulated inhibitory concentrations on wide tables, beside a forest: ``python -m benchmarks laboratory``.

Rows are isolates, features are genes, and the target is the interval of a dilution series.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

from benchmarks._tools import Table, kept, run_parts
from infimum import PartialRegressor


class Isolates(NamedTuple):
    """A simulated table: how values depend on genes, and which concentrations were tested (log2)."""

    n: int
    d: int
    genes: int
    effect: tuple[float, float]
    seed: int
    lowest: int
    highest: int
    base: float = -1.0
    small: int = 0
    """Genes with small effects."""
    largest: bool = False
    """Whether only the gene of the largest effect counts."""
    noise: float = 0.7
    silent: float = 0.0
    """Share of resistance genes without effect."""
    hidden: float = 0.0
    """Share of isolates without a gene that have its effect."""
    carriers: float = 0.3
    """Share of sub-lineages that carry a resistance gene."""


TABLES = {
    "two modes": Isolates(1200, 800, 2, (7, 10), 101, -3, 5, base=-3.0, silent=0.15, hidden=0.05, carriers=0.25),
    "graded": Isolates(1000, 1400, 8, (0.5, 2.5), 102, -2, 6, base=0.5, small=60, noise=1.0),
    "several genes": Isolates(2000, 600, 5, (2, 6), 103, -1, 5, silent=0.1, hidden=0.08),
    "largest effect": Isolates(
        700, 1500, 3, (3, 7), 104, -4, 4, base=-2.0, largest=True, noise=0.5, silent=0.1, hidden=0.1
    ),
}


def simulate(table: Isolates, lineages: int = 8) -> tuple[NDArray, NDArray]:
    """Return 0/1 features and intervals; lineages differ in their genes, and a fifth of the genes are linked copies."""
    rng = np.random.default_rng(table.seed)
    n, d, linked = table.n, table.d, table.d // 5
    sub = rng.integers(0, 3 * lineages, n)
    frequency = np.clip(rng.beta(0.4, 0.8, d), 0.01, 0.99)
    shift = rng.normal(0, 1.5, (lineages, d))[sub // 3] + rng.normal(0, 0.8, (3 * lineages, d))[sub]
    X = (rng.random((n, d)) < 1 / (1 + np.exp(-np.log(frequency / (1 - frequency)) - shift))).astype(float)
    source = rng.integers(0, d - linked, linked)
    X[:, d - linked :] = np.abs(X[:, source] - (rng.random((n, linked)) < 0.02))
    at = rng.choice(d - linked, table.genes, replace=False)
    for gene in at:
        carried = rng.random(3 * lineages) < table.carriers
        X[:, gene] = rng.random(n) < np.where(carried, rng.uniform(0.5, 0.95, 3 * lineages), 0.04)[sub]
    effect = rng.uniform(*table.effect, table.genes)
    active = X[:, at] * (rng.random((n, table.genes)) >= table.silent)
    active += (X[:, at] == 0) * (rng.random((n, table.genes)) < table.hidden)
    t = table.base + ((active * effect).max(axis=1) if table.largest else active @ effect)
    if table.small:
        t += X[:, rng.choice(d - linked, table.small, replace=False)] @ rng.normal(0, 0.5, table.small)
    t += rng.normal(0, 0.3, lineages)[sub // 3] + table.noise * rng.standard_normal(n)
    y = np.column_stack([np.ceil(t) - 1, np.ceil(t)])
    y[t <= table.lowest], y[t > table.highest] = (-np.inf, table.lowest), (table.highest, np.inf)
    return X, y


def isolates() -> None:
    """Compare mean squared distances to the interval of every third row with those of a forest on clipped ends."""
    table = Table("Inhibitory concentrations: mean squared distance to the interval, CPU time of the fit")
    for name, simulated in TABLES.items():
        found = kept("laboratory", name, lambda simulated=simulated: compare(simulated))
        ours, forest, error, seconds, forest_seconds = found
        table.row(name, f"{ours:.2f}, {seconds:.0f} s", f"forest {forest:.2f} ± {error:.2f}, {forest_seconds:.0f} s")


def compare(simulated: Isolates) -> tuple[float, ...]:
    """Return both mean losses, the standard error of their difference, and both CPU times in seconds."""
    X, y = simulate(simulated)
    test = np.arange(len(X)) % 3 == 0
    clipped = np.clip(y, simulated.lowest, simulated.highest).mean(axis=1)
    models: list[tuple[Any, NDArray]] = [(PartialRegressor(), y), (RandomForestRegressor(random_state=0), clipped)]
    losses, seconds = [], []
    for model, target in models:
        start = time.process_time()
        z = model.fit(X[~test], target[~test]).predict(X[test])
        seconds.append(time.process_time() - start)
        losses.append(np.maximum(np.maximum(y[test, 0] - z, z - y[test, 1]), 0) ** 2)
    error = np.std(losses[0] - losses[1]) / np.sqrt(test.sum())
    return float(losses[0].mean()), float(losses[1].mean()), float(error), *seconds


def main(names: list[str] | None = None) -> None:
    run_parts({"isolates": isolates}, names)
