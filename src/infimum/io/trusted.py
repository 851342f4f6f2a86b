"""Types that a saved model of this library may contain, for loading it with skops. See docs/security."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from inspect import isclass

PARTS = (
    "conformal", "data", "disambiguation", "estimators", "evidence", "feedback_arc", "loss", "outputs", "recipe",
    "selection", "solvers", "weights",
)  # fmt: skip
"""Modules and packages whose classes occur in fitted models."""

OTHER_TYPES = (
    "datetime.date",
    "datetime.datetime",
    "builtins.range",
    "datetime.time",
    "datetime.timedelta",
    "datetime.timezone",
    "decimal.Decimal",
    "fractions.Fraction",
    "pandas.Interval",
    "pandas._libs.interval.Interval",  # before pandas 3
    "uuid.UUID",
    "scipy.sparse._csr.csr_array",
    "scipy.sparse._csr.csr_matrix",
    "scipy.sparse._csc.csc_array",
    "scipy.sparse._csc.csc_matrix",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.metrics._dist_metrics.ManhattanDistance64",
    "sklearn.metrics._dist_metrics.MinkowskiDistance64",
    "sklearn.neighbors._ball_tree.BallTree",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.tree._tree.Tree",
)
"""Types of Python, pandas, SciPy and scikit-learn that fitted models contain: names of classes, trees, matrices."""


def _own_types() -> Iterator[str]:
    """Yield the full name of every class that is defined in one of the parts."""
    for part in PARTS:
        top = import_module(f"infimum.{part}")
        found = pkgutil.walk_packages(top.__path__, f"{top.__name__}.") if hasattr(top, "__path__") else []
        for name in (top.__name__, *(info.name for info in found)):
            module = import_module(name)
            for value in vars(module).values():
                if isclass(value) and value.__module__ == name:
                    yield f"{name}.{value.__qualname__}"


TRUSTED_TYPES: list[str] = sorted({*_own_types(), *OTHER_TYPES})
"""Types that may occur in a saved model: those of this library, and a few others.

Loading one of them runs no code from the file. A model that contains your own types, such as a custom kernel or solver,
needs these types in addition to the list.

Examples
--------
>>> "infimum.weights.families.kernel_ridge.KernelRidge" in TRUSTED_TYPES
True
"""
