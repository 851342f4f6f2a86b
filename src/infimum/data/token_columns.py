"""Columns of a table with one row per token: text is kept as words, numerals become numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .errors import InputError, is_missing, listed
from .numerals import parse_number


class TokenColumns(TransformerMixin, BaseEstimator):
    """Select the columns of a table of tokens, and read columns of numerals as numbers.

    Parameters
    ----------
    sequence : str
        The column of sequence ids.
    """

    def __init__(self, sequence: str):
        self.sequence = sequence

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn which columns there are and which of them contain numbers only."""
        self.feature_names_in_ = np.array([str(name) for name in X.columns], dtype=object)
        others = [name for name in X.columns if name != self.sequence]
        self.numbers_ = [name for name in others if _is_number(X[name].tolist())]
        return self

    def transform(self, X: Any) -> Any:
        """Return the columns of `fit` as a DataFrame."""
        check_is_fitted(self)
        missing = [name for name in self.feature_names_in_ if name not in X.columns]
        if missing:
            raise InputError(f"The table has no column {listed(missing)}, which the model was fitted on.")
        found = X[self.feature_names_in_.tolist()].copy()
        for name in self.numbers_:
            found[name] = np.array([np.nan if is_missing(v) else _number(v) for v in found[name].tolist()], dtype=float)
        return found

    def describe(self) -> list[str]:
        """Return one line per column: what it is."""
        kinds = {name: "number" for name in self.numbers_} | {self.sequence: "sequence ids"}
        return [f"{name}: {kinds.get(name, 'words')}" for name in self.feature_names_in_]


def _number(cell: Any) -> float:
    found = parse_number(cell) if isinstance(cell, str) else float(cell)
    return np.nan if found is None else found


def _is_number(cells: list) -> bool:
    known = [cell for cell in cells if not is_missing(cell)]
    return bool(known) and all(not isinstance(cell, str) or parse_number(cell) is not None for cell in known)
