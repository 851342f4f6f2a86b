"""Features: tables with numbers, text, categories, dates and gaps."""

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from sklearn.pipeline import make_pipeline

from infimum import Features, PartialClassifier
from infimum.io import TRUSTED_TYPES


def frame(n: int = 12) -> pd.DataFrame:
    return pd.DataFrame({
        "size": [float(k) if k % 4 else None for k in range(n)],
        "wild": [k % 2 == 0 for k in range(n)],
        "pet": [["cat", "dog", None][k % 3] for k in range(n)],
        "note": [f"this one is number {k} and {'purrs' if k % 2 else 'barks'}" for k in range(n)],
        "seen": [date(2024, 1, 1 + k) for k in range(n)],
        "same": ["x"] * n,
        "none": [None] * n,
    })  # fmt: skip


def test_every_column_by_what_it_holds():
    made = Features(text_features=3).fit(frame())
    assert {c.name: (c.kind, c.width) for c in made.columns_} == {
        "size": ("number", 2), "wild": ("number", 1), "pet": ("category", 3), "note": ("text", 3), "seen": ("date", 1),
    }  # fmt: skip
    assert made.dropped_ == {"same": "constant", "none": "empty"}
    X = made.transform(frame())
    assert X.shape == (12, 10) == (12, len(made.get_feature_names_out()))
    assert np.isfinite(X).all()
    assert X[:5, 0].tolist() == [6, 1, 2, 3, 6]  # the median where it is missing
    assert X[:5, 1].tolist() == [1, 0, 0, 0, 1]
    assert X[:3, 3:6].tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]  # missing, cat, dog in the order of text
    assert np.diff(X[:, 9]).tolist() == [1.0] * 11  # days


def test_polars_gives_the_same_numbers():
    one, other = frame(), pl.from_pandas(frame())
    assert np.array_equal(Features().fit(one).transform(one), Features().fit(other).transform(other))


def test_new_rows_may_have_other_columns_values_and_gaps():
    made = Features(text_features=2).fit(frame())
    new = pd.DataFrame({
        "extra": [1], "seen": [None], "note": [None], "pet": ["wolf"], "wild": [None], "size": [None],
    })  # fmt: skip
    X = made.transform(new)
    assert np.isfinite(X).all()
    assert X[0, 3:6].tolist() == [0, 0, 0]  # a value that fit did not see is none of them
    with pytest.raises(ValueError, match="The table misses 'size'"):
        made.transform(new.drop(columns="size"))


@pytest.mark.parametrize(
    "cells, match",
    [
        ([1.0, "x", 2.0], "row 1: the column 'a' must hold a number, got 'x'"),
        ([1.0, float("inf"), 2.0], "row 1: the column 'a' must hold finite numbers, got inf"),
        ([[1], 2.0, 3.0], r"The column 'a' holds \[1\] in row 0"),
    ],
)
def test_cells_that_do_not_fit_are_named(cells, match):
    made = Features().fit(pd.DataFrame({"a": [1.0, 2.0, 3.0]}))
    with pytest.raises(ValueError, match=match):
        (Features().fit if isinstance(cells[0], list) else made.transform)(pd.DataFrame({"a": cells}))


def test_arrays_and_empty_tables_are_refused():
    with pytest.raises(ValueError, match="made of columns of a frame"):
        Features().fit([[1.0]])
    with pytest.raises(ValueError, match="No column says anything: a is constant"):
        Features().fit(pd.DataFrame({"a": [1, 1]}))


def test_text_teaches_and_skops_loads_it_with_the_trusted_types():
    table = pd.DataFrame({"note": [f"{w} number {k}" for k, w in enumerate(["it purrs", "it barks"] * 15)]})
    y = ["cat", "cat|dog"] * 3 + ["cat", "dog"] * 12
    model = make_pipeline(Features(), PartialClassifier.paper()).fit(table, y)
    again = skops.io.loads(skops.io.dumps(model), trusted=TRUSTED_TYPES)
    new = pd.DataFrame({"note": ["purring it was", "the barking"]})
    assert again.predict(new).tolist() == model.predict(new).tolist() == ["cat", "dog"]


def test_text_directions_vary_on_the_training_rows_when_cells_are_empty_or_repeated():
    notes = [f"{word} at house {k // 2}" for k, word in enumerate(["it purrs", "it barks"] * 20)]
    notes = ["" if k % 9 == 0 else note for k, note in enumerate(notes)]
    made = Features().fit(pd.DataFrame({"note": [*notes, *notes[:15]]}))
    X = made.transform(pd.DataFrame({"note": notes}))
    new = made.transform(pd.DataFrame({"note": ["a cat purrs in house 70", "the dog barks", "owl"]}))
    assert 2 < made.columns_[0].width < 40
    assert X.std(axis=0).min() > 1e-4
    assert np.abs((new - X.mean(axis=0)) / X.std(axis=0)).max() < 20


def test_frames_with_text_are_pointed_here():
    with pytest.raises(ValueError, match=r"infimum.Features\(\)"):
        PartialClassifier().fit(frame(), ["a", "b"] * 6)
