"""The page of the studio in a real browser: hostile cells, keys, contrast, buttons that keep their place."""

import csv

from studio_person import TEN, opened
from studio_process import digits_table


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
