"""Real partial labels, the default beside other models: ``python -m benchmarks real:intervals real:labels``.

The data folder is that of ``INFIMUM_DATA``. Results of single folds are kept in benchmarks/results/real.json, so a run
that is stopped goes on where it stopped.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks._real_labels import labels
from benchmarks._tools import Table, kept, run_parts
from infimum import PartialRegressor

FOREST = "rf"
"""The forest of max-margin interval trees among the published methods."""


def interval_tables() -> list[Path]:
    """Return the folders with intervals, five folds and the published losses of ten methods, in alphabetical order.

    They come from https://github.com/lamtung16/ML_IntervalRegression.
    """
    root = Path(os.environ.get("INFIMUM_DATA", "")) / "interval-tables"
    if not root.is_dir():
        raise SystemExit(f"{root} is not a folder. Set INFIMUM_DATA to the folder that contains interval-tables.")
    return sorted(path for path in root.iterdir() if path.is_dir())


def intervals() -> None:
    """Compare mean squared distances to the interval with the published ones, on the given folds.

    The constants of the default were chosen on the first, third, … table. The others are reported separately.
    """
    found = {path.name: compare(path) for path in interval_tables()}
    table = Table("Intervals: mean squared distance, the default beside ten published methods")
    for name, (ours, published) in found.items():
        text = f"{ours:.3g}, rank {rank(ours, published)}"
        table.row(name, text, f"forest {published[FOREST]:.3g}, best {min(published.values()):.3g}")
    names = list(found)
    for half, chosen in (("constants chosen on them", names[::2]), ("other tables", names[1::2]), ("all", names)):
        some = [found[name] for name in chosen]
        mean_rank = np.mean([rank(*one) for one in some])
        ratio = np.exp(np.mean([np.log(ours / published[FOREST]) for ours, published in some]))
        worst = max(ours / min(published.values()) for ours, published in some)
        table.row(half, f"mean rank {mean_rank:.2f}, {ratio:.3f} × the forest, at most {worst:.2f} × the best")


def rank(ours: float, published: dict[str, float]) -> int:
    """Return the rank of a loss among the published ones and itself."""
    return 1 + sum(loss < ours for loss in published.values())


def compare(path: Path) -> tuple[float, dict[str, float]]:
    """Return the mean loss of the default over the folds of a table, and the mean published losses by method."""
    X, y, folds = (pd.read_csv(path / f"{name}.csv") for name in ("features", "targets", "folds"))
    fold, sets = folds["fold"].to_numpy(), y.to_numpy(float)
    losses = [
        kept("real", f"intervals/{path.name}/{k}", lambda k=k: one_fold(X, sets, fold == k)) for k in np.unique(fold)
    ]
    published = pd.read_csv(path / "published_losses.csv").groupby("method")["loss"].mean()
    return float(np.mean(losses)), published.to_dict()


def one_fold(X: pd.DataFrame, y: NDArray, test: NDArray) -> float:
    """Return the mean squared distance of predictions to the intervals of the test rows."""
    z = PartialRegressor().fit(X[~test], y[~test]).predict(X[test])
    return float(np.mean(np.maximum(np.maximum(y[test, 0] - z, z - y[test, 1]), 0) ** 2))


def main(names: list[str] | None = None, **settings: Any) -> None:
    """Run the named parts, or all; `settings` are those of `labels`: folds, only, docs."""
    run_parts({"intervals": intervals, "labels": partial(labels, **settings)}, names)
