"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

Path_ = str | os.PathLike

PART = ".infimum-part"  # how the name of a file ends while it is being written


@contextmanager
def atomic_write(path: Path_, mode: str = "w") -> Iterator[IO]:
    """A file to write that appears whole or not at all: whatever fails on the way, the old file stays as it was.

    Text is UTF-8 with line ends as given. The data lie on the disk before the name changes over to them.

    Parameters
    ----------
    path : path
        The file that is written.
    mode : str
        As in `open`, for writing.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, atomic_write(Path(folder) / "a.txt") as file:
    ...     _ = file.write("all of it")
    """
    if mode not in ("w", "wb"):
        raise ValueError(f'mode must be "w" or "wb". Got {mode!r}.')
    target = Path(os.path.realpath(path))  # a link stays a link
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {target.parent}.")
    if target.is_dir():
        raise IsADirectoryError(f"{path} cannot be written: it is a folder.")
    beside = target.with_name(f".{target.name}.{secrets.token_hex(8)}{PART}")
    kept = target.stat().st_mode & 0o777 if target.exists() else None
    handle = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(handle, mode) if mode == "wb" else open(handle, mode, encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if kept is not None:
            os.chmod(beside, kept)
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    _folder_too(target.parent)


def _folder_too(folder: Path) -> None:
    """The new name lies on the disk too, where the system lets folders be opened."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
