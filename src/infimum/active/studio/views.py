"""What the web app shows, as JSON."""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np

from .. import Question
from .session import Entry, Session

PAGE_SIZE = 50  # answers per request
MAX_TEXT = 4000  # characters of a cell


def question_view(question: Question) -> dict:
    """Return a question with its text, its options and its input: "yes-no", "one" of the options, or an output type."""
    options = question.options()
    is_binary = [option.value for option in options] == [True, False]
    return {
        "asked": question.as_dict(), "text": question.text(), "cost": round(question.cost, 3),
        "input": "yes-no" if is_binary else "one" if options else question.space.kind,
        "options": [] if is_binary else [{"value": o.value, "text": o.text} for o in options],
    }  # fmt: skip


def row_view(session: Session, row: int) -> dict:
    """Return a row as people see it: images by their address, all other cells as text."""
    task = session.task
    cells = []
    for column in task.columns:
        value = task.rows[row].get(column)
        is_image = column in task.images and task.image(row, column) is not None
        cells.append({"column": column, "image": is_image, "text": _text(value)})
    candidates = session.answers.sets.format(row)
    return {"row": row, "id": _text(task.records.ids[row]), "cells": cells, "candidates": candidates}


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    text = f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


def state_view(session: Session, who: str) -> dict:
    """Return the progress, the chart, and what can be chosen."""
    with session.lock:
        history, entries = list(session.history), list(session.entries)
    last = history[-1]
    seconds = [entry.seconds / max(entry.question.cost, 1e-9) for entry in entries[-200:] if entry.seconds]
    pace = statistics.median(seconds) if len(seconds) >= 5 else None
    step = max(1, len(history) // 100)
    task = session.task
    return {
        "rows": len(task), "answers": len(entries), "mine": sum(entry.who == who for entry in entries),
        "complete": last.complete, "spent": last.cost, "remaining": last.remaining, "covering": last.covering,
        "minutes": None if pace is None else round(last.remaining * pace / 60, 1),
        "history": [[p.cost, p.covering, p.remaining] for p in [*history[::step], last]],
        "kinds": list(session.model.kinds), "names": task.names(), "file": task.path.name, "target": task.target,
        "learned": last.answers,
    }  # fmt: skip


def answers_view(session: Session, search: str, offset: int) -> dict:
    """Return the answers, newest first, whose row, question, answer or person contains all words of a search."""
    words = search.casefold().split()
    with session.lock:
        entries = list(reversed(session.entries))
    found = [entry for entry in entries if all(word in _searched(session, entry) for word in words)]
    return {"total": len(found), "answers": [_entry_view(entry) for entry in found[offset : offset + PAGE_SIZE]]}


def _searched(session: Session, entry: Entry) -> str:
    row, question = entry.question.row, entry.question
    cells = " ".join(_text(value) for value in session.task.rows[row].values())
    return f"row {row} {question.text()} {question.answer_text(entry.answer)} {entry.who} {cells}".casefold()


def _entry_view(entry: Entry) -> dict:
    question = entry.question
    return {"id": entry.id, "row": question.row, "text": question.text(), "who": entry.who,
            "answer": question.answer_text(entry.answer), "time": entry.time}  # fmt: skip
