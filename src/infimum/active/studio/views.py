"""What the page is told, as JSON has it."""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np

from ...outputs import Labels, Rankings, Reals, Tags
from .. import Question
from .desk import Desk, Entry

SHOWN = 50
LONG = 4000  # characters of a cell


def question_view(question: Question) -> dict:
    """A question with its text and its answers."""
    binary = [option.value for option in question.options()] == [True, False]
    options = [] if binary else [{"value": o.value, "text": o.text} for o in question.options()]
    return {"asked": question.as_dict(), "text": question.text(), "form": _form(question, binary), "options": options,
            "cost": round(question.cost, 3)}  # fmt: skip


def _form(question: Question, binary: bool) -> str:
    """How it is answered: by yes and no, by one of the options, by tags, an order or a number."""
    if binary:
        return "yes-no"
    if question.options():
        return "one"
    kinds: list[tuple[Any, str]] = [(Tags, "tags"), (Rankings, "order"), (Reals, "number"), (Labels, "one")]
    return next(form for kind, form in kinds if isinstance(question.space, kind))


def row_view(desk: Desk, row: int) -> dict:
    """A row as people see it: pictures by their address, everything else as text."""
    sheet = desk.sheet
    cells = []
    for column in sheet.columns:
        value = sheet.rows[row].get(column)
        if column in sheet.images:
            there = sheet.picture(row, column) is not None
            cells.append({"column": column, "image": there, "text": str(value or "")})
        else:
            cells.append({"column": column, "image": False, "text": _text(value)})
    known = desk.answers.sets.format(row) if row < len(sheet) else ""
    return {"row": row, "id": _text(sheet.records.ids[row]), "cells": cells, "known": known}


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    text = f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
    return text if len(text) <= LONG else text[: LONG - 1] + "…"


def state_view(desk: Desk, who: str) -> dict:
    """Progress, the chart, and what may be chosen."""
    with desk.lock:
        points, entries = list(desk.points), list(desk.entries)
    last = points[-1]
    seconds = [entry.seconds / max(entry.question.cost, 1e-9) for entry in entries[-200:] if entry.seconds]
    pace = statistics.median(seconds) if len(seconds) >= 5 else None
    step = max(1, len(points) // 100)
    return {
        "rows": len(desk.sheet), "answers": len(entries), "mine": sum(entry.who == who for entry in entries),
        "settled": last.settled, "spent": last.cost, "left": last.left, "covering": last.covering,
        "minutes": None if pace is None else round(last.left * pace / 60, 1),
        "points": [[p.cost, p.covering, p.left] for p in points[::step]] + [[last.cost, last.covering, last.left]],
        "kinds": list(desk.structure.kinds), "names": desk.sheet.names(), "file": desk.sheet.path.name,
        "target": desk.sheet.target, "learned": last.answers,
    }  # fmt: skip


def listed(desk: Desk, search: str, offset: int) -> dict:
    """The answers, newest first, of which the row, the question, the answer or the person holds the words."""
    words = search.casefold().split()
    with desk.lock:
        entries = list(reversed(desk.entries))
    found = [entry for entry in entries if all(word in _searched(desk, entry) for word in words)]
    return {"total": len(found), "answers": [_entry_view(entry) for entry in found[offset : offset + SHOWN]]}


def _searched(desk: Desk, entry: Entry) -> str:
    row = entry.question.row
    cells = " ".join(_text(value) for value in desk.sheet.rows[row].values())
    return f"row {row} {entry.question.text()} {entry.question.said(entry.answer)} {entry.who} {cells}".casefold()


def _entry_view(entry: Entry) -> dict:
    return {"id": entry.id, "row": entry.question.row, "text": entry.question.text(), "who": entry.who,
            "answer": entry.question.said(entry.answer), "time": entry.time}  # fmt: skip
