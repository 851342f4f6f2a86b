"""Formats of labels: a class, candidates, exclusions, text, masks, DataFrames."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from ...data.blanks import stripped
from ...data.containers import Column, ValueTable, distinct, is_row, normalise_y, table_of
from ...data.errors import BadRows, InputError, Sample, TargetSummary, is_missing, listed, shown
from ...data.names import Names, key, kind, plain, unpacked
from ...data.numerals import parse_number
from ...evidence.votes import Votes
from .sets import FORMS as FORMS
from .sets import CandidateLabels, as_mask
from .voted import check_probabilities, is_soft, soft_table, unquoted

AMBIGUOUS = "Pass CandidateLabels(y) if the rows are masks, or sets such as {0, 1} if 0 and 1 are labels."
NEITHER = "neither 'a' nor 'b' is '!a|!b' or Not('a', 'b')"
VOTES = "got pairs instead of labels; for answers of several annotators, pass infimum.Votes([dict(row) for row in y])"
FLAGS = (
    "All rows of a candidate mask must have the same length. Candidates among the classes True and False are sets,"
    " {True, False}; a candidate mask is CandidateLabels(y)."
)


class Not:
    """A candidate set of all labels except the given ones.

    Parameters
    ----------
    *labels
        The labels that are excluded.

    Examples
    --------
    >>> Not("cat")
    Not('cat')
    """

    def __init__(self, *labels: Hashable):
        if not labels:
            raise ValueError("Not() requires at least one label. Write None for an unlabelled row.")
        self.labels = labels

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Not) and set(map(key, self.labels)) == set(map(key, other.labels))

    def __hash__(self) -> int:
        return hash(("Not", frozenset(map(key, self.labels))))

    def __repr__(self) -> str:
        return f"Not({', '.join(map(repr, self.labels))})"


@dataclass(frozen=True)
class Facts(TargetSummary):
    """Summary of a column of labels."""

    kinds: dict[str, Sample] = field(default_factory=dict)
    """The kinds of names, and rows that have them."""
    masks: dict[Any, Sample] = field(default_factory=dict)
    """Candidate masks, by the names or the number of their columns."""
    bits: dict[int, Sample] = field(default_factory=dict)
    """Cells that are rows of 0 and 1, by their length."""
    cells: int = 0
    """The number of other cells."""
    orders: dict[tuple, Sample] = field(default_factory=dict)
    """Categories in their order, of an ordered Categorical or an Enum."""


def labels_in(cell: Any, known: Any) -> tuple[tuple, bool]:
    """Return the labels of a cell, and whether they are excluded; `known` names are not split at "|"."""
    if isinstance(cell, Not):
        return tuple(_name(label, cell, known) for label in cell.labels), True
    if is_missing(cell):
        return (), True
    if isinstance(cell, np.ndarray) and cell.ndim == 0:
        cell = cell.item()
    if isinstance(cell, str):
        return _labels_in_text(cell, known)
    if isinstance(cell, tuple) and cell in known:
        return (cell,), False
    if isinstance(cell, set | frozenset) or is_row(cell):
        for label in cell:
            if is_missing(label):
                raise InputError(f"a missing value among the candidates, got {shown(cell)}")
            if isinstance(label, list | set | dict | np.ndarray):
                raise InputError(f"expected labels among the candidates, got {shown(cell)}")
            if isinstance(label, tuple) and is_row(cell) and label not in known:
                raise InputError(f"{VOTES}, got {shown(cell)}")
        return tuple(_name(label, cell, known) for label in cell), False
    if is_soft(cell):
        p = check_probabilities(np.array(list(cell.values()) or [0.0], dtype=object), cell)
        return tuple(_name(label, cell, known) for label, share in zip(cell, p) if share > 0), False
    if isinstance(cell, np.ndarray):
        raise InputError(f"expected a label or candidates, got {shown(cell)}")
    return (plain(cell),), False


def _labels_in_text(cell: str, known: Any) -> tuple[tuple, bool]:
    """Return the labels of ``cat|dog`` or ``!cat|!dog``, without blanks around them, and whether they are excluded."""
    text = stripped(cell)
    for name in (str.__str__(cell), text):
        if name in known:
            return (name,), False
    negated = text.startswith("!")
    if negated and text[1:] in known:
        return (text[1:],), True
    parts = [part for part in map(stripped, text.split("|")) if part]
    marked = [part.startswith("!") and part not in known for part in parts]
    if any(marked[1:]) and not all(marked):
        raise InputError(f"candidates and exclusions in one cell, got {shown(text)}; {NEITHER}")
    names = [stripped(part[1:]) if mark else part for part, mark in zip(parts, marked)]
    if negated and not any(names):
        raise InputError(f"'!' without a class, got {shown(text)}")
    if any(name.startswith("!") and name not in known for name in names):
        raise InputError(f"more than one '!' before a name, got {shown(text)}; {NEITHER}")
    return tuple(name for name in names if name), negated


def _name(label: Any, cell: Any, known: Any) -> Any:
    """Return a label of a set, list or `Not`: text without blanks around it, unless it is known as it is."""
    label = plain(label)
    if not isinstance(label, str) or label in known:
        return label
    name = stripped(label)
    if name.startswith("!") and name not in known:
        raise InputError(
            f"an exclusion among the labels of a set, got {shown(cell)}; write Not({shown(name.lstrip('!'))})"
        )
    return name


def problem_of(label: Any) -> str | None:
    """Return what is wrong with a label, or None."""
    if isinstance(label, float) and math.isinf(label):
        return "Input y contains infinity, which is not a label"
    if isinstance(label, float) and label != math.floor(label):
        return f"Unknown label type: continuous. Got {label}"
    try:
        hash(label)
    except TypeError:
        return f"expected a label, got {shown(label)}"
    return None


def parse(y: Any) -> Any:
    """Return y as CandidateLabels, as a column, or as a table of candidates: (listed, names)."""
    if isinstance(y, CandidateLabels):
        return y
    found = normalise_y(y, FORMS)
    if sparse.issparse(found):
        return as_mask(found), None
    if isinstance(found, Column) and (rows := table_of(found)) is not None and rows.values.dtype == bool:
        found = rows
    if isinstance(found, ValueTable):
        if found.missing.shape[1] == 1:
            return found.column()
        if found.values.dtype == bool:
            return as_mask(found.values | found.missing), found.names
        if found.values.dtype.kind == "f" and (soft := soft_table(found)) is not None:
            return soft
        kinds = sorted({type(v).__name__ for v in found.values.ravel()[:1000].tolist()})
        raise InputError(
            f"y should be a 1d array, got an array of shape {found.values.shape} instead, of {', '.join(kinds)}. A"
            " table of candidates needs one boolean column per class: y.astype(bool). Candidates as lists of labels are"
            " y.tolist(). If each column contains the answers of one annotator, pass infimum.Votes(y). If each line"
            " contains one answer of one annotator, pass infimum.Votes.from_table(y). Divide counts of answers per"
            " class by the sum of their row. For tags, use PartialMultilabelClassifier."
        )
    if isinstance(found, np.ndarray):
        raise InputError(f"y should be a 1d array, got an array of shape {found.shape} instead. {FORMS}")
    return found if found.typed else found._replace(cells=unquoted(found.cells))


def _facts_of_votes(votes: Votes) -> Facts:
    """Summarise the answers and the known labels."""
    try:
        facts = facts_of(votes.answers)
    except InputError as error:
        raise error.renumbered(votes.place) from None
    facts = replace(facts, rows=len(votes))
    return facts if votes.gold is None else facts + facts_of(votes.gold)


def facts_of(y: Any) -> Facts:
    """Summarise y: its classes and its format."""
    if isinstance(y, Votes):
        return _facts_of_votes(y)
    found = parse(y)
    if isinstance(found, CandidateLabels):
        columns = found.listed.shape[1] if found.classes is None else tuple(unpacked(found.classes))
        return Facts(len(found), masks={columns: Sample(len(found))})
    if isinstance(found, tuple) and not isinstance(found, Column):
        mask, columns = found
        return Facts(mask.shape[0], masks={mask.shape[1] if columns is None else columns: Sample(mask.shape[0])})
    return _of_column(found)


def _of_column(found: Column) -> Facts:
    """Summarise a column with one entry per row; equal cells are parsed once."""
    cells, which = places = distinct(found)
    names: dict[Hashable, Any] = {}
    kinds: dict[str, list] = {}
    bits: dict[int, list] = {}
    plain_cells, bad = 0, BadRows("y")
    unread: list[tuple[int, str]] = []
    counts = np.bincount(which, minlength=len(cells))
    for k, cell in enumerate(cells):
        if not counts[k] or is_missing(cell):
            continue
        if is_bits(cell):
            bits.setdefault(len(cell), []).append(k)
        else:
            plain_cells += int(counts[k])
        if (problem := problem_of_flags(cell)) is not None:
            bad.add_all(places.rows(k), problem)
            continue
        try:
            labels = labels_in(cell, ())[0]
        except InputError as error:  # `read` raises it, unless its names are known by then
            unread += [(row, str(error)) for row in places.rows(k)]
            continue
        for label in labels:
            if (problem := problem_of(label)) is not None:
                bad.add_all(places.rows(k), f"{problem}, got {shown(cell)}" if label is not cell else problem)
                continue
            names.setdefault(key(label), label)
            kinds.setdefault(kind(label), []).append(k)
    bad.raise_if_any(f"A label is a whole number, text or another name. For numbers, use PartialRegressor. {FORMS}")

    def samples(ks_of: dict[Any, list]) -> dict[Any, Sample]:
        return {what: Sample.of(np.flatnonzero(np.isin(which, ks)), found.cells) for what, ks in ks_of.items()}

    return Facts(
        found.n, names, Facts.failures(unread), samples(kinds), bits=samples(bits), cells=plain_cells,
        orders={} if found.order is None else {found.order: Sample(found.n)},
    )  # fmt: skip


def problem_of_flags(cell: Any) -> str | None:
    """Return what is wrong with a row of booleans that is no row of a mask; None for any other cell."""
    there = [v for v in cell if not is_missing(v)] if is_row(cell) else []
    if not there or not all(isinstance(v, bool | np.bool_) for v in there):
        return None
    return f"expected a label, got {len(cell)} booleans: {shown(cell)}. {FLAGS}"


def is_bits(cell: Any) -> bool:
    """Whether a cell is a row of several 0 and 1, which may be a mask or candidates."""
    if not is_row(cell) or len(cell) < 2:
        return False
    return all(isinstance(v, int | np.integer) and not isinstance(v, bool) and 0 <= v <= 1 for v in cell)


def classes_in(facts: Facts) -> list:
    """Return every class in the cells; raise an error if names of several kinds are mixed."""
    if len(facts.kinds) > 1:
        most = max(facts.kinds, key=lambda what: facts.kinds[what].number)
        bad = BadRows("y")
        for what, sample in facts.kinds.items():
            if what != most:
                sample.add_to(bad, f"got {{}} ({what}), but most labels are {most}")
        bad.raise_if_any(
            "y mixes label types. Convert the column to one type, for example y.astype(str), or list all labels in"
            " classes=[…]."
        )
    return list(facts.names.values())


def in_their_order(facts: Facts, names: list) -> list:
    """Return classes in the order of the categories of y, or of the numbers and dates that they are.

    Text that is not a number has no order of its own. Two classes need none.
    """
    given = [[name for name in order if labels_in(name, ()) == ((name,), False)] for order in facts.orders]
    if any(other != given[0] for other in given):
        raise InputError(f"The categories of y must have one order. Got {listed(given[0])}; {listed(given[1])}.")
    if given and not {key(name) for name in names} - {key(name) for name in given[0]}:
        return given[0]
    kinds = {kind(name) for name in names}
    if kinds == {"text"}:
        values: dict[Any, Any] = {name: parse_number(name) for name in names}
        if None not in values.values():
            return sorted(names, key=values.__getitem__)
    if len(names) < 3 or kinds <= {"number"} or kinds <= {"boolean"} or kinds <= {"date", "date and time", "duration"}:
        return names
    raise InputError(
        f"cost='ordinal' requires the order of the classes, and {listed(names)} have none. Pass them in order as"
        " classes=[…], or pass y as pandas.Categorical(y, categories=[…], ordered=True)."
    )


def raise_ambiguous_bits(sample: Sample) -> None:
    """Raise an error that shows rows of 0 and 1 as masks and as candidates."""
    lines = [
        f"  row {row}: {shown(list(cell))} as a mask allows the classes"
        f" {[k for k, bit in enumerate(cell) if bit]}, and as candidates the labels {sorted(set(cell))}"
        for row, cell in sample.first[:3]
    ]
    raise InputError("\n".join(["Rows of 0 and 1 can mean two things.", *lines, AMBIGUOUS]))


def columns_of(names: Any, width: int, known: Names, strict: bool) -> list[int | None]:
    """Return the class of each column of a candidate mask; None for unknown classes."""
    if names is None and width == len(known):
        return list(range(width))
    if names is None:
        numbers = all(kind(name) == "number" and 0 <= name < width for name in known.list)
        if strict or not numbers:
            raise InputError(
                f"The sets have {width} classes, not {len(known)}: {known.list[:10]}. Expected one column per class,"
                " or names: CandidateLabels(y, classes=[…])."
            )
        names = range(width)  # a mask without names has the classes 0, 1, …
    at = [known.find(name) for name in names]
    unknown = [name for name, k in zip(names, at) if k is None]
    if unknown and strict:
        raise InputError(
            f"The candidates name classes that are unknown here: {unknown[:10]}. The classes are {known.list[:10]}."
        )
    return at


def moved(mask: Any, at: list[int | None], m: int) -> sparse.csr_matrix:
    """Return a candidate mask with its columns in the order of the classes; unknown classes are dropped."""
    if at == list(range(m)):
        return mask
    coo = mask.tocoo()
    place = np.array([-1 if k is None else k for k in at], dtype=int)[coo.col]
    keep = place >= 0
    return sparse.csr_matrix((coo.data[keep], (coo.row[keep], place[keep])), shape=(mask.shape[0], m))
