"""partial_fit: chunks one after the other give the model of all rows."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from infimum import InputError, PartialClassifier, PartialMultilabelClassifier, PartialMultiOutput, PartialRegressor
from infimum.weights import KernelRidge, LinearRidge, Nystrom, Scaled

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 3))
LABELS = [{"a", "b"} if k % 5 == 0 else "a" if x > 0 else "b" for k, x in enumerate(X[:, 0])]
TAGS = np.where(rng.random((90, 2)) < 0.2, 0, np.sign(X[:, :2]))
NUMBERS = X @ [1.0, 2.0, 0.0]
LINEAR, NYSTROM = LinearRidge(lam=0.01), Nystrom(centers=X[:12], gamma=0.5, lam=0.01)
PARTS = {"principle": "average", "negative_weights": "inside"}
MODELS = {
    "labels": (PartialClassifier(classes=["a", "b"], weights=LINEAR, **PARTS), LABELS),
    "labels, infimum, nystrom": (
        PartialClassifier(classes=["a", "b"], principle="infimum", negative_weights="inside", weights=NYSTROM), LABELS,
    ),
    "tags": (PartialMultilabelClassifier(tags=["red", "round"], weights=NYSTROM, **PARTS), TAGS),
    "numbers": (PartialRegressor(bounds=(-10, 10), weights=LINEAR, **PARTS), NUMBERS),
}  # fmt: skip
CHUNKS = [slice(0, 20), slice(20, 21), slice(21, 90)]


def streamed(model, y, w=None):
    for rows in CHUNKS:
        model.partial_fit(X[rows], y[rows], None if w is None else w[rows])
    return model


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_chunks_give_the_model_of_all_rows(name, weighted):
    model, y = MODELS[name]
    w = rng.uniform(0.5, 2, 90) if weighted else None
    found, whole = streamed(clone(model), y, w), clone(model).fit(X, y, w)
    np.testing.assert_allclose(found.minimum(X).value, whole.minimum(X).value, atol=1e-9)
    if name == "numbers":
        np.testing.assert_allclose(found.predict(X), whole.predict(X), atol=1e-8)
    else:
        np.testing.assert_array_equal(found.predict(X), whole.predict(X))
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.predict(X), found.predict(X))
    assert found.score(X, y) == pytest.approx(whole.score(X, y))


def test_predictions_are_those_of_the_rows_so_far_and_copies_are_independent():
    model, y = MODELS["numbers"]
    first = clone(model).partial_fit(X[:20], y[:20])
    np.testing.assert_allclose(first.predict(X), clone(model).fit(X[:20], y[:20]).predict(X), atol=1e-8)
    later = pickle.loads(pickle.dumps(first)).partial_fit(X[20:], y[20:])
    assert not np.allclose(first.predict(X), later.predict(X))
    later.fit(X[:20], y[:20])
    np.testing.assert_allclose(first.predict(X), later.predict(X), atol=1e-8)


def test_a_chunk_that_raises_changes_nothing():
    model = clone(MODELS["labels"][0]).partial_fit(X[:20], LABELS[:20])
    before = model.minimum(X).value
    with pytest.raises(InputError, match="unknown label 'c'"):
        model.partial_fit(X[20:22], ["a", "c"])
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[20:22, :2], ["a", "b"])
    np.testing.assert_array_equal(model.minimum(X).value, before)


def test_unknown_classes_and_numbers_must_be_declared():
    open_model = PartialClassifier(weights=LINEAR, **PARTS).partial_fit(X[:2], ["a", "b"])
    with pytest.raises(InputError, match=r"Declare them: classes=\[…\] for labels"):
        open_model.partial_fit(X[2:4], ["a", "c"])
    numbers = PartialRegressor(weights=LINEAR, **PARTS).partial_fit(X[:20], NUMBERS[:20])
    with pytest.raises(InputError, match=r"bounds=\(low, high\) for numbers"):
        numbers.partial_fit(X[20:], 10 * NUMBERS[20:])


def test_models_without_sums_have_no_partial_fit():
    for weights in ("auto", KernelRidge(), Scaled(LinearRidge())):
        assert not hasattr(PartialClassifier(weights=weights, **PARTS), "partial_fit")
    assert not hasattr(PartialClassifier(weights=LINEAR), "partial_fit")
    with pytest.raises(AttributeError, match=r"Set principle=, negative_weights='inside' and weights=weights\.Li"):
        PartialClassifier().partial_fit([[0.0]], ["a"])
    with pytest.raises(ValueError, match="partial_fit sums over the rows, so it needs principle"):
        PartialClassifier(principle="disambiguation", negative_weights="inside", weights=LINEAR).partial_fit(X, LABELS)
    with pytest.raises(ValueError, match="needs a loss that is linear"):
        PartialRegressor(principle="infimum", negative_weights="inside", weights=LINEAR).partial_fit(
            X[:3], [(0, 1), (1, 3), 2.0]
        )


def test_several_outputs_in_a_stream():
    kinds, importance = {"label": "labels", "tag": "labels"}, {"label": 1.0, "tag": 2.0}
    model = PartialMultiOutput(kinds, importance, weights=LINEAR, **PARTS)
    y = {"label": LABELS, "tag": np.where(X[:, 1] > 0, "u", "v").tolist()}
    for rows in (slice(0, 40), slice(40, 90)):
        model.partial_fit(X[rows], {name: column[rows] for name, column in y.items()})
    assert model.predict(X).equals(clone(model).fit(X, y).predict(X))
