"""infimum clean: estimate the most likely output of every row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..diagnostics.audit import label_errors
from ..estimators.base import validated
from ..selection import out_of_fold
from ..selection.scores import compare_with_constant, labelled_weight
from . import _options as o
from ._console import TABLES, check_out, print_result, running
from ._models import pipeline_for, texts
from ._table import read
from ._words import model_lines
from .fit import fitted, labelled_rows
from .predict import append_columns

FOLDS = 5


@o.table_options(*o.TO_LEARN)
def clean(
    file: o.File,
    options: o.TableOptions,
    out: o.out("clean.csv", "the table") = Path("clean.csv"),  # type: ignore[valid-type]
    weights: o.Weights = "auto",
    noise: o.Noise = None,
    as_json: o.Json = False,
    escape: o.Escape = True,
    quiet: o.Quiet = False,
) -> None:
    """Estimate the most likely label of each row, and find likely label errors.

    The output has the columns of the table and five more. `clean` is the most likely member of the candidate set, and
    `confidence` its probability. `tied` marks rows with two equally likely candidates. `support` is the held-out
    probability of the candidate set, and `suspect` marks likely label errors. If the model is not better than the best
    constant prediction, the columns do not allow conclusions about the labels, and the summary contains a warning.

    Example: `infimum clean tickets.csv --target label --ignore minutes`
    """
    check_out(out, TABLES, file)
    with running(["reading", "finding labels", "writing"], file, quiet or as_json) as stages:
        table = read(file, options)
        stages.next()
        pipe = fitted(table, pipeline_for(table, "disambiguation", weights, noise))
        new = cleaned(pipe, table.X)
        scores = held_out_scores(pipe, table.X)
        stages.next()
        append_columns(out, file, table.rows, new, escape)
    lines, found = model_lines(table, pipe, scores, int(labelled_rows(table, pipe[-1]).sum()))
    confidence = float(np.mean(new["confidence"])) if "confidence" in new else None
    found |= {"clean": out, "beats_constant": scores.get("beats_constant")}
    found |= {name: sum(new[name]) for name in ("tied", "suspect")}
    found |= {} if confidence is None else {"confidence": confidence}
    shown = [("Rows", str(len(table)))]
    if scores.get("beats_constant") is not False:
        shown += [] if confidence is None else [("Mean confidence", f"{confidence:.3f}")]
        shown += [("Tied rows", str(found["tied"])), ("Suspect rows", str(found["suspect"]))]
    print_result(found, as_json, f"{out} written", shown + lines, stages.notes, table.named)


def cleaned(pipe: Any, X: Any) -> dict[str, list]:
    """Return the new columns, from a model that was fitted by disambiguation."""
    model = pipe[-1]
    output, sets, found, n = model.output_, model.sets_, model.disambiguation_, len(model.sets_)
    new: dict[str, list] = {"clean": texts(output, output.outputs_to_cells(found.labels))}
    if found.confidence is not None:
        new["confidence"] = np.round(found.confidence, 4).tolist()
    new["tied"] = _flags(found.tied, n)
    support, suspects = found.support, found.suspects
    if support is None and n > 1 and hasattr(model, "recipe_"):
        features = validated(model, pipe[:-1].transform(X))
        support, suspects = label_errors(features, output, sets, model.recipe_.weights, found)
    if support is not None:
        new["support"] = np.round(np.clip(support, 0, 1), 4).tolist()
    new["suspect"] = _flags(suspects, n)
    return new


def held_out_scores(pipe: Any, X: Any) -> dict[str, Any]:
    """Return the scores of the selection, or of a cross-validation if nothing was selected; empty if impossible."""
    model = pipe[-1]
    if model.selection_ is not None and model.selection_.scores:
        return model.selection_.scores
    if model.sets_.is_unlabelled.all():
        return {}
    features = validated(model, pipe[:-1].transform(X))
    try:
        z = out_of_fold(model.recipe_, features, model.output_, model.sets_, cv=FOLDS).z
    except ValueError:  # all rows are the same
        return {}
    w = labelled_weight(model.output_, model.sets_)
    return compare_with_constant(model.output_, model.sets_, z, w)


def _flags(rows: Any, n: int) -> list[int]:
    return np.isin(np.arange(n), rows).astype(int).tolist()
