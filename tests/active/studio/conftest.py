"""A studio in a process of its own, and a browser."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # studio_process, for the tests beside it

pytest.importorskip("starlette", reason='the studio needs the extra: pip install "infimum[studio]"')
pytest.importorskip("uvicorn", reason='the studio needs the extra: pip install "infimum[studio]"')

from studio_person import Person
from studio_process import Studio

ARGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync"]  # fmt: skip


@pytest.fixture
def table(tmp_path):
    """A table of 24 pets, some of them with candidate labels."""
    path = tmp_path / "pets.csv"
    rows = [f"{k % 4},{'purrs' if k % 2 else 'barks'} {k},{['', 'cat|dog', '', ''][k % 4]}" for k in range(24)]
    path.write_text("\n".join(["size,text,label", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def studio(tmp_path):
    """studio(table, *options) starts one; all are killed at the end."""
    started = []

    def start(table, *options):
        found = Studio(table, *options).start()
        started.append(found)
        return found

    yield start
    for each in started:
        each.kill()


@pytest.fixture(scope="session")
def chromium():
    """A browser: the chromium of the system, else Playwright's own."""
    api = pytest.importorskip("playwright.sync_api", reason="NO BROWSER TESTS: playwright is not installed")
    with api.sync_playwright() as play:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        try:
            browser = play.chromium.launch(executable_path=path, args=ARGS)
        except api.Error as error:
            pytest.skip(f"NO BROWSER TESTS: no chromium was found ({error})")
        yield browser
        browser.close()


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
