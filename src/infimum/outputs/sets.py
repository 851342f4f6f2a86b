"""Sets: the sets S_1 … S_n of n rows, the interface that every kind of sets implements."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.errors import InputError, raise_for_rows

if TYPE_CHECKING:
    from ..evidence.answers import SourcedAnswers
    from .base import OutputSpace
    from .numbers.lines import IntervalUnions
    from .rankings.codes import Comparisons

ANYTHING = "anything"
"""How an unlabelled row is shown."""


class Embedding(NamedTuple):
    """The embedded sets of a loss that is linear in psi(z).

    L(z, S_i) = <psi(z), phi(S_i)> + constant_i.
    """

    phi: Any
    """(n, d), dense or sparse."""
    constant: NDArray
    """(n,)."""

    def columns(self) -> tuple:
        """Return phi and (constant, 1), the columns that a linear risk sums over the rows."""
        return self.phi, np.column_stack([self.constant, np.ones(len(self.constant))])


class Curves(NamedTuple):
    """Piecewise quadratic losses of a number z.

    h_i(t) = L(z, S_i) / unit^p with t = (z - origin) / unit; p = 2 for the squared loss, 1 for the absolute loss.
    h_i'(t) / 2 = curvature_i t + slope_i to the left of every breakpoint. At breakpoint `at[e]` of row `row[e]`,
    `bend[e]` is added to the curvature and h'/2 jumps by `kink[e]`.
    """

    curvature: NDArray
    slope: NDArray
    at: NDArray
    row: NDArray
    bend: NDArray
    kink: NDArray


class Sets(ABC):
    """The candidate sets of n rows, which cannot be changed.

    A subclass must define `__len__`, `__getitem__`, `argmin` and `contains`. An optional method returns None, or raises
    an error that names it, for a kind of sets that does not have it. The methods that describe sets use `options` if a
    subclass does not define them.
    """

    shape: tuple[int, ...]
    kind: ClassVar[str] = "output"
    """The `OutputSpace.kind` of these sets."""
    n_starts: int = 1
    """The default number of starts of alternation."""
    n_contradictory: int = 0  # rows that contradict themselves
    exact_argmin: bool = True  # whether `argmin` attains the minimum, otherwise "auto" does not try the infimum
    group_constraints: Any = None
    """Bounds on the shares of options in groups of rows, `GroupConstraints`, if there are any."""
    coordinate_weights: Any = None
    """The factor of the loss of each coordinate, (m,); None if all are 1."""
    in_memory: bool = True  # whether single rows can be read; otherwise only sums over chunks of rows

    # Required

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, rows: Any) -> Any:
        """Return rows by index, slice or mask, as Sets of the same kind."""

    @abstractmethod
    def argmin(self, c: NDArray) -> NDArray:
        """Return phi(y_i) for y_i = argmin over y in S_i of <c_i, phi(y)>: (..., n, d) -> (..., n, d)."""

    @abstractmethod
    def contains(self, z: NDArray) -> NDArray:
        """Return whether z_i is in S_i: (n, *z) -> (n,) boolean."""

    # Optional: losses

    def assign(self, c: NDArray) -> NDArray:
        """Return `argmin` for all rows together, (n, d) -> (n, d), so that `group_constraints` are satisfied."""
        return self.argmin(c)

    def argmin_shared(self, c: NDArray) -> NDArray:
        """Return the argmin of each row for k objectives that all rows share: (k, d) -> (k, n, d)."""
        return self.argmin(np.broadcast_to(c[:, None, :], (len(c), len(self), c.shape[1])))

    def center(self) -> NDArray:
        """Return the mean of phi over S_i, (n, d); raise an error if there is none."""
        raise ValueError(
            f"{type(self).__name__} have no center, which the average principle needs. Define center(), or use another"
            " principle."
        )

    def start(self) -> NDArray:
        """Return where alternation starts, (n, d); not always the center."""
        return self.center()

    def embed(self, principle: str) -> Embedding | None:
        """Return phi(S_i) if L(., S_i) is linear in psi, otherwise None."""
        if principle == "average":
            return Embedding(self.center(), np.zeros(len(self)))
        return None

    def loss(self, psi: NDArray, principle: str) -> NDArray:
        """Return L(z, S_i) for every z and i: (n_z, d) -> (n_z, n)."""
        embedding = self.embed(principle)
        if embedding is not None:
            return np.asarray((embedding.phi @ psi.T).T) + embedding.constant
        sign = -1.0 if principle == "supremum" else 1.0
        rows = [np.einsum("nd,d->n", self.argmin_shared(sign * p[None])[0], p) for p in psi]
        return np.array(rows).reshape(len(psi), len(self))

    def rowwise_loss(self, psi: NDArray, principle: str) -> NDArray:
        """Return L(z_i, S_i), output i on row i: (n, d) -> (n,)."""
        embedding = self.embed(principle)
        if embedding is not None:
            phi, constant = embedding
            own = phi.multiply(psi).sum(axis=1) if sparse.issparse(phi) else np.einsum("nd,nd->n", psi, phi)
            return np.asarray(own).ravel() + constant
        return np.einsum("nd,nd->n", psi, self.argmin(-psi if principle == "supremum" else psi))

    def table(self, psi: NDArray, principle: str) -> Any:
        """Return L(z, S_i) with one column for every z, (n, n_z), to be projected by weights."""
        return self.loss(psi, principle).T

    def bracket(self) -> tuple[Embedding, Embedding] | None:
        """Return losses that are linear in psi: one below every infimum loss, one above every supremum loss."""
        return None

    def curves(self, principle: str) -> Curves | None:
        """Return L(z, S_i) as piecewise quadratic functions of a number z, or None."""
        return None

    def coordinates(self) -> list[Sets] | None:
        """Return the sets of the coordinates, if S_i is a product of sets and the loss a sum over coordinates."""
        return None

    def relations(self) -> tuple[NDArray, sparse.csr_matrix] | None:
        """Return distinct partial orders (k, m, m), and the share of each in the loss of S_i, (n, k); or None."""
        return None

    def comparisons(self) -> Comparisons | None:
        """Return the comparisons of items that the sets state, or None."""
        return None

    # Optional: disambiguation

    def options(self) -> NDArray | None:
        """Return which options are possible, (n, g, c) boolean, if S_i is a product of g choices among c options."""
        return None

    def likelihood(self) -> NDArray | None:
        """Return how likely the label of row i is annotated as it is for each option, (n, g, c); None for plain sets.

        Soft labels have one. The largest likelihood of each choice is 1.
        """
        return None

    def single_choice(self) -> NDArray | None:
        """Return the likelihood of each label, (n, c), if each row has one of c labels; booleans for plain sets."""
        mask, soft = self.options(), self.likelihood()
        found = mask if soft is None else soft
        return None if found is None or found.shape[1] != 1 else found[:, 0]

    def answers_of_sources(self) -> SourcedAnswers | None:
        """Return the answers of several sources about each row, if there are several; otherwise None."""
        return None

    def expected(self, q: NDArray) -> NDArray:
        """Return the mean of phi under probabilities q (n, g, c) of the options, or scores (n, m) of items, (n, d)."""
        raise ValueError(f"{type(self).__name__} have no options that can have probabilities.")

    def option_of(self, z: NDArray) -> NDArray:
        """Return the option of every choice of z_i: (n, *z) -> (n, g)."""
        raise ValueError(f"{type(self).__name__} have no options that can have probabilities.")

    def lines(self) -> list[IntervalUnions] | None:
        """Return the m factors, if S_i is a product of m unions of intervals and phi(y) = (1, t_1, …, t_m, |t|²)."""
        return None

    def member(self, phi: NDArray, space: OutputSpace) -> NDArray:
        """Return y_i from phi(y_i), for members y_i of S_i: (n, d) -> (n, *z). By default, the output of loss 0."""
        return space.decode(phi)

    # Optional: set algebra

    def meets(self, other: Any) -> NDArray:
        """Return whether S_i and T_i share a member, (n,) boolean."""
        a, b = self._options_of_both(other, "meets")
        return np.asarray((a & b).any(axis=2).all(axis=1))

    def contains_set(self, other: Any) -> NDArray:
        """Return whether every member of T_i is in S_i, (n,) boolean."""
        a, b = self._options_of_both(other, "contains_set")
        return np.asarray(~(b & ~a).any(axis=(1, 2)))

    def _options_of_both(self, other: Any, method: str) -> tuple[NDArray, NDArray]:
        options = self.options()
        if options is None:
            raise ValueError(f"{type(self).__name__} cannot be compared with other sets. Define {method}(other).")
        self._check_comparable(other)
        return options, other.options()

    def _check_comparable(self, other: Any) -> None:
        """Raise an error unless the sets are of the same kind and about the same rows and outputs."""
        self._check_pair(other, type(self))

    def intersect(self, other: Any) -> Any:
        """Return S_i ∩ T_i, row by row; raise one error about all rows that have no member in common."""
        raise ValueError(f"{type(self).__name__} have no intersection with other sets. Define intersect(other).")

    def join(self, other: Any) -> Any:
        """Return the rows of both, one after the other."""
        raise ValueError(f"{type(self).__name__} cannot be joined with other sets. Define join(other).")

    def replace_rows(self, rows: Any, other: Sets) -> Any:
        """Return the sets with some rows replaced by those of `other`, in the order of `rows`."""
        order = np.arange(len(self))
        order[rows_of(rows, len(self))] = len(self) + np.arange(len(other))
        return self.join(other)[order]

    def _check_pair(self, other: Any, *kinds: type) -> None:
        """Raise an error unless `other` has as many rows and is of a kind that these sets can be compared with."""
        rows = len(other)
        if not isinstance(other, kinds):
            names = ", ".join(kind.__name__ for kind in kinds)
            raise InputError(
                f"{type(self).__name__} can be compared with {names}. Got {type(other).__name__}. Parse rows in other"
                " formats first: output.read(y)."
            )
        if len(self) != rows:
            raise InputError(f"Sets are compared row by row. Got {len(self)} rows and {rows} rows.")

    def _check_not_empty(self, other: Sets, empty: NDArray) -> None:
        """Raise an error about the rows, (n,) boolean, that have no member in common."""
        raise_for_rows(
            empty, lambda row: f"{{{self.format(row)}}} and {{{other.format(row)}}} have no member in common",
            "Each set must contain the true output, so one of the two is wrong.",
        )  # fmt: skip

    # Description

    size_unit: ClassVar[str] = "members"
    """What `size` counts."""

    @property
    def is_exact(self) -> NDArray:
        """Whether S_i has a single member, (n,) boolean.

        Without options, the members that are best and worst for a random objective are compared. They differ almost
        surely unless the embedding of S_i is a single point. False if the sets have no `start`.
        """
        options = self.options()
        if options is not None:
            return np.asarray((options.sum(axis=2) == 1).all(axis=1))
        try:
            start = self.start()
        except ValueError:
            return np.zeros(len(self), dtype=bool)
        c = np.broadcast_to(np.random.default_rng(0).standard_normal(start.shape[1]), start.shape)
        return np.isclose(self.argmin(c), self.argmin(-c), rtol=1e-9, atol=1e-12).all(axis=1)

    @property
    def is_unlabelled(self) -> NDArray:
        """Whether S_i contains every output, (n,) boolean; False if the kind of sets cannot tell."""
        options = self.options()
        return np.zeros(len(self), dtype=bool) if options is None else np.asarray(options.all(axis=(1, 2)))

    @property
    def is_bounded(self) -> NDArray:
        """Whether S_i is bounded, (n,) boolean."""
        return np.ones(len(self), dtype=bool)

    @property
    def size(self) -> NDArray:
        """How large S_i is, in `size_unit`, (n,) float; NaN if the kind of sets cannot tell."""
        options = self.options()
        return np.full(len(self), math.nan) if options is None else np.prod(options.sum(axis=2), axis=1, dtype=float)

    def bits(self) -> NDArray:
        """Return the information in S_i: log2 of the number of outputs over the number of members, (n,).

        NaN if the kind of sets cannot tell. Of a real number, at most ten bits are counted per coordinate.
        """
        options, gone = self.options(), np.full(len(self), math.nan)
        return gone if options is None else np.log2(options.shape[2] / np.maximum(options.sum(axis=2), 1)).sum(axis=1)

    def agreement(self, z: NDArray) -> NDArray:
        """Return how well z_i agrees with S_i, in [0, 1]; 1 if it is in S_i."""
        return self.contains(z).astype(float)

    def format(self, row: int) -> str:
        """Return S_i as text; by default the name of the class, if it has no representation of its own."""
        return type(self).__name__ if type(self).__repr__ is object.__repr__ else repr(self[[row]])

    def to_list(self) -> list:
        """Return each set as a Python object that can be written as JSON; by default the rows of its array."""
        if not hasattr(self, "__array__"):
            raise ValueError(
                f"{type(self).__name__} cannot be written as cells. Define to_list() or __array__ in this class, or"
                " to_cells(sets) in the output space."
            )
        return np.asarray(self).tolist()

    def __iter__(self) -> Iterator[Self]:
        return (self[i : i + 1] for i in range(len(self)))


class Points(Sets):
    """One embedded point phi(y_i) per row, or the mean of several; disambiguation replaces the sets by them.

    Parameters
    ----------
    phi : (n, d)
        The embedded points.

    Examples
    --------
    >>> Points(np.array([[0., 1.], [1., 0.]])).loss(np.array([[2., 3.]]), "infimum")
    array([[3., 2.]])
    """

    def __init__(self, phi: NDArray):
        self.phi = phi
        self.shape = (len(phi),)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Points:
        return Points(self.phi[rows_of(rows, len(self))])

    def argmin(self, c: NDArray) -> NDArray:
        return np.broadcast_to(self.phi, c.shape)

    def contains(self, z: NDArray) -> NDArray:
        raise ValueError("Points have no members, only an embedding. Use the sets that they were made from.")

    def center(self) -> NDArray:
        return self.phi

    def embed(self, principle: str) -> Embedding:
        return Embedding(self.phi, np.zeros(len(self)))

    def __repr__(self) -> str:
        return f"<Points: {len(self)} rows>"


def rows_of(rows: Any, n: int) -> Any:
    """Return an index that keeps the row axis: a slice, or an integer array from an integer, list or mask."""
    if isinstance(rows, tuple):  # scikit-learn writes y[rows, ...]
        rows = rows[0]
    if isinstance(rows, slice):
        return rows
    index = np.asarray(rows)
    if index.dtype == bool:
        if index.shape != (n,):
            raise IndexError(f"A mask over {n} sets must have shape ({n},). Got {index.shape}.")
        return np.flatnonzero(index)
    return np.atleast_1d(index).astype(int)


def same_names(a: Any, b: Any, what: str) -> None:
    """Raise an error unless the names of both are the same in the same order, if both have names."""
    if a is None or b is None:
        return
    if np.asarray(a).tolist() != np.asarray(b).tolist():
        raise InputError(
            f"The sets must be over the same {what}. Got {list(a)[:10]} and {list(b)[:10]}. Parse both by the same"
            " output space: output.read(y)."
        )
