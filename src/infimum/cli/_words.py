"""Results in words: the fitted model, its scores, predictions by class, prediction sets."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..outputs.tags.forms import tags_in
from ..selection.scores import error_name, no_skill, shown_range
from ._table import LoadedTable

KERNELS = {"rbf": "RBF kernel ridge", "laplacian": "Laplacian kernel ridge"}
LEARNERS = {
    "linear": "linear ridge", "LinearRidge": "linear ridge", "forest": "random forest", "Forest": "random forest",
    "neighbors": "nearest neighbours", "Neighbors": "nearest neighbours", "KernelRidge": "kernel ridge",
    "Nystrom": "Nyström kernel ridge", "Laplacian": "graph Laplacian", "boosting": "gradient boosting",
    "logistic": "logistic regression", "Logistic": "logistic regression",
    "Boosting": "gradient boosting", "mixture": "average of several base learners",
}  # fmt: skip
"""Base learners in words, by family or by class."""
PRINCIPLES = {"infimum": "infimum loss", "average": "average loss", "supremum": "supremum loss"}
SHOWN = 12
"""Classes whose counts are printed; the others are added up."""
WIDE = 40  # columns from which on those with the same description share a line
ANNOTATORS = 5
"""Annotators that are printed."""


def model_lines(
    table: LoadedTable, pipe: Any, scores: dict[str, Any], n_labelled: int | None = None
) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    """Return what `fit`, `clean` and `report` print about a fitted model, for people and for scripts.

    Parameters
    ----------
    table : Table
        The table that the model was fitted to.
    pipe : Pipeline
        The features and the model.
    scores : dict
        Cross-validation scores, as `compare_with_constant` returns them; may be empty.
    n_labelled : int, optional
        The number of labelled rows of the table; scores of a sample are marked as such.
    """
    model = pipe[-1]
    contradictory, n = model.sets_.n_contradictory, len(model.sets_)
    estimated = getattr(vars(model).get("disambiguation_"), "noise", None) is not None
    rows = [("Contradictions", f"{contradictory} of {n} rows contradict themselves")] if contradictory else []
    rows += [("" if k else "Columns", line) for k, line in enumerate(_columns(table, pipe[0]))]
    rows += _annotators(table, model)
    if estimated:
        noise = model.noise_
        rows.append(("Wrong labels", f"{noise.share:.1%} ({noise.low:.1%} to {noise.high:.1%})".replace("%", " %")))
    rows += [("Selected model", selected(model)), *score_rows(scores, " (cross-validation)", n_labelled)]
    if scores and not scores["beats_constant"]:
        rows.append(("Assessment", no_skill(scores["constant"]["output"])))
    return rows, {
        "rows": len(table), "kind": table.kind, "contradictory": contradictory, "scores": scores,
        "complete": model.selection_ is None or model.selection_.complete,
        "noise": float(model.disambiguation_.noise) if estimated else None,
    }  # fmt: skip


def _columns(table: LoadedTable, features: Any) -> list[str]:
    """Return one line per column; of a wide table, one line for all columns with the same description."""
    lines = table.describe(features)
    if len(lines) <= WIDE:
        return lines
    alike: dict[str, list[str]] = {}
    for name, line in zip(table.rows[0], lines):
        alike.setdefault(line.removeprefix(f"{name}: "), []).append(name)
    return [
        f"{names[0]}: {what}" if len(names) == 1 else f"{names[0]} … {names[-1]} ({len(names)} columns): {what}"
        for what, names in alike.items()
    ]


def _annotators(table: LoadedTable, model: Any) -> list[tuple[str, str]]:
    """Return the number of answers and the least reliable annotators."""
    sources = None if table.votes is None else getattr(model.disambiguation_, "sources", None)
    if table.votes is None or sources is None:
        return []
    frame = sources.to_frame()
    lines = [f"{len(sources)} with {len(table.votes.answers)} answers; the least reliable first"]
    lines += [
        f"{name}: reliability {line.reliability:.2f} ({line.low:.2f} to {line.high:.2f}), {line.answers:.0f} answers"
        for name, line in zip(frame.index[:ANNOTATORS], frame.itertuples())
    ]
    if len(frame) > ANNOTATORS:
        lines.append(f"{len(frame) - ANNOTATORS} more; infimum report lists all of them")
    return [("" if k else "Annotators", line) for k, line in enumerate(lines)]


def selected(model: Any) -> str:
    """Return the parts of a fitted model in words, and among how many candidates they were chosen."""
    if model.selection_ is None or not model.selection_.results:
        made = model.recipe_
        return f"{made.weights!r}, {_principle(model, made.principle.name)}"
    best, n = model.selection_.best, len(model.selection_.results)
    name = KERNELS.get(best.kernel, f"{best.kernel} kernel ridge") if best.kernel else best.weights
    parts = [LEARNERS.get(name, name)]
    if best.scaling.startswith("relevant"):
        parts.append("features weighted by relevance")
    parts.append(_principle(model, best.principle))
    return f"{', '.join(parts)}; chosen among {n} candidates" if n > 1 else ", ".join(parts)


def _principle(model: Any, name: str) -> str:
    if name == "disambiguation":
        found = getattr(model, "disambiguation_", None)
        return "disambiguation" if found is None else f"{'soft' if found.soft else 'hard'} disambiguation"
    return PRINCIPLES.get(name, name)


def predictions(kind: str, texts: list[str]) -> list[tuple[str, str]]:
    """Return a summary of predictions: counts per class or tag; mean, smallest and largest number.

    >>> predictions("labels", ["cat", "dog", "cat"])
    [('cat', '2 rows (67 %)'), ('dog', '1 row (33 %)')]
    >>> predictions("number", ["1.5", "2.5"])
    [('Mean', '2'), ('Smallest', '1.5'), ('Largest', '2.5')]
    """
    if not texts or kind not in ("number", "tags", "labels", "ranking"):
        return []
    if kind == "number":
        v = np.array([float(text) for text in texts])
        return [(name, f"{x:.6g}") for name, x in (("Mean", v.mean()), ("Smallest", v.min()), ("Largest", v.max()))]
    names = texts
    if kind == "tags":
        names = [tag for text in texts for tag, present in tags_in(text).items() if present]
    counts = Counter(names).most_common()
    first, others = counts[:SHOWN], counts[SHOWN:]
    if others:
        first.append((f"{len(others)} others", sum(count for _, count in others)))
    n = len(texts)
    return [(name, f"{k} row{'s' if k != 1 else ''} ({k / n:.0%})".replace("%", " %")) for name, k in first]


def mean_size(sets: Any) -> str:
    """Return the mean size of prediction sets; those that have no end are counted."""
    size = np.asarray(sets.size, dtype=float)
    finite = size[np.isfinite(size)]
    parts = [f"{finite.mean():.4g}"] if len(finite) else []
    parts += [f"{len(size) - len(finite)} of {len(size)} unbounded"] if len(finite) < len(size) else []
    return "; ".join(parts)


def prediction_set_sizes(conformal: Any, sets: Any, labels: Any) -> str:
    """Return how large prediction sets are on average, and why they may be wide.

    Parameters
    ----------
    conformal : Conformal
        The fitted prediction sets.
    sets : Sets
        Prediction sets of the rows of the table.
    labels : Sets
        The candidate sets of these rows.
    """
    labelled = ~np.asarray(labels.is_unlabelled)
    exact = float(np.mean(np.asarray(labels.is_exact)[labelled])) if labelled.any() else 1.0
    size = np.asarray(sets.size, dtype=float)
    size = size[np.isfinite(size)]
    if not len(size):
        return "All prediction sets of this table are unbounded."
    whole = conformal.space_.size
    of = f" of {whole:g}" if sets.size_unit == "candidates" and np.isfinite(whole) else ""
    text = f"The prediction sets of this table have {size.mean():.2f}{of} {sets.size_unit} on average."
    if sets.size_unit != "candidates":
        text = f"The mean {sets.size_unit} of the prediction sets of this table is {size.mean():.4g}."
    if conformal.covers == "truth" and exact < 1:
        text += (
            f" {1 - exact:.0%} of the labelled rows have several possible outputs, which widens the sets: they must"
            " cover whichever of these is true. With --covers set they are smaller, and share a member with the"
            " candidate set."
        ).replace("%", " %")
    return text


def unlabelled_rows(n_empty: int, labelled: NDArray) -> str:
    """Return how many rows are unlabelled: those with an empty cell, and those whose cell allows every output.

    >>> unlabelled_rows(2, np.array([True, False, False, False]))
    '3 unlabelled (1 allows every output)'
    """
    n, every = int((~labelled).sum()), int((~labelled).sum()) - n_empty
    why = f" ({every} {'allows' if every == 1 else 'allow'} every output)" if every > 0 else ""
    return f"{n} unlabelled{why}"


def score_rows(found: dict[str, Any], how: str = "", n_labelled: int | None = None) -> list[tuple[str, str]]:
    """Return the lines of a summary for the scores that `compare_with_constant` returns; `how` follows their names.

    `n_labelled` is the number of labelled rows of the table; scores of a sample are marked as such.
    """
    if not found:
        return []
    constant, number = found["constant"], found["n_labelled"]
    rows_used = f"{number} labelled rows"
    if n_labelled is not None and number < n_labelled:
        rows_used = f"a sample of {number} of the {n_labelled} labelled rows"
    share, best = found["covering_rate"], constant["covering_rate"]
    rows = [
        (f"Covering rate{how}", f"{share:.1%} of {rows_used}; best constant"
         f" ({constant['output']}) {best:.1%}; chance-corrected {found['chance_corrected']:z.3f}"),
    ]  # fmt: skip
    of = ""
    if share == best and share in (0, 1):  # exact numbers, or soft labels of all classes: the rate shows nothing
        rows, of = [], f" on {rows_used}"
    rows.append((f"Set risk{how}", f"{found['set_risk']:.4g}{of}; best constant {constant['set_risk']:.4g}"))
    for key, ends in found["errors"].items():
        name, least = error_name(key), shown_range(*constant["errors"][key])
        rows.append((f"{name}{how}", f"{shown_range(*ends)}; best constant {least}"))
    return rows
