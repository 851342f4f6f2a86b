"""A simulated person in a real browser: undo, reload, two tabs, a killed server, a team of three."""

import hashlib
import os
import re

import numpy as np
from studio_person import TEN, Person, export, opened
from studio_process import certificate, digits_table

from infimum.active.studio import read_task
from infimum.io import read_table

TURNS = int(os.environ.get("INFIMUM_TEAM_TURNS", "15"))  # answers of the team; make campaign sets 200


def accuracy(table, truth):
    """Return the accuracy of a model that is fitted to an exported table."""
    from infimum.active.learner import Learner
    task = read_task(table, "label", classes=[str(k) for k in range(10)])
    model = task.space.questions()
    belief = Learner(task.features()[:, : 16 * 16], model).update(task.space.read(task.records.y))
    found = task.space.classes_[model.predict(belief.F)]
    return sum(a == b for a, b in zip(found.tolist(), truth)) / len(truth)


def test_answers_by_keyboard_survive_undo_reload_and_crash(tmp_path, studio, person):
    """Accuracy rises, undo takes back, a reload goes on, a killed server loses nothing."""
    table, truth = digits_table(tmp_path)
    before = hashlib.sha256(table.read_bytes()).hexdigest()
    server = studio(table, *TEN)
    one = person(truth).open(server.address)
    one.page.wait_for_function("() => document.querySelector('#row img')?.naturalWidth === 8")
    one.answers(15)
    exported = export(one.page, "csv", tmp_path)
    early = accuracy(exported, truth)

    # undo by key: the same question is on the page again
    question, row = one.question, one.row
    one.press(one.key(), 16)
    one.press("Backspace", 15)
    assert (one.question, one.row) == (question, row)
    assert "Taken back" in one.page.inner_text("#message")

    # reload: the same person goes on
    one.page.reload()
    one.ready()
    assert one.count == 15
    assert "(15 yours)" in one.page.inner_text("#progress")

    # skip is no answer, "don't know" is one
    row = one.row
    one.ready().page.keyboard.press(" ")
    other = "row => !document.querySelector('.place').textContent.startsWith(row)"
    one.page.wait_for_function(other, arg=f"Row {row} ")
    one.press("d", 16)
    one.answers(9)

    # killed in the middle, started again on the same port
    server.kill()
    one.ready().page.keyboard.press(one.key())
    one.page.wait_for_function("() => document.getElementById('message').textContent.includes('does not answer')")
    server.options = (*server.options, "--port", str(server.port))
    server.start()
    one.press(one.key(), 26)
    one.answers(24)
    assert one.count == 50

    exported = export(one.page, "csv", tmp_path)
    assert accuracy(exported, truth) > max(early + 0.05, 0.9)
    stored = [line for line in server.journal() if "question" in line]
    assert len(stored) == 51  # one of them was taken back
    assert sum("undo" in line for line in server.journal()) == 1
    assert hashlib.sha256(table.read_bytes()).hexdigest() == before
    assert not one.problems


def test_two_people_and_two_tabs_get_different_rows(tmp_path, studio, person):
    table, truth = digits_table(tmp_path, 60)
    server = studio(table, *TEN)
    one, two = person(truth).open(server.address), person(truth, "Bob").open(server.address)
    for k in range(6):
        assert one.row != two.row
        (one if k % 2 else two).press((one if k % 2 else two).key(), k + 1)
    people = {line["who"] for line in server.journal() if "question" in line}
    assert len(people) == 2
    # undo takes back one's own last answer, not the other's
    last = [line for line in server.journal() if "question" in line][-2:]
    two.ready().page.keyboard.press("Backspace")
    two.page.wait_for_function("() => document.getElementById('message').textContent.includes('Taken back')")
    undone = next(line for line in server.journal() if "undo" in line)
    assert undone["undo"] == last[0]["id"]
    # a second tab of the same person gets another row, also after an undo in the first
    tab = Person(one.page.context.new_page(), truth).open(server.address)
    one.ready().page.keyboard.press("Backspace")
    one.page.wait_for_function("() => document.getElementById('message').textContent.includes('Taken back')")
    tab.page.reload()
    assert len({one.row, two.row, tab.ready().row}) == 3
    assert not one.problems + two.problems + tab.problems


def test_contradictions_and_the_list_of_answers(tmp_path, studio, person):
    table, truth = digits_table(tmp_path, 60)
    server = studio(table, *TEN)
    one = person(truth).open(server.address)
    # the same person has answered the row in another window
    asked = one.row
    body = {"who": "Ann", "id": "12345678", "question": {"type": "Is", "row": asked, "about": truth[asked]}}
    assert server.call("/api/answer", {**body, "answer": True})[0] == 200
    one.ready().page.keyboard.press(next(key for key in one.options() if key != one.key()))
    one.page.wait_for_function("() => document.getElementById('message').textContent.includes('contradicts')")
    words = one.page.inner_text("#message")
    assert f"row {asked}" in words
    assert f"Is it {truth[asked]}? yes" in words
    assert sum("question" in line for line in server.journal()) == 1  # nothing was written
    one.press(one.key(), 2)
    assert server.call("/api/answer", {**body, "who": "other", "id": "22222222", "answer": False})[0] == 200
    # search, and undo from the list
    opened(one.page, "#search")
    one.page.fill("#search", "other")  # a person
    one.page.wait_for_function("() => document.getElementById('found').textContent.startsWith('1 answer')")
    one.ready().page.click("#answers button")
    one.page.wait_for_function("() => document.getElementById('progress').textContent.startsWith('2 answers')")
    assert not one.problems


def test_team_of_three_disagrees_decides_and_survives_a_changed_table(tmp_path, studio, person):
    """Three people with a token each; the server is killed, the table changed, and the exports are read back."""
    table, truth = digits_table(tmp_path, max(60, 2 * TURNS))
    rows = table.read_text().splitlines()
    table.write_text("\n".join(["id,image,label", *(f"D{k:02},{row}" for k, row in enumerate(rows[1:]))]) + "\n")
    server = studio(table, *TEN, "--people", "Ann,Bob,Cem", "--overlap", "2", "--overlap-share", "1")
    people = [person(truth, name).open(address) for name, address in server.people.items()]
    wrong = people[2]
    for turn in range(TURNS):
        one = people[turn % 3]
        key = one.key()
        if one is wrong and one.options() and "a" not in one.options() and "n" not in one.options():
            keys = one.options()
            key = keys[(keys.index(key) + 1) % len(keys)]  # Cem is one too high
        one.press(key, turn + 1)
    lines = [line for line in server.journal() if "question" in line]
    assert {line["who"] for line in lines} == {"Ann", "Bob", "Cem"}
    assert any(line.get("purpose") == "overlap" for line in lines)
    # two people answer one row otherwise
    spare = next(k for k in range(2, 60) if k not in {line["question"]["row"] for line in lines})
    for name, given in (("Ann", truth[spare]), ("Bob", str((int(truth[spare]) + 1) % 10))):
        question = {"type": "FullLabel", "row": spare}
        body = {"who": "nobody", "id": f"{name}-12345678", "question": question, "answer": given}
        assert server.call("/api/answer", body, X_Token=server.tokens[name])[0] == 200
    server.kill()
    # a row is appended, two are swapped, a cell is edited
    head, *rows = table.read_text().splitlines()
    rows[0], rows[1] = rows[1], rows[0]
    rows[spare] = rows[spare].replace("images/", "./images/")
    table.write_text("\n".join([head, *rows, "last,images/0.png,"]) + "\n")
    server.start()
    ann = person(truth, "Ann").open(server.people["Ann"])
    assert ann.count == TURNS + 2
    assert "Ann" in ann.page.inner_text("#name")
    opened(ann.page, "#queue")
    ann.page.wait_for_selector("#review li")
    entry = ann.page.locator("#review li", has_text=f"D{spare:02}")
    assert "Bob" in entry.inner_text()  # one sees who answered what
    ann.page.set_viewport_size({"width": 390, "height": 844})
    entry.locator("button").click()
    assert ann.page.locator("#ask").bounding_box()["y"] > -2  # on a phone, the page scrolls to the question
    assert ann.page.evaluate("document.activeElement.id") == "question"
    assert any("Bob" in text for text in ann.page.locator("#row .given li").all_inner_texts())
    ann.page.keyboard.press(truth[spare])
    ann.page.wait_for_function("() => document.getElementById('message').textContent.startsWith('Decided')")
    merged = read_table(export(ann.page, "csv", tmp_path), "label", kind="labels", id="id")
    assert dict(zip(merged.ids, merged.y))[f"D{spare:02}"] == truth[spare]
    assert "Bob" in merged.data["annotators"].to_list()[merged.ids.index(f"D{spare:02}")]
    each = read_table(export(ann.page, "csv", tmp_path, people=True), "label", kind="labels", id="id")
    assert {*each.data["annotator"]} == {"Ann", "Bob", "Cem"}
    doccano = export(ann.page, "doccano", tmp_path)
    assert len(doccano.read_text().splitlines()) == len(truth) + 1
    assert not [problem for one in (*people, ann) for problem in one.problems]


def test_groups_of_classes_over_https(tmp_path, studio, person):
    """Yes-or-no questions about named groups, on a page with a certificate of one's own."""
    table, truth = digits_table(tmp_path, 60)
    groups = tmp_path / "groups.txt"
    groups.write_text("even: 0|2|4|6|8\nround: 0|6|8|9\n")
    server = studio(table, *TEN, "--groups", str(groups), "--ask", "Is", *certificate(tmp_path))
    one = person(truth, ignore_https_errors=True).open(server.address)
    assert one.page.url.startswith("https://")
    members = {"even": "02468", "round": "0689", **{str(k): str(k) for k in range(10)}}
    asked = []
    for turn in range(9):  # the tenth question is for the label of a random row
        asked.append(re.fullmatch(r"Is it (\w+)\?", one.question)[1])
        row = one.row
        one.press("a" if truth[row] in members[asked[-1]] else "x", turn + 1)
    assert {"even", "round"} & set(asked)
    task = read_task(export(one.page, "csv", tmp_path), "label", classes=[str(k) for k in range(10)])
    sets = task.space.read(task.space.from_cells(task.records.y))
    assert sets.contains(np.array([int(digit) for digit in truth])).all()
    assert not sets.is_unlabelled.all()
    assert not one.problems
