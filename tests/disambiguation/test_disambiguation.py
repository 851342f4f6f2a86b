"""Disambiguation: held-out predictions, soft and hard disambiguation, and what the estimators report."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold

from blobs import FAMILIES, blobs
from cases import CASES
from infimum import (
    Blocks,
    CandidateLabels,
    Disambiguation,
    HammingBalls,
    PartialClassifier,
    PartialEstimator,
    PartialMultilabelClassifier,
    PartialRegressor,
    PartialTags,
    datasets,
    weights,
)
from infimum.data import Table
from infimum.disambiguation import Categorical, Schedule, best_of_starts, hard, held_out_sums, soft, soft_update
from infimum.disambiguation.categorical import support
from infimum.evidence.calibration import normalise
from infimum.weights.holdout import folds_of
from small_search import SMALL_SEARCH

BILINEAR = [case for case in CASES if case.bilinear]


def test_disambiguation_of_chunks_equals_that_of_arrays(rng):
    X, _, mask = blobs(rng, 60)
    here = PartialClassifier.paper(principle="disambiguation", weights="linear").fit(X, mask)
    parts = clone(here).fit(Blocks([(X[:25], mask[:25]), (X[25:], mask[25:])]))
    np.testing.assert_allclose(parts.decision_function(X), here.decision_function(X), atol=1e-9)


def test_subset_labels_are_propagated_to_the_other_rows(rng):
    """Rows outside of the subset get soft labels by one update from the predictions of the subset: by definition."""
    X, truth, mask = blobs(rng, 90)
    family = weights.LinearRidge(lam=1e-2)
    model = PartialClassifier(principle=Disambiguation(subset_size=40), weights=family).fit(X, mask)
    at = Table(X, None).first(40)
    alone = PartialClassifier(principle="disambiguation", weights=family).fit(X[at], mask[at])
    q = model.disambiguation_.q
    np.testing.assert_allclose(q[at], alone.disambiguation_.q)
    rest = np.setdiff1d(np.arange(90), at)
    F = np.maximum(np.asarray(alone.weights_(X[rest])) @ alone.disambiguation_.q[:, 0], 0) * mask[rest]
    np.testing.assert_allclose(q[rest, 0], F**2 / (F**2).sum(axis=1, keepdims=True), atol=1e-9)
    assert np.mean(model.labels_ == truth) > 0.85


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), power=st.floats(1, 4))
def test_soft_labels_are_distributions_on_the_candidates(seed, power):
    rng = np.random.default_rng(seed)
    mask = rng.random((12, 2, 4)) < 0.5
    mask[..., 0] |= ~mask.any(axis=-1)
    A = rng.standard_normal((12, 12)) * 10.0 ** rng.integers(-200, 3)  # signed, of any size
    found = soft(lambda q: A @ q, Categorical(mask), Schedule(ramp=3, cap=power, max_iter=10))
    assert np.isfinite(found.q).all()
    assert not found.q[~mask].any()
    np.testing.assert_allclose(found.q.sum(axis=-1), 1, atol=1e-12)
    one = mask.sum(axis=-1) == 1
    np.testing.assert_array_equal(found.q[one], mask[one])  # exact labels do not change


def test_soft_update_with_and_without_a_floor(rng):
    F, candidates = rng.standard_normal((50, 4)), rng.random((50, 4)) < 0.6
    candidates[:, 0] = True
    F[0], previous = -1.0, rng.dirichlet(np.ones(4), 50)
    positive = np.maximum(F, 0) * candidates
    informed = positive.any(axis=1)
    found = soft_update(F, candidates, 1.5, previous)
    expected = positive[informed] ** 1.5
    np.testing.assert_allclose(found[informed], expected / expected.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(found[~informed], previous[~informed])
    uniform = candidates[~informed] / candidates[~informed].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(soft_update(F, candidates)[~informed], uniform)
    powers = np.maximum(F, 0) ** 1.5
    share = powers / np.maximum(powers.sum(axis=1, keepdims=True), 1e-300)
    expected = np.where(candidates, share + 0.3 / 4, 0)
    found = soft_update(F, candidates, 1.5, floor=0.3)
    np.testing.assert_allclose(found, expected / expected.sum(axis=1, keepdims=True))


def test_soft_update_of_signs_is_a_power_of_odds(rng):
    """For two options, tanh(p artanh(f)) is the expected sign after an update with scores (1 ± f) / 2."""
    f = rng.uniform(-0.99, 0.99, 30)
    found = soft_update(np.stack([1 + f, 1 - f], axis=-1) / 2, np.ones((30, 2), dtype=bool), 2.5)
    np.testing.assert_allclose(found[:, 0] - found[:, 1], np.tanh(2.5 * np.arctanh(f)))


@pytest.mark.parametrize("case", BILINEAR, ids=lambda c: c.name)
def test_hard_objective_decreases_and_result_is_in_the_sets(case, rng):
    n = 12
    for _ in range(5):
        sets = case.sets(rng, n)
        alpha = rng.standard_normal((n, n)) / n + np.eye(n)
        starts = [sets.start(), sets.argmin(rng.standard_normal((n, sets.start().shape[1])))]
        found = hard(case.space, sets, alpha, starts[0])
        assert np.all(np.diff(found.objective) <= 1e-9 * (1 + np.abs(found.objective[0])))
        assert found.converged
        y = sets.member(found.phi, case.space)
        assert sets.contains(y).all()
        # J from its definition: no z of those that can be listed is better for these y
        z = case.space.decode(alpha @ found.phi)
        J = sum(alpha[i, j] * case.loss(z[i], y[j]) for i in range(n) for j in range(n))
        np.testing.assert_allclose(found.objective[-1], J, atol=1e-7)
        outputs = case.all() if case.space.size == np.inf else case.space.outputs()
        table = np.array([[case.loss(z, v) for v in y] for z in outputs])
        assert (table @ alpha.T).min(axis=0).sum() >= J - 1e-7
        assert best_of_starts(case.space, sets, alpha, starts).objective[-1] <= found.objective[-1] + 1e-9


@pytest.mark.parametrize("case", BILINEAR, ids=lambda c: c.name)
@pytest.mark.parametrize("kind", ["auto", "hard"])
def test_exact_labels_are_kept_and_predicted_as_by_the_infimum(case, kind, rng):
    X = rng.standard_normal((15, 2))
    y = case.all()[rng.integers(len(case.all()), size=15)]
    sets = case.points(y)
    model = PartialEstimator.paper(case.space, weights=weights.KernelRidge(lam=1e-2))
    plain = clone(model).fit(X, sets)
    disambiguated = model.set_params(principle=Disambiguation(kind)).fit(X, sets)
    np.testing.assert_array_equal(disambiguated.labels_, disambiguated.output_.readable(y))
    np.testing.assert_allclose(disambiguated.minimum(X).value, plain.minimum(X).value, atol=1e-8)
    assert len(disambiguated.tied_) == 0


@pytest.mark.parametrize("family", [*FAMILIES, "kernel"], ids=repr)
def test_labels_are_the_true_ones_for_separated_classes(family, rng):
    X, truth, mask = blobs(rng)
    model = PartialClassifier(principle="disambiguation", weights=family).fit(X, mask)
    assert mask[np.arange(90), model.labels_].all()
    assert np.mean(model.labels_ == truth) > 0.95
    assert np.mean(model.predict(X) == truth) > 0.95
    assert np.mean(model.confidence_[model.labels_ == truth]) > 0.8


def test_unlabelled_rows_get_labels(rng):
    X, truth, _ = blobs(rng)
    y = [int(t) if i < 15 else None for i, t in enumerate(truth)]
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(X, y)
    assert np.mean(model.labels_[15:] == truth[15:]) > 0.95
    q = model.disambiguation_.q[15:, 0]
    assert (q.max(axis=1) > 0.9).mean() > 0.9


@pytest.mark.parametrize("kind", ["soft", "hard"])
def test_result_does_not_depend_on_the_order_of_rows(kind, rng):
    X, _, mask = blobs(rng, extra=0.6)
    order = rng.permutation(len(X))
    model = PartialClassifier.paper(principle=Disambiguation(kind, n_starts=3), weights=weights.KernelRidge(lam=1e-4))
    one, other = clone(model).fit(X, mask), clone(model).fit(X[order], mask[order])
    np.testing.assert_array_equal(one.labels_[order], other.labels_)
    np.testing.assert_allclose(one.confidence_[order], other.confidence_, atol=1e-8)
    np.testing.assert_allclose(one.disambiguation_.support[order], other.disambiguation_.support, atol=1e-8)
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_suspects_are_sets_without_the_true_label(rng):
    X, truth, mask = blobs(rng, 150, extra=0.2, noise=0.2)
    wrong = np.arange(0, 140, 14)
    mask[wrong] = False
    mask[wrong, (truth[wrong] + 1) % 3] = True
    model = PartialClassifier.paper(principle=Disambiguation(threshold=0.2), weights=weights.KernelRidge(lam=1e-3))
    model.fit(X, mask)
    assert set(model.suspects_) == set(wrong)
    assert set(np.argsort(model.disambiguation_.support)[:10]) == set(wrong)
    without = clone(model).set_params(principle=Disambiguation(threshold=None)).fit(X, mask)
    assert without.disambiguation_.support is None
    assert len(without.suspects_) == 0


def test_held_out_sums_do_not_depend_on_the_own_fold(rng):
    """Changing the sets of a fold does not change the predictions for it."""
    X, _, mask = blobs(rng, 60)
    blocks = folds_of(X, 4)
    operator = weights.KernelRidge(lam=1e-3).fit(X).held_out(X, None, None, blocks)
    P = normalise(held_out_sums(operator, Categorical(mask[:, None])))
    changed = mask.copy()
    changed[blocks[2]] = np.roll(mask[blocks[2]], 1, axis=1)
    Q = normalise(held_out_sums(operator, Categorical(changed[:, None])))
    np.testing.assert_allclose(P[blocks[2]], Q[blocks[2]], atol=1e-12)
    assert np.abs(P - Q).max() > 0.01
    np.testing.assert_allclose(support(P, mask[:, None]), (P[:, 0] * mask).sum(axis=1))


def test_tied_candidates_always_occur_together(rng):
    X, truth, _ = blobs(rng)
    y = ["a" if t == 0 else "b" if t == 1 else "c|d" for t in truth]
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(X, y)
    np.testing.assert_array_equal(model.tied_, np.flatnonzero(truth == 2))
    np.testing.assert_allclose(model.confidence_[truth == 2], 0.5)


def test_labels_of_unknown_tags_are_the_true_ones(rng):
    X, truth, _ = blobs(rng, 120)
    tags = np.where(np.eye(3)[truth] > 0, 1, -1)
    known = np.where(rng.random(tags.shape) < 0.5, tags, 0)
    model = PartialMultilabelClassifier(search_config=SMALL_SEARCH).fit(X, known)
    assert PartialTags(known).contains(model.labels_).all()
    assert np.mean(model.labels_[known == 0] == tags[known == 0]) > 0.95
    assert np.mean(model.predict(X) == tags) > 0.95
    assert model.disambiguation_.q.shape == (120, 3, 2)


def test_hamming_balls_get_hard_labels(rng):
    X, truth, _ = blobs(rng, 120)
    tags = np.repeat(np.where(np.eye(3)[truth] > 0, 1, -1), 2, axis=1)
    centers, radii = datasets.hamming_ball(tags, 0.3, random_state=0)
    balls = HammingBalls(centers, radii)
    model = PartialMultilabelClassifier(principle="disambiguation", weights=weights.KernelRidge(lam=1e-2)).fit(X, balls)
    assert balls.contains(model.labels_).all()
    assert model.confidence_ is None
    assert np.mean(model.labels_ == tags) > np.mean(centers == tags)
    assert np.mean(model.predict(X) == tags) > 0.98
    with pytest.raises(ValueError, match=r"Use Disambiguation\(kind='hard'\)"):
        model.set_params(principle=Disambiguation("soft")).fit(X, balls)


def test_phi_is_the_expected_cost(rng):
    X, truth, mask = blobs(rng)
    cost = np.array([[0, 1, 9], [1, 0, 1], [9, 1, 0.0]])
    model = PartialClassifier.paper(cost, "disambiguation", weights=weights.KernelRidge(lam=1e-3)).fit(X, mask)
    q = model.disambiguation_.q[:, 0]
    np.testing.assert_allclose(model.disambiguation_.phi, q @ cost.T)
    assert np.mean(model.predict(X) == truth) > 0.9


def test_predict_proba_sums_to_one_and_agrees_with_predict(rng):
    X, truth, mask = blobs(rng)
    model = PartialClassifier().fit(X, mask)
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(P.argmax(axis=1), model.predict(X))
    assert P[np.arange(90), truth].mean() > 0.7
    with pytest.raises(AttributeError):
        PartialClassifier.paper().predict_proba  # noqa: B018


def test_errors_explain_what_is_not_supported(rng):
    X, _, mask = blobs(rng, 20)
    with pytest.raises(AttributeError, match="principle='disambiguation'"):
        PartialClassifier.paper().fit(X, mask).labels_  # noqa: B018
    with pytest.raises(ValueError, match="bilinear"):
        PartialRegressor.paper("absolute", "disambiguation").fit(X, [(0, 1)] * 20)
    with pytest.raises(ValueError, match="kind must be"):
        PartialClassifier.paper(principle=Disambiguation("medium")).fit(X, mask)
    with pytest.raises(ValueError, match=r"Laplacian\(.*has no closed form"):
        PartialClassifier(principle="disambiguation", weights="laplacian").fit(X, mask)
    with pytest.raises(ValueError, match="all rows"):
        PartialClassifier(principle=Disambiguation("hard"), weights="linear").fit(Blocks([(X, mask, None)]))
    refitted = (
        PartialClassifier.paper(principle="disambiguation").fit(X, mask).set_params(principle="infimum").fit(X, mask)
    )
    assert refitted.disambiguation_ is None


def test_fit_of_one_row():
    model = PartialClassifier.paper(principle="disambiguation").fit([[1.0]], ["a|b"])
    assert model.labels_.tolist() == ["a"]
    assert model.tied_.tolist() == [0]


def test_grid_search_over_principles_and_their_parameters(rng):
    X, truth, mask = blobs(rng)
    sets = CandidateLabels(mask)
    grid = {"principle": ["infimum", "disambiguation", Disambiguation("hard")], "weights__lam": [1e-3, 1e-2]}
    cv = KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(PartialClassifier.paper(weights=weights.KernelRidge()), grid, cv=cv)
    assert np.mean(search.fit(X, sets).predict(X) == truth) > 0.9
    nested = GridSearchCV(
        PartialClassifier.paper(principle=Disambiguation()), {"principle__cap": [1.0, 2.0]}, cv=KFold(3)
    )
    assert set(nested.fit(X, sets).best_params_) == {"principle__cap"}


