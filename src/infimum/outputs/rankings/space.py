"""Rankings: an order of m items, with Kendall's loss; the sets are partial orders."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ...data.checks import check_number
from ...data.containers import Column
from ...data.errors import Form, InfimumWarning, InputError, Sample, listed
from ...data.names import Names, key, numbered, ordered
from ...feedback_arc import minimum_feedback_arcs
from ..base import Decoded, OutputSpace, Sets
from ..choices import Choices
from ..merging import COUNTED, warn_of_look_alikes
from ..summary import Summary
from .cells import RankingCells
from .codes import codes_of, costs_of, mean_codes, pairs
from .contradictions import check_rule
from .description import choices_of, n_rows_comparing, summary_of
from .facts import Facts, all_lists_of_numbers, check_lists, facts_of, items_in, kind_of, parse
from .forms import FORMS, items_in_codes, stated_pairs
from .many_items import SparseOrders, borda_of
from .sets import LISTED, PartialOrders

RANKS = Form("ranks", "ranks, one column an item; the smallest is first, missing is unknown")
TABLES = {"ranks": RANKS, "codes": Form("codes", "Kendall codes 1, -1 and 0, one column a pair of items")}
MAX_STEPS = 12  # of the linear programs over orders of more than 16 items, unless there is a time limit
KENDALL_ITEMS = 128  # up to here Kendall's loss by default: 8,128 pairs; time and memory grow with the square
LOSSES = ("auto", "kendall", "spearman")
CHEAP_ITEMS = 11  # up to here, dynamic programming takes no longer than local search
CHEAP_ROUNDS = 10
CELLS = Form("cells", "orders, one entry per row")
CELLS_WITH_LISTS = Form("cells", "orders, one entry per row; lists of numbers are items, best first", lists=True)


if TYPE_CHECKING:
    from .questions import RankingQuestions


class Rankings(RankingCells, OutputSpace):
    """The rankings of m items, with Kendall's loss.

    l(z, y) = P - <code(z), code(y)> is twice the number of discordant pairs, where P is the number of pairs.

    psi(z) = (-code(z), 1), phi(y) = (code(y), P), with P = m(m-1)/2 and the codes of :mod:`.codes`. An output
    z lists the items, best first. Spearman's loss is twice the sum of squared differences between the places of an
    item in z and y. It replaces the codes by their sums over the pairs of each item, m numbers.

    Parameters
    ----------
    items : int or list, optional
        How many items, or the items themselves, of any hashable kind; by default those that y names.
    time_limit : float, optional
        Seconds for one minimisation over orders of more than 14 items; the best order so far is then returned, and
        `bound` gives a lower bound of the minimum.
    contradictions : {"error", "majority", "weigh"}, default "error"
        What happens to rows that contradict themselves, such as a > b > c > a; see :class:`PartialOrders`.
    loss : {"auto", "kendall", "spearman"}, default "auto"
        "auto" is Kendall's loss up to 128 items and Spearman's beyond, where the codes of pairs need much memory.

    Examples
    --------
    >>> space = Rankings().fit(["a>b>c", [("c", "a")]])
    >>> space.read(["a>b>c", [("c", "a")], ["b"]]).codes
    array([[ 1,  1,  1],
           [ 0, -1,  0],
           [-1,  0,  1]], dtype=int8)
    """

    kind = "ranking"
    _is_cheap = False

    def __init__(
        self, items: Any = None, time_limit: float | None = None, contradictions: str = "error", loss: str = "auto"
    ):
        self.loss = loss
        self.items = items
        self.time_limit = time_limit
        self.contradictions = contradictions

    def summarise(self, y: Any) -> Facts:
        """Return the items of y, and what decides on its format."""
        if isinstance(y, PartialOrders):
            sample = Sample(len(y))
            return (
                Facts(len(y), frames={tuple(y.items.tolist()): sample})
                if y.named
                else Facts(len(y), sets={y.m: sample})
            )
        return Facts() if y is None and self.items is not None else facts_of(y)

    def merge(self, a: Facts, b: Facts) -> Facts:
        return a + b

    def fit_summary(self, summary: Facts) -> Self:
        check_number(self, "time_limit", 0, infinite=True, optional=True)
        check_rule(self.contradictions)
        if not isinstance(self.loss, str) or self.loss not in LOSSES:
            raise ValueError(f"loss must be 'auto', 'kendall' or 'spearman'. Got {self.loss!r} instead.")
        declared = None if self.items is None else Names(numbered(self.items, "items"), "items")
        if len(summary.arrays) > 1:
            raise InputError(
                f"Tables of ranks or codes must all have the same number of columns. Got {sorted(summary.arrays)}."
            )
        width = next(iter(summary.arrays), None)
        m = None if declared is None else len(declared)
        form = CELLS if width is None else TABLES[kind_of(width, m, summary)]
        check_lists(summary, declared)
        if summary.frames and width is None:
            form = Form("ranks", f"{RANKS.description}, columns by name", next(iter(summary.frames)))
        elif summary.numbers and width is None:
            form = CELLS_WITH_LISTS
        items = Names(self._named(summary, width, form), "items") if declared is None else declared
        if not len(items):
            summary.raise_unread(FORMS)
            raise InputError("y contains no items. Pass items=[…].")
        self.form_, self._names, self.items_ = form, items, items.array
        self.size = math.factorial(len(items)) if len(items) <= LISTED else math.inf
        self.is_spearman_ = self.loss == "spearman" or (self.loss == "auto" and len(items) > KENDALL_ITEMS)
        return self

    @staticmethod
    def _named(facts: Facts, width: int | None, form: Form) -> list:
        """Return the items of y, if they are not declared."""
        first = next(iter(facts.frames), None)
        for other in facts.frames:
            if set(map(key, other)) != set(map(key, first or ())):
                raise InputError(f"All rows of y must have the same items. Got {listed(first or ())}; {listed(other)}.")
        if first is not None:
            return list(first)
        numbers = set(facts.sets)
        if width is not None:
            numbers.add((items_in_codes(width) or 0) if form.kind == "codes" else width)
        if len(numbers) > 1:
            raise InputError(f"All rows of y must rank the same number of items. Got {sorted(numbers)}.")
        return list(range(numbers.pop())) if numbers else ordered(items_in(facts))

    def read(self, y: Any, strict: bool = True) -> PartialOrders:
        if isinstance(y, PartialOrders):
            return self._stored(self._same_items(y))
        found = parse(y)
        if isinstance(found, Column):
            if not self.form_.lists and all_lists_of_numbers(found):
                check_lists(facts_of(y), self._names)
            if self.is_spearman_:
                return SparseOrders.from_cells(found, self._names, strict, self.contradictions)
            return PartialOrders.from_counts(stated_pairs(found, self._names, strict), self.items_, self.contradictions)
        kind_of_sets = SparseOrders if self.is_spearman_ else PartialOrders
        if found.names is not None:
            return kind_of_sets.from_ranks(found.arranged(self._names, "items").values, self.items_)
        width, m = found.missing.shape[1], len(self._names)
        if width == m == items_in_codes(width) and self.form_.kind in TABLES:
            kind = self.form_.kind
        else:
            kind = kind_of(width, m, facts_of(y))
        if kind == "codes":
            return self._stored(PartialOrders(found.values, self.items_, self.contradictions))
        return kind_of_sets.from_ranks(found.values, self.items_)

    def _stored(self, sets: PartialOrders) -> PartialOrders:
        """Return sets with the embedding of the loss."""
        if self.is_spearman_ == isinstance(sets, SparseOrders):
            return sets
        return SparseOrders.of(sets) if self.is_spearman_ else PartialOrders.of(sets)

    def _same_items(self, y: PartialOrders) -> PartialOrders:
        """Return partial orders with their items in the order of the space, by name if they have names."""
        m = len(self._names)
        if y.m != m:
            raise InputError(f"The sets rank {y.m} items. Expected {m}: {listed(self._names.list)}.")
        if not y.named:
            return y.renamed(self.items_)
        given = Names(y.items, "items")
        absent = [name for name in self._names.list if name not in given]
        if absent:
            extra = [name for name in given.list if name not in self._names]
            raise InputError(
                f"The items of the sets must be {listed(self._names.list)}. Missing: {listed(absent)}."
                f" Unknown: {listed(extra)}."
            )
        return y.arranged([given.where[key(name)] for name in self._names.list])

    def check(self, parts: Iterable[Sets]) -> None:
        """Warn if all rows are unlabelled, and if items look like variants of others."""
        n, labelled, counts = 0, len(self.items_) < 2, np.zeros(len(self.items_), dtype=int)
        counted = self.items is None and self.form_.kind == "cells"
        for sets in parts:
            if not isinstance(sets, PartialOrders):
                return
            n += len(sets)
            labelled = labelled or bool(sets.n_known.any())
            if counted:
                counts += n_rows_comparing(sets)
            if labelled and (n >= COUNTED or not counted):
                break
        if counted:
            warn_of_look_alikes(self, self.items_, counts)
        if n and not labelled:
            warnings.warn(
                "No row of y contains a comparison of two items, so every order is possible and an arbitrary one is"
                " predicted.",
                InfimumWarning,
                stacklevel=4,
            )

    def questions(self) -> RankingQuestions:
        from .questions import RankingQuestions

        return RankingQuestions(self)

    def summary(self, sets: Any) -> Summary:
        return summary_of(sets)

    def psi(self, z: Any) -> NDArray:
        codes = borda_of(z) if self.is_spearman_ else codes_of(z)
        return np.concatenate([-codes, np.ones((*codes.shape[:-1], 1))], axis=-1)

    def minimise(self, c: NDArray) -> Decoded:
        """Find a minimum feedback arc set for each distinct objective, with its certificate, or sort (Spearman)."""
        if self.is_spearman_:
            z = np.argsort(-c[:, :-1], axis=-1, kind="stable")
            value = np.einsum("nd,nd->n", self.psi(z), c)
            return Decoded(z, value, value)
        # <psi(z), c> pays -c_ij where i comes before j, c_ij where after, and the last coordinate whatever z
        first: dict[bytes, int] = {}
        which = np.array([first.setdefault(row.tobytes(), len(first)) for row in c[:, :-1]], dtype=int)
        rows = np.unique(which, return_index=True)[1]
        steps = MAX_STEPS if self.time_limit is None else None
        found = minimum_feedback_arcs(costs_of(-c[rows, :-1]), time_limit=self.time_limit, max_steps=steps)
        constant = c[:, -1]
        return Decoded(found.order[which], found.value[which] + constant, found.bound[which] + constant)

    def decode(self, c: NDArray) -> NDArray:
        if self._is_cheap and len(self.items_) > CHEAP_ITEMS and not self.is_spearman_:
            from ...feedback_arc.local_search import local_orders

            return local_orders(costs_of(-c[:, :-1]), CHEAP_ROUNDS)
        return self.minimise(c).z

    def cheap(self) -> Rankings:
        found = copy(self)
        found._is_cheap = True
        return found

    def compared_losses(self, sets: Any, z: NDArray) -> NDArray:
        """Return the share of the known pairs that z has wrong, which `score` counts as well.

        The infimum loss also counts the items between two items that are exchanged. These are not compared, and add
        noise.
        """
        return 1 - sets.agreement(z)

    def reduced(self, phi: Any) -> NDArray:
        """Return the sums of the codes of each item: m columns instead of m(m-1)/2."""
        return phi[:, :-1] if self.is_spearman_ else mean_codes(phi[:, :-1], len(self.items_))

    def pair_sums(self, c: NDArray) -> NDArray:
        """Return P(i before j) - P(j before i) of each pair from weighted sums of phi, (q, d) -> (q, P)."""
        i, j = pairs(len(self.items_))
        return (c[:, i] - c[:, j]) / max(len(self.items_), 1) if self.is_spearman_ else c[:, :-1]

    def decode_pairs(self, F: NDArray) -> NDArray:
        """Return the order of each row of P(i before j) - P(j before i), (n, P) -> (n, m)."""
        sums = mean_codes(F, len(self.items_)) if self.is_spearman_ else F
        return self.decode(np.column_stack([sums, np.zeros(len(F))]))

    def bound(self, c: NDArray) -> NDArray:
        return self.minimise(c).bound

    def lower_bound(self, L: Any, alpha: NDArray, z: NDArray) -> NDArray:
        """Return a lower bound of the objective of all orders, (q,).

        Every L(., S_i) is replaced by a linear function that alpha_i times keeps below it, and the sum is minimised.
        The bracket of the sets bounds the infimum from below and the supremum from above; on the other sides the loss
        of any one member of S_i does, and the members that answer at z make it tight there.
        """
        loose = np.zeros_like(alpha)
        c, end = np.zeros_like(self.psi(z)), 0
        constant = np.zeros(len(z))
        for term in L.terms:
            rows = slice(end, end := end + len(term))
            below = term.principle.sign == 1
            linear, bracket = term.embedding, term.sets.bracket()
            if linear is None:
                if bracket is None:
                    return super().lower_bound(L, alpha, z)
                linear = bracket[0 if below else 1]
                loose[:, rows] = np.minimum(alpha[:, rows], 0) if below else np.maximum(alpha[:, rows], 0)
            tight = alpha[:, rows] - loose[:, rows]
            c += tight @ linear.phi
            constant += tight @ linear.constant
        if loose.any():
            unique, which = np.unique(z, axis=0, return_inverse=True)
            for k, order in enumerate(unique):
                rows_k = np.flatnonzero(which.ravel() == k)
                c[rows_k] += loose[rows_k] @ L.attaining(self.psi(order[None]))[0]
        return self.bound(c) + constant

    def outputs(self) -> NDArray:
        if self.size == math.inf:
            return super().outputs()
        from .tables import all_orders

        return all_orders(len(self.items_)).astype(np.int64)

    def readable(self, z: NDArray) -> NDArray:
        """Return items, best first, as objects or text: an array of numbers would be parsed as ranks or codes."""
        items = self.items_ if self.items_.dtype.kind == "U" else self.items_.astype(object)
        return items[z]

    def neighbours(self, z: NDArray) -> NDArray:
        """Return the orders with two adjacent items exchanged."""
        out = np.repeat(np.asarray(z)[None], len(z) - 1, axis=0)
        for k in range(len(z) - 1):
            out[k, [k, k + 1]] = out[k, [k + 1, k]]
        return out

    def format(self, z: NDArray) -> list[str]:
        return [" > ".join(map(str, row)) for row in self.readable(z)]

    def choices(self, sets: Any) -> Choices:
        return choices_of(sets, self.items_)

    def conformal_scores(self) -> dict[str, Any]:
        from .conformal import Kendall, Pairs

        return {score.name: score for score in (Pairs, Kendall)}
