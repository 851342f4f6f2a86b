"""Journal: one JSON object per line; a line is on the disk before it is acknowledged."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path
from typing import Any

from ...data.errors import InputError, shown
from ...data.files import sync_folder

VERSION = 3
START = f'{{"studio": {VERSION}'.encode()  # of every journal


class Journal:
    """An append-only file. `append` returns when the lines are on the disk.

    A line that a crash cut short was never acknowledged; it is removed when the journal is opened again. If a line
    cannot be written or synced, the file is cut to its old end. A file that is not a journal is not changed.

    Parameters
    ----------
    path : path
        The file; it is created if it does not exist.
    header : dict
        What the journal is about, such as ``{"target": "label", "kind": "labels"}``. A journal with another value of
        "target" or "kind" raises an error; other entries are for people who read the file.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> journal = Journal(Path(folder.name) / "a.jsonl", {"target": "label"})
    >>> journal.append({"answer": True})
    >>> journal.close()
    >>> Journal(Path(folder.name) / "a.jsonl", {"target": "label"}).lines
    [{'answer': True}]
    """

    def __init__(self, path: Any, header: dict):
        self.path = Path(path)
        self._lock = threading.Lock()
        self._broken = False
        if self.path.exists() and not stat.S_ISREG(self.path.stat().st_mode):
            raise InputError(f"{self.path} is not a regular file. Set another journal.")
        new = not self.path.exists()
        self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        try:
            self._lock_file()
            found, self._end, is_ended = self._read()
            if found:
                self._check(found[0], header)
            if os.fstat(self._handle).st_size > self._end:
                os.ftruncate(self._handle, self._end)
                os.fsync(self._handle)
            if not is_ended:
                self._write(b"\n", True)  # the last line is complete; only its end is missing
            if not found:
                self._write(_encoded({"studio": VERSION, **header}), True)
                if new:
                    sync_folder(self.path.resolve().parent)
        except BaseException:
            os.close(self._handle)
            raise
        self.lines: list[dict] = found[1:]
        """The lines in the file when the journal was opened, without the header."""

    def _lock_file(self) -> None:
        """Lock the file: only one process at a time may write a journal."""
        try:
            import fcntl
        except ImportError:  # this system has no such locks
            return
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{self.path} is open in another studio. Use that one, or set another journal.") from None

    def _read(self) -> tuple[list[dict], int, bool]:
        """Return the complete lines, where they end, and whether a line end follows; raise if this is not a journal."""
        text = self.path.read_bytes()
        if not (text[: len(START)] == START if len(text) >= len(START) else START.startswith(text)):
            raise InputError(
                f"{self.path} is not a journal of this version of the studio, so it is not changed."
                " Set another file with --journal."
            )
        found, end = [], 0
        for number, line in enumerate(text.splitlines(keepends=True), start=1):
            try:
                found.append(parse(line))
            except ValueError as error:
                if end + len(line) == len(text) and not line.endswith(b"\n"):
                    break  # cut short, so never acknowledged
                raise InputError(
                    f"{self.path}, line {number}: {error}. Fix or remove the line, or set another journal."
                ) from None
            end += len(line)
        return found, end, text[:end].endswith(b"\n") or not end

    def _check(self, found: dict, header: dict) -> None:
        for key in ("target", "kind"):
            if found.get(key) != header.get(key):
                raise InputError(
                    f"{self.path} belongs to another task: its {key} is {shown(found.get(key))}, and that of this table"
                    f" is {shown(header.get(key))}. Set another file with --journal."
                )

    def append(self, *lines: dict, sync: bool = True) -> None:
        """Add lines; with `sync` they are on the disk when this returns. If it raises, none of them is in the file."""
        data = b"".join(map(_encoded, lines))
        with self._lock:
            self._write(data, sync)

    def _write(self, data: bytes, sync: bool) -> None:
        if self._broken:
            raise OSError(f"{self.path} could not be restored after a failed write. Start the studio again.")
        try:
            os.lseek(self._handle, self._end, os.SEEK_SET)
            left = data
            while left:
                left = left[os.write(self._handle, left) :]
            if sync:
                os.fsync(self._handle)
        except BaseException:
            self._broken = True
            os.ftruncate(self._handle, self._end)
            self._broken = False
            raise
        self._end += len(data)

    def close(self) -> None:
        """Close the file, so that another process can open the journal."""
        os.close(self._handle)


def parse(text: bytes) -> dict:
    """Return a JSON object; raise ValueError for anything else, also for NaN and for very deep nesting."""
    try:
        found = json.loads(text, parse_constant=_not_json)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError:
        raise ValueError("this is not JSON") from None
    if not isinstance(found, dict):
        raise ValueError(f"expected a JSON object, got {shown(found)}")
    return found


def _not_json(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _encoded(line: dict) -> bytes:
    return json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"
