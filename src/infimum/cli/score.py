"""infimum score: how good a model is on a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.errors import InputError
from ..selection import beyond_chance, covered, risk
from . import _options as o
from ._models import load
from ._say import Notes, refusals, result, working
from ._table import Ask, Given, given


def score(
    model: o.Model,
    file: o.File,
    target: o.Target = None,
    meaning: o.Meaning = None,
    unticked: o.Unticked = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Score a model on a table with sets or exact answers.

    Agreement is the accuracy on exact labels, the covering rate on sets, and the share of known tags or pairs that are
    right. The set risk is the smallest loss that the set allows.
    """
    notes = Notes()
    with refusals(model):
        pipe, about = load(model)
    with working(["reading", "scoring"], file, quiet or as_json) as work, notes.taken():
        work.stage()
        ask = Ask(target or list(about["target"]), about["kind"], meaning=meaning, unticked=unticked)
        table = given(file, ask)
        work.stage()
        found = scored(pipe, table)
    rows = [
        ("rows", f"{found['rows']}, {found['exact']} of them exact"),
        ("agreement", f"{found['agreement']:.4f}"),
        ("sets covered", f"{found['covering_rate']:.1%}"),
        ("beyond chance", f"{found['chance_corrected']:.4f}"),
        ("set risk", f"{found['set_risk']:.4g}"),
    ]
    result(found, as_json, f"{model.name} on {file.name}", rows, notes)


def scored(pipe: Any, table: Given) -> dict[str, Any]:
    """All scores on the rows that know anything."""
    known = np.flatnonzero([cell is not None for cell in table.y])
    if not len(known):
        raise ValueError(f"{table.path.name}: no row says anything, so there is nothing to score.")
    X = pipe[:-1].transform(table.X)[known]
    model = pipe[-1]
    try:
        z, sets = model.predicted(X, [table.y[k] for k in known])
    except InputError as error:
        raise error.renumbered(lambda row: table.places[known[row]]) from None
    return {
        "rows": len(z),
        "exact": int(sets.is_exact.sum()),
        "agreement": float(np.mean(sets.agreement(z))),
        "covering_rate": covered(sets, z),
        "chance_corrected": beyond_chance(sets, z),
        "set_risk": risk(model.output_, sets, z),
    }
