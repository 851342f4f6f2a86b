"""What the commands say about scores: on noise nothing is claimed, and each score stands beside a baseline."""

import csv
import re

import numpy as np
import pytest

from infimum.cli._words import score_rows

NOT_BETTER = "is not better than the best constant prediction"


def write(path, head, rows) -> None:
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([head, *rows])


@pytest.fixture
def noise(here):
    rng = np.random.default_rng(0)
    cells = [*rng.choice(["x", "y", "z"], 60), *[""] * 140]
    write(here / "noise.csv", ["a", "b", "label"], [[*rng.normal(size=2).round(3), cell] for cell in cells])


@pytest.fixture
def easy(here):
    """Three clusters with two wrong labels; and intervals around a linear function."""
    rng = np.random.default_rng(0)
    rows = []
    for k in range(100):
        true = rng.integers(3)
        a, b = np.array([(0, 0), (4, 0), (0, 4)][true]) + rng.normal(scale=0.4, size=2)
        label = "xyz"[true] if rng.random() < 0.6 else "xyz"[true] + "|" + "xyz"[(true + 1) % 3]
        label = "xyz"[(true + 2) % 3] if k in (7, 33) else label
        value = 3 * a - b
        rows.append([round(a, 3), round(b, 3), label, f"[{value - 1:.2f},{value + 1:.2f}]" if k % 5 else ""])
    write(here / "easy.csv", ["a", "b", "label", "price"], rows)


@pytest.mark.usefixtures("noise", "undrawn")
def test_commands_claim_nothing_on_noise(here, infimum, as_json):
    text = " ".join(infimum("fit", "noise.csv", "--target", "label").split())
    assert NOT_BETTER in text
    assert "of 60 labelled rows" in text
    fitted = as_json("fit", "noise.csv", "--target", "label")["scores"]
    assert fitted["covering_rate"] < 0.6
    assert fitted["beats_constant"] is False

    scored = as_json("score", "model.skops", "noise.csv")
    assert (scored["rows"], scored["unlabelled"]) == (60, 140)

    text = " ".join(infimum("clean", "noise.csv", "--target", "label").split())
    assert NOT_BETTER in text
    assert "Suspect" not in text
    assert "confidence" not in text
    with open("clean.csv", newline="") as file:
        assert {"clean", "confidence", "suspect"} <= set(next(csv.reader(file)))

    text = " ".join(infimum("report", "noise.csv", "--target", "label").split())
    assert NOT_BETTER in text
    assert "suspect" not in text
    page = re.sub("<[^>]+>", "", (here / "report.html").read_text())  # terms are linked to the glossary
    assert NOT_BETTER in page
    assert "of the estimated labels are right" not in page
    assert "mean confidence" not in page


@pytest.mark.usefixtures("easy", "undrawn")
def test_one_number_of_suspects(here, infimum, as_json):
    options = ("easy.csv", "--target", "label", "--ignore", "price")
    text = " ".join(infimum("report", *options).split())
    told = as_json("report", *options)
    cleaned = as_json("clean", *options)
    n = len(told["suspects"])
    assert n > 0
    assert n == cleaned["suspect"]
    assert f"{n} suspect, " in text
    page = (here / "report.html").read_text()
    assert re.search(rf'<b>{n}</b><span>rows with a <a href="#term-suspect">suspect</a> set</span>', page)
    assert f"({n} with a probably wrong label" in page
    assert NOT_BETTER not in text
    cleaned_text = infimum("clean", *options)
    for part in ("best constant", "chance-corrected", "labelled rows"):
        assert part in text
        assert part in cleaned_text


@pytest.mark.usefixtures("easy")
def test_suspects_do_not_depend_on_the_principle_of_the_report(here, as_json, undrawn):
    options = ("easy.csv", "--target", "label", "--ignore", "price")
    told = as_json("report", *options, "--principle", "infimum")
    with_disambiguation = as_json("report", *options, "--principle", "disambiguation")
    assert told["suspects"] == with_disambiguation["suspects"]


@pytest.mark.usefixtures("easy")
def test_numbers_have_rmse_and_r2(infimum, as_json):
    text = " ".join(infimum("fit", "easy.csv", "--target", "price", "--ignore", "label").split())
    for part in ("RMSE (cross-validation)", "R² (cross-validation)", "best constant", "of 80 labelled rows"):
        assert part in text
    text = " ".join(infimum("score", "model.skops", "easy.csv").split())
    assert "RMSE" in text
    found = as_json("score", "model.skops", "easy.csv")
    assert found["errors"]["r2"][0] > 0.8
    assert found["constant"]["errors"]["rmse"][0] > found["errors"]["rmse"][1]


def test_counts_of_rows_agree(here, infimum):
    """Cells that allow every output are unlabelled, and the numbers of a summary add up."""
    rows = [f"{k},{['a', 'b', 'a|b', ''][k % 4] if k % 8 else 'a' if k < 20 else 'b'}" for k in range(40)]
    (here / "a.csv").write_text("x,label\n" + "\n".join(rows) + "\n")
    shown = " ".join(infimum("fit", "a.csv", "-t", "label", "--weights", "linear").split())
    assert "40 of labels, 20 unlabelled (10 allow every output)" in shown
    assert "of 20 labelled rows" in shown
    shown = " ".join(infimum("score", "model.skops", "a.csv").split())
    assert "20 labelled (20 exact); 20 unlabelled (10 allow every output), ignored" in shown


def test_scores_of_a_sample_are_marked():
    constant = {"output": "a", "covering_rate": 0.5, "set_risk": 0.5, "errors": {}}
    found = {"covering_rate": 0.8, "n_labelled": 380, "chance_corrected": 0.6, "set_risk": 0.2, "constant": constant}
    found["errors"] = {}
    assert "80.0% of a sample of 380 of the 483 labelled rows;" in score_rows(found, n_labelled=483)[0][1]
    assert "80.0% of 380 labelled rows;" in score_rows(found, n_labelled=380)[0][1]
