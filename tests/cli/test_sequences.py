"""Tables with one line per token."""

import csv

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


def test_report_describes_tokens_by_their_neighbours(tokens, as_json, here):
    found = as_json("report", "tokens.csv", "--target", "tag", "--sequence", "sentence", "--weights", "linear")
    assert found["scores"]["beats_constant"]
    assert "B-LOC" in (here / "report.html").read_text("utf-8")


def test_what_does_not_apply_to_sequences(tokens, infimum):
    options = ("--target", "tag", "--sequence", "sentence")
    assert "a model of their own" in infimum("fit", "tokens.csv", *options, "--weights", "kernel", code=1)
    assert "not available on the command line" in infimum("fit", "tokens.csv", *options, "--level", "0.8", code=1)
    wrong = ("--target", "size", "--kind", "number", "--sequence", "sentence")
    assert "needs one label per token" in infimum("fit", "tokens.csv", *wrong, code=1)
