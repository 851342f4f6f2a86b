"""Input that libraries below reject in their own words: an error with a row or a parameter, or a result."""

import datetime
import re
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from infimum import (
    Annuli,
    Chunks,
    InfimumWarning,
    PartialClassifier,
    PartialMultilabelClassifier,
    PartialOrders,
    PartialRanker,
    PartialRegressor,
    PartialSearch,
    clean_labels,
    metrics,
    selection,
    weights,
)
from infimum.outputs import Labels, Rankings, Reals, Tags
from small_search import SMALL_SEARCH

from .contract import Case, Refused, attempt, check

X = np.array([[0.0], [1.0], [2.0], [3.0]])
AB = ["a", "b", "a", "b"]


def both(space, y):
    """Fit, then read: where a row is refused is not ours to say."""
    return space.fit(y).read(y)


def chunks(source, **given):
    return PartialClassifier.paper(weights=weights.LinearRidge(), **given).fit(Chunks(source))


def frame(tmp, name="0.parquet", **columns):
    pd.DataFrame({"u": [0.0, 1.0, 2.0, 3.0], **columns}).to_parquet(tmp / name)
    return [str(tmp / name)]


def predicts_without_target(tmp):
    F = pd.DataFrame({"u": [0.0, 1.0, 2.0, 3.0]})
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(F, AB)
    Z = np.concatenate(list(model.predict(Chunks.parquet(frame(tmp), "label"))))
    assert Z.tolist() == model.predict(F).tolist()


def chunks_of_piped_class(tmp):
    model = chunks([(X[:2], ["a|b", "c"]), (X[2:], ["c", "a|b"])], classes=["a|b", "c"])
    assert model.classes_.tolist() == ["a|b", "c"]


def tag_names_of_chunks(tmp):
    F = pd.DataFrame({"r": [1, -1], "s": [-1, 1]})
    model = PartialMultilabelClassifier(search_config=SMALL_SEARCH).fit(Chunks([(X[:2], F), (X[2:], F)]))
    assert model.tags_.tolist() == ["r", "s"]


def rank_frames_of_chunks(tmp):
    F = pd.DataFrame({"a": [1, 2], "b": [2, 1], "c": [3, 3]})
    model = PartialRanker(search_config=SMALL_SEARCH).fit(Chunks([(X[:2], F), (X[2:], F)]))
    assert model.items_.tolist() == ["a", "b", "c"]


def one_text_column(space, texts):
    y = pd.DataFrame({"y": texts})
    assert len(space.fit(y).read(y)) == len(texts)


def polars_lists(tmp):
    y = pl.Series("y", [["a", "b", "c"], ["c"], None])
    sets = Rankings().fit(y).read(y)
    assert sets.contains(np.array([[0, 1, 2], [2, 0, 1], [0, 1, 2]])).all()


def lists_of_tags(tmp):
    y = [["red", "big"], ["red"], []]
    sets = Tags().fit(y).read(y)
    assert sets.contains(np.ones((3, 2), dtype=int)).all()


# what must be refused, and the words that its refusal must hold
REFUSE = {
    "labels: nested list": (lambda tmp: both(Labels(), ["a", [["b"]], "c"]), r"row 1\b"),
    "labels: dict": (lambda tmp: both(Labels(), ["a", "b", {"c": "much"}]), r"row 2\b"),
    "labels: classes with None": (lambda tmp: both(Labels(classes=["a", None]), ["a"]), "classes"),
    "labels: two bad rows": (lambda tmp: both(Labels(), ["a", [], [["b"]], "c"]), r"2 rows"),
    "labels: classes is a number": (lambda tmp: both(Labels(classes=3.5), ["a"]), "classes"),
    "tags: duplicates": (lambda tmp: both(Tags(tags=["a", "a"]), ["+a"]), r"tags|'a'"),
    "orders: from_ranks of one dimension": (lambda tmp: PartialOrders.from_ranks([1, 2, 3]), "ranks"),
    "orders: from_pairs of a wrong shape": (lambda tmp: PartialOrders.from_pairs(np.ones((2, 3, 4), bool)),
    r"\(n, m, m\)|shape|pairs"),
    "numbers: 10**400": (lambda tmp: both(Reals(), [1.0, 10**400]), r"row 1\b"),
    "numbers: |y| of 1e155": (lambda tmp: both(Reals(), [1.0, 1e155, 2.0]), r"row 1\b"),
    "numbers: two bad rows, then ten": (lambda tmp: both(Reals(), [1.0, *["x"] * 12]), r"12 rows"),
    "weights: lam of text":
        (lambda tmp: PartialClassifier.paper(weights=weights.KernelRidge(lam="a")).fit(X, AB), "lam"),
    "weights: gamma infinite":
        (lambda tmp: PartialClassifier.paper(weights=weights.KernelRidge(gamma=np.inf)).fit(X, AB),
    "gamma"),
    "sample weights: negative in chunks": (lambda tmp: chunks([(X[:2], AB[:2], [1, 1]), (X[2:], AB[2:], [1, -1])]),
    "weight"),
    "sample weights: zero in chunks": (lambda tmp: chunks([(X, AB, [0, 0, 0, 0])]), "weight"),
    "sample weights: zero in score":
        (lambda tmp: PartialClassifier().fit(X, AB).score(X, AB, sample_weight=[0] * 4),
    "weight"),
    "sample weights: length in score": (lambda tmp: PartialClassifier().fit(X, AB).score(X, AB,
    sample_weight=[1] * 3), "weight"),
    "sample weights: NaN in score": (lambda tmp: PartialClassifier().fit(X, AB).score(X, AB,
    sample_weight=[np.nan] * 4), "weight"),
    "sample weights: NaN in r2": (lambda tmp: metrics.r2([1.0, 2.0], [1.0, 2.0], sample_weight=[np.nan, 1]), "weight"),
    "sample weights: length in wrong_pairs": (lambda tmp: metrics.wrong_pairs(["a>b"], [["a", "b"]],
    sample_weight=[1, 2]), "weight"),
    "sample weights: zero in mean_squared_distance": (lambda tmp: metrics.mean_squared_distance([1.0], [1.0],
    sample_weight=[0]), "weight"),
    "chunks: no chunk": (lambda tmp: chunks([]), "[Cc]hunk"),
    "chunks: a generator that is spent": (lambda tmp: chunks(b for b in [(X, AB)]), "generator|function|[Cc]hunk"),
    "chunks: missing weight column": (
        lambda tmp: PartialClassifier.paper(weights=weights.LinearRidge()).fit(Chunks.parquet(frame(tmp, label=AB),
        "label", weight="w")),
        r"\bw\b",
    ),
    "chunks: missing target": (
        lambda tmp: PartialClassifier.paper(weights=weights.LinearRidge()).fit(Chunks.parquet(frame(tmp, label=AB),
        "nothing")), "nothing",
    ),
    "chunks: which chunk": (lambda tmp: chunks([(X[:2], AB[:2]), (X[2:], ["a", [["b"]]])]), r"chunk 1"),
    "chunks: dense then sparse": (lambda tmp: chunks([(X[:2], AB[:2]), (sp.csr_matrix(X[2:])[:, :0], AB[2:])]),
    r"[Cc]hunk|feature"),
    "left_out_scores: lengths": (lambda tmp: selection.left_out_scores(PartialClassifier(), X, AB[:3]),
    r"rows|samples"),
    "X: text column": (lambda tmp: PartialClassifier().fit(pd.DataFrame({"u": [1.0] * 4, "c": ["red"] * 4}), AB),
    r"\bc\b"),
}  # fmt: skip
EITHER = {
    "labels: 0-d array": lambda tmp: both(Labels(), ["a", np.array("b")]),
    "labels: classes as a set": lambda tmp: both(Labels(classes={"a", "b"}), ["a"]),
    "labels: classes as text": lambda tmp: both(Labels(classes="ab"), ["a"]),
    "labels: classes as a generator": lambda tmp: Labels(classes=(c for c in "ab")).fit(["a"]).read(["b"]),
    "labels: tuples": lambda tmp: both(Labels(), [("a", 1), ("b", 2)]),
    "labels: Decimal NaN": lambda tmp: both(Labels(), ["a", Decimal("NaN")]),
    "labels: bytes": lambda tmp: both(Labels(), [b"\xff", b"a"]),
    "labels: nullable booleans": lambda tmp: both(Labels(), pd.DataFrame({"a": [True, False], "b": [True, True]},
    dtype="boolean")),
    "tags: mixed names": lambda tmp: both(Tags(), [{"a": True, 1: True}]),
    "numbers: {1, '2'}": lambda tmp: both(Reals(), [{1, "2"}, 3.0]),
    "numbers: {1, (2, 3)}": lambda tmp: both(Reals(), [{1, (2, 3)}, 3.0]),
    "numbers: NaT": lambda tmp: both(Reals(), [pd.NaT, 1.0]),
    "numbers: dates": lambda tmp: both(Reals(), [datetime.date(2020, 1, 1), 1.0]),
    "weights: X of 1e155": lambda tmp: PartialClassifier().fit(X * 1e155, AB).predict(X),
    "weights: Laplacian of one row": lambda tmp: PartialClassifier.paper(weights=weights.Laplacian(1)).fit([[0.0]],
    ["a"]).predict([[1.0]]),
    "chunks: an empty chunk": lambda tmp: chunks([(X[:0], []), (X, AB)]),
    "chunks: dense, then sparse": lambda tmp: chunks([(X[:2], AB[:2]), (sp.csr_matrix(X[2:]), AB[2:])]).predict(X),
    "vectors: one phase for all": lambda tmp: Annuli(1.0, 2.0, phase=(6, 2)),
    "search on sparse X": lambda tmp: PartialSearch().fit(sp.csr_matrix(np.eye(4)[[0, 1, 2, 3] * 5]), AB * 5),
    "clean_labels on sparse X": lambda tmp: clean_labels(sp.csr_matrix(np.eye(4)[[0, 1, 2, 3] * 5]), AB * 5),
}  # fmt: skip
ANSWER = {
    "tags: lists of names": lists_of_tags,
    "tags: one text column": lambda tmp: one_text_column(Tags(), ["+a -b", "-a"]),
    "orders: one text column": lambda tmp: one_text_column(Rankings(), ["a>b", "b>c"]),
    "orders: polars List": polars_lists,
    "chunks: a class with |": chunks_of_piped_class,
    "chunks: names of tags": tag_names_of_chunks,
    "chunks: frames of ranks": rank_frames_of_chunks,
    "chunks: predict without the target": predicts_without_target,
    "labels: mixed types, all declared": lambda tmp: both(Labels(classes=[1, "a"]), [1, "a"]),
}


@pytest.mark.parametrize("name", REFUSE)
def test_raises_by_name(name, tmp_path):
    run, words = REFUSE[name]
    refused = attempt(lambda: run(tmp_path))
    assert isinstance(refused, Refused), f"not refused: {name}"
    assert re.search(words, str(refused)), f"{words} is not in: {refused}"


@pytest.mark.parametrize("name", EITHER)
def test_works_or_raises_by_name(name, tmp_path):
    check(Case(lambda: EITHER[name](tmp_path), "either", note=name))


@pytest.mark.parametrize("name", ANSWER)
def test_works(name, tmp_path):
    check(Case(lambda: ANSWER[name](tmp_path), "answer", note=name))


def test_fix_for_mixed_types_works():
    """The refusal says classes=[…]: that keeps 1 and "a" what they are."""
    assert isinstance(attempt(lambda: Labels().fit([1, "a"])), Refused)
    classes = Labels(classes=[1, "a"]).fit([1, "a"]).classes_.tolist()
    assert [type(c) for c in classes] == [int, str]


def test_unlabelled_data_warns():
    """Labels of which none is known teach nothing: a warning or a refusal, as for orders."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        outcome = attempt_with_warnings(lambda: PartialClassifier(classes=["a", "b"]).fit(X, [None] * 4))
    assert isinstance(outcome, Refused) or any(issubclass(w.category, InfimumWarning) for w in seen)


def attempt_with_warnings(action):
    """As `attempt`, but warnings are the caller's."""
    try:
        return action()
    except ValueError as error:
        return Refused(error)


SHORT = {"regressor": (PartialRegressor(), [1.0, 2.0]), "ranker": (PartialRanker(), ["a>b", "b>a"])}
SHORT["tags"] = (PartialMultilabelClassifier(), ["+a -b", "-a"])


@pytest.mark.parametrize("name", SHORT)
def test_columns_of_another_length_raise(name):
    model, y = SHORT[name]
    refused = attempt(lambda: model.fit(X, y))
    assert isinstance(refused, Refused)
    assert re.search(r"4.*2|2.*4", str(refused))
