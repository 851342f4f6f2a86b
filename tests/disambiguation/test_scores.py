"""Rankings by scores: the default, and Bradley-Terry regression by maximum penalised likelihood."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from infimum import Disambiguation, PartialClassifier, PartialRanker
from infimum.datasets import drop_pairs
from infimum.metrics import wrong_pairs
from infimum.outputs import PartialOrders
from infimum.paper.ranking import random_problem
from infimum.weights import Forest, KernelRidge, LinearRidge, Nystrom

SCORES = Disambiguation(decision="scores", max_iter=1000, tol=1e-10)


def lines(m: int, c: float, seed: int, n: int = 50) -> tuple:
    """Return the paper's problem: scores are lines in x, and only comparisons of similar scores are known."""
    rng = np.random.RandomState(seed)
    problem = random_problem(m, rng)
    x, new = rng.uniform(-1, 1, n), rng.uniform(-1, 1, 100)
    truth = problem.codes(new)
    return x[:, None], drop_pairs(problem.scores(x), c), new[:, None], truth


def noisy_triples(n: int, m: int, seed: int) -> tuple:
    """Return comparisons of three items that are linear in two features, with Gumbel noise, as ranks."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    utility = X @ rng.standard_normal((2, m)) + rng.gumbel(size=(n, m))
    ranks = np.full((n, m), np.nan)
    for row in range(n):
        some = rng.choice(m, 3, replace=False)
        ranks[row, some[np.argsort(-utility[row, some])]] = [1, 2, 3]
    return X, ranks


@pytest.mark.parametrize(("m", "c", "seed"), [(4, 0.6, 0), (6, 0.86, 0), (10, 0.6, 2)])
def test_default_is_at_least_the_infimum_on_the_papers_lines(m, c, seed):
    X, y, new, truth = lines(m, c, seed)
    fixed = PartialRanker(items=m, principle="infimum", negative_weights="joint", weights=KernelRidge(1e-3, sigma=0.5))
    ours, theirs = (
        wrong_pairs(truth, one.fit(X, y).predict(new), items=range(m)) for one in (PartialRanker(items=m), fixed)
    )
    assert ours <= min(theirs + 0.01, 0.05)


@pytest.mark.parametrize("seed", range(2))
def test_default_is_a_constant_on_noise(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((150, 4))
    y = np.argsort(rng.gumbel(size=(150, 6)) + np.linspace(0.6, 0, 6), axis=1).astype(float)
    y[np.argsort(rng.random(y.shape), axis=1) > 2] = np.nan
    assert PartialRanker().fit(X, y).selection_.best_params["weights"] == "constant"


def penalised_likelihood(X, sets, lam, new):
    """Return the scores at new rows of largest penalised likelihood, linear in x with free intercepts, by L-BFGS."""
    pairs, n = sets.comparisons(), len(X)
    Z, Z_new = (np.column_stack([np.ones(len(part)), part]) for part in (X, new))
    penalty = n * lam * np.r_[0.0, np.ones(X.shape[1])][:, None]

    def objective(flat):
        W = flat.reshape(-1, pairs.m)
        u = Z @ W
        d = u[pairs.row, pairs.better] - u[pairs.row, pairs.worse]
        push, slope = 4 * pairs.weight * expit(-d), np.zeros(u.shape)
        np.add.at(slope, (pairs.row, pairs.better), -push)
        np.add.at(slope, (pairs.row, pairs.worse), push)
        return -4 * pairs.weight @ log_expit(d) + (penalty * W**2).sum() / 2, (Z.T @ slope + penalty * W).ravel()

    start = np.zeros(Z.shape[1] * pairs.m)
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options={"gtol": 1e-9, "ftol": 1e-15})
    return Z_new @ found.x.reshape(-1, pairs.m)


def test_linear_scores_have_the_largest_penalised_likelihood():
    X, ranks = noisy_triples(80, 5, 0)
    new = np.random.default_rng(1).standard_normal((40, 2))
    model = PartialRanker(principle=SCORES, weights=LinearRidge(1e-2)).fit(X, ranks)
    expected = penalised_likelihood(X, PartialOrders.from_ranks(ranks), 1e-2, new)
    i, j = np.triu_indices(5, 1)
    codes = model.map_weights(new, model.solver_.sums)[:, :-1]
    np.testing.assert_allclose(codes, expected[:, i] - expected[:, j], atol=1e-4)
    assert np.array_equal(model.predict(new), np.argsort(-expected, axis=1))
    found = model.minimum(new)
    np.testing.assert_allclose(found.gap, 0, atol=1e-9)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(new), model.predict(new))


def test_kernel_scores_with_all_centers_are_those_of_nystrom():
    X, ranks = noisy_triples(60, 5, 2)
    exact, all_centers = (
        PartialRanker(principle=SCORES, weights=weights).fit(X, ranks)
        for weights in (KernelRidge(1e-2, gamma=0.5), Nystrom(60, 1e-2, gamma=0.5))
    )
    each = [model.map_weights(X, model.solver_.sums) for model in (exact, all_centers)]
    np.testing.assert_allclose(*each, atol=1e-3)


def test_sample_weights_of_two_are_rows_given_twice():
    X, ranks = noisy_triples(30, 4, 3)
    weights = LinearRidge(1e-2)
    twice = PartialRanker(principle=SCORES, weights=weights).fit(np.vstack([X, X[:10]]), np.vstack([ranks, ranks[:10]]))
    w = np.r_[np.full(10, 2.0), np.ones(20)]
    once = PartialRanker(principle=SCORES, weights=weights).fit(X, ranks, sample_weight=w)
    each = [model.map_weights(X, model.solver_.sums) for model in (once, twice)]
    np.testing.assert_allclose(*each, atol=1e-4)


def test_scores_of_many_items_are_those_of_few():
    """With more than 128 items, embeddings are sums over pairs."""
    X, ranks = noisy_triples(60, 6, 4)
    few = PartialRanker(principle=SCORES, weights=LinearRidge(1e-2)).fit(X, ranks)
    many = PartialRanker(principle=SCORES, weights=LinearRidge(1e-2), loss="spearman").fit(X, ranks)
    assert np.array_equal(few.predict(X), many.predict(X))
    assert len(few.labels_) == len(many.labels_) == 60
    codes, sums = (model.output_.pair_sums(model.map_weights(X, model.solver_.sums)) for model in (few, many))
    np.testing.assert_allclose(codes, sums, atol=1e-4)


@pytest.mark.parametrize("weights", [Forest(20, random_state=0), LinearRidge(1e-2)], ids=["forest", "linear"])
def test_scores_with_noise_and_contradictions(weights):
    X, ranks = noisy_triples(80, 5, 5)
    y = [[tuple(map(int, pair)) for pair in pairwise(order)] for order in np.argsort(ranks, axis=1)[:, :3]]
    y[0] = [(0, 1), (1, 2), (2, 0)]
    principle = Disambiguation(decision="scores", noise="estimate")
    model = PartialRanker(principle=principle, weights=weights, contradictions="weigh").fit(X, y)
    assert model.score(X[1:], y[1:]) > 0.6
    assert model.noise_.share >= 0
    assert model.disambiguation_.converged


def test_scores_are_for_soft_labels_of_rankings():
    with pytest.raises(ValueError, match="decision='scores' supports soft labels of rankings"):
        PartialClassifier(principle=SCORES).fit([[0.0], [1.0]], ["a", "a|b"])
    with pytest.raises(ValueError, match="decision='scores' supports soft labels of rankings"):
        PartialRanker(principle=Disambiguation("hard", decision="scores")).fit([[0.0], [1.0]], ["a>b", "b>a"])
