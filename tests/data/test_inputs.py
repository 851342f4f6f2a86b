"""X in any container: DataFrames by name, Arrow batches, wide integers, sparse formats, masked arrays."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from infimum import InputError, PartialClassifier, metrics
from infimum.data.features import Features
from infimum.weights import Forest
from small_search import SMALL_SEARCH

Y = np.where(np.arange(30) < 15, "a", "b")
X = np.column_stack([np.arange(30.0), np.arange(30.0) % 7])


def default():
    return PartialClassifier(search_config=SMALL_SEARCH)


@pytest.mark.parametrize("given", [
    pd.DataFrame(X, columns=["u", "v"]), pl.DataFrame(X, schema=["u", "v"]), pa.table({"u": X[:, 0], "v": X[:, 1]}),
    pa.record_batch({"u": X[:, 0], "v": X[:, 1]}), pl.DataFrame(X, schema=["u", "v"]).cast(pl.Int128),
    sparse.dok_array(X), sparse.dok_matrix(X), sparse.coo_array(X), sparse.lil_matrix(X), np.ma.array(X), X.tolist(),
    X.astype(object), pd.DataFrame(X, columns=["u", "v"]).astype("Int64"),
], ids=lambda given: f"{type(given).__module__}.{type(given).__name__}")  # fmt: skip
def test_every_container_of_x_gives_the_model_of_the_array(given):
    np.testing.assert_array_equal(default().fit(given, Y).predict(given), default().fit(X, Y).predict(X))


def test_integer_column_names_are_found_by_name():
    frame = pd.DataFrame(X, columns=[5, 3])
    for model in (default().fit(frame, Y), default().fit(pd.DataFrame(X), Y)):
        names = list(range(2)) if model._integer_names == [0, 1] else [5, 3]
        given = pd.DataFrame(X, columns=names)
        np.testing.assert_array_equal(model.predict(given[names[::-1]]), model.predict(given))
        assert not hasattr(model, "feature_names_in_")  # as in scikit-learn


@pytest.mark.parametrize("given, message", [
    (pl.LazyFrame({"a": [1.0]}), r"X is a LazyFrame, whose rows are not computed yet\. Pass X\.collect\(\)"),
    (pd.DataFrame(X, columns=["b", "b"]), "The columns of X must have different names. Twice: 'b'"),
])  # fmt: skip
@pytest.mark.parametrize("model", [default(), Features()])
def test_frames_that_cannot_be_used_are_explained(given, message, model):
    with pytest.raises(InputError, match=message):
        model.fit(given, Y)


def test_mixed_column_names_have_the_error_of_scikit_learn():
    with pytest.raises(TypeError, match="Feature names are only supported if all input features have string names"):
        default().fit(pd.DataFrame(X, columns=[0, "b"]), Y)
    for names in ([0, "b"], [0, 1], pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])):
        with pytest.raises(
            ValueError, match=r"names that are text.*X\.columns = \[str\(name\) for name in X\.columns\]"
        ):
            Features().fit(pd.DataFrame(X, columns=names))


def test_integers_without_end_in_x_are_explained():
    with pytest.raises(ValueError, match=r"numbers up to 1e[+]150.* Row 0 contains an integer of 5001 digits. Scale X"):
        default().fit([[10**5000], [1]], ["a", "b"])


@pytest.mark.parametrize("scale", [1e-149, 1e-45, 1e39, 1e149])
def test_default_models_do_not_depend_on_the_scale_of_x(scale):
    rng = np.random.default_rng(0)
    Z = rng.uniform(-1, 1, (80, 2))
    y = np.where(Z[:, 0] > 0, "a", "b")
    model = PartialClassifier(random_state=0)
    with np.errstate(over="raise", invalid="raise"):
        plain, scaled = (model.fit(Z * s, y).predict(Z * s) for s in (1.0, scale))
    assert (scaled == y).mean() >= (plain == y).mean() - 0.02
    one = np.column_stack([Z[:, 0] * scale, Z[:, 1]])
    forest = Forest(20, random_state=0).fit(one, Z[:, :1])
    np.testing.assert_allclose(
        forest(one) @ Z[:, :1], Forest(20, random_state=0).fit(Z, Z[:, :1])(Z) @ Z[:, :1], rtol=0.2, atol=0.2
    )


METRICS = ["mean_squared_distance", "covering_rate", "r2", "r2_range", "rmse_range", "wrong_pairs", "kendall_tau"]


@pytest.mark.parametrize("metric", METRICS)
def test_metrics_of_no_rows_are_explained(metric):
    with pytest.raises(InputError, match="There are no predictions, so there is nothing to score"):
        getattr(metrics, metric)([], [])
