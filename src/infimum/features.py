"""Numbers from frames whose columns hold text, categories, booleans and missing cells."""

from __future__ import annotations

from typing import Any

import numpy as np

FEW = 40  # distinct values of a column of text, up to which each is a category of its own


def encoder(X: Any) -> Any:
    """A transformer of scikit-learn that makes numbers of the columns of a frame, by what they hold; to be fitted.

    Numbers and dates keep their order, and where cells are missing the median takes their place beside a column that
    says so. Booleans, categories and text with few distinct values become one column a value, missing cells among them;
    other text becomes the frequencies of pieces of its words. Put it before an estimator in a pipeline.

    Parameters
    ----------
    X : pandas or polars frame
        Looked at for the kinds of its columns only.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.pipeline import make_pipeline
    >>> from infimum import PartialClassifier
    >>> X = pd.DataFrame({"size": [1.0, None, 3.0, 4.0], "colour": ["red", "blue", None, "red"]})
    >>> model = make_pipeline(encoder(X), PartialClassifier()).fit(X, ["a", "a|b", "b", None])
    >>> model[0].get_feature_names_out().tolist()
    ['size', 'missingindicator_size', 'colour_blue', 'colour_red', 'colour_nan']
    """
    from sklearn.compose import ColumnTransformer
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

    kinds = _kinds(X)
    numbers = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    dates = make_pipeline(FunctionTransformer(_dates, feature_names_out="one-to-one"), numbers)
    few = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    steps: list = [("numbers", numbers, kinds["numbers"]), ("dates", dates, kinds["dates"])]
    steps.append(("categories", few, kinds["categories"]))
    for name in kinds["text"]:
        pieces = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), max_features=300)
        steps.append((f"text of {name}", make_pipeline(FunctionTransformer(_text), pieces), name))
    return ColumnTransformer(
        [step for step in steps if len(step[2])], sparse_threshold=0.0, verbose_feature_names_out=False
    )


def _kinds(X: Any) -> dict[str, list[str]]:
    """The names of the columns, by what is made of them."""
    import narwhals.stable.v1 as nw

    frame = nw.from_native(X, eager_only=True)
    found: dict[str, list[str]] = {"numbers": [], "dates": [], "categories": [], "text": []}
    for name, dtype in frame.schema.items():
        if not isinstance(name, str):
            raise ValueError(f"The columns of X must be named by text. Got the name {name!r}; rename it.")
        if dtype.is_numeric():
            kind = "numbers"
        elif dtype.is_temporal():
            kind = "dates"
        elif dtype == nw.String or dtype == nw.Object:
            values = {str(v) for v in frame[name].to_list() if v is not None}
            kind = "categories" if len(values) <= FEW else "text"
        else:
            kind = "categories"
        found[kind].append(name)
    return found


def _dates(X: Any) -> np.ndarray:
    """Days since 1970, NaN where there are none."""
    import narwhals.stable.v1 as nw

    frame = nw.from_native(X, eager_only=True)
    columns = [np.asarray(frame[name].to_numpy(), dtype="datetime64[s]") for name in frame.columns]
    days = np.column_stack([c.astype(np.int64) / 86400 for c in columns])
    return np.where(np.column_stack([np.isnat(c) for c in columns]), np.nan, days)


def _text(column: Any) -> list[str]:
    """Every cell as text, missing ones empty."""
    cells = column.to_list() if hasattr(column, "to_list") else list(column)
    return ["" if cell is None or cell != cell else str(cell) for cell in cells]
