"""Progress of long computations: a bar of tqdm on stderr, or calls of a listener."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
Listener = Callable[[str, int, int | None], None]
SECONDS = 0.5  # between two updates

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def track(
    items: Iterable[T], label: str, total: int | None = None, verbose: int = 0, seconds: float = SECONDS
) -> Iterator[T]:
    """Iterate over the items and show the progress on stderr if `verbose`, again after so many seconds.

    >>> list(track([1, 2], "rows"))
    [1, 2]
    """
    listener = _listener.get()
    if listener is not None:
        return _report(items, label, total, listener)
    if not verbose:
        return iter(items)
    from tqdm import tqdm

    return iter(tqdm(items, desc=label, total=total, mininterval=seconds))


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call listener(label, done, total) for all tracked iterations in this context, instead of showing a bar.

    >>> seen = []
    >>> with listening(lambda label, done, total: seen.append((label, done, total))):
    ...     _ = list(track(["a", "b"], "rows"))
    >>> seen
    [('rows', 0, 2), ('rows', 1, 2), ('rows', 2, 2)]
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def _report(items: Iterable[T], label: str, total: int | None, listener: Listener) -> Iterator[T]:
    if total is None and isinstance(items, Sized):
        total = len(items)
    listener(label, 0, total)
    for done, item in enumerate(items, 1):
        yield item
        listener(label, done, total)
