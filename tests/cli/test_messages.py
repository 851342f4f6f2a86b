"""Messages and exit codes of the commands: recognised kinds, ambiguous meaning, errors by file, line and column."""

import json
import os
import re
import signal

import pytest

import infimum as package
from infimum.cli._kind import recognise
from infimum.data.errors import InputError
from infimum.outputs.numbers.text import parse_interval
from infimum.selection import record as searching

from . import sources

PLACES = ["a.csv, line 2", "a.csv, line 3", "a.csv, line 4"]


@pytest.mark.parametrize(
    "cells, kind",
    [
        (["cat", "dog|cat", "!owl"], "labels"),
        (["cat", None, "a-b"], "labels"),
        (["x86", "3d", "4"], "labels mixed"),
        (["[1,2]", ">=3", "2.5"], "number"),
        (["[-2,-1]|[1,2]", "<0.1", "-1e-3"], "number"),
        ([1.5, 2.0, None], "number"),
        (["+red -round", "-red", "+red"], "tags"),
        (["+red, -round", None, "-a"], "tags"),
        (["a>b>c, d>e", "a>{b,c}>d", "b<a"], "ranking"),
        (["1", "2", "3"], "whole"),
        (["1|2", "2", "!1"], "whole"),
        ([1, 2, None], "whole"),
        ([None, None, None], "empty"),
        (["a>b", "cat", None], "mixed"),
        (["1.5", "cat", None], "mixed"),
    ],
)
def test_recognise_kind_or_raise(cells, kind):
    if kind in ("labels", "number", "tags", "ranking"):
        assert recognise("a.csv", "y", cells, PLACES) == kind
        return
    match = {"whole": "--kind labels or --kind number", "empty": "is empty"}.get(kind, "several ways.*line 2.*line 3")
    if kind == "labels mixed":
        match = "several ways.*line 2: 'x86' looks like labels; a.csv, line 4: '4' looks like number"
    with pytest.raises(ValueError, match=match):
        recognise("a.csv", "y", cells, PLACES)


@pytest.fixture
def alarm():
    """Fail the test if it takes half a minute: these cells took minutes with ambiguous regular expressions."""

    def fail(*_):
        raise AssertionError("recognising a cell takes more than linear time")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    "cell, kind",
    [
        ("abcdefghij" * 200, "labels"),
        ("|".join(["abcdefghi"] * 200), "labels"),
        ("|".join(["12"] * 666) + "x", "labels"),
        ("|".join(["123456"] * 285) + "x", "labels"),
        ("1" * 1000 + "-" + "1" * 1000 + "x", "labels"),
        (" " * 1999 + "x", "labels"),
        (" +a" * 666, "tags"),
        ("a" * 1000 + ">" + "b" * 999, "ranking"),
    ],
)
def test_recognise_long_cells_in_linear_time(alarm, cell, kind):
    assert recognise("a.csv", "y", [cell], ["line 2"]) == kind
    assert len(cell) >= 1990


def test_parse_long_numbers_in_linear_time(alarm):
    with pytest.raises(InputError, match=r"cannot read '1+\.\.\.1+x' as a number"):
        parse_interval("1" * 1000 + "-" + "1" * 1000 + "x")


def test_convert_asks_for_meaning_by_option(here, infimum):
    sources.label_studio(here / "export.json")
    said = infimum("convert", "export.json", "--from", "label-studio", code=1)
    assert "--meaning one_of" in said
    assert "{'dog', 'owl'}" in said
    assert "meaning=" not in said
    assert not (here / "labels.csv").exists()


def refused(infimum, here, text: str, *arguments: str, code: int = 1, name: str = "a.csv") -> str:
    (here / name).write_text(text)
    said = infimum("fit", name, *arguments, "--weights", "kernel", "--principle", "infimum", code=code)
    assert not (here / "model.skops").exists()
    assert "Traceback" not in said
    return " ".join(said.split())


def test_fit_errors_name_file_line_and_column(here, infimum):
    good = "x,label\n0,cat\n1,dog\n2,cat|dog\n"
    assert "a.csv: name the target column with --target. Its columns are x, label." in refused(infimum, here, good)
    said = refused(infimum, here, good, "-t", "lable")
    assert "a.csv has no column 'lable', which --target names. Its columns are x, label." in said
    said = refused(infimum, here, good, "-t", "label", "--ignore", "z")
    assert "has no column 'z', which --ignore names" in said
    alone = refused(infimum, here, "label\ncat\ndog\n", "-t", "label")
    assert "a.csv has no feature columns besides label" in alone
    said = refused(infimum, here, "x,y\n0,\"[2,1]\"\n1,0.5\n", "-t", "y", "--kind", "number")
    assert "a.csv" in said
    assert "line 2: the lower bound is above the upper one" in said
    said = refused(infimum, here, "x,y\n0,1.5\n1e999,0.5\n2,1.5\n", "-t", "y", "--kind", "number")
    assert "a.csv, line 3: the column 'x' must contain finite numbers. Got '1e999'" in said
    said = refused(infimum, here, "x,y\n0,1.5\n1e308,0.5\n2,1.5\n", "-t", "y", "--kind", "number")
    assert "a.csv, line 3: the column 'x' must contain numbers up to 1e+150. Got '1e308'" in said
    said = refused(infimum, here, good, "-t", "label", "--kind", "label", code=2)
    assert all(kind in said for kind in ("labels", "tags", "ranking", "number", "vector", "mask"))
    assert "empty" in refused(infimum, here, "x,label\n0,\n1,\n", "-t", "label")
    assert "constant" in refused(infimum, here, "x,label\n1,cat\n1,dog\n", "-t", "label")


def test_fit_raises_on_invalid_tables(here, infimum):
    assert infimum("fit", "none.csv", "-t", "y", code=1).strip() == "There is no file none.csv."
    assert "the name of a table ends in" in infimum("fit", "a.docx", "-t", "y", code=1)
    (here / "a.csv").write_bytes(b"\xff\xfe\x00")
    assert "a.csv" in infimum("fit", "a.csv", "-t", "y", code=1)
    (here / "folder.csv").mkdir()
    assert infimum("fit", "folder.csv", "-t", "y", code=1).count("\n") == 1


def test_predict_raises_on_invalid_models(here, infimum):
    sources.tags(here / "t.csv", 12)
    assert infimum("predict", "m.skops", "t.csv", code=1).strip() == "There is no file m.skops."
    (here / "m.skops").write_bytes(b"no model")
    assert "m.skops is not a model that `infimum fit` wrote" in infimum("predict", "m.skops", "t.csv", code=1)
    infimum("fit", "t.csv", "--target", "tags", "--weights", "linear", "--out", "m.skops")
    (here / "m.skops").write_bytes((here / "m.skops").read_bytes()[:-1000])
    text = infimum("predict", "m.skops", "t.csv", code=1)
    assert "m.skops is damaged or incomplete (BadZipFile). Copy it again" in text
    import skops.io
    from sklearn.preprocessing import StandardScaler

    skops.io.dump(StandardScaler(), "m.skops")
    assert "It contains StandardScaler" in infimum("score", "m.skops", "t.csv", code=1)


class Evil:
    """A type that nobody trusts."""


def test_predict_does_not_load_untrusted_types(here, infimum):
    import skops.io

    sources.tags(here / "t.csv", 12)
    skops.io.dump(Evil(), "m.skops")
    said = infimum("predict", "m.skops", "t.csv", code=1)
    assert "contains types that are not trusted, so it is not loaded" in said
    assert "Evil" in said


def test_predict_names_missing_and_existing_columns(here, infimum):
    sources.tags(here / "t.csv", 20)
    infimum("fit", "t.csv", "-t", "tags", "--weights", "kernel", "--principle", "infimum")
    (here / "new.csv").write_text("u\n1.0\n")
    shown = infimum("predict", "model.skops", "new.csv", code=1)
    assert "The table has no column 'v', which the model was fitted on. Its columns are 'u'." in shown
    (here / "new.csv").write_text("u,v,prediction\n1.0,2.0,x\n")
    assert "has a column 'prediction' already" in infimum("predict", "model.skops", "new.csv", code=1)
    (here / "new.csv").write_text("v,other,u\n1.0,2.0,0.5\n")
    infimum("predict", "model.skops", "new.csv")


def test_a_model_of_a_later_version_is_used_with_a_note(here, infimum, as_json, monkeypatch):
    sources.tags(here / "t.csv", 12)
    with monkeypatch.context() as later:
        later.setattr(package, "__version__", "99.0")
        infimum("fit", "t.csv", "-t", "tags", "--out", "later.skops")
        assert as_json("predict", "later.skops", "t.csv")["notes"] == []
    for command in ("predict", "score"):
        assert "later.skops was written by infimum 99.0, and this is" in infimum(command, "later.skops", "t.csv")


def test_invalid_options_exit_with_2(here, infimum):
    infimum("fit", code=2)
    infimum("convert", "a.json", "--from", "excel", code=2)
    said = infimum("convert", "a.json", "--from", "prodigy", "--task", "T0", code=2)
    assert "--task does not apply to files of prodigy" in said
    assert "--out must end in" in infimum("convert", "a.json", "--from", "prodigy", "--out", "a.docx", code=2)


def test_fit_interrupted_writes_best_model(here, infimum, as_json, monkeypatch):
    """The signal itself, in the middle of the third comparison."""
    sources.tags(here / "t.csv", 30)
    original, seen = searching.evaluate, []

    def interrupted(*arguments):
        for one in original(*arguments):
            seen.append(one)
            if len(seen) == 3:
                os.kill(os.getpid(), signal.SIGINT)
            yield one

    monkeypatch.setattr(searching, "evaluate", interrupted)
    found = as_json("fit", "t.csv", "-t", "tags", "--principle", "infimum", code=3)
    assert found["complete"] is False
    assert any("The search stopped" in note for note in found["notes"])
    monkeypatch.undo()
    os.chdir(here)
    infimum("predict", "model.skops", "t.csv")


def test_fit_interrupted_early_writes_nothing(here, infimum, monkeypatch):
    sources.tags(here / "t.csv", 30)

    def interrupted(*arguments):
        os.kill(os.getpid(), signal.SIGINT)
        yield

    monkeypatch.setattr(searching, "evaluate", interrupted)
    said = infimum("fit", "t.csv", "-t", "tags", "--principle", "infimum", code=130)
    assert said.strip() == "Interrupted. Nothing was written."
    assert not (here / "model.skops").exists()


def test_help_lists_commands(infimum):
    said = infimum("--help")
    for command in ("fit", "predict", "score", "clean", "report", "convert", "reproduce"):
        assert f" {command} " in said
        assert "--help" in infimum(command, "--help")


def test_exports_that_are_not_json_are_named(infimum, here):
    (here / "tasks.csv").write_text('id,text,label\n1,hi,"{""choices"": [""cat""]}"\n')
    said = infimum("convert", "tasks.csv", "--from", "label-studio", code=1)
    assert "tasks.csv is not JSON. It begins with 'id,text,label" in said
    assert "Export it as JSON" in said


@pytest.mark.usefixtures("undrawn")
def test_lists_of_numbers_are_cells_of_their_kind_and_ask_for_options_otherwise(infimum, here):
    """A report reads them as fit does; the question names options of the command line."""
    rows = [{"x": k, "bounds": [k, k + 2], "place": [k, -k]} for k in range(12)]
    (here / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    for target, kind in (("bounds", "number"), ("place", "vector")):
        infimum("report", "t.jsonl", "--target", target, "--kind", kind, "--feature", "x")
    assert "Choose one with --meaning" in infimum("fit", "t.jsonl", "--target", "bounds", code=1)


@pytest.mark.parametrize("command", ["fit", "predict", "score", "clean", "report", "convert", "studio", "reproduce"])
def test_help_shows_words_instead_of_python_types(infimum, command):
    """Metavars are words, closed sets of values are listed, and each command has an example."""
    said = infimum(command, "--help")
    assert not re.search(r"<(bool|str|path|int|float|list)\b", said)
    assert "Example: infimum" in said or command == "reproduce"


def test_messages_name_options_instead_of_arguments(here, infimum):
    (here / "t.csv").write_text('x,y\n1,"a>b, b>c, c>a"\n2,a>b\n3,b>c\n4,c>a\n')
    text = infimum("fit", "t.csv", "--target", "y", code=1)
    assert "set --contradictions majority" in text
    assert "contradictions=" not in text


def test_fit_shows_how_cells_with_several_names_are_read(here, infimum):
    """Multi-select answers and candidates look alike, so a line says which of the two was assumed."""
    with open(here / "places.csv", "w") as file:
        file.write("age,places\n" + "\n".join(f"{k},{'bar|home' if k < 20 else 'home'}" for k in range(40)))
    fit = ("fit", "places.csv", "--target", "places", "-q")
    assumed = "20 cells such as 'bar|home': one of the names; if all apply, pass --meaning all_of"
    assert assumed in " ".join(infimum(*fit).split())
    for option in (("--meaning", "one_of"), ("--kind", "labels")):
        assert "if all apply" not in infimum(*fit, *option)


def test_words_for_no_answer_beside_rankings_are_named(here, infimum):
    with open(here / "farms.csv", "w") as file:
        file.write("x,pref\n" + "\n".join(f"{k},{'a>b>c' if k % 9 else 'not sure'}" for k in range(30)))
    found = infimum("fit", "farms.csv", "--target", "pref", code=1)
    assert 'pass --missing "not sure"' in " ".join(found.split())


def test_columns_of_a_wide_table_share_lines(here, infimum):
    """The column that was not read as a number is not lost among a hundred lines."""
    numbers = [",".join(f"{(k * j) % 7 / 10}" for j in range(1, 101)) for k in range(30)]
    rows = [f"{cells},{'x' if k % 3 else 'y'},{k % 2}a" for k, cells in enumerate(numbers)]
    (here / "wide.csv").write_text(",".join(f"m{j}" for j in range(1, 101)) + ",odd,label\n" + "\n".join(rows))
    lines = infimum("fit", "wide.csv", "--target", "label", "--weights", "linear", "-q").splitlines()
    assert sum(" feature" in line for line in lines) <= 3
    assert any("m1 … m100 (" in line and "number, 1 feature" in line for line in lines)
    assert any("odd: category, 2 features" in line for line in lines)
