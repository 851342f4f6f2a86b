"""Journal: one JSON object per line; a line is on the disk before it is acknowledged."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

from ...data.errors import InputError


class Journal:
    """An append-only file. `append` returns when the line is on the disk.

    A line that a crash cut short was never acknowledged; it is removed when the journal is opened again.

    Parameters
    ----------
    path : path
        The file; it is created if it does not exist.
    header : dict
        What the journal is about; a journal with another header raises an error.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> journal = Journal(Path(folder.name) / "a.jsonl", {"file": "a.csv"})
    >>> journal.append({"answer": True})
    >>> journal.close()
    >>> Journal(Path(folder.name) / "a.jsonl", {"file": "a.csv"}).lines
    [{'answer': True}]
    """

    def __init__(self, path: Any, header: dict):
        self.path = Path(path)
        self._lock = threading.Lock()
        new = not self.path.exists() or self.path.stat().st_size == 0
        self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        self._lock_file()
        found, end = self._read()
        os.ftruncate(self._handle, end)
        os.lseek(self._handle, end, os.SEEK_SET)
        if not found:
            self._write(header)
            if new:
                self._sync_folder()
        elif found[0] != json.loads(json.dumps(header)):
            self.close()
            raise InputError(self._differs(found[0], header))
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
            os.close(self._handle)
            raise InputError(f"{self.path} is open in another studio. Use that one, or set another journal.") from None

    def _read(self) -> tuple[list[dict], int]:
        """Return the complete lines and the position where they end."""
        with open(self.path, "rb") as file:
            text = file.read()
        end = text.rfind(b"\n") + 1
        found = []
        for number, line in enumerate(text[:end].splitlines(), start=1):
            try:
                found.append(json.loads(line))
            except ValueError:
                self.close()
                words = "this is not JSON. Fix the line, or set another journal."
                raise InputError(f"{self.path}, line {number}: {words}") from None
        return found, end

    def _differs(self, found: dict, header: dict) -> str:
        keys = [key for key in {**header, **found} if found.get(key) != header.get(key)]
        what = ", ".join(f"{key} was {found.get(key)!r:.60} and is {header.get(key)!r:.60}" for key in keys[:3])
        return f"{self.path} belongs to another table: {what}. Set another file with --journal."

    def append(self, line: dict, sync: bool = True) -> None:
        """Add a line; with `sync` it is on the disk when this returns."""
        with self._lock:
            self._write(line, sync)

    def _write(self, line: dict, sync: bool = True) -> None:
        data = json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n"
        while data:
            data = data[os.write(self._handle, data) :]
        if sync:
            os.fsync(self._handle)

    def _sync_folder(self) -> None:
        if os.name == "posix":
            folder = os.open(self.path.resolve().parent, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)

    def close(self) -> None:
        """Close the file, so that another process can open the journal."""
        os.close(self._handle)
