"""A table whose rows are tokens of sequences, with the default model: what the matrix does with other tables.

The rows and labels are those of the table of labels, in sequences of two rows. An array has no column of sequence ids,
so there is one container.
"""

import csv
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import skops.io
from typer.testing import CliRunner

from infimum import PartialSequenceTagger
from infimum.active import QuestionSelector
from infimum.cli import app
from infimum.conformal import Conformal
from infimum.io import TRUSTED_TYPES
from infimum.report import build
from paths.conftest import run_new_process, save
from paths.matrix import FORMATS
from paths.pages import check_is_one_file, check_names
from paths.tables import FRAME, LEVEL, ROWS, TABLES, TRAINING

TABLE = TABLES["labels"]
TOKENS = FRAME.assign(day=[f"day {k // 2}" for k in range(ROWS)])
NEW = TOKENS[TRAINING:]
COLUMNS = ("--target", "answer", "--sequence", "day")


@pytest.fixture(scope="module")
def model():
    return PartialSequenceTagger(sequence="day").fit(TOKENS[:TRAINING], TABLE.labels[:TRAINING])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the table as two files, and a model that the command line has fitted with prediction sets."""
    found = tmp_path_factory.mktemp("tokens")
    TOKENS[:TRAINING].assign(answer=TABLE.cells[:TRAINING]).to_csv(found / "training.csv", index=False)
    NEW.assign(answer=TABLE.exact_cells[TRAINING:]).to_csv(found / "new.csv", index=False)
    options = ("--level", str(LEVEL), "--covers", "set", "--out", str(found / "model.skops"))
    assert str(LEVEL) in run("fit", str(found / "training.csv"), *COLUMNS, *options)["guarantee"]
    return found


def run(*arguments):
    """Run a command with --json, and return what it prints."""
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert done.exit_code == 0, (arguments, done.output, done.exception)
    return json.loads(done.output.splitlines()[-1])


def column(path, name):
    with open(path, newline="", encoding="utf-8") as file:
        return [row[name] for row in csv.DictReader(file)]


def test_predict_beats_the_best_constant_and_score_agrees(model):
    error = TABLE.error(model.predict(NEW), TABLE.new)
    assert error < 0.5 * TABLE.constant_error
    assert model.score(NEW, TABLE.exact[TRAINING:]) == pytest.approx(1 - error)


def test_load_in_new_process_predicts_the_same(model, folder):
    (folder / "new.rows").write_bytes(pickle.dumps(NEW))
    jobs = [{"name": f, "model": folder / f"saved.{f}", "rows": folder / "new.rows"} for f in FORMATS]
    for job in jobs:
        save(model, job["model"])
    found = run_new_process(folder, jobs)
    for suffix in FORMATS:
        assert not isinstance(found[suffix], str), found[suffix]
        np.testing.assert_array_equal(found[suffix], model.predict(NEW))


def test_report_is_one_file_with_the_names_of_the_labels(model):
    page = build(model, TOKENS[:TRAINING]).html
    check_is_one_file(page)
    check_names(page, TABLE.words)


def test_prediction_sets_contain_the_prediction_and_leave_labels_out(model):
    half = len(NEW) // 2
    found = Conformal(model, LEVEL, prefit=True).conformalize(NEW[:half], TABLE.exact[TRAINING : TRAINING + half])
    assert found.n_calibration_ == half // 2
    sets = found.predict_set(NEW[half:])
    inside = sets.contains(model.outputs(NEW[half:]))
    assert inside[sets.size > 0].all()
    assert sets.size.mean() < 0.75 * 3
    assert found.check(NEW[half:], TABLE.exact[TRAINING + half :]).meets >= LEVEL - 0.3


def test_answer_to_a_question_shrinks_the_candidate_set(model):
    sets = model.output_.read(TABLE.labels[:TRAINING])
    question = QuestionSelector(random_state=0).query(TOKENS[:TRAINING], sets, model=model)[0]
    true = np.searchsorted(model.classes_, TABLE.true[:TRAINING])
    answered = model.output_.read(question.apply_answer(sets, question.true_answer(true[question.row])))
    changed = np.flatnonzero(answered.mask.sum(axis=1) < sets.mask.sum(axis=1))
    assert changed.tolist() == [question.row]
    assert answered.contains(true).all()


def test_predict_command_in_new_process(folder):
    out = folder / "predictions.csv"
    arguments = ["predict", str(folder / "model.skops"), str(folder / "new.csv"), "--out", str(out), "--quiet"]
    outcome = run_new_process(folder, [{"name": "predict", "arguments": arguments}])["predict"]
    assert outcome in (None, 0), outcome
    loaded = skops.io.load(folder / "model.skops", trusted=TRUSTED_TYPES)
    predicted = np.array(column(out, "prediction"))
    np.testing.assert_array_equal(predicted, loaded.predict(NEW))
    error = TABLE.error(predicted, TABLE.new)
    assert error < 0.5 * TABLE.constant_error
    assert run("score", str(folder / "model.skops"), str(folder / "new.csv"))["agreement"] == pytest.approx(1 - error)
    found = TABLE.read_sets(loaded[-1].output_, column(out, "set"))
    assert found.meets(loaded[-1].output_.read(TABLE.labels[TRAINING:])).mean() >= LEVEL - 0.3


def test_clean_and_report_commands(folder):
    training, page = str(folder / "training.csv"), folder / "report.html"
    assert run("clean", training, *COLUMNS, "--out", str(folder / "clean.csv"))["rows"] == TRAINING
    found = np.array(column(folder / "clean.csv", "clean"))
    assert TABLE.error(found, TABLE.true[:TRAINING]) < 0.25 * TABLE.constant_error
    assert run("report", training, *COLUMNS, "--out", str(page))["rows"] == TRAINING
    check_is_one_file(Path(page).read_text("utf-8"))
    check_names(Path(page).read_text("utf-8"), (*TABLE.words, "training.csv"))
