"""Features: tables with numbers, text, categories, dates and gaps, as the numbers that estimators take."""

from __future__ import annotations

import math
from datetime import date, datetime
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .checks import check_number
from .errors import BadRows, is_missing
from .inputs import is_frame, shown

EPOCH = datetime(1970, 1, 1)
RELATIVE_RANK = 1e-3
"""Share of the largest singular value below which a direction of text is left out.

Repeated or empty cells give directions that are constant up to rounding on the training rows. Scaling such a direction
to unit variance moves new rows far away from all training rows.
"""


class Column:
    """One column: its name, what it holds, and what makes numbers of it.

    Parameters
    ----------
    name : str
        Of the column.
    kind : {"number", "date", "category", "text"}
        What it holds.
    width : int
        How many features it becomes.
    transformer : fitted transformer of scikit-learn, optional
        For text and categories.
    median : float
        What fills gaps in numbers and dates.
    """

    def __init__(self, name: str, kind: str, width: int, transformer: Any = None, median: float = 0.0):
        self.name, self.kind, self.width, self.transformer, self.median = name, kind, width, transformer, median

    def __repr__(self) -> str:
        return f"<{self.name}: {self.kind}, {self.width} feature{'s' if self.width != 1 else ''}>"


class Features(TransformerMixin, BaseEstimator):
    """The columns of a frame as numbers, each by what it holds.

    - numbers and booleans stay what they are; dates become days. A gap becomes the median, and a column says where
      gaps were;
    - text with few values becomes one column a value (a gap is a value of its own; new values are none of them);
    - other text becomes the leading directions of the TF-IDF of its pieces of 2 to 4 letters within words, which
      forgives spelling and endings.

    Text goes through scikit-learn's own transformers: nothing else is installed for it, and skops loads a saved model
    with the types that it trusts already. Columns are found by name, others are passed over.

    Parameters
    ----------
    max_categories : int, default 30
        Text with at most so many values, half as many as rows, is a category.
    text_features : int, default 50
        Directions at most for a column of text.
    random_state : int, default 0
        Of their computation.

    Attributes
    ----------
    columns_ : list of Column
    dropped_ : dict
        Columns that say nothing, and why.
    feature_names_in_ : (k,)
        The columns that are used or dropped.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [1.0, None, 3.0, 4.0], "pet": ["cat", "dog", "cat", None]})
    >>> Features().fit_transform(table)
    array([[1., 0., 0., 1., 0.],
           [3., 1., 0., 0., 1.],
           [3., 0., 0., 1., 0.],
           [4., 0., 1., 0., 0.]])
    """

    def __init__(self, max_categories: int = 30, text_features: int = 50, random_state: Any = 0) -> None:
        self.max_categories = max_categories
        self.text_features = text_features
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Decide what every column holds, and learn how it becomes numbers."""
        check_number(self, "max_categories", 1, integer=True)
        check_number(self, "text_features", 1, integer=True)
        columns, dropped = [], {}
        table = columns_of(X)
        if not table:
            raise ValueError("There is no column to learn from.")
        for name, cells in table.items():
            kind = self._kind(name, cells)
            if kind in ("empty", "constant"):
                dropped[name] = kind
                continue
            columns.append(self._fitted(name, kind, cells))
        if not columns:
            raise ValueError(f"No column says anything: {', '.join(f'{n} is {why}' for n, why in dropped.items())}.")
        self.columns_, self.dropped_ = columns, dropped
        self.feature_names_in_ = np.array(list(table), dtype=object)
        self.n_features_in_ = len(table)
        return self

    def transform(self, X: Any) -> NDArray:
        """(n, k) numbers without gaps."""
        check_is_fitted(self)
        table = columns_of(X, [column.name for column in self.columns_])
        return np.hstack([self._numbers(column, table[column.name]) for column in self.columns_])

    def get_feature_names_out(self, input_features: Any = None) -> NDArray:
        """A name for every feature."""
        check_is_fitted(self)
        names: list[str] = []
        for column in self.columns_:
            if column.kind == "category":
                names += [f"{column.name}={value}" for value in column.transformer.categories_[0]]
            elif column.kind == "text":
                names += [f"{column.name} {k}" for k in range(column.width)]
            else:
                names += [column.name, f"{column.name} missing"][: column.width]
        return np.array(names, dtype=object)

    def _kind(self, name: str, cells: list) -> str:
        known = [cell for cell in cells if not is_missing(cell)]
        if not known:
            return "empty"
        bad = [(k, cell) for k, cell in enumerate(cells) if isinstance(cell, list | tuple | dict | set)]
        if bad:
            raise ValueError(
                f"The column {name!r} holds {bad[0][1]!r:.60} in row {bad[0][0]}: it must hold numbers, text or dates."
                " Leave it out, or write it as columns of its own."
            )
        if len({str(cell) for cell in known}) == 1 and len(known) == len(cells):
            return "constant"
        if all(isinstance(cell, int | float | np.number | bool | np.bool_) for cell in known):
            return "number"
        if all(isinstance(cell, date | np.datetime64) for cell in known):
            return "date"
        values = {str(cell) for cell in known}
        return "category" if len(values) <= min(self.max_categories, max(2, len(known) // 2)) else "text"

    def _fitted(self, name: str, kind: str, cells: list) -> Column:
        from sklearn.preprocessing import OneHotEncoder

        if kind == "text":
            return self._text(name, cells)
        if kind == "category":
            encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(_texts(cells)[:, None])
            return Column(name, kind, len(encoder.categories_[0]), encoder)
        values = _column(name, cells, kind)
        return Column(name, kind, 2 if np.isnan(values).any() else 1, median=float(np.nanmedian(values)))

    def _text(self, name: str, cells: list) -> Column:
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.pipeline import make_pipeline

        texts = _texts(cells)
        words = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)
        seen = words.fit_transform(texts)
        width = max(1, min(self.text_features, min(seen.shape) - 1))
        strength = TruncatedSVD(width, random_state=self.random_state).fit(seen).singular_values_
        width = max(1, int((strength > RELATIVE_RANK * strength.max()).sum()))
        found = make_pipeline(words, TruncatedSVD(width, random_state=self.random_state)).fit(texts)
        return Column(name, "text", width, found)

    @staticmethod
    def _numbers(column: Column, cells: list) -> NDArray:
        if column.kind == "text":
            return column.transformer.transform(_texts(cells))
        if column.kind == "category":
            return column.transformer.transform(_texts(cells)[:, None])
        values = _column(column.name, cells, column.kind)
        filled = np.where(np.isnan(values), column.median, values)
        return filled if column.width == 1 else np.hstack([filled, np.isnan(values)])


def columns_of(X: Any, names: list[str] | None = None) -> dict[str, list]:
    """The cells of a frame by column, all of them or those named."""
    if not is_frame(X):
        raise ValueError(f"Features are made of columns of a frame, as of pandas or polars. Got {type(X).__name__}.")
    import narwhals.stable.v1 as nw

    frame = nw.from_native(X, eager_only=True)
    missing = [name for name in names or [] if name not in frame.columns]
    if missing:
        raise ValueError(f"The table misses {shown(missing)}. Its columns are {shown(list(frame.columns))}.")
    return {name: frame[name].to_list() for name in (frame.columns if names is None else names)}


def _texts(cells: list) -> NDArray:
    return np.array(["" if is_missing(cell) else str(cell) for cell in cells], dtype=object)


def _column(name: str, cells: list, kind: str) -> NDArray:
    """(n, 1) numbers, NaN in gaps."""
    out, bad = np.full((len(cells), 1), math.nan), BadRows("X")
    for k, cell in enumerate(cells):
        if is_missing(cell):
            continue
        try:
            out[k] = _days(cell) if kind == "date" else float(cell)
        except (TypeError, ValueError):
            what = "a date" if kind == "date" else "a number"
            bad.add(k, f"the column {name!r} must hold {what}", cell)
        if math.isinf(out[k, 0]):
            bad.add(k, f"the column {name!r} must hold finite numbers", cell)
    bad.refuse("Correct these cells, or leave them empty.")
    return out


def _days(cell: Any) -> float:
    """Days since 1970."""
    if isinstance(cell, np.datetime64):
        cell = cell.astype("datetime64[us]").item()
    if not isinstance(cell, date):
        raise TypeError("no date")
    moment = cell if isinstance(cell, datetime) else datetime(cell.year, cell.month, cell.day)
    return (moment.replace(tzinfo=None) - EPOCH).total_seconds() / 86400
