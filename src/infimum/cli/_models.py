"""Create, save and load the models of the commands."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile, is_zipfile

from sklearn.pipeline import Pipeline

from ..data.errors import InfimumWarning
from ..data.features import Features
from ..data.files import atomic_write
from ..data.limits import check_zip
from ..data.token_columns import TokenColumns
from ..disambiguation import Disambiguation
from ..estimators import PartialSequenceTagger, estimator_for
from ..outputs import OUTPUT_TYPES, OutputSpace
from ._console import writing
from ._options import TableOptions, is_own

if TYPE_CHECKING:
    from ._table import LoadedTable

NEEDED = "output_type"
"""The part of a saved model that names the user's own output type."""

# what loading a broken file may raise
BROKEN = (ValueError, KeyError, IndexError, AttributeError, TypeError, OSError, ImportError, BadZipFile, RecursionError)


def pipeline(
    output: OutputSpace, principle: Any = "auto", weights: str = "auto", columns: dict[str, str] | None = None,
    noise: str | None = None,
) -> Pipeline:  # fmt: skip
    """Return an unfitted pipeline: the features of a table, then the estimator for an output space."""
    model = estimator_for(output, principle=principle, weights=weights)
    if noise is not None:
        if "noise" not in model.get_params(deep=False):
            raise ValueError(f"--noise is for labels, tags, rankings and numbers, not for {output.kind}.")
        model.set_params(noise=noise if noise in ("auto", "estimate") else None if noise == "none" else float(noise))
    return Pipeline([("features", Features(columns=columns or None)), ("model", model)])


def pipeline_for(
    table: LoadedTable, principle: str = "auto", weights: str = "auto", noise: str | None = None
) -> Pipeline:
    """Return an unfitted pipeline for a table; a tagger of sequences if its rows are tokens."""
    if table.constraints is not None:
        if principle not in ("auto", "disambiguation"):
            raise ValueError("--shares needs --principle disambiguation.")
        return pipeline(table.output, Disambiguation(constraints=table.constraints), weights, table.columns, noise)
    if table.sequence is None:
        return pipeline(table.output, principle, weights, table.columns, noise)
    if weights != "auto" or principle not in ("auto", "disambiguation") or noise is not None:
        raise ValueError(
            "--weights, --principle and --noise do not apply to sequences, which have a model of their own."
        )
    classes = table.output.get_params()["classes"]
    tagger = PartialSequenceTagger(table.transitions, classes, table.sequence)
    return Pipeline([("features", TokenColumns(table.sequence)), ("model", tagger)])


def save(path: Path, model: Pipeline, about: dict[str, Any]) -> None:
    """Write a model, completely or not at all."""
    import skops.io

    model.about_ = about
    data = BytesIO(skops.io.dumps(model))
    if is_own(about["kind"]):
        with ZipFile(data, "a") as parts:
            parts.writestr(NEEDED, about["kind"])
    with writing(path), atomic_write(path, "wb") as file:
        file.write(data.getvalue())


def load(path: Path, kind: str | None = None) -> tuple[Pipeline, dict[str, Any]]:
    """Return a model that `save` wrote, and its description; no code in the file is run.

    Types of the package of `kind`, the user's own output type as MODULE:CLASS, are trusted, too.
    """
    import skops.io
    from skops.io.exceptions import UntrustedTypesFoundException

    from ..io.trusted import TRUSTED_TYPES

    data = path.read_bytes()
    if is_zipfile(BytesIO(data)):
        check_zip(path.name, ZipFile(BytesIO(data)))
    try:
        own = [] if kind is None else _types_of_package(data, kind)
        model = skops.io.loads(data, trusted=[*TRUSTED_TYPES, *own])
    except UntrustedTypesFoundException as error:
        needed = _needed_type(data)
        if needed is not None and needed != kind:
            raise ValueError(
                f"{path.name} needs the output type {needed}, which is not part of infimum. Loading it runs its code."
                f" If you trust it, pass --kind {needed}"
            ) from error
        raise ValueError(f"{path.name} contains types that are not trusted, so it is not loaded: {error}") from error
    except MemoryError as error:
        raise ValueError(f"{path.name} does not fit into memory. {error}") from error
    except BROKEN as error:
        if isinstance(error, BadZipFile) and data[:2] == b"PK":  # the beginning of every model
            raise ValueError(
                f"{path.name} is damaged or incomplete ({type(error).__name__}). Copy it again, or write it again with"
                " `infimum fit`."
            ) from error
        raise ValueError(f"{path.name} is not a model that `infimum fit` wrote ({type(error).__name__}).") from error
    about = vars(model).get("about_") if isinstance(model, Pipeline) else None
    if not isinstance(about, dict):
        raise ValueError(f"{path.name} is not a model that `infimum fit` wrote. It contains {type(model).__name__}.")
    _warn_if_newer(path, str(about.get("version", "")))
    return model, about


def of_model(options: TableOptions, about: dict[str, Any], kind: str | None = None) -> TableOptions:
    """Return the options of a table that is read for a model: target, output type and meaning of cells as in `fit`."""
    target = options.target or list(about["target"])
    known = {"missing": about.get("missing", []), "sequence": about.get("sequence"), "offered": about.get("names", [])}
    known["merges"] = about.get("merges", [])
    if not options.target:
        known |= {"soft": about.get("soft", False), "event": about.get("event")}
    known |= {name: getattr(options, name) or about.get(name) for name in ("meaning", "unticked", "separator")}
    return replace(options, target=target, kind=kind or about["kind"], **known)


def _types_of_package(data: bytes, kind: str) -> list[str]:
    """Return the names of types in a saved model that belong to the package of the user's output type."""
    import skops.io

    package = OUTPUT_TYPES[kind].__module__.partition(".")[0]
    return [name for name in skops.io.get_untrusted_types(data=data) if name.startswith(f"{package}.")]


def _needed_type(data: bytes) -> str | None:
    """Return the user's output type that a saved model needs, as MODULE:CLASS."""
    with ZipFile(BytesIO(data)) as parts:
        found = parts.read(NEEDED).decode(errors="replace") if NEEDED in parts.namelist() else ""
    return found if is_own(found) else None


def _warn_if_newer(path: Path, version: str) -> None:
    """Warn if a later version of the library wrote the model: it may contain what this version ignores."""
    import infimum

    if _release(version) > _release(infimum.__version__):
        warnings.warn(
            f"{path.name} was written by infimum {version}, and this is infimum {infimum.__version__}. Predictions may"
            " differ. Update with: pip install -U infimum",
            InfimumWarning,
            stacklevel=3,
        )


def _release(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, without the suffix of a development version.

    >>> _release("0.2.0.dev0")
    (0, 2, 0)
    """
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()


def texts(output: OutputSpace, cells: list) -> list[str]:
    """Return cells in the notation of tables, an empty text for unlabelled rows."""
    return [text or "" for text in output.cells_to_text(cells)]
