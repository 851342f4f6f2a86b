"""Limits on what a file may become in memory, which are checked before it is unpacked or parsed."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterable
from typing import Any
from zipfile import ZipFile

from .memory import require

RATIO = 100
"""How many times larger than the file the content of a compressed file may be. Tables and models stay below 30."""

SMALL = 2**26
"""Bytes of content, 64 MiB, up to which the ratio does not matter."""

PER_VALUE = 80
"""Bytes of memory per value of a text file: a Python object and its place in a list or dict."""

SPLIT = "Split the file, or convert it to Parquet and fit infimum.Chunks."


def check_unpacked(name: str, packed: int, unpacked: int) -> None:
    """Raise ValueError if a compressed file is much larger inside, and MemoryError if its content has no room."""
    if unpacked > max(SMALL, RATIO * packed):
        raise ValueError(
            f"{name} has {packed / 2**20:.3g} MB and more than {unpacked / 2**20:.3g} MB of content. Compressed files"
            f" may contain at most {RATIO} times their size. If you trust the file, unpack it first."
        )
    require(2.0 * unpacked, f"{name}, unpacked,", SPLIT)


def check_zip(name: str, archive: ZipFile) -> None:
    """Check the size of everything in a zip archive, by the sizes in its directory, which limit what is read."""
    parts = archive.infolist()
    check_unpacked(name, sum(part.compress_size for part in parts), sum(part.file_size for part in parts))


def gunzipped(name: str, data: bytes) -> bytes:
    """Return the content of a gzip file of one or more members; an error if it is too large."""
    limit = max(SMALL, RATIO * len(data))
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        content = file.read(limit + 1)
    check_unpacked(name, len(data), len(content))
    return content


def check_text(name: str, text: str, marks: Iterable[str]) -> None:
    """Raise MemoryError if the values of a text, which the marks separate, have no room in memory."""
    check_values(name, sum(map(text.count, marks)), 2.0 * len(text))


def check_values(name: str, values: int, more: float = 0.0) -> None:
    """Raise MemoryError if so many values, and so many bytes more, have no room in memory."""
    require(PER_VALUE * values + more, f"{name}, with about {values} values,", SPLIT)


def parse_json(text: str, place: str = "", line: int | None = None) -> Any:
    """Return the value of a JSON text; raise ValueError with its place if it is invalid or nested too deeply.

    >>> parse_json("[1, 2", "a.json")
    Traceback (most recent call last):
    ...
    ValueError: a.json, line 1, column 6: invalid JSON (Expecting ',' delimiter).
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f", line {error.lineno if line is None else line}, column {error.colno}"
        raise ValueError(f"{place}{where}: invalid JSON ({error.msg}).") from error
    except RecursionError:
        reason = "its lists and objects are nested too deeply (Python reads about 1,000 levels)"
    except ValueError:  # an integer of more digits than Python reads
        reason = "it contains an integer of more than 4300 digits"
    raise ValueError(f"{place}{'' if line is None else f', line {line}'}: invalid JSON ({reason}).")
