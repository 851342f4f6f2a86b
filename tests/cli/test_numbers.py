"""Numbers on the command line: known ranges, detection limits, prediction intervals, units."""

import csv

import numpy as np
import pytest

LINEAR = ("--weights", "linear")


def table(path) -> list[dict]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def write_detection_limits(path, n=60, limit=0.5, share=0.4) -> None:
    """Write concentrations; a share of them is below the detection limit."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 4, n)
    y = np.maximum(3 * (x - 4 * share), 0) + rng.uniform(0, limit, n)
    lines = [f"{a:.3f},{'<' if b < limit else ''}{max(b, limit):.2f}" for a, b in zip(x, y)]
    path.write_text("\n".join(["x,nitrate", *lines]))


def test_bounds_limit_predictions_and_clean_labels(here, infimum, as_json):
    write_detection_limits(here / "t.csv")
    target = ("t.csv", "--target", "nitrate", *LINEAR)
    smallest = {}
    for name, bounds in (("unbounded", ()), ("bounded", ("--bounds", "0", "inf"))):
        infimum("fit", *target, *bounds)
        infimum("predict", "model.skops", "t.csv", "--out", f"{name}.csv")
        infimum("clean", *target, *bounds, "--out", f"clean_{name}.csv")
        found = [float(row["prediction"]) for row in table(here / f"{name}.csv")]
        found += [float(row["clean"]) for row in table(here / f"clean_{name}.csv")]
        smallest[name] = min(found)
    assert smallest["unbounded"] < 0 <= smallest["bounded"]
    (here / "t.csv").write_text("x,nitrate\n1,2.5\n2,-1.5\n3,<0.5\n4,1.5\n")
    text = infimum("fit", "t.csv", "--target", "nitrate", "--bounds", "0", "inf", code=1)
    assert "line 3: -1.5 lies outside of bounds = (0, inf)" in text
    assert as_json("report", "t.csv", "--target", "nitrate", "--bounds", "0", "inf", *LINEAR)["impossible"] == [1]


@pytest.mark.parametrize(
    "kind, bounds, says", [("labels", ("0", "1"), "--bounds is for numbers"), ("number", ("2", "1"), "low <= high")]
)
def test_bounds_that_cannot_be_used(kind, bounds, says, here, infimum):
    (here / "t.csv").write_text("x,y\n1,1\n2,2\n3,1\n")
    text = infimum("fit", "t.csv", "--target", "y", "--kind", kind, "--bounds", *bounds, code=1)
    assert says in text


def test_prediction_sets_without_bounds_are_reported(here, infimum, as_json):
    """More one-sided intervals than the level allows: a note names the options that help, and no cell is empty."""
    write_detection_limits(here / "t.csv", n=100)
    fit = ("fit", "t.csv", "--target", "nitrate", "--level", "0.9", *LINEAR)
    text = " ".join(infimum(*fit).split())
    assert "Note: Every prediction set contains all outputs." in text
    assert "Set --covers set, or --bounds LOW HIGH if the range of y is known." in text
    assert "All prediction sets of this table are unbounded." in text
    assert "100 of 100 unbounded" in infimum("predict", "model.skops", "t.csv")
    assert {row["set"] for row in table(here / "predictions.csv")} == {"[-inf,inf]"}
    for remedy in (("--covers", "set"), ("--bounds", "0", "inf")):
        assert as_json(*fit, *remedy)["notes"] == []
        assert "unbounded" not in infimum("predict", "model.skops", "t.csv")
        assert "inf" not in "".join(row["set"] for row in table(here / "predictions.csv"))


def test_files_with_decimal_commas_and_units_give_the_same_predictions(here, infimum):
    lines = [f"{k / 4},{'high' if k > 20 else 'low'}" for k in range(40)]
    (here / "points.csv").write_text("\n".join(["size,y", *lines]))
    (here / "commas.csv").write_text(
        "\n".join(["size;y", *(line.replace(",", ";").replace(".", ",") for line in lines)])
    )
    (here / "units.csv").write_text("\n".join(["size,y", *(line.replace(",", " cm,") for line in lines)]))
    infimum("fit", "points.csv", "--target", "y", *LINEAR)
    found = {}
    for name in ("points", "commas"):
        infimum("predict", "model.skops", f"{name}.csv", "--out", f"{name}_predicted.csv")
        found[name] = [(row["prediction"], row["confidence"]) for row in table(here / f"{name}_predicted.csv")]
    assert found["points"] == found["commas"]
    text = infimum("predict", "model.skops", "units.csv", code=1)
    assert "units.csv, line 2: the column 'size' must contain numbers. Got '0.0 cm'" in text
    assert "size: number, 1 feature, unit cm" in infimum("fit", "units.csv", "--target", "y", *LINEAR)
    (here / "units.csv").write_text("\n".join(["size,y", "1 cm,low", "2 cm,low", *["abc,high"] * 9]))
    text = infimum("fit", "units.csv", "--target", "y", "--column", "size=number", code=1)
    assert '--column "size=text"' in text


def test_predictions_outside_of_their_prediction_set_are_counted(here, infimum, as_json):
    """The sets come from a second model: with covers=set and wide intervals, they may miss the first prediction."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 4, 40)
    y = x + rng.normal(0, 1, 40)
    lines = [f"{a:.2f},{b:.2f}" for a, b in zip(x, y)]
    (here / "t.csv").write_text("\n".join(["x,y", *lines]))
    infimum("fit", "t.csv", "--target", "y", "--level", "0.5", "--weights", "neighbors")
    notes = as_json("predict", "model.skops", "t.csv")["notes"]
    rows = table(here / "predictions.csv")
    ends = [tuple(map(float, row["set"].strip("[]").split(","))) for row in rows]
    outside = sum(not low <= float(row["prediction"]) <= high for row, (low, high) in zip(rows, ends))
    assert outside > 0
    assert notes == [
        f"{outside} of 40 predictions are not in their prediction set: prediction sets come from a second model, which"
        " `fit --level` fitted to 70 % of the rows."
    ]
