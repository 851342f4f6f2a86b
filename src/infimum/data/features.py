"""Features: tables with numbers, text, categories, dates and gaps, as the numbers that estimators take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .checks import check_number
from .columns import KINDS, Recognised, category, days, number, recognise
from .containers import frame_of
from .errors import InfimumWarning, InputError, is_missing, listed, shown
from .inputs import LARGEST, is_frame
from .numerals import ONE_GROUP, is_missing_word, mark_in, split_unit

LONG_TEXT = 300
"""Mean number of characters per cell above which words are counted: character n-grams take ten times longer."""

RELATIVE_RANK = 1e-3
"""Share of the largest singular value below which a component of text is left out.

Repeated or empty cells give components that are constant up to rounding on the training rows. Scaling such a component
to unit variance moves new rows far away from all training rows.
"""

BOOLEANS = {"true": 1.0, "false": 0.0}
"""Text in a column that contained booleans in `fit`, as a CSV file contains them."""

UNUSED_KINDS = ("identifier", "constant", "empty", "ignored")


@dataclass
class FeatureColumn(Recognised):
    """One column of a table: what it is, and how it becomes numbers."""

    name: str = ""
    width: int = 0
    """Number of features."""
    transformer: Any = None
    """Fitted transformer of text and categories."""
    median: float = 0.0
    """Replaces missing numbers and dates."""
    missing: int = 0
    """Number of missing cells at fit."""

    def __repr__(self) -> str:
        parts = [self.kind, f"{self.width} feature{'s' if self.width != 1 else ''}"]
        parts += [f"{self.missing} missing"] if self.missing else []
        return f"{self.name}: {', '.join([*parts, *self.notes])}"


@dataclass(eq=False, repr=False)
class Features(TransformerMixin, BaseEstimator):
    """Convert the columns of a table into numbers, each according to its kind.

    - Numbers and booleans are kept; text such as ``"12,50"``, ``"$1,000"``, ``"20.1 °C"`` or ``"n/a"`` is read as a
      number if the column contains numbers, all of the same unit. A limit such as ``"<0.5"`` counts as 0.5. Dates
      become days. A missing value becomes the median, and a second column marks it.
    - Text with few distinct values is a category: one column per value. Case and surrounding blanks do not matter. A
      missing cell is a value of its own; values that did not occur in `fit` are all 0.
    - Other text becomes the leading components of the TF-IDF of its character n-grams (2 to 4 letters within words), or
      of its words and pairs of words if the texts have more than 300 characters on average.
    - Identifiers (nearly unique codes, row numbers), constants and empty columns are left out.

    Columns are found by name; columns that did not occur in `fit` are ignored. The columns of an array are called x0,
    x1, …. A model that contains `Features` can be saved with skops.

    Parameters
    ----------
    columns : dict, optional
        Kinds that you decide yourself, such as ``{"created": "date", "zip": "category"}``. Kinds are "number",
        "category", "date", "text" and "identifier".
    ignore : list of str, optional
        Columns to leave out.
    max_categories : int, default 30
        Text with at most this many values is a category. Values that occur 20 times on average may be four times as
        many.
    text_features : int, default 50
        Maximum number of components for a column of text.
    random_state : int, default 0
        Seed of the components of text columns.

    Attributes
    ----------
    columns_ : list of Column
        Columns that are used, with kind, number of features and notes.
    dropped_ : dict
        Columns that are left out, and their kind.
    feature_names_in_ : (k,)
        Names of all columns of the table.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [1.0, None, 3.0, 4.0], "pet": ["cat", "dog", "Cat ", None]})
    >>> Features().fit_transform(table)
    array([[1., 0., 0., 1., 0.],
           [3., 1., 0., 0., 1.],
           [3., 0., 0., 1., 0.],
           [4., 0., 1., 0., 0.]])
    """

    columns: dict[str, str] | None = None
    ignore: Any = ()
    max_categories: int = 30
    text_features: int = 50
    random_state: Any = 0

    def fit(self, X: Any, y: Any = None) -> Self:
        """Recognise the kind of each column, and learn how it becomes numbers."""
        self._check()
        if hasattr(y, "check_order"):  # Votes, whose rows have names like those of X
            y.check_order(X)
        table = columns_of(X)
        if not table:
            raise ValueError("X has no columns. Pass a table with at least one column of features.")
        kinds = self._chosen(table)
        columns, dropped = [], {}
        for name, cells in table.items():
            _check_flat(name, cells)
            if name in set(self.ignore or ()):
                dropped[name] = "ignored"
                continue
            found = recognise(name, cells, self.max_categories, kinds.get(name))
            if found.kind in UNUSED_KINDS:
                dropped[name] = found.kind
            else:
                columns.append(self._fitted(name, found, cells))
        if not columns:
            reasons = ", ".join(f"{name} ({why})" for name, why in dropped.items())
            raise ValueError(
                f"X has no column to learn from. All are left out: {reasons}. Set the kind of a column yourself, as in"
                f" Features(columns={{{next(iter(dropped))!r}: 'category'}})."
            )
        self.columns_, self.dropped_ = columns, dropped
        self.feature_names_in_ = np.array(list(table), dtype=object)
        self.n_features_in_ = len(table)
        return self

    def transform(self, X: Any) -> NDArray:
        """Return (n, k) finite numbers."""
        check_is_fitted(self)
        if not is_frame(X) and len(columns_of(X)) != self.n_features_in_:
            n = len(columns_of(X))
            raise ValueError(f"X has {n} features, but Features is expecting {self.n_features_in_} features as input.")
        table = columns_of(X, [column.name for column in self.columns_])
        return np.hstack([self._numbers(column, table[column.name]) for column in self.columns_])

    def describe(self) -> list[str]:
        """Return one line per column: its kind, its number of features, and notes.

        >>> import pandas as pd
        >>> made = Features().fit(pd.DataFrame({"id": range(12), "size": ["1,5", "2,5", "n/a"] * 4}))
        >>> print(*made.describe(), sep="\\n")
        id: identifier, left out
        size: number, 2 features, 4 missing
        """
        check_is_fitted(self)
        used = {column.name: repr(column) for column in self.columns_}
        return [used.get(name) or f"{name}: {self.dropped_[name]}, left out" for name in self.feature_names_in_]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray:
        """Return the name of each feature."""
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

    def _check(self) -> None:
        check_number(self, "max_categories", 1, integer=True)
        check_number(self, "text_features", 1, integer=True)
        if isinstance(self.ignore, str):
            raise ValueError(f"ignore must be a list of column names. Got {self.ignore!r}; write [{self.ignore!r}].")
        for name, kind in (self.columns or {}).items():
            if kind not in KINDS[:5]:
                raise ValueError(f"columns[{name!r}] must be one of {', '.join(map(repr, KINDS[:5]))}. Got {kind!r}.")

    def _chosen(self, table: dict[str, list]) -> dict[str, str]:
        """Return the kinds that the user has set; all of their columns must exist."""
        given = [*(self.columns or {}), *(self.ignore or ())]
        for name in given:
            if name not in table:
                raise ValueError(f"X has no column {name!r}. Its columns are {listed(list(table))}.")
        return dict(self.columns or {})

    def _fitted(self, name: str, found: Recognised, cells: list) -> FeatureColumn:
        column = FeatureColumn(**vars(found), name=name, missing=sum(is_missing(cell) for cell in cells))
        if found.kind == "text":
            column.transformer, column.width = self._text(cells)
        elif found.kind == "category":
            from sklearn.preprocessing import OneHotEncoder

            column.transformer = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(_categories(cells))
            column.width = len(column.transformer.categories_[0])
        else:
            values = _values(column, cells, fitting=True)
            column.missing = int(np.isnan(values).sum())
            column.width = 2 if column.missing else 1
            column.median = float(np.nanmedian(values))
        return column

    def _text(self, cells: list) -> tuple[Any, int]:
        """Return fitted transformers of text, and their number of components."""
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.pipeline import Pipeline

        texts = _texts(cells)
        if np.mean([len(text) for text in texts]) > LONG_TEXT:
            words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, max_features=50_000)
        else:  # character n-grams tolerate misspellings and endings
            words = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True, max_features=50_000)
        seen = words.fit_transform(texts)
        width = max(1, min(self.text_features, min(seen.shape) - 1))
        components = TruncatedSVD(width, random_state=self.random_state).fit(seen)
        strength = components.singular_values_
        width = max(1, int((strength > RELATIVE_RANK * strength.max()).sum()))
        components.components_ = components.components_[:width]
        components.set_params(n_components=width)
        return Pipeline([("words", words), ("components", components)]), width

    @staticmethod
    def _numbers(column: FeatureColumn, cells: list) -> NDArray:
        if column.transformer is not None:
            given = _categories(cells) if column.kind == "category" else _texts(cells)
            if column.kind == "category":
                _warn_of_new_categories(column, given[:, 0])
            return np.asarray(column.transformer.transform(given), dtype=float)
        values = _values(column, cells)
        filled = np.where(np.isnan(values), column.median, values)
        return filled if column.width == 1 else np.hstack([filled, np.isnan(values)])


def columns_of(X: Any, names: list[str] | None = None) -> dict[str, list]:
    """Return the cells of a table by column, for all columns or for those named."""
    if not is_frame(X):
        if not isinstance(X, np.ndarray | list) or np.ndim(X) != 2:
            raise ValueError(
                f"Features needs a table: a DataFrame of pandas or polars, or a two-dimensional array. Got {shown(X)}."
            )
        cells = X.T.tolist() if isinstance(X, np.ndarray) else list(map(list, zip(*X)))
        return {f"x{k}": column for k, column in enumerate(cells) if names is None or f"x{k}" in names}
    frame = frame_of(X, "X")
    if not all(isinstance(name, str) for name in frame.columns):
        raise ValueError(
            f"The columns of X must have names that are text. Got {listed(frame.columns)}. Rename them first:"
            " X.columns = [str(name) for name in X.columns]."
        )
    missing = [name for name in names or [] if name not in frame.columns]
    if missing:
        raise ValueError(
            f"The table has no column {listed(missing)}, which the model was fitted on. Its columns are"
            f" {listed(list(frame.columns))}. Rename a column, or add it; its cells may be empty."
        )
    return {name: frame[name].to_list() for name in (frame.columns if names is None else names)}


def _check_flat(name: str, cells: list) -> None:
    for k, cell in enumerate(cells):
        if isinstance(cell, list | tuple | dict | set):
            raise ValueError(
                f"The column {name!r} contains {cell!r:.60} in row {k}. Cells must be numbers, text or dates. Leave the"
                f" column out, Features(ignore=[{name!r}]), or split it into columns of its own."
            )


def _texts(cells: list) -> NDArray:
    return np.array(["" if is_missing(cell) else str(cell) for cell in cells], dtype=object)


def _categories(cells: list) -> NDArray:
    return np.array([[category(cell)] for cell in cells], dtype=object).reshape(len(cells), 1)


def _warn_of_new_categories(column: FeatureColumn, given: NDArray) -> None:
    """Warn if `fit` has not seen most of the categories: their names have probably changed."""
    known = {"", *column.transformer.categories_[0]}
    new = [name for name in given if name not in known]
    if len(new) > 1 and 2 * len(new) > sum(name != "" for name in given):
        import warnings

        warnings.warn(
            f"{len(new)} of {len(given)} cells of the column {column.name!r} contain categories that do not occur in"
            f" the training rows, such as {new[0]!r:.60}. They have no influence on the predictions.",
            InfimumWarning,
            stacklevel=4,
        )


def _values(column: FeatureColumn, cells: list, fitting: bool = False) -> NDArray:
    """Return the cells of a column as (n, 1) numbers, NaN if they are missing.

    Many cells that are no numbers raise an error in `fit`. Later they are missing, because what becomes of a row must
    not depend on the other rows; but if no cell can be read, the column has another format than in `fit`.
    """
    out = np.full((len(cells), 1), math.nan)
    bad: list[tuple[int, Any]] = []
    for k, cell in enumerate(cells):
        if is_missing(cell) or (isinstance(cell, str) and (is_missing_word(cell) or category(cell) in column.words)):
            continue
        value = _value(column, cell)
        if value is None:
            bad.append((k, cell))
        elif abs(value) > LARGEST:
            what = "finite numbers" if math.isinf(value) else f"numbers up to {LARGEST:g}"
            message = f"the column {column.name!r} must contain {what}. Got {cell!r}"
            raise InputError(rows={k: message}, what="X", remedy="Correct the cell or leave it empty.")
        else:
            out[k] = value
    none_read = len(bad) > 1 and np.isnan(out).all()
    if none_read or (fitting and len(bad) > max(1, 0.05 * len(cells))):
        row, cell = bad[0]
        unit = f" in {column.unit!r}" if column.unit else " without a unit"
        as_in_fit = f"{column.kind}s{unit if column.kind == 'number' else ''}, as in fit"
        another = f" Or choose another kind: Features(columns={{{column.name!r}: 'text'}})."
        raise InputError(
            rows={row: f"the column {column.name!r} must contain {column.kind}s. Got {cell!r:.60}"},
            what="X",
            remedy=f"Correct its cells.{another}" if fitting else f"Its cells must be {as_in_fit}.",
            more=len(bad) - 1,
        )
    if bad and not (fitting and any("treated as missing" in note for note in column.notes)):
        import warnings

        row, cell = bad[0]
        warnings.warn(
            f"Row {row} of the column {column.name!r} is not a {column.kind}: {cell!r:.60}. It is treated as missing"
            + (", as is 1 other row." if len(bad) == 2 else f", as are {len(bad) - 1} other rows." if bad[1:] else "."),
            InfimumWarning,
            stacklevel=4,
        )
    if column.kind == "number":
        _check_decimal_mark(column, cells)
    return out


def _value(column: FeatureColumn, cell: Any) -> float | None:
    """Return a cell as a number or as days; None if it is neither."""
    if column.kind == "date":
        return days(cell, column.day_first)
    if column.boolean and isinstance(cell, str) and category(cell) in BOOLEANS:
        return BOOLEANS[category(cell)]
    return number(cell, column.decimal, column.unit)


def _check_decimal_mark(column: FeatureColumn, cells: list) -> None:
    """Raise an error if some cells have another decimal mark than in `fit`, and others may have it."""
    other = "." if column.decimal == "," else ","
    texts = {k: split_unit(cell)[0] or cell for k, cell in enumerate(cells) if isinstance(cell, str) and other in cell}
    if not any(mark_in(text.strip()) == other for text in texts.values()):
        return
    unclear = [k for k, text in texts.items() if ONE_GROUP.fullmatch(text.strip())]
    if unclear:
        called = {",": "a comma", ".": "a point"}
        message = (
            f"the column {column.name!r} has {called[column.decimal]} as decimal mark in fit and {called[other]} in"
            f" some rows here, so {cells[unclear[0]]!r} is ambiguous"
        )
        remedy = f"Write its numbers with {called[column.decimal]} as decimal mark."
        raise InputError(rows={unclear[0]: message}, what="X", remedy=remedy, more=len(unclear) - 1)
