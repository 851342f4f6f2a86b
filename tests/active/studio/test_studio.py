"""The studio without a browser: access, storage of answers, crashes, exports."""

import asyncio
import hashlib
import json
import os
import socket
import ssl
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from studio_process import certificate, digits_table

from infimum import InputError
from infimum.active import QuestionSelector
from infimum.active.studio import Journal, Session, read_task
from infimum.active.studio.export import FORMATS, cells_of, export
from infimum.active.studio.pool import TableContradiction
from infimum.active.studio.server import listening
from infimum.active.studio.views import (
    guess_view,
    people_view,
    question_view,
    review_view,
    row_view,
    state_view,
    sure_view,
    task_view,
)
from infimum.io import read_table


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "pets.csv"
    rows = [f"{k % 4},{'purrs' if k % 2 else 'barks'} {k},{['', 'cat|dog', '', ''][k % 4]}" for k in range(24)]
    path.write_text("\n".join(["size,text,label", *rows]) + "\n", encoding="utf-8")
    return path


def opened(table, **settings):
    task = read_task(table, "label", classes=["cat", "dog", "owl"])
    journal = Journal(table.with_name("journal.jsonl"), task.header())
    return Session(task, journal, background=False, **settings)


def test_guard_rejects_other_origins_hosts_and_tokens(table, studio):
    server = studio(table, "--target", "label", "--classes", "cat,dog,owl")
    body = {"who": "me", "id": "12345678", "question": {"type": "Is", "row": 0, "about": "cat"}, "answer": True}
    own = f"127.0.0.1:{server.port}"
    rejected = [
        server.call("/api/state", X_Token=None),
        server.call("/api/state", X_Token="guess"),
        server.call("/", X_Token=None),
        server.call("/api/state", Host=f"evil.example:{server.port}"),  # DNS that points here
        server.call("/api/state", Host="127.0.0.1"),
        server.call("/api/answer", body, Origin="http://evil.example"),
        server.call("/api/answer", body, Origin=f"https://{own}"),
        server.call("/api/answer", body, Origin="null"),
        server.call("/api/answer", body, Origin="http://[::1"),  # not an address
        server.call("/api/answer", body, Origin=None),  # another program
        server.call("/api/answer", body, X_Token=None),
    ]
    assert [status for status, _ in rejected] == [403] * len(rejected)
    assert all("cat" not in str(body) for _, body in rejected)
    assert len([line for line in server.journal() if "question" in line]) == 0
    assert server.call("/api/answer", body)[0] == 200
    local = f"localhost:{server.port}"
    assert server.call("/api/answer", body, Origin=f"http://{local}", Host=local)[0] == 200
    assert server.call("/api/answer", {**body, "who": ""})[0] == 400
    assert server.call("/api/answer", b"{")[0] == 400
    assert server.call("/api/answer", b"[" + b"1," * 2**16 + b"1]")[0] == 413
    assert server.call("/api/answer", {**body, "id": "x"})[0] == 422
    far = {"type": "Is", "row": 99, "about": "cat"}
    assert server.call("/api/answer", {**body, "id": "87654321", "question": far})[0] == 422
    assert server.call("/api/answer", {**body, "id": "87654321", "answer": False})[0] == 409
    assert server.call("/export/colour")[0] == 422
    assert server.call("/image/0/text")[0] == 404
    assert server.call(f"/image/{'9' * 5000}/text")[0] == 404
    assert server.call("/api/answer", b"[" * 30000)[0] == 400
    assert server.call("/api/answer", b'{"a":' * 10000)[0] == 400
    assert server.call("/api/answer", b'{"who": "me", "seconds": NaN}')[0] == 400
    for wrong in ({"row": -1}, {"row": 10**30}, {"row": True}, {"about": None}, {"about": [[]]}, {"about": {"a": 1}},
                  {"type": ["Is"]}, {"row": "0"}):  # fmt: skip
        question = {"type": "Is", "row": 2, "about": "cat", **wrong}
        assert server.call("/api/answer", {**body, "id": "87654321", "question": question})[0] in (400, 422), wrong
    for answer in ([], {}, [[1]], "no", 7, 1e308):
        wrong = {"id": "87654321", "question": {"type": "FullLabel", "row": 2}, "answer": answer}
        assert server.call("/api/answer", {**body, **wrong})[0] in (400, 422), answer
    assert server.call("/api/answer", {**body, "who": "a\nb"})[0] == 400
    assert server.call("/api/skip", {"who": "me", "row": "x"})[0] == 422
    assert server.call("/api/accept", {"who": "me", "id": "12345679", "answers": [[0]]})[0] == 400
    for path in ("guess?row=99", "guess?row=x", "next?who=me&row=-4", "next?who=me&kind=Colour", "answers?offset=x"):
        assert server.call(f"/api/{path}")[0] in (400, 422), path
    assert len([line for line in server.journal() if "question" in line]) == 1
    assert server.call("/")[1].startswith(b"<!doctype html>")


def test_image_stays_in_the_folder_of_the_table(tmp_path):
    table, _ = digits_table(tmp_path, 3)
    (tmp_path.parent / "secret.png").write_bytes(b"x")
    table.write_text("image,label\nimages/0.png,\n../secret.png,\n/etc/hostname.png,\n", encoding="utf-8")
    task = read_task(table, "label", classes=["a", "b"])
    assert task.images == ["image"]
    assert task.image(0, "image")[1] == "image/png"
    assert [task.image(row, "image") for row in (1, 2, 3, -1)] == [None] * 4
    assert task.image(0, "label") is None
    (tmp_path.parent / "secret.png").unlink()


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


def test_next_gives_people_different_rows_until_all_are_complete(table):
    session = opened(table)
    people = ["a", "b", "c", "d", "e"]
    rows = [session.next(who).row for who in people]
    assert len(set(rows)) == 5
    assert session.next("a").row == rows[0]  # the same person, the same row
    session.skip("a", rows[0])
    assert session.next("a").row not in rows
    truth = [0, 1, 2] * 8
    truth[1::4] = [k % 2 for k in truth[1::4]]  # the file says cat or dog
    for step in range(500):
        question = session.next(people[step % 5])
        if question is None:
            break
        session.answer(f"{step:08d}", people[step % 5], question.as_dict(), question.true_answer(truth[question.row]))
        if step % 3 == 0:
            session.learn()
    session.learn()
    assert session.next("b") is None
    assert session.history[-1].complete >= 23  # "a" has put one away
    assert session.history[-1].remaining < session.history[0].remaining


def test_answer_does_not_wait_for_the_model(table):
    """Answers are acknowledged while the model learns."""
    session = opened(table)
    slow = threading.Event()
    real = session.trainer.learner.update
    session.trainer.learner.update = lambda sets: (slow.wait(20), real(sets))[1]
    learning = threading.Thread(target=session.learn)
    learning.start()
    time.sleep(0.05)
    for k in range(24):
        if k % 4 != 1:
            question = session.next("me")
            session.answer(f"{k:08d}", "me", question.as_dict(), None if k % 2 else question.true_answer(0))
    assert learning.is_alive()  # all of them, while one update was going on
    slow.set()
    learning.join()
    assert len(session.pool.entries) == 18


def test_listening_socket_has_no_delay():
    """Connections do not wait for more to send (TCP_NODELAY), which asyncio asks for where a socket is named as TCP."""
    listener = listening(0)

    async def accepted():
        found = asyncio.get_running_loop().create_future()

        async def met(reader, writer):
            sent = writer.get_extra_info("socket")
            found.set_result(sent.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(met, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            writer.close()
            return await asyncio.wait_for(found, 20)

    with ThreadPoolExecutor(1) as pool:  # in a thread of its own: a browser of other tests keeps a loop in this one
        assert pool.submit(lambda: asyncio.run(accepted())).result() != 0


@pytest.mark.parametrize("form", FORMATS)
def test_export_writes_every_format_and_keeps_the_table(table, form):
    session = opened(table)
    before = hashlib.sha256(table.read_bytes()).hexdigest()
    session.answer("11111111", "me", {"type": "Is", "row": 0, "about": "cat"}, True)
    session.answer("22222222", "me", {"type": "OneOf", "row": 2, "about": ["cat", "owl"]}, False)
    path = export(session, form, table.parent)
    assert path.exists()
    assert path.parent == table.parent
    assert "me" in path.read_bytes().decode("utf-8", "ignore")  # who answered
    assert hashlib.sha256(table.read_bytes()).hexdigest() == before
    if form in ("csv", "tsv", "jsonl"):
        again = read_table(path, "label", kind="labels", classes=["cat", "dog", "owl"])
        assert again.y[:4] == ["cat", {"cat", "dog"}, "dog", None]
    session.close()


def test_session_supports_tags_rankings_and_numbers(tmp_path):
    """Tags, orders and numbers: asked, answered, replayed and exported."""
    cases = {
        "tags": (["red", "round"], None, "+red -round"),
        "ranking": (["a", "b", "c"], None, "a>b>c"),
        "number": (None, (0, 10), "[2,3]"),
    }
    for kind, (classes, bounds, first) in cases.items():
        path = tmp_path / f"{kind}.tsv"
        path.write_text("size\ttarget\n" + "".join(f"{k}\t{first if k == 0 else ''}\n" for k in range(20)))
        task = read_task(path, "target", kind, classes, bounds=bounds)
        journal = tmp_path / f"{kind}.jsonl"
        session = Session(task, Journal(journal, task.header()), QuestionSelector(random_state=0), background=False)
        truth = {"tags": [1, -1], "ranking": [2, 0, 1], "number": 7.25}[kind]
        for step in range(30):
            question = session.next("me", session.model.kinds[step % len(session.model.kinds)])
            session.answer(f"{step:08d}", "me", json.loads(json.dumps(question.as_dict())), question.true_answer(truth))
            session.learn()
        cells = cells_of(session)
        session.close()
        task = read_task(path, "target", kind, classes, bounds=bounds)
        again = Session(task, Journal(journal, task.header()), background=False)
        assert cells_of(again) == cells
        assert again.history[-1].answers == 30
        assert sum(cell is not None for cell in cells) > 3
        export(again, "csv", tmp_path)
        again.close()


def test_read_task_raises_for_invalid_tables(table, tmp_path):
    with pytest.raises(InputError, match="--classes"):
        read_task(table, "other", classes=None)
    with pytest.raises(ValueError, match="kind must be one of"):
        read_task(table, "label", kind="colour")
    empty = tmp_path / "empty.csv"
    empty.write_text("size,label\n")
    with pytest.raises(InputError, match="no rows"):
        read_task(empty, "label", classes=["a"])


def test_column_id_is_the_id_and_no_feature(tmp_path):
    """Ids, constants and codes are left out of the features; the column `id` names the rows of the export."""
    path = tmp_path / "t.csv"
    lines = [f"F{k:03},{k % 4},A-{k:04},x,{'cat' if k % 2 else ''}" for k in range(24)]
    path.write_text("\n".join(["id,size,code,same,label", *lines]) + "\n", encoding="utf-8")
    task = read_task(path, "label", classes=["cat", "dog"])
    assert task.records.ids[:2] == ["F000", "F001"]
    assert task.columns == ["size", "code", "same"]
    assert task.features().shape == (24, 1)
    path.write_text("\n".join(["id,code,label", *(f"F{k:03},A-{k:04}," for k in range(24))]) + "\n", encoding="utf-8")
    assert not read_task(path, "label", classes=["cat", "dog"]).features().any()


# the journal


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


def test_learner_starts_again_after_an_error(table):
    session = Session(
        read_task(table, "label", classes=["cat", "dog", "owl"]),
        Journal(table.with_name("j.jsonl"), {"target": "label", "kind": "labels"}),
    )
    calls = []
    session.trainer.learner.update = lambda sets: calls.append(1) or 1 / 0
    session.answer("11111111", "me", {"type": "Is", "row": 0, "about": "cat"}, True)
    for _ in range(200):
        if calls and not session.trainer.problem and session.history[-1].answers == 1:
            break
        time.sleep(0.05)
    assert session.history[-1].answers == 1  # a new learner has learned the answer
    assert session.next("me") is not None
    session.close()


def test_cost_of_clients_does_not_count(table):
    session = opened(table)
    for k, cost in enumerate((1e308, float("nan"), -5)):
        row = (0, 2, 3)[k]
        session.answer(f"{k:08d}", "me", {"type": "Is", "row": row, "about": "cat", "cost": cost}, True)
    session.learn()
    assert 0 < session.history[-1].cost < 20


# people


def test_people_may_disagree_until_somebody_decides(table):
    session = opened(table)
    session.answer("11111111", "ann", {"type": "FullLabel", "row": 0}, "cat")
    session.answer("22222222", "bob", {"type": "FullLabel", "row": 0}, "owl")
    assert session.pool.disagreements == {0}
    assert session.pool.sets.format(0) == "cat | owl"
    session.learn()
    asked = {session.next("cem", tab=str(k)).row for k in range(18)}
    assert 0 not in asked  # it is for the review queue
    queue = review_view(session, "disagreements")
    assert [(a["who"], a["answer"]) for a in queue["rows"][0]["answers"]] == [("ann", "cat"), ("bob", "owl")]
    session.answer("33333333", "dan", {"type": "FullLabel", "row": 0}, "dog", review=True)
    assert session.pool.sets.format(0) == "dog"
    assert not session.pool.disagreements
    # a decision may also correct the table
    session.answer("44444444", "dan", {"type": "FullLabel", "row": 1}, "owl", review=True)
    assert session.pool.sets.format(1) == "owl"
    session.close()
    again = opened(table)
    assert [again.pool.sets.format(row) for row in (0, 1)] == ["dog", "owl"]
    again.undo("dan", "33333333")
    assert again.pool.disagreements == {0}
    again.close()


def test_agreement_is_krippendorffs_alpha(table):
    """Four rows, two people, one disagreement; alpha by hand: 1 - (2 / 8) / (34 / 56)."""
    session = opened(table)
    for k, (row, one, two) in enumerate([(0, "cat", "cat"), (2, "dog", "dog"), (3, "owl", "cat"), (4, "cat", "cat")]):
        session.answer(f"1111111{k}", "ann", {"type": "FullLabel", "row": row}, one)
        session.answer(f"2222222{k}", "bob", {"type": "FullLabel", "row": row}, two)
    session.answer("33333333", "ann", {"type": "FullLabel", "row": 6}, "cat")  # nobody else
    (alpha, n), each = session.pool.agreement()
    assert each == {"ann": (alpha, n), "bob": (alpha, n)}
    shown = people_view(session)
    assert [(one["who"], one["answers"], one["shared"]) for one in shown["people"]] == [("ann", 5, 4), ("bob", 4, 4)]
    counts = {"cat": 5, "dog": 2, "owl": 1}
    pairs = sum(a * b for x, a in counts.items() for y, b in counts.items() if x != y)
    assert n == 4
    assert alpha == pytest.approx(1 - (2 / 8) / (pairs / 56))
    session.close()


def test_overlap_asks_a_second_person(table):
    session = opened(table, overlap=2, share=1.0)
    for k in range(4):
        session.answer(f"1111111{k}", "ann", {"type": "FullLabel", "row": (0, 2, 3, 4)[k]}, "cat")
    found = []
    for k in range(16):
        question = session.next("bob")
        purpose = session.purpose(question.row, "bob")
        found.append((purpose, question.row))
        session.answer(f"2222222{k:02}", "bob", question.as_dict(), question.true_answer(0))
    rows = [row for purpose, row in found if purpose == "overlap"]
    assert len(rows) == len(set(rows)) == 4
    assert {len(session.pool.by_person(row)) for row in rows} == {2}
    assert sum(purpose == "random" for purpose, _ in found) >= 1
    random = [entry for entry in session.pool.entries if entry.purpose == "random"]
    assert all(entry.right in (True, False) for entry in random)
    session.close()


def test_batch_is_confirmed_and_taken_back_at_once(table):
    session = opened(table)
    size = session.journal.path.stat().st_size
    with pytest.raises(InputError, match=r"The table has cat \| dog for row 1"):
        session.accept("12345678", "me", [[0, "cat"], [1, "owl"]])
    assert session.journal.path.stat().st_size == size  # all or nothing
    session.accept("12345678", "me", [[0, "cat"], [2, "dog"]])
    session.accept("12345678", "me", [[0, "cat"], [2, "dog"]])  # sent again
    assert len(session.pool.entries) == 2
    session.close()
    again = opened(table)
    assert len(again.undo("me")) == 2
    assert again.pool.sets.is_unlabelled[[0, 2]].all()
    again.close()


def test_export_per_person_is_read_back(table):
    session = opened(table)
    session.answer("11111111", "ann", {"type": "FullLabel", "row": 0}, "cat")
    session.answer("22222222", "bob", {"type": "FullLabel", "row": 0}, "owl")
    session.answer("33333333", "bob", {"type": "OneOf", "row": 2, "about": ["cat", "dog"]}, True)
    path = export(session, "csv", table.parent, people=True)
    again = read_table(path, "label", kind="labels", classes=["cat", "dog", "owl"])
    assert list(again.data["annotator"]) == ["ann", "bob", "bob"]
    assert again.y == ["cat", "owl", {"cat", "dog"}]
    with pytest.raises(InputError, match="The formats are csv"):
        export(session, "doccano", table.parent, people=True)
    session.close()


@pytest.mark.parametrize("form", FORMATS)
def test_export_of_columns_with_reserved_names(tmp_path, form):
    path = tmp_path / "t.csv"
    head = "key,id,label,options,subject_id,candidates,annotators,kind"
    path.write_text(head + "\n" + "".join(f"K{k},{k},x,y,z,u,v,\n" for k in range(6)))
    task = read_task(path, "kind", classes=["cat", "dog"], id="key")
    session = Session(task, Journal(tmp_path / "j.jsonl", task.header()), background=False)
    session.answer("11111111", "me", {"type": "Is", "row": 0, "about": "cat"}, True)
    assert export(session, form, tmp_path).stat().st_size > 100
    session.close()


# images


def test_images_if_most_cells_are_images(tmp_path):
    """One odd cell, a broken image, a null byte and a loop of links do not turn the others off."""
    digits_table(tmp_path, 8)
    (tmp_path / "images" / "broken.png").write_bytes(b"\x89PNG no image")
    os.symlink("loop.png", tmp_path / "images" / "loop.png")
    cells = [f"images/{k}.png" for k in range(8)] + ["/etc/passwd", "images/broken.png", "images/loop.png", "a\0b.png"]
    lines = [json.dumps({"image": cell, "label": None}) for cell in cells]
    path = tmp_path / "photos.jsonl"
    path.write_text("\n".join(lines) + "\n")
    task = read_task(path, "label", classes=["a", "b"])
    assert task.images == ["image"]
    assert "3 of 12 cells are not images" in task.notes[0]
    assert task.features().shape == (12, 256)
    assert any("row 9: the image cannot be read" in note for note in task.notes)
    session = Session(task, Journal(tmp_path / "j.jsonl", task.header()), background=False)
    shown = row_view(session, 8)["cells"][0]
    assert (shown["image"], shown["text"]) == (False, "/etc/passwd")
    assert "no image" in shown["note"]
    session.close()


def test_large_image_does_not_stop_the_studio(tmp_path, monkeypatch):
    Image = pytest.importorskip("PIL.Image")
    table, _ = digits_table(tmp_path, 4)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 10)
    task = read_task(table, "label", classes=["a", "b"])
    assert not task.features().any()
    assert "cannot be read" in task.notes[0]


# the page and the server


def test_show_and_guidelines(tmp_path, table):
    path = tmp_path / "guide.md"
    path.write_text("# cat\n- purrs\n", encoding="utf-8")
    task = read_task(table, "label", classes=["cat", "dog", "owl"], show=["text"], guidelines=path)
    session = Session(task, Journal(tmp_path / "j.jsonl", task.header()), background=False)
    assert [cell["column"] for cell in row_view(session, 0)["cells"]] == ["text"]
    assert task_view(session)["guidelines"]["classes"] == {"cat": "- purrs"}
    assert task.features().shape[1] > 1  # the model sees all columns
    session.close()
    with pytest.raises(InputError, match="no column 'colour' to show"):
        read_task(table, "label", classes=["cat", "dog", "owl"], show=["colour"])
    with pytest.raises(FileNotFoundError):
        read_task(table, "label", classes=["cat", "dog", "owl"], guidelines=tmp_path / "none.md")


def test_random_rows_estimate_the_accuracy_and_few_changes_are_a_stop_signal(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,label\n" + "".join(f"{k % 2 * 10 + k / 1000},\n" for k in range(200)))
    task = read_task(path, "label", classes=["low", "high"])
    session = Session(task, Journal(tmp_path / "j.jsonl", task.header()), background=False)
    for step in range(40):
        question = session.next("me")
        answer = question.true_answer(question.row % 2)
        session.answer(f"{step:08d}", "me", question.as_dict(), answer, 2.0)
        session.learn()
    state = state_view(session, "me")
    assert state["random"]["n"] == 4
    assert (state["random"]["mean"], state["random"]["name"]) == (1, "Accuracy")
    assert 0.3 < state["random"]["ends"][0] < 0.5
    assert state["random"]["ends"][1] == 1
    assert state["stop"]
    assert guess_view(session, 7)["guess"][0][0] == "high"
    sure = sure_view(session)["rows"]
    assert sure
    assert all(one["value"] == ["low", "high"][one["row"]["row"] % 2] for one in sure)
    session.close()
    task = read_task(path, "label", classes=["low", "high"])
    again = Session(task, Journal(tmp_path / "j.jsonl", task.header()), background=False)
    assert state_view(again, "me")["random"] == state["random"]
    again.close()


def test_https_and_tokens_of_people(table, tmp_path, studio):
    """A certificate makes the address https; each token is one person, whatever name a client sends."""
    options = "--target", "label", "--classes", "cat,dog,owl", "--people", "ann,bob"
    server = studio(table, *options, *certificate(tmp_path))
    assert server.address.startswith("https://127.0.0.1:")
    trust = ssl.create_default_context(cafile=str(tmp_path / "c.pem"))
    own = f"https://127.0.0.1:{server.port}"
    question = {"type": "Is", "row": 0, "about": "cat"}
    body = {"who": "ann", "id": "12345678", "question": question, "answer": True}
    headers = {"X-Token": server.tokens["bob"], "Origin": own}
    request = urllib.request.Request(f"{own}/api/answer", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, context=trust, timeout=60) as response:
        assert response.status == 200
    assert [line["who"] for line in server.journal() if "question" in line] == ["bob"]


def test_reliability_finds_the_person_who_errs(tmp_path):
    """Two people answer the same easy rows; one of them answers every third row wrongly."""
    path = tmp_path / "points.csv"
    path.write_text("x,label\n" + "".join(f"{k % 2 + k / 1000},\n" for k in range(60)), encoding="utf-8")
    task = read_task(path, "label", classes=["high", "low"])
    session = Session(task, Journal(tmp_path / "j.jsonl", task.header()), background=False)
    assert people_view(session)["people"] == []
    for k in range(30):
        truth, other = ("high", "low") if k % 2 else ("low", "high")
        for who in ("Ann", "Cem"):
            given = other if who == "Cem" and k % 3 == 0 else truth
            session.answer(f"{who}-{k:06}", who, {"type": "FullLabel", "row": k}, given)
    session.answer("decision", "Ann", {"type": "FullLabel", "row": 0}, "low", review=True)
    session.learn()
    found = {one["who"]: one["reliability"] for one in people_view(session)["people"]}
    assert found["Ann"][0] > 0.9
    assert found["Cem"][0] < 0.6
    assert found["Cem"][1] < found["Cem"][0] < found["Cem"][2]
    session.close()


def test_thumbnail_is_smaller_than_the_image(tmp_path, studio):
    Image = pytest.importorskip("PIL.Image")
    Image.effect_noise((600, 400), 80).save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"no image")
    table = tmp_path / "photos.csv"
    table.write_text("photo,label\na.png,\nb.png,\na.png,\n", encoding="utf-8")
    server = studio(table, "--target", "label", "--classes", "x,y")
    sizes = [len(server.call(f"/image/{row}/photo{small}")[1]) for row in (0, 1) for small in ("", "?small=1")]
    assert sizes[1] < sizes[0] / 2
    assert sizes[2] == sizes[3] == 8  # the browser shows that it is broken


def test_row_with_a_wrong_cell_goes_to_review(table):
    session = opened(table)
    with pytest.raises(TableContradiction):
        session.answer("11111111", "me", {"type": "FullLabel", "row": 1}, "owl")
    session.answer("22222222", "me", {"type": "FullLabel", "row": 1}, None)
    assert [one["row"]["row"] for one in review_view(session, "unknown")["rows"]] == [1]
    session.answer("33333333", "me", {"type": "FullLabel", "row": 1}, "owl", review=True)
    assert session.pool.sets.format(1) == "owl"
    session.close()


def test_excluded_labels_are_marked_only_for_people_who_complete_a_row(table):
    session = opened(table)
    session.answer("11111111", "me", {"type": "Is", "row": 0, "about": "cat"}, False)
    question = session.full(0)
    marked = [option["text"] for option in question_view(session, question)["options"] if option["excluded"]]
    assert marked == ["cat"]
    assert not any(option.get("excluded") for option in question_view(session, question, "overlap")["options"])
    session.close()


def test_random_rows_estimate_the_error_of_numbers_and_the_share_of_right_tags(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x\n" + "".join(f"{k % 20}\n" for k in range(120)))
    task = read_task(path, "size", kind="number", bounds=(0, 20))
    session = Session(task, Journal(tmp_path / "j.jsonl", task.header()), background=False)
    for step in range(40):
        question = session.next("me")
        session.answer(f"{step:08d}", "me", question.as_dict(), question.true_answer(question.row % 20), 2.0)
        session.learn()
    found = state_view(session, "me")["random"]
    assert (found["n"], found["name"], found["share"]) == (4, "Mean absolute error", False)
    assert 0 <= found["ends"][0] <= found["mean"] <= found["ends"][1]
    assert found["mean"] < 6  # that of the middle of the range is 5
    session.close()
    task = read_task(path, "has", kind="tags", classes=["low", "even"])
    session = Session(task, Journal(tmp_path / "k.jsonl", task.header()), background=False)
    for step in range(40):
        question = session.next("me")
        z = np.array([1 if question.row % 20 < 10 else -1, 1 if question.row % 2 == 0 else -1])
        session.answer(f"{step:08d}", "me", question.as_dict(), question.true_answer(z), 2.0)
        session.learn()
    found = state_view(session, "me")["random"]
    assert (found["n"], found["name"], found["share"]) == (4, "Share of right tags", True)
    assert found["ends"][0] <= found["mean"] <= found["ends"][1] <= 1
    session.close()


def test_named_groups_are_asked_about(tmp_path):
    path, groups = tmp_path / "t.csv", tmp_path / "groups.txt"
    path.write_text("x,label\n" + "".join(f"{k},\n" for k in range(30)))
    groups.write_text("# of the catalogue\nanimal: cat|dog|owl\nplant: oak|rose, red\n")
    classes = ["cat", "dog", "owl", "oak", "rose, red", "stone", "sand", "salt"]
    task = read_task(path, "label", classes=classes, groups=groups)
    session = Session(task, Journal(tmp_path / "j.jsonl", task.header()), background=False)
    assert [node for node, _ in session.model.nodes] == ["animal", "plant"]
    session.answer("12345678", "ann", {"type": "Is", "row": 3, "about": "animal"}, False)
    assert session.pool.sets.format(3) == "not cat or dog or owl"
    asked = {session.next("ann", "Is", tab=str(k)).text() for k in range(8)}
    assert "Is it animal?" in asked or "Is it plant?" in asked
    session.close()
    for text, problem in (
        ("animal: cat|horse", "horse"), ("cat: dog|owl", "another name than a class"), ("animal", "line 1"),
        ("a: cat\na: dog", "twice"),
    ):  # fmt: skip
        groups.write_text(text)
        with pytest.raises(InputError, match=problem):
            read_task(path, "label", classes=classes, groups=groups)
    with pytest.raises(InputError, match="Groups are for labels"):
        read_task(path, "label", kind="tags", classes=classes, groups=groups)
