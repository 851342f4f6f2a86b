"""The data folder, and downloads by pooch that are verified by checksums."""

import contextlib
import hashlib
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from infimum.data.errors import InfimumWarning

from ._registry import REGISTRY, DatasetEntry, checksums, list_datasets


def data_folder(data_home: str | os.PathLike | None = None) -> Path:
    """Return the folder of the data sets.

    Parameters
    ----------
    data_home : path, optional
        The folder; by default the environment variable ``INFIMUM_DATA``, or else ``~/infimum_data``.

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
    """Return the paths of the files of a data set, and download missing files.

    Files in the folder are used as they are, with a warning if they are not the registered version. Missing files are
    downloaded by pooch (``pip install "infimum[data]"``) under a temporary name, and kept only if they have the
    registered SHA-256. An interrupted or failed download leaves no file behind.

    Parameters
    ----------
    name : str
        ``"collection/name"``, one of `list_datasets()`.
    data_home : path, optional
        See `data_folder`.
    download : bool, default=True
        Whether to download missing files. Progress is shown if stderr is a terminal.
    timeout : float, default=30
        Seconds without a response after which a download fails.

    Returns
    -------
    tuple of Path

    Raises
    ------
    FileNotFoundError
        A file is missing and cannot be downloaded. The message contains its path and its address.
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
        raise ValueError(f"There is no data set {name!r}. Names: {', '.join(list_datasets())}.")
    entry, folder = REGISTRY[name], data_folder(data_home)
    for file in entry.files:
        path = folder / file
        if path.is_file():
            _warn_if_other(path, file)
        else:
            _download(name, entry, file, path, download, timeout)
    return tuple(folder / file for file in entry.files)


def _warn_if_other(path: Path, file: str) -> None:
    with path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    if digest != checksums()[file]:
        warnings.warn(
            f"{path} differs from the registered version of {file} (its SHA-256 differs), so results may differ from"
            " published ones. Delete the file to download the registered version.",
            InfimumWarning,
            stacklevel=3,
        )


def _download(name: str, entry: DatasetEntry, file: str, path: Path, download: bool, timeout: float) -> None:
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
        except OSError as error:  # errors of requests are subclasses
            how = f"Downloading {url} failed ({error}): get it there"
            raise FileNotFoundError(_missing(name, path, how)) from error
        except ValueError as error:
            raise OSError(
                f"{name}: {url} does not return the registered file: {error} Nothing was kept. "
                f"To use it all the same, save it yourself as {path}."
            ) from error


@contextlib.contextmanager
def _no_empty_folders(folder: Path) -> Iterator[None]:
    """Remove the empty folders that the context created on the way to `folder`, if it raises an error."""
    new = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        yield
    except BaseException:  # also if a download is interrupted
        with contextlib.suppress(OSError):
            for each in new:
                each.rmdir()
        raise


def _missing(name: str, path: Path, how: str) -> str:
    return (
        f"{name}: the file {path.name} is not at {path}. {how} and save it under that path, or name the folder that "
        "has it with data_home= or the environment variable INFIMUM_DATA."
    )
