"""infimum clean: the most probable label of every row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import typer

from ..diagnostics.audit import doubtful
from ..io.tables import load_table
from ..outputs import Rankings
from ..selection import out_of_fold
from . import _options as o
from ._models import cells, pipeline
from ._say import EARLY, Notes, result, working
from ._table import Ask, given
from .fit import chosen, fitted
from .predict import append


def clean(
    file: o.File,
    target: o.Target = None,
    kind: o.Kind = None,
    out: o.out("clean.csv", "The clean table") = Path("clean.csv"),  # type: ignore[valid-type]
    id: o.Id = None,
    annotator: o.Annotator = None,
    feature: o.Only = None,
    drop: o.Drop = None,
    meaning: o.Meaning = None,
    unticked: o.Unticked = None,
    weights: o.Weights = "auto",
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Find the most probable member of every row's set.

    The columns of the table, then `clean`, the member of the set that the row probably has; `confidence`, its weight
    among the options (labels and tags); `tied`, where nothing tells two options apart; `support`, how probable the set
    is by the other rows; and `suspect`, where the set probably misses the truth.
    """
    ask = Ask(target or [], kind, id, annotator, None, feature or [], drop or [], meaning, unticked)
    notes = Notes()
    with working(["reading", "finding labels", "writing"], file, quiet or as_json) as work, notes.taken():
        work.stage()
        table = given(file, ask)
        rows = [found.value for found in load_table(file)]
        work.stage()
        pipe = fitted(table, pipeline(table.kind, "disambiguation", weights, table.classes))
        new = cleaned(pipe, table.X)
        work.stage()
        append(out, file, rows, new)
    complete = pipe[-1].selection_ is None or pipe[-1].selection_.complete
    found: dict[str, Any] = {"clean": out, "rows": len(table), "kind": table.kind, "complete": complete}
    found |= {name: sum(new[name]) for name in ("tied", "suspect")}
    shown = [("rows", len(table)), ("tied", found["tied"]), ("suspect", found["suspect"])]
    if "confidence" in new:
        found["confidence"] = float(np.mean(new["confidence"]))
        shown.insert(1, ("confidence", f"{found['confidence']:.3f} on average"))
    result(found, as_json, f"{out} written", [*shown, ("chosen", chosen(pipe[-1]))], notes)
    if not complete:
        raise typer.Exit(EARLY)


def cleaned(pipe: Any, X: Any) -> dict[str, list]:
    """The new columns, from a model that was fitted by disambiguation."""
    model = pipe[-1]
    resolved, n = model.disambiguation_, len(model.sets_)
    new: dict[str, list] = {"clean": cells(model.output_, resolved.labels)}
    if resolved.confidence is not None:
        new["confidence"] = _rounded(resolved.confidence)
    new["tied"] = _flags(resolved.tied, n)
    support, suspects = resolved.support, resolved.suspects
    if support is None and n > 1:
        features = model._validated(pipe[:-1].transform(X))
        z = out_of_fold(model.recipe_, features, model.output_, model.sets_, cv=5).z
        support, suspects = doubtful(model.output_, model.sets_, z, _left_out(model))
    if support is not None:
        new["support"] = _rounded(np.clip(support, 0, 1))
    new["suspect"] = _flags(suspects, n)
    return new


def _left_out(model: Any) -> Any:
    return model.weights_.loo_operator() if isinstance(model.output_, Rankings) else None


def _flags(rows: Any, n: int) -> list[int]:
    return np.isin(np.arange(n), rows).astype(int).tolist()


def _rounded(values: Any) -> list[float]:
    return np.round(np.asarray(values, dtype=float), 4).tolist()
