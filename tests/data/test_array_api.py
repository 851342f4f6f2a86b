"""Arrays of other libraries are converted to NumPy once; predictions are NumPy arrays."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from infimum import Features, PartialClassifier, PartialRegressor

X, CLASSES = load_iris(return_X_y=True)
X, CLASSES = X[::3], CLASSES[::3]


@pytest.fixture(params=["array_api_strict", "torch"])
def asarray(request):
    return pytest.importorskip(request.param).asarray


@pytest.mark.parametrize("y", [CLASSES, CLASSES[:, None] == np.arange(3)], ids=["labels", "mask"])
def test_classifier_accepts_arrays_of_other_libraries(asarray, y):
    w = np.ones(len(X))
    own = PartialClassifier(weights="linear").fit(X, y, w)
    other = PartialClassifier(weights="linear").fit(asarray(X), asarray(y), asarray(w))
    assert isinstance(other.predict(asarray(X)), np.ndarray)
    np.testing.assert_allclose(other.predict_proba(asarray(X)), own.predict_proba(X))
    assert other.score(asarray(X), asarray(y)) == own.score(X, y)


def test_regressor_accepts_bounds_of_other_libraries(asarray):
    bounds = np.column_stack([X[:, 0] - 0.1, X[:, 0] + 0.1])
    own = PartialRegressor(weights="linear").fit(X[:, 1:], bounds)
    other = PartialRegressor(weights="linear").fit(asarray(X[:, 1:]), asarray(bounds))
    np.testing.assert_allclose(other.predict(asarray(X[:, 1:])), own.predict(X[:, 1:]))


def test_objects_with_the_array_protocol_are_converted():
    class Own:
        def __array__(self, dtype=None, copy=None):
            return np.asarray(X, dtype=dtype)

        shape = X.shape

        def __len__(self):
            return len(X)

    model = PartialClassifier(weights="linear").fit(Own(), CLASSES)
    np.testing.assert_array_equal(model.predict(Own()), model.predict(X))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output_of_features(library):
    frames = pytest.importorskip(library)
    table = frames.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "colour": ["red", "blue", "red", "blue"]})
    found = Features().set_output(transform=library).fit_transform(table)
    assert isinstance(found, frames.DataFrame)
    assert list(found.columns) == Features().fit(table).get_feature_names_out().tolist()
