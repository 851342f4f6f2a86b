"""Rankings of many items: sparse comparisons, Spearman's loss, and the default model."""

from __future__ import annotations

import io

import joblib
import numpy as np
import pytest

from infimum import PartialRanker, metrics
from infimum.outputs import PartialOrders, Rankings
from infimum.outputs.rankings.codes import mean_codes

CELLS = ["a>b>c", "a>b, a>c", "a>b, c>d", ["a"], None, "a>{b,c}, d>c", "a>b, b>c, c>a, a>d"]
ITEMS = list("abcdef")


def simulated(n: int, m: int, k: int = 4, seed: int = 0) -> tuple[np.ndarray, list[str], list[str]]:
    """Chains of k of m items whose utilities depend on one of two features."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    utility = np.outer(X[:, 0], np.linspace(-3, 3, m)) + np.linspace(1, -1, m)
    cells = []
    for u in utility:
        some = rng.choice(m, k, replace=False)
        cells.append(">".join(f"i{j:03}" for j in some[np.argsort(-u[some])]))
    return X, cells, [f"i{j:03}" for j in range(m)]


@pytest.mark.parametrize("rule", ["majority", "weigh"])
def test_sparse_orders_are_the_sums_of_dense_ones(rule):
    dense, sparse = (
        Rankings(ITEMS, contradictions=rule, loss=loss).fit(CELLS).read(CELLS) for loss in ("kendall", "spearman")
    )
    random = np.random.default_rng(0)
    q, z = random.standard_normal((7, 6)), np.array([random.permutation(6) for _ in CELLS])
    for a, b in ((dense, sparse), (dense[[2, 6]], sparse[[2, 6]]), (dense.join(dense), sparse.join(sparse))):
        assert np.array_equal(a.codes, b.codes)
        assert all(np.array_equal(x, y) for x, y in zip(a.comparisons(), b.comparisons()))
    for a, b in (
        (dense.start(), sparse.start()),
        (dense.center(), sparse.center()),
        (dense.expected(q), sparse.expected(q)),
    ):
        np.testing.assert_allclose(mean_codes(a[:, :-1], 6), b[:, :-1], atol=1e-12)
    np.testing.assert_allclose(dense.agreement(z), sparse.agreement(z))
    for name in ("contains", "agreement"):
        assert np.array_equal(getattr(dense, name)(z), getattr(sparse, name)(z))
    order = [5, 3, 4, 0, 2, 1]
    assert np.array_equal(dense.arranged(order).codes, sparse.arranged(order).codes)
    assert [dense.format(k) for k in range(7)] == [sparse.format(k) for k in range(7)]
    assert np.array_equal(dense.is_exact, sparse.is_exact)
    assert np.array_equal(dense.size, sparse.size)


def test_spearmans_loss_is_its_definition():
    space = Rankings(5, loss="spearman").fit(None)
    z = np.array([np.random.default_rng(k).permutation(5) for k in range(6)])
    y = z[::-1]
    squared = 2 * ((np.argsort(z) - np.argsort(y)) ** 2).sum(axis=1)
    sets = space.read(PartialOrders.from_orders(y))
    np.testing.assert_allclose(sets.rowwise_loss(space.psi(z), "infimum"), squared)
    found = space.minimise(sets.start())
    assert np.array_equal(found.z, y)
    np.testing.assert_allclose([found.value, found.bound], 0, atol=1e-9)


def test_bucket_orders_have_their_nearest_member():
    cells = [["a", {"b", "c"}], "a>{b,c}>{d,e,f}", None]
    space = Rankings(ITEMS, loss="spearman").fit(cells)
    sets, orders = space.read(cells), Rankings(ITEMS).fit(None).outputs()
    z = np.array([[5, 4, 3, 2, 1, 0], [5, 0, 3, 2, 1, 4], [1, 0, 3, 2, 4, 5]])
    each = space.psi(z) @ space.read(PartialOrders.from_orders(orders)).start().T
    inside = np.stack([sets[np.full(len(orders), k)].contains(orders) for k in range(3)])
    np.testing.assert_allclose(sets.rowwise_loss(space.psi(z), "infimum"), np.where(inside, each, np.inf).min(axis=1))


def test_default_model_of_many_items():
    X, cells, items = simulated(180, 150)
    model = PartialRanker(items=items).fit(X[:120], cells[:120])
    assert model.output_.is_spearman_
    z = model.predict(X[120:])
    assert sorted(z[0]) == items
    assert model.score(X[120:], cells[120:]) > 0.6
    np.testing.assert_allclose(model.minimum(X[120:]).gap, 0, atol=1e-9)
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    assert np.array_equal(joblib.load(file).predict(X[120:]), z)
    assert metrics.wrong_pairs(cells[120:], z) == pytest.approx(1 - model.score(X[120:], cells[120:]))


def test_contradictory_rows_of_many_items():
    X, cells, items = simulated(40, 150)
    cells[3] = "i000>i001, i001>i002, i002>i000"
    with pytest.raises(ValueError, match=r'(?s)row 3.*i000 > i001 > i002 > i000.*"majority".*"weigh"'):
        PartialRanker(items=items).fit(X, cells)
    model = PartialRanker(items=items, contradictions="weigh").fit(X, cells)
    assert model.sets_.n_contradictory == 1


def test_unknown_loss():
    with pytest.raises(ValueError, match="loss must be 'auto', 'kendall' or 'spearman'"):
        PartialRanker(loss="footrule").fit([[0.0], [1.0]], ["a>b", "b>a"])
