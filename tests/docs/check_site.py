"""The built site in a real browser: `make test-docs` builds it and runs this file by its name.

At three widths, light and dark: nothing scrolls sideways, every picture is there, formulas are drawn, no page asks the
network for anything; and without a browser, every link inside the site leads somewhere.
"""

import functools
import http.server
import shutil
import threading
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[2]
HTML = ROOT / "docs" / "_build" / "html"
SHOTS = ROOT / "docs" / "_build" / "shots"
WIDTHS = (390, 900, 1400)
IN_THE_DARK = ["index.html", "start.html", "guide.html", "reference.html", "regression.html"]
WORDS = ["Getting started", "User guide", "Tutorials", "Reference", "Background"]  # the others are under "More"
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
MADE = {"genindex.html", "search.html", "py-modindex.html"}
MEASURE = """() => ({
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    broken: [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src),
    formulas: document.querySelectorAll('.math').length,
    drawn: document.querySelectorAll('mjx-container').length,
    raw: [...document.querySelectorAll('article .math')].filter(e => /\\\\\\(|\\\\\\[/.test(e.innerText)).length,
})"""
CONTRAST = """() => {
    const numbers = s => s.match(/[\\d.]+/g).map(Number);
    const linear = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
    const light = c => .2126 * linear(c[0]) + .7152 * linear(c[1]) + .0722 * linear(c[2]);
    const ink = light(numbers(getComputedStyle(document.querySelector('article p')).color));
    const paper = light(numbers(getComputedStyle(document.body).backgroundColor));
    return {paper, ratio: (Math.max(ink, paper) + .05) / (Math.min(ink, paper) + .05)};
}"""


def pages() -> list[str]:
    found = (path.relative_to(HTML).as_posix() for path in HTML.rglob("*.html"))
    return sorted(name for name in found if not name.startswith("_static/"))  # parts of the theme


def looked_at() -> list[str]:
    """Every page that is written by hand, the gallery with all of its examples, and some pages of the API."""
    api = [page for page in pages() if page.startswith("api/generated/")]
    own = [page for page in pages() if "/" not in page and page not in MADE]
    return own + [page for page in pages() if page.startswith("auto_examples/")] + api[:: max(1, len(api) // 8)]


class Page(HTMLParser):
    """The links and pictures of a page, and the places that links may lead to."""

    def __init__(self, path: Path):
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        self.places |= {known[name] for name in ("id", "name") if known.get(name)}
        self.links += [known[name] for name in ("href", "src") if known.get(name) and tag != "base"]


@pytest.fixture(scope="session")
def site():
    assert (HTML / "index.html").exists(), "There is no site: run make docs, or make test-docs, which builds it first."

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=HTML))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="THE SITE WAS NOT LOOKED AT: pip install playwright")
    with playwright.sync_playwright() as running:
        own = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        try:
            found = running.chromium.launch(executable_path=own, args=ARGUMENTS)
        except playwright.Error as error:
            pytest.skip(f"THE SITE WAS NOT LOOKED AT: no chromium here. {str(error)[:200]}")
        yield found
        found.close()


@pytest.fixture(params=["light", "dark"])
def look(request, browser, site):
    """A function that opens a page in a theme, and everything that a page asked of others or complained about."""
    context = browser.new_context(color_scheme=request.param, viewport={"width": WIDTHS[0], "height": 900})
    asked: list[str] = []

    def local_only(route):
        if route.request.url.startswith((site, "data:")):
            route.continue_()
        else:
            asked.append(route.request.url)
            route.abort()

    context.route("**/*", local_only)
    page = context.new_page()
    page.on("pageerror", lambda error: asked.append(f"error on {page.url}: {error}"))

    def opened(name: str):
        page.goto(site + name, wait_until="load")
        page.evaluate("async () => { if (window.MathJax?.startup) await MathJax.startup.promise; }")
        return page

    yield request.param, opened, asked
    context.close()


def test_links_inside_the_site_lead_somewhere():
    parsed = {name: Page(HTML / name) for name in pages()}
    assert len(parsed) > 150
    broken = []
    for name, page in parsed.items():
        for link in page.links:
            there = urlsplit(link)
            if there.scheme or there.netloc or link in ("#", ""):
                continue
            path = (HTML / name).parent / unquote(there.path) if there.path else HTML / name
            path = path / "index.html" if path.is_dir() else path
            if not path.exists():
                broken.append(f"{name}: {link}")
            elif there.fragment and path.suffix == ".html" and "_modules/" not in name + link:  # lines of source code
                target = parsed.get(path.resolve().relative_to(HTML.resolve()).as_posix())
                if target and unquote(there.fragment) not in target.places:
                    broken.append(f"{name}: {link}")
    assert broken == []


def test_pages_keep_within_every_width(look):
    theme, opened, asked = look
    wrong = []
    for name in looked_at() if theme == "light" else IN_THE_DARK:
        page = opened(name)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            found = page.evaluate(MEASURE)
            if found["wide"] > 0 or found["broken"]:
                wrong.append(f"{name} at {width}: {found['wide']} pixels too wide, pictures missing: {found['broken']}")
        if found["formulas"] != found["drawn"] or found["raw"]:
            wrong.append(f"{name}: {found['drawn']} of {found['formulas']} formulas are drawn")
        contrast = page.evaluate(CONTRAST)
        if contrast["ratio"] < 4.5 or (contrast["paper"] < 0.2) != (theme == "dark"):
            wrong.append(f"{name}, {theme}: contrast {contrast}")
    assert wrong == []
    assert asked == []


def test_the_landing_page(look):
    theme, opened, asked = look
    SHOTS.mkdir(parents=True, exist_ok=True)
    page = opened("index.html")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.screenshot(path=SHOTS / f"index-{width}-{theme}.png", full_page=True)
        shown = [image for image in page.locator(".hero img, .panels img").all() if image.is_visible()]
        assert len(shown) == (3 if width < 600 else 1)  # on a phone, one panel below the other
        assert all(f"sets-{theme}.svg" in image.get_attribute("src") for image in shown)
    items = [item for item in page.locator("header .navbar-nav .nav-link").all() if item.is_visible()]
    assert [item.inner_text().strip() for item in items][: len(WORDS)] == WORDS
    assert len({round(item.bounding_box()["y"]) for item in items}) == 1  # in one line
    assert page.locator(".card-of").count() == 3
    assert asked == []


def test_the_gallery_has_its_sections(look):
    theme, opened, _ = look
    page = opened("auto_examples/index.html")
    page.set_viewport_size({"width": 1400, "height": 900})
    page.screenshot(path=SHOTS / f"gallery-{theme}.png", full_page=True)
    assert page.locator(".sphx-glr-thumbcontainer").count() >= 16
    assert page.locator("article h2").count() >= 8
