"""Files as people keep them: several target columns, survival times, codes for missing values, multiple choice."""

import csv

import numpy as np
import pytest

from infimum import io


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


@pytest.mark.parametrize(
    "columns, options, proposed",
    [
        ([["1", "2"], ["2", ""], ["", "5"]], "lower upper", "--kind number "),
        ([["10", "1"], ["12.5", "0"]], "time event", "--target time --event event "),
        ([["b", "c"], ["c", "b"]], "first second", "--kind ranking "),
        ([["yes", "no"], ["", "no"]], "ann bob", "--kind labels "),
        ([["64", "37"], ["20", "80"]], "cat dog", "--soft "),
        ([[".333", ".667"], [".2", ".8"]], "cat dog", "--soft "),
        ([["1", "0"], ["0", "1"], ["1", "1"]], "red round", "--kind tags --unticked no "),
        ([["1", "2"], ["2", "1"]], "a b", "--kind ranking "),
    ],
)
def test_options_for_several_target_columns_fit_their_cells(infimum, here, columns, options, proposed):
    names = options.split()
    write(here / "t.csv", ["x", *names], [[k, *row] for k, row in enumerate(columns)])
    shown = infimum("fit", "t.csv", "-t", names[0], "-t", names[1], code=1)
    assert any(line.strip().startswith(proposed) for line in shown.splitlines()), shown


def test_top_items_in_columns_are_a_ranking(infimum, as_json, here):
    rng = np.random.default_rng(0)
    items, rows = ["price", "speed", "brand", "help"], []
    for age in rng.integers(18, 80, 60):
        order = items if age < 50 else items[::-1]
        rows.append([age, *order[:2]])
    write(here / "t.csv", ["age", "first", "second"], [*rows, [30, "", "help"]])
    options = ("-t", "first", "-t", "second", "--kind", "ranking")
    shown = infimum("fit", "t.csv", *options, code=1)
    assert "--meaning order  ->  help>brand" in shown
    assert "--meaning top    ->  help>brand>{price,speed}" in shown
    found = as_json("fit", "t.csv", *options, "--meaning", "top", "-q")
    assert found["kind"] == "ranking"
    assert set(found["classes"]) == set(items)
    assert found["scores"]["n_labelled"] == 60  # a row without its first item is unlabelled
    assert as_json("score", "model.skops", "t.csv")["agreement"] > 0.95
    pairs = as_json("fit", "t.csv", *options, "--meaning", "order", "-q", "--out", "pairs.skops")
    assert pairs["scores"]["constant"] != found["scores"]["constant"]


def test_columns_of_ranks_stay_ranks(infimum, here):
    write(here / "t.csv", ["x", "a", "b"], [[1, 1, 2], [2, 2, "n/a"]])
    assert "column 'b': expected a number, got 'n/a'" in infimum(
        "fit", "t.csv", "-t", "a", "-t", "b", "--kind", "ranking", code=1
    )


def test_one_column_per_annotator(infimum, as_json, here):
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=80)
    answers = [[t if rng.random() < q else 1 - t for q in (0.95, 0.9, 0.5)] for t in truth]
    x = (truth + 0.3 * rng.standard_normal(80)).round(2)
    cells = [[a, *(("no", "yes")[answer] for answer in row)] for a, row in zip(x, answers)]
    write(here / "t.csv", ["row", "ann", "bob", "eve"], cells)
    options = ("-t", "ann", "-t", "bob", "-t", "eve", "--kind", "labels", "-q")
    shown = infimum("fit", "t.csv", *options)
    assert "3 with 240 answers" in shown
    assert "eve: reliability" in shown
    infimum("clean", "t.csv", *options)
    with open(here / "clean.csv") as file:
        cleaned = list(csv.DictReader(file))
    assert len(cleaned) == 80
    assert {"row", "ann", "bob", "eve", "clean"} <= set(cleaned[0])
    assert np.mean([line["clean"] == ("no", "yes")[t] for line, t in zip(cleaned, truth)]) > 0.9
    write(here / "new.csv", ["row", "truth"], [[c[0], ("no", "yes")[t]] for c, t in zip(cells, truth)])
    assert as_json("score", "model.skops", "new.csv", "-t", "truth")["agreement"] > 0.9


def test_answers_of_annotators_need_ids(infimum, here):
    rows = [[p, w, p % 3, "cat"] for p in range(6) for w in ("ann", "bob")]
    write(here / "t.csv", ["photo", "worker", "x", "label"], rows)
    shown = infimum("fit", "t.csv", "-t", "label", "--annotator", "worker", code=1)
    assert "requires the column of row ids" in shown
    assert "--id photo" in shown


def test_event_column_makes_lower_bounds(infimum, as_json, here):
    rows = [[k, 5 + k, int(k % 3 > 0)] for k in range(30)]
    write(here / "t.csv", ["age", "time", "event"], rows)
    assert "event: event indicator, left out" in infimum("fit", "t.csv", "-t", "time", "--event", "event", "-q")
    found = as_json("score", "model.skops", "t.csv")
    assert found["rows"] == 30
    assert found["exact"] == 20
    write(here / "bad.csv", ["age", "time", "event"], [*rows, [1, 2, "dead"]])
    assert "line 32: expected 1, 0, true, false, yes or no" in infimum(
        "fit", "bad.csv", "-t", "time", "--event", "event", code=1
    )


def test_rounded_and_percent_soft_labels(as_json, infimum, here):
    shares = [[20, 80], [63, 38], [90, 9]] * 10
    write(here / "percent.csv", ["x", "cat", "dog"], [[a, a, b] for a, b in shares])
    write(here / "shares.csv", ["x", "cat", "dog"], [[a, a / 100, b / 100] for a, b in shares])
    risks = []
    for name in ("percent", "shares"):
        as_json("fit", f"{name}.csv", "-t", "cat", "-t", "dog", "--soft", "-q")
        risks.append(as_json("score", "model.skops", f"{name}.csv")["set_risk"])
    assert risks[0] == pytest.approx(risks[1])
    assert "Covering rate" not in infimum("score", "model.skops", "percent.csv")  # every prediction is possible
    write(here / "bad.csv", ["x", "cat", "dog"], [*([a, a, b] for a, b in shares), [1, 30, 20]])
    shown = infimum("fit", "bad.csv", "-t", "cat", "-t", "dog", "--soft", code=1)
    assert "line 32: the probabilities of a row" in shown


@pytest.mark.parametrize("code, others", [("99", "{}"), ("99", "£{}0,000-{}5,000"), ("999", "{}")])
def test_positive_codes_of_missing_numbers_are_asked_about(infimum, here, code, others):
    rows = [[k, others.format(k, k)] for k in range(1, 9)] + [[k, code] for k in range(3)]
    write(here / "t.csv", ["x", "y"], [*rows, [1, others.format("1.5", "1.5") if others == "{}" else "under £10,000"]])
    shown = infimum("fit", "t.csv", "-t", "y", code=1)
    assert f"3 cells of the column 'y' are {code}, which is far from its other numbers" in shown
    assert f"pass --missing {code}" in shown


def test_words_among_measurements_are_proposed_as_missing(infimum, here):
    cells = ["<=0.25", "ND", ">16", "2-4", "n/d", "0.5"]
    write(here / "t.csv", ["x", "y"], list(enumerate(cells)))
    assert 'pass --missing "ND" --missing "n/d"' in infimum("fit", "t.csv", "-t", "y", code=1)


def test_multiple_choice_shows_how_to_read_all_names(infimum, here):
    cells = ["bar;gym", "gym", "bar", "bar;gym", "bar", "gym"] * 5
    write(here / "t.csv", ["x", "places"], [[k % 3, cell] for k, cell in enumerate(cells)])
    shown = infimum("fit", "t.csv", "-t", "places", "-q")
    assert '--separator ";" --meaning all_of --unticked no' in shown
    (here / "t.csv").write_text((here / "t.csv").read_text().replace("gym", "none of these"))
    assert "2: 'bar', 'none of these'" in infimum(
        "fit", "t.csv", "-t", "places", "--separator", ";", "--meaning", "all_of", "--unticked", "no", "-q"
    )
    assert "none of these  " in infimum("predict", "model.skops", "t.csv")
    predicted = {line.split(",")[2] for line in (here / "predictions.csv").read_text().splitlines()[1:]}
    assert predicted & {'"+bar +""none of these"""', '"-bar +""none of these"""'}
    back = io.read_table(here / "predictions.csv", "prediction", kind="tags").y
    assert {tag for cell in back for tag in cell} == {"bar", "none of these"}


def test_a_title_above_the_columns_is_named_by_an_option(infimum, here):
    lines = "".join(f"{k};a;{'cat' if k > 9 else 'dog'}\n" for k in range(20))
    (here / "t.csv").write_text(f"Survey;;\nx;z;label\n{lines}")
    assert "pass --header 2" in infimum("fit", "t.csv", "-t", "label", code=1)
    infimum("fit", "t.csv", "-t", "label", "--header", "2", "-q")
    infimum("predict", "model.skops", "t.csv", "--header", "2")
    assert (here / "predictions.csv").read_text().startswith("x,z,label,prediction")


def test_scores_of_exact_numbers_have_no_covering_rate(infimum, here):
    write(here / "t.csv", ["x", "y"], [[k, k + 0.5] for k in range(30)])
    infimum("fit", "t.csv", "-t", "y", "-q")
    shown = infimum("score", "model.skops", "t.csv")
    assert "RMSE" in shown
    assert "Covering rate" not in shown
    assert "Agreement" not in shown


def test_new_names_of_categories_are_noted(infimum, here):
    write(here / "t.csv", ["size", "x", "label"], [["SML"[k % 3], k % 7, "ab"[k % 3 == 0]] for k in range(40)])
    infimum("fit", "t.csv", "-t", "label", "-q")
    write(here / "new.csv", ["x", "size"], [[k, "XXL" if k else "S"] for k in range(5)])
    shown = infimum("predict", "model.skops", "new.csv")
    assert "4 of 5 cells of the column 'size' contain categories that do not occur" in shown
    assert "'xxl'" in shown
    assert "do not occur" not in infimum("predict", "model.skops", "t.csv", "--out", "p.csv")
    write(here / "narrow.csv", ["x"], [[1]])
    assert "no column 'size', which the model was fitted on" in infimum("predict", "model.skops", "narrow.csv", code=1)


def test_exports_of_the_studio_can_be_fitted(infimum, here):
    cells = ["cat", "dog", "cat|dog", "cat|dog"] * 10
    rows = [[k, k % 2, "ann" if k % 4 == 1 else "", cell] for k, cell in enumerate(cells)]
    write(here / "t.csv", ["id", "x", "annotators", "label"], rows)
    assert "annotators: written by infimum studio, left out" in infimum("fit", "t.csv", "-t", "label", "-q")
    assert "annotators: category" in infimum("fit", "t.csv", "-t", "label", "--column", "annotators=category", "-q")


def test_the_assumed_meaning_of_names_is_shown_for_other_separators(infimum, here):
    write(here / "t.csv", ["x", "label"], [[k % 2, ("cat", "dog, cat", "dog")[k % 3]] for k in range(30)])
    shown = infimum("fit", "t.csv", "-t", "label", "--separator", ",", "-q")
    assert "10 cells such as 'dog, cat': one of the names" in shown


def test_exports_of_tools_lead_to_convert(infimum, here):
    (here / "t.json").write_text('[{"id": 1, "data": {}, "annotations": []}]')
    for target in ([], ["-t", "label"]):
        assert "infimum convert t.json --from label-studio" in infimum("fit", "t.json", *target, code=1)
    (here / "t.jsonl").write_text('{"text": "a", "answer": "accept", "_input_hash": 1}')
    assert "--from prodigy" in infimum("report", "t.jsonl", "-t", "label", code=1)


def test_the_studio_asks_for_the_kind_of_numbers(infimum, here):
    write(here / "t.csv", ["x", "x", "price"], [[k, k, f"{k}0-{k + 1}0"] for k in range(9)])
    shown = infimum("studio", "t.csv", "--target", "price", code=1)
    assert "Note: t.csv has several columns with the same name. Another 'x' is called 'x.1'." in shown
    assert "such as '00-10', are written as number. Pass --kind number --bounds LOW HIGH." in shown
    write(here / "t.csv", ["Survey", "", ""], [["x", "z", "label"], [1, 2, "cat"]])
    assert "pass --header 2" in infimum("studio", "t.csv", code=1)
