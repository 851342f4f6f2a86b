"""A sample of chunked rows that depends neither on the chunks nor on the order of the rows."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .chunks import Block, Blocks
from .hashes import hash_of
from .inputs import is_frame


class Sample(NamedTuple):
    """The rows of positive weight with the smallest hashes, and the number of all rows."""

    n: int
    total: float
    """sum of weights."""
    keys: NDArray
    X: Any
    y: Any
    w: NDArray | None


def sample(blocks: Blocks, size: int) -> Sample:
    """Draw `size` of the rows, in one pass.

    >>> found = sample(Blocks([(np.arange(4.)[:, None], list("abcd")), (np.arange(4., 6.)[:, None], ["e", "f"])]), 3)
    >>> found.n, len(found.y), sorted(found.y) == sorted("abcdef"[int(x)] for x in found.X[:, 0])
    (6, 3, True)
    """
    return blocks.reduce(partial(_of, size=size), partial(_merge, size=size), "sample")


def _of(block: Block, size: int) -> Sample:
    n = block.X.shape[0]
    there = np.arange(n) if block.w is None else np.flatnonzero(block.w > 0)
    keys = hash_of(block.X[there], 0)
    at = np.argsort(keys, kind="stable")[:size]
    rows = there[at]
    w = None if block.w is None else np.asarray(block.w, dtype=float)[rows]
    total = float(n if block.w is None else np.sum(block.w))
    return Sample(n, total, keys[at], block.X[rows], _taken(block.y, rows), w)


def _merge(a: Sample, b: Sample, size: int) -> Sample:
    keys = np.concatenate([a.keys, b.keys])
    at = np.argsort(keys, kind="stable")[:size]
    X = sparse.vstack([a.X, b.X]).tocsr()[at] if sparse.issparse(a.X) else np.concatenate([a.X, b.X])[at]
    w = None if a.w is None or b.w is None else np.concatenate([a.w, b.w])[at]
    return Sample(a.n + b.n, a.total + b.total, keys[at], X, _taken(_joined(a.y, b.y), at), w)


def is_parsed(y: Any) -> bool:
    """Return whether y has been parsed into sets already."""
    return hasattr(y, "contains") and hasattr(y, "join")


def _taken(y: Any, rows: NDArray) -> Any:
    """Return some rows of a column of any container."""
    if is_parsed(y):
        return y[rows]
    if is_frame(y) or (hasattr(y, "dtype") and not isinstance(y, np.ndarray)):
        import narwhals.stable.v1 as nw

        return nw.from_native(y, allow_series=True)[rows.tolist()].to_native()
    return y[rows] if isinstance(y, np.ndarray) else [y[i] for i in rows]


def _joined(a: Any, b: Any) -> Any:
    if is_parsed(a):
        return a.join(b)
    if isinstance(a, list):
        return [*a, *b]
    if isinstance(a, np.ndarray):
        return np.concatenate([a, b])
    import narwhals.stable.v1 as nw

    parts = [nw.from_native(part, allow_series=True) for part in (a, b)]
    if isinstance(parts[0], nw.Series):
        if parts[0].name is None:  # a column of a DataFrame needs a name; a Series of pandas may have none
            parts = [part.alias("y") for part in parts]
        return nw.concat([part.to_frame() for part in parts])[parts[0].name].to_native()
    return nw.concat([part.select(parts[0].columns) for part in parts]).to_native()  # columns are matched by name
