"""Solvers, which minimise the weighted set loss over outputs; ``solver="auto"`` takes the first that fits."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from ..loss import Loss
from .alternate import Alternate
from .base import Minimum, Solver
from .closed_form import ClosedForm
from .coordinatewise import Coordinatewise
from .enumerate import Enumerate
from .order_search import OrderSearch
from .piecewise import Piecewise

__all__ = [
    "Alternate", "ClosedForm", "Coordinatewise", "Enumerate", "Minimum", "OrderSearch", "Piecewise", "Solver",
    "check", "choose",
]  # fmt: skip

IN_ORDER: list[type[Solver]] = [ClosedForm, Piecewise, Coordinatewise, Enumerate, OrderSearch, Alternate]


def check(solver: Any) -> None:
    """Raise an error unless `solver` is "auto" or a solver."""
    if not isinstance(solver, Solver) and not (isinstance(solver, str) and solver == "auto"):
        names = ", ".join(cls.__name__ for cls in IN_ORDER)
        raise ValueError(f"solver must be 'auto' or a Solver ({names}). Got {solver!r} instead.")


def choose(solver: Any, L: Loss) -> Solver:
    """Return an unfitted solver for a loss.

    Parameters
    ----------
    solver : 'auto' or Solver
        A solver, which must support the loss, or "auto" for the first of `IN_ORDER` that does.
    L : Loss
        The loss that is minimised.

    Returns
    -------
    Solver
    """
    check(solver)
    if isinstance(solver, str):
        able = next((cls for cls in IN_ORDER if cls().suits(L)), None)
        if able is None:
            raise ValueError(f"No solver can minimise the {L!r}: {_needs(L)}")
        return able()
    if not solver.accepts(L):
        raise ValueError(
            f"{type(solver).__name__} cannot minimise the {L!r}: it needs {solver.needs()}. Solvers that can:"
            f" {', '.join(cls.__name__ for cls in IN_ORDER if cls().accepts(L)) or 'none'}."
        )
    return clone(solver)


def _needs(L: Loss) -> str:
    wanted = "; ".join(f"{cls.__name__} needs {cls().needs()}" for cls in IN_ORDER)
    return f"{wanted}.{'' if L.in_memory else ' Fit on arrays instead of chunks.'}"
