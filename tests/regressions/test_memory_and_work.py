"""Memory that must not grow with the rows, and work that must be done once."""

import gc
import pickle
import tracemalloc

import numpy as np
import pytest

from infimum import (
    Boxes,
    Disambiguation,
    PartialClassifier,
    PartialOrders,
    PartialRanker,
    PartialRegressor,
    SetLoss,
    outputs,
    solvers,
    weights,
)
from infimum.weights import cholesky
from infimum.weights.families import primal
from infimum.weights.families.nystrom import Nystrom


def peak(function, *args):
    """The most memory that a call holds at a time, in bytes."""
    gc.collect()
    tracemalloc.start()
    try:
        function(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def orders(rng, n, m):
    return [[tuple(rng.permutation(m)[:2].tolist())] for _ in range(n)]


def intervals(rng, n):
    low = rng.random(n)
    return np.column_stack([low, low + 0.2])


def boxes(rng, n):
    low = rng.random((n, 2))
    return Boxes(low, low + 0.2)


N = 800  # training rows

FAMILIES = {"neighbors": weights.Neighbors(5), "kernel": weights.KernelRidge()}
SOLVERS = {
    "closed form": (lambda w: PartialClassifier.paper(weights=w), lambda rng: rng.integers(40, size=N)),
    "enumerate": (lambda w: PartialRanker.paper(items=5, weights=w), lambda rng: orders(rng, N, 5)),
    "piecewise": (lambda w: PartialRegressor.paper(weights=w), lambda rng: intervals(rng, N)),
    "piecewise with a tolerance": (
        lambda w: PartialRegressor.paper(weights=w, solver=solvers.Piecewise(tol=1e-3)),
        lambda rng: intervals(rng, N),
    ),
    "alternate": (
        lambda w: PartialRegressor.paper(weights=w, solver=solvers.Alternate(max_iter=1)),
        lambda rng: intervals(rng, N),
    ),
    "coordinate by coordinate": (
        lambda w: PartialRegressor.paper(weights=w, solver=solvers.Coordinatewise()),
        lambda rng: boxes(rng, N),
    ),
    "order search": (
        lambda w: PartialRanker.paper(items=4, weights=w, solver=solvers.OrderSearch()),
        lambda rng: orders(rng, N, 4),
    ),
    "joint reading": (
        lambda w: PartialRegressor.paper(weights=w, negative_weights="joint", bounds=(0, 2)),
        lambda rng: intervals(rng, N),
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("family", ["neighbors", "kernel"])
@pytest.mark.parametrize("case", SOLVERS)
def test_memory_of_predict_does_not_grow_with_the_queries(rng, case, family):
    """Whatever the solver needs of a query, blocks are cut to hold it."""
    numbers = 2**13 if (case, family) == ("order search", "neighbors") else 2**15  # few numbers for many searches
    build, target = SOLVERS[case]
    model = build(FAMILIES[family]).fit(rng.random((N, 2)), target(rng))
    model.batch_numbers = numbers
    a_block = numbers // (model.weights_.width + model.solver_.width)
    few, many = rng.random((2 * a_block, 2)), rng.random((16 * a_block, 2))
    model.predict(many[:2])  # what is compiled or remembered once
    rows = many.nbytes + model.predict(many[:1]).nbytes * len(many)
    # all at once would take 14 blocks of numbers more
    assert peak(model.predict, many) < peak(model.predict, few) + 8 * 3 * numbers + 2 * rows


def test_enumeration_never_stacks_the_risks_of_all_outputs(monkeypatch, rng):
    """Where the table is too large to fold, outputs go by in blocks and only the best is kept."""
    X, y = rng.random((40, 2)), orders(rng, 40, 6)
    whole = PartialRanker.paper(items=6, weights=weights.Neighbors(5)).fit(X, y)
    expected = whole.minimum(X).value
    monkeypatch.setattr(solvers.Enumerate, "max_cells", 2**13)
    model = PartialRanker.paper(items=6, weights=weights.Neighbors(5)).fit(X, y)
    model.predict(X[:1])
    np.testing.assert_allclose(model.minimum(X).value, expected, atol=1e-12)
    assert peak(model.predict, X) < 40 * 720 * 8 / 2 + 2**17


@pytest.mark.parametrize("solver", [solvers.Piecewise(), solvers.ClosedForm(), solvers.Alternate()], ids=repr)
def test_kernel_ridge_is_factored_once(monkeypatch, rng, solver):
    """Fit keeps the factor where predictions need it."""
    calls = []
    factor = cholesky.factor
    monkeypatch.setattr(cholesky, "factor", lambda *a, **k: calls.append(1) or factor(*a, **k))
    X = rng.random((20, 2))
    model = PartialRegressor.paper(solver=solver).fit(X, X[:, 0])
    assert len(calls) == 1
    model.predict(X)
    assert len(calls) == 1


def test_one_class_is_embedded_without_the_identity():
    """Psi(z) of one z takes m numbers, not m²."""
    space = outputs.Labels(classes=range(4000)).fit([])
    assert peak(space.psi, np.array([3])) < 2**20
    z = np.array([[2, 0], [3999, 1]])
    psi = space.psi(z)
    assert psi.shape == (2, 2, 4000)
    np.testing.assert_array_equal(psi.argmax(axis=-1), z)
    assert psi.sum() == 4
    assert space.psi(7).argmax() == 7


def test_argmin_of_many_classes_needs_no_loss_matrix(rng):
    """The 0-1 loss of m classes is never an m x m array, and its sets answer as those of that matrix do."""
    m = 4000
    rows = [set(row) for row in rng.integers(m, size=(20, 3)).tolist()] + [None]
    sets = outputs.Labels(classes=range(m)).fit(rows).read(rows)
    c = rng.standard_normal((21, m))
    for ask in (lambda: sets.argmin(c), sets.center, lambda: sets.member(c, None)):
        assert peak(ask) < m * m * 8 / 10
    few = [{0, 2}, {1}, None, {3, 4}]
    plain, matrix = (outputs.Labels(cost, range(5)).fit(few).read(few) for cost in (None, 1 - np.eye(5)))
    c = rng.standard_normal((4, 5))
    np.testing.assert_array_equal(plain.argmin(c), matrix.argmin(c))
    np.testing.assert_allclose(plain.center(), matrix.center())
    np.testing.assert_array_equal(plain.member(c, None), matrix.member(c, None))


def test_rowwise_losses_compute_no_table(monkeypatch, rng):
    """L(z_i, S_i) asks each row once."""
    sets = PartialOrders.from_orders(np.array([rng.permutation(5) for _ in range(30)]))
    space = outputs.Rankings(5).fit(sets)
    z = np.array([rng.permutation(5) for _ in range(30)])
    L = SetLoss(space, space.read(sets))
    expected = np.diagonal(L(z))
    monkeypatch.setattr(PartialOrders, "loss", lambda *a: pytest.fail("a table was computed"))
    np.testing.assert_allclose(L.rowwise_loss(z), expected)


DIGESTS = {
    "labels": (outputs.Labels(), lambda n: (["a", "b", "c|a"] * n)[:n]),
    "tags": (outputs.Tags(), lambda n: np.ones((n, 4), int) * np.where(np.arange(n) % 2, 1, -1)[:, None]),
    "rankings": (outputs.Rankings(), lambda n: (["a>b>c", "c>a"] * n)[:n]),
    "numbers": (outputs.Reals(), lambda n: np.arange(n) % 7.0),
    "vectors": (outputs.Vectors(), lambda n: np.arange(2 * n).reshape(n, 2) % 7.0),
}


@pytest.mark.parametrize("kind", DIGESTS)
def test_summary_of_y_does_not_grow_with_the_rows(kind):
    """A summary is short, so that nothing else comes to the client of a cluster."""
    space, y = DIGESTS[kind]
    few, many = (len(pickle.dumps(space.summarise(y(n)))) for n in (50, 5000))
    assert many < few + 64
    both = space.merge(space.summarise(y(50)), space.summarise(y(50)))
    assert len(pickle.dumps(both)) < 2 * few + 64


def test_sums_over_chunks_do_not_change_their_terms():
    """A cluster keeps results and adds them more than once."""
    a, b = (primal.Sums(2, 2.0, np.full((2, 2), v), (np.full((2, 1), v),), np.full(2, v)) for v in (1.0, 5.0))
    first = a + b
    again = a + b
    np.testing.assert_array_equal(first.gram, again.gram)
    assert a.gram.max() == 1
    assert a.cross[0].max() == 1
    assert first.cross[0].max() == 6


def test_soft_disambiguation_maps_the_rows_a_few_times_only(monkeypatch, rng):
    """The features are kept while they fit, not mapped again at every round; beyond, the answer is the same."""
    mapped = []
    map_rows = Nystrom._map
    monkeypatch.setattr(Nystrom, "_map", lambda self, X: mapped.append(X.shape[0]) or map_rows(self, X))
    X = rng.standard_normal((100, 2))
    S = rng.random((100, 3)) < 0.5
    S[np.arange(100), (X[:, 0] > 0).astype(int)] = True
    model = PartialClassifier.paper(principle=Disambiguation(threshold=None), weights=weights.Nystrom(10))
    kept = model.fit(X, S).disambiguation_.q
    assert sum(mapped) <= 6 * 100
    mapped.clear()
    monkeypatch.setattr(primal, "KEPT", 0)
    np.testing.assert_allclose(model.fit(X, S).disambiguation_.q, kept, atol=1e-12)
    assert sum(mapped) > 20 * 100
