"""Votes: the answers of several annotators, with any number of answers per row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.errors import BadRows, InputError, is_missing, listed, shown
from ..data.inputs import is_frame
from ..data.names import key, plain

REPEATED = ("error", "first", "last", "all")


class Votes:
    """Answers of several annotators, as `y` of a model that estimates how reliable each annotator is.

    An answer is anything that is allowed as one row of y: a label, candidates, `Not`, a node of a taxonomy, or a soft
    label. Annotators may be people, rules or language models. Use :meth:`from_table` for a table with one line per
    answer.

    Parameters
    ----------
    answers : (n, k) array, DataFrame, list of lists or list of dicts
        One row per example and one column per annotator; None, NaN and empty cells are missing answers. A dict contains
        the answers about one row by the name of the annotator.
    annotators : list of k names, optional
        By default the columns of a DataFrame, the keys of dicts, or 0, 1, ….
    missing : label, optional
        A further value that stands for a missing answer, such as -1 in an array of integers.
    gold : list or dict, optional
        The true labels of some rows: n of them, and None for the others; or a dict from row numbers to labels, or from
        the names of rows if `ids` has them. They calibrate the annotators.

    Attributes
    ----------
    annotators : list
        The names of the annotators.
    ids : list or None
        The names of the rows, in order, if they have names, such as the index of a DataFrame. `fit` and `score` raise
        an error if X is a DataFrame with the same names in another order.
    row, source : (a,) arrays of int
        The row and the annotator of each answer.
    answers : (a,) array
        The answers.

    Examples
    --------
    >>> votes = Votes([["cat", "cat", "dog"], ["dog", None, "cat|dog"]], annotators=["ann", "bob", "eve"])
    >>> votes
    <Votes: 2 rows, 5 answers of 3 annotators>
    >>> votes[[1]].answers.tolist()
    ['dog', 'cat|dog']
    """

    def __init__(self, answers: Any, annotators: Iterable | None = None, *, missing: Any = None, gold: Any = None):
        table, columns = _wide(answers)
        names = columns if annotators is None else [plain(name) for name in annotators]
        if len(names) != table.shape[1]:
            raise InputError(f"annotators must have one name per column, {table.shape[1]} in all. Got {len(names)}.")
        if missing is None and table.dtype.kind == "i" and (table < 0).any():
            raise InputError(
                f"The votes contain the label {int(table.min())}. Pass Votes(answers, missing={int(table.min())}) if it"
                " stands for a missing answer, or text as labels."
            )
        there = ~_missing(table, missing)
        row, source = np.nonzero(there)
        ids = _index(answers)
        self._keep(row, source, table[there], len(table), names, ids, _gold(gold, len(table), ids))

    @classmethod
    def from_table(
        cls, table: Any, *, row: str = "task", annotator: str = "worker", answer: str = "label",
        rows: Iterable | None = None, missing: Any = None, gold: Any = None, repeated: str = "error",
    ) -> Votes:  # fmt: skip
        """Read a table with one line per answer.

        Parameters
        ----------
        table : DataFrame or dict of columns
            One line per answer.
        row, annotator, answer : str, default "task", "worker" and "label"
            The columns with the name of the row, the name of the annotator and the answer. The defaults are the columns
            of crowd-kit.
        rows : list, optional
            The names of all rows in the order of X, such as ``X.index``. By default the names in the table, in the
            order in which they first occur. Rows without answers are unlabelled.
        missing : label, optional
            A value that stands for a missing answer, in addition to None, NaN and empty cells.
        gold : list, dict or str, optional
            True labels: one per row with None for unknown ones, a dict from names of rows to labels, or the name of a
            column of the table.
        repeated : {"error", "first", "last", "all"}, default "error"
            Which answers count if an annotator has answered more than once about one row.

        Examples
        --------
        >>> table = {"image": [7, 7, 9], "worker": ["ann", "bob", "ann"], "label": ["cat", "dog", "cat"]}
        >>> Votes.from_table(table, row="image", annotator="worker", answer="label").ids
        [7, 9]
        """
        if repeated not in REPEATED:
            raise ValueError(f"repeated must be one of {', '.join(map(repr, REPEATED))}. Got {repeated!r} instead.")
        names, who, cells = (_column(table, name) for name in (row, annotator, answer))
        _check_filled(names, row)
        _check_filled(who, annotator)
        ids, at = _numbered(names) if rows is None else _placed(names, list(rows), row)
        annotators, source = _numbered(who)
        if isinstance(gold, str):
            gold = _gold_column(names, _column(table, gold), gold)
        answers = _array(cells)
        there = np.flatnonzero(~_missing(answers, missing))
        votes = cls.__new__(cls)
        keep = there[_unrepeated(at[there], source[there], repeated, ids, annotators)]
        votes._keep(at[keep], source[keep], answers[keep], len(ids), annotators, ids, _gold(gold, len(ids), ids))
        return votes

    def _keep(
        self, row: NDArray, source: NDArray, answers: NDArray, n: int, annotators: list, ids: list | None, gold: Any
    ) -> None:
        order = np.argsort(row, kind="stable")
        self.row, self.source, self.answers = row[order], source[order], answers[order]
        self.annotators, self.ids, self.gold, self.shape = annotators, ids, gold, (n,)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Votes:
        """Return some rows, with the same annotators; scikit-learn's splitters use it."""
        rows = rows[0] if isinstance(rows, tuple) else rows
        index = np.atleast_1d(np.arange(len(self))[rows])
        first = np.searchsorted(self.row, np.arange(len(self) + 1))
        number = np.diff(first)[index]
        offset = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
        at = np.repeat(first[index], number) + offset
        found = Votes.__new__(Votes)
        ids = None if self.ids is None else [self.ids[k] for k in index]
        gold = None if self.gold is None else self.gold[index]
        row = np.repeat(np.arange(len(index)), number)
        found._keep(row, self.source[at], self.answers[at], len(index), self.annotators, ids, gold)
        return found

    def with_answers(self, answers: list, gold: list | None = None) -> Votes:
        """Return the same rows and annotators with other answers and known labels, in the same order."""
        found = Votes.__new__(Votes)
        known = None if gold is None else _gold(gold, len(self), self.ids)
        found._keep(self.row, self.source, _array(answers), len(self), self.annotators, self.ids, known)
        return found

    def to_table(self, row: str = "task", annotator: str = "worker", answer: str = "label") -> Any:
        """Return a pandas DataFrame with one line per answer, by default with the columns of crowd-kit.

        >>> Votes([["cat", None], ["dog", "owl"]], ["ann", "bob"]).to_table().to_numpy().tolist()
        [[0, 'ann', 'cat'], [1, 'ann', 'dog'], [1, 'bob', 'owl']]
        """
        import pandas as pd

        ids = range(len(self)) if self.ids is None else self.ids
        columns = [ids[k] for k in self.row.tolist()], [self.annotators[k] for k in self.source.tolist()]
        return pd.DataFrame({row: columns[0], annotator: columns[1], answer: self.answers.tolist()})

    def to_array(self, missing: Any = None) -> NDArray:
        """Return an (n, annotators) array of objects, as cleanlab and scikit-activeml expect it after a conversion.

        Parameters
        ----------
        missing : optional
            The value of cells without an answer, such as ``numpy.nan`` or -1. None by default.

        Examples
        --------
        >>> Votes([[1, None], [0, 2]]).to_array(missing=-1).astype(int).tolist()
        [[1, -1], [0, 2]]
        """
        cell = self.row * len(self.annotators) + self.source
        first = np.unique(cell, return_index=True)[1]
        if len(first) < len(cell):
            again = int(np.setdiff1d(np.arange(len(cell)), first)[0])
            raise InputError(
                f"An array has one answer per row and annotator. Got several at {self.place(again)}. Use to_table(), or"
                " remove repeated answers."
            )
        out = np.full((len(self), len(self.annotators)), missing, dtype=object)
        for k, cell in enumerate(self.answers.tolist()):
            out[self.row[k], self.source[k]] = cell
        return out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        """Return the answers about each row as a tuple of pairs (annotator, answer)."""
        out = np.empty(len(self), dtype=object)
        first = np.searchsorted(self.row, np.arange(len(self) + 1))
        for k in range(len(self)):
            some = slice(first[k], first[k + 1])
            who = [self.annotators[w] for w in self.source[some]]
            out[k] = tuple(zip(who, self.answers[some].tolist()))
        return out

    def check_order(self, X: Any) -> None:
        """Raise an error if the rows of X have the names of these rows in another order."""
        index = _index(X, default=True)
        if self.ids is None or index is None or len(index) != len(self):
            return
        mine, given = [key(name) for name in self.ids], [key(name) for name in index]
        # if some names differ, equal numbers may be a coincidence
        texts = all(isinstance(name, str) for name in [*mine, *given])
        if mine == given or not (set(mine) == set(given) or (texts and set(mine) & set(given))):
            return
        row = next(k for k, name in enumerate(mine) if name != given[k])
        raise InputError(
            f"X and the votes have their rows in different orders. Row {row} is {shown(index[row])} in X and"
            f" {shown(self.ids[row])} in the votes. Sort both alike: Votes.from_table(…, rows=X.index), or"
            " Votes(table.reindex(X.index)) for one column per annotator. If they are in the right order, pass"
            " X.set_axis(votes.ids)."
        )

    def place(self, answer: int) -> str:
        """Return where an answer is, for errors.

        >>> Votes([["cat", None], ["dog", "owl"]]).place(2)
        'row 1, annotator 1'
        """
        row = int(self.row[answer])
        name = row if self.ids is None else self.ids[row]
        return f"row {shown(name)}, annotator {shown(self.annotators[self.source[answer]])}"

    def __repr__(self) -> str:
        gold = "" if self.gold is None else f", {int((~_missing(self.gold)).sum())} with a known label"
        return f"<Votes: {len(self)} rows{gold}, {len(self.answers)} answers of {len(self.annotators)} annotators>"


def _wide(answers: Any) -> tuple[NDArray, list]:
    """Return an (n, k) array of answers and the names of its columns."""
    if isinstance(answers, Votes):
        raise InputError("Votes requires an array or a table of answers. Got Votes.")
    if is_frame(answers):
        names = list(answers.columns)
        columns = [_array(_column(answers, name)) for name in names]
        return np.stack([column.astype(object) for column in columns], axis=1), names
    if isinstance(answers, np.ndarray) and answers.ndim == 2 and answers.dtype.kind in "ifUO":
        if answers.dtype.kind == "f" and (np.isnan(answers) | (answers == np.round(answers))).all():
            flat = _array(answers.ravel().tolist())  # classes 0, 1, … beside NaN, as in scikit-activeml
            answers = flat.reshape(answers.shape)
        return answers, list(range(answers.shape[1]))
    if isinstance(answers, np.ndarray) or not isinstance(answers, Iterable) or isinstance(answers, str | Mapping):
        raise InputError(
            "Votes need one row per example and one column per annotator. Got"
            f" {f'shape {answers.shape}' if isinstance(answers, np.ndarray) else shown(answers)}. For a table with one"
            ' line per answer, use Votes.from_table(table, row="…", annotator="…", answer="…").'
        )
    lines = list(answers)
    if lines and all(line is None or isinstance(line, Mapping) for line in lines):
        names, _ = _numbered([plain(name) for line in lines for name in line or ()])
        cells = [None if line is None else line.get(name) for line in lines for name in names]
        return _array([plain(cell) for cell in cells]).reshape(len(lines), len(names)), names
    for line in lines:
        if isinstance(line, str) or not isinstance(line, Iterable):
            what = "a list of answers, one per annotator, or a dict"
            raise InputError(f"A row of votes must be {what}. Got {shown(line)}.")
    lines = [list(line) for line in lines]
    if any(isinstance(cell, tuple) for line in lines for cell in line):
        remedy = "If the rows contain pairs (annotator, answer), pass Votes([dict(row) for row in answers])."
        raise InputError(f"An answer cannot be a tuple. {remedy}")
    widths = sorted({len(line) for line in lines})
    if len(widths) != 1:
        raise InputError(
            f"Votes need as many answers in each row as there are annotators, None where one is missing. Got rows of"
            f" {' and '.join(map(str, widths[:5])) or 'no'} answers."
        )
    flat = _array([cell for line in lines for cell in line])
    return flat.reshape(len(lines), widths[0]), list(range(widths[0]))


def _column(table: Any, name: str) -> list:
    """Return a column of a table as a list."""
    import narwhals as nw

    frame = table if isinstance(table, Mapping) else nw.from_native(table, eager_only=True)
    names = list(frame) if isinstance(frame, Mapping) else frame.columns
    if name not in names:
        raise InputError(f"The table has no column {name!r}. Its columns are {', '.join(map(str, names))}.")
    column = frame[name]
    return [plain(cell) for cell in (column.to_list() if hasattr(column, "to_list") else list(column))]


def _array(cells: Any) -> NDArray:
    """Return cells as an array: typed for integers and text, of objects for anything else."""
    cells = list(cells)
    types = set(map(type, cells))
    if types <= {int} or types <= {str}:
        return np.array(cells)
    out = np.empty(len(cells), dtype=object)
    for k, cell in enumerate(cells):
        out[k] = int(cell) if isinstance(cell, float) and cell.is_integer() else cell
    return out


def _missing(cells: NDArray, marker: Any = None) -> NDArray:
    """Return which cells are missing answers."""
    if cells.dtype.kind == "f":
        gone = np.isnan(cells)
    elif cells.dtype.kind == "i":
        gone = np.zeros(cells.shape, dtype=bool)
    else:
        gone = np.array([is_missing(cell) for cell in cells.ravel().tolist()], dtype=bool).reshape(cells.shape)
    if marker is None:
        return gone
    same = [isinstance(cell, type(plain(marker))) and cell == marker for cell in cells.ravel().tolist()]
    return gone | np.array(same, dtype=bool).reshape(cells.shape)


def _check_filled(cells: list, name: str) -> None:
    bad = BadRows("the table", "line")
    for line, cell in enumerate(cells):
        if is_missing(cell) or cell == "":
            bad.add(line, f"no value in the column {name!r}")
    bad.raise_if_any(f"Every line needs a value in {name!r}. Remove the others: table.dropna(subset=[{name!r}]).")


def _numbered(names: list) -> tuple[list, NDArray]:
    """Return the distinct names in the order in which they first occur, and the number of each name."""
    place: dict = {}
    distinct: list = []
    at = np.empty(len(names), dtype=int)
    for k, name in enumerate(names):
        at[k] = place.setdefault(key(name), len(distinct))
        if at[k] == len(distinct):
            distinct.append(name)
    return distinct, at


def _placed(names: list, rows: list, column: str) -> tuple[list, NDArray]:
    """Return the names of all rows, and the row of each line."""
    place = {key(plain(name)): k for k, name in enumerate(rows)}
    if len(place) < len(rows):
        raise InputError("rows must contain each name once, in the order of X. Some names occur several times.")
    bad, at = BadRows("the table", "line"), np.empty(len(names), dtype=int)
    for k, name in enumerate(names):
        at[k] = place.get(key(name), -1)
        if at[k] < 0:
            bad.add(k, f"unknown name in the column {column!r}", name)
    bad.raise_if_any("Every name must be one of rows=…. Pass all rows of X, or remove the answers about other rows.")
    return [plain(name) for name in rows], at


def _unrepeated(row: NDArray, source: NDArray, repeated: str, ids: list, annotators: list) -> NDArray:
    """Return the answers that count, if annotators have answered several times about one row."""
    order = np.lexsort((np.arange(len(row)), source, row))
    again = np.zeros(len(row), dtype=bool)
    again[1:] = (np.diff(row[order]) == 0) & (np.diff(source[order]) == 0)
    if repeated == "all" or not again.any():
        return np.arange(len(row))
    if repeated == "error":
        bad = BadRows("the votes", "row")
        for k in order[again].tolist():
            bad.add(f"row {shown(ids[row[k]])}", f"several answers of annotator {shown(annotators[source[k]])}")
        bad.raise_if_any('Remove repeated answers, or pass repeated="first", "last" or "all".')
    last = np.append(~again[1:], True)
    return np.sort(order[~again if repeated == "first" else last])


def _index(table: Any, default: bool = False) -> list | None:
    """Return the distinct names of the rows of a pandas DataFrame; None if they are only numbered, unless `default`."""
    index: Any = getattr(table, "index", None)
    if not hasattr(index, "is_unique") or not index.is_unique:
        return None
    return None if type(index).__name__ == "RangeIndex" and not default else [plain(name) for name in index]


def _gold_column(names: list, cells: list, column: str) -> dict:
    """Return the known label of each row from a column of a table with one line per answer."""
    known: dict = {}
    bad = BadRows("the table", "line")
    for line, (name, cell) in enumerate(zip(names, cells)):
        if not is_missing(cell) and known.setdefault(name, cell) != cell:
            bad.add(line, f"row {shown(name)} has the known label {shown(known[name])} in an earlier line", cell)
    bad.raise_if_any(f"All lines about one row must have the same known label in {column!r}, or none.")
    return known


def _gold(gold: Any, n: int, ids: list | None) -> NDArray | None:
    """Return the known labels as an array of n cells, or None if there are none."""
    if gold is None:
        return None
    if isinstance(gold, Mapping):
        named = {key(plain(name)): cell for name, cell in gold.items()}
        rows = [key(name) for name in (range(n) if ids is None else ids)]
        outside = list(set(named) - set(rows))
        if outside:
            keys = f"row numbers from 0 to {n - 1}" if ids is None else "names of rows of the votes"
            raise InputError(f"The keys of gold must be {keys}. Got {listed(outside)}.")
        gold = [named.get(row) for row in rows]
    found = _array(plain(cell) for cell in gold)
    if len(found) != n:
        raise InputError(f"gold must have one entry per row, None where the label is not known: {n}. Got {len(found)}.")
    return None if _missing(found).all() else found.astype(object)
