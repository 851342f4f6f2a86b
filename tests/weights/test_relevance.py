"""Feature relevances: slopes of a kernel ridge, scaled features, and cross-validation without the held-out rows."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from infimum import Chunks, PartialClassifier, PartialRegressor, PartialSearch, outputs, weights
from infimum.data import Table
from infimum.recipe import Recipe
from infimum.selection import Candidate, SearchConfig
from infimum.selection.evaluate import mean_scores, predict_held_out, row_scores
from infimum.selection.kernel_cache import KernelCache, scaled
from infimum.selection.record import Record
from infimum.selection.search import search_problem, try_neighbours
from infimum.weights.holdout import FoldFit, Refitted, folds_of
from infimum.weights.relevance import FOLD_POINTS, LAM, ROWS, _some, median


def rule(X):
    """Slanted, so that trees do not find it at once."""
    return np.digitize(np.sin(X[:, 0] + X[:, 1]) + 0.5 * (X[:, 0] + X[:, 1]), [-0.5, 0.5])


@pytest.fixture
def cloud(rng):
    """Three classes that depend on two features of twenty, and sets with a wrong candidate now and then."""
    X = rng.standard_normal((240, 20))
    truth = rule(X)
    mask = rng.random((240, 3)) < 0.3
    mask[np.arange(240), truth] = True
    return X, mask, truth


def cache_of(X, mask, n_folds=5):
    space = outputs.Labels().fit(mask)
    return KernelCache(Table(X, None, None), space, space.read(mask), folds_of(X, n_folds), SearchConfig())


def likelihood(cache, candidate, preview):
    recipe = Recipe("disambiguation", "inside", weights.KernelRidge())
    found = predict_held_out(recipe, cache.holdout(candidate, preview), cache.output, cache.sets)
    return mean_scores(cache.sets, found, row_scores(cache.output, cache.sets, found), chance=False)["log_likelihood"]


def test_they_are_root_mean_square_slopes(rng):
    Z, phi = rng.standard_normal((40, 3)), rng.standard_normal((40, 2))
    D = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    gamma = 1 / np.median(D)
    coef = np.linalg.solve(np.exp(-gamma * D) + 40 * LAM * np.eye(40), phi - phi.mean(axis=0))
    F = lambda x: rbf_kernel(x, Z, gamma=gamma) @ coef  # noqa: E731
    step = 1e-5
    slopes = np.stack([(F(Z + step * e) - F(Z - step * e)) / (2 * step) for e in np.eye(3)])
    expected = np.sqrt(np.square(slopes).sum(axis=2).mean(axis=1))
    np.testing.assert_allclose(weights.relevance(Z, phi), expected / np.sqrt(np.mean(expected**2)), rtol=1e-6)


def test_rows_count_as_often_as_they_weigh(rng):
    Z, phi = rng.standard_normal((30, 3)), rng.standard_normal((30, 1))
    w = rng.integers(0, 3, 30)
    again = np.repeat(np.arange(30), w)
    found = weights.relevance(Z, phi, w.astype(float))
    np.testing.assert_allclose(found, weights.relevance(Z[again], phi[again]), rtol=1e-8)


def test_many_rows_are_sampled_whatever_their_order(rng):
    Z = rng.standard_normal((2 * ROWS, 4))
    phi = np.sign(Z[:, 2:3])
    other = rng.permutation(len(Z))
    found = weights.relevance(Z, phi)
    assert found.argmax() == 2
    np.testing.assert_allclose(found, weights.relevance(Z[other], phi[other]), rtol=1e-9)


def test_many_equal_rows_are_not_more_than_are_looked_at():
    X = np.repeat([[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]], ROWS, axis=0)
    assert weights.relevance(X, X[:, :1]).shape == (3,)
    assert weights.relevance(np.ones((2 * ROWS, 2)), np.ones((2 * ROWS, 1))).tolist() == [1, 1]


def test_many_outputs_cost_no_more_and_tell_the_same(rng):
    Z = rng.standard_normal((200, 5))
    phi = np.tanh(Z[:, :2] @ rng.standard_normal((2, 400)))
    found = weights.relevance(Z, phi)
    assert found[:2].min() > 3 * found[2:].max()


def test_outputs_that_never_change_make_no_feature_relevant(rng):
    assert weights.relevance(rng.standard_normal((20, 3)), np.ones((20, 2))).tolist() == [1, 1, 1]


def test_scaled_features_count_by_what_they_say(cloud):
    X, mask, _ = cloud
    fitted = weights.Scaled(weights.KernelRidge(), "relevant").fit(X, -mask.astype(float))
    Z = fitted.scaled(X)
    assert Z.std(axis=0)[:2].min() > 1.3 * Z.std(axis=0)[2:].max()
    relevance = weights.relevance(scaled("standard", X, None), -1.0 * mask)
    given = weights.Scaled(weights.KernelRidge(), "relevant", relevance)
    np.testing.assert_array_equal(given.fit(X).scaled(X), Z)
    assert not given.supervised
    assert fitted.supervised
    unit = weights.Scaled(weights.KernelRidge(), "relevant unit").fit(X, -mask.astype(float))
    np.testing.assert_allclose(unit.scaled(X), Z / np.linalg.norm(Z, axis=1, keepdims=True))


def test_units_do_not_matter(cloud):
    X, mask, _ = cloud
    units = 10.0 ** np.arange(-4, 16)[:, None].T
    plain, other = (weights.Scaled(scaling="relevant").fit(A, -1.0 * mask) for A in (X, X * units))
    np.testing.assert_allclose(other.scaled(X * units), plain.scaled(X), rtol=1e-6, atol=1e-8)


def test_scaled_learns_again_without_the_rows_that_are_held_out(cloud):
    X, mask, _ = cloud
    phi, blocks = -mask.astype(float), folds_of(X, 4)
    family = weights.Scaled(weights.KernelRidge(1e-3, gamma=0.1), "relevant")
    found = family.fit(X, phi).held_out(X, phi, None, blocks)
    assert isinstance(found, Refitted)
    for block in blocks:
        rest = np.delete(np.arange(len(X)), block)
        expected = np.asarray(weights.Scaled(family.weights, "relevant").fit(X[rest], phi[rest])(X[block])) @ phi[rest]
        np.testing.assert_allclose(found.predict(phi)[block], expected, atol=1e-10)


def test_kernel_cache_learns_relevances_without_the_held_out_rows(cloud):
    X, mask, _ = cloud
    cache, candidate = cache_of(X, mask), Candidate("kernel", "relevant", "rbf", 1.0, 1e-3)
    phi, standard = cache.target.phi, scaled("standard", X, None)
    found = cache.holdout(candidate).predict(phi)
    D = ((standard[:, None] - standard[None]) ** 2).sum(axis=2)
    near = np.exp(-D / median(D, None))
    for block in cache.folds:
        rest = np.delete(np.arange(len(X)), block)
        # the slopes of the kernel ridge of the other rows, whose width and ridge are those of all rows
        A = near[np.ix_(rest, rest)] + len(X) * LAM * np.eye(len(rest))
        coef = np.linalg.solve(A, phi[rest] - phi[rest].mean(axis=0))
        points = np.setdiff1d(_some(standard, FOLD_POINTS, None), block)
        steps = standard[points][:, None] - standard[rest][None]
        slopes = np.einsum("ij,jc,ijk->ikc", near[np.ix_(points, rest)], coef, steps)
        square = (slopes**2).sum(axis=(0, 2))
        Z = scaled("relevant", X, None, np.sqrt(square / square.mean()))
        D = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
        K = np.exp(-D / median(D, None))
        A = K[np.ix_(rest, rest)] + len(X) * 1e-3 * np.eye(len(rest))
        np.testing.assert_allclose(found[block], K[np.ix_(block, rest)] @ np.linalg.solve(A, phi[rest]), atol=1e-9)


def test_preview_overestimates_relevances_if_there_is_nothing_to_learn(rng):
    X = rng.standard_normal((150, 40))
    mask = np.eye(2, dtype=bool)[rng.integers(2, size=150)]
    cache, candidate = cache_of(X, mask), Candidate("kernel", "relevant", "rbf", 1.0, 1e-1)
    plain, honest, seen = (
        likelihood(cache, Candidate("kernel", "standard", "rbf", 1.0, 1e-1), False),
        likelihood(cache, candidate, False),
        likelihood(cache, candidate, True),
    )
    assert seen > honest + 0.004
    assert honest < plain + 0.001


@pytest.mark.parametrize("weighted", [False, True])
def test_fitted_again_without_a_block_or_taken_out_of_the_inverse(cloud, rng, weighted):
    """Two ways to one operator, where n lam is kept."""
    X, mask, _ = cloud
    w = rng.choice([0.0, 0.5, 1.0, 3.0], size=len(X)) if weighted else None
    blocks, K = cache_of(X, mask).folds, rbf_kernel(X, gamma=0.05)
    together = ridge(1e-2).fit(K, None, w).held_out(K, None, w, blocks)
    total, fits = len(X) if w is None else w.sum(), []
    for block in blocks:
        rest = np.delete(np.arange(len(X)), block)
        some = None if w is None else w[rest]
        lam = 1e-2 * total / (len(rest) if some is None else some.sum())
        inner = K[np.ix_(rest, rest)]
        fits.append(FoldFit(block, rest, ridge(lam).fit(inner, None, some), inner, K[np.ix_(block, rest)]))
    one = Refitted(len(X), fits)
    q = together.mask_out(mask.astype(float))
    np.testing.assert_allclose(one(q), together(q), atol=1e-9)
    np.testing.assert_allclose(one.predict(mask * 1.0), together.predict(mask * 1.0), atol=1e-9)
    np.testing.assert_allclose(one.weights(), together.weights(), atol=1e-9)
    for a, b in zip(one.folds(), together.folds(), strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_allclose(x, y, atol=1e-9)


def ridge(lam: float) -> weights.KernelRidge:
    return weights.KernelRidge(lam, kernel="precomputed", gamma=None)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 10])
def test_the_median_is_that_of_all_pairs(rng, n):
    D = ((rng.integers(3, size=(n, 2))[:, None] - rng.integers(3, size=(1, 2))) ** 2).sum(axis=2)
    D = np.abs(D.sum(axis=1)[:, None] - D.sum(axis=1)) * 1.0
    assert median(D, None) == np.median(D) == median(D, np.ones(n))


def test_fit_finds_the_relevant_features(cloud, rng):
    X, mask, _ = cloud
    test = rng.standard_normal((1000, 20))
    truth = rule(test)
    model = PartialClassifier(weights="kernel").fit(X, mask)
    assert model.selection_.best.scaling.startswith("relevant")
    assert "relevant" in repr(model.selection_).splitlines()[2]
    reached = model.score(test, truth)
    without = PartialClassifier(weights="kernel", search_config=SearchConfig(relevance_columns=0)).fit(X, mask)
    assert reached > without.score(test, truth) + 0.03


def test_numbers_too(rng):
    X = rng.standard_normal((200, 15))
    middle = np.sin(2 * X[:, 0])
    model = PartialRegressor().fit(X, np.stack([middle - 0.3, middle + 0.2], axis=1))
    assert model.selection_.best.scaling.startswith("relevant")
    relevance = model.recipe_.weights.relevance
    assert relevance[0] > 2 * relevance[1:].max()


def test_fit_with_relevances_through_centres_and_on_chunks(cloud):
    X, mask, truth = cloud
    exact = PartialClassifier(weights="kernel").fit(X, mask)
    model = PartialClassifier(weights="kernel", search_config=SearchConfig(exact_rows=100, center_bounds=(120, 120)))
    for fitted in (clone(model).fit(X, mask), clone(model).fit(Chunks.of(X, mask))):
        family = fitted.recipe_.weights
        assert isinstance(family.weights, weights.Nystrom)
        assert family.scaling.startswith("relevant")
        assert np.mean(fitted.predict(X) == exact.predict(X)) > 0.9
        assert np.mean(fitted.predict(X) == truth) > 0.8


def test_what_cannot_be_is_said_in_one_sentence(cloud):
    X = cloud[0]
    with pytest.raises(ValueError, match=r"scaling='relevant' requires the embedded sets. Call fit\(X, phi\)"):
        weights.Scaled(scaling="relevant").fit(X)
    with pytest.raises(ValueError, match=r"a number >= 0 for each of the 20 features. Got \(3,\)"):
        weights.Scaled(scaling="relevant", relevance=[1, 2, 3]).fit(X)
    with pytest.raises(ValueError, match=r"each of the 20 features. Got -1"):
        weights.Scaled(scaling="relevant", relevance=[1] * 19 + [-1]).fit(X)
    with pytest.raises(ValueError, match="scaling must be one of 'standard', 'unit', 'relevant', 'relevant unit'"):
        weights.Scaled(scaling="relevent").fit(X)


def test_a_search_may_have_them_too(cloud):
    X, mask, truth = cloud
    model = PartialClassifier(principle="disambiguation")
    found = PartialSearch(model, scalings=("standard", "relevant"), lams=(1e-3,)).fit(X, mask)
    assert found.best_params_["scaling"] == "relevant"
    family = found.best_estimator_.weights
    assert (family.scaling, family.relevance) == ("relevant", None)
    assert np.mean(found.predict(X) == truth) > 0.85


def test_try_neighbours_skips_candidates_with_relevances(cloud):
    """On more rows, only the best candidate may be left, and it may have relevances: there are no neighbours to try."""
    X, mask, _ = cloud
    space = outputs.Labels().fit(mask)
    recipe = Recipe("disambiguation", "inside", "auto")
    problem = search_problem(recipe, Table(X, None, None), space, space.read(mask), SearchConfig())
    data, record = problem.data(np.arange(200)), Record()
    record.compare([Candidate("kernel", "relevant", "rbf", 1.0, 1e-3, principle="disambiguation")], data)
    try_neighbours(problem, data, record)
    assert len(record.evaluations) == 1


def test_margin_clips_new_rows_to_the_range_of_training_rows(rng):
    X, w = rng.standard_normal((30, 2)), np.ones(30)
    X[0], w[0] = 10.0, 0.0  # a row of weight 0 does not extend the range
    family = weights.Scaled(weights.LinearRidge(1e-3), margin=0.5)
    far, nearer = np.array([[1e3, -1e3]]), X[1:].max(axis=0) + [0.5, 0] * X[1:].std(axis=0)
    nearer[1] = X[1:, 1].min() - 0.5 * X[1:, 1].std()
    fitted = clone(family).fit(X, None, w)
    np.testing.assert_allclose(np.asarray(fitted(far)), np.asarray(fitted(nearer[None])), rtol=1e-5, atol=1e-7)
    plain = clone(family).set_params(margin=None).fit(X, None, w)
    np.testing.assert_allclose(np.asarray(plain(X[1:])), np.asarray(fitted(X[1:])), atol=1e-12)
    assert np.abs(np.asarray(plain(far))).max() > 10 * np.abs(np.asarray(fitted(far))).max()
    in_chunks = clone(family).fit(Chunks.of_columns(X[1:], None, None))
    np.testing.assert_allclose(in_chunks.range_, fitted.range_, rtol=1e-6)
    with pytest.raises(ValueError, match="margin"):
        clone(family).set_params(margin=-1).fit(X)
