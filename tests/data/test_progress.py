"""Progress: shown on stderr, with the time left, only when asked, and ended when the loop is left."""

import re
import sys

import pytest

from infimum.data.progress import track


def test_nothing_is_shown_and_nothing_imported_unless_asked(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert list(track(iter("abc"), "letters", 3)) == ["a", "b", "c"]
    assert capsys.readouterr() == ("", "")


def test_count_label_and_time_left_are_shown_on_stderr(capsys, monkeypatch):
    now = iter(range(0, 10**6, 60))  # a clock that goes on by a minute whenever it is looked at
    monkeypatch.setattr("tqdm.std.time", lambda: float(next(now)))
    monkeypatch.setattr("tqdm.tqdm.monitor_interval", 0)
    assert list(track(iter(range(4)), "settings", 4, verbose=1, seconds=0)) == [0, 1, 2, 3]
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = shown.err.split("\r")
    halfway = next(line for line in lines if "| 2/4 [" in line)
    assert halfway.startswith("settings:  50%|")
    elapsed, left = halfway.split("[")[1].split(",")[0].split("<")
    assert re.fullmatch(r"\d+:\d\d", elapsed)
    assert re.fullmatch(r"0[1-9]:\d\d", left)  # minutes; the rate is smoothed
    assert "| 4/4 [" in shown.err
    assert shown.err.endswith("\n")


def test_a_number_of_items_that_is_not_known(capsys):
    assert list(track(iter("ab"), "blocks", None, verbose=1)) == ["a", "b"]
    assert "blocks: 2it [" in capsys.readouterr().err


def test_a_loop_that_fails_ends_its_line(capsys):
    def items():
        yield 1
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        list(track(items(), "blocks", 3, verbose=1))
    assert capsys.readouterr().err.endswith("\n")
