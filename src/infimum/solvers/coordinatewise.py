"""The solver for losses that are sums over coordinates or over several outputs: one solver per part."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..loss import Loss, SetLoss
from ..weights.base import Weights
from .base import Minimum, Solver
from .closed_form import ClosedForm


class Coordinatewise(Solver):
    """Minimiser of losses that are sums over coordinates, or over the outputs of a `Product`.

    The minimum of a sum over parts is the sum of their minima, for every principle and for weights of any sign. Each
    part has the first solver of `solvers.IN_ORDER` that supports its loss. For `Boxes` this is `Piecewise`: the squared
    distance of z to a box, and to its farthest corner, is a sum over coordinates of piecewise quadratic functions. The
    minimum is exact if the solver of each part is; `minimise` returns the sum of their bounds.

    Examples
    --------
    >>> from infimum import Boxes, SetLoss
    >>> from infimum.outputs import Vectors
    >>> y = Boxes([[0., 0.], [3., 1.]], [[1., 2.], [4., 5.]])
    >>> space = Vectors().fit(y)
    >>> Coordinatewise().fit(SetLoss(space, space.read(y))).minimise(np.array([[.5, .5]]))
    Minimum(z=array([[2. , 1.5]]), value=array([1.]), bound=array([1.]))
    """

    exact = True

    def accepts(self, L: Loss) -> bool:
        built_in = all(term.principle.sign is not None for term in L.terms)  # others need not be sums over coordinates
        return built_in and L.output.coordinates() is not None and _parts(L) is not None

    def needs(self) -> str:
        return "a loss that is a sum over coordinates, or over several outputs"

    def fit(self, L: Loss, weights: Weights | None = None) -> Self:
        from . import choose

        found = _parts(L)
        assert found is not None
        self.each_ = [choose("auto", loss) for loss in found]
        for one, loss in zip(self.each_, found):
            one.fit(loss, weights if one.needs_sums_only else None)  # the others share one matrix of weights
        self.exact = all(one.exact for one in self.each_)
        self.widths_ = [int(loss.terms[0].sets[:1].start().shape[1]) for loss in found]
        factors = L.output.coordinate_weights()
        self.factors_ = np.ones(len(found)) if factors is None else factors
        return self

    @property
    def width(self) -> int:
        return self.each_[0].width + 3 * len(self.each_)

    def minimise(self, alpha: Any) -> Minimum:
        found = [one.minimise(weights) for one, weights in self._weights_of(alpha)]
        value, bound = (self.factors_ @ [getattr(one, name) for one in found] for name in ("value", "bound"))
        return Minimum(np.column_stack([one.z for one in found]), value, bound)

    def argmin(self, alpha: Any) -> NDArray:
        return np.column_stack([one.argmin(weights) for one, weights in self._weights_of(alpha)])

    def sums(self, alpha: Any) -> NDArray:
        """Return sum_i alpha_i(x) phi(S_i), (q, d), with NaN for parts whose loss is not linear in psi."""
        alpha = self._alpha(alpha)
        return np.column_stack([
            factor * one.sums(alpha) if isinstance(one, ClosedForm) else np.full((len(alpha), width), np.nan)
            for one, factor, width in zip(self.each_, self.factors_, self.widths_)
        ])  # fmt: skip

    def _weights_of(self, alpha: Any) -> list[tuple[Solver, Any]]:
        """Return the solver of each part with its weights; the matrix of weights is formed at most once."""
        alpha = self._alpha(alpha)
        linear = [one.needs_sums_only for one in self.each_]
        matrix = None if all(linear) else np.asarray(alpha)
        return [(one, alpha if sums else matrix) for one, sums in zip(self.each_, linear)]


def _parts(L: Loss) -> list[Loss] | None:
    """Return the losses of the parts; None if some sets have no parts."""
    spaces = L.output.coordinates() or []
    each = [(term.sets.coordinates(), term.principle) for term in L.terms]
    if any(sets is None for sets, _ in each):
        return None
    found: list[Loss] = []
    for k, space in enumerate(spaces):
        losses = [SetLoss(space, space.read(sets[k], strict=False), principle) for sets, principle in each if sets]
        found.append(losses[0] if len(losses) == 1 else Loss(losses))
    return found
