"""A simulated person in a real browser: keys, undo, reload, two tabs, a killed server, hostile cells."""

import csv
import hashlib
import os
import re

import numpy as np
import pytest
from studio_process import certificate, digits_table

from infimum.active.studio import read_task
from infimum.io import read_table

TURNS = int(os.environ.get("INFIMUM_TEAM_TURNS", "15"))  # answers of the team; make campaign sets 200
TEN = ("--target", "label", "--classes", "0,1,2,3,4,5,6,7,8,9")


class Person:
    """Reads the page as a person does, and answers by keys, knowing the truth."""

    def __init__(self, page, truth, name="Ann"):
        self.page, self.truth, self.name = page, truth, name
        self.problems = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))

    def open(self, address):
        """Open the page, and enter the name if it is asked for."""
        self.page.goto(address)
        self.page.wait_for_selector("#join[open], #options button")
        if self.page.locator("#join[open]").count():
            self.page.fill("#who", self.name)
            self.page.keyboard.press("Enter")
        return self.ready()

    def ready(self):
        """Wait until the page takes an answer, as a person does who sees what it says."""
        self.page.wait_for_selector("#ask:not([aria-busy]) #options button")
        return self

    @property
    def row(self):
        return int(re.match(r"Row (\d+)", self.page.inner_text(".place"))[1])

    @property
    def question(self):
        return self.page.inner_text("#question")

    @property
    def count(self):
        return int(re.match(r"(\d+) answers", self.page.inner_text("#progress"))[1])

    def options(self):
        """The keys of the options."""
        return self.page.eval_on_selector_all("#options button:enabled", "all => all.map(b => b.dataset.key)")

    def key(self):
        """The key that is right for the question on the page."""
        keys = self.options()
        truth = self.truth[self.row]
        if keys[0] == "a":
            return "a" if truth in re.findall(r"\d", self.question) else "x"
        return truth if truth in keys else "n"

    def press(self, key, count):
        """Press a key and wait until that many answers were acknowledged, and the next question is there."""
        self.ready().page.keyboard.press(key)
        words = """n => document.getElementById('progress').textContent.startsWith(n + ' answers')
            && !document.getElementById('ask').hasAttribute('aria-busy')"""
        self.page.wait_for_function(words, arg=count)

    def answers(self, number):
        for _ in range(number):
            self.press(self.key(), self.count + 1)


@pytest.fixture
def person(chromium):
    """person(truth) is somebody with a window of their own."""
    contexts = []

    def new(truth, name="Ann", **settings):
        context = chromium.new_context(accept_downloads=True, **settings)
        context.set_default_timeout(120_000)  # the machine may be busy with other tests
        contexts.append(context)
        return Person(context.new_page(), truth, name)

    yield new
    for context in contexts:
        context.close()


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


def export(page, form, folder, people=False):
    """Download an export in the browser; return the path of the file."""
    opened(page, "#form")
    page.select_option("#form", form)
    page.set_checked("#per-person", people)
    with page.expect_download() as found:
        page.click("#export")
    path = folder / f"{len(list(folder.iterdir()))}-{found.value.suggested_filename}"
    found.value.save_as(path)
    return path


def opened(page, selector):
    """Open the panel with an element."""
    page.eval_on_selector(selector, "e => { e.closest('details').open = true; }")


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


def test_cells_are_shown_as_text(tmp_path, studio, person):
    """HTML in a cell, a column name and a class; options by number keys, by mouse and by touch."""
    evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
    table = tmp_path / "notes.csv"
    with open(table, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "<b>size</b>", "label"])
        writer.writerows([f"{evil} {k}", k, ""] for k in range(12))
    server = studio(table, "--target", "label", "--classes", "<i>cat</i>,dog,owl")
    one = person([]).open(server.address)
    assert one.page.locator("#row dd").first.inner_text().startswith('<img src=x onerror="document.title=1">')
    assert one.page.locator("#row dt").nth(1).inner_text() == "<b>size</b>"
    assert one.page.locator("#row img, #row script, #row b").count() == 0
    opened(one.page, "#kind")
    one.page.select_option("#kind", "FullLabel")
    one.ready().page.wait_for_function("() => document.querySelectorAll('#options button').length === 3")
    assert one.page.locator("#options button").first.inner_text().endswith("<i>cat</i>")
    one.press("2", 1)
    one.ready().page.locator("#options button").nth(0).click()
    one.page.wait_for_function("() => document.getElementById('progress').textContent.startsWith('2 answers')")
    stored = [line["answer"] for line in server.journal() if "question" in line]
    assert stored == ["dog", "<i>cat</i>"]
    assert one.page.title() == "infimum studio"
    touch = person([], "Bob", has_touch=True, viewport={"width": 390, "height": 844}).open(server.address)
    touch.ready().page.locator("#options button").nth(0).tap()
    touch.page.wait_for_function("() => document.getElementById('progress').textContent.startsWith('3 answers')")
    wide = touch.page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    assert wide  # nothing runs out of a telephone
    assert not one.problems + touch.problems


def test_keys_are_ignored_while_busy(tmp_path, studio, person):
    """The question on the page is about to go: the page says that it is busy, and asks what was chosen meanwhile."""
    table, truth = digits_table(tmp_path, 40)
    server = studio(table, *TEN)
    one = person(truth).open(server.address)
    held = []
    opened(one.page, "#kind")
    one.page.route("**/api/next*", lambda route: route.continue_() if held else held.append(route))
    one.page.select_option("#kind", "Is")
    one.page.wait_for_selector("#ask[aria-busy]")
    one.page.keyboard.press("a")  # too early
    one.page.select_option("#kind", "FullLabel")  # another thought
    one.page.wait_for_timeout(100)
    assert len(held) == 1
    held[0].continue_()
    one.page.wait_for_function("() => document.querySelectorAll('#options button').length === 10")
    assert one.ready().count == 0
    one.press(one.key(), 1)
    assert [line["question"]["type"] for line in server.journal() if "question" in line] == ["FullLabel"]


def test_the_page_can_be_read_by_everybody(tmp_path, studio, person):
    """Names for every control, a focus that is seen, and a contrast of 4.5 to 1 in both colour schemes."""
    table, truth = digits_table(tmp_path, 40)
    server = studio(table, *TEN)
    for scheme in ("light", "dark"):
        one = person(truth, color_scheme=scheme).open(server.address)
        unnamed = one.page.evaluate(
            """() => [...document.querySelectorAll('button, select, input, img, progress, svg[role=img]')]
              .filter(e => !(e.textContent.trim() || e.alt || e.ariaLabel || e.labels?.length
                || e.getAttribute('aria-labelledby')))
              .map(e => e.outerHTML)"""
        )
        assert unnamed == []
        one.page.evaluate("() => { for (const e of document.querySelectorAll('details')) e.open = true; }")
        assert one.page.evaluate(CONTRAST) == []
        one.page.keyboard.press("Tab")
        assert one.page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") == "solid"
        assert one.page.locator("html").get_attribute("lang") == "en"


CONTRAST = """() => {
  const light = (text) => {
    const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map(v => v / 255)
      .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const found = getComputedStyle(e).backgroundColor;
      if (!/, 0\\)$/.test(found) && found !== 'transparent') return found;
    }
    return 'rgb(255, 255, 255)';
  };
  const out = [];
  const texts = 'h1, h2, h3, p, button, label, figcaption, li span, td, th, dt, dd, summary, .place, kbd';
  for (const e of document.querySelectorAll(texts)) {
    if (!e.textContent.trim() || !e.checkVisibility() || e.disabled) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) out.push([e.tagName, e.textContent.slice(0, 20), ratio]);
  }
  return out;
}"""


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


def test_buttons_keep_their_place_and_many_classes_are_found_by_typing(tmp_path, studio, person):
    table, truth = digits_table(tmp_path, 40)
    names = [f"category {k}" for k in range(40)]
    server = studio(table, "--target", "label", "--classes", ",".join(names))
    one = person(truth, viewport={"width": 390, "height": 844}).open(server.address)
    opened(one.page, "#kind")
    places = set()
    for kind in ("Is", "FullLabel", "Is", "OneOf"):
        one.page.select_option("#kind", kind)
        one.ready()
        box = one.page.locator("#unknown").bounding_box()
        places.add((round(box["x"]), round(box["y"])))
        assert box["y"] + box["height"] <= 844  # above the fold
        assert len(one.page.inner_text("#question")) < 80
    assert len(places) == 1
    one.page.select_option("#kind", "FullLabel")
    one.ready()
    assert one.page.locator("#options button").count() == 10
    first = "() => document.querySelector('#options > *').getBoundingClientRect().top"
    assert one.page.evaluate(first) >= one.page.locator("#options").bounding_box()["y"]  # nothing is cut off at the top
    one.page.fill("#find", "category 37")
    one.page.wait_for_function("() => document.querySelectorAll('#options button').length === 1")
    one.page.press("#find", "Enter")
    one.page.wait_for_function("() => document.getElementById('progress').textContent.startsWith('1 answers')")
    assert [line["answer"] for line in server.journal() if "question" in line] == ["category 37"]
    one.ready().page.keyboard.press("g")
    one.page.wait_for_function("() => document.getElementById('message').textContent.startsWith('The model guesses')")
    one.page.keyboard.press("?")
    one.page.wait_for_selector("#keys[open]")
    assert not one.problems


def test_ranking_by_keys_takes_items_back(tmp_path, studio, person):
    table = tmp_path / "items.csv"
    table.write_text("text\n" + "".join(f"item {k}\n" for k in range(8)))
    server = studio(table, "--target", "order", "--kind", "ranking", "--classes", "apple,banana,cherry")
    one = person([]).open(server.address)
    assert one.page.locator("#random").text_content().startswith("Every tenth question")
    one.page.eval_on_selector("#kind", "e => { e.value = 'FullLabel'; e.dispatchEvent(new Event('change')); }")
    one.page.wait_for_function("() => document.querySelectorAll('#options button').length === 3")
    one.ready()
    for key in ("1", "2", "1", "3"):  # apple is taken back
        one.page.keyboard.press(key)
    assert one.page.locator("#options .chosen").all_inner_texts() == ["2banana (1)", "3cherry (2)"]
    one.press("1", 1)
    assert [line["answer"] for line in server.journal() if "question" in line] == ["banana > cherry > apple"]
    assert not one.problems


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
