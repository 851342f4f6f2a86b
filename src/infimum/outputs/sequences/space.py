"""Sequences: one label per token, with the number of wrong labels as the loss."""

from __future__ import annotations

import math
from itertools import product
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ...data.errors import BadRows, InputError, is_missing
from ..base import OutputSpace
from ..choices import Choices
from ..labels import CandidateLabels, Labels
from ..summary import Summary, SummaryTable
from .paths import shortest_path
from .sets import PADDING, Lattices, costs_of, obeys
from .transitions import allowed_edges

LISTED = 100_000  # outputs: above this number of combinations, the outputs are not listed
FORMS = (
    'A row of y is a sequence with one entry per token: a label "cat", candidates {"cat", "dog"}, an exclusion'
    ' Not("cat"), or None for an unknown label.'
)


class Facts(NamedTuple):
    """Summary of y: that of the labels of all tokens, and the lengths of the shortest and longest sequence."""

    labels: Any
    shortest: float
    longest: int


class Sequences(OutputSpace):
    """Label sequences: one label per token, with the number of wrong labels (Hamming loss) as the loss.

    Y contains the sequences of labels whose steps are allowed. l(z, y) = #{t : z_t != y_t}, with psi(z) = (e_{z_1}, …)
    and phi(y) = (1 - e_{y_1}, …). The output of least cost is a shortest path, so `decode` is exact.

    Parameters
    ----------
    transitions : None, "bio" or mapping, default None
        Which labels may follow a label, such as ``{"B": ["I", "O"]}``. The key None stands for the start; labels that
        are no key may be followed by all labels. "bio" allows I-X only after B-X and I-X.
    classes : list, optional
        All labels in order; by default those in y, sorted.

    Examples
    --------
    >>> y = [["O", "B-PER", None], [{"O", "B-PER"}, "I-PER", "O"]]
    >>> space = Sequences("bio").fit(y)
    >>> space.format_sets(space.read(y))
    ['O B-PER ?', 'B-PER I-PER O']
    """

    kind = "sequence"

    def __init__(self, transitions: Any = None, classes: Any = None):
        self.transitions = transitions
        self.classes = classes

    def summarise(self, y: Any) -> Facts:
        cells: Any
        if isinstance(y, Lattices):
            cells, lengths = CandidateLabels(y.mask, y.classes), y.lengths
        else:
            rows = rows_in(y)
            cells, lengths = flat(rows), np.array([len(row) for row in rows if row is not None])
        found = Labels(classes=self.classes).summarise(cells)
        return Facts(found, min(lengths.tolist(), default=math.inf), int(lengths.max(initial=0)))

    def merge(self, a: Facts, b: Facts) -> Facts:
        labels = Labels().merge(a.labels, b.labels)
        return Facts(labels, min(a.shortest, b.shortest), max(a.longest, b.longest))

    def fit_summary(self, summary: Facts) -> Self:
        self.labels_ = Labels(classes=self.classes).fit_summary(summary.labels)
        self.classes_ = self.labels_.classes_
        self.allowed_ = allowed_edges(self.transitions, self.classes_.tolist(), self.labels_._names.find)
        self.width_ = summary.longest
        self.same_length_ = summary.shortest == summary.longest
        self.form_ = self.labels_.form_
        m = len(self.classes_)
        self.size = math.inf
        if self.same_length_ and m**self.width_ <= LISTED:
            self.size = len(self.outputs())
        return self

    def read(self, y: Any, strict: bool = True) -> Lattices:
        if isinstance(y, Lattices):
            found = self.labels_.read(CandidateLabels(y.mask, y.classes, strict=False), strict)
            return self.lattices(found.mask, y.lengths, strict)
        rows = rows_in(y)
        if any(row is None for row in rows):
            rows = [[None] * self._length(k) if row is None else row for k, row in enumerate(rows)]
        lengths = np.array([len(row) for row in rows], dtype=int)
        try:
            found = self.labels_.read(flat(rows), strict)
        except InputError as error:
            ends = np.cumsum(lengths)
            raise error.renumbered(lambda token: place_of(token, ends)) from None
        return self.lattices(found.mask, lengths, strict)

    def lattices(self, mask: NDArray, lengths: Any, strict: bool = True) -> Lattices:
        """Return candidates of tokens, (N, m), as sets of sequences of some lengths."""
        return Lattices(mask, lengths, self.allowed_, self.classes_, self.width_, strict)

    def _length(self, row: int) -> int:
        if self.same_length_:
            return self.width_
        remedy = f"{FORMS} For an unlabelled sequence of n tokens, write [None] * n."
        raise InputError(rows={row: "the length of the sequence is unknown, got None"}, remedy=remedy)

    def check(self, parts: Any) -> None:
        if not self.same_length_:
            raise InputError(
                "The sequences of y have different lengths, so one row of X per sequence does not determine the length"
                " of a prediction. Use PartialSequenceTagger, which has features for every token."
            )

    def psi(self, z: Any) -> NDArray:
        z = np.asarray(z, dtype=int)
        out = np.zeros((*z.shape[:-1], max(self.width_, z.shape[-1]), len(self.classes_)))
        own = out[..., : z.shape[-1], :]
        np.put_along_axis(own, np.maximum(z, 0)[..., None], (z != PADDING)[..., None].astype(float), axis=-1)
        return out.reshape(*z.shape[:-1], -1)

    def decode(self, c: NDArray) -> NDArray:
        cost = np.reshape(c, (len(c), -1, len(self.classes_)))
        n, width, m = cost.shape
        return shortest_path(cost.reshape(-1, m), costs_of(self.allowed_, m), np.full(n, width))[0].reshape(n, width)

    def outputs(self) -> NDArray:
        m = len(self.classes_)
        if not self.same_length_ or m**self.width_ > LISTED:
            return super().outputs()
        every = np.array(list(product(range(m), repeat=self.width_)), dtype=int).reshape(-1, self.width_)
        return every[obeys(every, self.allowed_)]

    def readable(self, z: NDArray) -> NDArray:
        z = np.asarray(z, dtype=int)
        if (z != PADDING).all():
            return self.classes_[z]
        out = np.empty(len(z), dtype=object)
        out[:] = [self.classes_[row[row != PADDING]] for row in z]
        return out

    def to_cells(self, sets: Any) -> list:
        if not isinstance(sets, Lattices):
            return super().to_cells(sets)
        rows = [[set(cell) if isinstance(cell, list) else cell for cell in row] for row in sets.to_list()]
        return [None if gone else row for gone, row in zip(self.is_unlabelled(sets), rows)]

    def _to_text(self, cell: Any) -> str:
        """Return a sequence as a JSON list of the texts of its labels, null for unknown ones."""
        return super()._to_text(cell if isinstance(cell, dict) else Labels().cells_to_text(list(cell)))

    def outputs_to_cells(self, z: Any) -> list:
        return [np.asarray(row).tolist() for row in z]

    def class_names(self) -> list:
        return self.classes_.tolist()

    def names_from_data(self) -> dict[str, Any]:
        return {"classes": self.classes_.tolist()}

    def format(self, z: NDArray) -> list[str]:
        return [" ".join(map(str, row)) for row in self.readable(np.asarray(z))]

    def neighbours(self, z: NDArray) -> NDArray:
        """Return the sequences that differ from z in one label."""
        z = np.asarray(z, dtype=int)
        places = np.flatnonzero(z != PADDING)
        found = np.repeat(z[None], len(places) * len(self.classes_), axis=0)
        at = np.repeat(places, len(self.classes_))
        found[np.arange(len(found)), at] = np.tile(np.arange(len(self.classes_)), len(places))
        return found[(found != z).any(axis=1) & obeys(found, self.allowed_)]

    def choices(self, sets: Any) -> Choices:
        """Return one choice among labels per token."""
        options = [str(name) for name in self.classes_]
        return Choices(sets.mask[:, None], [""], [options], "Each pair of labels is separated by some tokens")

    def summary(self, sets: Any) -> Summary:
        """Return how many tokens are labelled, and how often each label is a candidate of a labelled token."""
        known = sets.mask.sum(axis=1)
        open_ = sets.mask.all(axis=1)
        exact_tokens, unlabelled = int(np.sum(known == 1)), int(open_.sum())
        counts = [("tokens", len(known)), ("exact tokens", exact_tokens), ("unlabelled tokens", unlabelled)]
        exact, some = sets.mask[known == 1].sum(axis=0), sets.mask[~open_].sum(axis=0)
        rows = [[str(name), a, b] for name, a, b in zip(self.classes_, exact.tolist(), some.tolist())]
        return Summary(counts, [SummaryTable("Labels of tokens", ["label", "exact", "candidate"], rows)])

    def conformal_scores(self) -> dict[str, Any]:
        from .conformal import TokenScore

        return {TokenScore.name: TokenScore, **super().conformal_scores()}

    def questions(self) -> Any:
        from .questions import SequenceQuestions

        return SequenceQuestions(self)


def rows_in(y: Any) -> list:
    """Return the sequences of y as lists of cells, None for a missing one; raise an error about rows of other kinds."""
    rows: list[list | None] = []
    bad = BadRows("y")
    for k, row in enumerate(y):
        if not isinstance(row, str) and np.ndim(row) == 0 and not hasattr(row, "__len__") and is_missing(row):
            rows.append(None)
            continue
        if isinstance(row, str | dict | set | frozenset) or not hasattr(row, "__len__"):
            bad.add(k, "expected a sequence of labels", row)
            continue
        rows.append(list(row))
        if not len(row):
            bad.add(k, "a sequence without tokens")
    bad.raise_if_any(FORMS)
    return rows


def flat(rows: list) -> list:
    """Return the cells of all tokens, sequence after sequence."""
    return [cell for row in rows if row is not None for cell in row]


def place_of(token: int, ends: NDArray) -> str:
    """Return the name of a token: its sequence and its position, both counted from 0.

    >>> place_of(4, np.array([3, 6]))
    'sequence 1, token 1'
    """
    row = int(np.searchsorted(ends, token, side="right"))
    return f"sequence {row}, token {token - (int(ends[row - 1]) if row else 0)}"
