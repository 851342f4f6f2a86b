"""Restoring of answers from a journal, also if the table was changed since."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...data.errors import InputError, shown
from .. import from_dict
from .matching import MatchedRow, match
from .pool import JournalEntry, Pool
from .task import Task

PURPOSES = ("", "random", "overlap", "chosen", "batch", "review")


class Progress(NamedTuple):
    """The state of the model after a number of answers."""

    answers: int
    cost: float
    covering: float | None
    """The share of labelled rows whose set contains the leave-one-out prediction; None if nothing is predicted."""
    remaining: float
    """The expected cost of completing every row."""
    complete: int
    """The number of rows with one output left."""
    changed: float | None = None
    """The share of rows whose prediction has changed during the last answers; None if there were too few."""


@dataclass
class Restored:
    """What a journal contains, apart from the answers."""

    people: list[str] = field(default_factory=list)
    history: list[Progress] = field(default_factory=list)
    left_out: list[dict] = field(default_factory=list)
    edited: list[int] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    skipped: dict[str, set[int]] = field(default_factory=dict)
    keys: dict[int, int] = field(default_factory=dict)
    """Row of the table -> its key in the journal."""


def restored(pool: Pool, task: Task, lines: list[dict]) -> Restored:
    """Add the answers of a journal to a pool; answers that do not fit the table are listed with the reason.

    Lines that no studio has written raise an error with their number.
    """
    found = Restored()
    rows = match(_descriptions(lines), task.rows, task.ids)
    for number, line in enumerate(lines, start=2):
        try:
            _replay(line, pool, task, rows, found)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"The journal, line {number}: {shown(line)} was not written by the studio ({error}). Fix or remove the"
                " line, or set another journal."
            ) from None
    found.keys = {place.row: key for key, place in rows.items() if place.row is not None}
    found.edited = sorted(place.row for place in rows.values() if place.edited and place.row is not None)
    pool.update({entry.question.row for entry in pool.entries})
    for entry in pool.entries:
        if entry.answer is None:
            found.skipped.setdefault(entry.who, set()).add(entry.question.row)
    return found


def _descriptions(lines: list[dict]) -> dict[int, dict]:
    """Return the descriptions of rows by their keys; the last one of a row counts."""
    found: dict[int, dict] = {}
    for number, line in enumerate(lines, start=2):
        if "row" in line:
            about = line["row"]
            if not isinstance(about, dict) or not isinstance(about.get("cells"), dict) or "key" not in about:
                raise InputError(f"The journal, line {number}: {shown(about)} does not describe a row.")
            if not isinstance(about["key"], int) or not isinstance(about.get("at"), int):
                raise InputError(f"The journal, line {number}: {shown(about)} has no number and place of a row.")
            found[about["key"]] = {"id": about.get("id"), "cells": about["cells"], "at": about["at"]}
    return found


def _replay(line: dict, pool: Pool, task: Task, rows: dict[Any, MatchedRow], found: Restored) -> None:
    if "undo" in line:
        id = line["undo"]
        pool.remove(id)
        found.left_out = [one for one in found.left_out if id not in (one["id"], one["batch"])]
    elif "question" in line:
        _replay_answer(line, pool, task, rows[line["key"]], found)
    elif "progress" in line:
        found.history.append(Progress(**line["progress"]))
    elif "person" in line:
        found.people.append(str(line["person"]))
    elif "row" not in line:
        raise ValueError("the type of the line is unknown")


def _replay_answer(line: dict, pool: Pool, task: Task, place: MatchedRow, found: Restored) -> None:
    """Add one answer, or list it as left out."""
    id, who, purpose = line["id"], line["who"], line.get("purpose", "")
    if not isinstance(id, str) or not isinstance(who, str) or purpose not in PURPOSES:
        raise ValueError("expected texts as id and who")
    if id in found.ids:
        raise ValueError("this id is there twice")
    batch, seconds = line.get("batch", ""), line.get("seconds")
    found.ids |= {id, batch} - {""}
    if who not in found.people:
        found.people.append(who)
    reason = "the row is no longer in the table"
    if place.row is not None:
        try:
            question = from_dict({**line["question"], "row": place.row}, task.space)
            right = line.get("right")
            entry = JournalEntry(id, who, float(line["time"]), question, line["answer"], seconds, purpose, right, batch)
            pool.check(entry)
        except InputError as error:  # a class that is gone, or a cell that contradicts the answer
            reason = str(error)
        else:
            pool.add(entry, update=False)
            return
    asked = line["question"]
    found.left_out.append({
        "id": id, "batch": batch, "who": who, "reason": reason,
        "text": f"{asked.get('type')} {asked.get('about') or ''}: {line['answer']}",
    })  # fmt: skip
