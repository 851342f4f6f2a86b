"""The data folder: find a data set's files there, or bring them from their public home."""

import hashlib
import os
import shutil
import tempfile
import warnings
from pathlib import Path
from urllib.request import urlopen

from infimum._warnings import InfimumWarning

from ._registry import REGISTRY, Entry, checksums, names


def data_folder(data_home: str | os.PathLike | None = None) -> Path:
    """Folder of the data sets: `data_home`, else the environment variable INFIMUM_DATA, else ``~/infimum_data``.

    Examples
    --------
    >>> from infimum.datasets import data_folder
    >>> data_folder("some/where").as_posix()
    'some/where'
    """
    return Path(data_home or os.environ.get("INFIMUM_DATA") or Path("~", "infimum_data")).expanduser()


def fetch(
    name: str, data_home: str | os.PathLike | None = None, *, download: bool = True, timeout: float = 30.0
) -> tuple[Path, ...]:
    """Paths of a data set's files, downloaded first where they are missing.

    A download is written beside its destination under a temporary name, checked against the registered SHA-256 and then
    renamed: an interrupted or tampered download never looks like data.

    Parameters
    ----------
    name : str
        ``"collection/name"``, one of `names`.
    data_home : path, optional
        See `data_folder`.
    download : bool, default=True
        Whether missing files may be downloaded.
    timeout : float, default=30
        Seconds without an answer after which a download is given up.

    Returns
    -------
    tuple of Path

    Raises
    ------
    FileNotFoundError
        A file is missing and cannot be downloaded: the message says where it was looked for and where to get it.
    OSError
        A download does not have the registered checksum.

    Examples
    --------
    >>> from infimum.datasets import fetch
    >>> fetch("mulan/scene", "/nowhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    FileNotFoundError: mulan/scene: the file scene-train.arff is not at /nowhere/mulan/scene-train.arff. ...
    """
    if name not in REGISTRY:
        raise ValueError(f"unknown data set {name!r}; known names: {', '.join(names())}")
    entry, folder = REGISTRY[name], data_folder(data_home)
    for file in entry.files:
        path = folder / file
        if path.is_file():
            _warn_if_other(path, file)
        else:
            _bring(name, entry, file, path, download, timeout)
    return tuple(folder / file for file in entry.files)


def _warn_if_other(path: Path, file: str) -> None:
    if _sha256(path) != checksums()[file]:
        warnings.warn(
            f"{path} is not the registered version of {file} (its SHA-256 differs): results may differ "
            "from published ones; delete it to have the registered version fetched.",
            InfimumWarning,
            stacklevel=3,
        )


def _bring(name: str, entry: Entry, file: str, path: Path, download: bool, timeout: float) -> None:
    url = entry.url(file)
    if url is None:
        raise FileNotFoundError(_missing(name, path, f"It has no direct address: get it from {entry.home}"))
    if not download:
        raise FileNotFoundError(_missing(name, path, f"Downloading is off: get it from {url}"))
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as out:
            try:
                with urlopen(url, timeout=timeout) as answer:
                    shutil.copyfileobj(answer, out)
            except OSError as error:
                how = f"Downloading {url} failed ({error}): get it there"
                raise FileNotFoundError(_missing(name, path, how)) from error
        got = _sha256(Path(temporary))
        if got != checksums()[file]:
            raise OSError(
                f"{name}: {url} does not serve the registered file: SHA-256 {got}, expected {checksums()[file]}. "
                f"Nothing was kept. To use it all the same, save it yourself as {path}."
            )
        os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _missing(name: str, path: Path, how: str) -> str:
    return (
        f"{name}: the file {path.name} is not at {path}. {how} and save it under that path, or name the folder that "
        "has it with data_home= or the environment variable INFIMUM_DATA."
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
