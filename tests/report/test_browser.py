"""The page in a real browser: no errors, no requests, sorting, light and dark, three widths, hostile names."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from infimum import PartialClassifier
from infimum.report import _page as h
from infimum.report import build
from small_search import SMALL_SEARCH

from .test_report import HOSTILE

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: the page is not tested")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
WIDTHS = (390, 900, 1400)


@pytest.fixture(scope="module")
def browser():
    """The chromium of this machine, else that of Playwright."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next((path for name in names if (path := shutil.which(name))), None)
    with playwright.sync_playwright() as driver:
        try:
            started = driver.chromium.launch(executable_path=found, args=ARGUMENTS)
        except playwright.Error as error:
            pytest.skip(f"NO BROWSER, THE PAGE IS NOT TESTED: {error.message.splitlines()[0]}")
        yield started
        started.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> str:
    rng = np.random.default_rng(1)
    kind = rng.integers(4, size=60)
    X = np.array([[0, 0], [3, 0], [0, 3], [3, 3]])[kind] + rng.normal(scale=0.6, size=(60, 2))
    y = [{HOSTILE[k], *(HOSTILE[j] for j in np.flatnonzero(rng.random(4) < 0.3))} for k in kind]
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(X, y)
    names = [f"<img src=x onerror=hacked=1> {k}" for k in range(60)]
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(build(model, X, names=names, annotators=["<b>ann</b>", "bob"] * 30).html)
    return Path(path).as_uri()


@pytest.fixture
def page(browser, address):
    """The page, and the errors and requests that it made."""
    opened = browser.new_page(viewport={"width": 900, "height": 800})
    opened.said, opened.asked = [], []
    opened.on("console", lambda message: opened.said.append(message.text))
    opened.on("pageerror", lambda error: opened.said.append(str(error)))
    opened.on("request", lambda request: opened.asked.append(request.url))
    opened.goto(address)
    opened.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    yield opened
    opened.close()


def test_no_errors_no_requests_no_foreign_script(page, address):
    assert page.said == []
    assert page.asked == [address]
    assert page.evaluate("typeof hacked") == "undefined"
    assert page.locator("main script, main img, main iframe").count() == 0
    assert page.locator("body > script").count() == 1
    text = page.locator("main").inner_text()
    for name in HOSTILE:
        assert name in text
    assert page.locator("#review, #overview, #identifiability, #audit, #results, #glossary").count() == 6


def column(table, k: int) -> list[str]:
    return table.locator(f"tbody tr td:nth-child({k})").all_inner_texts()


def test_tables_are_sorted_by_a_click_numbers_as_numbers(page):
    table = page.locator("#identifiability table.sortable").last
    head = table.locator("th").nth(2)  # together
    before = [float(text.replace(",", "")) for text in column(table, 3)]
    head.locator("button").click()
    up = [float(text.replace(",", "")) for text in column(table, 3)]
    assert up == sorted(before)
    assert head.get_attribute("aria-sort") == "ascending"
    head.locator("button").click()
    down = [float(text.replace(",", "")) for text in column(table, 3)]
    assert down == sorted(before, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    table.locator("th").first.locator("button").focus()
    page.keyboard.press("Enter")  # a keyboard is enough
    names = column(table, 1)
    assert names == sorted(names, key=HOSTILE_ORDER(page))
    assert head.get_attribute("aria-sort") is None
    assert page.said == []


def test_numbers_with_signs_and_powers_are_sorted_as_numbers(page):
    """Contributions such as -0.03 and 4e-05, which the order of text would mix up."""
    for table in page.locator("#audit table.sortable").all()[-3:]:
        heads = table.locator("th").all_inner_texts()
        k = next(k for k, head in enumerate(heads) if head.startswith("contribution"))
        table.locator("th").nth(k).locator("button").click()
        values = [float(text) for text in column(table, k + 1)]
        assert values == sorted(values)
        assert len(set(values)) > 2


def HOSTILE_ORDER(page):
    """The place of a name in the order of the browser's own language."""
    order = page.evaluate("names => names.sort((a, b) => a.localeCompare(b, undefined, {numeric: true}))", HOSTILE)
    return order.index


def brightness(colour: str) -> float:
    return sum(float(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")) / (3 * 255)


def test_light_and_dark(page):
    seen = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        ink, back = (page.evaluate(f"getComputedStyle(document.body).{name}") for name in ("color", "backgroundColor"))
        label = page.evaluate("getComputedStyle(document.querySelector('figure svg text')).fill")
        seen[scheme] = [brightness(colour) for colour in (ink, back, label)]
    assert seen["light"][1] > 0.9 > 0.3 > seen["light"][0]
    assert seen["dark"][1] < 0.15 < 0.7 < seen["dark"][0]
    assert abs(seen["light"][2] - seen["light"][0]) < 0.01  # the figures are written in the colour of the text
    assert abs(seen["dark"][2] - seen["dark"][0]) < 0.01


@pytest.mark.parametrize("width", WIDTHS)
def test_no_width_needs_the_page_to_be_pushed_sideways(page, width):
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("Math.min(...[...document.querySelectorAll('td')].map(cell => cell.clientWidth))") > 20
    assert float(page.evaluate("parseFloat(getComputedStyle(document.querySelector('td')).fontSize)")) >= 12


def test_long_lists_show_twenty_rows_and_can_be_searched(browser, tmp_path):
    rows = [[f"name {k}", k] for k in range(70)]
    content = h.markup(h.table(["name", "n"], rows, "many"), h.table(["name", "n"], rows[:20], "few"))
    path = tmp_path / "long.html"
    path.write_text(h.page("t", h.markup(), [("Tables", "tables", content)]))
    page = browser.new_page()
    page.goto(path.as_uri())
    assert page.locator(".find").count() == 1
    assert page.locator("table").first.locator("tbody tr:visible").count() == 20
    page.fill(".find input", "name 6")
    assert page.locator("table").first.locator("tbody tr:visible").count() == 16  # all with a 6
    page.fill(".find input", "")
    page.click(".find button")
    assert page.locator("table").first.locator("tbody tr:visible").count() == 70
    page.close()


def test_terms_are_linked_to_the_glossary(page):
    links = page.eval_on_selector_all("a[href^='#term-']", "all => all.map(a => a.getAttribute('href'))")
    assert {"#term-covering-rate", "#term-set-risk", "#term-candidate-set"} <= set(links)
    missing = [link for link in set(links) if page.locator(link).count() != 1]
    assert missing == []


def test_small_screens_show_whole_tables(browser, tmp_path):
    """Each cell is on the screen, with the name of its column in front of it."""
    rows = [[f"name {k}", *range(k, k + 7)] for k in range(5)]
    columns = ["name", *(f"a long title of column {k}" for k in range(7))]
    path = tmp_path / "wide.html"
    path.write_text(h.page("t", h.markup(), [("Tables", "tables", h.table(columns, rows, "wide"))]))
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(path.as_uri())
    rights = page.evaluate("[...document.querySelectorAll('td')].map(cell => cell.getBoundingClientRect().right)")
    assert max(rights) <= 390
    shown = page.evaluate("getComputedStyle(document.querySelectorAll('td')[1], '::before').content")
    assert "a long title of column 0" in shown
    page.close()
