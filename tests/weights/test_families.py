"""Laws of the weights: each family against what it must reproduce."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.neighbors import KNeighborsRegressor
from sklearn.semi_supervised import LabelPropagation, LabelSpreading

from cases import CASES
from infimum import Chunks, InfimumWarning, PartialClassifier, PartialRegressor
from infimum.data import memory as _memory
from infimum.weights import (
    BY_NAME,
    Constant,
    Forest,
    KernelRidge,
    Laplacian,
    LinearRidge,
    Mixture,
    Neighbors,
    Nystrom,
    Scaled,
    SplitSigns,
    Target,
)
from infimum.weights.families import laplacian

FAMILIES = [
    KernelRidge(lam=1e-2, gamma=0.5),
    Nystrom(10, lam=1e-2, gamma=0.5),
    Nystrom(10, lam=1e-2, kernel="laplacian"),
    LinearRidge(lam=1e-2),
    LinearRidge(lam=1e-2, intercept=False),
    Neighbors(5),
    Neighbors(5, weights="distance"),
    Forest(7, random_state=0),
    Forest(7, kind="extra", random_state=0),
    Constant(),
    Mixture([KernelRidge(lam=1e-2, gamma=0.5), Neighbors(3)], [2, 1]),
    Laplacian(4),
    Laplacian(4, method="spreading"),
]
SINGLE = pytest.mark.parametrize("family", FAMILIES, ids=repr)


@pytest.fixture
def data(rng):
    X = rng.standard_normal((60, 3))
    return X, np.column_stack([np.sin(X[:, 0]), X @ [1, -1, 0.5], np.ones(60)]), rng.standard_normal((9, 3))


def fitted(family, X, phi, w=None):
    return clone(family).fit(X, phi, w)


@SINGLE
def test_sums_never_need_the_weights_themselves(family, data, rng):
    X, phi, queries = data
    alpha = fitted(family, X, phi)(queries)
    A = np.asarray(alpha)
    assert A.shape == alpha.shape == (9, 60)
    for target in (phi, rng.standard_normal((60, 4)), sparse.csr_matrix(phi)):
        dense = target.toarray() if sparse.issparse(target) else target
        assert_allclose(alpha @ target, A @ dense, atol=1e-9)
    for one, together in zip((phi, phi[:, :1]), alpha.weights.project_many(phi, phi[:, :1])):
        assert_allclose(alpha.sum(together), A @ one, atol=1e-9)
    if not family.signed:
        assert A.min() >= 0


@SINGLE
def test_saved_weights_are_the_same_weights(family, data):
    X, phi, queries = data
    model = fitted(family, X, phi)
    model.release()
    copy = pickle.loads(pickle.dumps(model))
    assert_allclose(copy(queries) @ phi, model(queries) @ phi, atol=1e-12)


@pytest.mark.parametrize("family", [f for f in FAMILIES if not isinstance(f, Laplacian | Forest)], ids=repr)
def test_a_weight_of_two_is_a_row_given_twice(family, data, rng):
    X, phi, queries = data
    w = rng.integers(0, 3, 60)
    weighted = fitted(family, X, phi, w.astype(float))(queries) @ phi
    repeated = fitted(family, np.repeat(X, w, axis=0), np.repeat(phi, w, axis=0))(queries) @ np.repeat(phi, w, axis=0)
    assert_allclose(weighted, repeated, atol=1e-8)
    assert_allclose(fitted(family, X, phi, w.astype(float))(queries) @ sparse.csr_matrix(phi), repeated, atol=1e-8)


@SINGLE
def test_rows_in_another_order_give_the_same_sums(family, data, rng):
    if isinstance(family, Forest) or getattr(family, "centers", "uniform") != "uniform":
        pytest.skip("drawn at random, row by row")
    X, phi, queries = data
    order = rng.permutation(60)
    assert_allclose(
        fitted(family, X[order], phi[order])(queries) @ phi[order], fitted(family, X, phi)(queries) @ phi, atol=1e-8
    )


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "polynomial"])
def test_nystrom_with_all_centres_is_kernel_ridge(kernel, data):
    X, phi, queries = data
    every = Nystrom(60, lam=1e-2, kernel=kernel, gamma=1.0).fit(X)
    exact = KernelRidge(lam=1e-2, kernel=kernel, gamma=1.0).fit(X)
    assert_allclose(every(queries) @ phi, exact(queries) @ phi, atol=1e-7)
    given = Nystrom(centers=X, lam=1e-2, kernel=kernel, gamma=1.0).fit(X)
    assert_allclose(np.asarray(given(queries)), np.asarray(every(queries)), atol=1e-7)


def test_normal_equations_that_overflow_are_refused():
    X = np.array([[1e150], [-1e150], [3e149]] * 4)
    with pytest.raises(ValueError, match=r"The normal equations of LinearRidge.* are not finite"):
        LinearRidge().fit(X * 1e10).project(np.ones((12, 1)))


def test_nystrom_takes_sparse_rows(data):
    X, phi, queries = data
    X = np.where(np.abs(X) < 0.7, 0, X)
    dense, rows = Nystrom(20).fit(X), Nystrom(20).fit(sparse.csr_matrix(X))
    assert_allclose(rows.centers_.toarray(), dense.centers_)
    assert_allclose(rows(sparse.csr_matrix(queries)) @ phi, dense(queries) @ phi, atol=1e-8)


def test_nystrom_centres_are_distinct_rows(rng):
    X = np.repeat(rng.standard_normal((30, 2)), 5, axis=0)
    model = Nystrom(20).fit(X)
    assert len(np.unique(model.centers_, axis=0)) == 20
    assert (model.centers_[:, None] == X).all(axis=2).any(axis=1).all()
    assert len(Nystrom(50).fit(X).centers_) == 30


def test_jitter_is_zero_until_rounding_asks_for_it(rng):
    X = rng.standard_normal((50, 2))
    well = Nystrom(20, lam=1e-2, gamma=1.0).fit(X)
    well.project(X)
    assert well.jitter_ == 0
    wide = Nystrom(50, lam=1e-3, gamma=1e-3).fit(X)
    wide.project(X)
    assert 0 < wide.jitter_ < 1e-8
    tiny = Nystrom(50, lam=1e-14, gamma=1e-3).fit(X)
    with pytest.warns(InfimumWarning, match="numerically singular at lam = 1e-14"):
        tiny.project(X)


def test_linear_ridge_is_ridge(data):
    from sklearn.linear_model import Ridge

    X, phi, queries = data
    X = X + 1e4  # sums do not cancel
    for intercept in (True, False):
        oracle = Ridge(alpha=60 * 1e-2, fit_intercept=intercept).fit(X, phi).predict(queries)
        assert_allclose(LinearRidge(1e-2, intercept).fit(X)(queries) @ phi, oracle, rtol=1e-6, atol=1e-4)
    assert_allclose(np.asarray(LinearRidge().fit(X)(queries)).sum(axis=1), 1)
    rows = LinearRidge(1e-2).fit(sparse.csr_matrix(X - 1e4))(sparse.csr_matrix(queries))
    assert_allclose(rows @ phi, LinearRidge(1e-2).fit(X - 1e4)(queries) @ phi, atol=1e-10)


@pytest.mark.parametrize("how", ["uniform", "distance"])
def test_neighbors_are_those_of_sklearn(how, data):
    X, phi, queries = data
    oracle = KNeighborsRegressor(7, weights=how).fit(X, phi)
    queries = np.vstack([queries, X[:3]])
    assert_allclose(Neighbors(7, weights=how).fit(X)(queries) @ phi, oracle.predict(queries))


def test_all_neighbors_give_the_mean(data):
    X, phi, queries = data
    assert_allclose(Neighbors(60).fit(X)(queries) @ phi, np.tile(phi.mean(axis=0), (9, 1)))


@pytest.mark.parametrize("kind", ["random", "extra"])
@pytest.mark.parametrize("weighted", [False, True])
def test_forest_reproduces_its_forest(kind, weighted, data, rng):
    X, phi, queries = data
    w = rng.random(60) if weighted else None
    model = Forest(13, kind=kind, min_samples_leaf=2, random_state=0).fit(X, phi, w)
    oracle = np.mean([tree.predict((queries - X.mean(0)) / X.std(0)) for tree in model.trees_], axis=0)
    if weighted:  # in units of the weighted moments
        oracle = np.mean([tree.predict((queries - model.center_) / model.scale_) for tree in model.trees_], axis=0)
    assert_allclose(model(queries) @ phi, oracle, atol=1e-12)
    assert_allclose(np.asarray(model(queries)).sum(axis=1), 1)


def test_out_of_bag_sums_use_the_trees_that_have_not_drawn_the_row(data):
    X, phi, _ = data
    model = Forest(60, random_state=0).fit(X, phi)
    each = np.stack([tree.predict((X - model.center_) / model.scale_) for tree in model.trees_])
    outside = model._masses() == 0
    assert_allclose(model.leave_one_out(phi), (outside[..., None] * each).sum(0) / outside.sum(0)[:, None], atol=1e-12)
    assert_allclose(np.diagonal(model.leave_one_out(np.eye(60))), 0)
    with pytest.raises(ValueError, match="was drawn by all 1 trees"):
        Forest(1, random_state=0).fit(X, phi).out_of_bag()
    with pytest.raises(ValueError, match="bootstrap=True"):
        Forest(5, kind="extra").fit(X, phi).leave_one_out(phi)


def test_forest_draws_repeated_rows_and_groups_together(rng):
    X, phi = np.repeat(rng.standard_normal((30, 3)), 4, axis=0), rng.random((120, 2))
    X += 1e-6 * rng.standard_normal(X.shape)  # almost the same
    for target in (phi, Target(phi, groups=np.arange(120) // 8)):
        model = Forest(20, random_state=0).fit(X, target)
        size = 4 if target is phi else 8
        masses = model._masses().reshape(20, -1, size)
        assert (masses == masses[..., :1]).all()
        without = model.leave_one_out(np.eye(120)).reshape(-1, size, 120 // size, size)
        assert_allclose(np.einsum("aibj->abij", without)[np.arange(120 // size), np.arange(120 // size)], 0)


def test_forest_grows_on_projections_of_many_outputs(rng):
    X = rng.standard_normal((200, 2))
    at = np.digitize(X[:, 0], np.linspace(-2, 2, 120))
    model = Forest(30, random_state=0, min_samples_leaf=1).fit(X, np.eye(121)[at])
    assert model.trees_[0].n_outputs_ == 16
    near = np.abs((model.leave_one_out(np.eye(121)[at]) @ np.arange(121)) - at)
    assert near.mean() < 9 < np.abs(at.mean() - at).mean()


@pytest.mark.parametrize("unit", [1e-150, 1e145])
def test_forest_does_not_depend_on_units(unit, data):
    X, phi, queries = data
    found = [np.asarray(Forest(5, random_state=0).fit(X * u, phi)(queries * u)) for u in (1.0, unit)]
    assert_allclose(*found)


def test_a_mixture_is_the_mean_of_its_parts(data, rng):
    X, phi, queries = data
    parts, folds = [Forest(20, random_state=0), KernelRidge(lam=1e-2), Constant()], [np.arange(30), np.arange(30, 60)]
    mixture = Mixture(parts, [2, 1, 1]).fit(X, phi)
    each = [part.fit(X, phi) for part in parts]

    def mean(found):
        return found[0] / 2 + (found[1] + found[2]) / 4

    assert_allclose(np.asarray(mixture(queries)), mean([np.asarray(part(queries)) for part in each]), atol=1e-12)
    assert_allclose(mixture(queries) @ phi, mean([part(queries) @ phi for part in each]), atol=1e-12)
    assert_allclose(mixture.leave_one_out(phi), mean([part.leave_one_out(phi) for part in each]), atol=1e-12)
    held = [part.held_out(X, phi, None, folds).predict(phi) for part in each]
    assert_allclose(mixture.held_out(X, phi, None, folds).predict(phi), mean(held), atol=1e-12)
    other = rng.random(phi.shape)
    again = mixture.refit(X, other).leave_one_out(other)
    assert_allclose(again, Mixture(parts, [2, 1, 1]).fit(X, other).leave_one_out(other), atol=1e-12)
    with pytest.raises(ValueError, match="one share >= 0 for each of its parts"):
        Mixture(parts, [1]).fit(X, phi)


def moons(n=400, known=20):
    X, y = make_moons(n, noise=0.08, random_state=1)
    unknown = np.ones(n, bool)
    unknown[np.random.default_rng(0).choice(n, known, replace=False)] = False
    return X, y, unknown


@pytest.mark.parametrize("method", ["harmonic", "spreading"])
def test_laplacian_is_the_limit_of_sklearns_iterations(method):
    X, y, unknown = moons(120, 12)
    model = Laplacian(8, method=method, a=0.8, unlabelled=unknown).fit(X)
    graph = model.graph_.toarray()
    partial = np.where(unknown, -1, y)
    settings = {"kernel": lambda *_: graph.copy(), "max_iter": 100_000, "tol": 1e-13}
    oracle = LabelPropagation(**settings) if method == "harmonic" else LabelSpreading(alpha=0.8, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # sklearn warns where its iteration has not converged
        oracle.fit(X, partial)
    F = model.project(np.eye(2)[y])
    assert_allclose(F / F.sum(axis=1, keepdims=True), oracle.label_distributions_, atol=1e-6)


def test_harmonic_functions_are_means_of_their_neighbours(rng):
    X, y, unknown = moons()
    model = Laplacian(unlabelled=unknown).fit(X)
    F = model.project(np.eye(2)[y])
    W = model.graph_
    mean = (W @ F) / np.asarray(W.sum(axis=1))
    assert_allclose(F[unknown], mean[unknown], atol=1e-10)
    assert_allclose(F[~unknown], np.eye(2)[y][~unknown])
    # unlabelled rows never pull, whatever their phi
    noise = np.where(unknown[:, None], rng.standard_normal((400, 2)), np.eye(2)[y])
    assert_allclose(model.project(noise), F)


@pytest.mark.parametrize("method", ["harmonic", "spreading"])
def test_large_graphs_are_solved_by_iteration(method, monkeypatch):
    X, y, unknown = moons()
    phi = np.eye(2)[y]
    direct = Laplacian(method=method, unlabelled=unknown).fit(X).project(phi)
    monkeypatch.setattr(laplacian, "DIRECT", 100)
    assert_allclose(Laplacian(method=method, unlabelled=unknown).fit(X).project(phi), direct, atol=1e-8)
    monkeypatch.setattr(laplacian, "DIRECT", 1)  # five iterations do not do: the factorisation answers
    assert_allclose(Laplacian(method=method, unlabelled=unknown).fit(X).project(phi), direct, atol=1e-12)


def test_unlabelled_rows_help_the_laplacian():
    X, y, unknown = moons()
    sets = [None if u else int(label) for u, label in zip(unknown, y)]
    names = ("laplacian", "kernel", "neighbors")
    accuracy = {name: PartialClassifier.paper(weights=name).fit(X, sets).score(X, y) for name in names}
    assert accuracy["laplacian"] > 0.97
    assert accuracy["laplacian"] > max(accuracy["kernel"], accuracy["neighbors"]) + 0.05
    # without the unlabelled rows there is nothing to learn their shape from
    alone = PartialClassifier.paper(weights="laplacian").fit(X[~unknown], y[~unknown]).score(X, y)
    assert accuracy["laplacian"] > alone + 0.05


def test_laplacian_says_which_rows_nothing_reaches():
    X = np.r_[np.arange(10.0), 1000 + np.arange(10.0)][:, None]
    unknown = np.arange(20) > 1
    with pytest.warns(InfimumWarning, match="10 of 20 rows are not connected to a labelled row in the graph of 2"):
        model = Laplacian(2, unlabelled=unknown).fit(X)
    phi = np.arange(20.0)[:, None]
    assert_allclose(model.project(phi)[10:], 0.5)
    with pytest.raises(ValueError, match="does not support sample weights"):
        Laplacian().fit(X, None, np.arange(20))
    with pytest.raises(ValueError, match="All rows are unlabelled"):
        Laplacian(unlabelled=np.ones(20, bool)).fit(X)


@pytest.mark.parametrize("case", [c for c in CASES if c.whole is not None], ids=lambda c: c.name)
def test_sets_know_whether_they_rule_anything_out(case, rng):
    assert case.whole(3).is_unlabelled.all()
    assert not case.points(case.all()[:2]).is_unlabelled.any()


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("reading", ["inside", "joint"])
def test_every_family_learns_from_sets_by_name(name, reading, rng):
    X = np.vstack([rng.standard_normal((60, 2)), rng.standard_normal((60, 2)) + 4])
    truth = np.repeat([0, 1], 60)
    sets = np.column_stack([truth == 0, truth == 1, rng.random(120) < 0.4])
    sets[:5] = True
    model = PartialClassifier.paper(weights=name, negative_weights=reading).fit(X, sets)
    assert model.score(X, truth) > 0.95
    copy = pickle.loads(pickle.dumps(model))
    assert (copy.predict(X) == model.predict(X)).all()


def test_split_signs_double_the_rows(data, rng):
    X, _, _ = data
    both = rng.standard_normal((120, 2))
    alpha = np.asarray(KernelRidge(lam=1e-2).fit(X)(X))
    expected = np.maximum(alpha, 0) @ both[:60] + np.minimum(alpha, 0) @ both[60:]
    assert_allclose(SplitSigns(KernelRidge(lam=1e-2)).fit(X)(X) @ both, expected)


@pytest.mark.parametrize(
    ("family", "message"),
    [
        (Neighbors(0), "'n_neighbors' parameter of Neighbors must be an integer >= 1 or None. Got 0 instead"),
        (Neighbors(weights="far"), "must be one of"),
        (Forest(kind="oak"), "Got 'oak' instead"),
        (Nystrom(centers="best"), "Got 'best' instead"),
        (Nystrom(kernel="precomputed"), "Use KernelRidge"),
        (Nystrom(0), "'n_centers' parameter of Nystrom must be an integer >= 1. Got 0 instead"),
        (Nystrom(lam=-1), "'lam' parameter of Nystrom must be a number >= 0 or None. Got -1"),
        (Laplacian(method="wave"), "must be 'harmonic' or 'spreading'"),
        (Laplacian(a=1), "'a' parameter of Laplacian must be a number > 0 and < 1. Got 1 instead"),
    ],
)
def test_settings_are_checked(family, message, data):
    X, phi, _ = data
    with pytest.raises(ValueError, match=message):
        family.fit(X, phi)


def test_a_kernel_matrix_that_will_not_fit_is_refused(monkeypatch, data):
    X, _, _ = data
    monkeypatch.setattr(_memory, "available", lambda: 1000.0)
    with pytest.raises(MemoryError, match=r"matrix of 60 rows needs 0.000134 GiB; .*weights.Nystrom\(n_centers="):
        KernelRidge().fit(X)
    with pytest.raises(MemoryError, match="normal equations of 60 features"):
        Nystrom(60).fit(X)


def test_a_million_rows_are_refused_at_once():
    if _memory.available() > 7e12:
        pytest.skip("this machine can hold it")
    rows = np.arange(1_000_000)
    with pytest.raises(MemoryError, match=r"1000000 rows has more entries than LAPACK can count.*Nystrom"):
        PartialClassifier.paper(weights="kernel").fit(rows[:, None] * 1.0, rows % 2)


def test_memory_of_the_container_counts(monkeypatch, tmp_path):
    (tmp_path / "max").write_text("3000")
    (tmp_path / "current").write_text("1000")
    monkeypatch.setattr(_memory, "CGROUPS", [(str(tmp_path / "max"), str(tmp_path / "current"))])
    assert _memory.available() == 2000
    (tmp_path / "max").write_text("max")
    assert 0 < _memory.available() == pytest.approx(_memory._machine(), rel=0.5)


def test_progress_is_shown_when_asked(data, capsys):
    X, phi, _ = data
    Nystrom(5).fit(X).project(phi)
    assert capsys.readouterr().err == ""
    Nystrom(5, verbose=1).fit(X).project(phi)
    shown = capsys.readouterr()
    assert "Nystrom" in shown.err
    assert shown.out == ""


def test_an_interrupted_fit_leaves_the_model_as_it_was(data, monkeypatch):
    X, _, queries = data
    labels = np.arange(60) % 3
    model = PartialClassifier.paper(weights=Nystrom(10))
    before = clone(model).fit(X, labels)
    expected = before.predict(queries)
    monkeypatch.setattr(Nystrom, "_sums", lambda *args, **kwargs: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, labels)
    assert not hasattr(model, "weights_")
    assert not hasattr(model, "output_")
    with pytest.raises(KeyboardInterrupt):
        before.fit(X[:30], np.array(list("ab"))[labels[:30] % 2])
    assert (before.predict(queries) == expected).all()


def test_a_graph_of_one_row():
    assert PartialRegressor.paper(weights=Laplacian()).fit([[0.0]], [1.0]).predict([[5.0]]).tolist() == [1.0]


def test_scaled_weights_treat_sparse_and_dense_queries_alike(data):
    X, phi, queries = data[0] + 3.0, data[1], data[2] + 3.0
    for rows in (X, sparse.csr_matrix(X)):
        weights = Scaled(KernelRidge(0.1)).fit(rows)
        assert_allclose(weights(sparse.csr_matrix(queries)) @ phi, weights(queries) @ phi, atol=1e-10)


def test_features_with_two_values_are_divided_by_half_of_their_difference(rng):
    """A value that is rare among two is as far from the other one as a frequent value is."""
    rare, often = np.arange(400) < 2, np.arange(400) % 2
    X = np.column_stack([7 - 3.0 * rare, 1e-30 * often, rng.standard_normal(400), 0.1 + 0 * rare, rare + 0.5 * often])
    found = Scaled().fit_scale(X)
    assert_allclose(found.scale_[:4], [1.5, 5e-31, X[:, 2].std(), np.inf], rtol=1e-6)
    assert_allclose(found.scale_[4], X[:, 4].std(), rtol=1e-6)  # three values
    assert np.ptp(found.scaled(X)[:, :2], axis=0).round(9).tolist() == [2, 2]
    chunks = Chunks.of(X, rows=150)
    assert_allclose(Scaled().fit_scale(chunks).scale_, found.scale_, rtol=1e-6)
    assert_allclose(Scaled().fit_scale(sparse.csr_matrix(X)).scale_, found.scale_, rtol=1e-6)
    w = np.ones(400)
    w[2:] = often[2:]
    assert_allclose(Scaled().fit_scale(X, None, w).scale_[0], 1.5, rtol=1e-6)


def test_split_signs_fit_leaves_the_inner_weights_unfitted(data):
    X, _, queries = data
    inner = KernelRidge(lam=1e-2)
    found = SplitSigns(inner).fit(X)
    assert not hasattr(inner, "n_rows_")
    alpha = np.asarray(KernelRidge(lam=1e-2).fit(X)(queries))
    assert_allclose(np.asarray(found(queries)), np.hstack([np.maximum(alpha, 0), np.minimum(alpha, 0)]))


def test_forest_draws_labelled_rows_only(rng):
    """Ten rows of 200 are labelled: a tree that draws none of them cannot be grown, and the others do not count."""
    X, labelled = rng.standard_normal((200, 2)), np.arange(200) < 10
    phi = np.eye(2)[(X[:, 0] > 0).astype(int)]
    model = Forest(40, random_state=0).fit(X, Target(phi, labelled))
    alpha = np.asarray(model(X[:5]))
    assert_allclose(alpha[:, labelled].sum(axis=1), 1)
    assert not alpha[:, ~labelled].any()
