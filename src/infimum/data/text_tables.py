"""Small tables as aligned text and as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

Lines = Sequence[Sequence[str]]
"""A header, then one line per row."""


def aligned(lines: Lines) -> list[str]:
    """Return the lines with columns of equal width.

    >>> aligned([("row", "set"), ("12", "a|b")])
    ['row  set', '12   a|b']
    """
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]


def html_table(lines: Lines) -> str:
    """Return the lines as an HTML table; all cells are escaped."""
    head, *body = lines
    rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in body)
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table>"
