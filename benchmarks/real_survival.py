"""Right-censored times, beside a random survival forest: ``python -m benchmarks real_survival``.

The data folder is that of ``INFIMUM_DATA``, with the files of scikit-survival in survival/. The forest needs
scikit-survival, and is left out without it.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.io import arff

from benchmarks._tools import Table, kept, run_parts
from infimum import Features, PartialRegressor, metrics

TABLES = {"GBSG2": ("cens", "time"), "veteran": ("Status", "Survival_in_days"), "whas500": ("fstat", "lenfol")}
"""The columns of the event and of the time."""
EVENTS = {"1", "1.0", "dead"}
N_FOLDS = 5


def survival() -> None:
    """Compare concordance indices on five random folds; none of these tables was used to choose constants."""
    table = Table("Right-censored times: concordance index, mean of five folds")
    for name in TABLES:
        folds = [kept("real", f"survival/{name}/{k}", lambda name=name, k=k: one_fold(name, k)) for k in range(N_FOLDS)]
        ours, forest = (float(np.mean(each)) for each in zip(*folds))
        error = float(np.std([a - b for a, b in folds], ddof=1) / np.sqrt(N_FOLDS))
        beside = "" if np.isnan(forest) else f"random survival forest {forest:.3f}, difference ± {error:.3f}"
        table.row(name, f"{ours:.3f}", beside)


def one_fold(name: str, fold: int) -> tuple[float, float]:
    """Return the concordance of the default on log times and of a random survival forest; nan if it is missing."""
    X, time, event = read(name)
    test = np.random.default_rng(0).permutation(len(time)) % N_FOLDS == fold
    features = Features().fit(X[~test])
    train, new = features.transform(X[~test]), features.transform(X[test])
    low = np.log(np.maximum(time, 0.5))  # some patients die on day 0
    y = np.column_stack([low, np.where(event, low, np.inf)])
    ours = PartialRegressor().fit(train, y[~test]).predict(new)
    return metrics.concordance(y[test], ours), forest_concordance(train, new, time, event, test)


def forest_concordance(train: NDArray, new: NDArray, time: NDArray, event: NDArray, test: NDArray) -> float:
    """Return the concordance of a random survival forest."""
    try:
        from sksurv.ensemble import RandomSurvivalForest
        from sksurv.util import Surv
    except ImportError:
        return float("nan")
    forest = RandomSurvivalForest(300, min_samples_leaf=5, random_state=0)
    forest.fit(train, Surv.from_arrays(event[~test], time[~test]))
    return float(forest.score(new, Surv.from_arrays(event[test], time[test])))


def read(name: str) -> tuple[pd.DataFrame, NDArray, NDArray]:
    """Return features, times, and whether the event was observed."""
    path = Path(os.environ.get("INFIMUM_DATA", "")) / "survival" / f"{name}.arff"
    if not path.is_file():
        raise SystemExit(f"{path} is not a file. Set INFIMUM_DATA to the folder that contains survival.")
    rows, _ = arff.loadarff(path)
    frame = pd.DataFrame(rows)
    for column in frame:
        if frame[column].dtype == object:
            frame[column] = frame[column].str.decode("utf8")
    event, time = TABLES[name]
    seen = frame[event].astype(str).isin(EVENTS).to_numpy()
    return frame.drop(columns=[event, time]), frame[time].to_numpy(float), seen


def main(names: list[str] | None = None) -> None:
    run_parts({"survival": survival}, names)
