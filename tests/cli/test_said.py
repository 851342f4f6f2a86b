"""What the commands say: kinds recognised, meaning asked for, errors by file, line and column, exit codes."""

import os
import signal

import pytest

from infimum.cli._kind import recognise
from infimum.selection import search as searching

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
        (["a>b>c, d>e", "a>{b,c}>d", "b<a"], "order"),
        (["1", "2", "3"], "whole"),
        (["1|2", "2", "!1"], "whole"),
        ([1, 2, None], "whole"),
        ([None, None, None], "empty"),
        (["a>b", "cat", None], "mixed"),
        (["1.5", "cat", None], "mixed"),
    ],
)
def test_kinds_are_recognised_or_asked_for(cells, kind):
    if kind in ("labels", "number", "tags", "order"):
        assert recognise("a.csv", "y", cells, PLACES) == kind
        return
    match = {"whole": "--kind labels or --kind number", "empty": "is empty"}.get(kind, "several ways.*line 2.*line 3")
    if kind == "labels mixed":
        match = "several ways.*line 2: 'x86' looks like labels; a.csv, line 4: '4' looks like number"
    with pytest.raises(ValueError, match=match):
        recognise("a.csv", "y", cells, PLACES)


def test_meaning_is_asked_for_in_the_words_of_the_command(here, infimum):
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


def test_errors_name_file_line_and_column(here, infimum):
    good = "x,label\n0,cat\n1,dog\n2,cat|dog\n"
    assert "a.csv: name the column of sets with --target. Its columns are x, label." in refused(infimum, here, good)
    said = refused(infimum, here, good, "-t", "lable")
    assert "a.csv has no column 'lable', which --target names. Its columns are x, label." in said
    said = refused(infimum, here, good, "-t", "label", "--drop", "z")
    assert "has no column 'z', which --drop names" in said
    alone = refused(infimum, here, "label\ncat\ndog\n", "-t", "label")
    assert "a.csv has no column to learn from beside label" in alone
    said = refused(infimum, here, "x,y\n0,\"[2,1]\"\n1,0.5\n", "-t", "y", "--kind", "number")
    assert "a.csv" in said
    assert "line 2: the lower bound is above the upper one" in said
    said = refused(infimum, here, "x,y\n0,1.5\n1e999,0.5\n2,1.5\n", "-t", "y", "--kind", "number")
    assert "a.csv, line 3: the column 'x' must hold finite numbers, got inf" in said
    assert "--kind must be one of labels, tags, order, number. Got 'label'." in refused(
        infimum, here, good, "-t", "label", "--kind", "label"
    )
    assert "empty" in refused(infimum, here, "x,label\n0,\n1,\n", "-t", "label")
    assert "constant" in refused(infimum, here, "x,label\n1,cat\n1,dog\n", "-t", "label")


def test_files_that_are_no_tables(here, infimum):
    assert infimum("fit", "none.csv", "-t", "y", code=1).strip() == "There is no file none.csv."
    assert "the name of a table ends in" in infimum("fit", "a.docx", "-t", "y", code=1)
    (here / "a.csv").write_bytes(b"\xff\xfe\x00")
    assert "a.csv" in infimum("fit", "a.csv", "-t", "y", code=1)
    (here / "folder.csv").mkdir()
    assert infimum("fit", "folder.csv", "-t", "y", code=1).count("\n") == 1


def test_models_that_are_no_models(here, infimum):
    sources.tags(here / "t.csv", 12)
    assert infimum("predict", "m.skops", "t.csv", code=1).strip() == "There is no file m.skops."
    (here / "m.skops").write_bytes(b"no model")
    assert "m.skops is no model that `infimum fit` wrote" in infimum("predict", "m.skops", "t.csv", code=1)
    import skops.io
    from sklearn.preprocessing import StandardScaler

    skops.io.dump(StandardScaler(), "m.skops")
    assert "it holds StandardScaler" in infimum("score", "m.skops", "t.csv", code=1)


class Evil:
    """A type that nobody trusts."""


def test_a_model_with_types_of_others_is_not_loaded(here, infimum):
    import skops.io

    sources.tags(here / "t.csv", 12)
    skops.io.dump(Evil(), "m.skops")
    said = infimum("predict", "m.skops", "t.csv", code=1)
    assert "holds types that are not trusted, so it is not loaded" in said
    assert "Evil" in said


def test_predict_names_columns_that_are_missing_or_taken(here, infimum):
    sources.tags(here / "t.csv", 20)
    infimum("fit", "t.csv", "-t", "tags", "--weights", "kernel", "--principle", "infimum")
    (here / "new.csv").write_text("u\n1.0\n")
    assert "The table misses 'v'. Its columns are 'u'." in infimum("predict", "model.skops", "new.csv", code=1)
    (here / "new.csv").write_text("u,v,prediction\n1.0,2.0,x\n")
    assert "has a column 'prediction' already" in infimum("predict", "model.skops", "new.csv", code=1)
    (here / "new.csv").write_text("v,other,u\n1.0,2.0,0.5\n")
    infimum("predict", "model.skops", "new.csv")


def test_usage_is_exit_code_two(here, infimum):
    infimum("fit", code=2)
    infimum("convert", "a.json", "--from", "excel", code=2)
    said = infimum("convert", "a.json", "--from", "prodigy", "--task", "T0", code=2)
    assert "--task is not for files of prodigy" in said
    assert "--out must end in" in infimum("convert", "a.json", "--from", "prodigy", "--out", "a.txt", code=2)


def test_ctrl_c_keeps_the_best_model_so_far(here, infimum, as_json, monkeypatch):
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
    assert any("ended early" in note for note in found["notes"])
    monkeypatch.undo()
    os.chdir(here)
    infimum("predict", "model.skops", "t.csv")


def test_ctrl_c_before_anything_was_compared_writes_nothing(here, infimum, monkeypatch):
    sources.tags(here / "t.csv", 30)

    def interrupted(*arguments):
        os.kill(os.getpid(), signal.SIGINT)
        yield

    monkeypatch.setattr(searching, "evaluate", interrupted)
    said = infimum("fit", "t.csv", "-t", "tags", "--principle", "infimum", code=130)
    assert said.strip() == "Interrupted: nothing was written."
    assert not (here / "model.skops").exists()


def test_help_names_every_command(infimum):
    said = infimum("--help")
    for command in ("fit", "predict", "score", "clean", "report", "convert", "reproduce"):
        assert f" {command} " in said
        assert "--help" in infimum(command, "--help")
