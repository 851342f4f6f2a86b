"""The journal of the studio: answers survive crashes, failed writes and changes of the table."""

import json
import os

import pytest
from studio_process import opened

from infimum import InputError
from infimum.active.studio import Journal


def test_answer_is_synced_before_it_returns(table, monkeypatch):
    session = opened(table)
    synced = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (synced.append(session.journal.path.read_text()), real(handle))[1])
    session.answer("12345678", "me", {"type": "Is", "row": 0, "about": "cat"}, True)
    assert json.loads(synced[-1].splitlines()[-1])["id"] == "12345678"
    monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError("no space")))
    with pytest.raises(OSError, match="no space"):
        session.answer("23456789", "me", {"type": "Is", "row": 2, "about": "cat"}, True)
    assert len(session.pool.entries) == 1  # not acknowledged, and not counted
    assert session.pool.sets.is_unlabelled[2]


def test_restart_restores_answers_and_drops_a_torn_line(table):
    session = opened(table)
    session.answer("11111111", "me", {"type": "Is", "row": 0, "about": "cat"}, True)
    session.answer("22222222", "you", {"type": "OneOf", "row": 2, "about": ["cat", "owl"]}, False)
    session.answer("33333333", "me", {"type": "Is", "row": 3, "about": "dog"}, None)
    session.undo("me", "11111111")
    texts = [session.pool.sets.format(row) for row in range(4)]
    session.close()
    path = session.journal.path
    whole = path.read_bytes()
    for cut in range(1, 60):  # killed while the last line was being written
        path.write_bytes(whole + b'{"id": "44444444", "who": "me", "question": {"type": "Is"'[:cut])
        again = opened(table)
        assert [again.pool.sets.format(row) for row in range(4)] == texts
        assert [entry.id for entry in again.pool.entries] == ["22222222", "33333333"]
        again.close()
        if cut % 20 != 1:
            path.write_bytes(whole)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], "{no json", *lines[1:]]) + "\n")
    with pytest.raises(InputError, match="line 2: this is not JSON"):
        opened(table)


def test_journal_of_another_task_raises(table):
    session = opened(table)
    with pytest.raises(InputError, match="open in another studio"):
        opened(table)
    session.close()
    path = session.journal.path
    with pytest.raises(InputError, match="its target is 'label', and that of this table is 'other'"):
        Journal(path, {"target": "other", "kind": "labels"})
    assert opened(table).pool.entries == []


def test_answer_counts_once_and_contradictions_raise(table):
    session = opened(table)
    first = {"type": "Is", "row": 0, "about": "cat"}
    session.answer("11111111", "me", first, True)
    session.answer("11111111", "me", first, True)  # sent again: the acknowledgement was lost
    assert len(session.pool.entries) == 1
    size = session.journal.path.stat().st_size
    with pytest.raises(InputError, match=r"Is it dog\? yes contradicts .* Is it cat\? yes"):
        session.answer("22222222", "me", {"type": "Is", "row": 0, "about": "dog"}, True)
    with pytest.raises(InputError, match=r"The table has cat \| dog for row 1"):  # the file says cat or dog
        session.answer("33333333", "you", {"type": "Is", "row": 1, "about": "owl"}, True)
    assert session.journal.path.stat().st_size == size
    session.undo("me")
    with pytest.raises(InputError, match="withdrawn"):
        session.answer("11111111", "me", first, True)
    assert session.undo("me") == []
    session.answer("22222222", "you", {"type": "Is", "row": 0, "about": "dog"}, True)


def test_failed_write_leaves_the_journal_as_it_was(table, monkeypatch):
    """A full disk cuts a line: the file is cut to its old end, and later answers are kept."""
    session = opened(table)
    session.answer("11111111", "me", {"type": "Is", "row": 0, "about": "cat"}, True)
    before = session.journal.path.read_bytes()
    real = os.write
    for cut in (0, 1, 50, 150):
        written = []

        def full(handle, data, cut=cut, written=written):
            if written:
                raise OSError(28, "No space left on device")
            written.append(real(handle, data[:cut]))
            return written[0]

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full)
            with pytest.raises(OSError, match="No space"):
                session.answer(f"2222222{cut}", "me", {"type": "Is", "row": 2, "about": "cat"}, True)
        assert session.journal.path.read_bytes() == before
    session.answer("33333333", "me", {"type": "Is", "row": 3, "about": "dog"}, True)
    session.close()
    again = opened(table)
    assert [entry.id for entry in again.pool.entries] == ["11111111", "33333333"]


@pytest.mark.parametrize("text", ["notes about the data", "a,b\n1,2\n", '{"a": 1}\n', "x", '{"studio": 2, "n": 3}\n'])
def test_journal_does_not_touch_other_files(table, text):
    path = table.with_name("notes.txt")
    path.write_text(text)
    with pytest.raises(InputError, match="is not a journal of this version"):
        Journal(path, {"target": "label"})
    assert path.read_text() == text
    with pytest.raises(InputError, match="not a regular file"):
        Journal(table.parent, {"target": "label"})


def test_journal_keeps_a_complete_last_line_without_its_end(table):
    session = opened(table)
    session.answer("11111111", "me", {"type": "Is", "row": 0, "about": "cat"}, True)
    session.close()
    path = session.journal.path
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    again = opened(table)
    again.answer("22222222", "me", {"type": "Is", "row": 2, "about": "cat"}, True)
    again.close()
    assert [entry.id for entry in opened(table).pool.entries] == ["11111111", "22222222"]


@pytest.mark.parametrize(
    "line",
    [
        "5", "null", "[]", '{"question": {"type": "Is"}}', '{"id": "1", "question": 5, "key": 0}', '{"point": null}',
        '{"progress": {"cost": 1}}', '{"row": 5}', '{"row": {"key": [], "cells": {}}}', '{"a": NaN}', "[" * 100000,
    ],
)  # fmt: skip
def test_journal_with_lines_of_others_raises_with_their_number(table, line):
    session = opened(table)
    session.answer("11111111", "me", {"type": "Is", "row": 0, "about": "cat"}, True)
    session.close()
    path = session.journal.path
    number = len(path.read_text().splitlines()) + 1
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(InputError, match=f"line {number}"):
        opened(table)


def rows_of(table):
    head, *rows = table.read_text(encoding="utf-8").splitlines()
    return head, rows


def answered(session):
    """Return the answered rows by their text, with what was answered."""
    return {session.task.rows[e.question.row]["text"]: e.answer for e in session.pool.entries}


def test_answers_survive_changes_of_the_table(table):
    """Rows are appended, edited, reordered and removed; a column is added. Answers that fit are taken over."""
    session = opened(table)
    for k in (0, 2, 3, 6):
        session.answer(f"{k:08d}", "me", {"type": "Is", "row": k, "about": "cat"}, True)
    session.answer("99999999", "me", {"type": "OneOf", "row": 1, "about": ["cat"]}, True)
    before = answered(session)
    session.close()
    head, rows = rows_of(table)
    changed = [row + ",new" for row in [*rows[::-1], "9,roars 99,"]]
    table.write_text("\n".join([head + ",extra", *changed]) + "\n", encoding="utf-8")
    again = opened(table)
    assert answered(again) == before
    assert (again.left_out, again.edited) == ([], [])
    again.answer("44444444", "you", {"type": "Is", "row": 24, "about": "owl"}, True)
    again.close()
    # one row is gone, a cell of another is edited, and the label of a third contradicts its answer
    rows.remove("0,barks 0,")
    rows = [row.replace("2,barks 2,", "7,barks 2,").replace("1,purrs 1,cat|dog", "1,purrs 1,dog|owl") for row in rows]
    table.write_text("\n".join([head, *rows, "9,roars 99,"]) + "\n", encoding="utf-8")
    last = opened(table)
    assert answered(last) == {"barks 2": True, "purrs 3": True, "barks 6": True, "roars 99": True}
    assert [last.task.rows[row]["text"] for row in last.edited] == ["barks 2"]
    reasons = sorted((one["id"], one["reason"]) for one in last.left_out)
    assert reasons[0] == ("00000000", "the row is no longer in the table")
    assert reasons[1][0] == "99999999"
    assert "cat" in reasons[1][1]
    last.close()


def test_rows_with_ids_are_found_by_their_ids(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,text,label\n" + "".join(f"F{k},same,\n" for k in range(6)))
    session = opened(path)
    session.answer("11111111", "me", {"type": "Is", "row": 4, "about": "cat"}, True)
    session.close()
    path.write_text("id,text,label\n" + "".join(f"F{k},other {k},\n" for k in (5, 4, 9)))
    again = opened(path)
    assert [entry.question.row for entry in again.pool.entries] == [1]
    assert again.edited == [1]
