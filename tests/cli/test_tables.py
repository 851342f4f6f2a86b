"""Tables as people have them, through the command line with the default model: formats, columns, options, outputs."""

import csv
import gzip
import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import get_args, get_type_hints

import numpy as np
import pytest
from typer.testing import CliRunner

import fuzz.features
from infimum.active import STRATEGIES
from infimum.cli import _options, app, studio
from infimum.io import write_table
from infimum.io._meaning import CHOICES
from infimum.weights import BY_NAME

HEADER = ["ticket", "created", "size", "price", "note", "label"]
SIZES = {"small": "1.50", "medium": "2.00", "large": "XL"}


def rows(n: int = 45) -> list[list[str]]:
    """Tickets whose size decides on the label: an id, a date, a category of number-like text, decimal commas, text."""
    rng = np.random.default_rng(0)
    made = []
    for k in range(n):
        label = list(SIZES)[k % 3]
        other = str(rng.choice(list(SIZES)))
        cell = label if k % 4 else "|".join(sorted({label, other}))
        note = f"{'café' if k % 2 else 'größer'} {rng.choice(['red', 'blue'])} {k % 7}"
        made.append([f"T-{1000 + k}", f"2024-{1 + k % 12:02d}-{1 + k % 28:02d}", SIZES[label], f"{k},5", note, cell])
    return made


def text(lines: list[list[str]], sep: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=sep, lineterminator="\n").writerows([HEADER, *lines])
    return out.getvalue()


def table(path: Path) -> list[dict]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> tuple[Path, str]:
    """A folder with a semicolon file in Latin-1 and the default model that was fitted to it, and what `fit` printed."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "t.csv").write_bytes(text(rows(), ";").encode("latin-1"))
    arguments = ["fit", folder / "t.csv", "-t", "label", "--column", "note=category", "--level", "0.9"]
    arguments += ["--out", folder / "model.skops"]
    done = CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "300"})
    assert done.exit_code == 0, done.output
    return folder, done.output


@pytest.fixture
def model(trained, here) -> Path:
    (here / "model.skops").write_bytes((trained[0] / "model.skops").read_bytes())
    return here / "model.skops"


def test_fit_names_columns_separator_encoding_and_model(trained):
    said = trained[1]
    assert "t.csv: separator ';', encoding latin-1" in said
    for line in ("ticket: identifier, left out", "created: date, 1 feature", "size: category, 3 features",
                 "price: number, 1 feature", "note: category", "label: target"):  # fmt: skip
        assert line in said
    assert "chosen among" in " ".join(said.split())
    assert "lam " not in said


def test_fit_level_prints_size_of_sets_and_reason(trained):
    said = " ".join(trained[1].split())
    assert "of 3 candidates on average" in said
    assert "--covers set" in said


@pytest.mark.parametrize("size, label", [("1.50", "small"), ("2.00", "medium"), ("XL", "large")])
def test_prediction_of_row_does_not_depend_on_other_rows(size, label, model, here, infimum):
    """A category "1.50" stays the text "1.50" in a file in which all cells are numbers."""
    lines = [line for line in rows() if line[2] == size]
    (here / "new.csv").write_text(text(lines[:1]))
    infimum("predict", "model.skops", "new.csv")
    assert [row["prediction"] for row in table(here / "predictions.csv")] == [label]


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_predictions_of_a_file_are_those_of_its_rows_alone(suffix, here, infimum):
    """With one column of every kind, and the default model."""
    rng = np.random.default_rng(0)
    columns = {name: cells for name, cells in fuzz.features.table(rng, 40).items() if name != "strays"}
    lines = [dict(zip(columns, row)) for row in zip(*columns.values())]
    write_table(here / f"fit.{suffix}", [{**line, "y": "ab"[line["numbers"] > 0]} for line in lines])
    infimum("fit", f"fit.{suffix}", "-t", "y", "--column", "codes=category", "-q")

    def predictions(some):
        write_table(here / f"new.{suffix}", some)
        infimum("predict", "model.skops", f"new.{suffix}", "-q")
        return [(row["prediction"], row["confidence"]) for row in table(here / "predictions.csv")]

    together = predictions(lines[:4])
    assert len({label for label, _ in together}) == 2
    assert [predictions([line])[0] for line in lines[:4]] == together


def test_predict_prints_counts_and_writes_the_same_columns(model, here, infimum, as_json):
    (here / "new.csv").write_text(text(rows(9)))
    said = infimum("predict", "model.skops", "new.csv")
    assert "3 rows (33 %)" in said
    assert as_json("predict", "model.skops", "new.csv")["counts"] == dict.fromkeys(SIZES, 3)
    assert list(table(here / "predictions.csv")[0]) == [*HEADER, "prediction", "confidence", "set"]


def test_predict_of_numbers_prints_mean_and_has_empty_confidence(here, infimum):
    lines = "".join(f"{k},{2 * k}\n" for k in range(20))
    (here / "t.csv").write_text(f"x,y\n{lines}")
    infimum("fit", "t.csv", "-t", "y", "--kind", "number", "--weights", "linear", "--principle", "infimum")
    said = infimum("predict", "model.skops", "t.csv")
    assert all(word in said for word in ("Mean", "Smallest", "Largest"))
    assert {row["confidence"] for row in table(here / "predictions.csv")} == {""}


def test_predict_of_header_without_rows_writes_header(model, here, infimum):
    (here / "new.csv").write_text(text([]))
    infimum("predict", "model.skops", "new.csv")
    assert (here / "predictions.csv").read_text().strip().split(",") == [*HEADER, "prediction", "confidence", "set"]


def test_fit_of_header_without_rows_says_so(here, infimum):
    (here / "t.csv").write_text("x,label\n")
    said = infimum("fit", "t.csv", "-t", "label", code=1)
    assert (
        said.strip()
        == "t.csv has no rows. It has column names (x, label), but nothing below them. Add at least one row."
    )


def write(path: Path, lines: list[list[str]]) -> None:
    records = [dict(zip(HEADER, line)) for line in lines]
    if path.suffix == ".xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        for line in (HEADER, *lines):
            book.active.append(line)
        book.save(path)
    elif path.suffix == ".parquet":
        import pandas as pd

        pd.DataFrame(records).to_parquet(path)
    elif path.suffix == ".json":
        path.write_text(json.dumps(records))
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(map(json.dumps, records)))
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress(text(lines).encode()))
    else:
        path.write_text(text(lines, "\t"))


@pytest.mark.parametrize("name", ["a.xlsx", "a.parquet", "a.json", "a.jsonl", "a.csv.gz", "a.txt", "a.tsv"])
def test_predict_reads_and_writes_every_format(name, model, here, infimum):
    write(here / name, rows(6))
    infimum("predict", "model.skops", name, "--out", f"out-{name}")
    from infimum.io import read_table

    assert read_table(here / f"out-{name}", "prediction").y == ["small", "medium", "large"] * 2


def test_predict_reads_stdin(model, here, infimum):
    done = CliRunner().invoke(app, ["predict", "model.skops", "-"], input=text(rows(3), ";"))
    assert done.exit_code == 0, done.output
    assert "stdin: separator ';', encoding utf-8" in done.output
    assert [row["prediction"] for row in table(here / "predictions.csv")] == list(SIZES)


def test_sep_and_encoding_override_the_detected_ones(model, here, infimum):
    (here / "new.csv").write_bytes(text(rows(3), "|").encode("utf-16"))
    infimum("predict", "model.skops", "new.csv", "--sep", "|", "--encoding", "utf-16")
    assert len(table(here / "predictions.csv")) == 3
    said = infimum("predict", "model.skops", "new.csv", "--encoding", "utf-17", code=1)
    assert "There is no encoding 'utf-17'" in said


def test_missing_package_is_named_with_its_extra(model, here, infimum, monkeypatch):
    import importlib.util

    write(here / "a.parquet", rows(3))
    (here / "a.xlsx").write_bytes(b"")
    real = importlib.util.find_spec
    hidden = ("pyarrow", "openpyxl")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name in hidden else real(name, *more))
    for name, package in (("a.parquet", "pyarrow"), ("a.xlsx", "openpyxl")):
        said = infimum("predict", "model.skops", name, code=1)
        assert f'{name} requires the package {package}. Install it with: pip install "infimum[cli]"' in said


def test_ignore_and_column_override_what_is_recognised(here, infimum, as_json):
    (here / "t.csv").write_text(text(rows(30)))
    quick = ("-t", "label", "--weights", "kernel", "--principle", "infimum")
    lines = as_json("fit", "t.csv", *quick, "--ignore", "note", "--ignore", "price", "--column", "created=category")
    assert "note: ignored, left out" in lines["columns"]
    assert "price: ignored, left out" in lines["columns"]
    assert any(line.startswith("created: category") for line in lines["columns"])
    assert "which --column names" in infimum("fit", "t.csv", *quick, "--column", "craeted=date", code=1)
    assert "expected COLUMN=KIND" in infimum("fit", "t.csv", *quick, "--column", "created=day", code=2)


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "none.csv", "-t", "y", "--weights", "kernl"),
        ("fit", "none.csv", "-t", "y", "--principle", "infinum"),
        ("fit", "none.csv", "-t", "y", "--covers", "sets"),
        ("report", "none.csv", "-t", "y", "--kind", "label"),
        ("convert", "none.json", "--from", "labelstudio"),
        ("convert", "none.json", "--from", "votes", "--annotators", "voting"),
        ("studio", "none.csv", "--target", "y", "--strategy", "best"),
    ],
)
def test_values_are_checked_before_any_work(arguments, infimum):
    """The file does not exist, and the message is about the option; it lists the values."""
    said = infimum(*arguments, code=2)
    assert arguments[-1] in said
    assert "is not one of" in said


def values(option) -> set:
    """The values of an option, from its annotation Annotated[Literal[…] | None, …]."""
    kind = get_args(option)[0]
    return {v for each in (kind, *get_args(kind)) for v in get_args(each) if isinstance(v, str)}


def test_choices_are_those_of_the_package():
    assert values(_options.Weights) == {"auto", *BY_NAME}
    table = get_type_hints(_options.TableOptions, include_extras=True)
    assert values(table["meaning"]) == set(CHOICES["meaning"])
    assert values(table["unticked"]) == set(CHOICES["unticked"])
    hints = get_type_hints(studio, include_extras=True)
    assert values(hints["strategy"]) == set(STRATEGIES)


def test_package_can_be_run_as_a_module():
    import infimum as package

    run = subprocess.run([sys.executable, "-m", "infimum", "--version"], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == f"infimum {package.__version__}"


def test_version_and_short_help(infimum):
    import infimum as package

    assert infimum("--version").strip() == f"infimum {package.__version__}"
    assert "--weights" in infimum("fit", "-h")
    assert "kernel|nystrom|linear" in infimum("fit", "-h")


def test_out_equal_to_an_input_is_an_error(model, here, infimum):
    (here / "t.csv").write_text(text(rows(6)))
    before = (here / "t.csv").read_bytes()
    for command in (["fit"], ["clean"], ["report"]):
        said = infimum(*command, "t.csv", "-t", "label", "--out", "t.csv", code=2)
        assert "--out must not be a file that is read" in said
    infimum("predict", "model.skops", "t.csv", "--out", here / "t.csv", code=2)
    os.link(here / "t.csv", here / "link.csv")
    infimum("predict", "model.skops", "t.csv", "--out", "link.csv", code=2)
    infimum("predict", "model.skops", "t.csv", "--out", "model.skops", code=2)
    assert (here / "t.csv").read_bytes() == before


def test_out_is_checked_before_the_table_is_read(infimum):
    assert "--out must end in .skops" in infimum("fit", "none.csv", "-t", "y", "--out", "m.pkl", code=2)
    assert "--out must end in .html" in infimum("report", "none.csv", "-t", "y", "--out", "r.pdf", code=2)
    assert "--out must end in .csv" in infimum("clean", "none.csv", "-t", "y", "--out", "c", code=2)
    assert "there is no folder" in infimum("fit", "none.csv", "-t", "y", "--out", "no/m.skops", code=4)


def test_pipe_is_written_into_and_not_replaced(model, here, infimum):
    (here / "new.csv").write_text(text(rows(3)))
    os.mkfifo(here / "p.csv")
    got = []
    reader = threading.Thread(target=lambda: got.append((here / "p.csv").read_text()))
    reader.start()
    infimum("predict", "model.skops", "new.csv", "--out", "p.csv")
    reader.join(30)
    assert (here / "p.csv").is_fifo()
    assert got[0].count("\n") == 4


def test_wide_votes_do_not_count_ids(here, infimum):
    (here / "wide.csv").write_text("id,ann,bob,chris\n1,cat,cat,owl\n2,dog,,dog\n3,cat,owl,owl\n")
    votes = ("convert", "wide.csv", "--from", "votes", "--annotators", "vote")
    said = infimum(*votes, code=1)
    assert "the column 'id' seems to contain ids of the rows" in said
    assert "--row id" in said
    infimum(*votes, "--row", "id")
    assert [(row["id"], row["label"]) for row in table(here / "labels.csv")] == [
        ("1", "cat"),
        ("2", "dog"),
        ("3", "owl"),
    ]


def test_reproduce_lists_experiments_and_skips_missing_data(here, infimum, monkeypatch):
    from infimum.paper import registry as paper

    assert "pointwise" in infimum("reproduce")
    done = []

    def reproduce(experiment, *arguments, **settings):
        if experiment.name == "rates":
            raise FileNotFoundError("rates.csv is not there.")
        done.append(experiment.name)
        (here / "results").mkdir(exist_ok=True)

    monkeypatch.setattr(paper, "reproduce", reproduce)
    said = infimum("reproduce", "all", "--quick")
    assert "Skipped rates: rates.csv is not there." in said
    assert done == [name for name in paper.NAMES if name != "rates"]
    assert (here / "results" / "index.html").exists()
    assert "rates.csv is not there." in infimum("reproduce", "rates", code=1)


def test_columns_that_a_command_wrote_are_not_features(here, infimum, as_json):
    """fit after clean or predict: what was written depends on the target."""
    lines = [f"{k},{'low|high' if k % 5 == 0 else 'low' if k < 15 else 'high'}" for k in range(30)]
    (here / "t.csv").write_text("\n".join(["size,label", *lines]))
    infimum("clean", "t.csv", "--target", "label", "--weights", "linear")
    fit = ("fit", "clean.csv", "--target", "clean", "--ignore", "label", "--weights", "linear")
    found = as_json(*fit)["columns"]
    assert found[0] == "size: number, 1 feature"
    left_out = {line.split(":")[0] for line in found if line.endswith("written by infimum clean, left out")}
    assert left_out == {"confidence", "tied", "support", "suspect"}
    infimum("predict", "model.skops", "t.csv")
    found = as_json("fit", "predictions.csv", "--target", "label", "--weights", "linear")["columns"]
    assert "prediction: written by infimum predict, left out" in found
    (here / "own.csv").write_text(
        "\n".join(["size,confidence,label", *(f"{k},{line}" for k, line in enumerate(lines))])
    )
    found = as_json("fit", "own.csv", "--target", "label", "--weights", "linear")["columns"]
    assert "confidence: number, 1 feature" in found


PLACES = ("bar", "home", "travel", "work")


def multi_select(path, n=60, separator="|", seed=0):
    """A survey in which people tick places; x decides about "bar" and y about "home", the others are rare."""
    rng = np.random.default_rng(seed)
    lines = ["x,y,where"]
    for x, y in rng.standard_normal((n, 2)):
        ticked = [name for name, there in zip(PLACES, (x > 0, y > 0, x + y > 1.5, True)) if there]
        lines.append(f'{x:.3f},{y:.3f},"{separator.join(ticked)}"')
    path.write_text("\n".join(lines) + "\n")


def test_multi_select_columns_of_text_are_learned_with_the_default_model(here, infimum, as_json):
    multi_select(here / "survey.csv")
    multi_select(here / "new.csv", n=40, seed=1)
    options = ("--target", "where", "--meaning", "all_of", "--unticked", "no")
    found = as_json("fit", "survey.csv", *options)
    assert (found["kind"], found["classes"]) == ("tags", list(PLACES))
    assert not found["notes"]
    infimum("predict", "model.skops", "new.csv")
    with open(here / "predictions.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert np.mean([("+bar" in row["prediction"]) == ("bar" in row["where"]) for row in rows]) > 0.8
    # `score` reads the cells as `fit` did, and tags that no cell of its table lists are absent, too
    (here / "few.csv").write_text("x,y,where\n-2,-2,work\n-1,-2,work\n")
    scores = as_json("score", "model.skops", "few.csv")
    assert (scores["rows"], scores["exact"], scores["agreement"]) == (2, 2, 1)


def test_multi_select_names_are_merged_before_the_others_are_absent(here, as_json):
    (here / "a.csv").write_text("x,y\n" + "0,home;travel\n1,Home\n2,travel;home\n" * 8)
    read = ("--target", "y", "--kind", "tags", "--unticked", "no", "--separator", ";", "--weights", "linear")
    found = as_json("clean", "a.csv", *read, "--merge-classes")
    assert found["merged"]
    with open(here / "clean.csv", encoding="utf-8") as file:
        cells = [row["clean"] for row in csv.DictReader(file)]
    assert cells[:3] == ["+home +travel", "+home -travel", "+home +travel"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--kind", "labels", "--meaning", "all_of"], "Got --kind labels. Pass --kind tags"),
        (["--unticked", "no"], "Pass --meaning all_of, too"),
        (["--kind", "tags"], "--unticked no       ->  {'bar': True, 'home': True, 'travel': False, 'work': False}"),
        (["--meaning", "order", "--target", "z"], "'a>b' is written as ranking already"),
        (["--meaning", "known_tags", "--target", "commas"], "pass --separator ,. Otherwise list all names"),
    ],
)
def test_contradictory_meanings_are_errors(options, message, here, infimum):
    row = '0,bar|home,a>b,"a, b"\n1,travel|work,a>b,"b, c"\n'
    (here / "a.csv").write_text("x,y,z,commas\n" + row * 5)
    target = [] if "--target" in options else ["--target", "y"]
    assert message in infimum("fit", "a.csv", *target, *options, code=1)
