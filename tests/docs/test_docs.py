"""The README, the pages and the site; their blocks are run by test_wheel.py."""

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]



def test_the_readme_gives_the_two_commands_and_the_installation_first():
    text = (ROOT / "README.md").read_text("utf-8")
    first = text.split("## Quickstart")[0]
    assert len(first.splitlines()) < 60
    assert all(words in first for words in ("make demo", "make test", "pip install", "partial labels"))


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
