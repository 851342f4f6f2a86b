"""PartialSequenceTagger: label sequences of different lengths, partly annotated, with the default model."""

import pickle
from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, cross_val_score

from infimum import InputError, Not, PartialEstimator, PartialSequenceTagger, outputs
from infimum.conformal import Conformal
from infimum.data.tokens import read_tokens
from infimum.io import TRUSTED_TYPES
from infimum.outputs.sequences.paths import Edges, Packed, path_probabilities, shortest_path
from sentences import NAMES


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


def test_saved_models_predict_the_same(model, data):
    """tests/paths/test_tokens.py loads such models in a new process."""
    skops = pytest.importorskip("skops.io")
    X_new = data[3]
    expected = [row.tolist() for row in model.predict(X_new)]
    for loaded in (pickle.loads(pickle.dumps(model)), skops.loads(skops.dumps(model), trusted=TRUSTED_TYPES)):
        assert [row.tolist() for row in loaded.predict(X_new)] == expected


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
