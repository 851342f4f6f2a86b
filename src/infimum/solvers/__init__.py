"""Solvers of argmin_z sum_i alpha_i(x) L(z, S_i), in the order in which `auto` tries them."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from .alternate import Alternate
from .base import Minimum, Solver
from .branch_and_bound import BranchAndBound
from .closed_form import ClosedForm
from .enumerate import Enumerate
from .piecewise import Piecewise

__all__ = ["Alternate", "BranchAndBound", "ClosedForm", "Enumerate", "Minimum", "Piecewise", "Solver", "choose"]

IN_ORDER: list[type[Solver]] = [ClosedForm, Piecewise, Enumerate, BranchAndBound, Alternate]


def choose(solver: Any, L: Any) -> Solver:
    """The solver itself if it can serve L, or the first of `IN_ORDER` that can, for "auto"."""
    if isinstance(solver, str) and solver == "auto":
        return next(s for s in (cls() for cls in IN_ORDER) if s.accepts(L))
    if not isinstance(solver, Solver):
        names = ", ".join(cls.__name__ for cls in IN_ORDER)
        raise ValueError(f"solver must be 'auto' or a Solver ({names}). Got {solver!r} instead.")
    if not solver.accepts(L):
        able = ", ".join(cls.__name__ for cls in IN_ORDER if cls().accepts(L))
        raise ValueError(
            f"{type(solver).__name__} cannot minimise the {L!r}: it needs {solver.needs()}. Solvers that can: {able}."
        )
    return clone(solver)
