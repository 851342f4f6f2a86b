"""Elements of HTML. Every text is escaped; only this file and the figures write markup."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from ..data.errors import shortened
from .glossary import TERMS

SHORT = 160  # characters of a cell
STYLE, SCRIPT = (
    files("infimum.report").joinpath("web", name).read_text("utf-8") for name in ("report.css", "report.js")
)
"""The style sheet and the script of the report; it loads no other files."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


ANY_TERM = "|".join(sorted(map(re.escape, TERMS), key=len, reverse=True))
WORDS = re.compile(rf"(?<![\w-])({ANY_TERM})(s?)(?![\w-]|\s+interval)", re.I)
KEYS = {term.casefold(): term for term in TERMS}


class Markup(str):
    """Text that is HTML."""


def markup(*parts: Any) -> Markup:
    """Return parts one after the other; text that is not markup is escaped.

    >>> markup("<b>", Markup("<i>"))
    '&lt;b&gt;<i>'
    """
    return Markup("".join(part if isinstance(part, Markup) else escape(str(part)) for part in parts))


def tag(name: str, *parts: Any, **attributes: Any) -> Markup:
    """Return an element.

    >>> tag("p", "a < b", class_="soft")
    '<p class="soft">a &lt; b</p>'
    """
    written = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(str(v))}"' for key, v in attributes.items())
    return Markup(f"<{name}{written}>{markup(*parts)}</{name}>")


def linked(text: Any) -> Markup:
    """Return text in which the first occurrence of each term is linked to the glossary.

    >>> linked("The set risk of a")
    'The <a href="#term-set-risk">set risk</a> of a'
    """
    if isinstance(text, Markup):
        return text
    parts: list[Any] = []
    seen: set[str] = set()
    end = 0
    for match in WORDS.finditer(str(text)):
        term = KEYS[match[1].casefold()]
        if term not in seen:
            seen.add(term)
            parts += [str(text)[end : match.start()], tag("a", match[0], href=f"#{anchor(term)}")]
            end = match.end()
    return markup(*parts, str(text)[end:])


def anchor(term: str) -> str:
    """Return the id of a term in the glossary."""
    return "term-" + re.sub(r"\W+", "-", term.casefold().replace("²", "2"))


def glossary() -> Markup:
    """Return the list of all terms."""
    pairs = [markup(tag("dt", term, id=anchor(term)), tag("dd", text)) for term, text in TERMS.items()]
    return tag("dl", *pairs)


def para(*parts: Any) -> Markup:
    return tag("p", *map(linked, parts))


def soft(*parts: Any) -> Markup:
    return tag("p", *map(linked, parts), class_="soft")


def summary(texts: Iterable[str]) -> Markup:
    """Return the sentences at the top of a page."""
    return tag("div", *map(para, texts), class_="summary", role="note")


def head(text: str) -> Markup:
    return tag("h3", text)


def verdict(text: str, style: str = "") -> Markup:
    return tag("p", text, class_=f"verdict {style}".strip())


def tiles(facts: Iterable[tuple[str, Any]]) -> Markup:
    """Return tiles of names and numbers."""
    each = [tag("div", tag("b", number(value)), tag("span", linked(name)), class_="tile") for name, value in facts]
    return tag("div", *each, class_="tiles")


def number(value: Any, digits: int = 3) -> str:
    """Return a number as text.

    >>> number(1234567), number(0.12345), number(2.0), number(float("nan"))
    ('1,234,567', '0.123', '2', '–')
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "–" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    if abs(value) < 1e-12:  # rounding errors of 0
        return "0"
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e9):
        return f"{int(value):,}"
    return f"{value:.{digits}g}"


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]], caption: str = "", most: int = 200) -> Markup:
    """Return a table that a click on a column sorts; more than twenty rows are folded, and can be searched."""
    numeric = [bool(rows) and all(_is_number(row[k]) for row in rows) for k in range(len(columns))]
    top = [
        tag("th", tag("button", name, type="button"), scope="col", **({"class_": "n"} if num else {}))
        for name, num in zip(columns, numeric)
    ]
    body = [tag("tr", *(_cell(row[k], numeric[k], columns[k]) for k in range(len(columns)))) for row in rows[:most]]
    caption = f"{caption}." if caption and caption[-1] not in ".?!" else caption
    more = f" The first {most} of {len(rows):,} are shown." if len(rows) > most else ""
    above = tag("p", linked(caption), more, class_="caption") if caption or more else Markup("")
    inner = tag("table", tag("thead", tag("tr", *top)), tag("tbody", *body), class_="sortable long")
    label = caption[:80] or "table"
    return markup(above, tag("div", inner, class_="scroll", tabindex=0, role="region", aria_label=label))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: Any, num: bool, column: str) -> Markup:
    """Return a cell; small screens show the name of its column in front of it."""
    if num:
        return tag("td", number(value), class_="n", data_v=repr(float(value)), data_l=column)
    text = str(value)
    cut = shortened(text, SHORT)
    return tag("td", cut, data_l=column, **({"title": text} if cut != text else {}))


def page(title: str, lead: Markup, sections: Sequence[tuple[str, str, Markup]], details: Sequence[tuple] = ()) -> str:
    """Return the whole page; a section is (title, name, content), and details are folded."""
    items = [tag("li", tag("a", t, href=f"#{n}")) for t, n, _ in (*sections, *details)]
    links = tag("nav", tag("ul", *items), aria_label="Sections")
    body = [tag("section", tag("h2", t), content, id=n) for t, n, content in sections]
    *folded, terms = (
        tag("details", tag("summary", tag("h2", t)), content, id=n)
        for t, n, content in (*details, ("Glossary", "glossary", glossary()))
    )
    if folded:
        body.append(tag("section", tag("h2", "Details"), *folded))
    main = tag("main", tag("h1", title), lead, links, *body, terms)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"{tag('title', title)}\n<style>\n{STYLE}</style>\n</head>\n"
        f"<body>\n{main}\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
