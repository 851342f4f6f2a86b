"""explain_token: the contributions of features and neighbouring labels to the label of a token."""

import numpy as np
import pandas as pd
import pytest

from infimum import PartialSequenceTagger, outputs
from infimum.data.tokens import read_tokens
from sentences import NAMES


@pytest.mark.parametrize("token", [0, 1, 2, 3])
@pytest.mark.parametrize("transitions", [None, "bio"])
def test_contributions_to_a_label_sum_to_the_log_odds(transitions, token, data):
    """The odds are those of two complete label sequences that differ in the token."""
    X, y, *_ = data
    model, words = PartialSequenceTagger(transitions, NAMES, lam=1.0).fit(X, y), ["Tom", "saw", "New", "York"]
    labels = model.predict([words])[0].tolist()
    assert labels == ["B-PER", "O", "B-LOC", "I-LOC"]
    allowed = outputs.bio_transitions(NAMES)
    for against in {*NAMES} - {labels[token]}:
        other = [*labels[:token], against, *labels[token + 1 :]]
        found = model.explain_token(words, token, against)
        assert (found.prediction, found.against) == (labels[token], against)
        if transitions is None or all(b in allowed[a] for a, b in zip((None, *other), other)):
            odds = model.log_likelihood([words], [labels]) - model.log_likelihood([words], [other])
            assert found.margin == pytest.approx(odds[0], abs=1e-9)
        else:
            assert found.margin == np.inf
    found, P = model.explain_token(words, token), model.predict_proba([words])[0][token]
    assert found.probability == pytest.approx(P[NAMES.index(labels[token])])
    assert found.probability_against == pytest.approx(P[NAMES.index(found.against)])
    assert (np.diff(np.abs(found.contribution)) <= 0).all()
    supported = found.prediction if found.contribution[0] > 0 else found.against
    assert [*found.table(1)[0].values()] == [found.features[0], found.contribution[0], supported]
    assert f"[{words[token]}]" in repr(found)
    assert found.features[0] in repr(found)


def test_explanations_name_the_features_that_determine_the_label(rng):
    """Only the word before, the colour, or the size determines the label."""
    first = rng.choice(["left", "right"], 60)
    X = [[str(word), "turn"] for word in first]
    y = [["O", "L" if word == "left" else "R"] for word in first]
    best = PartialSequenceTagger(lam=1.0).fit(X, y).explain_token(["left", "turn"], 1, against="R").features[0]
    assert best.startswith("previous word: ")
    dicts = [[{"colour": str(word), "n": int(rng.integers(3))}] for word in first]
    model = PartialSequenceTagger(lam=1.0).fit(dicts, [row[1:] for row in y])
    assert model.explain_token(dicts[0], 0).features[0].startswith("colour=")
    frame = pd.DataFrame({"id": range(60), "size": np.where(first == "left", 1.0, -1.0), "noise": rng.normal(size=60)})
    frame.loc[:5, "noise"] = np.nan
    model = PartialSequenceTagger(sequence="id", features="linear", lam=1.0).fit(frame, [row[1] for row in y])
    assert model.explain_token(frame[10:11], 0).features[0] == "size"
    kernel = PartialSequenceTagger(sequence="id", features="kernel", lam=1.0).fit(frame, [row[1] for row in y])
    for one in (model, kernel):
        names = one.features_.feature_names()
        assert len(names) == one.features_.design(read_tokens(frame, "id")).n_features
        assert "noise is missing" in names
    assert "similarity of the token" in kernel.explain_token(frame[10:11], 0).features
    with pytest.raises(ValueError, match=r"such as X\[X\['id'\] == X\['id'\].iloc\[0\]\]\. Got 60 sequences"):
        model.explain_token(frame, 0)


def test_errors_of_explanations_say_what_to_pass(model, data):
    with pytest.raises(ValueError, match=r"such as X\[0\]\. Got a list of 20 sequences"):
        model.explain_token(data[3], 0)
    with pytest.raises(ValueError, match=r"0 to 1\. Got 2"):
        model.explain_token(["Ann", "saw"], 2)
    with pytest.raises(ValueError, match=r"one of the other labels, 'B-LOC', 'I-LOC', 'O'\. Got 'B-PER'"):
        model.explain_token(["Ann", "saw"], 0, against="B-PER")
    assert not hasattr(model, "explain")  # reports explain rows of other models by their training rows
    with pytest.raises(AttributeError, match=r"use model\.explain_token"):
        _ = model.explain
