"""Atomic writing of files."""

from __future__ import annotations

import io
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

Path_ = str | os.PathLike

PART = ".infimum-part"  # suffix of a file while it is being written


@contextmanager
def atomic_write(path: Path_, mode: str = "w") -> Iterator[IO]:
    """Open a file for writing, and replace the old file only when all has been written.

    If anything fails, the old file stays as it was. Text is written as UTF-8, with line ends as given. The data are
    synced to the disk before the file gets its name. A symbolic link stays, and the file that it points to is replaced.
    The new file keeps the owner, the group and the permissions of the old one; other hard links keep the old content.
    A pipe or a character device, such as /dev/stdout, receives the data when all of it is there, and is not replaced.
    Block devices and sockets raise an error.

    Parameters
    ----------
    path : path
        The file that is written.
    mode : {"w", "wb"}, default "w"
        Text or bytes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, atomic_write(Path(folder) / "a.txt") as file:
    ...     _ = file.write("all of it")
    """
    if mode not in ("w", "wb"):
        raise ValueError(f'mode must be "w" or "wb". Got {mode!r}.')
    if _is_special(path):
        with _written_at_once(path, mode) as file:
            yield file
        return
    target = Path(os.path.realpath(path))  # a link stays a link
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {target.parent}.")
    if target.is_dir():
        raise IsADirectoryError(f"{path} cannot be written: it is a folder.")
    beside = target.with_name(f".{target.name}.{secrets.token_hex(8)}{PART}")
    old = target.stat() if target.exists() else None
    handle = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(handle, mode) if mode == "wb" else open(handle, mode, encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if old is not None:
            _keep_owner(beside, old)
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def _keep_owner(path: Path, old: os.stat_result) -> None:
    """Give a file the owner, the group and the permissions of the one that it replaces."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):  # only root may give files away
            os.chown(path, old.st_uid, old.st_gid)
    os.chmod(path, stat.S_IMODE(old.st_mode) & 0o777)


def _is_special(path: Path_) -> bool:
    """Return whether a path exists and is neither a regular file nor a folder."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    if stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
        raise OSError(f"{path} cannot be written: it is a device or a socket. Pass the name of a regular file.")
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def _written_at_once(path: Path_, mode: str) -> Iterator[IO]:
    """Collect the data, and write them into an existing pipe or device at the end."""
    buffer: IO = io.BytesIO() if mode == "wb" else io.StringIO(newline="")
    yield buffer
    data = buffer.getvalue()  # type: ignore[attr-defined]
    with open(path, "wb") as file:
        file.write(data if mode == "wb" else data.encode("utf-8"))


def sync_folder(folder: Path) -> None:
    """Sync the new name to the disk, on systems that can open folders."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
