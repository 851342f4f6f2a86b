"""infimum predict: predictions for the rows of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..io import read_table, write_table
from ..io.tables import load_table
from ..outputs import Labels
from . import _options as o
from ._models import cells, load, set_cells
from ._say import Notes, refusals, result, working, written


def predict(
    model: o.Model,
    file: o.File,
    out: o.out("predictions.csv", "The predictions") = Path("predictions.csv"),  # type: ignore[valid-type]
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Predict for every row of a table.

    The columns of the table, then `prediction`. For labels also `runner_up` and `margin`, the class that comes next and
    by how much its set risk is larger; and where the model has them `confidence`, the probability of the label among
    all, `support`, how probable it is that a set would hold it, and `set`, which covers as `fit --level` promised.
    """
    notes = Notes()
    with refusals(model):
        pipe, about = load(model)
    with working(["reading", "predicting", "writing"], file, quiet or as_json) as work, notes.taken():
        work.stage()
        X = read_table(file).data
        rows = [found.value for found in load_table(file)]
        work.stage()
        new = predicted(pipe, X)
        work.stage()
        append(out, file, rows, new)
    n = len(rows)
    numbers = [(name, values) for name, values in new.items() if name not in ("prediction", "runner_up", "set") and n]
    shown = [("rows", n), *((name, _mean(values)) for name, values in numbers)]
    result({"predictions": out, "rows": n, "kind": about["kind"]}, as_json, f"{out} written", shown, notes)


def _mean(values: list) -> str:
    return f"{np.mean(np.array(values, dtype=float)):.3f} on average"


def predicted(pipe: Any, X: Any) -> dict[str, list]:
    """The new columns."""
    model, features = pipe[-1], pipe[:-1].transform(X)
    if not len(features):
        return {"prediction": []}
    found: dict[str, list] = {"prediction": cells(model.output_, model.predict(features))}
    at = np.arange(len(features))
    if isinstance(model.output_, Labels) and model.solver_.scores_all_outputs and len(model.output_.classes_) > 1:
        found |= _next_best(model, features)
    if hasattr(model, "predict_proba"):
        found["confidence"] = [round(float(p), 4) for p in model.predict_proba(features).max(axis=1)]
    if hasattr(model, "plausibility"):
        z = model._outputs(features)
        found["support"] = [round(float(p), 4) for p in np.clip(model.plausibility(features)[at, z], 0, 1)]
    conformal = vars(pipe).get("conformal_")
    if conformal is not None:
        found["set"] = set_cells(model.output_, conformal.predict_set(features))
    return found


def _next_best(model: Any, features: Any) -> dict[str, list]:
    """The class that comes next, and by how much its estimated set risk is larger."""
    risks = model._each(features, lambda alpha: model.solver_.risks(alpha))
    order = np.argsort(risks, axis=1, kind="stable")[:, :2]
    first, second = np.take_along_axis(risks, order, axis=1).T
    names = cells(model.output_, model.output_.readable(order[:, 1]))
    return {"runner_up": names, "margin": [round(float(m), 4) for m in second - first]}


def append(out: Path, file: Path, rows: list[dict], new: dict[str, list]) -> None:
    """Write the rows of a file with new columns behind theirs."""
    taken = [name for name in new if any(name in row for row in rows)]
    if taken:
        raise ValueError(f"{file.name} has a column {taken[0]!r} already, which would be written. Rename it first.")
    with written(out):
        write_table(out, [{**row, **{name: cells[k] for name, cells in new.items()}} for k, row in enumerate(rows)])
