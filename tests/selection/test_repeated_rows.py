"""Repeated rows, as several annotators give them: no model is selected because it has seen a copy."""

import numpy as np

from infimum import PartialClassifier


def test_default_claims_no_more_than_chance_on_copies_of_noise():
    """Three draws of 40 things with five answers each; X does not depend on the class of a thing."""
    claims, chances = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = np.repeat(rng.normal(size=(40, 3)), 5, axis=0)
        mask = np.eye(4, dtype=bool)[np.repeat(rng.integers(4, size=40), 5)] | (rng.random((200, 4)) < 0.3)
        claims.append(PartialClassifier(random_state=0).fit(X, mask).selection_.best.covering_rate)
        chances.append(mask.mean(axis=0).max())
    error = np.sqrt(np.mean(chances) * (1 - np.mean(chances)) / (3 * 40))
    assert np.mean(claims) < np.mean(chances) + 2 * error
