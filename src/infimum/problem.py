"""Problem: what a fit is about, carried from part to part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .loss import Loss, SetLoss
from .outputs.base import OutputSpace, Sets
from .rows import Rows
from .weights.base import Target, Weights

if TYPE_CHECKING:
    from .reductions.disambiguation import Resolved


@dataclass(frozen=True)
class Problem:
    """min over z of sum_i alpha_i(x) L(z, S_i).

    A reduction maps a problem to a plainer one; what is left is solved as it stands.
    """

    rows: Rows
    """Inputs and sample weights."""
    loss: Loss
    """L(z, S_i): the space, the sets and the principle."""
    weights: Weights
    """The family of alpha; fitted, where a reduction needed it."""
    target: Target
    """What weights that look at outputs learn from, and are judged by."""
    resolved: Resolved | None = None
    """What became of the sets, where a reduction has put points in their place."""

    @property
    def output(self) -> OutputSpace:
        return self.loss.output

    @property
    def sets(self) -> Sets:
        """The sets of the rows, once each."""
        return self.loss.terms[0].sets

    def checked(self) -> Problem:
        """Itself, or an error where the weights cannot be had of such rows."""
        if not self.rows.in_memory and not self.weights.blockwise:
            raise ValueError(
                "Rows in blocks need weights.Nystrom or weights.LinearRidge, and negative_weights='inside'. Got"
                f" {self.weights!r}."
            )
        return self

    def fitted(self) -> Weights:
        """The weights, fitted to the rows."""
        return self.checked().weights.fit(self.rows.X, self.target, self.rows.w)

    def but(self, **changes: Any) -> Problem:
        """This problem with some of its parts replaced."""
        return replace(self, **changes)


def target_of(loss: SetLoss) -> Any:
    """phi(S_i) where L is linear in psi(z), otherwise where alternation starts, (n, d)."""
    return loss.sets.start() if loss.embedding is None else loss.embedding.phi
