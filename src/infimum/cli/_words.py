"""Results in words: the selected model, predictions by class, prediction sets."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..selection.scores import error_name, no_skill, shown_range

KERNELS = {"rbf": "RBF kernel ridge", "laplacian": "Laplacian kernel ridge"}
LEARNERS = {
    "linear": "linear ridge", "LinearRidge": "linear ridge", "forest": "random forest", "Forest": "random forest",
    "neighbors": "nearest neighbours", "Neighbors": "nearest neighbours", "KernelRidge": "kernel ridge",
    "Nystrom": "Nyström kernel ridge", "Laplacian": "graph Laplacian", "mixture": "average of several base learners",
}  # fmt: skip
"""Base learners in words, by family or by class."""
PRINCIPLES = {"infimum": "infimum loss", "average": "average loss", "supremum": "supremum loss"}
SHOWN = 12
"""Classes whose counts are printed; the others are added up."""


def contradictions(sets: Any) -> list[tuple[str, str]]:
    """Return how many rows contradict themselves, for the printed result; nothing if there are none."""
    number = sets.n_contradictory
    return [("Contradictions", f"{number} of {len(sets)} rows contradict themselves")] if number else []


def noise_share(model: Any) -> float | None:
    """Return the estimated share of sets that are wrong; None if it was not estimated."""
    found = getattr(vars(model).get("disambiguation_"), "noise", None)
    return None if found is None else float(found)


def noise(model: Any) -> list[tuple[str, str]]:
    """Return the estimated share of sets that are wrong, for the printed result; nothing if it was not estimated."""
    if noise_share(model) is None:
        return []
    found = model.noise_
    return [("Wrong labels", f"{found.share:.1%} ({found.low:.1%} to {found.high:.1%})".replace("%", " %"))]


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
        return "disambiguation" if found is None else f"{'hard' if found.q is None else 'soft'} disambiguation"
    return PRINCIPLES.get(name, name)


def predictions(kind: str, texts: list[str]) -> list[tuple[str, str]]:
    """Return a summary of predictions: counts per class or tag; mean, smallest and largest number.

    >>> predictions("labels", ["cat", "dog", "cat"])
    [('cat', '2 rows (67 %)'), ('dog', '1 row (33 %)')]
    >>> predictions("number", ["1.5", "2.5"])
    [('Mean', '2'), ('Smallest', '1.5'), ('Largest', '2.5')]
    """
    if not texts:
        return []
    if kind == "number":
        values = np.array([float(text) for text in texts])
        return [
            ("Mean", f"{values.mean():.6g}"),
            ("Smallest", f"{values.min():.6g}"),
            ("Largest", f"{values.max():.6g}"),
        ]
    if kind == "tags":
        names = [part[1:] for text in texts for part in text.replace(",", " ").split() if part.startswith("+")]
    elif kind in ("labels", "ranking"):
        names = list(texts)
    else:
        return []
    counts = Counter(names).most_common()
    found = [(name, _share(count, len(texts))) for name, count in counts[:SHOWN]]
    rest = sum(count for _, count in counts[SHOWN:])
    return [*found, (f"{len(counts) - SHOWN} others", _share(rest, len(texts)))] if rest else found


def _share(count: int, n: int) -> str:
    return f"{count} {'row' if count == 1 else 'rows'} ({count / n:.0%})".replace("%", " %")


def mean_size(sets: Any) -> str:
    """Return the mean size of prediction sets; those that have no end are counted."""
    size = np.asarray(sets.size, dtype=float)
    finite = size[np.isfinite(size)]
    parts = [f"{finite.mean():.4g}"] if len(finite) else []
    parts += [f"{len(size) - len(finite)} of {len(size)} unbounded"] if len(finite) < len(size) else []
    return "; ".join(parts)


def prediction_sets(conformal: Any, sets: Any, exact: float) -> str:
    """Return how large prediction sets are on average, and why they may be wide.

    Parameters
    ----------
    conformal : Conformal
        The fitted prediction sets.
    sets : Sets
        Prediction sets of the rows of the table.
    exact : float
        The share of labelled rows of the table that have an exact label.
    """
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
    rows = [
        (f"Covering rate{how}", f"{found['covering_rate']:.1%} of {rows_used}; best constant"
         f" ({constant['output']}) {constant['covering_rate']:.1%}; chance-corrected {found['chance_corrected']:z.3f}"),
        (f"Set risk{how}", f"{found['set_risk']:.4g}; best constant {constant['set_risk']:.4g}"),
    ]  # fmt: skip
    for key, ends in found["errors"].items():
        name, best = error_name(key), shown_range(*constant["errors"][key])
        rows.append((f"{name}{how}", f"{shown_range(*ends)}; best constant {best}"))
    return rows


def assessment(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the line of a summary about a model that is no better than a constant; none otherwise."""
    if not found or found["beats_constant"]:
        return []
    return [("Assessment", no_skill(found["constant"]["output"]))]
