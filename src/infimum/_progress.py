"""Progress of long fits: a bar by tqdm on stderr, with the time left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
SECONDS = 0.5  # between two updates


def track(items: Iterable[T], label: str, total: int | None = None, verbose: int = 0) -> Iterator[T]:
    """The items, while their number and the time left are shown on stderr if `verbose`; `total` may be unknown.

    >>> list(track([1, 2], "rows"))
    [1, 2]
    """
    if not verbose:
        return iter(items)
    from tqdm import tqdm

    return iter(tqdm(items, desc=label, total=total, mininterval=SECONDS))
