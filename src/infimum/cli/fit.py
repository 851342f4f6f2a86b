"""infimum fit: a model from a table of sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from sklearn.base import clone

from ..data.errors import InputError
from . import _options as o
from ._models import pipeline, save
from ._say import EARLY, USAGE, Notes, fail, result, working
from ._table import Ask, Given, given


def fit(
    file: o.File,
    target: o.Target = None,
    kind: o.Kind = None,
    out: o.out("model.skops", "The model") = Path("model.skops"),  # type: ignore[valid-type]
    id: o.Id = None,
    annotator: o.Annotator = None,
    feature: o.Only = None,
    drop: o.Drop = None,
    meaning: o.Meaning = None,
    unticked: o.Unticked = None,
    weights: o.Weights = "auto",
    principle: o.Principle = "auto",
    level: o.Level = None,
    covers: o.Covers = "truth",
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Learn from a table of sets, and write a model.

    What is "auto" is chosen by held-out rows of the table itself. Ctrl-C ends the comparison: the best model so far is
    fitted and written, and the exit code is 3. With --level, a second model is fitted to 70 % of the rows and
    calibrated on the others: `predict` then also writes a set that covers with that probability.
    """
    if covers not in ("truth", "set"):
        fail(f"--covers must be truth or set. Got {covers!r}.", USAGE)
    ask = Ask(target or [], kind, id, annotator, None, feature or [], drop or [], meaning, unticked)
    notes = Notes()
    with working(["reading", "fitting", "writing"], file, quiet or as_json) as work, notes.taken():
        work.stage()
        table = given(file, ask)
        work.stage()
        model = fitted(table, pipeline(table.kind, principle, weights, table.classes))
        conformal = None
        if level is not None:
            conformal = model.conformal_ = covering(table, model, level, covers)
        work.stage()
        save(out, model, about(table))
    choice = model[-1].selection_
    complete = choice is None or choice.complete
    rows = [
        ("rows", f"{len(table)} of {table.kind}, {sum(cell is None for cell in table.y)} unknown"),
        ("learned from", ", ".join(column.name for column in model[0].columns_)),
        *_aside(table, model),
        ("chosen", chosen(model[-1])),
        *held_out(model[-1]),
        *([("sets", conformal.guarantee_)] if conformal is not None else []),
    ]
    found = {
        "model": out, "kind": table.kind, "rows": len(table), "complete": complete, "chosen": chosen(model[-1]),
        "scores": scores(model[-1]), "guarantee": None if conformal is None else conformal.guarantee_,
    }  # fmt: skip
    result(found, as_json, f"{out} written", rows, notes)
    if not complete:
        raise typer.Exit(EARLY)


def fitted(table: Given, model: Any) -> Any:
    """The pipeline, fitted; errors name the lines of the file."""
    try:
        return model.fit(table.X, table.y)
    except InputError as error:
        raise error.renumbered(table.places.__getitem__) from None


def covering(table: Given, pipe: Any, level: float, covers: str) -> Any:
    """Sets that cover: chosen, fitted and calibrated on parts of the rows that do not overlap."""
    from ..conformal import Conformal

    try:
        return Conformal(clone(pipe[-1]), level=level, covers=covers).fit(pipe[:-1].transform(table.X), table.y)
    except InputError as error:
        raise error.renumbered(table.places.__getitem__) from None


def about(table: Given) -> dict[str, Any]:
    """What a model says about itself."""
    import infimum

    return {"kind": table.kind, "target": table.target, "file": table.path.name, "version": infimum.__version__}


def chosen(model: Any) -> str:
    """What a model is made of, in a few words."""
    if model.selection_ is None or not model.selection_.results:
        made = model.recipe_
        return f"{made.weights!r}, {made.principle.name}, {made.negative_weights}"
    best, n = model.selection_.best, len(model.selection_.results)
    return f"{best.text}; {best.principle}, {best.negative_weights} (of {n} candidates)"


def scores(model: Any) -> dict[str, float]:
    """The held-out scores of what was chosen."""
    if model.selection_ is None or not model.selection_.results:
        return {}
    best = model.selection_.best
    return {"covering_rate": best.covering_rate, "set_risk": -best.neg_set_risk}


def held_out(model: Any) -> list[tuple[str, str]]:
    """The same for people."""
    found = scores(model)
    if not found:
        return []
    return [("held out", f"{found['covering_rate']:.1%} of the sets covered, set risk {found['set_risk']:.4g}")]


def _aside(table: Given, model: Any) -> list[tuple[str, str]]:
    left = {**table.aside, **{name: f"{why} throughout" for name, why in model[0].dropped_.items()}}
    return [("left aside", ", ".join(f"{name} ({why})" for name, why in left.items()))] if left else []
