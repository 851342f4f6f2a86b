"""The index page: each figure with its caption, our numbers beside the reference numbers, and the differences."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable
from numbers import Real
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .base import Comparison, Experiment
from .runner import collect
from .store import place, versions, write

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.2rem; margin-top: 3rem; border-top: 1px solid #ddd; padding-top: 1rem }
img { max-width: 100%; height: auto } table { border-collapse: collapse; font-size: 13px }
td, th { padding: .15rem .7rem; border-bottom: 1px solid #eee; text-align: right } td:first-child, th:first-child
{ text-align: left } .no { color: #b33 } .note { color: #666 } nav li { margin: .1rem 0 } .place { color: #666 }
details { margin: .5rem 0 }
"""


def index(experiments: Iterable[Experiment], out: Path, quick: bool) -> Path:
    """Write index.html, one file with the experiments that are finished in `out`; the others are listed."""
    entries, contents, made_with = [], [], set()
    for experiment in experiments:
        frame = collect(experiment, out, quick)
        name, title = html.escape(experiment.name), html.escape(experiment.title)
        if frame is None or not place(out, experiment.name, ".png").exists():
            contents.append(f"<li>{title} <span class=note>({name}: not run yet)</span></li>")
            continue
        made_with |= set(frame["versions"])
        contents.append(f'<li><a href="#{_address(experiment.name)}">{title}</a></li>')
        entries.append(_entry(experiment, experiment.compare(frame), out))
    size = "Quick sizes: fewer folds, seeds or points than in the paper." if quick else "Full sizes."
    made = html.escape(" or ".join(sorted(made_with or {versions()})))
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>The paper, reproduced</title><style>{STYLE}</style><h1>The paper, reproduced</h1>"
        "<p>Structured prediction with partial labelling through the infimum loss (Cabannes, Rudi and Bach, 2020). "
        f"{size} Made with {made}.</p><nav><ul>{''.join(contents)}</ul></nav>{''.join(entries)}"
    )
    path = out / "index.html"
    write(path, page.encode())
    return path


def _entry(experiment: Experiment, comparisons: list[Comparison], out: Path) -> str:
    name, address = html.escape(experiment.name), _address(experiment.name)
    picture = base64.b64encode(place(out, experiment.name, ".png").read_bytes()).decode()
    return (
        f'<section id="{name}"><h2>{html.escape(experiment.title)}</h2>'
        f"<p class=place>{html.escape(experiment.place)} · "
        f'<code>infimum reproduce {name}</code> · <a href="{address}.csv">CSV</a> · <a href="{address}.pdf">PDF</a></p>'
        f'<img alt="{html.escape(experiment.title)}" src="data:image/png;base64,{picture}">'
        f"<p>{html.escape(experiment.caption)}</p>"
        f"<p><b>What differs from print, and why.</b> {html.escape(experiment.differs)}</p>"
        f"{_table(comparisons)}</section>"
    )


def _address(name: str) -> str:
    """Return a name as a relative address, escaped for HTML.

    >>> _address('a"b&c')
    'a%22b%26c'
    """
    return quote(name, safe="")


def _table(comparisons: list[Comparison]) -> str:
    if not comparisons:
        return "<p class=note>There is no reference number for this one.</p>"
    claimed = [c for c in comparisons if c.claimed]
    agreeing = sum(c.agrees for c in claimed)
    sources = "; ".join(dict.fromkeys(c.source for c in comparisons))
    rows = "".join(
        f"<tr><td>{html.escape(c.what)}</td><td>{_number(c.ours)}</td><td>{_number(c.reference)}</td>"
        f"<td>{'' if c.tolerance is None else '± ' + _number(c.tolerance)}</td><td>{_verdict(c)}</td></tr>"
        for c in comparisons
    )
    return (
        f"<details{' open' if len(comparisons) < 12 or agreeing < len(claimed) else ''}><summary>{agreeing} of "
        f"{len(claimed)} numbers agree. Reference: {html.escape(sources)}.</summary><table><tr><th></th><th>ours</th>"
        f"<th>reference</th><th>tolerance</th><th></th></tr>{rows}</table></details>"
    )


def _verdict(comparison: Comparison) -> str:
    if not comparison.claimed:
        return "<span class=note>differs as explained</span>" if not comparison.agrees else "agrees"
    return "agrees" if comparison.agrees else "<span class=no>differs</span>"


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, Real) and not isinstance(value, int) else html.escape(str(value))
