"""The FAQ's errors are what the library says: every block is run, and its message compared with the text below it."""

import re
import warnings
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "faq.md"
ERRORS = re.findall(r"^### (.*?)\n\n```py\n(.*?)^```\n```text\n(.*?)^```", PAGE.read_text("utf-8"), flags=re.M | re.S)


def plain(text: str) -> str:
    """Line breaks do not matter."""
    return " ".join(text.split())


def said(code: str) -> str:
    """The error, or the warning, that a block ends with."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            exec(compile(code, str(PAGE), "exec"), {})
        except Exception as error:
            return str(error)
    return ""


def test_there_are_ten():
    assert len(ERRORS) == PAGE.read_text("utf-8").count("```py\n") == 10


@pytest.mark.parametrize("title, code, text", ERRORS, ids=[title for title, _, _ in ERRORS])
def test_the_library_says_so(title, code, text):
    assert plain(said(code)) == plain(text)
