"""The conformal score of an output type that has no score of its own: the loss."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import OutputSpace, Sets, rows_of
from .score import Score, upto


class LossBalls(Sets):
    """Outputs of small loss around predicted outputs.

    S_i is the union over k centres of {y : l(center_ik, y) <= radius_ik}.

    The prediction sets of :class:`LossScore`. They answer whether they contain an output or meet another set; they do
    not list members, so they cannot be the y of another fit.

    Parameters
    ----------
    space : OutputSpace
        The output space with its loss, fitted.
    centers : (n, k, ...)
        Outputs; k is 1, except for unions.
    radius : (n, k)
        The largest loss inside.

    Examples
    --------
    >>> from infimum.outputs import Labels
    >>> space = Labels("ordinal", ["low", "middle", "high"]).fit(["low"])
    >>> balls = LossBalls(space, np.array([[0]]), np.array([[1.0]]))
    >>> balls.contains(np.array([1])), balls.contains(np.array([2]))
    (array([ True]), array([False]))
    """

    size_unit = "loss"

    def __init__(self, space: OutputSpace, centers: NDArray, radius: NDArray):
        self.space, self.centers, self.radius = space, centers, radius
        self.shape = (len(radius),)

    def __len__(self) -> int:
        return len(self.radius)

    def __getitem__(self, rows: Any) -> LossBalls:
        index = rows_of(rows, len(self))
        return LossBalls(self.space, self.centers[index], self.radius[index])

    def argmin(self, c: NDArray) -> NDArray:
        raise ValueError(
            f"Sets of small loss do not list their members, so they cannot be learned from. Add conformal_scores() to"
            f" {type(self.space).__name__}, with a Score whose `within` returns sets of the output type."
        )

    def _any(self, sets: Sets, principle: str) -> NDArray:
        """Whether the set loss of some centre is within its radius, (n,)."""
        columns = range(self.radius.shape[1])
        inside = [
            set_losses(self.space, sets, self.centers[:, k], principle) <= upto(self.radius[:, k]) for k in columns
        ]
        return np.any(inside, axis=0)

    def contains(self, z: NDArray) -> NDArray:
        return self._any(self.space.read(self.space.readable(np.asarray(z))), "infimum")

    def meets(self, other: Sets) -> NDArray:
        return self._any(other, "infimum")

    def contains_set(self, other: Sets) -> NDArray:
        """Return whether one of the balls contains all of T_i, (n,) boolean."""
        return self._any(other, "supremum")

    @property
    def size(self) -> NDArray:
        """The largest radius."""
        return self.radius.max(axis=1)

    @property
    def is_exact(self) -> NDArray:
        return self.size == 0

    @property
    def is_unlabelled(self) -> NDArray:
        return np.asarray(np.isposinf(self.radius).any(axis=1))

    def join(self, other: Any) -> LossBalls:
        wide = max(self.radius.shape[1], other.radius.shape[1])
        parts = [part.repeated(wide) for part in (self, other)]
        centers, radius = (np.concatenate([getattr(p, name) for p in parts]) for name in ("centers", "radius"))
        return LossBalls(self.space, centers, radius)

    def repeated(self, k: int) -> LossBalls:
        """Return the same sets written with k centres, the last one repeated."""
        index = np.minimum(np.arange(k), self.radius.shape[1] - 1)
        return LossBalls(self.space, self.centers[:, index], self.radius[:, index])

    def format(self, row: int) -> str:
        names = self.space.format(self.centers[row])
        parts = dict.fromkeys(f"loss at most {r:.4g} from {name}" for r, name in zip(self.radius[row], names))
        return " or ".join(parts)

    def to_list(self) -> list:
        """Return each set as {"center": output, "loss": radius}, or as a list of them for a union."""
        rows = []
        for centers, radius in zip(self.centers, self.radius.tolist()):
            cells = self.space.outputs_to_cells(self.space.readable(centers))
            balls = [{"center": cell, "loss": r} for cell, r in zip(cells, radius)]
            rows.append(balls[0] if len(balls) == 1 else balls)
        return rows

    def __repr__(self) -> str:
        mean = self.size.mean() if len(self) else 0
        return f"<LossBalls in {type(self.space).__name__}: {len(self)} rows, mean radius {mean:.3g}>"


class LossScore(Score):
    """The loss of the prediction, for any output type.

    s(x, y) = l(f(x), y).

    Its smallest value over S is the infimum loss, its largest value the supremum loss. ``covers="truth"`` therefore
    requires sets that have a supremum loss.
    """

    name = "loss"

    def largest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        return set_losses(space, sets, forecast, "supremum")

    def smallest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        return set_losses(space, sets, forecast, "infimum")

    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> LossBalls:
        return LossBalls(space, forecast[:, None], radius[:, None])

    def union(self, parts: list) -> LossBalls:
        centers, radius = (np.concatenate([getattr(p, name) for p in parts], axis=1) for name in ("centers", "radius"))
        return LossBalls(parts[0].space, centers, radius)


def set_losses(space: OutputSpace, sets: Any, z: NDArray, principle: str) -> NDArray:
    """Return L(z_i, S_i), (n,); the supremum of an unbounded set is infinite."""
    out = np.full(len(sets), np.inf)
    rows = np.arange(len(sets)) if principle == "infimum" else np.flatnonzero(sets.is_bounded)
    if len(rows):
        out[rows] = sets[rows].rowwise_loss(space.psi(z[rows]), principle)
    return out
