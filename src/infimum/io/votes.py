"""Votes: label matrices, DataFrames with one column per annotator, long tables, answers of language models.

Shapes: snorkel's label matrix (-1 abstains), cleanlab's multi-annotator DataFrame (NaN if there is no label).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..data.columns import NAMED_ID, ROW_NUMBER, recognise
from ..data.errors import InputError, is_missing, is_null
from ..data.inputs import is_frame
from ..data.names import ordered
from ..outputs import Not
from ..outputs.labels.forms import labels_in
from ._assemble import assemble
from ._files import BadRecords, FileRecord, Path_, check_scalars, name_of, read_records, write_json_lines
from ._frames import rows_of_frame
from ._load import load_table
from ._meaning import Answer, Entry, ReadOptions
from ._records import Records
from ._write import converted, names_in, rows_to_write

ABSTAIN = -1


def not_vote(k: int) -> int:
    """Return the code of the vote "not class k" in a label matrix: -(k + 2), because -1 abstains.

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
    conflict: str = "error",
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
    votes : array, DataFrame, path or list of dicts
        - an (n, m) integer array, or an .npy file: snorkel's label matrix, 0 … K-1 or -1 to abstain, extended by
          ``not_vote(k)`` = -(k + 2) for "not class k". An array of objects may contain names, sets, `Not` and None.
        - a DataFrame, or a CSV or Parquet file, with one column per annotator (cleanlab's format); a cell without a
          vote is empty. Text may be written as in docs/data.md: ``cat|dog``, ``!cat``.
        - the same with `row` and `answer`, and `annotator`: a long table, one line for every answer.
        - JSON Lines or a list of dicts ``{"id": …, "candidates": ["a", "b"]}``, for language models: an empty list
          abstains, ``"not": ["c"]`` excludes, ``"annotator"`` or ``"model"`` names who answered, other fields are data.
    annotators : {"rows", "intersect", "union", "vote"}, optional
        How the votes of a row are merged; required if there are several.
    conflict : {"error", "unknown", "union", "vote", "drop"}
        What happens to rows whose annotators contradict each other; "error" raises an error.
    classes : list, optional
        The names of the classes 0 … K-1 of a matrix; in the other formats, the only names that are allowed.
    row, annotator, answer : str, optional
        The columns of a long table; `row` alone is the column of the ids of a DataFrame.
    data : DataFrame, optional
        The features of the rows, in the same order.
    names : list, optional
        Names of the m columns of an array.
    backend : {"pandas", "polars"}, optional
        The library of the DataFrame `data`; by default the one that is installed.

    Examples
    --------
    >>> L = [[0, -1, -1], [-1, 1, not_vote(0)], [not_vote(2), not_vote(0), -1]]
    >>> read_votes(np.array(L), classes=["cat", "dog", "owl"], annotators="intersect").y
    ['cat', 'dog', Not('cat', 'owl')]
    """
    options = ReadOptions("one_of", None, None, annotators, conflict, classes, backend)
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
        for entry, features in zip(entries, rows):
            entry.data = features
    return assemble(source, entries, options)


def _matrix(source: str, votes: np.ndarray, classes: list | None, names: list | None) -> list[Entry]:
    """Return the rows of a label matrix: class k, -1 to abstain, codes below -1 to exclude; or names, sets, Not."""
    if votes.ndim != 2 or votes.dtype.kind not in "iuO":
        raise ValueError(
            "A label matrix contains integers, one row per example and one column per labelling function."
            f" Got an array of shape {votes.shape} and type {votes.dtype}."
        )
    if names is not None and len(names) != votes.shape[1]:
        raise ValueError(f"names must have one name for each of the {votes.shape[1]} columns. Got {len(names)}.")
    columns = names or range(votes.shape[1])
    rows = [(i, f"{source}, row {i}", dict(zip(columns, row))) for i, row in enumerate(votes.tolist())]
    remedy = "A vote is a class 0 … K-1, -1 to abstain, or not_vote(k) = -(k + 2) for any class except k."
    return _by_column(source, rows, lambda vote: (_cell if votes.dtype.kind == "O" else _code)(vote, classes), remedy)


def _code(vote: int, classes: list | None) -> Answer | None:
    if vote == ABSTAIN:
        return None
    k = vote if vote >= 0 else -vote - 2
    if classes is not None and k >= len(classes):
        raise ValueError(f"expected a class below {len(classes)}, got {'not ' if vote < 0 else ''}{k}")
    name = k if classes is None else classes[k]
    return Answer("names", [name]) if vote >= 0 else Answer("flags", {name: False})


def _cell(vote: Any, classes: list | None) -> Answer | None:
    """Return the answer of one cell: a name, a set of names, `Not`, text such as "cat|dog" and "!cat", or nothing."""
    if is_null(vote) or vote == "":
        return None
    if isinstance(vote, float) and vote == int(vote):  # pandas turns integers into floats if cells are empty
        vote = int(vote)
    if isinstance(vote, float | list | tuple | Mapping):
        raise InputError(f"expected a label, a set of labels or Not, got {vote!r}")
    labels, excluded = labels_in(vote, classes or ())
    if not labels:
        raise InputError("an empty set of labels; write None if the annotator abstains")
    return Answer("flags", dict.fromkeys(labels, False)) if excluded else Answer("names", ordered(labels))


def _wide(source: str, votes: Any, key: str | None, classes: list | None) -> list[Entry]:
    """Return the entries of a table with one column per annotator and perhaps a column of ids."""
    places, rows = _table(source, votes)
    if key is not None and rows and key not in rows[0]:
        raise ValueError(f"{source} has no column {key!r}. Its columns are {', '.join(rows[0])}.")
    if key is None:
        _check_no_identifiers(source, rows)
    keyed = [(i if key is None else row.pop(key), place, row) for i, (place, row) in enumerate(zip(places, rows))]

    def parse(vote: Any) -> Answer | None:
        if vote == ABSTAIN or vote == str(ABSTAIN):
            raise InputError("expected a label or an empty cell, got -1; pass a matrix with -1 as an array")
        return _cell(vote, classes)

    remedy = "Every column contains the labels of one annotator; a cell without a label is empty."
    return _by_column(source, keyed, parse, remedy)


def _check_no_identifiers(source: str, rows: list[dict]) -> None:
    """Raise ValueError if a column contains ids of the rows; its cells would count as labels."""
    for name in rows[0] if rows else ():
        cells = [row.get(name) for row in rows]
        filled = [str(cell) for cell in cells if not is_missing(cell)]
        distinct = len(filled) > 1 and len(set(filled)) == len(filled)
        named = NAMED_ID.search(name) or ROW_NUMBER.fullmatch(name)
        if recognise(name, cells).kind == "identifier" or (named and distinct):
            raise ValueError(
                f"{source}: the column {name!r} seems to contain ids of the rows, not the labels of an annotator. Its"
                f' first cells are {", ".join(filled[:3])}. Pass row="{name}" to use it as the id, or remove the'
                " column. For a table with one line per answer, also pass annotator=… and answer=…."
            )


def _by_column(
    source: str, rows: Iterable[tuple[Any, str, dict]], parse: Callable[[Any], Answer | None], remedy: str
) -> list[Entry]:
    """Return the entries of rows (id, place, {annotator: vote})."""
    bad, entries = BadRecords(source), []
    for key, place, row in rows:
        entries.append(Entry(key, place, {}))
        for annotator, vote in row.items():
            try:
                answer = parse(vote)
            except ValueError as error:
                bad.add(place, f"column {annotator!r}: {error}")
                continue
            if answer is not None:
                entries[-1].answers.append(answer._replace(annotator=annotator))
    bad.raise_if_any(remedy)
    return entries


def _long(source: str, votes: Any, row: str, annotator: str | None, answer: str, classes: list | None) -> list[Entry]:
    """Return the entries of a table with one line per answer, in the order of their first line."""
    places, rows = _table(source, votes)
    columns = [column for column in (row, annotator, answer) if column is not None]
    missing = [column for column in columns if rows and column not in rows[0]]
    if missing:
        raise ValueError(f"{source} has no column {missing[0]!r}. Its columns are {', '.join(rows[0])}.")
    check_scalars(source, map(FileRecord, places, rows), *(name for name in (row, annotator) if name is not None))
    bad = BadRecords(source)
    entries: dict[Any, Entry] = {}
    for place, line in zip(places, rows):
        if line[row] is None or line[row] == "":
            bad.add(place, f"no value in {row!r}")
            continue
        extra = {name: value for name, value in line.items() if name not in columns}
        entry = entries.setdefault(line[row], Entry(line[row], place, extra))
        try:
            vote = _cell(line[answer], classes)
        except ValueError as error:
            bad.add(place, str(error))
            continue
        if vote is not None:
            entry.answers.append(vote._replace(annotator=None if annotator is None else line[annotator]))
    bad.raise_if_any(f"Every line names a row in {row!r} and gives a label in {answer!r}.")
    return list(entries.values())


def _table(source: str, votes: Any) -> tuple[list[str], list[dict]]:
    if isinstance(votes, str | os.PathLike):
        found = load_table(votes).rows
        return [record.place for record in found], [record.value for record in found]
    rows = rows_of_frame(votes)
    return [f"{source}, row {i}" for i in range(len(rows))], rows


def _answers(source: str, votes: Iterable[dict] | Path_) -> list[Entry]:
    """Return the entries of {"id", "candidates"} lines, several with one id if several models answered."""
    bad = BadRecords(source)
    entries: dict[Any, Entry] = {}
    own = ("id", "candidates", "not", "annotator", "model")
    for k, (place, record) in enumerate(read_records(votes)):
        listed, excluded = record.get("candidates"), record.get("not")
        if not any(isinstance(names, list) for names in (listed, excluded)):
            bad.add(place, f"expected a list in 'candidates', got {listed!r}")
            continue
        key = record.get("id", k + 1)
        extra = {name: value for name, value in record.items() if name not in own}
        entry = entries.setdefault(key, Entry(key, place, extra))
        who = record.get("annotator", record.get("model"))
        if excluded:
            entry.answers.append(Answer("flags", dict.fromkeys(excluded, False), who))
        elif listed:
            entry.answers.append(Answer("names", list(dict.fromkeys(listed)), who))
        else:
            entry.answers.append(Answer("unknown", annotator=who))
    bad.raise_if_any('A line is {"id": …, "candidates": ["a", "b"]}; an empty list abstains.')
    return list(entries.values())


def write_votes(path: Path_, records: Any, y: Any = None, *, score: Any = None) -> None:
    """Write labels as JSON Lines ``{"id", …, "candidates": […]}``, completely or not at all, for `read_votes`.

    `Not` is written as ``"not": […]`` and unlabelled rows as an empty list. Tags, orders and numbers raise an error.

    Parameters
    ----------
    path : path
        The file.
    records : Records, DataFrame, list of dicts or list of texts
        The rows, as a reader of :mod:`infimum.io` returns them.
    y : rows of y or predictions, optional
        Labels, one per row; by default those of `records`.
    score : (n,) in [0, 1], optional
        A score in [0, 1] for each row, shown by the tool; NaN leaves it out.
    """
    rows = rows_to_write(records, y, score)
    values = converted(rows, _candidates, "Pass labels, sets of labels or Not.")
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
