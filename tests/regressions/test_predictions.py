"""Predictions, scores and soft labels that are easily wrong: their definitions, through the public interface."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from infimum import (
    CandidateLabels,
    Disambiguation,
    PartialClassifier,
    PartialEstimator,
    PartialRegressor,
    SetLoss,
    metrics,
    outputs,
    weights,
)
from infimum.conformal import Conformal
from infimum.selection import left_out_scores
from infimum.selection.scorers import neg_set_risk
from small_search import SMALL_SEARCH


def test_unlabelled_numbers_stay_unlabelled_within_bounds():
    """A row that bounds end on all sides says as much as it did without them."""
    X = np.linspace(0, 1, 41)[:, None]
    y = [0.0] * 6 + [None] * 29 + [10.0] * 6
    free = PartialRegressor(search_config=SMALL_SEARCH).fit(X, y).predict(X)
    assert np.ptp(free) > 9
    for bounds in ((0, 10), (0, None), (None, 10)):
        bounded = PartialRegressor(bounds=bounds, search_config=SMALL_SEARCH).fit(X, y).predict(X)
        np.testing.assert_allclose(bounded, free, atol=1e-9, err_msg=str(bounds))


def test_one_sided_interval_within_bounds_is_not_unlabelled():
    """What rules something out keeps its say."""
    space = outputs.Reals(bounds=(0, 10)).fit([3.0])
    sets = space.read([None, (0, 10), (2, np.inf), [(0, 4), (6, 10)], 3.0, (-np.inf, 10)])
    assert space.is_unlabelled(sets).tolist() == [True, True, False, False, False, True]
    free = outputs.Reals().fit([0.0, 10.0])
    assert free.is_unlabelled(free.read([(0, 10), None])).tolist() == [False, True]


def test_unlabelled_vectors_stay_unlabelled_within_bounds():
    X = np.linspace(0, 1, 21)[:, None]
    Y = np.full((21, 2), np.nan)
    Y[0], Y[-1] = (0, 5), (10, 6)
    free, bounded = (
        PartialEstimator.paper(outputs.Vectors(bounds=b), weights=weights.Laplacian(2)).fit(X, Y).predict(X)
        for b in (None, ([0, 5], [10, 6]))
    )
    assert np.ptp(free[:, 0]) > 9
    np.testing.assert_allclose(bounded, free, atol=1e-6)
    space = outputs.Vectors(bounds=(0, 10)).fit([[1.0, 2.0]])
    assert space.is_unlabelled(space.read([[np.nan, np.nan], [np.nan, 3.0]])).tolist() == [True, False]


@pytest.mark.parametrize("m", [3, 16, 100, 330])
def test_support_of_a_certain_label_does_not_fall_with_the_number_of_classes(m):
    """Exact labels that all neighbours share are no suspects, and their probability is high."""
    X = np.repeat([0.0, 5.0, 10.0], 4)[:, None] + 0.01 * np.arange(12)[:, None]
    y = np.repeat([0, 1, 2], 4)
    ridge = weights.KernelRidge(lam=1e-6, sigma=1.0)
    model = PartialClassifier.paper(principle="disambiguation", classes=list(range(m)), weights=ridge).fit(X, y)
    assert len(model.suspects_) == 0
    assert model.disambiguation_.support.min() > 0.75
    assert model.predict_proba(X)[np.arange(12), y].min() > 0.75


@pytest.fixture
def noisy(rng):
    """Candidates that are often wrong, and weights of both signs."""
    X = rng.standard_normal((24, 2))
    S = rng.random((24, 4)) < 0.45
    S[np.arange(24), rng.integers(4, size=24)] = True
    return X, S


@pytest.mark.parametrize("principle", ["infimum", "average", "supremum"])
@pytest.mark.parametrize("reading", ["inside", "joint"])
def test_held_out_scores_equal_those_of_refits(noisy, principle, reading):
    """The same as n fits without one row, at the same ridge n lam."""
    X, S = noisy
    n, lam = len(X), 1e-3
    settings = {"principle": principle, "negative_weights": reading}
    model = PartialClassifier.paper(**settings, weights=weights.KernelRidge(lam=lam, gamma=0.5))
    kept = weights.KernelRidge(lam=lam * n / (n - 1), gamma=0.5)
    again = PartialClassifier.paper(**settings, weights=kept, classes=range(4))
    rest = [np.delete(np.arange(n), i) for i in range(n)]
    z = [int(again.fit(X[keep], S[keep]).predict(X[[i]])[0]) for i, keep in enumerate(rest)]
    assert left_out_scores(model, X, S)["covering_rate"] == pytest.approx(S[np.arange(n), z][~S.all(axis=1)].mean())


def test_inside_and_joint_supremum_differ(noisy):
    """Otherwise the test above could not fail."""
    X, S = noisy
    ridge = weights.KernelRidge(lam=1e-3, gamma=0.5)
    found = [
        left_out_scores(PartialClassifier.paper(principle="supremum", negative_weights=how, weights=ridge), X, S)
        for how in ("inside", "joint")
    ]
    assert found[0]["neg_set_risk"] != found[1]["neg_set_risk"]


def test_held_out_scores_fit_forests_to_their_principle(noisy):
    """Trees of the average grow on the average embedding."""
    X, S = noisy
    forest = weights.Forest(50, random_state=0)
    space = outputs.Labels().fit(S)
    sets = space.read(S)
    found = {}
    for principle in ("average", "infimum"):
        phi = np.asarray(SetLoss(space, sets, principle).embedding.phi)
        found[principle] = (
            weights.Forest(50, random_state=0)
            .fit(X, weights.Target(phi, ~sets.is_unlabelled))
            .leave_one_out(np.asarray(SetLoss(space, sets, "average").embedding.phi))
        )
    z = found["average"].argmin(axis=1)
    assert (z != found["infimum"].argmin(axis=1)).any()
    scores = left_out_scores(PartialClassifier.paper(principle="average", weights=forest), X, S)
    assert scores["covering_rate"] == pytest.approx(sets.contains(z)[~sets.is_unlabelled].mean())


def test_sparse_candidates_are_zero_or_one_and_stay_as_they_are():
    """Anything else is refused by row, and the caller's matrix is not touched."""
    with pytest.raises(ValueError, match=r"row 0: .*got 3"):
        CandidateLabels(sparse.csr_matrix([[3, 0], [0, 1]]))
    with pytest.raises(ValueError, match="row 0"):
        CandidateLabels(sparse.csr_matrix([[2, 0], [0, 1]]), negated=[True, False])
    given = sparse.csr_matrix((np.array([1, 0, 1]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
    assert CandidateLabels(given).mask.tolist() == [[True, False], [False, True]]
    assert given.nnz == 3


@pytest.mark.parametrize("cost", ["ordinal", [[0, 1, 4], [1, 0, 1], [4, 1, 0]]])
def test_unseen_labels_cost_what_they_can(cost):
    """The set risk of a label that fit did not see is finite."""
    X = np.arange(6.0)[:, None]
    model = PartialClassifier(cost=cost, classes=[0, 1, 2]).fit(X, [0, 0, 1, 1, 2, 2])
    with pytest.warns(UserWarning, match="1 of 2 rows of y contain only labels that fit did not see"):
        score = neg_set_risk(model, X[[0, 2]], [7, 1])
    assert score == pytest.approx(-(2 if cost == "ordinal" else 4) / 2)


def test_one_row_is_parsed_like_its_column():
    """Ranks or codes is decided once, from all rows; a column that may be both is refused."""
    ranks = outputs.Rankings(3).fit(np.array([[0, 1, 1], [0, 1, 2]]))
    alone, beside = ranks.read(np.array([[0, 1, 1]])), ranks.read(np.array([[0, 1, 1], [0, 1, 2]]))
    np.testing.assert_array_equal(alone.codes[0], beside.codes[0])
    with pytest.raises(ValueError, match="can be ranks or codes"):
        outputs.Rankings(3).fit(np.array([[0, 1, 1]]))


@pytest.mark.parametrize("seed", range(10))
def test_far_row_gets_a_label_from_small_weights(seed):
    """Leaving a far row out loses nothing to cancellation, so that its label is decided."""
    rng = np.random.default_rng(seed)
    X = np.r_[np.arange(12.0)[:, None] + 0.1 * rng.random((12, 1)), [[14.0 + 0.1 * rng.random()]]]
    y = ["a", "a|c"] * 6 + ["a|b"]
    ridge = weights.KernelRidge(lam=1e-6, sigma=0.3)
    model = PartialClassifier.paper(principle=Disambiguation(threshold=None), weights=ridge).fit(X, y)
    assert model.labels_[-1] == "a"
    assert model.confidence_[-1] > 0.99


def test_confidence_is_the_probability_of_the_label(rng):
    """Also where hard disambiguation settles on another option than the heaviest."""
    X = rng.standard_normal((200, 2))
    truth = (X[:, 0] > 0) + 2 * (X[:, 1] > 0)
    S = np.eye(4, dtype=bool)[truth] | (rng.random((200, 4)) < 0.5)
    model = PartialClassifier.paper(principle=Disambiguation("hard")).fit(X, S)
    q = model.disambiguation_.q[:, 0]
    np.testing.assert_array_equal(model.confidence_, q[np.arange(200), model.labels_])
    assert (model.confidence_ < q.max(axis=1)).any()


@pytest.mark.parametrize(
    "family",
    [
        weights.KernelRidge(gamma=0.5),
        weights.Nystrom(centers=np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), gamma=0.5),
        weights.LinearRidge(),
        weights.Neighbors(5),
    ],
    ids=lambda family: type(family).__name__,
)
def test_sample_weight_two_equals_two_rows_in_soft_disambiguation(rng, family):
    """Q, the support of the sets and the predictions."""
    X = rng.standard_normal((30, 2))
    y = [{"a", "b"}, {"b", "c"}, "a", "c", {"a", "c"}] * 6
    w = np.where(np.arange(30) < 10, 2.0, 1.0)
    rows = np.r_[np.arange(30), np.arange(10)]
    threshold = 0.1 if isinstance(family, weights.KernelRidge) else None
    how = Disambiguation(threshold=threshold)
    counted = PartialClassifier.paper(principle=how, weights=family).fit(X, y, w)
    twice = clone(counted).fit(X[rows], [y[i] for i in rows])
    np.testing.assert_allclose(counted.disambiguation_.q, twice.disambiguation_.q[:30], atol=1e-8)
    np.testing.assert_allclose(counted.decision_function(X), twice.decision_function(X), atol=1e-8)
    if threshold is not None:
        np.testing.assert_allclose(counted.disambiguation_.support, twice.disambiguation_.support[:30], atol=1e-8)


def test_sample_weight_two_equals_two_rows_in_hard_disambiguation():
    """Where one point a set is chosen, rows pull as often as they count."""
    changed = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, S = rng.standard_normal((30, 2)), rng.random((30, 4)) < 0.6
        S[np.arange(30), rng.integers(4, size=30)] = True
        w = rng.integers(1, 6, 30).astype(float)
        rows = np.repeat(np.arange(30), w.astype(int))
        how = Disambiguation("hard", threshold=None)
        model = PartialClassifier.paper(principle=how, weights=weights.KernelRidge(gamma=0.5))
        counted = model.fit(X, S, w).labels_
        first = np.searchsorted(rows, np.arange(30))
        np.testing.assert_array_equal(counted, model.fit(X[rows], S[rows]).labels_[first])
        changed += (counted != model.fit(X, S).labels_).any()
    assert changed


def test_lam_and_ridge_are_those_that_were_used():
    """Where n lam had to be raised, lam_ and ridge_ are the raised ones, and the weights are theirs."""
    X = np.zeros((3, 1))
    with pytest.warns(UserWarning, match="n lam is raised"):
        ridge = weights.KernelRidge(lam=0, sigma=1.0).fit(X)
    assert ridge.ridge_ == pytest.approx(3 * ridge.lam_)
    assert ridge.ridge_ > 0
    alpha = np.asarray(ridge(X[:1]))[0]
    np.testing.assert_allclose((np.ones((3, 3)) + ridge.ridge_ * np.eye(3)) @ alpha, 1, atol=1e-12)


def test_prediction_on_the_border_of_its_set_is_inside():
    """.1 + .2 is in (0, .3)."""
    assert metrics.r2([(0, 0.3), 1.0], [0.1 + 0.2, 1.0]) == 1
    assert metrics.r2([(0, 0.3)], [0.1 + 0.2]) == 1


def test_conformal_intervals_use_bounds_for_one_sided_intervals(rng):
    """A quarter of half-lines does not make every interval all of Y."""
    X = rng.random((80, 1))
    y = [(a, np.inf) if k % 4 == 0 else a for k, a in enumerate(2 * X[:, 0])]
    model = PartialRegressor(bounds=(-4, 4)).fit(X, y)
    made = Conformal(model, 0.9, score="distance", prefit=True).conformalize(X, y)
    found = made.predict_set(X)
    assert (found.lower > -3.5).all()
    assert np.mean((found.lower <= 2 * X[:, 0]) & (2 * X[:, 0] <= found.upper)) >= 0.9
    with pytest.raises(ValueError, match=r"row 0: .*lies outside of bounds"):
        made.conformalize(X[:1], [7.0])
