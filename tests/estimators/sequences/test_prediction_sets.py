"""Prediction sets of sequences, and of rows that are tokens."""

import numpy as np
import pandas as pd
import pytest

from infimum import PartialSequenceTagger
from infimum.conformal import Conformal
from sentences import NAMES, partly, sentences


@pytest.mark.parametrize("covers", ["truth", "set"])
def test_prediction_sets_list_candidates_of_tokens(covers, rng):
    X, true = sentences(160, rng)
    y = true if covers == "truth" else partly(true, rng)
    found = Conformal(PartialSequenceTagger("bio", lam=1.0), confidence_level=0.8, covers=covers).fit(X[:100], y[:100])
    sets = found.predict_set(X[100:])
    space = found.space_
    exact = space.read(true[100:])
    assert np.mean(sets.contains_set(exact)) > 0.65
    assert space.to_cells(sets[:1])[0] is None or len(space.to_cells(sets[:1])[0]) == len(X[100])


@pytest.mark.parametrize("method", ["split", "cv+"])
@pytest.mark.parametrize("covers", ["truth", "set"])
def test_prediction_sets_cover_whole_sentences_if_rows_are_tokens(covers, method):
    """A tenth of the labels is wrong: sets that cover 90 % of the tokens cover about half of the sentences of six."""
    rng, level = np.random.default_rng(1), 0.8
    length, n = 6, 400
    kinds = rng.integers(3, size=(n, length))
    labels = np.where(rng.random(kinds.shape) < 0.15, rng.integers(3, size=kinds.shape), kinds)
    words = np.array(["x", "y", "z"])[kinds.ravel()]
    frame = pd.DataFrame({"sentence": np.repeat(np.arange(n), length), "word": words})
    mixed = rng.permutation(len(frame))
    frame, y = frame.iloc[mixed], np.array(["a", "b", "c"])[labels.ravel()][mixed]
    train = (frame.sentence < 200).to_numpy()
    tagger = PartialSequenceTagger(sequence="sentence", lam=1.0)
    found = Conformal(tagger, level, covers, method=method).fit(frame[train], y[train])
    assert found.n_calibration_ == (60 if method == "split" else 200)
    sets = found.predict_set(frame[~train])
    covered = sets.contains(np.searchsorted(["a", "b", "c"], y[~train]))
    whole = pd.Series(covered).groupby(frame.sentence[~train].to_numpy()).all()
    assert len(whole) == 200
    assert whole.mean() > level - 0.1
    checked = found.check(frame[~train], y[~train])
    assert (checked.n, checked.meets) == (200, pytest.approx(whole.mean()))
    assert "new sequence" in found.guarantee_


def test_prediction_sets_of_rows_are_those_of_lists(rng):
    """The same calibration sentences give the same candidates, whether rows are tokens or sentences."""
    X, y = sentences(60, rng)
    y = partly(y, rng)
    frame = pd.DataFrame([(k, word) for k, row in enumerate(X) for word in row], columns=["sentence", "word"])
    flat = np.array([cell for row in y for cell in row], dtype=object)
    train, test = (frame.sentence < 40).to_numpy(), (frame.sentence >= 40).to_numpy()
    lists = PartialSequenceTagger(classes=NAMES, lam=1.0).fit(X[:40], y[:40])
    rows = PartialSequenceTagger(classes=NAMES, sequence="sentence", lam=1.0).fit(frame[train], list(flat[train]))
    expected = Conformal(lists, 0.7, prefit=True).conformalize(X[40:], y[40:])
    found = Conformal(rows, 0.7, prefit=True).conformalize(frame[test], list(flat[test]))
    np.testing.assert_allclose(found.scores_, expected.scores_, atol=1e-8)
    assert np.array_equal(found.predict_set(frame[test]).mask, expected.predict_set(X[40:]).mask)
    with pytest.raises(ValueError, match="require rows that are exchangeable"):
        Conformal(rows, prefit=True, groups="word").conformalize(frame[test], list(flat[test]))
