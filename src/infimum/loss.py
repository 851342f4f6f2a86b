"""L(z, S): a space, its sets, and the principle that says which point of S answers for S."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .outputs.base import PRINCIPLES, Embedding, OutputSpace, Sets

OPPOSITE = {"infimum": "supremum", "average": "average", "supremum": "infimum"}


class Loss(ABC):
    """z -> L(z, S_i) for every row i: what solvers minimise weighted sums of.

    Shapes, once for all: n_z outputs, n rows, d embedding.
    """

    output: OutputSpace
    principle: str

    @property
    @abstractmethod
    def terms(self) -> Sequence[SetLoss]:
        """The losses over sets that this one is stacked from, in the order of its rows."""

    @abstractmethod
    def __getitem__(self, rows: Any) -> Loss:
        """The loss over some of the rows of every term."""

    def __len__(self) -> int:
        return sum(len(term.sets) for term in self.terms)

    @property
    def in_memory(self) -> bool:
        """Whether single rows can be asked; otherwise only sums over blocks of rows are formed."""
        return all(term.sets.in_memory for term in self.terms)

    def __call__(self, z: NDArray) -> NDArray:
        """L(z, S_i), (n_z, n)."""
        psi = self.output.psi(z)
        return np.hstack([term.sets.loss(psi, term.principle) for term in self.terms])

    def answer(self, psi: NDArray) -> NDArray:
        """phi(y_i) for the y_i of S_i that answers for S_i at z: (n_z, d) -> (n_z, n, d)."""
        return np.concatenate([term.of_sets(psi) for term in self.terms], axis=1)

    def start(self) -> NDArray:
        """Where alternation starts, (n, d)."""
        return np.concatenate([t.sets.center() if t.principle == "average" else t.sets.start() for t in self.terms])

    @cached_property
    def embedding(self) -> Embedding | None:
        """phi(S_i), where L is linear in psi(z)."""
        parts = [term.sets.embed(term.principle) for term in self.terms]
        found = [part for part in parts if part is not None]
        if len(found) < len(parts):
            return None
        if len(found) == 1:
            return found[0]
        phis = [part.phi for part in found]
        stacked = sparse.vstack(phis, format="csr") if any(map(sparse.issparse, phis)) else np.vstack(phis)
        return Embedding(stacked, np.concatenate([part.constant for part in found]))

    def table(self, z: NDArray) -> Any:
        """L(z, S_i) with a column for every z, (n, n_z), to be folded into weights."""
        psi = self.output.psi(z)
        tables = [term.sets.table(psi, term.principle) for term in self.terms]
        return tables[0] if len(tables) == 1 else np.vstack(tables)

    @property
    def n_starts(self) -> int:
        """How often alternation starts, unless it is told."""
        return max(term.sets.n_starts for term in self.terms)


class SetLoss(Loss):
    """L(z, S_i) = inf, mean or sup over y in S_i of <psi(z), phi(y)>.

    Parameters
    ----------
    output : OutputSpace
        Y with its loss.
    sets : Sets
        S_1, …, S_n.
    principle : str
        Which point of a set answers for it.

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

    def __init__(self, output: OutputSpace, sets: Sets, principle: str = "infimum"):
        if principle not in PRINCIPLES:
            raise ValueError(f"principle must be one of {', '.join(map(repr, PRINCIPLES))}. Got {principle!r} instead.")
        self.output = output
        self.sets = sets
        self.principle = principle

    @property
    def terms(self) -> Sequence[SetLoss]:
        return (self,)

    def __getitem__(self, rows: Any) -> SetLoss:
        return SetLoss(self.output, self.sets[rows], self.principle)

    def rowwise_loss(self, z: NDArray) -> NDArray:
        """L(z_i, S_i), of output i on row i, (n,)."""
        return self.sets.rowwise_loss(self.output.psi(z), self.principle)

    def of_sets(self, psi: NDArray) -> NDArray:
        """The point of S that suits z best, or worst, or its center, whatever z: (n_z, d) -> (n_z, n, d)."""
        if self.principle == "average":
            center = self.sets.center()
            return np.broadcast_to(center, (len(psi), *center.shape))
        return self.sets.answers(-psi if self.principle == "supremum" else psi)

    def target(self) -> Any:
        """phi(S_i) if L is linear in psi(z), otherwise the start of the alternation, (n, d)."""
        return self.sets.start() if self.embedding is None else self.embedding.phi

    def opposite(self) -> SetLoss:
        """The loss of the same sets where the best point becomes the worst."""
        return SetLoss(self.output, self.sets, OPPOSITE[self.principle])

    def __repr__(self) -> str:
        return f"<{self.principle} loss over {self.sets!r}>"


class Stack(Loss):
    """Several losses over one space, their rows one after the other.

    Parameters
    ----------
    losses : sequence of SetLoss
        One after the other.
    """

    def __init__(self, losses: Sequence[SetLoss]):
        self.losses = tuple(losses)
        self.output = self.losses[0].output
        self.principle = self.losses[0].principle

    @property
    def terms(self) -> Sequence[SetLoss]:
        return self.losses

    def __getitem__(self, rows: Any) -> Stack:
        return Stack([loss[rows] for loss in self.losses])

    def __repr__(self) -> str:
        return f"<{', then '.join(repr(loss)[1:-1] for loss in self.losses)}>"


def doubled(loss: SetLoss) -> Stack:
    """The loss, then its opposite.

    Parameters
    ----------
    loss : Loss
        Of n rows.

    Examples
    --------
    >>> from infimum.outputs import Labels
    >>> space = Labels().fit(["a", "b"])
    >>> doubled(SetLoss(space, space.read(["a", "a|b"])))(space.outputs())
    array([[0., 0., 0., 1.],
           [1., 0., 1., 1.]])
    """
    return Stack([loss, loss.opposite()])
