"""infimum predict: predict the rows of a table."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from ..io._files import name_of
from ..io._meaning import ReadOptions
from ..io.tables import records_of, write_rows
from . import _options as o
from ._console import TABLES, check_out, errors_as_messages, print_result, rows_called, running, writing
from ._models import load, texts
from ._table import load as load_file
from ._words import mean_size, predictions


@o.table_options("sep", "encoding", "header")
def predict(
    model: o.Model,
    file: o.File,
    options: o.TableOptions,
    out: o.out("predictions.csv", "the predictions") = Path("predictions.csv"),  # type: ignore[valid-type]
    kind: o.ModelKind = None,
    as_json: o.Json = False,
    escape: o.Escape = True,
    quiet: o.Quiet = False,
) -> None:
    """Predict every row of a table.

    The output has the columns of the table and two more: `prediction`, and `confidence`, the probability of the
    prediction. The confidence is empty if the selected model has no probabilities. After `fit --level` there is also a
    column `set`, a prediction set with that coverage. It comes from a second model, so a few predictions may not be in
    their set. They are counted.

    Example: `infimum predict model.skops tickets_new.csv --out predictions.csv`
    """
    check_out(out, TABLES, file, model)
    with running(["reading", "predicting", "writing"], file, quiet or as_json) as stages:
        with errors_as_messages(model):
            pipe, about = load(model, kind)
        loaded = load_file(file, options)
        cells = loaded.without(about.get("missing", []))
        X = records_of(cells, None, None, None, ReadOptions(), keep_text=True).data
        rows = [{name: found.value.get(name) for name in loaded.columns} for found in loaded.rows]
        stages.next()
        with rows_called([found.place for found in loaded.rows]):
            new, sets, outside = predicted(pipe, X)
        stages.next()
        append_columns(out, file, rows, new, escape, loaded.columns)
    shown: list[tuple[str, Any]] = [("Rows", len(rows)), *predictions(about["kind"], new["prediction"])]
    known = [value for value in new["confidence"] if value is not None]
    shown += [("Mean confidence", f"{np.mean(known):.3f}")] if known else []
    shown += [] if sets is None else [(f"Prediction sets, mean {sets.size_unit}", mean_size(sets))]
    if outside:
        why = "prediction sets come from a second model, which `fit --level` fitted to 70 % of the rows"
        stages.notes.append(f"{outside} of {len(rows)} predictions are not in their prediction set: {why}.")
    counts = dict(Counter(new["prediction"])) if about["kind"] == "labels" else None
    found = {"predictions": out, "rows": len(rows), "kind": about["kind"], "counts": counts}
    print_result(found, as_json, f"{out} written", shown, stages.notes)


def predicted(pipe: Any, X: Any) -> tuple[dict[str, list], Any, int]:
    """Return the new columns, the prediction sets if there are any, and how many do not contain the prediction.

    Which columns there are does not depend on the selected model.
    """
    conformal = vars(pipe).get("conformal_")
    if not len(X):
        return {"prediction": [], "confidence": [], **({} if conformal is None else {"set": []})}, None, 0
    model, features = pipe[-1], pipe[:-1].transform(X)
    output = model.output_
    confidence: list = [None] * len(features)
    if hasattr(model, "predict_proba"):
        confidence = np.round(model.predict_proba(features).max(axis=1), 4).tolist()
    prediction = texts(output, output.outputs_to_cells(model.predict(features)))
    found: dict[str, list] = {"prediction": prediction, "confidence": confidence}
    if conformal is None:
        return found, None, 0
    sets = conformal.predict_set(features)
    written = [text or output.text_of_all_outputs for text in texts(output, output.to_cells(sets))]
    return {**found, "set": written}, sets, int(np.sum(~sets.contains(model.outputs(features))))


def append_columns(
    out: Path, file: Path, rows: list[dict], new: dict[str, list], escape: bool, columns: list[str] | None = None
) -> None:
    """Write the rows of a file with new columns."""
    columns = list(rows[0]) if columns is None else columns
    taken = [name for name in new if name in columns]
    if taken:
        raise ValueError(f"{name_of(file)} has a column {taken[0]!r} already, which would be written. Rename it first.")
    with writing(out):
        cells = [{**row, **{name: column[k] for name, column in new.items()}} for k, row in enumerate(rows)]
        write_rows(out, [*columns, *new], cells, escape)
