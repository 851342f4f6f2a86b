"""Confusion matrices of many annotators: how much they are shrunk, and to what."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.stats import dirichlet_multinomial

from infimum import PartialClassifier, Votes
from infimum.evidence.confusions import STRENGTHS, Confusions


def answers_of(pi, truth, per_row, seed=0):
    """Return an (n, k) array of answers of annotators with these confusion matrices (k, truth, answer); -1 if none."""
    random = np.random.default_rng(seed)
    n, k = len(truth), len(pi)
    below = np.cumsum(pi[:, truth], axis=2).transpose(1, 0, 2)[..., :-1]
    answers = (random.random((n, k, 1)) > below).sum(axis=2)
    asked = random.random((n, k)).argsort(axis=1) < per_row
    return np.where(asked, answers, -1)


def numbers_of(answers, truth, m):
    """Return how often each annotator gave each answer, (k, answer, truth)."""
    row, who = np.nonzero(answers >= 0)
    out = np.zeros((answers.shape[1], m, m))
    np.add.at(out, (who, answers[row, who], truth[row]), 1)
    return out


def one_coin(right, m):
    right = np.asarray(right)[:, None, None]
    return right * np.eye(m) + (1 - right) * (1 - np.eye(m)) / (m - 1)


def fitted(numbers, rounds=30):
    m = numbers.shape[1]
    model = Confusions(len(numbers), m, 0.7)
    guesses = one_coin(np.einsum("wyy->w", numbers) / numbers.sum(axis=(1, 2)), m)
    for _ in range(rounds):
        model.fit(numbers, guesses)
    return model


def test_the_strength_of_a_prior_has_the_largest_marginal_likelihood():
    random = np.random.default_rng(0)
    mean = np.array([0.6, 0.3, 0.1])
    number = np.stack([random.multinomial(20, random.dirichlet(8 * mean)) for _ in range(60)]).astype(float)
    total = [sum(dirichlet_multinomial(s * mean, 20).logpmf(row) for row in number.astype(int)) for s in STRENGTHS]
    model = Confusions(60, 3, 0.7)
    assert model._strength("x", number, mean, axis=1) == STRENGTHS[np.argmax(total)]


def test_sources_that_differ_in_skill_only_have_one_parameter_each():
    m, right = 5, np.linspace(0.3, 0.95, 20)
    truth = np.random.default_rng(1).integers(m, size=600)
    pi = one_coin(right, m)
    model = fitted(numbers_of(answers_of(pi, truth, 6), truth, m))
    assert STRENGTHS[model.places["pi"]] >= 128  # hardly any deviation from the common form
    # 180 answers each: the error of a share is at most four standard errors, .15
    assert np.abs(np.einsum("wyy->wy", model.mean) - right[:, None]).max() < 0.15
    # half of a matrix counts 36 answers per class beside those of the prior
    assert np.abs(np.einsum("wyy->wy", model.pi) - right[:, None]).max() < 0.23


def test_sources_with_confusions_of_their_own_keep_them():
    m, random = 4, np.random.default_rng(2)
    pi = np.stack([np.stack([random.dirichlet(0.5 + 4 * np.eye(m)[y]) for y in range(m)]) for _ in range(8)])
    truth = random.integers(m, size=2000)
    model = fitted(numbers_of(answers_of(pi, truth, 8), truth, m))
    assert STRENGTHS[model.places["pi"]] <= 32
    # 500 answers per class: four standard errors of a share are at most .09
    assert np.abs(model.pi.transpose(0, 2, 1) - pi).max() < 0.09


def test_common_confusions_are_shared_by_sources_with_few_answers():
    m, k = 4, 60
    C = np.eye(m)[[1, 0, 3, 2]]  # classes are confused in pairs
    truth = np.random.default_rng(3).integers(m, size=200)
    numbers = numbers_of(answers_of(np.repeat((0.6 * np.eye(m) + 0.4 * C)[None], k, axis=0), truth, 3), truth, m)
    model = fitted(numbers)
    np.testing.assert_allclose(model.pi.sum(axis=1), 1)
    # ten answers per person, 600 in all
    assert np.abs(model.mean.mean(axis=0).T - (0.6 * np.eye(m) + 0.4 * C)).max() < 0.1
    # half of a matrix is estimated from two or three answers per class, beside four that are no confusions
    assert np.abs(model.pi.mean(axis=0).T - (0.6 * np.eye(m) + 0.4 * C)).max() < 0.2
    assert (model.C.T[C > 0] > 0.8).all()


@pytest.mark.parametrize("kind", ["few answers", "common confusions", "preferences", "adversaries"])
def test_aggregation_is_better_than_the_majority(kind):
    random = np.random.default_rng(4)
    m, k, n = 5, 40, 500
    right = random.uniform(0.4, 0.9, k)
    pi = one_coin(right, m)
    if kind == "common confusions":
        pi = right[:, None, None] * np.eye(m) + (1 - right)[:, None, None] * np.roll(np.eye(m), 1, axis=1)
    if kind == "preferences":
        pi[:15] = random.dirichlet(np.full(m, 0.2), 15)[:, None]
    if kind == "adversaries":
        pi[:6] = one_coin(np.full(6, 0.01), m)
    truth = random.integers(m, size=n)
    answers = answers_of(pi, truth, 4)
    counts = (answers[:, :, None] == np.arange(m)).sum(axis=1)
    majority = np.mean((counts + 1e-6 * random.random(counts.shape)).argmax(axis=1) == truth)
    model = PartialClassifier().fit(None, Votes(answers, missing=-1))
    assert np.mean(model.labels_ == truth) > majority + 0.01
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.sources_.confusion, model.sources_.confusion)
    np.testing.assert_array_equal(again.labels_, model.labels_)
