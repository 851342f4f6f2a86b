"""Votes: label matrices, frames with one column an annotator, long tables, answers of language models.

Shapes: snorkel's label matrix (-1 abstains), cleanlab's multi-annotator frame (NaN where there is no label).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..outputs import Not
from ._assemble import assemble
from ._files import Path_, Refused, name_of, read_records, write_json_lines
from ._frames import is_frame, is_missing, rows_of_frame
from ._meaning import Answer, Entry, Reading
from ._records import Records
from ._write import converted, names_in, rows_to_write
from .tables import load_table

ABSTAIN = -1


def not_vote(k: int) -> int:
    """The code of the vote "not class k" in a label matrix: -(k + 2), below the -1 of those who abstain.

    Parameters
    ----------
    k : int
        The number of a class, from 0.

    Examples
    --------
    >>> not_vote(0), not_vote(3)
    (-2, -5)
    """
    if k < 0:
        raise ValueError(f"Classes are counted from 0. Got {k}.")
    return -(k + 2)


def read_votes(
    votes: Any,
    *,
    annotators: str | None = None,
    conflict: str = "refuse",
    classes: list | None = None,
    row: str | None = None,
    annotator: str | None = None,
    answer: str | None = None,
    data: Any = None,
    names: list | None = None,
    backend: str | None = None,
) -> Records:
    """Read the votes of several annotators, labelling functions or language models into sets of labels.

    Parameters
    ----------
    votes : array, frame, path or list of dicts
        - an (n, m) integer array, or an .npy file: snorkel's label matrix, 0 … K-1 or -1 to abstain, extended by
          ``not_vote(k)`` = -(k + 2) for "not class k". An array of objects may hold names, sets, `Not` and None.
        - a frame, or a CSV or Parquet file, with one column an annotator: cleanlab's form, empty where there is none.
          Text may be written as in docs/data.md: ``cat|dog``, ``!cat``.
        - the same with `row` and `answer`, and `annotator`: a long table, one line for every answer.
        - JSON Lines or a list of dicts ``{"id": …, "candidates": ["a", "b"]}``, as language models are asked to write:
          an empty list abstains, ``"not": ["c"]`` excludes, ``"annotator"`` or ``"model"`` names who answered, other
          fields are data.
    annotators : {"rows", "intersect", "union", "vote"}, optional
        How the votes of a row are merged; needed where there are several.
    conflict : {"refuse", "unknown", "union", "vote", "drop"}
    classes : list, optional
        The names of the classes 0 … K-1 of a matrix; elsewhere the only names that are allowed: answers outside are
        refused by row.
    row, annotator, answer : str, optional
        The columns of a long table; `row` alone is the column of the ids of a frame.
    data : frame, optional
        What is known of the rows, in the same order.
    names : list, optional
        Names of the m columns of an array.
    backend : {"pandas", "polars"}, optional

    Examples
    --------
    >>> L = [[0, -1, -1], [-1, 1, not_vote(0)], [not_vote(2), not_vote(0), -1]]
    >>> read_votes(np.array(L), classes=["cat", "dog", "owl"], annotators="intersect").y
    ['cat', 'dog', Not('cat', 'owl')]
    """
    reading = Reading("one_of", None, None, annotators, conflict, classes, backend)
    source = name_of(votes) if not isinstance(votes, np.ndarray) else "the matrix"
    long = answer is not None
    if (long and row is None) or (annotator is not None and not long):
        raise ValueError("A long table needs row= and answer=, the names of its columns, and annotator= if it has one.")
    suffix = Path(votes).suffix.lower() if isinstance(votes, str | os.PathLike) else ""
    if isinstance(votes, list) and votes and all(isinstance(line, list | tuple) for line in votes):
        votes = np.array(votes)
    if suffix == ".npy":
        votes = np.load(votes, allow_pickle=False)
    if isinstance(votes, np.ndarray):
        entries = _matrix(source, votes, classes, names)
    elif row is not None and answer is not None:
        entries = _long(source, votes, row, annotator, answer, classes)
    elif not is_frame(votes) and suffix in ("", ".jsonl", ".ndjson", ".json"):
        entries = _answers(source, votes)
    else:
        entries = _wide(source, votes, row, classes)
    if data is not None:
        rows = rows_of_frame(data)
        if len(rows) != len(entries):
            raise ValueError(f"data must have one row for each of the {len(entries)} of {source}. Got {len(rows)}.")
        for entry, known in zip(entries, rows):
            entry.data = known
    return assemble(source, entries, reading)


def _matrix(source: str, votes: np.ndarray, classes: list | None, names: list | None) -> list[Entry]:
    """Rows of a label matrix: class k, abstain -1, not class k below that; or names, sets, Not and None."""
    if votes.ndim != 2 or votes.dtype.kind not in "iuO":
        raise ValueError(
            "A label matrix has integers, one row an example and one column a labelling function."
            f" Got an array of shape {votes.shape} and type {votes.dtype}."
        )
    if names is not None and len(names) != votes.shape[1]:
        raise ValueError(f"names must have one name for each of the {votes.shape[1]} columns. Got {len(names)}.")
    who = names or list(range(votes.shape[1]))
    bad, entries = Refused(source), []
    for i, row in enumerate(votes.tolist()):
        entry = Entry(i, f"{source}, row {i}", {})
        for column, vote in zip(who, row):
            try:
                given = _code(vote, classes) if votes.dtype.kind != "O" else _cell(vote, classes)
            except ValueError as error:
                bad.add(entry.place, f"column {column}: {error}")
                continue
            if given is not None:
                entry.answers.append(given._replace(annotator=column))
        entries.append(entry)
    bad.refuse("A vote is a class 0 … K-1, -1 to abstain, or not_vote(k) = -(k + 2) for all but class k.")
    return entries


def _code(vote: int, classes: list | None) -> Answer | None:
    if vote == ABSTAIN:
        return None
    k = vote if vote >= 0 else -vote - 2
    if classes is not None and k >= len(classes):
        raise ValueError(f"expected a class below {len(classes)}, got {'not ' if vote < 0 else ''}{k}")
    name = k if classes is None else classes[k]
    return Answer("names", [name]) if vote >= 0 else Answer("judged", {name: False})


def _cell(vote: Any, classes: list | None) -> Answer | None:
    """A vote in words: a name, a set of names, Not, or nothing; text as in docs/data.md, "cat|dog" and "!cat"."""
    if is_missing(vote) or vote == "":
        return None
    if isinstance(vote, Not):
        return Answer("judged", dict.fromkeys(vote.labels, False))
    if isinstance(vote, set | frozenset):
        if not vote:
            raise ValueError("an empty set; None abstains")
        return Answer("names", sorted(vote))
    if isinstance(vote, float):  # numbers beside empty cells
        if vote != int(vote):
            raise ValueError(f"expected a label, got {vote!r}")
        vote = int(vote)
    if isinstance(vote, str) and vote not in (classes or ()) and ("|" in vote or vote.startswith("!")):
        parts = [part.strip() for part in vote.removeprefix("!").split("|")]
        if not all(parts):
            raise ValueError(f"expected names between '|', got {vote!r}")
        return Answer("judged", dict.fromkeys(parts, False)) if vote.startswith("!") else Answer("names", parts)
    if isinstance(vote, list | tuple | Mapping):
        raise ValueError(f"expected a label, a set of labels or Not, got {vote!r}")
    return Answer("names", [vote])


def _wide(source: str, votes: Any, key: str | None, classes: list | None) -> list[Entry]:
    """One column an annotator, but for the column of the ids."""
    places, rows = _table(source, votes)
    if key is not None and rows and key not in rows[0]:
        raise ValueError(f"{source} has no column {key!r}. Its columns are {', '.join(rows[0])}.")
    bad, entries = Refused(source), []
    for i, (place, row) in enumerate(zip(places, rows)):
        entry = Entry(i if key is None else row.pop(key), place, {})
        for column, vote in row.items():
            try:
                if vote == ABSTAIN or vote == str(ABSTAIN):
                    raise ValueError("expected a label or an empty cell, got -1; a matrix with -1 goes in as an array")
                given = _cell(vote, classes)
            except ValueError as error:
                bad.add(place, f"column {column!r}: {error}")
                continue
            if given is not None:
                entry.answers.append(given._replace(annotator=column))
        entries.append(entry)
    bad.refuse("Every column holds the labels of one annotator, empty where there is none.")
    return entries


def _long(source: str, votes: Any, row: str, annotator: str | None, answer: str, classes: list | None) -> list[Entry]:
    """One line for every answer; rows in the order in which they first come."""
    places, rows = _table(source, votes)
    columns = [column for column in (row, annotator, answer) if column is not None]
    missing = [column for column in columns if rows and column not in rows[0]]
    if missing:
        raise ValueError(f"{source} has no column {missing[0]!r}. Its columns are {', '.join(rows[0])}.")
    bad = Refused(source)
    entries: dict[Any, Entry] = {}
    for place, line in zip(places, rows):
        if line[row] is None or line[row] == "":
            bad.add(place, f"no value in {row!r}")
            continue
        extra = {name: value for name, value in line.items() if name not in columns}
        entry = entries.setdefault(line[row], Entry(line[row], place, extra))
        try:
            given = _cell(line[answer], classes)
        except ValueError as error:
            bad.add(place, str(error))
            continue
        if given is not None:
            entry.answers.append(given._replace(annotator=None if annotator is None else line[annotator]))
    bad.refuse(f"Every line names a row in {row!r} and gives a label in {answer!r}.")
    return list(entries.values())


def _table(source: str, votes: Any) -> tuple[list[str], list[dict]]:
    if isinstance(votes, str | os.PathLike):
        found = load_table(votes)
        return [record.place for record in found], [record.value for record in found]
    rows = rows_of_frame(votes)
    return [f"{source}, row {i}" for i in range(len(rows))], rows


def _answers(source: str, votes: Iterable[dict] | Path_) -> list[Entry]:
    """{"id", "candidates"} of language models, several with one id where several were asked."""
    bad = Refused(source)
    entries: dict[Any, Entry] = {}
    own = ("id", "candidates", "not", "annotator", "model")
    for k, (place, record) in enumerate(read_records(votes)):
        said, excluded = record.get("candidates"), record.get("not")
        if not any(isinstance(listed, list) for listed in (said, excluded)):
            bad.add(place, f"expected a list in 'candidates', got {said!r}")
            continue
        key = record.get("id", k + 1)
        extra = {name: value for name, value in record.items() if name not in own}
        entry = entries.setdefault(key, Entry(key, place, extra))
        who = record.get("annotator", record.get("model"))
        if excluded:
            entry.answers.append(Answer("judged", dict.fromkeys(excluded, False), who))
        elif said:
            entry.answers.append(Answer("names", list(dict.fromkeys(said)), who))
        else:
            entry.answers.append(Answer("unknown", annotator=who))
    bad.refuse('A line is {"id": …, "candidates": ["a", "b"]}; an empty list abstains.')
    return list(entries.values())


def write_votes(path: Path_, records: Any, y: Any = None, *, score: Any = None) -> None:
    """Write labels as JSON Lines ``{"id", …, "candidates": […]}``, whole or not at all; `read_votes` brings all back.

    `Not` is written as ``"not": […]`` and unknown rows as an empty list. Tags, orders and numbers are refused.

    Parameters
    ----------
    path : path
    records : Records, frame, list of dicts or list of texts
    y : rows or what `predict` returned, optional
    score : (n,) in [0, 1], optional
    """
    rows = rows_to_write(records, y, score)
    values = converted("y", rows, _candidates, "Pass labels, sets of labels or Not.")
    lines = []
    for row, value in zip(rows, values):
        line = {"id": row.id, **row.data, **(value or {"candidates": []})}
        lines.append(line if row.score is None else line | {"score": row.score})
    write_json_lines(path, lines)


def _candidates(cell: Any) -> dict:
    if isinstance(cell, Mapping):
        raise ValueError(f"expected labels, got the tags {cell!r}")
    if isinstance(cell, Not):
        return {"not": list(cell.labels)}
    return {"candidates": names_in(cell)}
