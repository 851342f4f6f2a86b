"""Tables with one line per token."""

import csv
import json

import numpy as np
import pytest


@pytest.fixture
def tokens(here):
    """Sentences about people and places; a third of the labels is missing."""
    rng = np.random.default_rng(0)
    rows = []
    for k in range(40):
        sentence = [(rng.choice(["Ann", "Bob", "Eve"]), "B-PER"), (rng.choice(["saw", "likes"]), "O")]
        sentence += [("New", "B-LOC"), ("York", "I-LOC")] if rng.random() < 0.5 else [("Rome", "B-LOC")]
        rows += [(f"s{k}", word, len(word), "" if rng.random() < 0.3 else tag, tag) for word, tag in sentence]
    for name, columns in (("tokens.csv", [0, 1, 2, 3]), ("exact.csv", [0, 1, 2, 4])):
        with open(here / name, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["sentence", "word", "size", "tag"])
            writer.writerows([[row[c] for c in columns] for row in rows])
    return rows


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_commands_on_tokens(tokens, infimum, as_json, here):
    options = ("--target", "tag", "--sequence", "sentence", "--transitions", "bio")
    found = as_json("fit", "tokens.csv", *options)
    assert found["rows"] == len(tokens)
    assert found["scores"]["covering_rate"] > 0.9
    assert any("sequence ids" in line for line in found["columns"])
    infimum("predict", "model.skops", "exact.csv")
    predicted = table(here / "predictions.csv")
    assert np.mean([row["prediction"] == row["tag"] for row in predicted]) > 0.95
    assert all(0 <= float(row["confidence"]) <= 1 for row in predicted)
    assert as_json("score", "model.skops", "exact.csv")["agreement"] > 0.95
    infimum("clean", "tokens.csv", *options)
    clean = table(here / "clean.csv")
    assert all(row["clean"] == row["tag"] for row in clean if row["tag"])
    assert np.mean([row["clean"] == true[-1] for row, true in zip(clean, tokens)]) > 0.95


def test_report_shows_tokens_in_their_sentence(tokens, as_json, here):
    lines = (here / "tokens.csv").read_text().splitlines()
    lines[1] = ",".join([*lines[1].split(",")[:3], "O"])  # a name
    (here / "tokens.csv").write_text("\n".join(lines) + "\n")
    found = as_json("report", "tokens.csv", "--target", "tag", "--sequence", "sentence", "--out", "report.json")
    assert found["scores"]["beats_constant"]
    assert "tokens in 40 sequences" in found["summary"][0]
    review = json.loads((here / "report.json").read_text("utf-8"))["review"]
    assert review[0]["proposed"] == "B-PER"
    assert review[0]["cells"]["in its sequence"] == " ".join([f"[{tokens[0][1]}]", *(
        row[1] for row in tokens[1:] if row[0] == "s0")])  # fmt: skip
    assert review[0]["name"] == "line 2"


def test_prediction_sets_of_tokens(tokens, infimum, here):
    options = ("--target", "tag", "--sequence", "sentence", "--level", "0.8", "--covers", "set")
    assert "Prediction sets" in infimum("fit", "exact.csv", *options)
    infimum("predict", "model.skops", "exact.csv")
    predicted = table(here / "predictions.csv")
    assert np.mean([row["tag"] in (row["set"].split("|")) for row in predicted]) > 0.8


def test_what_does_not_apply_to_sequences(tokens, infimum):
    options = ("--target", "tag", "--sequence", "sentence")
    assert "a model of their own" in infimum("fit", "tokens.csv", *options, "--weights", "kernel", code=1)
    assert "a model of their own" in infimum("report", "tokens.csv", *options, "--weights", "linear", code=1)
    wrong = ("--target", "size", "--kind", "number", "--sequence", "sentence")
    assert "needs one label per token" in infimum("fit", "tokens.csv", *wrong, code=1)
