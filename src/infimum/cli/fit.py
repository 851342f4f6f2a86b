"""infimum fit: train a model on a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..data.errors import listed
from ..selection.scores import is_labelled
from . import _options as o
from ._console import MODELS, check_out, print_result, rows_called, running
from ._models import pipeline_for, save
from ._table import LoadedTable, read
from ._words import model_lines, prediction_set_sizes, selected, unlabelled_rows


@o.table_options(*o.TO_LEARN)
def fit(
    file: o.File,
    options: o.TableOptions,
    out: o.out("model.skops", "the model") = Path("model.skops"),  # type: ignore[valid-type]
    weights: o.Weights = "auto",
    principle: o.Principle = "auto",
    noise: o.Noise = None,
    level: o.Level = None,
    covers: o.Covers = "truth",
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Train a model on a table of partial labels, and write it.

    Options at "auto" are selected by cross-validation on the table. Ctrl-C ends the selection. The best model so far is
    then fitted and written, and the exit code is 3. With --level, a second model is fitted to 70 % of the rows and
    calibrated on the others. `predict` then also writes a prediction set with that coverage.

    Example: `infimum fit tickets.csv --target label --ignore minutes`
    """
    check_out(out, MODELS, file)
    with running(["reading", "fitting", "writing"], file, quiet or as_json) as stages:
        table = read(file, options)
        stages.next()
        model = fitted(table, pipeline_for(table, principle, weights, noise))
        conformal, set_sizes = None, ""
        if level is not None:
            conformal = model.conformal_ = prediction_sets(table, model, level, covers)
            sets = conformal.predict_set(model[:-1].transform(table.X))
            set_sizes = prediction_set_sizes(conformal, sets, model[-1].sets_)
        stages.next()
        save(out, model, about(table, options))
    n_empty, labelled = sum(cell is None for cell in table.cells), labelled_rows(table, model[-1])
    found_scores = {} if model[-1].selection_ is None else model[-1].selection_.scores
    lines, found = model_lines(table, model, found_scores, int(labelled.sum()))
    what = "Classes" if table.named is None else table.named.what.capitalize()
    rows = [
        ("Rows", f"{len(table)} of {table.kind}, {unlabelled_rows(n_empty, labelled)}"),
        *_assumed_meaning(table, options),
        *([(what, f"{len(table.classes)}: {listed(table.classes)}")] if table.classes else []),
        *lines,
        *([] if conformal is None else [("Prediction sets", conformal.guarantee_), ("", set_sizes)]),
    ]
    found |= {
        "model": out, "chosen": selected(model[-1]), "classes": table.classes, "columns": table.describe(model[0]),
        "guarantee": None if conformal is None else conformal.guarantee_, "prediction_sets": set_sizes or None,
    }  # fmt: skip
    print_result(found, as_json, f"{out} written", rows, stages.notes, table.named)


def _assumed_meaning(table: LoadedTable, options: o.TableOptions) -> list[tuple[str, str]]:
    """Return a line about cells with several names, if the user has not set what they mean."""
    if table.kind != "labels" or options.kind or options.meaning or len(table.target) > 1:
        return []
    cells = [row.get(table.target[0]) for row in table.rows]
    signs = {"|", options.separator or "|"}
    several = [cell for cell in cells if isinstance(cell, str) and any(sign in cell.strip("!|") for sign in signs)]
    if not several:
        return []
    return [("", f"{len(several)} cells such as {several[0]!r}: one of the names; if all apply, pass --meaning all_of")]


def labelled_rows(table: LoadedTable, model: Any) -> NDArray:
    """Return which rows count in scores, (n,) boolean; for tokens, those with a label."""
    if table.sequence is not None:
        return np.array([cell is not None for cell in table.cells])
    return is_labelled(model.output_, model.sets_)


def fitted(table: LoadedTable, model: Any) -> Any:
    """Return the fitted pipeline; errors name the lines of the file.

    Several answers about one row are held out together in cross-validation.
    """
    repeated = table.annotators is not None and len(set(table.ids)) < len(table.ids)
    settings = {"model__groups": table.ids} if repeated else {}
    with rows_called(table.places):
        return model.fit(table.X, table.y(), **settings)


def prediction_sets(table: LoadedTable, pipe: Any, level: float, covers: str) -> Any:
    """Return prediction sets that are selected, fitted and calibrated on disjoint parts of the rows."""
    from ..conformal import Conformal

    model, X, y = clone(pipe[-1]), pipe[:-1].transform(table.X), table.y()
    with rows_called(table.places):
        return Conformal(model, confidence_level=level, covers=covers).fit(X, y)


def about(table: LoadedTable, options: o.TableOptions) -> dict[str, Any]:
    """Return the description that is saved with a model."""
    import infimum

    return {
        "kind": table.kind, "target": table.target, "file": table.path.name, "missing": options.missing,
        "version": infimum.__version__, "sequence": table.sequence, "meaning": options.meaning,
        "unticked": options.unticked, "separator": options.separator, "soft": options.soft, "event": options.event,
        "names": list(table.classes),
        "merges": [] if table.named is None else table.named.merges,
    }  # fmt: skip
