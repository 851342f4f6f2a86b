"""Create, save and load the models of the commands."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from sklearn.pipeline import Pipeline

from ..data.errors import InfimumWarning
from ..data.features import Features
from ..data.files import atomic_write
from ..estimators import estimator_for
from ..outputs import OutputSpace
from ._console import writing

# what loading a broken file may raise
BROKEN = (ValueError, KeyError, IndexError, AttributeError, TypeError, OSError, ImportError, BadZipFile)


def pipeline(
    output: OutputSpace, principle: str = "auto", weights: str = "auto", columns: dict[str, str] | None = None
) -> Pipeline:
    """Return an unfitted pipeline: the features of a table, then the estimator for an output space."""
    model = estimator_for(output, principle=principle, weights=weights)
    return Pipeline([("features", Features(columns=columns or None)), ("model", model)])


def save(path: Path, model: Pipeline, about: dict[str, Any]) -> None:
    """Write a model, completely or not at all."""
    import skops.io

    model.about_ = about
    data = skops.io.dumps(model)
    with writing(path), atomic_write(path, "wb") as file:
        file.write(data)


def load(path: Path) -> tuple[Pipeline, dict[str, Any]]:
    """Return a model that `save` wrote, and its description; no code in the file is run."""
    import skops.io
    from skops.io.exceptions import UntrustedTypesFoundException

    from ..io.trusted import TRUSTED_TYPES

    data = path.read_bytes()
    try:
        model = skops.io.loads(data, trusted=TRUSTED_TYPES)
    except UntrustedTypesFoundException as error:
        raise ValueError(f"{path.name} contains types that are not trusted, so it is not loaded: {error}") from error
    except BROKEN as error:
        raise ValueError(f"{path.name} is not a model that `infimum fit` wrote ({type(error).__name__}).") from error
    about = vars(model).get("about_") if isinstance(model, Pipeline) else None
    if not isinstance(about, dict):
        raise ValueError(f"{path.name} is not a model that `infimum fit` wrote. It contains {type(model).__name__}.")
    _warn_if_newer(path, str(about.get("version", "")))
    return model, about


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
