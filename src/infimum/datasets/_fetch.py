"""The data folder: find a data set's files there, or let pooch bring them from their public home by their checksum."""

import contextlib
import hashlib
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from infimum.data.errors import InfimumWarning

from ._registry import REGISTRY, Entry, checksums, names


def data_folder(data_home: str | os.PathLike | None = None) -> Path:
    """Folder of the data sets: `data_home`, else the environment variable INFIMUM_DATA, else ``~/infimum_data``.

    Parameters
    ----------
    data_home : path, optional
        Asked first; then ``INFIMUM_DATA``, then ``~/infimum_data``.

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

    What is in the folder is taken as it is, with a warning where it is not the registered version. What is missing is
    downloaded by pooch (``pip install "infimum[data]"``) under a temporary name and kept only if it has the registered
    SHA-256: an interrupted or tampered download never looks like data, and a failed one leaves nothing behind.

    Parameters
    ----------
    name : str
        ``"collection/name"``, one of `names`.
    data_home : path, optional
        See `data_folder`.
    download : bool, default=True
        Whether missing files may be downloaded. Progress is shown where stderr is a terminal.
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
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    if digest != checksums()[file]:
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
    try:
        import pooch
    except ImportError as error:
        how = f'Downloading needs the package pooch, pip install "infimum[data]": install it, or get it from {url}'
        raise FileNotFoundError(_missing(name, path, how)) from error
    downloader = pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=timeout)
    with _no_empty_folders(path.parent):
        try:
            pooch.retrieve(url, f"sha256:{checksums()[file]}", path.name, path.parent, downloader=downloader)
        except OSError as error:  # those of requests are among them
            how = f"Downloading {url} failed ({error}): get it there"
            raise FileNotFoundError(_missing(name, path, how)) from error
        except ValueError as error:
            raise OSError(
                f"{name}: {url} does not serve the registered file: {error} Nothing was kept. "
                f"To use it all the same, save it yourself as {path}."
            ) from error


@contextlib.contextmanager
def _no_empty_folders(folder: Path) -> Iterator[None]:
    """Where the block fails, the folders that it made on the way to `folder` go, unless something lies in them."""
    new = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        yield
    except BaseException:  # a download that was interrupted too
        with contextlib.suppress(OSError):
            for each in new:
                each.rmdir()
        raise


def _missing(name: str, path: Path, how: str) -> str:
    return (
        f"{name}: the file {path.name} is not at {path}. {how} and save it under that path, or name the folder that "
        "has it with data_home= or the environment variable INFIMUM_DATA."
    )
