"""What the web app shows, as JSON."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
from scipy.special import stdtrit

from ...data.errors import shortened
from ...diagnostics.counts import at_least, at_most
from .. import FullLabel, Question, QuestionModel
from .export import FORMATS, PER_PERSON
from .pool import JournalEntry
from .reliability import MIN_ANSWERS, reliabilities
from .session import Session

PAGE_SIZE = 50  # answers or rows per request
MAX_TEXT = 4000  # characters of a cell
LISTED = 10  # options with a key of their own
N_SURE = 24  # rows of a batch
N_RANDOM = 50  # latest random rows that the accuracy is estimated from
STOP = 0.01  # share of changed predictions below which more answers hardly help


def task_view(session: Session) -> dict:
    """Return what does not change while the studio runs."""
    task = session.task
    return {
        "rows": len(task), "names": task.names(), "file": task.path.name, "target": task.target,
        "kinds": list(session.model.kinds), "formats": list(FORMATS), "per_person": list(PER_PERSON),
        "guidelines": asdict(task.guidelines), "notes": task.notes, "overlap": session.overlap,
        "left_out": [{"who": one["who"], "text": one["text"], "reason": one["reason"]} for one in session.left_out],
        "edited": session.edited, "people": session.people, "random": session.model.predicts,
    }  # fmt: skip


def question_view(session: Session, question: Question, purpose: str = "") -> dict:
    """Return a question with its text, its options and its input: "yes-no", "one" of the options, or an output type.

    Of more than ten options, the most probable ones and those of the latest answers come first. Labels that earlier
    answers exclude are marked, unless the question is for a second opinion.
    """
    options = question.options()
    is_binary = [option.value for option in options] == [True, False]
    found = [] if is_binary else [{"value": o.value, "text": o.text} for o in options]
    lists = isinstance(question, FullLabel) and session.model.lists_outputs
    if lists and purpose == "":
        left = session.model.encode(session.pool.sets[[question.row]])[0]
        found = [{**option, "excluded": not fits} for option, fits in zip(found, left)]
    if lists and len(found) > LISTED:
        q = session.belief_about(question.row).T[0]
        recent = Counter(str(e.answer) for e in session.pool.entries[-30:] if isinstance(e.question, FullLabel))
        order = np.argsort([-(p + 0.001 * recent[o["text"]]) for p, o in zip(q, found)], kind="stable")
        found = [found[k] for k in order]
    return {
        "asked": question.as_dict(), "about": [str(name) for name in _listed(question.about)], "purpose": purpose,
        "text": question.text(), "cost": round(question.cost, 3),
        "input": "yes-no" if is_binary else "one" if options else question.space.kind, "options": found,
    }  # fmt: skip


def _listed(about: Any) -> list:
    return list(about) if isinstance(about, list | tuple) else [] if about is None else [about]


def row_view(session: Session, row: int) -> dict:
    """Return a row as people see it: images by their address, all other cells as text."""
    task = session.task
    cells = []
    for column in task.shown or task.columns:
        value = task.rows[row].get(column)
        is_path = column in task.images
        is_image = is_path and task.image(row, column) is not None
        note = "no image in the folder of the table" if is_path and value and not is_image else ""
        cells.append({"column": column, "image": is_image, "text": cell_text(value), "note": note})
    one = session.pool.sets[[row]]
    candidates = "" if task.space.is_unlabelled(one)[0] else one.format(0)
    return {"row": row, "id": cell_text(task.records.ids[row]), "cells": cells, "candidates": candidates}


def cell_text(value: Any) -> str:
    """Return a cell as text, shortened."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    text = f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
    return shortened(text, MAX_TEXT)


def state_view(session: Session, who: str) -> dict:
    """Return the progress of all and of one person, and the chart."""
    with session.lock:
        history, entries = list(session.history), list(session.pool.entries)
        disagreements = len(session.pool.disagreements)
    last = history[-1]
    seconds = [entry.seconds / max(entry.question.cost, 1e-9) for entry in entries[-200:] if entry.seconds]
    pace = statistics.median(seconds) if len(seconds) >= 5 else None
    step = max(1, len(history) // 100)
    return {
        "answers": len(entries), "mine": sum(entry.who == who for entry in entries), "complete": last.complete,
        "remaining": last.remaining, "covering": last.covering, "random": estimate(entries, session.model),
        "minutes": None if pace is None else round(last.remaining * pace / 60, 1),
        "history": [[p.answers, p.covering, p.complete] for p in [*history[::step], last]], "learned": last.answers,
        "changed": last.changed, "stop": last.changed is not None and last.changed < STOP,
        "disagreements": disagreements, "sure": min(session.trainer.n_sure, N_SURE), "problem": session.trainer.problem,
    }  # fmt: skip


def estimate(entries: list[JournalEntry], model: QuestionModel) -> dict | None:
    """Return how well the model had predicted random rows, with its 95 % interval; None without such rows.

    The interval is exact for shares of right rows, and Student's for means; one row has no such interval.
    """
    found = np.array([entry.right for entry in entries if entry.right is not None][-N_RANDOM:], dtype=float)
    if not len(found):
        return None
    n, mean, ends = len(found), float(found.mean()), None
    if model.lists_outputs:
        ends = [float(at_least(found.sum(), n, 0.975)), float(at_most(found.sum(), n, 0.975))]
    elif n > 1:
        room = float(stdtrit(n - 1, 0.975) * found.std(ddof=1) / math.sqrt(n))
        ends = [max(mean - room, 0.0), min(mean + room, 1.0) if model.agreement_is_share else mean + room]
    return {"n": n, "mean": mean, "ends": ends, "name": model.agreement_name, "share": model.agreement_is_share}


def people_view(session: Session) -> dict:
    """Return the progress of each person, how well they agree beyond chance, and how reliable they are."""
    with session.lock:
        entries, people = list(session.pool.entries), list(session.people)
        (alpha, n), each = session.pool.agreement()
    sources = reliabilities(session)
    reliable = {} if sources is None else {
        who: [round(float(part[k]), 3) for part in (sources.reliability, sources.low, sources.high)]
        for k, who in enumerate(sources.names) if sources.answers[k] >= MIN_ANSWERS
    }  # fmt: skip
    found = []
    for who in people:
        own_alpha, own_n = each.get(who, (None, 0))
        mine = [entry for entry in entries if entry.who == who]
        times = [entry.seconds for entry in mine if entry.seconds]
        found.append({
            "who": who, "answers": len(mine), "rows": len({entry.question.row for entry in mine}),
            "unknown": sum(entry.answer is None for entry in mine), "agreement": own_alpha, "shared": own_n,
            "seconds": round(statistics.median(times), 1) if times else None, "reliability": reliable.get(who),
        })  # fmt: skip
    return {"people": found, "agreement": alpha, "shared": n}


def answers_view(session: Session, search: str, offset: int) -> dict:
    """Return the answers, newest first, whose row, question, answer or person contains all words of a search."""
    words = search.casefold().split()
    with session.lock:
        entries = list(reversed(session.pool.entries))
    found = [entry for entry in entries if all(word in _searched(session, entry) for word in words)]
    page = found[max(offset, 0) :][:PAGE_SIZE]
    return {"total": len(found), "answers": [_entry_view(entry) for entry in page]}


def _searched(session: Session, entry: JournalEntry) -> str:
    question = entry.question
    words = f"row {question.row} {question.text()} {question.answer_text(entry.answer)} {entry.who}"
    return f"{words} {_cells(session, question.row)}".casefold()


def _cells(session: Session, row: int) -> str:
    task = session.task
    cells = " ".join(cell_text(value) for value in task.rows[row].values())
    return f"{cell_text(task.records.ids[row])} {cells}"


def _entry_view(entry: JournalEntry) -> dict:
    question = entry.question
    return {"id": entry.id, "row": question.row, "text": question.text(), "who": entry.who, "purpose": entry.purpose,
            "answer": question.answer_text(entry.answer), "time": entry.time}  # fmt: skip


def rows_view(session: Session, search: str, which: str, offset: int) -> dict:
    """Return rows whose cells contain all words of a search: all rows, or those that `which` selects."""
    words = search.casefold().split()
    with session.lock:
        E = session.model.encode(session.pool.sets)
        is_open = session.model.is_open(E)
        tests: dict[str, Callable[[int], bool]] = {
            "open": lambda row: bool(is_open[row]), "complete": lambda row: not is_open[row],
            "answered": lambda row: bool(session.pool.about(row)),
            "disagreements": lambda row: row in session.pool.disagreements,
            "unknown": lambda row: any(e.answer is None for e in session.pool.about(row)),
        }  # fmt: skip
        kept = [row for row in range(len(session.task)) if which not in tests or tests[which](row)]
        found = [row for row in kept if all(word in _cells(session, row).casefold() for word in words)]
        page = [row_view(session, row) for row in found[max(offset, 0) :][:PAGE_SIZE]]
    return {"total": len(found), "rows": page}


def review_view(session: Session, queue: str) -> dict:
    """Return the rows of a review queue, with the answers of all people: what a decision needs."""
    with session.lock:
        pool, suspects = session.pool, {one.row: one.probability for one in session.trainer.suspects}
        unknown = [e.question.row for e in pool.entries if e.answer is None and not pool.by_person(e.question.row)]
        rows = {"disagreements": sorted(pool.disagreements), "suspects": list(suspects), "unknown": unknown}
        rows = {name: [row for row in dict.fromkeys(r) if pool.decision(row) is None] for name, r in rows.items()}
        wanted = rows[queue if queue in rows else "disagreements"][:PAGE_SIZE]
        found = [
            {
                "row": row_view(session, row), "answers": [_entry_view(entry) for entry in pool.about(row)],
                "table": pool.before.format(row), "probability": suspects.get(row),
                "question": question_view(session, session.full(row), "review"),
            }
            for row in wanted
        ]  # fmt: skip
    return {"counts": {name: len(r) for name, r in rows.items()}, "rows": found}


def guess_view(session: Session, row: int) -> dict:
    """Return what the model predicts for a row, the most probable first, with probabilities if it has any."""
    with session.lock:
        belief = session.belief_about(session.checked(row))
    if session.model.lists_outputs:
        order = np.argsort(-belief.T[0], kind="stable")[:3]
        names = session.task.names()
        return {"guess": [[names[k], round(float(belief.T[0][k]), 3)] for k in order]}
    if not session.model.predicts:
        return {"guess": []}
    return {"guess": [[session.task.space.format(session.model.predict(belief.F))[0], None]]}


def sure_view(session: Session) -> dict:
    """Return open rows of whose label the model is sure, to be confirmed at once; those of one label together."""
    if not session.model.lists_outputs:
        return {"rows": []}
    with session.lock:
        belief = session.trainer.learner.belief
        assert belief is not None
        top, best = belief.T.max(axis=1), belief.T.argmax(axis=1)
        rows = session.trainer.sure_rows(belief)[:N_SURE]
        rows.sort(key=lambda row: (best[row], -top[row]))
        options = session.model.full_options()
        found = [
            {"row": row_view(session, row), "value": options[best[row]].value, "text": options[best[row]].text,
             "probability": round(float(top[row]), 3)}
            for row in rows
        ]  # fmt: skip
    return {"rows": found}
