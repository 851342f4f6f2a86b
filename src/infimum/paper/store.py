"""Finished tasks on disk: keys of files, atomic writing, and detection of damaged files.

The key says what the rows depend on: the experiment, the version that it declares, the task with all its parameters
and seeds, and the version of the library. An edit of the library does not empty the cache; whoever changes what an
experiment measures adds one to its `version`. A file also holds its key, what its rows were made with, and a digest.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import secrets
from functools import cache
from pathlib import Path
from typing import Any

from .. import __version__
from ..data.files import PART, atomic_write
from .base import Experiment, Row, Task


class CannotWrite(OSError):
    """The disk is full, or the folder cannot be written."""


class Damaged(ValueError):
    """A file of the cache that does not contain a finished task."""


def prepare(out: Path) -> list[Path]:
    """Create the folders, check that they can be written, and list incomplete files of earlier runs.

    To be called before work that would otherwise be lost; `sweep` the list when the work is done.
    """
    folders = (out, out / ".cache")
    try:
        folders[1].mkdir(parents=True, exist_ok=True)
        left = [part for folder in folders for part in folder.glob(f"*{PART}")]
        for folder in folders:
            probe = folder / f"probe-{secrets.token_hex(8)}{PART}"
            _replace(probe, b"\n")
            probe.unlink()
    except OSError as error:
        raise _cannot(out, error) from error
    return left


def sweep(left: list[Path]) -> None:
    """Remove incomplete files of earlier runs."""
    for part in left:
        part.unlink(missing_ok=True)


def write(path: Path, content: bytes) -> None:
    """Write a file completely or not at all: under another name, synced to the disk, then renamed."""
    try:
        _replace(path, content)
    except OSError as error:
        raise _cannot(path, error) from error


def _replace(path: Path, content: bytes) -> None:
    with atomic_write(path, "wb") as file:
        file.write(content)


def place(out: str | os.PathLike, name: str, end: str) -> Path:
    """Return the path NAME + END in the folder; raise an error if it is outside of the folder.

    >>> place("results", "rates", ".csv").as_posix()
    'results/rates.csv'
    """
    if not name or name.startswith(".") or set(name) & set("/\\\0"):
        raise ValueError(f"The name of an experiment must not contain a slash or begin with a dot. Got {name!r}.")
    return Path(out) / f"{name}{end}"


def key(experiment: Experiment, task: Task) -> str:
    """Return what the rows of a task depend on, as text."""
    said = {"experiment": experiment.name, "version": experiment.version, "infimum": __version__, "task": task}
    return json.dumps(said, sort_keys=True)


def file_of(out: str | os.PathLike, experiment: Experiment, task: Task) -> Path:
    """Return the file of the rows of a task."""
    digest = hashlib.sha256(key(experiment, task).encode()).hexdigest()[:20]
    return place(Path(out) / ".cache", experiment.name, f"-{digest}.json")


def keep(file: Path, experiment: Experiment, task: Task, rows: list[Row]) -> None:
    """Write the rows of a finished task."""
    if not rows:
        raise ValueError(
            f"The task {task} of the experiment {experiment.name} returned no rows. At least one is required."
        )
    text = json.dumps(rows, default=lambda number: number.item())
    content = {"key": key(experiment, task), "versions": versions(), "rows": json.loads(text)}
    write(file, json.dumps({**content, "sha256": _digest(content)}).encode())


def load(file: Path, experiment: Experiment, task: Task) -> list[Row]:
    """Return the rows of a finished task, each with the versions that it was computed with.

    Raises
    ------
    FileNotFoundError
        The task is not finished.
    Damaged
        The file is empty, cut short, changed, or that of another task.
    """
    try:
        content = json.loads(file.read_bytes())
    except ValueError as error:  # not JSON, or not text
        raise Damaged(f"{file} is incomplete ({error})") from error
    if not isinstance(content, dict) or content.keys() != {"key", "versions", "rows", "sha256"}:
        raise Damaged(f"{file} does not contain a task and its rows")
    if content["key"] != key(experiment, task):
        raise Damaged(f"{file} contains another task")
    if content.pop("sha256") != _digest(content) or not content["rows"]:
        raise Damaged(f"{file} was changed after it was written")
    return [{**row, "versions": content["versions"]} for row in content["rows"]]


@cache
def versions() -> str:
    """Return the versions of the packages with which this process computes."""
    used = [f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "scipy", "scikit-learn")]
    return "; ".join([f"infimum {__version__}", *used])


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _cannot(path: Path, error: OSError) -> CannotWrite:
    return CannotWrite(
        f"{path} cannot be written ({error.strerror or error}). What was finished is kept: make room there, or give "
        "the right to write, and run the same again; or name another folder."
    )
