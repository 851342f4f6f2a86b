"""Everything that a user does with a default model in Python, for every output type, an array and a DataFrame.

What does not work yet is listed in `NOT_YET` in matrix.py.
"""

import numpy as np
import pytest

from infimum import clean_labels
from infimum.active import QuestionSelector
from infimum.conformal import Conformal
from infimum.report import build
from paths.matrix import COMMANDS, FORMATS, NOT_YET, cells, in_python
from paths.pages import check_is_one_file, check_names
from paths.tables import LEVEL, TABLES, TRAINING


def apply_answer(question, y, answer):
    """Return y with the candidate set of the question's row reduced by an answer."""
    return question.apply_answer(y, answer)


@pytest.mark.parametrize("name, container", in_python("predict"))
def test_predict_beats_the_best_constant(name, container, fitted):
    one = fitted(name, container)
    predicted = one.whole.predict(one.new)
    assert np.shape(predicted) == one.table.new.shape
    assert one.table.error(predicted, one.table.new) < 0.5 * one.table.constant_error


@pytest.mark.parametrize("name, container", in_python("score"))
def test_score_is_the_documented_one(name, container, fitted):
    one = fitted(name, container)
    expected = one.table.score(one.whole.predict(one.new), one.table.new)
    assert one.whole.score(one.new, one.table.exact[TRAINING:]) == pytest.approx(expected, abs=1e-9)
    assert expected > 0.5


@pytest.mark.parametrize("name, container, suffix", in_python("save", FORMATS))
def test_load_in_new_process_predicts_the_same(name, container, suffix, fitted, predicted_in_new_process):
    one, found = fitted(name, container), predicted_in_new_process[name, container, suffix]
    assert not isinstance(found, str), found
    np.testing.assert_array_equal(found, one.whole.predict(one.new))


@pytest.mark.parametrize("name, container", in_python("explain"))
def test_explain_adds_up_to_the_margin_of_the_prediction(name, container, fitted):
    one = fitted(name, container)
    X = one.features
    for row in range(TRAINING, TRAINING + 3):
        found = one.last.explain(X[row])
        np.testing.assert_array_equal(found.prediction, np.asarray(one.last.predict(X[[row]]))[0])
        assert found.margin > 0
        assert np.sum(found.contribution) == pytest.approx(found.margin)
        assert len(found.contribution) == TRAINING
        assert (np.diff(np.abs(found.contribution[found.rows])) <= 0).all()
        assert found.table(1)[0]["row"] == found.rows[0]
        assert f"{found.contribution[found.rows[0]]:+.4g}" in repr(found)


@pytest.mark.parametrize("name, container", in_python("clean"))
def test_clean_labels_are_members_close_to_the_true_outputs(name, container, fitted):
    one = fitted(name, container)
    table, space = one.table, one.last.output_
    found = clean_labels(one.features[:TRAINING], table.labels[:TRAINING], output=table.space())
    assert len(found.labels) == TRAINING
    sets = space.read(table.labels[:TRAINING])
    assert sets.contains(table.represent(space, found.labels)).all()
    assert table.error(np.asarray(found.labels), table.true[:TRAINING]) < 0.25 * table.constant_error


@pytest.mark.filterwarnings("ignore:The search stopped")  # the budget is small
@pytest.mark.filterwarnings("ignore:.*predictions did not converge")  # alternation, for a user's own type
@pytest.mark.parametrize("name", cells("report"))
def test_report_is_one_file_with_the_names_of_the_outputs(name, fitted):
    one = fitted(name, "array")  # the command line makes reports about the DataFrame
    page = build(one.last, one.features[:TRAINING], title="Animals & others").html
    check_is_one_file(page)
    assert "Animals &amp; others" in page
    check_names(page, one.table.words)


@pytest.mark.parametrize("name, container", in_python("conformal"))
def test_prediction_sets_contain_the_prediction_and_leave_outputs_out(name, container, fitted):
    one = fitted(name, container)
    table = one.table
    half = TRAINING + len(table.new) // 2
    model = Conformal(one.whole, LEVEL, prefit=True).conformalize(one.inputs[TRAINING:half], table.exact[TRAINING:half])
    found, space = model.predict_set(one.inputs[half:]), one.last.output_
    z = table.represent(space, one.whole.predict(one.inputs[half:]))
    inside = found.contains(z)
    sizes = np.array([table.count(space, found, row) for row in range(len(z))])
    assert inside[sizes > 0].all()  # a prediction set of labels may be empty
    assert inside.mean() > 0.5
    assert sizes.mean() < 0.75 * len(table.outputs(space))
    assert model.check(one.inputs[half:], table.exact[half:]).meets >= LEVEL - 0.3
    assert str(LEVEL) in model.guarantee_


@pytest.mark.parametrize("name, container", in_python("question"))
def test_answer_to_a_question_shrinks_the_candidate_set(name, container, fitted):
    one = fitted(name, container)
    table, space = one.table, one.last.output_
    sets = space.read(table.labels[:TRAINING])
    question = QuestionSelector(random_state=0).query(one.features[:TRAINING], sets, model=one.last)[0]
    true = table.represent(space, table.true[:TRAINING])
    answered = apply_answer(question, sets, question.true_answer(true[question.row]))
    before, after = (np.array([table.count(space, y, row) for row in range(TRAINING)]) for y in (sets, answered))
    assert after[question.row] < before[question.row]
    assert space.read(answered)[[question.row]].contains(true[[question.row]]).all()  # an exact number is no grid point
    assert np.array_equal(np.delete(after, question.row), np.delete(before, question.row))
    assert answered.contains(true).all()
    assert question.text().endswith("?")


def test_tables_are_easy_and_partial():
    """The true output is a candidate in every row, and most rows have other candidates."""
    for table in TABLES.values():
        space = table.space().fit(table.labels)
        sets = space.read(table.labels)
        assert sets.contains(table.represent(space, table.true)).all()
        sizes = [table.count(space, sets, row) for row in range(len(table.true))]
        assert np.mean(np.array(sizes) > 1) > 0.3, table.name
        assert table.constant_error > 0


def test_missing_features_name_paths_of_the_matrix():
    """A misspelt entry would silently expect nothing."""
    in_python = {"predict", "score", "save", "explain", "clean", "report", "conformal", "question"}
    on_command_line = {f"command line: {command}" for command in COMMANDS}
    for name, path in NOT_YET:
        assert name in TABLES
        assert path in in_python | on_command_line
