"""infimum predict: predict the rows of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..io import read_table, write_table
from ..io.tables import load_table
from . import _options as o
from ._console import Notes, errors_as_messages, print_result, running, writing
from ._models import load, texts


def predict(
    model: o.Model,
    file: o.File,
    out: o.out("predictions.csv", "The predictions") = Path("predictions.csv"),  # type: ignore[valid-type]
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Predict every row of a table.

    The output has the columns of the table and `prediction`. For labels it also has `runner_up`, the second best class,
    and `margin`, the difference of their set risks. If the model provides them, there are `confidence` (the probability
    of the label), `support` (the probability that a set contains it) and `set` (a prediction set with the coverage of
    `fit --level`).
    """
    notes = Notes()
    with errors_as_messages(model), notes.collect():
        pipe, about = load(model)
    with running(["reading", "predicting", "writing"], file, quiet or as_json) as stages, notes.collect():
        stages.next()
        X = read_table(file).data
        rows = [found.value for found in load_table(file)]
        stages.next()
        new = predicted(pipe, X)
        stages.next()
        append_columns(out, file, rows, new)
    n = len(rows)
    means = [(name, values) for name, values in new.items() if name in ("margin", "confidence", "support") and n]
    shown = [("Rows", n), *((f"Mean {name}", f"{np.mean(values):.3f}") for name, values in means)]
    print_result({"predictions": out, "rows": n, "kind": about["kind"]}, as_json, f"{out} written", shown, notes)


def predicted(pipe: Any, X: Any) -> dict[str, list]:
    """Return the new columns."""
    model, features = pipe[-1], pipe[:-1].transform(X)
    if not len(features):
        return {"prediction": []}
    output = model.output_
    found: dict[str, list] = {"prediction": texts(output, output.outputs_to_cells(model.predict(features)))}
    if output.kind == "labels" and hasattr(model, "decision_function") and len(output.classes_) > 1:
        found |= _runner_up(output, class_scores(model, features))
    if hasattr(model, "predict_proba"):
        found["confidence"] = np.round(model.predict_proba(features).max(axis=1), 4).tolist()
    if hasattr(model, "plausibility"):
        best = class_scores(model, features).argmax(axis=1)
        support = np.take_along_axis(model.plausibility(features), best[:, None], axis=1)
        found["support"] = np.round(np.clip(support[:, 0], 0, 1), 4).tolist()
    conformal = vars(pipe).get("conformal_")
    if conformal is not None:
        found["set"] = texts(output, output.to_cells(conformal.predict_set(features)))
    return found


def class_scores(model: Any, X: Any) -> NDArray:
    """Return minus the estimated set risk of every class, (q, m), up to a constant per row."""
    scores = model.decision_function(X)
    return np.column_stack([np.zeros(len(scores)), scores]) if scores.ndim == 1 else scores


def _runner_up(output: Any, scores: NDArray) -> dict[str, list]:
    """Return the second best class, and by how much its estimated set risk is larger."""
    order = np.argsort(-scores, axis=1, kind="stable")[:, :2]
    first, second = np.take_along_axis(scores, order, axis=1).T
    names = texts(output, output.outputs_to_cells(output.readable(order[:, 1])))
    return {"runner_up": names, "margin": np.round(first - second, 4).tolist()}


def append_columns(out: Path, file: Path, rows: list[dict], new: dict[str, list]) -> None:
    """Write the rows of a file with new columns."""
    taken = [name for name in new if any(name in row for row in rows)]
    if taken:
        raise ValueError(f"{file.name} has a column {taken[0]!r} already, which would be written. Rename it first.")
    with writing(out):
        write_table(out, [{**row, **{name: cells[k] for name, cells in new.items()}} for k, row in enumerate(rows)])
