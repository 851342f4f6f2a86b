"""Checks of --out before any work is done."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ..io._load import SUFFIXES
from ._console import NOT_WRITTEN, USAGE, fail

LEAST_SPACE = 2**20
"""Free bytes on the disk without which no work is started."""

MODELS = (".skops",)
REPORTS = (".html", ".htm", ".md", ".json")
TABLES = (*SUFFIXES, ".tsv.gz", ".txt.gz", ".json.gz", ".jsonl.gz", ".ndjson.gz")


def check_out(out: Path, suffixes: tuple[str, ...], *inputs: Path) -> None:
    """Exit if the output is one of the inputs, has another suffix, or cannot be written where it is.

    Parameters
    ----------
    out : path
        The value of --out.
    suffixes : tuple of str
        How the name may end: `MODELS`, `REPORTS` or `TABLES`.
    *inputs : path
        The files that the command reads.
    """
    for file in inputs:
        if out.exists() and file.exists() and os.path.samefile(out, file):
            fail(f"--out must not be a file that is read. Got {out}, which would be overwritten.", USAGE)
    special = out.exists() and not out.is_file() and not out.is_dir()  # a pipe or a device has no format by its name
    if not out.name.lower().endswith(suffixes) and not (special and suffixes is not TABLES):
        listed = ", ".join(SUFFIXES if suffixes is TABLES else suffixes)
        fail(f"--out must end in {listed}. Got {out}.", USAGE)
    if out.is_dir():
        fail(f"{out} cannot be written: it is a folder.", NOT_WRITTEN)
    folder = Path(os.path.realpath(out)).parent
    if special:
        return
    if not folder.is_dir():
        fail(f"{out} cannot be written: there is no folder {out.parent}.", NOT_WRITTEN)
    if not os.access(folder, os.W_OK):
        fail(f"{out} cannot be written: the folder {folder} does not allow it.", NOT_WRITTEN)
    if shutil.disk_usage(folder).free < LEAST_SPACE:
        fail(f"{out} cannot be written: the disk of {folder} is full.", NOT_WRITTEN)
