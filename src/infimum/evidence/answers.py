"""Answers: what sources indicate about items, with equal answers of one source stored once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


@dataclass(frozen=True)
class Answers:
    """Answers of sources about items; an item is one choice among c options, and one row has g of them.

    Equal answers of one source are one *key*. Sums over answers are therefore products of sparse matrices with few
    columns, whatever the number of answers.
    """

    counts: sparse.csr_matrix
    """(items, keys): how often the answer was given about the item."""
    source: NDArray
    """(keys,): the source of each answer."""
    given: sparse.csr_matrix
    """(keys, c): 1 for the candidates, or their probabilities divided by the largest one."""
    n_sources: int

    @classmethod
    def of(cls, given: Any, item: NDArray, source: NDArray, n_items: int, n_sources: int) -> Answers:
        """Group answers (a, c), about the items (a,), by the sources (a,); answers that exclude nothing are left out.

        `given` is boolean, or contains the probabilities of the candidates.
        """
        table = sparse.csr_matrix(given, dtype=float)
        high = np.maximum(table.max(axis=1).toarray().ravel(), 1e-300) if table.nnz else np.ones(table.shape[0])
        table = sparse.csr_matrix(sparse.diags_array(1 / high) @ table)
        informs = np.asarray(table.sum(axis=1)).ravel() < table.shape[1]
        table, item, source = table[informs], np.asarray(item)[informs], np.asarray(source)[informs]
        key, first = _distinct(table, source)
        n_keys = len(first)
        counts = sparse.csr_matrix((np.ones(len(item)), (item, key)), shape=(n_items, n_keys))
        return cls(counts, source[first], table[first], n_sources)

    def __getitem__(self, items: Any) -> Answers:
        return replace(self, counts=self.counts[items])

    @property
    def n_options(self) -> int:
        """The number of options of each item."""
        return self.given.shape[1]

    @property
    def size(self) -> NDArray:
        """The number of candidates of each key, (keys,); for soft labels, the sum of their scaled probabilities."""
        return np.asarray(self.given.sum(axis=1)).ravel()


class SourcedAnswers(NamedTuple):
    """Answers with what is known about their sources."""

    answers: Answers
    names: list
    """The names of the sources."""
    options: list
    """The names of the options, such as the classes."""
    exact: NDArray
    """(n_sources,) boolean: sources that are never wrong, such as known labels."""


def _distinct(table: sparse.csr_matrix, source: NDArray) -> tuple[NDArray, NDArray]:
    """Return the key of each answer, and the first answer of each key; two random projections compare answers."""
    random = np.random.default_rng(0).standard_normal((table.shape[1], 2))
    code = np.column_stack([source, np.round(table @ random, 9)])
    order = np.lexsort(code.T)
    new = np.ones(len(order), dtype=bool)
    new[1:] = (code[order][1:] != code[order][:-1]).any(axis=1)
    key = np.empty(len(order), dtype=int)
    key[order] = np.cumsum(new) - 1
    return key, order[new]
