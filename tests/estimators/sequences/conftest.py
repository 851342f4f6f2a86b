"""Sentences about people and places, and a tagger that is fitted to them."""

import numpy as np
import pytest

from infimum import PartialSequenceTagger
from sentences import partly, sentences


@pytest.fixture(scope="session")
def data():
    rng = np.random.default_rng(0)
    X, true = sentences(60, rng)
    return X, partly(true, rng), true, *sentences(20, rng)


@pytest.fixture(scope="session")
def model(data):
    return PartialSequenceTagger("bio").fit(data[0], data[1])
