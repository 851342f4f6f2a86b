"""The weights side by side on dna, segment and vowel with corrupted labels, under one protocol.

Four folds. The settings of a family are chosen on the training folds by the covering rate, how often a prediction lies
in its candidate set: by the automatic selection for the ridges, by three-fold cross-validation over a small grid for
the others.
True labels are used only for the error on the test folds. Its mean ± standard deviation is shown.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.preprocessing import StandardScaler

from benchmarks._tools import Table
from infimum import PartialClassifier, datasets, weights
from infimum.datasets import corruptions

FAMILIES = {
    "kernel ridge": ("kernel", {}),
    "Nyström": ("nystrom", {}),
    "linear ridge": ("linear", {}),
    "neighbours": (weights.Neighbors(), {"n_neighbors": [1, 5, 15], "weights": ["uniform", "distance"]}),
    "forest": (weights.Forest(100, random_state=0), {"min_samples_leaf": [1, 5]}),
    "harmonic": (weights.Laplacian(), {"n_neighbors": [5, 15]}),
    "label spreading": (weights.Laplacian(method="spreading"), {"n_neighbors": [5, 15], "a": [0.5, 0.9]}),
}
CORRUPTIONS = {
    "uniform, c = 0.5": lambda y: corruptions.make_candidate_sets(y, 0.5, random_state=0),
    "skewed, c = 0.5": lambda y: corruptions.make_candidate_sets(y, 0.5, kind="skewed", random_state=0),
}


def error(family: str, X: NDArray, y: NDArray, sets: NDArray) -> NDArray:
    """Test errors of the folds."""
    base, grid = FAMILIES[family]
    errors = []
    for train, test in StratifiedKFold(4, shuffle=True, random_state=0).split(X, y):
        model = PartialClassifier.paper(weights=clone(base, safe=False), classes=np.arange(sets.shape[1]))
        if grid:
            named = {f"weights__{name}": values for name, values in grid.items()}
            model = GridSearchCV(model, named, cv=KFold(3, shuffle=True, random_state=0))
        errors.append(np.mean(model.fit(X[train], sets[train]).predict(X[test]) != y[test]))
    return np.array(errors)


def main(quick: bool = "--quick" in sys.argv) -> None:
    for name in ["vowel"] if quick else ["dna", "segment", "vowel"]:
        bunch = datasets.load(f"libsvm/{name}")
        X, y = StandardScaler().fit_transform(bunch.data), np.unique(bunch.target, return_inverse=True)[1]
        for corruption, corrupt in CORRUPTIONS.items():
            sets = corrupt(y)
            table = Table(f"Weights on {name}, {corruption}: percentage of errors, mean ± std over four folds")
            for family in FAMILIES:
                errors = 100 * error(family, X, y, sets)
                table.row(family, f"{errors.mean():.1f} ± {errors.std():.1f}")


if __name__ == "__main__":
    main()
