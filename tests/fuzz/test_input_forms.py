"""Forms of input that are easily misread: parsed correctly, or an error that explains itself."""

from math import inf

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from infimum import (
    CandidateLabels,
    Chunks,
    PartialClassifier,
    PartialMultilabelClassifier,
    PartialOrders,
    PartialRanker,
    PartialRegressor,
    Taxonomy,
    metrics,
    weights,
)
from infimum.outputs import Labels, Rankings, Reals, Tags, Vectors
from infimum.weights import Neighbors
from small_search import SMALL_SEARCH

from .contract import Case, check

X6 = np.arange(6.0)[:, None]
MASK = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1]], dtype=bool)


def both(space, y):
    """Fit, then read: where a row is refused is not ours to say."""
    return space.fit(y).read(y)


def verify(found, want):
    """Both as plain lists."""
    found, want = (v.tolist() if hasattr(v, "tolist") else v for v in (found, want))
    assert found == want, f"{found} is not {want}"


def members(space, y):
    """The candidates of every row, by name."""
    sets = space.read(y)
    return [
        {c for k, c in enumerate(space.classes_.tolist()) if sets[[i]].contains(np.array([k]))[0]}
        for i in range(len(sets))
    ]


def nearest(y, **given):
    return PartialClassifier.paper(weights=Neighbors(1), **given).fit(X6[: len(y)], y)


def mask_as_list():
    for y in (MASK.tolist(), MASK.astype(int).tolist()):
        space = Labels().fit(y)
        verify(members(space, y), [{k for k in range(3) if row[k]} for row in MASK])


def table(n=120):
    rng = np.random.default_rng(0)
    F = pd.DataFrame(rng.standard_normal((n, 3)), columns=["u", "v", "w"])
    return F, np.where(F["u"] > 0, "a", "b")


def chunks_by_name():
    F, y = table()
    want = PartialClassifier(weights="linear", search_config=SMALL_SEARCH).fit(F, y).predict(F)
    chunks = Chunks([(F[:60], y[:60]), (F[["w", "v", "u"]][60:], y[60:])])
    model = PartialClassifier(weights="linear", search_config=SMALL_SEARCH).fit(chunks)
    verify(model.predict(F), want)
    verify(np.concatenate(list(model.predict(Chunks([(F[["v", "w", "u"]], y)])))), want)


def parquet(tmp, frames):
    for k, f in enumerate(frames):
        f.to_parquet(tmp / f"{k}.parquet")
    return [str(tmp / f"{k}.parquet") for k in range(len(frames))]


def parquet_by_name(tmp):
    F, y = table()
    linear = PartialClassifier(weights="linear", search_config=SMALL_SEARCH)  # chunks support no logistic regression
    want = linear.fit(F, y).predict(F)
    F = F.assign(label=y)
    files = parquet(tmp, [F[:60], F[["w", "label", "u", "v"]][60:]])
    verify(linear.fit(Chunks.parquet(files, "label")).predict(F[["u", "v", "w"]]), want)


def parquet_index_is_no_feature(tmp):
    F, y = table()
    odd = F.assign(label=y).set_index(np.arange(len(F))[::-1] * 7.5)
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(Chunks.parquet(parquet(tmp, [odd]), "label"))
    assert model.n_features_in_ == 3


def dask_by_name():
    dd = pytest.importorskip("dask.dataframe")
    F, y = table()
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(F, y)
    D = dd.from_pandas(F, npartitions=2)
    verify(np.asarray(model.predict(D[["w", "v", "u"]])), model.predict(F))


def tag_frames_by_name():
    F = pd.DataFrame({"a": [1, -1, 1], "b": [-1, 1, 1]})
    for tags in (None, ["b", "a"]):
        model = PartialMultilabelClassifier(tags=tags, search_config=SMALL_SEARCH).fit(X6[:3], F)
        assert model.score(X6[:3], F) == model.score(X6[:3], F[["b", "a"]]) == 1
        verify(model.predict(X6[:3]), F[model.tags_.tolist()].to_numpy())


def text_bounds(upper):
    F = pd.DataFrame({"lower": [0, 5, 30], "upper": [10, 9, upper]}).astype(object)
    sets = Reals().fit(F).read(F)
    assert sets.contains(np.array([5.0, 7.0, 31.0])).all(), "bounds are read as candidates"
    assert not sets.contains(np.array([11.0, 4.0, 3.0])).any()


def tag_dict():
    space = Tags().fit([{"red": -1}, {"red": True}])
    verify(space.read([{"red": -1}]).contains(np.array([[1]])), [False])


def none_beside_false(y):
    space = Tags().fit(y)
    verify(space.read(y).contains(np.array([[1, -1], [1, 1]])), [True, False])


def null_candidate():
    F = pl.DataFrame({"a": [True, False], "b": [None, True]})
    verify(members(Labels().fit(F), F), [{"a", "b"}, {"b"}])


def items_of_orders():
    assert metrics.wrong_pairs(PartialOrders([[1]], items=["b", "a"]), [["b", "a"]]) == 0
    model = PartialRanker(items=["a", "b"], search_config=SMALL_SEARCH).fit(
        [[0.0]], PartialOrders([[1]], items=["b", "a"])
    )
    verify(model.predict([[0.0]]), [["b", "a"]])
    assert model.score([[0.0]], PartialOrders([[1]], items=["b", "a"])) == 1


def ranks_in_batches():
    R = np.array([[0, 1, 2]] * 2 + [[1, 0, 0]] * 3 + [[2, 1, 0]] * 3)
    X = np.arange(8.0)[:, None]
    model = PartialRanker(search_config=SMALL_SEARCH).fit(X, R)
    assert model.score(X, R) == model.score(X[2:5], R[2:5]) == 1


def subsets_of_anything(values):
    return CandidateLabels(values)


def sparse(values):
    y = sp.csr_matrix(np.array(values, dtype=float))
    return Labels().fit(y).read(y)


def duplicates():
    twice = sp.csr_matrix((np.ones(3), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    before = twice.copy()
    sets = CandidateLabels(twice)
    assert (twice.data == before.data).all(), "the caller's matrix was changed"
    verify(sets.contains(np.array([0, 1])), [True, True])


def large_integers():
    y = [2**53, 2**53 + 1, float("nan")]
    verify(members(Labels().fit(y), y)[:2], [{2**53}, {2**53 + 1}])


def one_and_text_one():
    y = [np.int64(1), np.str_("1")]
    assert len(Labels().fit(y).classes_) == 2


def nul():
    assert len(Labels().fit(["a", "a\0"]).classes_) == 2


def dates():
    y = np.array(["2020-01-01", "2021-05-05"], dtype="M8[ns]")
    assert nearest(y).predict([[0.0]])[0] == np.datetime64("2020-01-01")


def text_and_numbers():
    assert len(Rankings().fit(["1>2", [1, 2]]).items_) == 2


def small_intervals(scale):
    y = np.array([[1.0, 2.0], [3.0, 4.0]]) * scale
    Z = PartialRegressor(search_config=SMALL_SEARCH).fit([[0.0], [1.0]], y).predict([[0.0], [1.0]])
    assert (y[:, 0] <= Z).all()
    assert (y[:, 1] >= Z).all()


def leaves(tree, want):
    assert set(Taxonomy(tree).classes()) == want, Taxonomy(tree).classes()


WRONG_PAIRS = dict(
    dask=lambda tmp: dask_by_name(),
)
ANSWER = {
    "mask of booleans as a list": lambda tmp: verify(members(Labels().fit(MASK.tolist()), MASK.tolist())[0], {0}),
    "tag frames": lambda tmp: tag_frames_by_name(),
    "None beside False": lambda tmp: none_beside_false([[True, None], [False, True]]),
    "object frame": lambda tmp: none_beside_false(
        pd.DataFrame([[True, None], [False, True]], columns=["a", "b"])
    ),
    "polars frame": lambda tmp: none_beside_false(pl.DataFrame({"a": [True, False], "b": [None, True]})),
    "null candidate": lambda tmp: null_candidate(),
    "items of orders": lambda tmp: items_of_orders(),
    "ranks in batches": lambda tmp: ranks_in_batches(),
    "large integers": lambda tmp: large_integers(),
    "dates": lambda tmp: dates(),
    "one child as text": lambda tmp: leaves({"animal": {"mammal": "cat"}}, {"cat"}),
    "tuple of children": lambda tmp: leaves({"animal": ("cat", "dog")}, {"cat", "dog"}),
}
EITHER = {
    "mask as a list": lambda tmp: mask_as_list(),
    "chunks": lambda tmp: chunks_by_name(),
    "parquet": parquet_by_name,
    "pandas index": parquet_index_is_no_feature,
    "dask": WRONG_PAIRS["dask"],
    ">30 among bounds": lambda tmp: text_bounds(">30"),
    "blank among bounds": lambda tmp: text_bounds(""),
    "a tag of -1": lambda tmp: tag_dict(),
    "1 and '1'": lambda tmp: one_and_text_one(),
    "a and a with NUL": lambda tmp: nul(),
    "items in text and numbers": lambda tmp: text_and_numbers(),
    "scale 1e-165": lambda tmp: small_intervals(1e-165),
    "scale 1e-200": lambda tmp: small_intervals(1e-200),
    "duplicates": lambda tmp: duplicates(),
}
REFUSE = {
    "tag of text False": lambda tmp: both(Tags(), [{"red": "False"}, {"red": True}]),
    "tag of 3": lambda tmp: both(Tags(), [{"red": 3}, {"red": True}]),
    "CandidateLabels of signs": lambda tmp: subsets_of_anything([[1, -1], [-1, 1]]),
    "sparse -1": lambda tmp: sparse([[1, -1], [0, 1]]),
    "sparse NaN": lambda tmp: sparse([[1, np.nan], [0, 1]]),
    "sparse half": lambda tmp: sparse([[1, 0.5], [0, 1]]),
    "negated of one": lambda tmp: CandidateLabels(np.eye(3, dtype=bool), negated=[True]),
    "classes too short": lambda tmp: CandidateLabels(np.eye(3, dtype=bool), classes=["a", "b"]),
    "classes too long": lambda tmp: CandidateLabels(np.eye(3, dtype=bool), classes=list("abcd")),
    "a>=b>c": lambda tmp: both(Rankings(), ["a>=b>c"]),
    "a triple": lambda tmp: both(Rankings(), [[("a", "b", "c")], "a>b"]),
    "from_orders": lambda tmp: PartialOrders.from_orders([[0, 0, 7]]),
    "+ red": lambda tmp: both(Tags(), ["+ red"]),
    "bounds far away": lambda tmp: PartialRegressor(bounds=(100, 200)).fit(
        [[0.0], [1.0]], Vectors().fit([[0.0, 1.0], [2.0, 3.0]]).read([[0.0, 1.0], [2.0, 3.0]])
    ),
    "r2 of negative weights": lambda tmp: metrics.r2([1.0, 2.0, 3.0], [1.0, 2.0, 2.0], sample_weight=[-1, 1, 1]),
    "negative gamma": lambda tmp: nearest(["a",
    "b"]).set_params(weights=weights.KernelRidge(gamma=-1)).fit(X6[:2], ["a", "b"]),
    "an open interval of inf": lambda tmp: both(Reals(), [(inf, inf), 1.0]),
}  # fmt: skip
ALL = [(name, "answer", f) for name, f in ANSWER.items()] + [(name, "either", f) for name, f in EITHER.items()]
ALL += [(name, "refuse", f) for name, f in REFUSE.items()]


@pytest.mark.parametrize(("name", "verdict", "run"), ALL, ids=[a[0] for a in ALL])
def test_is_parsed_correctly_or_raises(name, verdict, run, tmp_path):
    check(Case(lambda: run(tmp_path), verdict, note=name))
