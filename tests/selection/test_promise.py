"""The scores of `selection_` are about those on new rows, and independent labels are recognised."""

import numpy as np

from infimum import PartialClassifier, datasets


def rows_of(seed, n, signal):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = (signal * X @ rng.normal(size=(4, 3)) + rng.gumbel(size=(n, 3))).argmax(axis=1)
    sets = datasets.make_candidate_sets(np.r_[0, 1, 2, y], 0.2, random_state=seed)[3:]
    return X, sets


def test_selection_promises_the_covering_rate_of_new_rows():
    differences, errors = [], []
    for seed in range(8):
        X, sets = rows_of(seed, 1100, signal=2.0)
        model = PartialClassifier().fit(X[:100], sets[:100])
        promised = model.selection_.scores["covering_rate"]
        inside = sets[100:][np.arange(1000), model.predict(X[100:])]
        differences.append(promised - inside.mean())
        errors.append(np.sqrt(promised * (1 - promised) / 100 + inside.var() / 1000))
    assert np.abs(np.array(differences) / errors).max() <= 3.5
    assert abs(np.mean(differences)) <= 2 * np.linalg.norm(errors) / 8


def test_constant_is_selected_for_labels_that_are_independent_of_the_features():
    X, sets = rows_of(7, 150, signal=0.0)
    model = PartialClassifier().fit(X, sets)
    assert len(np.unique(model.predict(X))) == 1
    assert model.selection_.beats_constant is False
    assert "not better than the best constant prediction" in repr(model.selection_)
