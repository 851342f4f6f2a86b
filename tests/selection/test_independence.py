"""The permutation test of whether candidate sets depend on X, and what the default does with it."""

import numpy as np
import pytest

from infimum import PartialClassifier
from infimum.data import Table
from infimum.outputs import Labels
from infimum.selection import SearchConfig
from infimum.selection.independence import dependence
from infimum.selection.kernel_cache import KernelCache

CONFIG = SearchConfig()


def clearness(X, y, w=None, clusters=None):
    output = Labels().fit(y)
    return dependence(KernelCache(Table(X, y, w), output, output.read(y), [], CONFIG), clusters)


def candidates(rng, y, m, rate):
    return np.eye(m, dtype=bool)[y] | (rng.random((len(y), m)) < rate)


def soft(rng, y, m, rate):
    P = np.eye(m)[y] + rate * rng.random((len(y), m))
    return P / P.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("labels", [candidates, soft])
def test_independent_labels_exceed_quantiles_as_often_as_they_should(labels):
    found = []
    for seed in range(80):
        rng = np.random.default_rng(seed)
        y = rng.choice(3, 40, p=[0.6, 0.3, 0.1])
        found.append(clearness(rng.standard_normal((40, 6)) ** 3, labels(rng, y, 3, 0.3)))
    assert (np.array(found) >= 1.64).sum() <= 11  # more has a probability below 1 % if 5 % are expected
    assert abs(np.mean(found)) < 0.4


@pytest.mark.parametrize("kind", ["one of 40", "all of 40", "radius"])
def test_dependent_labels_are_recognised(kind, rng):
    X = rng.standard_normal((150, 2 if kind == "radius" else 40))
    score = {"one of 40": 2 * X[:, 0], "all of 40": X.sum(axis=1) / 3, "radius": 4 * (np.linalg.norm(X, axis=1) - 1.2)}
    y = (score[kind] + rng.logistic(size=150) > 0).astype(int)
    exact = clearness(X, np.eye(2, dtype=bool)[y])
    assert exact > 2
    order = rng.permutation(40 if X.shape[1] == 40 else 2)
    assert clearness(X[:, order] * 1e6, np.eye(2, dtype=bool)[y]) == pytest.approx(exact)


def test_copies_and_unlabelled_rows_are_no_evidence(rng):
    X, y = rng.standard_normal((30, 3)), rng.integers(0, 2, 30)
    mask, copy = np.eye(2, dtype=bool)[y], np.repeat(np.arange(30), 5)
    alone = clearness(X, mask)
    assert clearness(X[copy], mask[copy], clusters=copy) == pytest.approx(alone)
    assert clearness(X, mask, np.full(30, 2.0)) == pytest.approx(alone)
    more = np.vstack([X, rng.standard_normal((20, 3))])
    assert abs(clearness(more, np.vstack([mask, np.ones((20, 2), bool)])) - alone) < 1
    assert clearness(X, np.ones((30, 2), bool)) == 0.0


def test_default_uses_the_features_of_a_table_with_a_frequent_class():
    """The most frequent class is in most sets, so the set risk hardly shows that labels depend on X."""
    gains = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        y = rng.choice(3, 1100, p=[0.7, 0.15, 0.15])
        X = 1.3 * rng.standard_normal((3, 5))[y] + rng.standard_normal((1100, 5))
        model = PartialClassifier().fit(X[:100], candidates(rng, y[:100], 3, 0.55))
        gains.append((model.predict(X[100:]) == y[100:]).mean() - (y[100:] == 0).mean())
    assert min(gains) > 0.1
