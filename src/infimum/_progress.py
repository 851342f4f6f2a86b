"""Progress of long fits: a bar by rich where it is installed, one line on stderr otherwise."""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
SECONDS = 0.5  # between two updates of the plain line


def track(items: Iterable[T], label: str, total: int | None = None, verbose: int = 0) -> Iterator[T]:
    """The items, while their number is shown on stderr if `verbose`; `total` may be unknown.

    >>> list(track([1, 2], "rows"))
    [1, 2]
    """
    if not verbose:
        return iter(items)
    return _rich(items, label, total) if importlib.util.find_spec("rich") else _plain(items, label, total)


def _rich(items: Iterable[T], label: str, total: int | None) -> Iterator[T]:
    from rich.console import Console
    from rich.progress import track as bar

    yield from bar(items, description=label, total=total, console=Console(stderr=True))


def _plain(items: Iterable[T], label: str, total: int | None) -> Iterator[T]:
    start = shown = time.monotonic()
    end = "" if total is None else f"/{total}"
    done = 0
    try:
        for item in items:
            yield item
            done += 1
            now = time.monotonic()
            if now - shown >= SECONDS:
                shown = now
                sys.stderr.write(f"\r{label}: {done}{end} blocks, {now - start:.0f} s")
                sys.stderr.flush()
    finally:  # an interrupted line is ended too
        sys.stderr.write(f"\r{label}: {done}{end} blocks, {time.monotonic() - start:.1f} s\n")
        sys.stderr.flush()
