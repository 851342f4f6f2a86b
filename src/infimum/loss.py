"""The loss L(z, S) between an output and a candidate set, and the principles that define it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from .outputs.base import Curves, Embedding, OutputSpace, Sets


class Principle(BaseEstimator, ABC):
    """How a candidate set is turned into a loss.

    A principle of your own defines `name` and `loss`. All other members have a default, and each one that is defined
    makes more solvers available. Parameters go to the constructor, as for any estimator of scikit-learn.

    Notes
    -----
    Shapes: n_z outputs, n rows, d numbers in an embedding. `psi` is ``output.psi(z)``, (n_z, d).
    """

    name: str
    """The name in tables of results and in error messages."""

    sign: ClassVar[int | None] = None
    """1 if the loss is the minimum over the set, -1 the maximum, 0 the mean, and None otherwise."""

    alternates: ClassVar[bool] = False
    """Whether `attaining` is defined, which `solvers.Alternate` needs."""

    descends: ClassVar[bool] = False
    """Whether alternation never increases the objective when all weights are positive."""

    @abstractmethod
    def loss(self, sets: Sets, psi: NDArray) -> NDArray:
        """Return L(z, S_i) for each output and each row, (n_z, n)."""

    def rowwise_loss(self, sets: Sets, psi: NDArray) -> NDArray:
        """Return L(z_i, S_i) for one output per row, (n,)."""
        return np.array([self.loss(sets[i : i + 1], psi[i : i + 1])[0, 0] for i in range(len(sets))])

    def table(self, sets: Sets, psi: NDArray) -> Any:
        """Return L(z, S_i) with one column per output, (n, n_z)."""
        return self.loss(sets, psi).T

    def embed(self, sets: Sets) -> Embedding | None:
        """Return phi(S_i) if L is linear in psi(z), otherwise None."""
        return None

    def curves(self, sets: Sets) -> Curves | None:
        """Return L as piecewise quadratic functions of a real output, or None."""
        return None

    def attaining(self, sets: Sets, psi: NDArray) -> NDArray:
        """Return a point of the convex hull of S_i whose loss at z is L(z, S_i), (n_z, n, d)."""
        raise NotImplementedError(f"{type(self).__name__} does not define attaining.")

    def start(self, sets: Sets) -> NDArray:
        """Return the points from which alternation starts, (n, d)."""
        return sets.start()

    def opposite(self) -> Principle | None:
        """Return the principle for rows of negative weight if ``negative_weights="joint"``, or None if there is none.

        A negative weight turns a minimum into a maximum. A principle that does not depend on the sign returns itself.
        """
        return None

    def __str__(self) -> str:
        return self.name


class BuiltIn(Principle):
    """A principle for which every kind of sets has a closed form, selected by its name."""

    alternates = True

    def loss(self, sets: Sets, psi: NDArray) -> NDArray:
        return sets.loss(psi, self.name)

    def rowwise_loss(self, sets: Sets, psi: NDArray) -> NDArray:
        return sets.rowwise_loss(psi, self.name)

    def table(self, sets: Sets, psi: NDArray) -> Any:
        return sets.table(psi, self.name)

    def embed(self, sets: Sets) -> Embedding | None:
        return sets.embed(self.name)

    def curves(self, sets: Sets) -> Curves | None:
        return sets.curves(self.name)


class Infimum(BuiltIn):
    """The loss to the closest member of the set."""

    name = "infimum"
    sign = 1
    descends = True

    def attaining(self, sets: Sets, psi: NDArray) -> NDArray:
        return sets.argmin_shared(psi)

    def opposite(self) -> Principle:
        return Supremum()


class Average(BuiltIn):
    """The mean loss over the members of the set."""

    name = "average"
    sign = 0
    descends = True

    def attaining(self, sets: Sets, psi: NDArray) -> NDArray:
        center = sets.center()
        return np.broadcast_to(center, (len(psi), *center.shape))

    def start(self, sets: Sets) -> NDArray:
        return sets.center()

    def opposite(self) -> Principle:
        return self


class Supremum(BuiltIn):
    """The largest loss over the members of the set."""

    name = "supremum"
    sign = -1

    def attaining(self, sets: Sets, psi: NDArray) -> NDArray:
        return sets.argmin_shared(-psi)

    def opposite(self) -> Principle:
        return Infimum()


PRINCIPLES: dict[str, Principle] = {found.name: found for found in (Infimum(), Average(), Supremum())}


def as_principle(value: Any) -> Principle:
    """Return a principle from its name, or the principle itself.

    Parameters
    ----------
    value : {"infimum", "average", "supremum"} or Principle
        The name of a principle, or one of your own.

    Examples
    --------
    >>> as_principle("infimum")
    Infimum()
    """
    if isinstance(value, Principle):
        return value
    if isinstance(value, str) and value in PRINCIPLES:
        return PRINCIPLES[value]
    raise ValueError(f"principle must be one of {', '.join(map(repr, PRINCIPLES))}, or a Principle. Got {value!r}.")


class Loss:
    """The losses L(z, S_i) of all rows, of which solvers minimise weighted sums.

    Shapes: n_z outputs, n rows, d numbers in an embedding.

    Parameters
    ----------
    terms : sequence of SetLoss
        The losses over one output space that this one is stacked from, in the order of its rows.
    """

    def __init__(self, terms: Sequence[SetLoss]):
        self._terms = tuple(terms)
        self.output: OutputSpace = self._terms[0].output
        self.principle: Principle = self._terms[0].principle

    @property
    def terms(self) -> Sequence[SetLoss]:
        """The losses over sets that this one is stacked from, in the order of its rows."""
        return self._terms

    def __len__(self) -> int:
        return sum(len(term.sets) for term in self.terms)

    @property
    def in_memory(self) -> bool:
        """Whether single rows are available; otherwise only sums over chunks of rows are."""
        return all(term.sets.in_memory for term in self.terms)

    def __call__(self, z: NDArray) -> NDArray:
        """Return L(z, S_i) for each output and each row, (n_z, n)."""
        psi = self.output.psi(z)
        return np.hstack([term.principle.loss(term.sets, psi) for term in self.terms])

    def attaining(self, psi: NDArray) -> NDArray:
        """Return phi(y_i) for the y_i whose loss at z is L(z, S_i): (n_z, d) -> (n_z, n, d)."""
        return np.concatenate([term.principle.attaining(term.sets, psi) for term in self.terms], axis=1)

    def start(self) -> NDArray:
        """Return the points from which alternation starts, (n, d)."""
        return np.concatenate([term.principle.start(term.sets) for term in self.terms])

    @cached_property
    def embedding(self) -> Embedding | None:
        """phi(S_i) if L is linear in psi(z), otherwise None."""
        parts = [term.principle.embed(term.sets) for term in self.terms]
        found = [part for part in parts if part is not None]
        if len(found) < len(parts):
            return None
        if len(found) == 1:
            return found[0]
        phis = [part.phi for part in found]
        stacked = sparse.vstack(phis, format="csr") if any(map(sparse.issparse, phis)) else np.vstack(phis)
        return Embedding(stacked, np.concatenate([part.constant for part in found]))

    def table(self, z: NDArray) -> Any:
        """Return L(z, S_i) with one column per output, (n, n_z)."""
        psi = self.output.psi(z)
        tables = [term.principle.table(term.sets, psi) for term in self.terms]
        return tables[0] if len(tables) == 1 else np.vstack(tables)

    @property
    def n_starts(self) -> int:
        """The default number of starts of an alternation."""
        return max(term.sets.n_starts for term in self.terms)

    def __repr__(self) -> str:
        return f"<{', then '.join(repr(term)[1:-1] for term in self.terms)}>"


class SetLoss(Loss):
    """Loss between outputs and the candidate sets of n rows.

    L(z, S_i) is the infimum, mean or supremum over y in S_i of <psi(z), phi(y)>.

    Parameters
    ----------
    output : OutputSpace
        The output space with its loss.
    sets : Sets
        S_1, …, S_n.
    principle : {"infimum", "average", "supremum"} or Principle, default "infimum"
        How a set is turned into a loss.

    Examples
    --------
    >>> from infimum.outputs import Labels
    >>> space = Labels().fit(["a", "b", "c"])
    >>> L = SetLoss(space, space.read(["a|b", "c"]))
    >>> L(space.outputs())
    array([[0., 1.],
           [0., 1.],
           [1., 0.]])
    """

    def __init__(self, output: OutputSpace, sets: Sets, principle: Any = "infimum"):
        self.output = output
        self.sets = sets
        self.principle = as_principle(principle)

    @property
    def terms(self) -> Sequence[SetLoss]:
        return (self,)

    def rowwise_loss(self, z: NDArray) -> NDArray:
        """Return L(z_i, S_i) for one output per row, (n,)."""
        return self.principle.rowwise_loss(self.sets, self.output.psi(z))

    def target(self) -> Any:
        """Return what supervised weights learn from: the start of the alternation, such as the mean of candidates.

        A sum over candidates would give the rows with the widest sets the largest influence on splits.
        """
        return self.output.reduced(self.sets.start())

    def __repr__(self) -> str:
        return f"<{self.principle} loss over {self.sets!r}>"


def doubled(loss: SetLoss) -> Loss:
    """Return the loss for positive weights, followed by the opposite loss for negative weights.

    Parameters
    ----------
    loss : SetLoss
        The loss over n rows.

    Returns
    -------
    Loss
        The loss over 2 n rows.

    Examples
    --------
    >>> from infimum.outputs import Labels
    >>> space = Labels().fit(["a", "b"])
    >>> doubled(SetLoss(space, space.read(["a", "a|b"])))(space.outputs())
    array([[0., 0., 0., 1.],
           [1., 0., 1., 1.]])
    """
    opposite = loss.principle.opposite()
    if opposite is None:
        raise ValueError(
            f"{loss.principle!r} has no opposite, which negative_weights='joint' needs. Use"
            " negative_weights='inside', or define opposite()."
        )
    return Loss([loss, SetLoss(loss.output, loss.sets, opposite)])
