"""The models of the commands: composed by kind, saved by skops, loaded with the types that are trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from sklearn.pipeline import Pipeline

from .. import PartialClassifier, PartialMultilabelClassifier, PartialRanker, PartialRegressor
from ..data.features import Features
from ..data.files import atomic_write
from ..io._records import text_cells
from ..io._table_cells import _label_objects, _number_objects, _order_objects, _tag_objects
from ..outputs import Labels, OutputSpace, Rankings, Sets, Tags
from ._say import written
from ._table import SPACES

# what a broken file may raise
BROKEN = (ValueError, KeyError, IndexError, AttributeError, TypeError, OSError, ImportError, BadZipFile)
ESTIMATORS: dict[str, Any] = {
    "labels": PartialClassifier,
    "tags": PartialMultilabelClassifier,
    "order": PartialRanker,
    "number": PartialRegressor,
}


def composed(kind: str, principle: str = "auto", weights: str = "auto", classes: list | None = None) -> Any:
    """An estimator for a kind of target; what is "auto" is chosen from the sets."""
    named = {"classes": classes} if kind == "labels" and classes else {}
    chosen = "auto" if "auto" in (principle, weights) else "inside"
    return ESTIMATORS[kind](principle=principle, negative_weights=chosen, weights=weights, **named)


def pipeline(kind: str, principle: str = "auto", weights: str = "auto", classes: list | None = None) -> Pipeline:
    """Features of a table, then the model."""
    return Pipeline([("features", Features()), ("model", composed(kind, principle, weights, classes))])


def save(path: Path, model: Pipeline, about: dict[str, Any]) -> None:
    """Write a model whole or not at all."""
    import skops.io

    model.about_ = about
    data = skops.io.dumps(model)
    with written(path), atomic_write(path, "wb") as file:
        file.write(data)


def load(path: Path) -> tuple[Pipeline, dict[str, Any]]:
    """A model that `save` wrote, and what it says about itself; nothing in the file is run."""
    import skops.io
    from skops.io.exceptions import UntrustedTypesFoundException

    from ..io.trusted import TRUSTED_TYPES

    data = path.read_bytes()
    try:
        model = skops.io.loads(data, trusted=TRUSTED_TYPES)
    except UntrustedTypesFoundException as error:
        raise ValueError(f"{path.name} holds types that are not trusted, so it is not loaded: {error}") from error
    except BROKEN as error:
        raise ValueError(f"{path.name} is no model that `infimum fit` wrote ({type(error).__name__}).") from error
    about = vars(model).get("about_") if isinstance(model, Pipeline) else None
    if not isinstance(about, dict):
        raise ValueError(f"{path.name} is no model that `infimum fit` wrote: it holds {type(model).__name__}.")
    return model, about


def cells(output: OutputSpace, readable: Any) -> list[str]:
    """Outputs, as the user names them, in the notation of tables, which every command reads back."""
    if isinstance(output, Labels):
        return [str(name) for name in readable]
    if isinstance(output, Tags):
        names = output.tags_.tolist()
        return text_cells([{name: bool(v > 0) for name, v in zip(names, row)} for row in readable], "tags")
    if isinstance(output, Rankings):
        return [">".join(map(str, row)) for row in readable]
    return text_cells([float(f"{float(value):.10g}") for value in np.ravel(readable)], "number")


def set_cells(output: OutputSpace, sets: Sets) -> list[str]:
    """Sets in the notation of tables."""
    kind = next(name for name, space in SPACES.items() if isinstance(output, space))
    read = {"labels": _label_objects, "tags": _tag_objects, "order": _order_objects, "number": _number_objects}[kind]
    return ["" if text is None else text for text in text_cells(read(output, sets, [None] * len(sets)), kind)]
