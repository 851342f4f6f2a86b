"""Tables without labels, and the shares of classes in groups of rows."""

import csv

import numpy as np
import pytest
from sklearn.datasets import load_iris

NAMES = np.array(["setosa", "versicolor", "virginica, blue"])


@pytest.fixture
def groups(here):
    """Iris in three groups, each of which lacks one species."""
    X, true = load_iris(return_X_y=True)
    group = (true + np.random.default_rng(0).integers(0, 2, len(true))) % 3
    for name, columns in (("rows.csv", 5), ("true.csv", 6)):
        with open(here / name, "w", newline="") as file:
            lines = [[*x.tolist(), f"field {g}", NAMES[t]][:columns] for x, g, t in zip(X, group, true)]
            csv.writer(file).writerows([["a", "b", "c", "d", "field", "species"][:columns], *lines])
    with open(here / "shares.csv", "w", newline="") as file:
        shares = [[f"field {g}", *(float(np.mean(true[group == g] == k)) for k in range(3))] for g in range(3)]
        csv.writer(file).writerows([["field", *NAMES], *shares])
    return here


OPTIONS = ("--target", "species", "--group", "field", "--shares", "shares.csv", "--weights", "kernel")


def test_commands_with_shares_of_groups(groups, infimum, as_json):
    found = as_json("fit", "rows.csv", *OPTIONS)
    assert found["classes"] == NAMES.tolist()
    assert found["scores"] == {}
    assert any("field: groups, left out" in line for line in found["columns"])
    assert as_json("score", "model.skops", "true.csv")["agreement"] > 0.9
    infimum("clean", "rows.csv", *OPTIONS)
    with open(groups / "clean.csv", newline="") as clean, open(groups / "true.csv", newline="") as true:
        pairs = list(zip(csv.DictReader(clean), csv.DictReader(true)))
    assert np.mean([a["clean"] == b["species"] for a, b in pairs]) > 0.9
    summary = as_json("report", "rows.csv", *OPTIONS)["summary"]
    assert "150 without a label" in summary[0]
    assert "agree with the labels that disambiguation estimated" in summary[1]
    assert "so predictions are compared with the labels that" in (groups / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--group", "field"), "--group and --shares belong together"),
        (("--group", "region", "--shares", "shares.csv"), "no column 'region' of groups"),
        (("--group", "field", "--shares", "few.csv"), "Each group needs its shares. Missing: 'field 1', 'field 2'"),
        (("--group", "field", "--shares", "wrong.csv"), "a share is a number from 0 to 1. Got 'setosa: 30'"),
        (("--group", "field", "--shares", "shares.csv", "--kind", "number"), "one target column of kind labels"),
        (("--group", "field", "--shares", "shares.csv", "--principle", "average"), "needs --principle disambiguation"),
    ],
)
def test_wrong_shares(groups, infimum, options, text):
    (groups / "few.csv").write_text("field,setosa,versicolor\nfield 0,0.5,0.5\n")
    (groups / "wrong.csv").write_text("field,setosa\nfield 0,30\nfield 1,70\nfield 2,1\n")
    assert text in " ".join(infimum("fit", "rows.csv", "--target", "species", *options, code=1).split())
