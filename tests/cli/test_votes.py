"""Several annotators and soft labels through the command line, with the default model."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from infimum.cli import app

CLASSES = ["cat", "dog", "owl"]
SKILL = {"ann": 0.95, "bob": 0.9, "eve": 0.34}
"""Probability of the true label; the others are drawn at random."""
run = CliRunner().invoke


def write(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    return path


@pytest.fixture
def votes(tmp_path, rng):
    """One line per answer, each photo with the answers of three annotators; the truth of every tenth is known."""
    rows, truth = [], {}
    for photo in range(60):
        k = int(rng.integers(3))
        x = 2.5 * np.eye(3)[k] + rng.standard_normal(3)
        truth[f"p{photo}"] = CLASSES[k]
        for name, skill in SKILL.items():
            answer = CLASSES[k] if rng.random() < skill else str(rng.choice(CLASSES))
            rows.append([f"p{photo}", *x.round(3), name, answer, CLASSES[k] if photo % 10 == 0 else ""])
    return write(tmp_path / "votes.csv", ["photo", "x", "y", "z", "who", "label", "known"], rows), truth


def test_fit_groups_answers_by_id_and_predict_uses_the_model(votes, tmp_path):
    path, truth = votes
    model, out = tmp_path / "m.skops", tmp_path / "p.csv"
    options = ["--target", "label", "--id", "photo", "--annotator", "who", "--gold", "known"]
    found = run(app, ["fit", str(path), *options, "--out", str(model), "-q"])
    assert found.exit_code == 0, found.output
    assert "60 of labels" in found.output
    assert "3 with 180 answers" in found.output
    assert found.output.index("eve: reliability") < found.output.index("bob: reliability")
    assert run(app, ["predict", str(model), str(path), "--out", str(out), "-q"]).exit_code == 0
    with open(out, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 180
    assert np.mean([row["prediction"] == truth[row["photo"]] for row in rows]) > 0.85


def test_clean_writes_one_line_per_row(votes, tmp_path):
    path, truth = votes
    out = tmp_path / "c.csv"
    found = run(app, ["clean", str(path), "-t", "label", "--id", "photo", "--annotator", "who", "--ignore", "known",
                      "--out", str(out), "--json"])  # fmt: skip
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["rows"] == 60
    with open(out, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 60
    assert not {"who", "label"} & set(rows[0])
    assert np.mean([row["clean"] == truth[row["photo"]] for row in rows]) > 0.9


@pytest.mark.usefixtures("undrawn")
def test_report_lists_annotators_in_html_markdown_and_json(votes, tmp_path):
    path, _ = votes
    options = ["-t", "label", "--id", "photo", "--annotator", "who", "--ignore", "known", "-q"]
    for name, weights in (("r.html", "auto"), ("r.md", "kernel"), ("r.json", "kernel")):
        found = run(app, ["report", str(path), *options, "--weights", weights, "--out", str(tmp_path / name)])
        assert found.exit_code == 0, found.output
    html, text = (tmp_path / "r.html").read_text("utf-8"), (tmp_path / "r.md").read_text("utf-8")
    assert 'id="annotators"' in html
    assert "| eve | 60 |" in text
    listed = json.loads((tmp_path / "r.json").read_text("utf-8"))["annotators"]
    assert listed[0]["annotator"] == "eve"
    assert listed[0]["high"] < listed[-1]["low"]


def test_features_that_differ_between_answers_raise_an_error(tmp_path):
    rows = [["a", 1, "ann", "cat"], ["a", 2, "bob", "cat"], ["b", 3, "ann", "dog"]]
    path = write(tmp_path / "t.csv", ["id", "x", "annotator", "label"], rows)
    found = run(app, ["fit", str(path), "-t", "label", "--out", str(tmp_path / "m.skops")])
    assert found.exit_code == 1
    text = " ".join(found.output.split())
    assert "line 3: the row 'a' has x = '2', but '1' in t.csv, line 2" in text
    assert "--ignore x" in text


def test_answers_without_features_raise_an_error_that_names_the_aggregation(tmp_path):
    path = write(tmp_path / "t.csv", ["id", "annotator", "label"], [["a", "ann", "cat"], ["a", "bob", "dog"]])
    found = run(app, ["clean", str(path), "-t", "label", "--out", str(tmp_path / "c.csv")])
    assert found.exit_code == 1
    text = " ".join(found.output.split())
    assert "t.csv has no feature columns besides label, id, annotator. Models need features." in text
    assert "fit(None, Votes.from_table(df, row=…" in text


def test_gold_without_repeated_ids_raises_an_error(tmp_path):
    path = write(tmp_path / "t.csv", ["id", "x", "label", "known"], [["a", 1, "cat", "cat"], ["b", 2, "dog", ""]])
    found = run(app, ["fit", str(path), "-t", "label", "--gold", "known", "--out", str(tmp_path / "m.skops")])
    assert found.exit_code == 1
    assert "--gold calibrates annotators, but no id occurs twice" in " ".join(found.output.split())


def test_soft_labels_are_columns_of_probabilities(tmp_path, rng):
    truth = rng.integers(2, size=60)
    x = 2 * truth + rng.standard_normal(60)
    p = np.clip(np.where(truth, 0.8, 0.2) + rng.uniform(-0.2, 0.2, 60), 0, 1)
    rows = [[a.round(3), "", ""] if k % 9 == 0 else [a.round(3), (1 - b).round(3), b.round(3)]
            for k, (a, b) in enumerate(zip(x, p))]  # fmt: skip
    path = write(tmp_path / "soft.csv", ["x", "cat", "dog"], rows)
    model = tmp_path / "m.skops"
    found = run(app, ["fit", str(path), "-t", "cat", "-t", "dog", "--soft", "--out", str(model), "-q"])
    assert found.exit_code == 0, found.output
    assert "60 of labels, 7 unlabelled" in found.output
    found = run(app, ["predict", str(model), str(path), "--out", str(tmp_path / "p.csv"), "-q"])
    assert found.exit_code == 0, found.output
    with open(tmp_path / "p.csv", encoding="utf-8") as file:
        predicted = [row["prediction"] == "dog" for row in csv.DictReader(file)]
    assert np.mean(np.array(predicted) == truth) > 0.7


def test_probabilities_outside_the_unit_interval_raise_an_error(tmp_path):
    path = write(tmp_path / "soft.csv", ["x", "cat", "dog"], [[0, 0.5, 0.5], [1, 1.5, 0]])
    found = run(app, ["fit", str(path), "-t", "cat", "-t", "dog", "--soft", "--out", str(tmp_path / "m.skops")])
    assert found.exit_code == 1
    assert "line 3: the probabilities of a row must be in [0, 1]" in " ".join(found.output.split())


def test_answers_about_one_row_are_held_out_together(tmp_path, rng):
    """Prices of pure noise, five answers each with almost equal features: they must not predict each other."""
    rows = []
    for k in range(24):
        x, price = rng.standard_normal(2), round(float(rng.normal(10, 3)), 2)
        rows += [[f"r{k}", *(x + 0.03 * rng.standard_normal(2)).round(3), who, price] for who in "abcde"]
    path = write(tmp_path / "prices.csv", ["id", "x", "y", "annotator", "price"], rows)
    found = run(app, ["fit", str(path), "-t", "price", "--out", str(tmp_path / "m.skops"), "--json"])
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["scores"]["beats_constant"] is False


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.append(rows[0]), "line 182: 'ann' has answered about 'p0' in votes.csv, line 2, too"),
        (lambda rows: rows[1].__setitem__(4, ""), "line 3: no annotator"),
        (lambda rows: rows[1].__setitem__(6, "nothing"), "line 3: the true label of 'p0' is 'nothing', but"),
    ],
)
def test_malformed_answers_are_named_by_line(votes, change, message):
    path, _ = votes
    with open(path, encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    change(rows)
    write(path, header, rows)
    options = ["--target", "label", "--id", "photo", "--annotator", "who", "--gold", "known"]
    found = run(app, ["fit", str(path), *options, "-q"])
    assert found.exit_code == 1
    assert message in " ".join(found.output.split())


@pytest.fixture
def wrong(tmp_path, rng):
    """A table in which a quarter of the labels are wrong."""
    truth = np.repeat(np.arange(3), 40)
    bad = rng.random(120) < 0.25
    cells = [CLASSES[(k + b * rng.integers(1, 3)) % 3] for k, b in zip(truth, bad)]
    X = 4 * np.eye(3)[truth] + rng.standard_normal((120, 3))
    return write(tmp_path / "wrong.csv", ["x", "y", "z", "label"], [[*x.round(3), c] for x, c in zip(X, cells)]), bad


def test_noise_is_estimated_fixed_or_excluded_by_each_command(wrong, tmp_path):
    path, bad = wrong
    outs = {"fit": "m.skops", "clean": "c.csv", "report": "r.json"}
    for command, name in outs.items():
        arguments = [command, str(path), "-t", "label", "--out", str(tmp_path / name), "--json", "--noise"]
        for noise in ("estimate", "none") if command == "clean" else ("estimate",):
            found = run(app, [*arguments, noise])
            assert found.exit_code == 0, found.output
            share = json.loads(found.stdout)["noise"]
            assert share is None if noise == "none" else abs(share - bad.mean()) < 0.07
    printed = run(app, ["fit", str(path), "-t", "label", "--noise", "0.25", "--out", str(tmp_path / "n.skops"), "-q"])
    assert "Wrong labels" in printed.output


@pytest.mark.parametrize("value", ["much", "1", "-0.1", "nan"])
def test_noise_that_is_no_share_raises_an_error(wrong, value):
    found = run(app, ["fit", str(wrong[0]), "-t", "label", "--noise", value])
    assert found.exit_code == 2
    assert "share from 0 to 1" in " ".join(found.output.replace("│", " ").split())


@pytest.fixture
def crowd(tmp_path):
    """Seven annotators who answer about 20 photos; one is sometimes not sure, and one line is there twice."""
    rows = [[f"p{k}", k, f"w{who}", "cat" if k < 10 else "dog"] for k in range(20) for who in range(7)]
    for line in range(0, 140, 35):
        rows[line][3] = "Not sure"
    return write(tmp_path / "crowd.csv", ["photo", "x", "who", "label"], [*rows, rows[1]])


def test_repeated_answers_stop_the_command_unless_the_user_says_which_counts(crowd, tmp_path):
    options = [str(crowd), "--target", "label", "--id", "photo", "--annotator", "who", "--weights", "linear", "-q"]
    done = run(app, ["fit", *options])
    assert done.exit_code == 1
    assert "--repeated last, first or all" in done.output
    model = ["--out", str(tmp_path / "m.skops")]
    done = run(app, ["fit", *options, *model, "--repeated", "last", "--missing", "not sure"])
    assert done.exit_code == 0, done.output
    assert "7 with 136 answers" in done.output
    assert "2 more; infimum report lists all of them" in " ".join(done.output.split())
    assert "no answer" not in done.output


def test_answers_that_mean_no_answer_are_pointed_out(crowd, tmp_path):
    options = ["--target", "label", "--id", "photo", "--annotator", "who", "--weights", "linear", "--repeated", "all"]
    done = run(app, ["fit", str(crowd), *options, "--out", str(tmp_path / "m.skops"), "--json"])
    (note,) = [note for note in json.loads(done.stdout)["notes"] if "no answer" in note]
    assert "'Not sure' (4 cells)" in note
    assert 'pass --missing "Not sure"' in note


def test_answers_of_a_language_model_are_soft_labels(votes, tmp_path):
    """JSON in a cell, or the repr of a dict, is no class of its own; --merge-classes keeps the probabilities."""
    path, _ = votes
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    for k, row in enumerate(rows):
        if row[4] == "bob":
            soft = {"Cat" if name == "cat" else name: 0.9 if name == row[5] else 0.05 for name in CLASSES}
            row[5] = json.dumps(soft) if k % 2 else str(soft)
    write(path, header, rows)
    options = ["--target", "label", "--id", "photo", "--annotator", "who", "--merge-classes", "-q"]
    done = run(app, ["fit", str(path), *options, "--out", str(tmp_path / "m.skops")])
    assert done.exit_code == 0, done.output
    assert "3: 'Cat', 'dog', 'owl'" in done.output
    assert done.output.index("eve: reliability") < done.output.index("bob: reliability")
    rows[1][5] = '{"cat": 0.9, "dog": '
    done = run(app, ["fit", str(write(path, header, rows)), *options, "--out", str(tmp_path / "m.skops")])
    assert done.exit_code == 1
    assert "line 3: cannot read" in " ".join(done.output.split())


def test_rows_without_any_answer_are_unlabelled(tmp_path, rng):
    """`infimum convert --annotators rows` writes a line without annotator and answer for a task without answers."""
    rows = []
    for k in range(30):
        x = round(k % 2 + 0.2 * float(rng.standard_normal()), 3)
        answers = [(who, ("cat", "dog")[k % 2]) for who in ("ann", "bob")] if k % 5 else [("", "")]
        rows += [[k, x, *answer] for answer in answers]
    path = write(tmp_path / "t.csv", ["id", "x", "annotator", "label"], rows)
    found = run(app, ["fit", str(path), "-t", "label", "--out", str(tmp_path / "m.skops"), "-q"])
    assert found.exit_code == 0, found.output
    assert "30 of labels, 6 unlabelled" in found.output
    assert "2 with 48 answers" in found.output
