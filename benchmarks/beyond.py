"""Beyond one label per row: several outputs.

`product`: wine and iris, half of the rows for the fit, ten splits. Inputs are some of the columns, the outputs are the
class, as candidate sets that contain each wrong class with probability .8, and another column, up to an interval. The
coupled disambiguation is compared with the same weights fitted to the classes alone. The constants of the coupling were
chosen on iris with the sepals as inputs; wine and the petals were not used.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes, load_iris, load_wine
from threadpoolctl import threadpool_limits

from benchmarks._tools import Table, run_parts
from infimum import (
    Disambiguation,
    InfimumWarning,
    PartialClassifier,
    PartialMultiOutput,
    PartialRegressor,
    weights,
)

SEEDS = range(10)
HOW = Disambiguation(threshold=None)


def product_tables() -> dict[str, tuple[NDArray, NDArray, NDArray]]:
    """Inputs, true classes, and the second output."""
    wine, cultivar = load_wine(return_X_y=True)
    iris, species = load_iris(return_X_y=True)
    return {
        "wine, first four columns; flavanoids": (wine[:, :4], cultivar, wine[:, 6]),
        "wine, columns 2 to 5; proline": (wine[:, 1:5], cultivar, wine[:, 12]),
        "iris, petal width; petal length": (iris[:, 3:], species, iris[:, 2]),
        "iris, sepals; petal length": (iris[:, :2], species, iris[:, 2]),
    }


def candidates(truth: NDArray, share: float, rng: np.random.Generator) -> NDArray:
    mask = rng.random((len(truth), truth.max() + 1)) < share
    mask[np.arange(len(truth)), truth] = True
    return mask


def product() -> None:
    for name, (X, truth, value) in product_tables().items():
        table = Table(f"{name}: share of right training labels, of right predictions for new rows")
        found: dict[str, list[tuple[float, float]]] = {"class alone": [], "with the second output": []}
        family = weights.Scaled(weights.KernelRidge(lam=1e-2))
        for seed in SEEDS:
            rng = np.random.default_rng(seed)
            fit, new = np.split(rng.permutation(len(X)), [len(X) // 2])
            sets = [set(np.flatnonzero(row).tolist()) for row in candidates(truth, 0.8, rng)[fit]]
            below, above = rng.uniform(0, 0.3 * value.std(), (2, len(fit)))
            bounds = list(zip(value[fit] - below, value[fit] + above))
            alone = PartialClassifier(principle=HOW, weights=family, classes=range(3)).fit(X[fit], sets)
            both = PartialMultiOutput({"class": "labels", "value": "number"}, principle=HOW, weights=family)
            both.fit(X[fit], {"class": sets, "value": bounds})
            pairs = ((alone.labels_, alone.predict(X[new])), (both.labels_["class"], both.predict(X[new])["class"]))
            for rows, (labels, predicted) in zip(found.values(), pairs):
                rows.append((np.mean(np.asarray(labels) == truth[fit]), np.mean(np.asarray(predicted) == truth[new])))
        for kind, rows in found.items():
            table.row(kind, "{:.3f}, {:.3f}".format(*np.mean(rows, axis=0)))


def product_speed() -> None:
    """One model of two outputs against two models of one, default search on the same rows."""
    X, y = load_diabetes(return_X_y=True)
    rng = np.random.default_rng(0)
    labels = np.digitize(X[:, 2], np.quantile(X[:, 2], [0.33, 0.67]))
    sets = [set(np.flatnonzero(row).tolist()) for row in candidates(labels, 0.4, rng)]
    bounds = np.column_stack([y - rng.uniform(0, 40, len(y)), y + rng.uniform(0, 40, len(y))])

    def both() -> Any:
        parts = {"class": "labels", "value": "number"}
        return PartialMultiOutput(parts).fit(X, {"class": sets, "value": bounds})

    def apart() -> Any:
        return PartialClassifier().fit(X, sets), PartialRegressor().fit(X, bounds)

    table = Table("fit of the default model, diabetes, 442 rows: two outputs together against one after the other")
    spent = []
    for run in (both, apart):
        start = time.process_time()
        run()
        spent.append(time.process_time() - start)
    table.ratio("CPU time", *spent, at_most=1.2)


PARTS = {"product": product, "product_speed": product_speed}


def main(names: list[str] | None = None) -> None:
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", InfimumWarning)
        run_parts(PARTS, names)


if __name__ == "__main__":
    main()
