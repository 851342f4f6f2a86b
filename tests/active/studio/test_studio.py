"""The studio without a browser: access, pages, images and exports."""

import asyncio
import csv
import hashlib
import json
import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from studio_process import digits_table, opened

from infimum import InputError
from infimum.active import QuestionSelector
from infimum.active.studio import Journal, Session, read_task
from infimum.active.studio.export import FORMATS, cells_of, export
from infimum.active.studio.server import listening
from infimum.active.studio.views import (
    row_view,
    task_view,
)
from infimum.io import read_table


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


def test_table_with_one_line_per_answer_is_refused(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("photo,x,who,label\np1,1,ann,cat\np1,1,bob,dog\np2,2,ann,dog\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"3 lines with 2 ids; 'p1' is in 2 lines\. .* clean votes\.csv .*--id photo"):
        read_task(path, "label", classes=["cat", "dog"], id="photo")
    assert len(read_task(path, "label", classes=["cat", "dog"])) == 3


@pytest.mark.parametrize(("rule", "row"), [("majority", "a>d"), ("weigh", "a>b,a>d,b>c,c>a")])
def test_rankings_that_contradict_themselves_are_exported(tmp_path, rule, row):
    path = tmp_path / "t.csv"
    path.write_text('x,likes\n1,"a>b, b>c, c>a, a>d"\n2,a>b>c\n3,\n')
    with pytest.raises(InputError, match=r"a > b > c > a(.|\n)*majority(.|\n)*weigh"):
        Session(read_task(path, "likes", "ranking"), Journal(tmp_path / "i.jsonl", {}), background=False)
    task = read_task(path, "likes", "ranking", contradictions=rule)
    session = Session(task, Journal(tmp_path / "j.jsonl", task.header()), background=False)
    assert session.next("me").row == 2
    with open(export(session, "csv", tmp_path), encoding="utf-8", newline="") as file:
        assert [line["likes"] for line in csv.DictReader(file)] == [row.replace(",", ", "), "a>b, b>c", ""]
    session.close()
