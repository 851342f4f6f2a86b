"""A CSV file through the command line with the default model: fit, predict, score, clean, report.

`predict` runs in a new process. What does not work yet is listed in `NOT_YET` in matrix.py.
"""

import csv
from pathlib import Path

import numpy as np
import pytest
import skops.io
from typer.testing import CliRunner

from infimum.cli import app
from infimum.io import TRUSTED_TYPES
from paths.matrix import cells
from paths.new_process import OWN_TYPES
from paths.pages import check_is_one_file, check_names
from paths.tables import FRAME, LEVEL, TABLES, TRAINING


def column(path, name):
    with open(path, newline="", encoding="utf-8") as file:
        return [row[name] for row in csv.DictReader(file)]


def parsed(table, texts):
    """Predicted cells in the form that `predict` returns."""
    return np.array([table.parse(text) for text in texts])


def predictions(name, command_line, predicted_by_command):
    """The path of the predictions that the new process has written."""
    assert predicted_by_command[name] in (None, 0), predicted_by_command[name]
    return command_line(name).path("predictions.csv")


@pytest.mark.parametrize("name", cells("command line: fit"))
def test_fit_writes_a_model_that_python_loads(name, command_line):
    one = command_line(name)
    assert one.fit["rows"] == TRAINING
    assert one.fit["complete"]
    model = skops.io.load(one.path("model.skops"), trusted=[*TRUSTED_TYPES, *OWN_TYPES])
    assert one.table.error(model.predict(FRAME[TRAINING:]), one.table.new) < 0.5 * one.table.constant_error


@pytest.mark.parametrize("name", cells("command line: predict"))
def test_predict_in_new_process_writes_the_predictions_of_the_model(name, command_line, predicted_by_command):
    one, path = command_line(name), predictions(name, command_line, predicted_by_command)
    found = parsed(one.table, column(path, "prediction"))
    model = skops.io.load(one.path("model.skops"), trusted=[*TRUSTED_TYPES, *OWN_TYPES])
    expected = model.predict(FRAME[TRAINING:])
    assert found.shape == expected.shape
    if found.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=1e-8)
    else:
        np.testing.assert_array_equal(found, expected)
    assert column(path, "answer") == one.table.exact_cells[TRAINING:]


@pytest.mark.parametrize("name", cells("command line: score"))
def test_score_agrees_with_the_written_predictions(name, command_line, predicted_by_command):
    one, path = command_line(name), predictions(name, command_line, predicted_by_command)
    error = one.table.error(parsed(one.table, column(path, "prediction")), one.table.new)
    assert one.score["rows"] == len(one.table.new)
    if one.table.points is None:
        assert one.score["agreement"] == pytest.approx(1 - error)
    else:
        coordinates = one.table.new[0].size  # the loss of vectors is a sum over coordinates
        assert one.score["set_risk"] == pytest.approx(error * coordinates)


@pytest.mark.parametrize("name", cells("command line: clean"))
def test_clean_writes_a_member_of_each_candidate_set(name, command_line):
    one = command_line(name)
    assert one.clean["rows"] == TRAINING
    found = parsed(one.table, column(one.path("clean.csv"), "clean"))
    space = one.table.space()
    y = space.from_cells(space.text_to_cells([cell or None for cell in one.table.cells[:TRAINING]]))
    sets = space.fit(y).read(y)
    assert sets.contains(one.table.represent(space, found)).all()
    assert one.table.error(found, one.table.true[:TRAINING]) < 0.25 * one.table.constant_error


@pytest.mark.usefixtures("undrawn")  # figures of each output type are drawn in test_default_models.py
@pytest.mark.parametrize("name", cells("command line: report"))
def test_report_is_one_file_with_the_names_of_the_outputs(name, command_line):
    one = command_line(name)
    assert one.report["rows"] == TRAINING
    page = Path(one.path("report.html")).read_text("utf-8")
    check_is_one_file(page)
    check_names(page, (*one.table.words, "training.csv"))


@pytest.mark.parametrize("name", cells("command line: prediction sets"))
def test_written_prediction_sets_meet_the_candidate_sets_and_leave_outputs_out(
    name, command_line, predicted_by_command
):
    one, path = command_line(name), predictions(name, command_line, predicted_by_command)
    space = skops.io.load(one.path("model.skops"), trusted=[*TRUSTED_TYPES, *OWN_TYPES])[-1].output_
    found = one.table.read_sets(space, column(path, "set"))
    candidates = space.read(one.table.labels[TRAINING:])
    assert found.meets(candidates).mean() >= LEVEL - 0.3
    sizes = [one.table.count(space, found, row) for row in range(len(candidates))]
    assert np.mean(sizes) < 0.75 * len(one.table.outputs(space))
    assert str(LEVEL) in one.fit["guarantee"]


def test_unknown_kind_is_answered_by_the_list_of_kinds(command_line):
    one = command_line("labels")
    done = CliRunner().invoke(app, ["fit", one.path("training.csv"), "--target", "answer", "--kind", "pictures"])
    assert done.exit_code in (1, 2)
    said = " ".join(done.output.split())
    assert all(kind in said for kind in ("labels", "tags", "ranking", "number", "pictures"))


def test_every_output_type_has_cells():
    for table in TABLES.values():
        assert len(table.cells) == len(table.exact_cells) == len(table.true)


def test_a_model_of_an_own_type_names_it_and_runs_no_code_unless_asked(command_line, tmp_path):
    """Without --kind the module is not imported; the error says what to pass."""
    one = command_line("own")
    assert one.fit["complete"]
    for arguments in (["predict", one.path("model.skops"), one.path("new.csv"), "--out", str(tmp_path / "p.csv")],
                      ["score", one.path("model.skops"), one.path("new.csv")]):  # fmt: skip
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 1
        said = " ".join(done.output.split())
        assert "needs the output type paths.circle:Angles" in said
        assert said.endswith("pass --kind paths.circle:Angles")
    done = CliRunner().invoke(app, [*arguments, "--kind", "paths.tables:Table"])
    assert done.exit_code == 2
    assert "OutputSpace" in done.output


@pytest.mark.parametrize(
    "kind, said",
    [
        ("nowhere.to_be:Found", "cannot be imported"),
        ("paths.circle:Squares", "subclass"),
        ("paths.circle:Arcs", "subclass"),
        (":Angles", "MODULE:CLASS"),
    ],
)
def test_own_type_that_cannot_be_imported_is_an_error_of_the_command_line(kind, said, command_line):
    one = command_line("own")
    done = CliRunner().invoke(app, ["fit", one.path("training.csv"), "--target", "answer", "--kind", kind])
    assert done.exit_code == 2
    assert said in done.output
