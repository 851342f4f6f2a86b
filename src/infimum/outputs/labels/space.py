"""Labels: one class among m, with any cost."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...data.containers import Column, distinct, is_row, table_of
from ...data.errors import BadRows, Form, InfimumWarning, InputError, Sample, shown
from ...data.errors import listed as listed_names
from ...data.names import Names, key, ordered, shared_columns, unpacked
from ...evidence.votes import Votes
from ..base import OutputSpace, Sets
from ..choices import Choices
from ..constraints import GroupConstraints
from ..merging import COUNTED, variants_of, warn_of_look_alikes
from ..summary import Summary, SummaryTable, fraction
from .cells import LabelCells
from .costs import Cost, as_cost, without_frames
from .forms import (
    FORMS,
    Facts,
    Not,
    classes_in,
    columns_of,
    facts_of,
    in_their_order,
    is_bits,
    labels_in,
    moved,
    parse,
    problem_of,
    problem_of_flags,
    raise_ambiguous_bits,
)
from .sets import CandidateLabels, as_mask
from .voted import SoftLabels, VotedLabels, is_soft, with_probabilities

if TYPE_CHECKING:
    from .question_model import LabelQuestions


class Labels(LabelCells, OutputSpace):
    """One class among m, with any cost.

    Y = {1, …, m} and l(z, y) = cost[z, y], with psi(z) = e_z and phi(y) = l(., y).

    Parameters
    ----------
    cost : None, "ordinal", (m, m) array, DataFrame or Taxonomy
        None is the 0-1 loss; "ordinal" is |i - j|; a matrix has predictions in rows and true classes in columns.
    classes : list, optional
        All classes in order; by default those in y (or in the cost), sorted. For cost="ordinal", the categories of an
        ordered Categorical or of an Enum keep their order, and text is required to be numeric.

    Examples
    --------
    >>> from infimum.outputs import Not
    >>> space = Labels().fit([{"cat", "dog"}, "owl", None])
    >>> space.classes_.tolist()
    ['cat', 'dog', 'owl']
    >>> space.read(["cat|owl", Not("cat"), None]).mask.astype(int)
    array([[1, 0, 1],
           [0, 1, 1],
           [1, 1, 1]])
    """

    kind = "labels"
    reads_votes = True

    def __init__(self, cost: Any = None, classes: Any = None):
        self.cost = cost
        self.classes = classes

    def __getstate__(self) -> dict:
        return without_frames(super().__getstate__())

    def summarise(self, y: Any) -> Facts:
        """Return the classes of y, and what decides on its format."""
        return facts_of(y)

    def merge(self, a: Facts, b: Facts) -> Facts:
        return a + b

    def fit_summary(self, summary: Facts) -> Self:
        cost: Cost = as_cost(self.cost)
        declared = self.classes if self.classes is not None else cost.classes()
        names = None if declared is None else Names(declared, "classes")
        form = self._form(summary, names)
        if names is None:
            found = self._named(summary, form)
            names = Names(in_their_order(summary, found) if cost.ordered and form.kind != "mask" else found, "classes")
        if not len(names):
            summary.raise_unread(FORMS)
            raise InputError("y contains no classes, because all rows are unlabelled. Pass classes=[…].")
        self._cost, self._names, self.form_ = cost, names, form
        self.classes_ = names.array
        self.cost_ = cost.matrix(self.classes_)
        self.size = len(names)
        return self

    def constrain(self, sets: Any, constraints: Any) -> CandidateLabels:
        found = GroupConstraints.of(constraints, len(sets), self.classes_.tolist(), self._names.find)
        found.check(sets.mask)
        return sets.with_constraints(found)

    def check(self, parts: Iterable[Sets]) -> None:
        """Warn if all rows are unlabelled, and if classes look like variants of others."""
        n, labelled = 0, self.size < 2
        counted = self.classes is None and self._cost.classes() is None and self.form_.kind != "mask"
        counts: Any = np.zeros(int(self.size), dtype=int)
        for sets in parts:
            n += len(sets)
            labelled = labelled or not sets.is_unlabelled.all()
            listed_in: Any = sets.listed.sum(axis=0)  # type: ignore[attr-defined]
            counts += np.asarray(listed_in, dtype=int).ravel()
            if labelled and (n >= COUNTED or not counted):
                break
        if counted:
            warn_of_look_alikes(self, self.classes_, counts)
        if self.size == 1 and n > 1:
            warnings.warn(
                f"y contains only one class, {shown(self.classes_[0])}, so every prediction is this class. Pass rows of"
                " other classes.",
                InfimumWarning,
                stacklevel=4,
            )
        if n > 1 and not labelled:
            warnings.warn(
                "Every row of y allows every class, so there is nothing to learn and predictions are arbitrary.",
                InfimumWarning,
                stacklevel=4,
            )

    def _form(self, facts: Facts, declared: Names | None) -> Form:
        """Return whether y is a candidate mask or has one entry per row; raise an error if it may be both."""
        if facts.masks:
            return MASK
        if len(facts.bits) == 1 and not facts.cells:
            (width,) = facts.bits
            if declared is None or len(declared) == width:
                raise_ambiguous_bits(facts.bits[width])
        return CELLS_WITH_LISTS if facts.bits else CELLS

    @staticmethod
    def _named(facts: Facts, form: Form) -> list:
        """Return the classes of y, if they are not declared."""
        if form.kind != "mask":
            return ordered(classes_in(facts))
        width, named = shared_columns(facts.masks, "Candidate masks", "classes")
        if named is None:
            if facts.cells:
                raise InputError("Some rows are masks without names, and others are labels. Pass classes=[…].")
            return list(range(width or 0))
        unknown = [label for k, label in facts.names.items() if k not in set(map(key, named))]
        if unknown:
            raise InputError(
                f"The masks name the classes {listed_names(named)}; other rows have also {listed_names(unknown)}."
            )
        return list(named)

    def read(self, y: Any, strict: bool = True) -> CandidateLabels:
        if isinstance(y, Votes | VotedLabels):
            return self._read_votes(y, strict)
        found = parse(y)
        if isinstance(found, SoftLabels):
            at = columns_of(found.classes, found.p.shape[1], self._names, strict)
            return SoftLabels(moved(found.p, at, int(self.size)), found.soft, self.classes_, self.cost_)
        if isinstance(found, CandidateLabels):
            names = None if found.classes is None else unpacked(found.classes)
            return self._arranged(found.listed, names, found.negated, strict)
        if not isinstance(found, Column):
            mask, names = found
            return self._arranged(mask, names, np.zeros(mask.shape[0], bool), strict)
        if (bits := self._bits(found)) is not None:
            return self._arranged(bits, None, np.zeros(found.n, bool), strict)
        listed, negated = self._read(found, strict)
        sets = CandidateLabels.of(listed, self.classes_, negated, self.cost_, strict)
        soft = [] if found.typed else [k for k, cell in enumerate(found.cells) if is_soft(cell)]
        return with_probabilities(sets, np.array(soft), self._probabilities(found, soft)) if soft else sets

    def _probabilities(self, column: Column, rows: list[int]) -> NDArray:
        """Return the probabilities of soft labels, (k, m); a node of a taxonomy divides its own among its leaves."""
        out = np.zeros((len(rows), int(self.size)))
        for k, row in enumerate(rows):
            for label, share in column.cells[row].items():
                at = self._classes(label)[0]
                out[k, at] += float(share) / max(1, len(at))
        return out / np.maximum(out.sum(axis=1, keepdims=True), 1e-300)

    def _read_votes(self, votes: Votes | VotedLabels, strict: bool) -> VotedLabels:
        """Parse each answer as a row of y."""
        cells = votes.answers if isinstance(votes, Votes) else votes.answers_
        try:
            answers = self.read(cells, strict)
        except InputError as error:
            raise error.renumbered(votes.place) if isinstance(votes, Votes) else error from None
        gold = None if votes.gold is None else self.read(votes.gold, strict)
        return VotedLabels(answers, votes.row, votes.source, len(votes), votes.annotators, gold)

    def _arranged(self, listed: Any, names: Any, negated: NDArray, strict: bool) -> CandidateLabels:
        """Return candidates whose columns have these names, or none, as candidates among the classes."""
        at = columns_of(names, listed.shape[1], self._names, strict)
        if negated.any() and len(set(at) - {None}) < self.size:  # classes that the sets do not have stay excluded
            listed, negated = sparse.csr_matrix(listed.toarray() != negated[:, None]), np.zeros(len(negated), bool)
        return CandidateLabels.of(moved(listed, at, int(self.size)), self.classes_, negated, self.cost_, strict)

    def _bits(self, column: Column) -> Any:
        """Return rows of 0 and 1 as a mask, if that is the format; None for labels."""
        if column.typed or self.form_.lists:
            return None
        all_bits = all(gone or is_bits(cell) for cell, gone in zip(column.cells, column.missing))
        table = table_of(column) if all_bits else None
        if table is None:
            return None
        if self.form_.kind == "mask":
            return as_mask(np.where(table.missing, 1, table.values))
        if table.values.shape[1] == self.size:
            raise_ambiguous_bits(Sample.of(np.flatnonzero(~column.missing), column.cells))
        return None

    def questions(self) -> LabelQuestions:
        from .question_model import LabelQuestions

        return LabelQuestions(self)

    def summary(self, sets: Any) -> Summary:
        """Return the number of complementary labels, and how often each class is exact, possible and excluded."""
        labelled = ~sets.is_unlabelled
        mask, exact = sets.mask[labelled], sets.mask[sets.is_exact].sum(axis=0)
        rows = [
            [str(name), int(exact[k]), int(mask[:, k].sum()), int((~mask[:, k]).sum()), fraction(mask[:, k])]
            for k, name in enumerate(self.classes_)
        ]
        columns = ["class", "exact", "possible", "excluded", "fraction possible"]
        complementary = int(np.sum(sets.negated & labelled & ~sets.is_exact))
        return Summary([("complementary", complementary)], [SummaryTable("Classes of labelled rows", columns, rows)])

    def psi(self, z: Any) -> NDArray:
        z = np.asarray(z, dtype=int)
        out = np.zeros((*z.shape, int(self.size)))  # e_z, without the m x m identity
        np.put_along_axis(out, z[..., None], 1.0, axis=-1)
        return out

    def decode(self, c: NDArray) -> NDArray:
        return np.argmin(c, axis=-1)

    def outputs(self) -> NDArray:
        return np.arange(int(self.size))

    def bound(self, c: NDArray) -> NDArray:
        return np.min(c, axis=-1)

    def readable(self, z: NDArray) -> NDArray:
        return self.classes_[z]

    def neighbours(self, z: NDArray) -> NDArray:
        """Return all other classes."""
        return np.delete(self.outputs(), int(z))

    def format(self, z: NDArray) -> list[str]:
        return [str(name) for name in self.readable(np.asarray(z, dtype=int))]

    def _read(self, y: Column, strict: bool) -> tuple[sparse.csr_matrix, NDArray]:
        """Return the labels listed in each row, and which rows list exclusions instead."""
        cells, which = found = distinct(y)
        bad, wrong = BadRows("y"), []
        lists, excluded = [], np.zeros(len(cells), bool)
        for k, cell in enumerate(cells):
            try:
                at, excluded[k], unknown, problem = self._classes(cell)
            except InputError as error:
                at, unknown, problem = [], [], str(error)
            lists.append(at)
            wrong += unknown
            if problem is not None and (strict or not unknown):
                bad.add_all(found.rows(k), problem)
        if bad.found:
            nodes = self._cost.nodes
            inner = f" The other nodes of the taxonomy are {listed_names(nodes)}." if nodes else ""
            alike = variants_of(wrong, [*self._names.list, *nodes], "labels")
            bad.raise_if_any(f"{alike}The classes are {listed_names(self._names.list)}.{inner} {FORMS}")
        indices, ends = np.array([k for at in lists for k in at], dtype=int), np.cumsum([0, *map(len, lists)])
        table = sparse.csr_matrix((np.ones(len(indices), bool), indices, ends), shape=(len(cells), int(self.size)))
        return table[which], excluded[which]

    def _classes(self, cell: Any) -> tuple[list[int], bool, list, str | None]:
        """Return the classes of a cell, whether it excludes them, its unknown labels, and what is wrong with it."""
        if (problem := problem_of_flags(cell)) is not None:
            raise InputError(problem)
        labels, negated = labels_in(cell, self._names)
        at: set[int] = set()
        unknown = []
        for label in labels:
            place = self._names.find(label)
            if place is not None:
                at.add(place)
            elif problem_of(label) is None and (below := self._cost.leaves(label)) is not None:
                at.update(k for leaf in below if (k := self._names.find(leaf)) is not None)
            else:
                unknown.append(label)
        problem = None
        if unknown:
            alone = len(labels) == 1 and not is_row(cell) and not isinstance(cell, Not)
            problem = f"unknown label {listed_names(unknown)}" + ("" if alone else f", got {shown(cell)}")
        elif not labels and not negated:
            problem = f"an empty set of candidates, got {shown(cell)}"
        return sorted(at), negated, unknown, problem

    def choices(self, sets: Any) -> Choices:
        options = [str(name) for name in self.classes_]
        separated = "Each pair of classes is separated by some rows"
        return Choices(sets.options(), [""], [options], separated)

    def conformal_scores(self) -> dict[str, Any]:
        from .conformal import APS, LAC, Regret

        return {score.name: score for score in (LAC, APS, Regret)}


MASK = Form("mask", "candidate mask, one boolean column per class")
CELLS = Form("labels", "labels, one entry per row")
CELLS_WITH_LISTS = Form("labels", "labels, one entry per row; lists of 0 and 1 are candidates", lists=True)
