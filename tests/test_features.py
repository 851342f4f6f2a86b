"""Frames with text, categories, booleans, dates and missing cells become numbers."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline

from infimum import PartialClassifier
from infimum.features import FEW, encoder

N = 60


@pytest.fixture
def columns(rng):
    truth = np.arange(N) % 2
    return truth, {
        "size": [None if k % 7 == 0 else float(rng.standard_normal()) for k in range(N)],
        "colour": [None if k % 9 == 0 else ("red", "blue")[truth[k]] for k in range(N)],
        "flag": [bool(k % 3) for k in range(N)],
        "note": [f"{('warm', 'cold')[truth[k]]} number {k}" for k in range(N)],
        "seen": pd.date_range("2024-01-01", periods=N).to_pydatetime().tolist(),
    }


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_every_kind_of_column_becomes_numbers(columns, frame):
    truth, cells = columns
    X = frame(cells)
    Z = encoder(X).fit(X).transform(X)
    assert Z.shape[0] == N
    assert np.isfinite(np.asarray(Z, dtype=float)).all()
    y = [{"a", "b"} if k % 4 == 0 else "ab"[truth[k]] for k in range(N)]
    model = make_pipeline(encoder(X), PartialClassifier()).fit(X, y)
    assert np.mean(model.predict(X) == np.array(list("ab"))[truth]) > 0.9
    unseen = frame({**cells, "colour": ["green"] * N})
    assert model.predict(unseen).shape == (N,)


def test_kinds(columns):
    _, cells = columns
    named = [(name, list(some)) for name, _, some in encoder(pd.DataFrame(cells)).transformers if name[:4] != "text"]
    assert named == [("numbers", ["size"]), ("dates", ["seen"]), ("categories", ["colour", "flag"])]
    assert FEW < N
    with pytest.raises(ValueError, match=r"columns of X must be named by text\. Got the name 0"):
        encoder(pd.DataFrame([[1.0]]))


def test_the_error_says_how(columns):
    _, cells = columns
    with pytest.raises(ValueError, match=r"column 'colour' holds .*infimum\.features\.encoder\(X\)"):
        PartialClassifier().fit(pd.DataFrame(cells).drop(columns=["seen"]), ["a", "b"] * (N // 2))
