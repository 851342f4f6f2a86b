"""Rows in chunks: lists, functions, memory maps, Parquet files and a Dask cluster give the fit of arrays."""

import os
import pickle
import tracemalloc
import warnings

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone

from infimum import Chunks, PartialClassifier, PartialMultilabelClassifier, PartialRanker, PartialRegressor
from infimum.data.inputs import in_range
from infimum.weights import LinearRidge, Neighbors, Nystrom
from small_search import SMALL_SEARCH

FAMILIES = [Nystrom(20, lam=1e-2), LinearRidge(lam=1e-2)]
EACH = pytest.mark.parametrize("family", FAMILIES, ids=repr)


@pytest.fixture
def data(rng):
    X = rng.standard_normal((300, 4))
    truth = (X[:, 0] > 0).astype(int) + 2 * (X[:, 1] > 0)
    return X, np.eye(4, dtype=bool)[truth] | (rng.random((300, 4)) < 0.2)


def cut(X, y, at, *more):
    return [tuple(part) for part in zip(*(np.split(a, at) for a in (X, y, *more)))]


def same(model, other, X):
    assert_allclose(other.decision_function(X), model.decision_function(X), atol=1e-8)
    assert (other.classes_ == model.classes_).all()
    assert (other.predict(X) == model.predict(X)).all()


@EACH
@settings(max_examples=10, deadline=None)
@given(at=st.lists(st.integers(1, 299), max_size=5, unique=True))
def test_chunks_give_the_fit_of_arrays(family, at):
    rng = np.random.default_rng(0)
    X, y, w = rng.standard_normal((300, 4)), rng.random((300, 4)) < 0.5, rng.uniform(0, 2, 300)
    y[:, 0] |= ~y.any(axis=1)
    model = PartialClassifier.paper(weights=family).fit(X, y, w)
    other = clone(model).fit(Chunks(cut(X, y, sorted(at), w)))
    same(model, other, X)
    assert other.weights_.n_rows_ == 300


@EACH
def test_a_function_may_start_the_iteration_again(family, data):
    X, y = data
    model = PartialClassifier(weights=family).fit(X, y)
    chunks = Chunks(lambda: ((X[i : i + 70], y[i : i + 70]) for i in range(0, 300, 70)), n_chunks=5)
    other = clone(model).fit(chunks)
    same(model, other, X)
    assert other.weights_.n_rows_ == 300
    assert (np.concatenate(list(other.predict(chunks))) == model.predict(X)).all()


def test_classes_are_those_of_all_chunks():
    X = np.arange(6.0)[:, None]
    chunks = Chunks([(X[:2], ["a", "a|b"]), (X[2:4], [{"b", "c"}, None]), (X[4:], ["!a", "d"])])
    model = PartialClassifier().fit(chunks)
    assert model.classes_.tolist() == ["a", "b", "c", "d"]
    whole = PartialClassifier().fit(X, ["a", "a|b", {"b", "c"}, None, "!a", "d"])
    same(whole, model, X)


@pytest.mark.parametrize(
    "model, y",
    [
        (PartialClassifier(), list("abcabcabc")),
        (PartialRegressor(), np.arange(9.0)),
        (PartialMultilabelClassifier(), [{"red": k % 2 == 0, "big": k > 5} for k in range(9)]),
        (PartialRanker(), ["a>b>c", "b>c>a", "c>a>b"] * 3),
    ],
    ids=lambda value: type(value).__name__,
)
def test_few_rows_in_chunks_have_the_default_model_of_arrays(model, y, rng):
    """Too few rows for a comparison; the default was kernel ridge, which chunks do not support."""
    X = rng.standard_normal((9, 2))
    parts = clone(model).fit(Chunks([(X[:5], y[:5]), (X[5:], y[5:])])).predict(X)
    whole = clone(model).fit(X, y).predict(X)
    if whole.dtype.kind == "f":
        assert_allclose(parts, whole)
    else:
        np.testing.assert_array_equal(parts, whole)


def test_tags_come_in_chunks_too(rng):
    X = rng.standard_normal((80, 2))
    tags = np.sign(np.column_stack([X[:, 0], X[:, 1]])) * (rng.random((80, 2)) < 0.7)
    whole = PartialMultilabelClassifier.paper(weights=LinearRidge()).fit(X, tags)
    parts = clone(whole).fit(Chunks(cut(X, tags, [30])))
    assert_allclose(parts.decision_function(X), whole.decision_function(X), atol=1e-10)


def test_memory_maps_and_sparse_rows(data, tmp_path):
    X, y = data
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    family = Nystrom(20)
    model = PartialClassifier.paper(weights=family).fit(X, y)
    same(model, clone(model).fit(Chunks([(mapped[:50], y[:50]), (mapped[50:], y[50:])])), X)
    rows = Chunks([(sparse.csr_matrix(X[:100]), y[:100]), (sparse.csr_matrix(X[100:]), y[100:])])
    linear = PartialClassifier.paper(weights=LinearRidge()).fit(X, y)
    assert_allclose(clone(linear).fit(rows).decision_function(X), linear.decision_function(X), atol=1e-8)


def test_parquet_files(tmp_path, rng):
    import pandas as pd

    X, labels = rng.standard_normal((90, 3)), np.array(["a", "b", "a|b"])[np.arange(90) % 3]
    frame = pd.DataFrame(X, columns=list("pqr")).assign(y=labels, w=np.arange(90) % 4)
    frame[:40].to_parquet(tmp_path / "0.parquet")
    frame[40:].to_parquet(tmp_path / "1.parquet")
    files = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    model = PartialClassifier.paper(weights="linear").fit(X, labels, np.arange(90) % 4)
    same(model, clone(model).fit(Chunks.parquet(files, "y", weight="w", rows=25)), X)
    with pytest.raises(ValueError, match=r"no target column 'z'. Its columns are"):
        PartialClassifier().fit(Chunks.parquet(files, "z"))


def test_what_chunks_cannot_do_is_said(data):
    X, y = data
    chunks = Chunks([(X, y)])
    with pytest.raises(ValueError, match=r"Chunked data requires weights.Nystrom or weights.LinearRidge.*Neighbors"):
        PartialClassifier.paper(weights=Neighbors()).fit(chunks)
    with pytest.raises(ValueError, match="Chunks carry y and sample_weight themselves"):
        PartialClassifier().fit(chunks, y)
    with pytest.raises(ValueError, match=r"must be a list of .* Got generator"):
        Chunks(chunk for chunk in [(X, y)])
    with pytest.raises(ValueError, match="chunk 0: X has 300 rows and y has 299"):
        PartialClassifier().fit(Chunks([(X, y[1:])]))
    with pytest.raises(ValueError, match="chunk 1: X has 3 features; the first chunk has 4"):
        PartialClassifier().fit(Chunks([(X, y), (X[:, :3], y)]))
    with pytest.raises(ValueError, match="chunk 0: Input X contains NaN"):
        PartialClassifier().fit(Chunks([(X * np.nan, y)]))
    intervals = [(0, 1)] * 300
    with pytest.raises(ValueError, match=r"No solver can minimise .* in chunks>.*Fit on arrays instead"):
        PartialRegressor.paper(weights="linear").fit(Chunks([(X, intervals)]))
    with pytest.raises(ValueError, match=r"chunk 1: the infimum loss of its sets is not linear"):
        PartialRegressor.paper(weights="linear").fit(Chunks([(X, np.arange(300.0)), (X, np.array(intervals) * 1.0)]))
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(chunks)
    with pytest.raises(ValueError, match="The training rows are not stored"):
        np.asarray(model.weights_(X))


def test_saved_models_leave_their_rows_behind(rng):
    X = rng.standard_normal((20_000, 2))
    model = PartialClassifier.paper(weights=Nystrom(10)).fit(X, np.arange(20_000) % 2)
    saved = pickle.dumps(model)
    assert len(saved) < 20_000
    assert (pickle.loads(saved).predict(X) == model.predict(X)).all()
    # the joint reading needs the weight of every row
    joint = PartialClassifier.paper(weights=Nystrom(10), negative_weights="joint").fit(X[:200], np.arange(200) % 2)
    assert (pickle.loads(pickle.dumps(joint)).predict(X[:50]) == joint.predict(X[:50])).all()


@pytest.mark.parametrize("name", ["kernel", "nystrom", "forest"])
def test_queries_in_parallel_are_the_same(name, data):
    X, y = data
    model = PartialClassifier.paper(weights=name).fit(X, y)
    model.batch_numbers = 2**10
    alone = model.predict(X)
    with joblib.parallel_config(n_jobs=2):
        assert (model.predict(X) == alone).all()
        assert (PartialClassifier(search_config=SMALL_SEARCH).fit(Chunks(cut(X, y, [100, 200]))).predict(X).shape) == (
            300,
        )


def test_large_chunks_are_summed_some_rows_at_a_time(rng):
    X, y = rng.standard_normal((40_000, 2)), rng.integers(3, size=40_000)
    chunks = Chunks([(X, y)])
    PartialClassifier.paper(weights=Nystrom(50)).fit(Chunks([(X[:100], y[:100])]))
    tracemalloc.start()
    PartialClassifier.paper(weights=Nystrom(300)).fit(chunks)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 40_000 * 300 / 3


def test_threads_over_chunks_take_one_thread_of_blas_each(data):
    from threadpoolctl import threadpool_info, threadpool_limits

    def threads(chunk):
        return [{pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}]

    chunks = Chunks(cut(*data, [100, 200]))
    with threadpool_limits(2, "blas"):
        with joblib.parallel_config(backend="threading", n_jobs=2):
            assert chunks.reduce(threads, list.__add__) == [{1}] * 3
        assert chunks.reduce(threads, list.__add__) == [{2}] * 3


def test_the_range_of_rows_is_checked_without_a_copy(rng):
    X = rng.standard_normal((100_000, 4))
    tracemalloc.start()
    in_range(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes / 10
    X[7, 2] = -1e151
    with pytest.raises(ValueError, match=r"Got 1e\+151 in row 7, column 2"):
        in_range(X)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="needs infimum[dask]")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
        ) as local,
        distributed.Client(local) as client,
    ):
        yield client


@EACH
def test_a_cluster_gives_the_fit_of_arrays(family, data, cluster):
    import dask.array as da
    import dask.dataframe as dd
    import pandas as pd

    X, y = data
    w = np.linspace(0, 2, 300)
    model = PartialClassifier.paper(weights=family).fit(X, y, w)
    far = clone(model).fit(
        da.from_array(X, chunks=(70, 2)), da.from_array(y, chunks=(70, 4)), da.from_array(w, chunks=70)
    )
    same(model, far, X)
    predicted = far.predict(da.from_array(X, chunks=(70, 4)))
    assert isinstance(predicted, da.Array)
    assert (predicted.compute() == model.predict(X)).all()
    scores = far.decision_function(da.from_array(X, chunks=(70, 4)))
    assert scores.shape == (300, 4)
    assert_allclose(scores.compute(), model.decision_function(X), atol=1e-8)

    labels = np.array(["a", "b", "c", "a|b"])[np.argmax(y, axis=1)]
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("pqrs")).assign(y=labels), npartitions=4)
    table = PartialClassifier.paper(weights=family).fit(frame[list("pqrs")], frame["y"])
    same(clone(table).fit(X, labels), table, X)
    assert (table.predict(frame[list("pqrs")]).compute() == table.predict(X)).all()


def test_a_worker_that_dies_costs_time_not_the_result(data, cluster, tmp_path):
    import dask.array as da

    X, y = data
    home = str(tmp_path)

    def read(part, block_info=None):
        # the classes, the centres, the sums: the worker that reads the last chunk for the third time dies
        if block_info and block_info[0]["chunk-location"][0] == 5:
            reads = len(os.listdir(home)) + 1
            with open(f"{home}/{reads}", "x"):
                pass
            if reads == 3:
                os._exit(1)
        return part

    targets = da.from_array(y, chunks=(50, 4)).map_blocks(read, meta=y[:0])
    before = {worker["pid"] for worker in cluster.run(lambda: {"pid": os.getpid()}).values()}
    far = PartialClassifier.paper(weights=Nystrom(20)).fit(da.from_array(X, chunks=(50, 4)), targets)
    assert len(os.listdir(home)) == 4
    cluster.wait_for_workers(1, timeout=60)
    assert before != {worker["pid"] for worker in cluster.run(lambda: {"pid": os.getpid()}).values()}
    same(clone(far).fit(X, y), far, X)


def test_frames_of_parquet_files_keep_their_partitions(data, tmp_path):
    """Dask joins partitions of which few columns are read: those of X and y would no longer be the same."""
    dd = pytest.importorskip("dask.dataframe")
    import pandas as pd

    X, y = data
    labels = np.array(["a", "b", "c", "a|b"])[np.argmax(y, axis=1)]
    frame = pd.DataFrame(X, columns=list("pqrs")).assign(y=labels)
    for k in range(9):
        frame[k::9].to_parquet(tmp_path / f"{k}.parquet")
    rows = dd.read_parquet(tmp_path)
    assert rows["y"].optimize().npartitions < rows[list("pqrs")].npartitions == 9
    family, table = LinearRidge(lam=1e-2), frame[list("pqrs")]
    far = PartialClassifier.paper(weights=family).fit(rows[list("pqrs")], rows["y"])
    same(clone(far).fit(table, labels), far, table)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        predicted = far.predict(rows[list("pqrs")])
    assert predicted.numblocks == (9,)
    assert sorted(predicted.compute()) == sorted(far.predict(table))


def test_partitions_must_agree(data):
    da = pytest.importorskip("dask.array")
    X, y = data
    with pytest.raises(ValueError, match=r"must have the same partitions. They have \[3, 4\]"):
        PartialClassifier().fit(da.from_array(X, chunks=(100, 4)), da.from_array(y, chunks=(80, 4)))
    with pytest.raises(ValueError, match="y must be one too"):
        PartialClassifier().fit(da.from_array(X, chunks=(100, 4)), y)


@pytest.mark.filterwarnings("ignore:The search stopped after")
@pytest.mark.filterwarnings("error:X does not have valid feature names")
def test_dask_series_without_a_name_is_accepted(rng):
    dd = pytest.importorskip("dask.dataframe")
    import pandas as pd

    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    y = pd.Series(np.where(X["a"] > 0, "p", "q"))
    assert y.name is None
    chunks = dd.from_pandas(X, npartitions=2), dd.from_pandas(y, npartitions=2)
    model = PartialClassifier(max_search_time=1).fit(*chunks)
    assert model.score(*chunks) > 0.8
