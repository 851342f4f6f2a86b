"""What `identifiability` and `audit` share: reading the rows, the default weights, and results as text."""

from __future__ import annotations

from html import escape
from typing import Any

from sklearn.base import clone

from ..outputs import Labels, OutputSpace
from ..recipe import parse_weights
from ..selection import SearchConfig
from ..selection.candidates import default_weights as family_defaults
from ..weights import KernelRidge, Neighbors, Scaled, Weights

LAM = 1e-3  # regularisation of the default weights: small, because rows are compared with their neighbours


class Findings:
    """A result that is shown as lines of text."""

    def lines(self) -> list[str]:
        """Return the findings, one per line."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        first, *others = self.lines()
        return f"<p><b>{escape(first)}</b></p><ul>{''.join(f'<li>{escape(line)}</li>' for line in others)}</ul>"


def inputs_and_space(X: Any, output: OutputSpace | None) -> tuple[Any, OutputSpace]:
    """Return X as numbers and an unfitted copy of the output space, ``outputs.Labels()`` by default."""
    from ..estimators.base import validated
    from ..estimators.generic import PartialEstimator

    space = clone(Labels() if output is None else output)
    return validated(PartialEstimator(space), X, reset=True), space


def scaled_weights(weights: Any = None) -> Weights:
    """Return weights as they are given, a family by its name on standardised features, or the default weights."""
    if weights is None or weights == "auto":
        return default_weights()
    found = parse_weights(weights)
    return family_defaults(found, 0, SearchConfig()) if isinstance(found, str) else found


def default_weights() -> Scaled:
    """Return kernel ridge on standardised features."""
    return Scaled(KernelRidge(lam=LAM))


def nearest_rows(X: Any, k: int) -> Scaled:
    """Return the weights of the k nearest rows in standardised features, fitted to X."""
    return Scaled(Neighbors(k)).fit(X)
