"""VotedLabels and SoftLabels: classes that several annotators, or probabilities, indicate."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...data.containers import ValueTable
from ...data.errors import BadRows, InputError, each_cell, shown
from ...data.names import Names
from ...evidence.answers import Answers, SourcedAnswers
from ..base import Embedding, Sets, rows_of
from .sets import CandidateLabels

UNIT_SUM = 0.01  # the sum of the probabilities of a soft label may differ from 1 by this much


class SoftLabels(CandidateLabels):
    """Soft labels: probabilities of the classes of some rows, and plain candidate sets of the others.

    A soft label is a row that is listed once for each class, with the probability as its weight. Its loss is therefore
    the expected loss under the probabilities, whatever the principle.

    Parameters
    ----------
    p : (n, m) sparse matrix
        Probabilities; the candidates of rows that are not soft have equal ones.
    soft : (n,) boolean
        Which rows are soft labels.
    classes : (m,) array, optional
        Names of the classes, in the order of the columns; 0 to m - 1 by default.
    cost : (m, m) array, optional
        cost[z, y] of predicting z if the label is y; 0-1 by default.
    """

    def __init__(self, p: Any, soft: NDArray, classes: Any = None, cost: Any = None):
        self.p, self.soft = sparse.csr_matrix(p), soft
        listed = sparse.csr_matrix(self.p > 0)
        listed.sort_indices()
        self._keep(listed, classes, np.zeros(len(soft), bool), cost, strict=False)

    def __getitem__(self, rows: Any) -> SoftLabels:
        at = rows_of(rows, len(self))
        return SoftLabels(self.p[at], self.soft[at], self.classes, self.cost)

    @property
    def is_unlabelled(self) -> NDArray:
        return ~self.soft & super().is_unlabelled

    def likelihood(self) -> NDArray:
        p = self.p.toarray()
        return (p / np.maximum(p.max(axis=1, keepdims=True), 1e-300))[:, None]

    def center(self) -> NDArray:
        p = self.p.toarray()
        expected = 1 - p if self.cost is None else p @ self.cost.T
        return np.where(self.sizes[:, None] > 0, expected, super().center())

    def embed(self, principle: str) -> Embedding:
        return _replaced(super().embed(principle), self.soft, self.center(), np.zeros(len(self)))

    def rowwise_loss(self, psi: NDArray, principle: str) -> NDArray:
        return Sets.rowwise_loss(self, psi, principle)

    def agreement(self, z: NDArray) -> NDArray:
        """Return the probability of z_i for soft labels, and whether z_i is a candidate for the others."""
        p = np.asarray(self.p[np.arange(len(self)), np.asarray(z, dtype=int)]).ravel()
        return np.where(self.soft, p, self.contains(z))

    def bits(self) -> NDArray:
        p = self.p.toarray()
        entropy = -(p * np.log2(np.where(p > 0, p, 1))).sum(axis=1)
        return np.log2(p.shape[1]) - entropy

    def format(self, row: int) -> str:
        if not self.soft[row]:
            return super().format(row)
        start, end = self.p.indptr[row : row + 2]
        order = np.argsort(-self.p.data[start:end], kind="stable")[:12]
        at, p = self.p.indices[start:end][order], self.p.data[start:end][order]
        return " | ".join(f"{k if self.classes is None else self.classes[k]} {v:.2g}" for k, v in zip(at, p))

    def join(self, other: Any) -> CandidateLabels:
        other = other if isinstance(other, SoftLabels) else _as_soft(other)
        both = sparse.vstack([self.p, other.p], format="csr")
        return SoftLabels(both, np.concatenate([self.soft, other.soft]), self.classes, self.cost)

    def __repr__(self) -> str:
        return f"<SoftLabels of {self.listed.shape[1]} classes: {len(self)} rows, {int(self.soft.sum())} of them soft>"


class VotedLabels(CandidateLabels):
    """Answers of several annotators about each row.

    The candidates of a row are the classes that some annotator allows, or its known label. A loss is the mean over the
    answers, as if each answer were a row. Disambiguation estimates how reliable each annotator is instead.

    Parameters
    ----------
    answers : CandidateLabels
        The answers, one after the other.
    row, source : (a,) arrays of int
        The row and the annotator of each answer.
    n : int
        The number of rows.
    annotators : list
        The names of the annotators.
    gold : CandidateLabels, optional
        The known labels, n of them; rows without one contain all classes.
    """

    def __init__(
        self, answers: CandidateLabels, row: NDArray, source: NDArray, n: int, annotators: list,
        gold: CandidateLabels | None = None,
    ):  # fmt: skip
        self.answers_, self.row, self.source, self.annotators, self.gold = answers, row, source, annotators, gold
        m = answers.listed.shape[1]
        allowed = sparse.csr_matrix(answers.mask) if answers.negated.any() else answers.listed
        self._of_row = sparse.csr_matrix((np.ones(len(row)), (row, np.arange(len(row)))), shape=(n, len(row)))
        self.n_answers = np.diff(self._of_row.indptr)
        listed = sparse.csr_matrix((self._of_row @ allowed.astype(float)) > 0)
        negated = self.n_answers == 0  # nothing is excluded
        if gold is not None:
            known = ~gold.is_unlabelled
            keep = sparse.diags_array((~known).astype(float))
            gold_listed = sparse.diags_array(known.astype(float)) @ sparse.csr_matrix(gold.mask[:, :m].astype(float))
            listed, negated = sparse.csr_matrix((keep @ listed.astype(float) + gold_listed) > 0), negated & ~known
        listed.sort_indices()
        self._keep(listed, answers.classes, negated, answers.cost, strict=False)

    def __getitem__(self, rows: Any) -> VotedLabels:
        at = np.arange(len(self))[rows_of(rows, len(self))]
        picked = self._of_row[at]
        some, row = picked.indices, np.repeat(np.arange(len(at)), np.diff(picked.indptr))
        gold = None if self.gold is None else self.gold[at]
        return VotedLabels(self.answers_[some], row, self.source[some], len(at), self.annotators, gold)

    def answers_of_sources(self) -> SourcedAnswers:
        """Return all answers; known labels are those of a further source, which is exact."""
        soft = self.answers_.likelihood()
        given = sparse.csr_matrix(self.answers_.mask if soft is None else soft[:, 0])
        row, source, k = self.row, self.source, len(self.annotators)
        if self.gold is not None:
            known = np.flatnonzero(~self.gold.is_unlabelled)
            given = sparse.vstack([given, sparse.csr_matrix(self.gold.mask[known])])
            row, source = np.concatenate([row, known]), np.concatenate([source, np.full(len(known), k)])
        answers = Answers.of(given, row, source, len(self), k + 1)
        names = range(given.shape[1]) if self.classes is None else self.classes.tolist()
        return SourcedAnswers(answers, list(self.annotators), list(names), np.arange(k + 1) == k)

    @property
    def is_unlabelled(self) -> NDArray:
        """Whether no answer about a row excludes a class; people who contradict each other do not unlabel it."""
        informs = self._of_row @ (~self.answers_.is_unlabelled).astype(float) > 0
        return ~informs if self.gold is None else ~informs & self.gold.is_unlabelled

    def embed(self, principle: str) -> Embedding:
        phi, constant = self.answers_.embed(principle)
        mean = sparse.csr_matrix(sparse.diags_array(1 / np.maximum(self.n_answers, 1)) @ self._of_row)
        own = super().embed(principle)
        answered = self.n_answers > 0
        if self.gold is not None:
            answered = answered & self.gold.is_unlabelled
        return _replaced(own, answered, mean @ phi, mean @ constant)

    def center(self) -> NDArray:
        phi, constant = self.embed("average")
        return np.asarray(phi) + constant[:, None]

    def rowwise_loss(self, psi: NDArray, principle: str) -> NDArray:
        return Sets.rowwise_loss(self, psi, principle)

    def agreement(self, z: NDArray) -> NDArray:
        """Return the share of the answers that z_i agrees with; for known labels, whether it is right."""
        each = self.answers_.agreement(np.asarray(z)[self.row])
        share = (self._of_row @ each) / np.maximum(self.n_answers, 1)
        known = self.n_answers == 0 if self.gold is None else (self.n_answers == 0) | ~self.gold.is_unlabelled
        return np.where(known, self.contains(z), share)

    def __repr__(self) -> str:
        return (
            f"<VotedLabels of {self.listed.shape[1]} classes: {len(self)} rows, {len(self.row)} answers of"
            f" {len(self.annotators)} annotators>"
        )


def _replaced(own: Embedding, rows: NDArray, phi: Any, constant: NDArray) -> Embedding:
    """Return an embedding with other values in some rows, (n,) boolean."""
    dense, other = (part.toarray() if sparse.issparse(part) else np.asarray(part) for part in (own.phi, phi))
    return Embedding(np.where(rows[:, None], other, dense), np.where(rows, constant, own.constant))


def _as_soft(sets: CandidateLabels) -> SoftLabels:
    """Return candidate sets with equal probabilities of the candidates."""
    share = sets.mask / np.maximum(sets.sizes, 1)[:, None]
    return SoftLabels(share, np.zeros(len(sets), bool), sets.classes, sets.cost)


def with_probabilities(sets: CandidateLabels, rows: NDArray, p: Any) -> SoftLabels:
    """Return candidate sets in which some rows (k,) are replaced by soft labels (k, m)."""
    plain = _as_soft(sets)
    table = plain.p.tolil()
    table[rows] = p
    soft = np.zeros(len(sets), bool)
    soft[rows] = True
    return SoftLabels(table.tocsr(), soft, sets.classes, sets.cost)


def check_probabilities(values: NDArray, got: Any) -> NDArray:
    """Return probabilities that sum to one; raise an error if they are none."""
    try:
        p = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"expected a soft label with one probability per class, got {shown(got)}") from None
    if not np.isfinite(p).all() or (p < 0).any():
        raise InputError(f"probabilities of a soft label must be finite and at least 0, got {shown(got)}")
    total = p.sum()
    if abs(total - 1) > UNIT_SUM:
        raise InputError(f"probabilities of a soft label must sum to 1, got {shown(got)} with the sum {total:.3g}")
    return p / total


def soft_table(table: ValueTable) -> SoftLabels | None:
    """Return an (n, m) table of probabilities as soft labels; None if its numbers are whole and no probabilities.

    Rows without any number are unlabelled.
    """
    p, unlabelled = np.where(table.missing, 0.0, table.values), np.asarray(table.missing.all(axis=1))
    fine = np.isfinite(p).all(axis=1) & (p >= 0).all(axis=1) & (np.abs(p.sum(axis=1) - 1) <= UNIT_SUM)
    gaps = table.missing.any() and not (table.missing.any(axis=1) == unlabelled).all()
    if (gaps or not (fine | unlabelled).all()) and (p == np.round(p)).all():
        return None  # 0 and 1 beside a missing cell may be candidates of which one is unknown
    bad = BadRows("y")
    for row in np.flatnonzero(~unlabelled & ~fine).tolist():
        bad.add(row, "expected probabilities that are at least 0 and sum to 1", table.row(row))
    bad.raise_if_any("A table of numbers contains soft labels, with one column per class. Divide each row by its sum.")
    p[unlabelled] = 1.0
    p /= p.sum(axis=1, keepdims=True)
    return SoftLabels(p, ~unlabelled, None if table.names is None else Names(table.names, "classes").array)


def unquoted(cells: Iterable) -> list:
    """Return cells in which text such as ``{"cat": 0.7, "dog": 0.3}`` is a soft label, and ``{'cat', 'dog'}`` a set.

    >>> unquoted(['{"cat": 0.7, "dog": 0.3}', "{'cat': 1}", "cat|dog", None])
    [{'cat': 0.7, 'dog': 0.3}, {'cat': 1}, 'cat|dog', None]
    """
    cells = list(cells)
    if not any(isinstance(cell, str) and cell.lstrip()[:1] == "{" for cell in cells):
        return cells
    return each_cell(cells, _unquoted, 'A soft label as text is JSON, {"cat": 0.7, "dog": 0.3}.')


def _unquoted(cell: Any) -> Any:
    text = cell.strip() if isinstance(cell, str) else ""
    if text[:1] != "{" or not set("\"':") & set(text):
        return cell
    for parse in (json.loads, ast.literal_eval):
        try:
            found = parse(text)
        except (ValueError, SyntaxError, RecursionError):
            continue
        if isinstance(found, dict | set):
            return found
    raise InputError(f"cannot read {shown(text)} as a soft label")


def is_soft(cell: Any) -> bool:
    """Whether a cell is a soft label, ``{"cat": 0.7, "dog": 0.3}``."""
    return isinstance(cell, Mapping)
