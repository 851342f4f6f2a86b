"""clean_labels and DisambiguationClassifier: estimated labels for other models."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from blobs import blobs
from infimum import (
    Disambiguation,
    DisambiguationClassifier,
    PartialClassifier,
    clean_labels,
    datasets,
    outputs,
    weights,
)


def test_clean_labels_and_repr(rng):
    X, truth, mask = blobs(rng)
    clean = clean_labels(100 * X, mask)  # any units: the search scales
    assert np.mean(clean.labels == truth) > 0.95
    assert repr(clean).startswith("<DisambiguationResult: 90 rows, mean confidence ")
    named = clean_labels(X, mask, weights=weights.KernelRidge(lam=1e-3), how=Disambiguation(max_iter=1))
    assert "not converged" in repr(named)
    known = np.where(rng.random(mask.shape) < 0.5, np.where(np.eye(3)[truth] > 0, 1, -1), 0)
    tags = clean_labels(X, known, output=outputs.Tags())
    assert np.mean(tags.labels.argmax(axis=1) == truth) > 0.95


@pytest.mark.parametrize("classifier", [None, LogisticRegression(), DecisionTreeClassifier(random_state=0)], ids=repr)
def test_disambiguated_wraps_any_classifier(classifier, rng):
    X, truth, mask = blobs(rng)
    model = DisambiguationClassifier(classifier, weights=weights.KernelRidge(lam=1e-3)).fit(X, mask)
    assert np.mean(model.predict(X) == truth) > 0.95
    assert model.score(X, truth) > 0.95
    assert model.score(X, mask) >= model.score(X, truth)
    assert model.predict_proba(X).shape == (90, 3)


def test_drop_suspects_improves_a_tree(rng):
    X, truth, mask = blobs(rng, 150, extra=0.2, noise=0.2)
    wrong = np.arange(0, 140, 14)
    mask[wrong] = False
    mask[wrong, (truth[wrong] + 1) % 3] = True
    family = weights.KernelRidge(lam=1e-3)
    tree = DecisionTreeClassifier(random_state=0)
    kept = DisambiguationClassifier(tree, weights=family).fit(X, mask)
    dropped = DisambiguationClassifier(tree, weights=family, drop_suspects=True).fit(X, mask)
    assert np.mean(dropped.predict(X) == truth) > np.mean(kept.predict(X) == truth)


def test_lost(data_home):
    """One fold of real candidate sets: well above what plain infimum reaches (about 70 %)."""
    data = datasets.load("partial-labels/lost", data_home=data_home, download=False)
    train, test = next(KFold(10, shuffle=True, random_state=3).split(data.data))
    family = weights.KernelRidge(lam=1e-5, gamma=0.25)
    model = make_pipeline(StandardScaler(), Normalizer(), PartialClassifier(principle="disambiguation", weights=family))
    model.fit(data.data[train], data.candidates[train])
    assert np.mean(model.predict(data.data[test]) == data.target[test]) >= 0.75
    assert np.mean(model[-1].labels_ == data.target[train]) >= 0.9
