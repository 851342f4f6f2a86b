"""Input that was once misread in silence (review, E): each is now the right answer, or a refusal in words."""

from math import inf

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from infimum import (
    Blocks,
    CandidateLabels,
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


def e1_mask_as_list():
    for y in (MASK.tolist(), MASK.astype(int).tolist()):
        space = Labels().fit(y)
        verify(members(space, y), [{k for k in range(3) if row[k]} for row in MASK])


def table(n=120):
    rng = np.random.default_rng(0)
    F = pd.DataFrame(rng.standard_normal((n, 3)), columns=["u", "v", "w"])
    return F, np.where(F["u"] > 0, "a", "b")


def e2_blocks_by_name():
    F, y = table()
    want = PartialClassifier(search_config=SMALL_SEARCH).fit(F, y).predict(F)
    blocks = Blocks([(F[:60], y[:60]), (F[["w", "v", "u"]][60:], y[60:])])
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(blocks)
    verify(model.predict(F), want)
    verify(np.concatenate(list(model.predict(Blocks([(F[["v", "w", "u"]], y)])))), want)


def parquet(tmp, frames):
    for k, f in enumerate(frames):
        f.to_parquet(tmp / f"{k}.parquet")
    return [str(tmp / f"{k}.parquet") for k in range(len(frames))]


def e2_parquet_by_name(tmp):
    F, y = table()
    want = PartialClassifier(search_config=SMALL_SEARCH).fit(F, y).predict(F)
    F = F.assign(label=y)
    files = parquet(tmp, [F[:60], F[["w", "label", "u", "v"]][60:]])
    verify(
        PartialClassifier(search_config=SMALL_SEARCH).fit(Blocks.parquet(files, "label")).predict(F[["u", "v", "w"]]),
        want,
    )


def e2_parquet_index_is_no_feature(tmp):
    F, y = table()
    odd = F.assign(label=y).set_index(np.arange(len(F))[::-1] * 7.5)
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(Blocks.parquet(parquet(tmp, [odd]), "label"))
    assert model.n_features_in_ == 3


def e2_dask_by_name():
    dd = pytest.importorskip("dask.dataframe")
    F, y = table()
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(F, y)
    D = dd.from_pandas(F, npartitions=2)
    verify(np.asarray(model.predict(D[["w", "v", "u"]])), model.predict(F))


def e3_tag_frames_by_name():
    F = pd.DataFrame({"a": [1, -1, 1], "b": [-1, 1, 1]})
    for tags in (None, ["b", "a"]):
        model = PartialMultilabelClassifier(tags=tags, search_config=SMALL_SEARCH).fit(X6[:3], F)
        assert model.score(X6[:3], F) == model.score(X6[:3], F[["b", "a"]]) == 1
        verify(model.predict(X6[:3]), F[model.tags_.tolist()].to_numpy())


def e4_text_bounds(upper):
    F = pd.DataFrame({"lower": [0, 5, 30], "upper": [10, 9, upper]}).astype(object)
    sets = Reals().fit(F).read(F)
    assert sets.contains(np.array([5.0, 7.0, 31.0])).all(), "bounds are read as candidates"
    assert not sets.contains(np.array([11.0, 4.0, 3.0])).any()


def e5_tag_dict():
    space = Tags().fit([{"red": -1}, {"red": True}])
    verify(space.read([{"red": -1}]).contains(np.array([[1]])), [False])


def e6_none_beside_false(y):
    space = Tags().fit(y)
    verify(space.read(y).contains(np.array([[1, -1], [1, 1]])), [True, False])


def e6_null_candidate():
    F = pl.DataFrame({"a": [True, False], "b": [None, True]})
    verify(members(Labels().fit(F), F), [{"a", "b"}, {"b"}])


def e7_items_of_orders():
    assert metrics.wrong_pairs(PartialOrders([[1]], items=["b", "a"]), [["b", "a"]]) == 0
    model = PartialRanker(items=["a", "b"], search_config=SMALL_SEARCH).fit(
        [[0.0]], PartialOrders([[1]], items=["b", "a"])
    )
    verify(model.predict([[0.0]]), [["b", "a"]])
    assert model.score([[0.0]], PartialOrders([[1]], items=["b", "a"])) == 1


def e8_ranks_in_batches():
    R = np.array([[0, 1, 2]] * 2 + [[1, 0, 0]] * 3 + [[2, 1, 0]] * 3)
    X = np.arange(8.0)[:, None]
    model = PartialRanker(search_config=SMALL_SEARCH).fit(X, R)
    assert model.score(X, R) == model.score(X[2:5], R[2:5]) == 1


def e10_subsets_of_anything(values):
    return CandidateLabels(values)


def e10_sparse(values):
    y = sp.csr_matrix(np.array(values, dtype=float))
    return Labels().fit(y).read(y)


def e10_duplicates():
    twice = sp.csr_matrix((np.ones(3), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    before = twice.copy()
    sets = CandidateLabels(twice)
    assert (twice.data == before.data).all(), "the caller's matrix was changed"
    verify(sets.contains(np.array([0, 1])), [True, True])


def e13_large_integers():
    y = [2**53, 2**53 + 1, float("nan")]
    verify(members(Labels().fit(y), y)[:2], [{2**53}, {2**53 + 1}])


def e13_one_and_text_one():
    y = [np.int64(1), np.str_("1")]
    assert len(Labels().fit(y).classes_) == 2


def e13_nul():
    assert len(Labels().fit(["a", "a\0"]).classes_) == 2


def e13_dates():
    y = np.array(["2020-01-01", "2021-05-05"], dtype="M8[ns]")
    assert nearest(y).predict([[0.0]])[0] == np.datetime64("2020-01-01")


def e13_text_and_numbers():
    assert len(Rankings().fit(["1>2", [1, 2]]).items_) == 2


def e13_small_intervals(scale):
    y = np.array([[1.0, 2.0], [3.0, 4.0]]) * scale
    Z = PartialRegressor(search_config=SMALL_SEARCH).fit([[0.0], [1.0]], y).predict([[0.0], [1.0]])
    assert (y[:, 0] <= Z).all()
    assert (y[:, 1] >= Z).all()


def leaves(tree, want):
    assert set(Taxonomy(tree).classes()) == want, Taxonomy(tree).classes()


WRONG_PAIRS = dict(
    dask=lambda tmp: e2_dask_by_name(),
)
ANSWER = {
    "E1 mask of booleans as a list": lambda tmp: verify(members(Labels().fit(MASK.tolist()), MASK.tolist())[0], {0}),
    "E3 tag frames": lambda tmp: e3_tag_frames_by_name(),
    "E6 None beside False": lambda tmp: e6_none_beside_false([[True, None], [False, True]]),
    "E6 object frame": lambda tmp: e6_none_beside_false(
        pd.DataFrame([[True, None], [False, True]], columns=["a", "b"])
    ),
    "E6 polars frame": lambda tmp: e6_none_beside_false(pl.DataFrame({"a": [True, False], "b": [None, True]})),
    "E6 null candidate": lambda tmp: e6_null_candidate(),
    "E7 items of orders": lambda tmp: e7_items_of_orders(),
    "E8 ranks in batches": lambda tmp: e8_ranks_in_batches(),
    "E13 large integers": lambda tmp: e13_large_integers(),
    "E13 dates": lambda tmp: e13_dates(),
    "E13 one child as text": lambda tmp: leaves({"animal": {"mammal": "cat"}}, {"cat"}),
    "E13 tuple of children": lambda tmp: leaves({"animal": ("cat", "dog")}, {"cat", "dog"}),
}
EITHER = {
    "E1 mask as a list": lambda tmp: e1_mask_as_list(),
    "E2 blocks": lambda tmp: e2_blocks_by_name(),
    "E2 parquet": e2_parquet_by_name,
    "E2 pandas index": e2_parquet_index_is_no_feature,
    "E2 dask": WRONG_PAIRS["dask"],
    "E4 >30 among bounds": lambda tmp: e4_text_bounds(">30"),
    "E4 blank among bounds": lambda tmp: e4_text_bounds(""),
    "E5 a tag of -1": lambda tmp: e5_tag_dict(),
    "E13 1 and '1'": lambda tmp: e13_one_and_text_one(),
    "E13 a and a with NUL": lambda tmp: e13_nul(),
    "E13 items in text and numbers": lambda tmp: e13_text_and_numbers(),
    "E13 scale 1e-165": lambda tmp: e13_small_intervals(1e-165),
    "E13 scale 1e-200": lambda tmp: e13_small_intervals(1e-200),
    "E10 duplicates": lambda tmp: e10_duplicates(),
}
REFUSE = {
    "E4 tag of text False": lambda tmp: both(Tags(), [{"red": "False"}, {"red": True}]),
    "E4 tag of 3": lambda tmp: both(Tags(), [{"red": 3}, {"red": True}]),
    "E10 CandidateLabels of signs": lambda tmp: e10_subsets_of_anything([[1, -1], [-1, 1]]),
    "E10 sparse -1": lambda tmp: e10_sparse([[1, -1], [0, 1]]),
    "E10 sparse NaN": lambda tmp: e10_sparse([[1, np.nan], [0, 1]]),
    "E10 sparse half": lambda tmp: e10_sparse([[1, 0.5], [0, 1]]),
    "E10 negated of one": lambda tmp: CandidateLabels(np.eye(3, dtype=bool), negated=[True]),
    "E10 classes too short": lambda tmp: CandidateLabels(np.eye(3, dtype=bool), classes=["a", "b"]),
    "E10 classes too long": lambda tmp: CandidateLabels(np.eye(3, dtype=bool), classes=list("abcd")),
    "E13 a>=b>c": lambda tmp: both(Rankings(), ["a>=b>c"]),
    "E13 a triple": lambda tmp: both(Rankings(), [[("a", "b", "c")], "a>b"]),
    "E13 from_orders": lambda tmp: PartialOrders.from_orders([[0, 0, 7]]),
    "E13 + red": lambda tmp: both(Tags(), ["+ red"]),
    "E13 bounds far away": lambda tmp: PartialRegressor(bounds=(100, 200), search_config=SMALL_SEARCH).fit(
        [[0.0], [1.0]], Vectors().fit([[0.0, 1.0], [2.0, 3.0]]).read([[0.0, 1.0], [2.0, 3.0]])
    ),
    "E13 r2 of negative weights": lambda tmp: metrics.r2([1.0, 2.0, 3.0], [1.0, 2.0, 2.0], sample_weight=[-1, 1, 1]),
    "E13 negative gamma": lambda tmp: nearest(["a",
    "b"]).set_params(weights=weights.KernelRidge(gamma=-1)).fit(X6[:2], ["a", "b"]),
    "an open interval of inf": lambda tmp: both(Reals(), [(inf, inf), 1.0]),
}  # fmt: skip
ALL = [(name, "answer", f) for name, f in ANSWER.items()] + [(name, "either", f) for name, f in EITHER.items()]
ALL += [(name, "refuse", f) for name, f in REFUSE.items()]


@pytest.mark.parametrize(("name", "verdict", "run"), ALL, ids=[a[0] for a in ALL])
def test_is_read_rightly_or_refused(name, verdict, run, tmp_path):
    check(Case(lambda: run(tmp_path), verdict, note=name))
