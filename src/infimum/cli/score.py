"""infimum score: evaluate a model on a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..io._files import name_of
from ..selection.scores import best_constant, compare_with_constant, is_labelled
from . import _options as o
from ._console import errors_as_messages, print_result, rows_called, running
from ._models import load, of_model
from ._table import LoadedTable, read
from ._words import score_rows, unlabelled_rows


@o.table_options("target", "meaning", "unticked", "sep", "encoding", "header")
def score(
    model: o.Model,
    file: o.File,
    options: o.TableOptions,
    kind: o.ModelKind = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Evaluate a model on a table of partial or exact labels.

    Agreement is the accuracy for exact labels, the covering rate for candidate sets, and the fraction of correct known
    tags or pairs. The set risk is the mean loss to the closest member of the set. For numbers, RMSE and R² are ranges
    if the table contains intervals. Each score is shown beside that of the best constant prediction, which is estimated
    from the training rows. Unlabelled rows are ignored.

    Example: `infimum score model.skops tickets_new.csv --target label`
    """
    with running(["reading", "scoring"], file, quiet or as_json) as stages:
        with errors_as_messages(model):
            pipe, about = load(model, kind)
        table = read(file, of_model(options, about, kind))
        stages.next()
        found = scored(pipe, table)
    labelled = np.arange(len(table)) < found["rows"]
    ignored = unlabelled_rows(sum(cell is None for cell in table.cells), labelled)
    rows = [
        ("Rows", f"{found['rows']} labelled ({found['exact']} exact); {ignored}, ignored"),
        *([] if found["errors"] else [("Agreement", f"{found['agreement']:.4f}")]),
        *score_rows(found),
    ]
    print_result(found, as_json, f"{model.name} on {name_of(file)}", rows, stages.notes)


def scored(pipe: Any, table: LoadedTable) -> dict[str, Any]:
    """Return all scores on the labelled rows."""
    model = pipe[-1]
    with rows_called(table.places):
        z, sets = model.predicted(pipe[:-1].transform(table.X), table.y())
    rows = np.flatnonzero(is_labelled(model.output_, sets))
    if not len(rows):
        raise ValueError(f"{table.path.name} has no labelled rows. Scores require them.")
    trained = vars(model).get("sets_")
    constant = None if trained is None else best_constant(model.output_, trained)
    z, sets = z[rows], sets[rows]
    return {
        "rows": len(rows),
        "exact": int(sets.is_exact.sum()),
        "unlabelled": len(table) - len(rows),
        "agreement": float(np.mean(sets.agreement(z))),
        **compare_with_constant(model.output_, sets, z, constant=constant),
    }
