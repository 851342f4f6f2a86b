"""PartialSequenceTagger: label sequences of different lengths, partly annotated, with the default model."""

import json
import math
import pickle
import subprocess
import sys
from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, cross_val_score

from infimum import InputError, Not, PartialEstimator, PartialSequenceTagger, outputs
from infimum.active import Contradiction, FullLabel, Is, QuestionSelector, from_dict
from infimum.conformal import Conformal
from infimum.data.tokens import read_tokens
from infimum.outputs.sequences.paths import Edges, Packed, path_probabilities, shortest_path
from infimum.outputs.sequences.questions import OfToken
from infimum.report import build

PEOPLE, PLACES = ("Ann", "Bob", "Eve", "Tom"), ("Rome", "Oslo", "New York", "Bonn")
NAMES = ["B-LOC", "B-PER", "I-LOC", "O"]


def sentences(n, rng):
    """Short sentences about people and places; places of two words have the label I-LOC."""
    X, y = [], []
    for _ in range(n):
        place = rng.choice(PLACES).split()
        who = str(rng.choice(PEOPLE))
        tagged = [(who, "B-PER"), (str(rng.choice(["likes", "saw", "left"])), "O")]
        tagged += [(word, "I-LOC" if k else "B-LOC") for k, word in enumerate(place)]
        if rng.random() < 0.5:
            tagged += [("with", "O"), (str(rng.choice(PEOPLE)), "B-PER")]
        X.append([word for word, _ in tagged])
        y.append([label for _, label in tagged])
    return X, y


def partly(y, rng):
    """Half of the labels; the others are sets, exclusions or unknown."""
    def cell(label):
        other = str(rng.choice(NAMES))
        wrong = [name for name in NAMES if name != label]
        return [label, label, {label, other}, Not(str(rng.choice(wrong))), None][rng.integers(5)]

    return [[cell(label) for label in row] for row in y]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X, true = sentences(60, rng)
    return X, partly(true, rng), true, *sentences(20, rng)


@pytest.fixture(scope="module")
def model(data):
    return PartialSequenceTagger("bio").fit(data[0], data[1])


def test_paths_are_brute_force(rng):
    lengths, m = np.array([2, 4, 1, 3]), 3
    scores = rng.normal(size=(lengths.sum(), m))
    edges = Edges(rng.normal(size=m), rng.normal(size=(m, m)), rng.normal(size=m))
    labels, least = shortest_path(scores, edges, lengths)
    packed = Packed(lengths)
    found = path_probabilities(scores[packed.order], Edges(*map(np.exp, edges)), packed)
    marginals, steps = packed.unpack(found.tokens), np.zeros((m, m))
    for i, (start, n) in enumerate(zip(np.cumsum(lengths) - lengths, lengths)):
        paths = np.array(list(product(range(m), repeat=int(n))))
        total = edges.first[paths[:, 0]] + edges.last[paths[:, -1]] + scores[start + np.arange(n), paths].sum(axis=1)
        total += edges.follow[paths[:, :-1], paths[:, 1:]].sum(axis=1)
        assert labels[start : start + n].tolist() == paths[total.argmin()].tolist()
        p = np.exp(total) / np.exp(total).sum()
        np.testing.assert_allclose([least[i], found.log_sum[i]], [total.min(), np.log(np.exp(total).sum())])
        np.testing.assert_allclose(marginals[start : start + n], [p @ np.eye(m)[paths[:, t]] for t in range(n)])
        for path, share in zip(paths, p):
            np.add.at(steps, (path[:-1], path[1:]), share)
    np.testing.assert_allclose(found.steps, steps)


def test_learns_from_partial_annotation(model, data):
    *_, X_new, y_new = data
    assert model.score(X_new, y_new) > 0.95
    predicted = model.predict(X_new)
    assert [len(row) for row in predicted] == [len(row) for row in X_new]
    right = np.mean(np.concatenate(predicted) == np.concatenate(y_new))
    assert model.score(X_new, y_new) == pytest.approx(right)
    assert (model.minimum(X_new).gap == 0).all()


def test_predictions_obey_transitions_and_minimise_the_expected_loss(model, data):
    X_new = data[3][:6]
    allowed = outputs.bio_transitions(NAMES)
    for words, labels, P in zip(X_new, model.predict(X_new), model.predict_proba(X_new)):
        paths = [p for p in product(NAMES, repeat=len(words))
                 if all(b in allowed[a] for a, b in zip((None, *p), p))]  # fmt: skip
        at = {name: k for k, name in enumerate(NAMES)}
        best = max(sum(P[t, at[name]] for t, name in enumerate(p)) for p in paths)
        assert tuple(labels) in paths
        assert sum(P[t, at[name]] for t, name in enumerate(labels)) == pytest.approx(best)
        np.testing.assert_allclose(P.sum(axis=1), 1)


def test_labels_agree_with_the_candidates(model, data):
    X, y, true, *_ = data
    space = outputs.Sequences("bio", NAMES).fit(y)
    sets = space.read([row.tolist() for row in model.labels_])
    assert model.sets_.contains_set(sets).all()
    assert np.mean(np.concatenate(model.labels_) == np.concatenate(true)) > 0.95
    again = model.predict(X, candidates=y)
    assert all(np.array_equal(a, b) for a, b in zip(again, model.labels_))
    for own, confidence in zip(model.confidence_, model.labels_):
        assert len(own) == len(confidence)
    assert (model.log_likelihood(X, y) <= 1e-9).all()


def test_candidates_restrict_predictions(model):
    words = [["Ann", "likes", "Rome"]]
    assert model.predict(words)[0].tolist() == ["B-PER", "O", "B-LOC"]
    assert model.predict(words, [[None, None, Not("B-LOC")]])[0][2] != "B-LOC"


def test_rows_of_a_frame_are_tokens(data):
    X, y, *_ = data
    frame = pd.DataFrame([(k, word) for k, row in enumerate(X) for word in row], columns=["sentence", "word"])
    flat = [cell for row in y for cell in row]
    lists, rows = PartialSequenceTagger("bio").fit(X, y), PartialSequenceTagger("bio", sequence="sentence")
    rows.fit(frame, flat)
    np.testing.assert_array_equal(rows.predict(frame), np.concatenate(lists.predict(X)))
    np.testing.assert_allclose(rows.predict_proba(frame), np.concatenate(lists.predict_proba(X)), atol=1e-8)
    mixed = frame.sample(frac=1, random_state=0).sort_values("word", kind="stable")  # sequences are not contiguous
    assert len(rows.predict(mixed)) == len(frame)
    assert len(rows.labels_) == len(rows.sets_) == len(frame)
    cv = GroupKFold(3).split(frame, groups=frame.sentence)
    assert np.mean(cross_val_score(rows.set_params(lam=1.0), frame, flat, cv=cv)) > 0.9


def test_cross_validation_and_clones(data):
    X, y, *_ = data
    copy = clone(PartialSequenceTagger("bio", lam=1.0))
    assert np.mean(cross_val_score(copy, X, y, cv=3)) > 0.9
    assert not hasattr(copy, "chain_")


def test_numbers_have_kernel_features_if_these_are_better(rng):
    """The label is the sign of a product of two numbers, which no linear score separates."""
    X = [rng.normal(size=(int(n), 2)) for n in rng.integers(3, 9, 80)]
    y = [np.where(x[:, 0] * x[:, 1] > 0, "same", "other").tolist() for x in X]
    partial = [[label if rng.random() < 0.6 else None for label in row] for row in y]
    model = PartialSequenceTagger().fit(X[:60], partial[:60])
    assert model.selection_.best_params["features"] == "kernel"
    assert model.score(X[60:], y[60:]) > 0.85


def test_feature_dicts_are_those_of_crfsuite(data):
    X, y, _, X_new, y_new = data

    def dicts(rows):
        return [[{"word": word, "title": word.istitle(), "length": len(word)} for word in row] for row in rows]

    assert PartialSequenceTagger().fit(dicts(X), y).score(dicts(X_new), y_new) > 0.9


def test_sample_weights_are_repetitions(data):
    X, y, *_ = data
    w = np.arange(len(X)) % 3
    weighted = PartialSequenceTagger(lam=1.0, classes=NAMES).fit(X, y, sample_weight=w)
    rows = np.repeat(np.arange(len(X)), w)
    repeated = PartialSequenceTagger(lam=1.0, classes=NAMES).fit([X[k] for k in rows], [y[k] for k in rows])
    for a, b in zip(weighted.predict_proba(X[:5]), repeated.predict_proba(X[:5])):
        np.testing.assert_allclose(a, b, atol=0.02)


def test_saved_models_predict_in_a_new_process(model, data, tmp_path):
    skops = pytest.importorskip("skops.io")
    X_new = data[3]
    (tmp_path / "model.pkl").write_bytes(pickle.dumps(model))
    skops.dump(model, tmp_path / "model.skops")
    code = """
import pickle, sys, skops.io
from infimum.io import TRUSTED_TYPES
X = eval(sys.argv[3])
a = pickle.load(open(sys.argv[1], "rb")).predict(X)
b = skops.io.load(sys.argv[2], trusted=TRUSTED_TYPES).predict(X)
print([[row.tolist() for row in found] for found in (a, b)])
"""
    files = [str(tmp_path / name) for name in ("model.pkl", "model.skops")]
    run = subprocess.run([sys.executable, "-c", code, *files, repr(X_new)], capture_output=True, text=True, check=True)
    expected = [row.tolist() for row in model.predict(X_new)]
    assert eval(run.stdout) == [expected, expected]


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


def test_sequences_of_one_length_work_with_any_base_learner(rng):
    """One row of features per sequence: the days of a week that follow from one number."""
    X = rng.uniform(size=(60, 1))
    weeks = np.where(np.arange(3) < (X * 4).astype(int), "on", "off")
    y = [[label if rng.random() < 0.7 else None for label in row] for row in weeks]
    model = PartialEstimator(outputs.Sequences(), weights="kernel").fit(X, y)
    assert np.mean(model.predict(X) == weeks) > 0.9
    with pytest.raises(InputError, match="Use PartialSequenceTagger"):
        PartialEstimator(outputs.Sequences()).fit(X[:2], [["a"], ["a", "b"]])


@pytest.mark.parametrize(
    ("X", "y", "text"),
    [
        ([["a", "b"]], [["O"]], "1 labels for 2 tokens"),
        ([["a", "b"]], [["O", "I-X"]], "no allowed sequence of labels agrees with O I-X"),
        ([["a"], []], [["O"], []], "a sequence without tokens"),
        ([["a"]], [["O"], ["O"]], "X has 1 sequences and y has 2"),
        (["ab"], [["O"]], "expected a sequence of tokens, got 'ab'"),
        ([["a"], ["b"]], [["O"], "O"], "expected a sequence of labels, got 'O'"),
        ([["a"], ["b", "c"]], [["O"], ["O", set()]], "sequence 1, token 1: an empty set"),
        (pd.DataFrame({"word": ["a"]}), ["O"], "has no column None of sequence ids"),
        ([np.zeros((2, 3)), np.zeros((1, 2))], [["O", "O"], ["O"]], "the same number of features"),
    ],
)
def test_errors_name_what_is_wrong(X, y, text):
    with pytest.raises(ValueError, match=text):
        PartialSequenceTagger("bio").fit(X, y)


@pytest.mark.parametrize("wrapped", [lambda model: model, Conformal])
def test_a_column_of_sequence_ids_requires_a_frame(wrapped):
    with pytest.raises(InputError, match=r"sequence='s' requires X to be a DataFrame with this column\. Got list"):
        wrapped(PartialSequenceTagger(sequence="s")).fit([["a", "b"], ["a"]], ["O", "P"])


def test_infinite_numbers_raise_an_error():
    with pytest.raises(InputError, match="X contains infinite numbers"):
        PartialSequenceTagger().fit([np.full((2, 1), np.inf)], [["O", "B-X"]])


@pytest.mark.parametrize("settings", [{"lam": 0}, {"lam": "best"}, {"features": "deep"}, {"transitions": "bilou"}])
def test_wrong_parameters(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        PartialSequenceTagger(**settings).fit([["a", "b"]], [["O", "B-X"]])


def test_predict_requires_the_features_of_fit(model):
    with pytest.raises(InputError, match="must have the features of fit: columns of text 'word'"):
        model.predict([np.zeros((2, 3))])
    assert read_tokens([["a"]]).lengths.tolist() == [1]
