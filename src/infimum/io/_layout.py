"""Separator and encoding of text files, detected from their content."""

from __future__ import annotations

import codecs
import csv
import io
import sys
import zlib
from pathlib import Path
from typing import NamedTuple

from ..data.files import Path_
from ..data.limits import gunzipped

STDIN = "-"
SAMPLE = 100_000
"""Characters at the beginning of a file by which the separator is detected."""

CANDIDATES = (",", ";", "\t", "|")
"""Separators that are tried, in this order. "|" comes last because it also separates candidates."""

WINDOWS_ONLY = bytes(range(0x80, 0xA0))
"""Bytes that are control characters in Latin-1, but letters and signs such as € in Windows-1252."""

MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class Layout(NamedTuple):
    """How a text file is written."""

    sep: str = ","
    encoding: str = "utf-8"

    def __str__(self) -> str:
        return f"separator {'tab' if self.sep == chr(9) else repr(self.sep)}, encoding {self.encoding}"


def read_bytes(path: Path_) -> bytes:
    """Return the content of a file, decompressed if its name ends in .gz, or of stdin for "-"."""
    if str(path) == STDIN:
        return sys.stdin.buffer.read()
    data = Path(path).read_bytes()
    if Path(path).suffix.lower() != ".gz":
        return data
    try:
        return gunzipped(Path(path).name, data)
    except (EOFError, zlib.error) as error:
        raise ValueError(f"{Path(path).name} is not a complete gzip file ({error}). Compress it again.") from error


def decoded(data: bytes, name: str, encoding: str | None = None) -> tuple[str, str]:
    """Return text and its encoding: the given one, UTF-8 or UTF-16, otherwise Latin-1 or Windows-1252.

    >>> decoded("café".encode("latin-1"), "a.csv")
    ('café', 'latin-1')
    """
    if encoding is None:
        encoding = next((each for mark, each in MARKS if data.startswith(mark)), None)
        if encoding is None:
            try:
                return data.decode("utf-8"), "utf-8"
            except UnicodeDecodeError:
                encoding = "cp1252" if any(byte in WINDOWS_ONLY for byte in data) else "latin-1"
    try:
        text = data.decode(encoding)
    except LookupError as error:
        raise ValueError(
            f"There is no encoding {encoding!r}. Common ones are utf-8, latin-1, cp1252, utf-16."
        ) from error
    except UnicodeError as error:
        raise ValueError(
            f"{name} is not text in the encoding {encoding} ({error}). Save it as UTF-8, or pass its encoding."
        ) from error
    if "\0" in text:
        raise ValueError(f"{name} is not a text file: it contains the character NUL. Save it as UTF-8 text.")
    return text, "utf-8" if encoding == "utf-8-sig" else encoding


def separator(text: str, usual: str = ",") -> str:
    r"""Return the separator of a CSV text: the usual one if it splits the header, else one that fits all lines.

    >>> separator("a;b\n1,5;2\n"), separator("a,b\n1,2\n"), separator("cell\na;b\n")
    (';', ',', ',')
    """
    found = {sep: _widths(text, sep) for sep in dict.fromkeys((usual, *CANDIDATES))}
    fitting = [sep for sep, widths in found.items() if widths and widths[0] > 1 and len(set(widths)) == 1]
    if usual in fitting:
        return usual
    if fitting:
        return max(fitting, key=lambda sep: found[sep][0])
    return max(found, key=lambda sep: found[sep][0] if found[sep] else 0)  # the usual one comes first if none splits


def _widths(text: str, sep: str) -> list[int]:
    """Return the number of cells of the first rows."""
    sample = text[:SAMPLE]
    widths = []
    try:
        widths = [len(row) for row in csv.reader(io.StringIO(sample, newline=""), delimiter=sep) if row]
    except csv.Error:
        return widths
    return widths[:-1] if len(text) > SAMPLE else widths
