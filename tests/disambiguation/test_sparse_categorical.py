"""SparseCategorical: the same results as Categorical, for few candidates among many options."""

from __future__ import annotations

import numpy as np
import pytest

from infimum import CandidateLabels, Disambiguation, PartialClassifier, weights
from infimum.disambiguation import Categorical, SparseCategorical, held_out_sums, posterior_of, soft
from infimum.disambiguation.categorical import is_sparse
from infimum.weights import Target
from infimum.weights.holdout import folds_of

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
    """Rows around the centres of 80 classes with up to three candidates each; one row is unlabelled."""
    truth = np.arange(400) % 80
    X = 3 * rng.standard_normal((80, 6))[truth] + rng.standard_normal((400, 6))
    mask = np.eye(80, dtype=bool)[truth]
    for _ in range(2):
        mask[np.arange(400), rng.integers(80, size=400)] = True
    mask[7] = True
    return X, mask


def test_is_sparse_and_posterior_of(many):
    _, mask = many
    assert is_sparse(mask[:, None])
    assert not is_sparse(mask[:, None, :60])  # few options
    assert not is_sparse(np.ones((400, 1, 80), dtype=bool))  # all of them are candidates
    assert not is_sparse(np.tile(mask, (5, 1))[:, None])  # too many rows
    assert isinstance(posterior_of(CandidateLabels(mask)), SparseCategorical)
    assert type(posterior_of(CandidateLabels(mask[:, :60] | np.eye(60, dtype=bool)[0]))) is Categorical


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda one: type(one).__name__)
def test_predictor_equals_the_dense_operator(many, family, weighted, rng):
    """For any q, F at the candidates is that of the dense operator, for single rows and for folds."""
    X, mask = many
    w = rng.choice([0.5, 1.0, 2.0], len(X)) if weighted else None
    target, listed = Target(mask.astype(float)), SparseCategorical(mask[:, None], CandidateLabels(mask), w)
    fitted = family.fit(X, target, w)
    q = rng.random(listed.shape)
    F = fitted.loo_operator()(listed.dense(q)[:, 0])
    np.testing.assert_allclose(listed.predictor(fitted.loo_operator())(q), F[mask], atol=1e-10)

    operator = fitted.held_out(X, target, w, folds_of(X, 5))
    held_out = listed.hold_out(operator)
    assert held_out.shape == (5, mask.sum())
    q = rng.random(held_out.shape) * held_out.in_training
    stack = np.stack([listed.dense(part)[:, 0] for part in q])
    F = operator(stack)
    np.testing.assert_allclose(held_out.predictor(operator)(q), np.stack([part[mask] for part in F]), atol=1e-10)
    np.testing.assert_allclose(held_out.out_of_fold(q, operator)[:, 0], operator.out_of_fold(stack), atol=1e-10)


def test_predictor_with_rows_of_weight_zero(many, rng):
    """Rows of weight 0 are predicted from the other rows as well."""
    X, mask = many
    w = rng.choice([0.0, 1.0, 2.0], len(X))
    listed, operator = (
        SparseCategorical(mask[:, None], None, w),
        RIDGE.fit(X, None, w).held_out(X, None, w, folds_of(X, 5)),
    )
    held_out = listed.hold_out(operator)
    q = held_out.prior()
    F = operator(np.stack([listed.dense(part)[:, 0] for part in q]))
    np.testing.assert_allclose(held_out.predictor(operator)(q), np.stack([part[mask] for part in F]), atol=1e-10)


def test_update_and_change_equal_the_dense_ones(rng):
    """A choice without candidates keeps probability 0; one without positive scores keeps its state."""
    mask = rng.random((40, 2, 50)) < 0.06
    mask[3, 1] = False
    listed, whole = SparseCategorical(mask), Categorical(mask)
    np.testing.assert_allclose(listed.dense(listed.prior()), whole.prior())
    F = rng.standard_normal(mask.shape)
    F[5] = -1.0
    new, expected = listed.update(F[mask], listed.prior(), 1.7), whole.update(F, whole.prior(), 1.7)
    np.testing.assert_allclose(listed.dense(new), expected)
    np.testing.assert_allclose(listed.change(new, listed.prior()), whole.change(expected, whole.prior()))
    assert not listed.dense(new)[3, 1].any()
    np.testing.assert_array_equal(listed.dense(new)[5], whole.prior()[5])
    nothing = SparseCategorical(np.zeros((4, 1, 70), dtype=bool))
    assert soft(lambda q: q, nothing).q.shape == (0,)


def test_leave_one_out(many):
    X, mask = many
    operator = RIDGE.fit(X, None).held_out(X, None, None, None)
    listed = SparseCategorical(mask[:, None]).hold_out(operator)
    q = listed.prior()
    F = operator(listed.dense(q[0])[None, :, 0])
    np.testing.assert_allclose(listed.predictor(operator)(q)[0], F[0][mask], atol=1e-10)
    np.testing.assert_allclose(listed.out_of_fold(q, operator)[:, 0], F[0], atol=1e-10)


def test_results_equal_those_of_categorical(many):
    """Soft labels, labels, suspects and held-out predictions do not depend on the form."""
    X, mask = many
    sets, fitted = CandidateLabels(mask), RIDGE.fit(X, None)
    operator = fitted.held_out(X, None, None, folds_of(X, 5))
    found = []
    for form in (SparseCategorical, Categorical):
        posterior = form(mask[:, None], sets)
        q = posterior.dense(soft(fitted.loo_operator(), posterior).q)
        F = held_out_sums(operator, posterior)
        found.append((q, F, posterior.predict(F), posterior.label_errors(F, 0.1)))
    (q, F, prediction, errors), (q_dense, F_dense, prediction_dense, errors_dense) = found
    np.testing.assert_allclose(q, q_dense, atol=1e-6)
    np.testing.assert_array_equal(q.argmax(axis=-1), q_dense.argmax(axis=-1))
    np.testing.assert_allclose(F, F_dense, atol=1e-6)
    np.testing.assert_allclose(prediction[1], prediction_dense[1], atol=1e-3)
    np.testing.assert_allclose(errors.support, errors_dense.support, atol=1e-6)
    np.testing.assert_array_equal(errors.suspects, errors_dense.suspects)


@pytest.mark.parametrize("kind", ["soft", "hard"])
def test_models_of_many_classes_have_labels_in_their_sets(many, kind):
    X, mask = many
    model = PartialClassifier(principle=Disambiguation(kind), weights=RIDGE, classes=list(range(80))).fit(X, mask)
    assert CandidateLabels(mask).contains(model.labels_).all()
    assert model.confidence_.shape == (400,)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
