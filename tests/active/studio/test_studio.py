"""The studio without a browser: access, storage of answers, crashes, exports."""

import asyncio
import hashlib
import json
import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from studio_process import digits_table

from infimum import InputError
from infimum.active import Asker
from infimum.active.studio import Journal, Session, read_task
from infimum.active.studio.export import FORMATS, cells_of, export
from infimum.active.studio.server import listening
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
    assert server.call("/api/export", {"who": "me", "form": "../../etc"})[0] == 422
    assert server.call("/image/0/text")[0] == 404
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
    assert len(session.entries) == 1  # not acknowledged, and not counted
    assert session.answers.sets.is_unlabelled[2]


def test_restart_restores_answers_and_drops_a_torn_line(table):
    session = opened(table)
    session.answer("11111111", "me", {"type": "Is", "row": 0, "about": "cat"}, True)
    session.answer("22222222", "you", {"type": "OneOf", "row": 2, "about": ["cat", "owl"]}, False)
    session.answer("33333333", "me", {"type": "Is", "row": 3, "about": "dog"}, None)
    session.undo("me", "11111111")
    texts = [session.answers.sets.format(row) for row in range(4)]
    session.close()
    path = session.journal.path
    whole = path.read_bytes()
    for cut in range(1, 60):  # killed while the last line was being written
        path.write_bytes(whole + b'{"id": "44444444", "who": "me", "question": {"type": "Is"'[:cut])
        again = opened(table)
        assert [again.answers.sets.format(row) for row in range(4)] == texts
        assert [entry.id for entry in again.entries] == ["22222222", "33333333"]
        again.close()
        if cut % 20 != 1:
            path.write_bytes(whole)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], "{no json", *lines[1:]]) + "\n")
    with pytest.raises(InputError, match="line 2: this is not JSON"):
        opened(table)


def test_journal_of_another_table_raises(table):
    session = opened(table)
    with pytest.raises(InputError, match="open in another studio"):
        opened(table)
    session.close()
    table.write_text(table.read_text() + "1,purrs,\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"belongs to another table: .*rows was 24 and is 25"):
        opened(table)


def test_answer_counts_once_and_contradictions_raise(table):
    session = opened(table)
    first = {"type": "Is", "row": 0, "about": "cat"}
    session.answer("11111111", "me", first, True)
    session.answer("11111111", "me", first, True)  # sent again: the acknowledgement was lost
    assert len(session.entries) == 1
    size = session.journal.path.stat().st_size
    with pytest.raises(InputError, match=r"Is it dog\? yes contradicts .* Is it cat\? yes"):
        session.answer("22222222", "you", {"type": "Is", "row": 0, "about": "dog"}, True)
    with pytest.raises(InputError, match="known to be in"):  # the file says cat or dog
        session.answer("33333333", "you", {"type": "Is", "row": 1, "about": "owl"}, True)
    assert session.journal.path.stat().st_size == size
    session.undo("me")
    with pytest.raises(InputError, match="taken back"):
        session.answer("11111111", "me", first, True)
    assert session.undo("me") is None
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
    real = session.learner.update
    session.learner.update = lambda sets: (slow.wait(20), real(sets))[1]
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
    assert len(session.entries) == 18


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
    path = export(session, form)
    assert path.exists()
    assert path.parent == table.parent
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
        session = Session(task, Journal(journal, task.header()), Asker(random_state=0), background=False)
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
        export(again, "csv")
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
