"""Few candidates among many options: the same weights as where all options are weighed, in another layout."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

from infimum import CandidateLabels, Disambiguation, PartialClassifier, weights
from infimum.disambiguation import Options, soft, weighing_of
from infimum.disambiguation.sparse_categorical import SparseCategorical, are_few
from infimum.recipe import Recipe
from infimum.selection import out_of_fold
from infimum.selection.evaluate import mean_scores, row_scores
from infimum.weights import Target
from infimum.weights.holdout.operators import blocks_of

WHERE = import_module("infimum.disambiguation.soft")
RIDGE = weights.KernelRidge(lam=1e-3, gamma=0.02)
FAMILIES = [
    RIDGE,
    weights.Nystrom(60, lam=1e-3, gamma=0.05, random_state=0),
    weights.LinearRidge(lam=1e-3),
    weights.Neighbors(7),
    weights.Forest(60, random_state=0),
]


@pytest.fixture
def many(rng):
    """Rows around the centres of 80 classes, each with its own and others for candidates; one row knows nothing."""
    truth = np.arange(400) % 80
    X = 3 * rng.standard_normal((80, 6))[truth] + rng.standard_normal((400, 6))
    mask = np.eye(80, dtype=bool)[truth]
    for _ in range(2):
        mask[np.arange(400), rng.integers(80, size=400)] = True
    mask[7] = True
    return X, mask


def test_when_candidates_are_few(many):
    _, mask = many
    assert are_few(mask[:, None])
    assert not are_few(mask[:, None, :60])  # few options
    assert not are_few(np.ones((400, 1, 80), dtype=bool))  # all of them are candidates
    assert not are_few(np.tile(mask, (5, 1))[:, None])  # so many rows that the map takes longer than the rounds
    assert isinstance(weighing_of(CandidateLabels(mask)), SparseCategorical)
    assert type(weighing_of(CandidateLabels(mask[:, :60] | np.eye(60, dtype=bool)[0]))) is Options


@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda one: type(one).__name__)
def test_sums_at_the_candidates(many, family, weighed, rng):
    """Of any q, the sums over the other rows are those of the whole matrix, without rows and without blocks."""
    X, mask = many
    w = rng.choice([0.5, 1.0, 2.0], len(X)) if weighed else None
    target, listed = Target(mask.astype(float)), SparseCategorical(mask[:, None], CandidateLabels(mask), w)
    fitted = family.fit(X, target, w)
    q = rng.random(listed.shape)
    F = fitted.left_out()(listed.full(q)[:, 0])
    np.testing.assert_allclose(listed.sums(fitted.left_out())(q), F[mask], atol=1e-10)

    operator = fitted.held_out(X, target, w, blocks_of(X, 5))
    without = listed.without(operator)
    assert without.shape == (5, mask.sum())
    q = rng.random(without.shape) * without.live
    stack = np.stack([listed.full(part)[:, 0] for part in q])
    F = operator(stack)
    np.testing.assert_allclose(without.sums(operator)(q), np.stack([part[mask] for part in F]), atol=1e-10)
    np.testing.assert_allclose(without.own(q, operator)[:, 0], operator.own(F), atol=1e-10)


def test_rows_that_do_not_count(many, rng):
    """Rows of weight 0 are predicted like others, by those that count."""
    X, mask = many
    w = rng.choice([0.0, 1.0, 2.0], len(X))
    listed, operator = (
        SparseCategorical(mask[:, None], None, w),
        RIDGE.fit(X, None, w).held_out(X, None, w, blocks_of(X, 5)),
    )
    without = listed.without(operator)
    q = without.even()
    F = operator(np.stack([listed.full(part)[:, 0] for part in q]))
    np.testing.assert_allclose(without.sums(operator)(q), np.stack([part[mask] for part in F]), atol=1e-10)


def test_moves_and_steps(rng):
    """Products of choices; a choice without candidates stays without weights, one that nothing speaks for as it is."""
    mask = rng.random((40, 2, 50)) < 0.06
    mask[3, 1] = False
    listed, whole = SparseCategorical(mask), Options(mask)
    np.testing.assert_allclose(listed.full(listed.even()), whole.even())
    F = rng.standard_normal(mask.shape)
    F[5] = -1.0
    new, expected = listed.moved(F[mask], listed.even(), 1.7), whole.moved(F, whole.even(), 1.7)
    np.testing.assert_allclose(listed.full(new), expected)
    np.testing.assert_allclose(listed.step(new, listed.even()), whole.step(expected, whole.even()))
    assert not listed.full(new)[3, 1].any()
    np.testing.assert_array_equal(listed.full(new)[5], whole.even()[5])
    nothing = SparseCategorical(np.zeros((4, 1, 70), dtype=bool))
    assert soft(lambda q: q, nothing).q.shape == (0,)


def test_single_rows_held_out(many):
    X, mask = many
    operator = RIDGE.fit(X, None).held_out(X, None, None, None)
    listed = SparseCategorical(mask[:, None]).without(operator)
    q = listed.even()
    F = operator(listed.full(q[0])[None, :, 0])
    np.testing.assert_allclose(listed.sums(operator)(q)[0], F[0][mask], atol=1e-10)
    np.testing.assert_allclose(listed.own(q, operator)[:, 0], F[0], atol=1e-10)


def test_models_of_many_classes(many, monkeypatch):
    """Labels, confidences, suspects, probabilities and judgements do not depend on the layout."""
    X, mask = many
    found = []
    for few in (True, False):
        monkeypatch.setattr(WHERE, "are_few", lambda mask, few=few: few)
        model = PartialClassifier(principle="disambiguation", weights=RIDGE, classes=list(range(80))).fit(X, mask)
        space, sets = model.output_, CandidateLabels(mask)
        held_out = out_of_fold(Recipe("disambiguation", weights=RIDGE), X, space, sets, cv=5)
        found.append((model, mean_scores(sets, held_out, row_scores(space, sets, held_out))))
    (one, scores), (other, expected) = found
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_array_equal(one.suspects_, other.suspects_)
    np.testing.assert_allclose(one.confidence_, other.confidence_, atol=1e-6)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-6)
    assert scores == pytest.approx(expected, abs=1e-3)
    assert CandidateLabels(mask).contains(one.labels_).all()


def test_decided_from_the_candidates_that_were_weighed(many):
    X, mask = many
    hard = PartialClassifier(principle=Disambiguation(kind="hard"), weights=RIDGE, classes=list(range(80))).fit(X, mask)
    assert CandidateLabels(mask).contains(hard.labels_).all()
    assert hard.confidence_.shape == (400,)
