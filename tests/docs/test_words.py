"""The words of README, pages and source: the field's vocabulary, short sentences, and no private terms."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "infimum"
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")] + sorted((ROOT / "docs").glob("*.md"))
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))
SCRIPTS = sorted(
    path for folder in ("benchmarks", "docs") for path in (ROOT / folder).rglob("*.py") if "_build" not in path.parts
)
"""Benchmarks and figures, whose words the site shows."""

AVOID = re.compile(
    r"\brows? that knows?\b|\bjudg(?:e|es|ed|ing|ement)s?\b|\btold\b|\bsets alone\b|\bserves?\b"
    r"|in (?:its|their) own words|\bheed|\basked for\b|\blooked at\b|\bweighed\b|\brefus(?:e|es|ed|al)\b"
    r"|\bhalf-lines?\b|\bnets\b|processor seconds|by the clock|\bkin\b|\bdear(?:er|est)?\b|\bin vain\b"
    r"|\bpromise[sd]?\b|\bways? out\b|\bsplendid|\bhopeless|\bmend(?:s|ed)?\b|\bforetold\b|\blaws?\b|\bhonest"
    r"|\bleft open\b|\b(?:but for|none but|all but|nothing but)\b|\bgoals?\b|\bsettle[sd]?\b|\bspeaks?\b|\bthe truth\b"
    r"|\b(?:inside|joint|both|two) readings?\b|\bteach(?:es)?\b|(?-i:\bOf (?:numbers|labels|tags|rankings|vectors)\b)"
    r"|\bin so many words\b|\bhas no end\b|\bleft alone\b|\bwhat is named\b"
    r"|\b(?:rows?|sets?|labels?|data) (?:say|tell|know)s?\b",
    re.IGNORECASE,
)
"""Words that are used privately, or for which the field has another word."""

ALLOWED = {
    "server.py": {"Serve"},  # a server serves pages
    "make_tickets.py": {"Dear", "promised"},  # letters of customers
}
"""Words that are right where they stand, by file."""

FIELD = (
    "cross-validation", "model selection", "hyperparameter", "regularisation", "semi-supervised", "soft label",
    "partial-label learning", "superset learning", "complementary label", "interval-censored", "label ranking",
    "prediction set", "coverage", "calibration", "weak supervision", "crowd",
)  # fmt: skip
SEARCHED = (
    "partial-label", "superset learning", "weak supervision", "interval-censored regression", "label ranking",
    "complementary labels", "semi-supervised", "crowd", "soft labels", "cross-validation", "conformal",
    "active learning", "multi-label", "hierarchical", "scikit-learn",
)  # fmt: skip
"""Names of the problem and of its variants, in the README."""
MEAN_WORDS = 20  # per sentence, on each page
LONG_WORDS = 30  # a sentence with more words is long
LONG_SHARE = 0.08  # of the sentences of a page


def prose(page: Path) -> str:
    """Return a page without code, tables, headings and formulas."""
    text = re.sub(r"```.*?```|\$\$.*?\$\$", "", page.read_text("utf-8"), flags=re.S)
    text = re.sub(r"`[^`]*`|\$[^$]*\$", "x", text)
    return "\n".join(line for line in text.splitlines() if not re.match(r"\||#|    |:::|!\[|<", line))


def sentences(page: Path) -> list[int]:
    """Return the number of words of each sentence; list entries and parts before a colon count as sentences."""
    parts = re.split(r"(?<=[.!?:;])\s+|\n\s*\n|\n\s*[-*\d.]+ ", prose(page))
    return [len(part.split()) for part in parts if len(part.split()) > 2]


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda page: page.name)
def test_pages_avoid_private_words(page):
    text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text("utf-8"), flags=re.S)
    found = sorted({match[0] for match in AVOID.finditer(text)})
    assert found == [], f"{page.name}: {', '.join(found)}; write the word of the field, see docs/glossary.md"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_sentences_are_short(page):
    words = sentences(page)
    if len(words) < 5:
        return
    assert sum(words) / len(words) <= MEAN_WORDS
    long = sum(count > LONG_WORDS for count in words)
    assert long <= max(1, LONG_SHARE * len(words)), f"{long} of {len(words)} sentences are long"


def texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield the docstrings, messages, help and comments of a module with their line numbers."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, re.sub(r"`[^`]*`", "", node.value)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


@pytest.mark.parametrize("package", sorted({path.relative_to(SOURCE).parts[0] for path in SOURCE.rglob("*.py")}))
def test_source_avoids_private_words(package):
    found = []
    for path in [SOURCE / package] if package.endswith(".py") else sorted((SOURCE / package).rglob("*.py")):
        for line, text in texts(path.read_text("utf-8")):
            words = {match[0] for match in AVOID.finditer(text)} - ALLOWED.get(path.name, set())
            found += [f"{path.relative_to(ROOT)}:{line}: {word}" for word in sorted(words)]
    assert found == [], "write the word of the field, see docs/glossary.md"


def test_help_avoids_private_words():
    """The help of every command, as it is printed."""
    typer = pytest.importorskip("typer")
    from infimum.cli import app

    group = typer.main.get_command(app)
    assert len(group.commands) > 5
    for name, command in {"infimum": group, **group.commands}.items():
        text = command.get_help(command.context_class(command, info_name=name))
        assert sorted({match[0] for match in AVOID.finditer(text)}) == [], f"infimum {name} --help"


@pytest.mark.parametrize("path", EXAMPLES + SCRIPTS, ids=lambda path: path.name)
def test_examples_and_scripts_avoid_private_words(path):
    found = {match[0] for _, text in texts(path.read_text("utf-8")) for match in AVOID.finditer(text)}
    assert found <= ALLOWED.get(path.name, set()), "write the word of the field, see docs/glossary.md"


@pytest.mark.parametrize(
    "path", [path for path in EXAMPLES if path.name.startswith("plot_")], ids=lambda path: path.name
)
def test_sentences_of_examples_are_short(path, tmp_path):
    source = path.read_text("utf-8")
    comments = [line[2:] if line.startswith("# ") else "" for line in source.splitlines() if line[:4] != "# %%"]
    page = tmp_path / "prose.md"
    page.write_text((ast.get_docstring(ast.parse(source)) or "") + "\n\n" + "\n".join(comments), encoding="utf-8")
    words = sentences(page)
    assert sum(words) / len(words) <= MEAN_WORDS
    assert sum(count > LONG_WORDS for count in words) <= max(1, LONG_SHARE * len(words))


def test_the_vocabulary_of_the_field_is_there():
    text = " ".join(page.read_text("utf-8") for page in PAGES).lower()
    assert [words for words in FIELD if words not in text] == []


def test_the_readme_has_the_words_that_people_search_for():
    text = " ".join((ROOT / "README.md").read_text("utf-8").lower().split())
    assert [words for words in SEARCHED if words not in text] == []


def test_the_checks_find_what_they_look_for(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("A judge is told. " + "word " * 40 + ".")
    assert {match[0] for match in AVOID.finditer(prose(page))} == {"judge", "told"}
    assert max(sentences(page)) >= 40
    module = '"""Rows that know nothing."""\nraise ValueError("It is told so.")  # a judge\n'
    assert [(line, AVOID.search(text)[0]) for line, text in texts(module)] == [
        (1, "Rows that know"), (2, "told"), (2, "judge"),
    ]  # fmt: skip
