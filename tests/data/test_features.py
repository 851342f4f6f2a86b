"""Features: tables with numbers, text, categories, dates and gaps."""

import math
from datetime import date, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from sklearn.pipeline import make_pipeline

from fuzz.features import parts, table
from infimum import Features, InfimumWarning, InputError, PartialClassifier
from infimum.data.columns import recognise
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
    with pytest.raises(ValueError, match="The table has no column 'size'"):
        made.transform(new.drop(columns="size"))


@pytest.mark.parametrize(
    "cells, match",
    [
        ([1.0, float("inf"), 2.0], "row 1: the column 'a' must contain finite numbers. Got inf"),
        ([[1], 2.0, 3.0], r"The column 'a' contains \[1\] in row 0"),
    ],
)
def test_cells_that_do_not_fit_are_named(cells, match):
    made = Features().fit(pd.DataFrame({"a": [1.0, 2.0, 3.0]}))
    with pytest.raises(ValueError, match=match):
        (Features().fit if isinstance(cells[0], list) else made.transform)(pd.DataFrame({"a": cells}))


def test_cells_that_are_no_numbers_raise_in_fit_and_are_missing_later():
    table = pd.DataFrame({"a": ["y", "x", 2.0]})
    with pytest.raises(ValueError, match=r"row 0: the column 'a' must contain numbers. Got 'y'\n.*1 more row"):
        Features(columns={"a": "number"}).fit(table)
    made = Features().fit(pd.DataFrame({"a": [1.0, 2.0, 4.0]}))
    with pytest.warns(InfimumWarning, match=r"Row 0 of the column 'a' is not a number: 'y'\. .* as is 1 other row"):
        assert made.transform(table).tolist() == [[2.0], [2.0], [2.0]]


def test_kinds_are_recognised_by_values():
    n = 40
    table = pd.DataFrame({
        "ticket_id": [f"T-{10000 + k}" for k in range(n)],
        "row": range(1, n + 1),
        "created": [f"2024-01-{1 + k % 28:02d}" if k % 9 else "31/01/2024" for k in range(n)],
        "channel": [["email", "Email ", "chat", ""][k % 4] for k in range(n)],
        "price": [f"{k},50" if k % 5 else "n/a" for k in range(n)],
        "cost": [f"${k},000.00" for k in range(1, n + 1)],
        "replies": [["0", "1", "NA", "-"][k % 4] for k in range(n)],
        "year": range(1950, 1950 + n),
        "text": [f"message number {k} about something" for k in range(n)],
    })  # fmt: skip
    made = Features(text_features=3).fit(table)
    assert {column.name: column.kind for column in made.columns_} == {
        "created": "date", "channel": "category", "price": "number", "cost": "number", "replies": "number",
        "year": "number", "text": "text",
    }  # fmt: skip
    assert made.dropped_ == {"ticket_id": "identifier", "row": "identifier"}
    X = pd.DataFrame(made.transform(table), columns=made.get_feature_names_out())
    assert X["price"][1] == 1.5
    assert X["cost"][0] == 1000
    assert X["price missing"].sum() == 8
    assert sorted(name for name in X if name.startswith("channel")) == ["channel=", "channel=chat", "channel=email"]
    assert X["created"][0] - X["created"][1] == 29  # the 31st is written with the day first
    assert made.describe()[0] == "ticket_id: identifier, left out"


def test_stray_cells_among_numbers_are_reported():
    table = pd.DataFrame({"a": [*map(str, range(30)), "abc"], "b": ["x", "y"] * 15 + ["x"]})
    made = Features().fit(table)
    assert "1 cell that is not numbers treated as missing: 'abc'" in made.describe()[0]
    with pytest.warns(InfimumWarning, match="Row 0 of the column 'c' is not a number: 'abc'"):
        Features().fit(pd.DataFrame({"c": [1, 2, 4]})).transform(pd.DataFrame({"c": ["abc", 5]}))


def test_columns_and_ignore_override_what_is_recognised():
    table = pd.DataFrame({"zip": [str(10000 + k % 7) for k in range(30)], "note": ["a b", "c d"] * 15, "x": range(30)})
    made = Features({"zip": "category", "note": "text"}, ["x"]).fit(table)
    assert [(column.kind, column.width) for column in made.columns_] == [("category", 7), ("text", 2)]
    assert made.dropped_ == {"x": "ignored"}
    with pytest.raises(ValueError, match="X has no column 'zap'"):
        Features({"zap": "date"}).fit(table)
    with pytest.raises(ValueError, match=r"columns\['zip'\] must be one of 'number', 'category'"):
        Features({"zip": "color"}).fit(table)


@pytest.mark.parametrize(
    "cells, kind",
    [
        ([Decimal("1.5"), Decimal("2.5"), None] * 5, "number"),
        ([timedelta(hours=k) for k in range(15)], "number"),
        ([True, False, None] * 5, "number"),
        (["yes", "no", ""] * 5, "category"),
        (["5 Jan 2024", "January 7, 2024", "2024-02-01T10:00:00Z"] * 5, "date"),
        ([np.datetime64("2024-01-01"), None] * 5, "date"),
        (["10 %", "20%", "n/a"] * 5, "number"),
        (["1,000", "2,500"] * 5, "number"),
        ([f"user{k}@example.org" for k in range(15)], "identifier"),
        ([f"{k}e-5" for k in range(15)], "number"),
        ([2019, 2020, 2021] * 5, "number"),
    ],
)
def test_recognise(cells, kind):
    assert recognise("a", cells).kind == kind


@pytest.mark.parametrize("convert", [np.array, lambda rows: rows])
def test_arrays_are_tables_with_numbered_columns(convert):
    rows = [[1.5, math.nan, "a"], [2.5, 3.5, "b"], [2.0, 4.5, "a"], [0.5, math.nan, "b"]]
    numbers = convert([row[:2] for row in rows])
    made = Features().fit(numbers)
    assert list(made.feature_names_in_) == ["x0", "x1"]
    table = pd.DataFrame([row[:2] for row in rows], columns=["x0", "x1"])
    np.testing.assert_array_equal(made.transform(numbers), Features().fit_transform(table))
    np.testing.assert_array_equal(made.transform(numbers), made.transform(table))
    assert Features().fit_transform(np.array(rows, dtype=object)).shape == (4, 5)
    with pytest.raises(ValueError, match="X has 3 features, but Features is expecting 2 features as input"):
        made.transform(np.array(rows, dtype=object))


def test_empty_tables_are_refused():
    with pytest.raises(ValueError, match=r"a two-dimensional array\. Got"):
        Features().fit([1.0, 2.0])
    with pytest.raises(ValueError, match=r"no column to learn from. All are left out: a \(constant\)"):
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


@pytest.mark.filterwarnings("ignore:Row .* is not a:infimum.InfimumWarning")
@pytest.mark.parametrize("seed", range(3))
def test_features_of_a_row_do_not_depend_on_the_other_rows(seed):
    rng = np.random.default_rng(seed)
    fitted = Features(columns={"codes": "category"}).fit(pd.DataFrame(table(rng, 60)))
    new = table(rng, 25)
    new["numbers"][3] = new["numbers"][4] = new["dates"][5] = "broken"
    for frame in (pd.DataFrame(new), pd.DataFrame(new).convert_dtypes()):
        together = fitted.transform(frame)
        for rows in parts(rng, 25):
            np.testing.assert_allclose(fitted.transform(frame.iloc[rows]), together[rows], rtol=0, atol=1e-12)
            again = pd.DataFrame({name: [cells[row] for row in rows] for name, cells in new.items()})
            np.testing.assert_allclose(fitted.transform(again), together[rows], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "fitted, new",
    [
        (["0.5", "1.25", "2.75", "3.5"], ["0,5", "1,25", "2,75", "3,5"]),
        (["0,5", "1,25", "2,75", "3,5"], ["0.5", "1.25", "2.75", "3.5"]),
        ([0.5, 1.25, 2.75, 3.5], ["0,5", "1,25", "2,75", "3,5"]),
        (["0.5 °C", "1.25 °C", "2.75°C", "3.5 °C"], ["0,5", "1.25 °c", "2,75 °C", "3.5"]),
        ([0.125, 0.25, 0.5, 0.75], ["0,125", "0.25", "0,5", "0.75"]),
        ([True, False, True, False], ["True", "false", "TRUE", "False"]),
        ([True, False, True, False], [True, False, True, False]),
    ],
)
def test_new_rows_are_read_as_in_fit(fitted, new):
    """Decimal commas, units and booleans as text: the same numbers, whatever the notation of new rows."""
    made = Features().fit(pd.DataFrame({"x": fitted}))
    assert made.columns_[0].kind == "number"
    seen = made.transform(pd.DataFrame({"x": fitted}))
    np.testing.assert_array_equal(made.transform(pd.DataFrame({"x": new})), seen)
    for k in range(4):  # what becomes of a row does not depend on the other rows
        np.testing.assert_array_equal(made.transform(pd.DataFrame({"x": new[k : k + 1]})), seen[k : k + 1])


def test_a_column_that_cannot_be_read_raises_an_error():
    made = Features().fit(pd.DataFrame({"x": [0.5, 1.5, 2.5], "t": ["1 kg", "2 kg", "3 kg"]}))
    assert made.describe()[1] == "t: number, 1 feature, unit kg"
    with pytest.raises(InputError, match=r"row 0: the column 'x' must contain numbers\. Got '0\.5 cm'") as caught:
        made.transform(pd.DataFrame({"x": ["0.5 cm", "1.5 cm"], "t": ["1", "2"]}))
    assert "Its cells must be numbers without a unit, as in fit" in str(caught.value)
    with pytest.raises(InputError, match="numbers in 'kg'"):
        made.transform(pd.DataFrame({"x": [1, 2], "t": ["1000 g", "2000 g"]}))
    with pytest.raises(InputError, match=r"a comma in some rows here, so '1,234' is ambiguous"):
        made.transform(pd.DataFrame({"x": ["0,5", "1,234"], "t": ["1", "2"]}))
    with pytest.warns(InfimumWarning, match="treated as missing"):  # one of several
        made.transform(pd.DataFrame({"x": ["0.5 cm", "1.5"], "t": ["1", "2"]}))


def test_numbers_with_several_units_stay_text_and_are_reported():
    cells = [f"{k}.{k} g" if k % 2 else f"{k} kg" for k in range(40)]
    (line,) = Features().fit(pd.DataFrame({"w": cells})).describe()
    assert "text" in line
    assert "numbers with different units: kg (20 cells), g (20 cells)" in line


def test_detection_limits_are_numbers():
    """Measurements of which some are below a limit stay one feature, and the default model learns from them."""
    rng = np.random.default_rng(0)
    zinc, lead = rng.lognormal(size=(2, 90))
    X = pd.DataFrame({
        "Zn": [f"{x:.2f} µg/L" if x > 0.6 else "<0.60 µg/L" for x in zinc],
        "Pb": [round(x, 3) if x < 2 else "> 2" for x in lead],
        "Cd": ["n.d." if k % 5 == 0 else f"{x:.3f}" for k, x in enumerate(lead)],
        "age": rng.choice(["<18", "18-65", ">65"], 90),
    })  # fmt: skip
    y = np.where(zinc > 1, "high", "low")
    model = make_pipeline(Features(), PartialClassifier()).fit(X[:60], y[:60])
    widths = [(column.kind, column.width) for column in model[0].columns_]
    assert widths == [("number", 1), ("number", 1), ("number", 2), ("category", 3)]
    assert "count as their limit" in model[0].describe()[0]
    assert "12 cells are treated as missing: 'n.d.'" in model[0].describe()[2]
    assert model.score(X[60:], y[60:]) > 0.9
    np.testing.assert_allclose(model[0].transform(X.assign(Zn="<0.60 µg/L"))[:, 0], 0.6)
