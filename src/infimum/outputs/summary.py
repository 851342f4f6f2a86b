"""What a report shows about the partial labels of one output type: counts and tables, without any markup."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .base import OutputSpace, Sets

MOST = 20
"""Lines of the table of the most frequent sets."""


class SummaryTable(NamedTuple):
    """A table of a report."""

    title: str
    columns: list[str]
    rows: list[list[Any]]


class Summary(NamedTuple):
    """What a report shows about partial labels."""

    counts: list[tuple[str, Any]]
    """Names and numbers, beside those that every output type has."""
    tables: list[SummaryTable]


def frequent_sets(output: OutputSpace, sets: Sets) -> Summary:
    """Return the most frequent sets of labelled rows: the summary of an output type that defines none."""
    labelled = np.flatnonzero(~output.is_unlabelled(sets))
    count = Counter(output.format_sets(sets, labelled))
    rows: list[list[Any]] = [[text, n] for text, n in count.most_common(MOST)]
    return Summary([], [SummaryTable("Most frequent sets", ["set", "rows"], rows)])


def fraction(column: NDArray) -> float:
    """Return the mean of a column of booleans, NaN if it is empty."""
    return float(np.mean(column)) if len(column) else math.nan
