"""Questions about tokens, and the report about them."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from infimum import InputError, PartialSequenceTagger, outputs
from infimum.active import Contradiction, FullLabel, Is, QuestionSelector, from_dict
from infimum.outputs.sequences.questions import OfToken
from infimum.report import build
from sentences import NAMES


def test_questions_are_about_tokens_in_their_sentence(model, data):
    X, y, true, *_ = data
    asked, utilities = QuestionSelector(questions=["OfToken"]).query(X, y, model, n=5, return_utilities=True)
    assert len({question.row for question in asked}) == 5
    assert utilities.shape == (len(X),)
    for question in asked:
        words = X[question.row]
        assert f"[{words[question.token]}]" in question.text()
        assert not isinstance(y[question.row][question.token], str)
        assert question.length == len(words)
        assert from_dict(json.loads(json.dumps(question.as_dict())), model.output_) == question
        label = NAMES.index(true[question.row][question.token])
        left = question.apply_answer(y, question.true_answer(np.full(len(words), label)))
        assert left.contains_set(model.output_.read(true))[question.row]


def test_answers_restrict_the_other_tokens_by_the_transitions():
    space = outputs.Sequences("bio", NAMES).fit([["O"]])
    question = OfToken(0, 1, Is(0, "I-LOC", space.labels_), space, 2, "New [York]")
    assert question.text() == "New [York]: Is it I-LOC?"
    assert question.apply_answer([[None, None]], True).format(0) == "B-LOC I-LOC"
    assert question.consistent_set(False).format(0) == "B-LOC|B-PER|O B-LOC|B-PER|O"
    with pytest.raises(Contradiction, match="known to be in O"):
        question.apply_answer([["O", None]], True)
    with pytest.raises(InputError, match=r"a sequence of 2 tokens\. Got one of 3"):
        question.apply_answer([["O", None, None]], True)
    with pytest.raises(InputError, match=r"write \[None\] \* n"):
        space.fit([["O", "O"], ["O"]]).read([["O", "O"], None, ["O"]])


@pytest.mark.parametrize("strategy", ["information", "median", "uncertain", "random", "whole"])
def test_a_loop_of_questions_learns_the_labels(strategy, data):
    X, _, true, X_new, y_new = data
    y = [[None] * len(words) for words in X]
    tagger, asker = PartialSequenceTagger("bio", NAMES, lam=1.0), QuestionSelector(strategy, random_state=0)
    for _ in range(6):
        tagger.fit(X, y)
        exact = tagger.output_.read(true)
        z = exact.member(exact.start(), tagger.output_)
        for question in asker.query(X, y, tagger, n=6):
            y = question.apply_answer(y, question.true_answer(z[question.row]))
    assert y.contains_set(exact).all()
    assert tagger.fit(X, y).score(X_new, y_new) > (0.4 if strategy in ("random", "median") else 0.9)


def test_all_labels_of_a_sentence_are_typed_or_listed():
    space = outputs.Sequences(classes=NAMES).fit([["O"]])
    question = FullLabel(0, space)
    for answer in ("B-PER O", ["B-PER", "O"], '["B-PER", "O"]'):
        assert question.apply_answer([[None, None]], answer).format(0) == "B-PER O"
    with pytest.raises(Contradiction):
        question.apply_answer([[None, None]], "B-PER")
    long = QuestionSelector("uncertain").query(*_long_sentence())
    assert 500 < long[0].cost < math.inf


def _long_sentence():
    X = [["a"] * 600, ["b", "a"]]
    classes = [f"tag {k}" for k in range(20)]
    y = [[None] * 600, ["tag 0", "tag 1"]]
    return X, y, PartialSequenceTagger(classes=classes, lam=1.0).fit(X, y)


def test_questions_about_rows_that_are_tokens(data):
    X, y, *_ = data
    frame = pd.DataFrame([(k, word) for k, row in enumerate(X) for word in row], columns=["sentence", "word"])
    flat = [cell for row in y for cell in row]
    model = PartialSequenceTagger("bio", sequence="sentence", lam=1.0).fit(frame, flat)
    asked = QuestionSelector().query(frame, flat, model, n=3)
    assert all(not isinstance(flat[question.row], str) for question in asked)
    with pytest.raises(ValueError, match="strategy='conformal' requires held-out predictions"):
        QuestionSelector("conformal").query(frame, flat, model)
    with pytest.raises(ValueError, match="strategy='conformal' requires held-out predictions"):
        QuestionSelector("conformal").query(X, y, PartialSequenceTagger(lam=1.0).fit(X, y))


def test_report_shows_tokens_in_their_sentence(data):
    X, y, true, *_ = data
    y = [list(row) for row in y]
    y[3] = list(true[3])
    y[3][0] = "O"  # a name
    model = PartialSequenceTagger(lam=1.0).fit(X, y)
    found = build(model, X)
    n = sum(map(len, X))
    assert found.facts.summary[0].startswith(f"The table has {n} tokens in {len(X)} sequences")
    assert found.facts.counts["sequences"] == len(X)
    first = found.facts.review[0]
    assert (first.name, first.set, first.proposed) == ("sequence 3, token 0", "O", "B-PER")
    assert first.cells["in its sequence"].startswith(f"[{X[3][0]}]")
    assert first.probability > 0.8
    assert [one["name"] for one in found.facts.scores][1:] == ["each token alone", "the model"]
    table = found.facts.tables[0]
    assert table["columns"] == ["label", "tokens", "precision", "recall", "F1"]
    assert [row[0] for row in table["rows"]] == NAMES
    assert "Scores per label" in found.html
    assert "Scores per label" in found.markdown
    json.dumps(found.to_json(), allow_nan=False)
    with pytest.raises(ValueError, match="the sequences of fit"):
        build(model, X[:5])
    with pytest.raises(ValueError, match="at least two sequences"):
        build(PartialSequenceTagger(lam=1.0).fit(X[:1], true[:1]), X[:1])


def test_held_out_predictions_do_not_use_the_own_sentence(rng):
    """Words that occur in one sentence only have random labels: held-out predictions know nothing about them."""
    X = [[f"word {k} {t}" for t in range(4)] for k in range(40)]
    y = rng.choice(["a", "b"], (40, 4)).tolist()
    model = PartialSequenceTagger(lam=0.01).fit(X, y)
    assert model.score(X, y) == 1
    found = model.held_out(X)
    assert found.sets.contains(found.predictions["the model"]).mean() < 0.65
