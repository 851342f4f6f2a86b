"""A person who answers questions in a browser."""

import re

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
