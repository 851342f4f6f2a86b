"""Conformal prediction calibrated on the answers of several annotators."""

from __future__ import annotations

import numpy as np
import pytest

from infimum import Conformal, PartialClassifier, Votes
from infimum.evidence import Answers, SourcedAnswers
from infimum.weights import KernelRidge

RELIABILITY = [0.95, 0.85, 0.75, 0.6, 0.25, 0.05]  # of six people; the last but one guesses, the last one errs


def crowd(n, seed, m=4):
    """Return features, votes with three answers per row, and true labels."""
    random = np.random.default_rng(seed)
    truth = random.integers(m, size=n)
    X = 1.5 * np.eye(m)[truth] + random.standard_normal((n, m))
    wrong = (truth[:, None] + random.integers(1, m, (n, len(RELIABILITY)))) % m
    answers = np.where(random.random(wrong.shape) < RELIABILITY, truth[:, None], wrong)
    for row in answers:
        row[random.permutation(len(RELIABILITY))[3:]] = -1
    return X, Votes(answers, missing=-1), truth


@pytest.mark.parametrize("settings", [{}, {"groups": "class"}, {"method": "cv+"}, {"score": "aps"}])
def test_labels_are_drawn_from_votes(settings):
    """The coverage is near the level, and prediction sets are smaller than with the union of the answers."""
    X, votes, _ = crowd(600, 0)
    X_new, _, truth = crowd(2000, 1)
    template = PartialClassifier(weights=KernelRidge(), principle="disambiguation")
    model = Conformal(template, 0.8, **settings).fit(X, votes)
    found = model.predict_set(X_new)
    # 180 calibration rows: the standard deviation of the coverage is .03
    assert 0.72 < found.contains(truth).mean() < 0.93
    assert "estimated probabilities of labels and answers" in " ".join(model.guarantee_.split())
    union = [set(row[row >= 0].tolist()) for row in votes.to_array(-1).astype(int)]
    assert found.sizes.mean() < Conformal(template, 0.8, **settings).fit(X, union).predict_set(X_new).sizes.mean()


def test_coverage_of_a_member_uses_the_answers_themselves():
    X, votes, _ = crowd(200, 2)
    model = Conformal(PartialClassifier(weights=KernelRidge(), principle="disambiguation"), covers="set").fit(X, votes)
    assert not model.drawn_


@pytest.mark.parametrize("settings", [{"noise": 0.05}, {"exact_only": True}, {"ambiguity": 0.1}])
def test_assumptions_about_candidate_sets_do_not_apply_to_votes(settings):
    X, votes, _ = crowd(200, 2)
    template = PartialClassifier(weights=KernelRidge(), principle="disambiguation")
    with pytest.raises(ValueError, match="describe candidate sets, but y contains Votes"):
        Conformal(template, 0.8, **settings).fit(X, votes)


def test_likelihood_of_votes_without_the_rows_of_the_fit():
    """It is a product over the answers; annotators without an estimate are like the mean of the others."""
    X, votes, _ = crowd(300, 3)
    sources = PartialClassifier(weights=KernelRidge(), principle="disambiguation").fit(X, votes).sources_
    given = np.eye(4)[[2, 0, 1, 3]]
    answers = Answers.of(given, np.array([0, 0, 1, 2]), np.array([1, 0, 1, 2]), 3, 3)
    exact = np.array([False, False, True])
    found = sources.log_likelihood(SourcedAnswers(answers, [4, "somebody else"], list(range(4)), exact))
    pi = sources.confusion
    somebody = pi.mean(axis=0)
    first = np.log(somebody[:, 2]) + np.log(pi[sources.names.index(4)][:, 0])
    np.testing.assert_allclose(found[0] - found[0][0], first - first[0], atol=1e-9)
    np.testing.assert_allclose(found[1], np.log(somebody[:, 1]), atol=1e-9)
    assert found[2].argmax() == 3
    assert np.sort(found[2])[-2] < -20  # a known label
