"""Salaries as job sites post them: a range with comments, hourly rates, -1 for missing."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from infimum import PartialRegressor
from infimum.cli import app
from infimum.outputs import Reals
from infimum.outputs.numbers.text import parse_interval
from small_search import SMALL_SEARCH

FORMS = ("${}K-${}K (Glassdoor est.)", "Employer Provided Salary:${}K-${}K", "${}K-${}K(Employer est.)")


def cells(n):
    """Salaries that rise with the years, one hourly rate and six missing ones."""
    rows = [FORMS[k % 3].format(40 + 2 * k, 60 + 2 * k) for k in range(n)]
    rows[::7] = ["-1"] * len(rows[::7])
    rows[3] = "$17-$24 Per Hour(Glassdoor est.)"
    return rows


@pytest.fixture
def jobs(tmp_path):
    with open(tmp_path / "jobs.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["Years", "Founded", "Rating", "Salary"])
        for k, cell in enumerate(cells(42)):
            writer.writerow([k, 1950 + k if k % 6 else -1, f"{3 + k % 7 / 10:.1f}" if k % 6 else "-1.0", cell])
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


@pytest.mark.parametrize(
    "text, bounds",
    [
        ("$53K-$91K (Glassdoor est.)", (53000, 91000)),
        ("Employer Provided Salary:$150K-$160K", (150000, 160000)),
        ("$17-$24 Per Hour(Glassdoor est.)", (17, 24)),
        ("salary: over 50k (gross)", (50000, np.inf)),
        ("$500 million to $1 billion (USD)", (5e8, 1e9)),
    ],
)
def test_comments_around_a_range_are_ignored(text, bounds):
    assert parse_interval(text) == [bounds]


@pytest.mark.parametrize("y", [["5 kg", "500 g", "1-2 kg"], ["$10 per hour", "$50k"], ["60/h", "50"]])
def test_mixed_units_raise_an_error_in_one_piece_and_in_chunks(y):
    with pytest.raises(ValueError, match="mixes numbers of different units"):
        Reals().fit(y)
    space = Reals()
    with pytest.raises(ValueError, match="mixes numbers of different units"):
        space.fit_summary(space.merge(space.summarise(y[:1]), space.summarise(y[1:])))


@pytest.mark.parametrize(
    "y", [["1 employee", "501 to 1000 employees", "10000+ employees", "n/a"], ["5 years", "7", ">3"], ["10%", "20 %"]]
)
def test_one_unit_is_read(y):
    assert Reals().fit(y).read(y).is_bounded.any()


def test_a_code_for_missing_is_asked_about_then_units_then_it_is_learned(jobs):
    """Each error names the option that the next call passes."""
    asked = run("fit", jobs / "jobs.csv", "--target", "Salary")
    assert asked.exit_code == 1
    assert "6 cells of the column 'Salary' are -1" in " ".join(asked.output.split())
    asked = run("fit", jobs / "jobs.csv", "--target", "Salary", "--missing", "-1")
    assert asked.exit_code == 1
    assert '--missing "*per hour*"' in " ".join(asked.output.split())
    options = ("--missing", "-1", "--missing", "*per hour*", "--out", jobs / "model.skops")
    done = run("fit", jobs / "jobs.csv", "--target", "Salary", *options, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.output.splitlines()[-1])
    assert found["scores"]["n_labelled"] == 42 - 7
    assert "Founded: number, 2 features, 7 missing" in found["columns"]
    assert "Rating: number, 2 features, 7 missing" in found["columns"]
    with open(jobs / "new.csv", "w") as file:
        file.write("Years,Founded,Rating,Salary\n20,-1,-1,$79K-$101K\n")
    assert run("predict", jobs / "model.skops", jobs / "new.csv", "--out", jobs / "p.csv").exit_code == 0
    with open(jobs / "p.csv", newline="") as file:
        row = next(csv.DictReader(file))
    assert row["Founded"] == "-1"  # the columns of the table are kept as they are
    assert 75_000 < float(row["prediction"]) < 105_000
    assert json.loads(run("score", jobs / "model.skops", jobs / "new.csv", "--json").output)["rows"] == 1


def test_a_code_for_missing_is_noted_for_features_and_kept_with_a_kind(jobs):
    done = run(
        "fit", jobs / "jobs.csv", "--target", "Salary", "--kind", "number", "--missing", "*hour*", "--json",
        "--out", jobs / "m.skops",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    found = json.loads(done.output.splitlines()[-1])
    assert found["scores"]["n_labelled"] == 41  # -1 is a number because the user says so
    assert any("7 cells are -1, the only negative number" in line for line in found["columns"])


def test_python_reads_the_same_cells():
    y = [None if cell == "-1" or "Hour" in cell else cell for cell in cells(30)]
    model = PartialRegressor(search_config=SMALL_SEARCH).fit(np.arange(30)[:, None], y)
    assert 70_000 < model.predict([[15]])[0] < 90_000


def test_a_percentage_after_plus_minus_is_relative_to_the_value():
    model = PartialRegressor(search_config=SMALL_SEARCH).fit([[0.0], [1.0], [2.0]], ["1.2 ±10%", "-20 +/- 5 %", "3"])
    np.testing.assert_allclose(np.column_stack([model.sets_.lower, model.sets_.upper])[:2], [[1.08, 1.32], [-21, -19]])
    assert parse_interval("20% ± 5%") == [(15, 25)]


BRACKETS = ["<1.000 €", "1.000 bis unter 2.000 €", "2.000–3.500 EUR", "ca. 2.500 Euro", "unter 1.500 €", "€3.500-5.000"]


@pytest.mark.parametrize("last", ["5.000 € und mehr", "über 5.000 €", "5.000 Euro oder mehr", "mehr als 5.000 €"])
def test_german_brackets_train_the_default_model(last):
    """The words after a number are no unit, EUR is no other unit than €, and a point separates thousands."""
    x = np.arange(60) % 7
    y = [(*BRACKETS, last)[k] for k in x]
    model = PartialRegressor().fit(x[:, None].astype(float), y)
    assert [model.output_.read(y[:7]).format(k) for k in range(7)] == [
        "≤ 1000", "[1000, 2000]", "[2000, 3500]", "2500", "≤ 1500", "[3500, 5000]", "≥ 5000",
    ]  # fmt: skip
    assert 1000 < model.predict([[1.0]])[0] < 2000


@pytest.mark.parametrize(
    "text, bounds",
    [
        ("65 years and over", (65, np.inf)),
        ("65 years or older", (65, np.inf)),
        ("5 m", (5, 5)),
        ("1.65 m", (1.65, 1.65)),
        ("$5 m", (5e6, 5e6)),
        ("1.5m", (1.5e6, 1.5e6)),
        (">10^6 CFU/100 mL", (1e6, np.inf)),
        ("3 x 10^5", (3e5, 3e5)),
        ("USD 10-20", (10, 20)),
        ("prefer not to say", (-np.inf, np.inf)),
    ],
)
def test_words_and_powers_of_ten(text, bounds):
    assert parse_interval(text) == [bounds]


@pytest.mark.parametrize("text", ["0.5 ND", "0.5 not detected", "5'3", "5 et plus", "5 or so"])
def test_a_number_is_not_exact_because_its_words_are_not_understood(text):
    with pytest.raises(ValueError, match="cannot read"):
        Reals().fit(["1.2", "0.7", text])


def test_currencies_are_units():
    with pytest.raises(ValueError, match="mixes numbers of different units"):
        Reals().fit(["$10-20", "€30"])
    assert [Reals().fit(["1.859 €", "0.5"]).read(["1.859 €"]).format(0)] == ["1.859"]
