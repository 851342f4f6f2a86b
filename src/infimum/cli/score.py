"""infimum score: evaluate a model on a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.errors import InputError
from ..io._files import name_of
from ..selection.scores import beyond_chance, covered, risk
from . import _options as o
from ._console import Notes, errors_as_messages, print_result, running
from ._models import load
from ._table import Table, TableOptions, read


def score(
    model: o.Model,
    file: o.File,
    target: o.Target = None,
    meaning: o.Meaning = None,
    unticked: o.Unticked = None,
    sep: o.Sep = None,
    encoding: o.Encoding = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Evaluate a model on a table of partial or exact labels.

    Agreement is the accuracy for exact labels, the covering rate for sets, and the fraction of correct known tags or
    pairs. The set risk is the mean loss to the closest member of the set. Unlabelled rows are ignored.
    """
    notes = Notes()
    with errors_as_messages(model), notes.collect():
        pipe, about = load(model)
    with running(["reading", "scoring"], file, quiet or as_json) as stages, notes.collect():
        stages.next()
        options = TableOptions(
            target or list(about["target"]), about["kind"], meaning=meaning, unticked=unticked, sep=sep,
            encoding=encoding,
        )  # fmt: skip
        table = read(file, options)
        stages.next()
        found = scored(pipe, table)
    rows = [
        ("Rows", f"{found['rows']}, {found['exact']} of them exact"),
        ("Agreement", f"{found['agreement']:.4f}"),
        ("Covering rate", f"{found['covering_rate']:.1%}"),
        ("Chance-corrected", f"{found['chance_corrected']:.4f}"),
        ("Set risk", f"{found['set_risk']:.4g}"),
    ]
    print_result(found, as_json, f"{model.name} on {name_of(file)}", rows, notes)


def scored(pipe: Any, table: Table) -> dict[str, Any]:
    """Return all scores on the labelled rows."""
    labelled = np.flatnonzero([cell is not None for cell in table.cells])
    if not len(labelled):
        raise ValueError(f"{table.path.name} has no labelled rows. Scores require them.")
    try:
        X = pipe[:-1].transform(table.X)[labelled]
    except InputError as error:
        raise error.renumbered(table.place) from None
    model = pipe[-1]
    try:
        z, sets = model.predicted(X, table.y(labelled))
    except InputError as error:
        raise error.renumbered(lambda row: table.places[labelled[row]]) from None
    return {
        "rows": len(z),
        "exact": int(sets.is_exact.sum()),
        "agreement": float(np.mean(sets.agreement(z))),
        "covering_rate": covered(sets, z),
        "chance_corrected": beyond_chance(sets, z),
        "set_risk": risk(model.output_, sets, z),
    }
