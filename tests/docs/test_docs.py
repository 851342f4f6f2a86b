"""The README, the pages and the site; their blocks are run by test_wheel.py."""

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RESULTS = {"Lost": "lost", "MSRCv2": "MSRCv2", "digits": "digits-uniform-0.3", "segment": "segment-uniform-0.5"}
"""The rows of the short table of results, and their names in the table that `python -m benchmarks defaults` writes."""


def test_the_readme_gives_the_two_commands_and_the_installation_first():
    text = (ROOT / "README.md").read_text("utf-8")
    first = text.split("## Quickstart")[0]
    assert len(first.splitlines()) < 60
    assert all(words in first for words in ("make demo", "make test", "pip install", "partial labels"))


def test_results_are_those_of_the_benchmark():
    """README and landing page show rows of docs/_tables/defaults.md, rounded to percent, against the best baseline."""
    written = (ROOT / "docs" / "_tables" / "defaults.md").read_text("utf-8")
    readme, index = ((ROOT / name).read_text("utf-8") for name in ("README.md", "docs/index.md"))
    for name, problem in RESULTS.items():
        cells = re.search(
            rf"^\| {re.escape(problem)} \| \**(\.\d+).*?\| (\.\d+).*?\| (\.\d+)", written, re.M
        ).groups()
        expected = [f"{round(100 * float(cell)):d} %" for cell in cells]
        (row,) = re.findall(rf"^\| \*?{name}.*$", readme, re.M)
        assert row in index
        assert re.findall(r"\d+ %", row) == expected, f"{name}: the benchmark has {expected}"


def test_the_summary_counts_the_problems_of_the_benchmark():
    """The short table of bench_defaults.md has the numbers of the sentence that the benchmark writes."""
    page = (ROOT / "docs" / "bench_defaults.md").read_text("utf-8")
    rows = re.findall(r"^\| [a-z, ]+ \| (\d+) \| (\d+) \| the version", page, re.M)
    written = (ROOT / "docs" / "_tables" / "defaults.md").read_text("utf-8")
    problems, ahead = re.search(r"on \d+ of (\d+)\s+problems,\s+and above it on (\d+)\.", written).groups()
    assert [sum(int(row[k]) for row in rows) for k in (0, 1)] == [int(problems), int(ahead)]


def test_lines_of_prose_are_short():
    """At most 120 characters, except in tables, code and links."""
    long = []
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        text = re.sub(r"^ *```.*?^ *```|^\$\$$.*?^\$\$$", "", page.read_text("utf-8"), flags=re.M | re.S)
        lines = [line for line in text.splitlines() if len(line) > 120 and not re.match(r"\||!|<|    |:alt", line)]
        long += [
            f"{page.name}: {line[:60]}…" for line in lines if len(re.sub(r"\]\(.*?\)|`.*?`|\$.*?\$", "", line)) > 120
        ]
    assert long == []


def test_pages_link_to_pages_that_are_there():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+\.(?:md|cff|rst))(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_pictures_of_the_site_are_drawn_by_the_library(tmp_path):
    """docs/pictures.py still runs, and what is committed is what it draws."""
    pytest.importorskip("matplotlib")
    namespace = runpy.run_path(str(ROOT / "docs" / "pictures.py"))
    drawn = {path.name: path.read_text("utf-8") for path in namespace["main"](tmp_path)}
    assert set(drawn) == {"logo.svg", "favicon.svg", "sets-light.svg", "sets-dark.svg"}
    for name, text in drawn.items():
        kept = (ROOT / "docs" / "_static" / name).read_text("utf-8")
        ElementTree.fromstring(kept)
        assert abs(len(text) - len(kept)) < 0.2 * len(kept), f"{name} has changed: run python docs/pictures.py"
    assert drawn["logo.svg"] == (ROOT / "docs" / "_static" / "logo.svg").read_text("utf-8")


def test_sections_of_the_gallery_have_a_title_and_examples():
    sections = [path for path in (ROOT / "examples").iterdir() if path.is_dir() and path.name != "__pycache__"]
    known = re.search(r"SECTIONS = \[(.*?)\]", (ROOT / "docs" / "conf.py").read_text("utf-8"))[1]
    assert {f'"{path.name}"' for path in sections} <= set(known.split(", "))
    examples = [example for path in sections for example in path.glob("plot_*.py")]
    assert len(examples) >= 16
    for path in sections:
        assert (path / "README.rst").exists(), f"examples/{path.name} needs a README.rst with its title"
        assert list(path.glob("plot_*.py")), f"examples/{path.name} is empty"
    for example in examples:
        assert "plt.show()" in example.read_text("utf-8"), f"{example.name} ends in nothing to look at"
