"""Several people: who is asked what, disagreement, reliability, batches and scores on random rows."""

import json
import ssl
import urllib.request

import numpy as np
import pytest
from studio_process import certificate, opened

from infimum import InputError
from infimum.active.studio import Journal, Session, read_task
from infimum.active.studio.export import export
from infimum.active.studio.pool import TableContradiction
from infimum.active.studio.views import (
    guess_view,
    people_view,
    question_view,
    review_view,
    state_view,
    sure_view,
)
from infimum.io import read_table


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


def test_cost_of_clients_does_not_count(table):
    session = opened(table)
    for k, cost in enumerate((1e308, float("nan"), -5)):
        row = (0, 2, 3)[k]
        session.answer(f"{k:08d}", "me", {"type": "Is", "row": row, "about": "cat", "cost": cost}, True)
    session.learn()
    assert 0 < session.history[-1].cost < 20


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
