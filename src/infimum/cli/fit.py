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
from ._table import Table, read
from ._words import assessment, noise_share, score_rows, selected, unlabelled_rows
from ._words import contradictions as contradictions_in_words
from ._words import noise as noise_in_words
from ._words import prediction_sets as set_sizes_in_words

SHOWN = 5  # annotators that are printed


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
            set_sizes = sizes(table, model, conformal)
        stages.next()
        save(out, model, about(table, options))
    selection = model[-1].selection_
    complete = selection is None or selection.complete
    n_empty = sum(cell is None for cell in table.cells)
    labelled = labelled_rows(table, model[-1])
    rows = [
        ("Rows", f"{len(table)} of {table.kind}, {unlabelled_rows(n_empty, labelled)}"),
        *_classes(table),
        *contradictions_in_words(model[-1].sets_),
        *column_rows(table, model),
        *annotator_rows(table, model[-1]),
        *noise_in_words(model[-1]),
        ("Selected model", selected(model[-1])),
        *score_rows(scores(model[-1]), " (cross-validation)", int(labelled.sum())),
        *assessment(scores(model[-1])),
        *([] if conformal is None else [("Prediction sets", conformal.guarantee_), ("", set_sizes)]),
    ]
    found = {
        "model": out, "kind": table.kind, "rows": len(table), "complete": complete, "chosen": selected(model[-1]),
        "classes": table.classes, "contradictory": model[-1].sets_.n_contradictory,
        "scores": scores(model[-1]), "guarantee": None if conformal is None else conformal.guarantee_,
        "prediction_sets": set_sizes or None, "columns": table.describe(model[0]), "noise": noise_share(model[-1]),
    }  # fmt: skip
    print_result(found, as_json, f"{out} written", rows, stages.notes, table.named)


def labelled_rows(table: Table, model: Any) -> NDArray:
    """Return which rows count in scores, (n,) boolean; for tokens, those with a label."""
    if table.sequence is not None:
        return np.array([cell is not None for cell in table.cells])
    return is_labelled(model.output_, model.sets_)


def fitted(table: Table, model: Any) -> Any:
    """Return the fitted pipeline; errors name the lines of the file.

    Several answers about one row are held out together in cross-validation.
    """
    repeated = table.annotators is not None and len(set(table.ids)) < len(table.ids)
    settings = {"model__groups": table.ids} if repeated else {}
    with rows_called(table.places):
        return model.fit(table.X, table.y(), **settings)


def prediction_sets(table: Table, pipe: Any, level: float, covers: str) -> Any:
    """Return prediction sets that are selected, fitted and calibrated on disjoint parts of the rows."""
    from ..conformal import Conformal

    model, X, y = clone(pipe[-1]), pipe[:-1].transform(table.X), table.y()
    with rows_called(table.places):
        return Conformal(model, confidence_level=level, covers=covers).fit(X, y)


def about(table: Table, options: o.TableOptions) -> dict[str, Any]:
    """Return the description that is saved with a model."""
    import infimum

    return {
        "kind": table.kind, "target": table.target, "file": table.path.name, "missing": options.missing,
        "version": infimum.__version__, "sequence": table.sequence, "meaning": options.meaning,
        "unticked": options.unticked, "separator": options.separator, "names": list(table.classes),
        "merges": [] if table.named is None else table.named.merges,
    }  # fmt: skip


def scores(model: Any) -> dict[str, Any]:
    """Return the cross-validation scores of the selected model, beside those of the best constant prediction."""
    return {} if model.selection_ is None else model.selection_.scores


def sizes(table: Table, pipe: Any, conformal: Any) -> str:
    """Return how large the prediction sets of the table are on average, and why."""
    sets = pipe[-1].sets_
    labelled = ~np.asarray(sets.is_unlabelled)
    exact = float(np.mean(np.asarray(sets.is_exact)[labelled])) if labelled.any() else 1.0
    return set_sizes_in_words(conformal, conformal.predict_set(pipe[:-1].transform(table.X)), exact)


def column_rows(table: Table, pipe: Any) -> list[tuple[str, str]]:
    """Return one line per column of the table, for the printed result."""
    return [("" if k else "Columns", line) for k, line in enumerate(table.describe(pipe[0]))]


def annotator_rows(table: Table, model: Any) -> list[tuple[str, str]]:
    """Return the number of answers and the least reliable annotators, for the printed result."""
    sources = None if table.votes is None else getattr(model.disambiguation_, "sources", None)
    if table.votes is None or sources is None:
        return []
    frame = sources.to_frame()
    worst = [
        f"{name}: reliability {line.reliability:.2f} ({line.low:.2f} to {line.high:.2f}), {line.answers:.0f} answers"
        for name, line in zip(frame.index[:SHOWN], frame.itertuples())
    ]
    head = f"{len(sources)} with {len(table.votes.answers)} answers; the least reliable first"
    more = [f"{len(frame) - SHOWN} more; infimum report lists all of them"] if len(frame) > SHOWN else []
    return [("Annotators", head), *(("", line) for line in [*worst, *more])]


def _classes(table: Table) -> list[tuple[str, str]]:
    what = "Classes" if table.named is None else table.named.what.capitalize()
    return [(what, f"{len(table.classes)}: {listed(table.classes)}")] if table.classes else []
