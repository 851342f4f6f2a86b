"""Fourth section of the report: the model, its cross-validation scores, and the quality of its labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import Identifiability
from ..diagnostics.counts import at_least, at_most
from ..disambiguation import DisambiguationResult
from ..outputs import OutputSpace, Sets
from ..selection.scores import error_name, risk, shown_range
from . import _page as h
from ._figures import figure
from .actions import scores
from .scores import TOLERANCE, Compared
from .training import Training

SHOWN = 50  # rows whose set misses the true output


def section(
    training: Training, rows: list[Compared], found: Identifiability | None, truth: list | None,
    name: Callable[[int], str], warning: str = "",
) -> h.Markup:  # fmt: skip
    """Return the section about the model; `warning` is the sentence about a model without skill."""
    sets, resolved, constant, ours = training.sets, training.resolved, rows[0], rows[-1]
    facts: list[tuple[str, Any]] = [
        ("covering rate (cross-validation)", f"{ours.covering:.1%}"),
        ("covering rate of the best constant", f"{constant.covering:.1%}"), ("chance-corrected", ours.beyond),
        ("set risk", ours.risk), ("set risk of the best constant", constant.risk),
        *((error_name(key), shown_range(*ends)) for key, ends in ours.errors.items()),
    ]  # fmt: skip
    if resolved is not None and resolved.confidence is not None and not warning:
        facts.append(("mean confidence", float(resolved.confidence.mean())))
    caption = (
        f"Cross-validation, {ours.n_labelled} labelled rows. Covering rate: the fraction of held-out predictions in"
        " their set. Chance-corrected: relative to randomly permuted predictions."
    )
    if sets.is_unlabelled.all():
        caption = (
            "Cross-validation. No row has a label, so predictions are compared with the labels that disambiguation"
            " estimated."
        )
    table = scores([{**row.as_dict(), "name": row.name} for row in rows], caption)
    parts = [h.tiles(facts), h.para(warning) if warning else "", h.head("Comparison with baselines")]
    parts += [h.table(each.columns, each.rows, each.title) for each in (table, *training.tables)]
    parts += _selection(training.model)
    parts.append(h.head("Quality of the estimated labels"))
    parts += [h.para(warning)] if warning else _quality(sets, resolved, ours, found)
    if truth is not None:
        parts.append(h.head("Comparison with true outputs"))
        parts += _accuracy(training.output, sets, resolved, ours, truth, name)
    return h.markup(*parts)


def _selection(model: Any) -> list[h.Markup]:
    """Return the settings that were compared."""
    selection = model.selection_
    if selection is None or not selection.results:
        why = selection.reason if selection is not None else "All parameters are set."
        return [h.soft(f"Nothing was compared. {why} {getattr(model, 'recipe_', model)!r}")]
    head, *body = selection.table()
    early = "" if selection.complete else " The comparison was interrupted."
    caption = f"The best of {len(selection.results)} settings in cross-validation; the first was selected.{early}"
    score = {"neg_set_risk": "set risks", "log_likelihood": "log-likelihoods"}[selection.scoring]
    drawn = figure(lambda: selection.plot().figure_, "choice", f"Cross-validated {score} of the settings.")
    # the column of likelihoods is shown only if they decide
    shown = 6 if selection.scoring == "neg_set_risk" else 7
    table = [[*line[:3], *map(float, line[3:shown])] for line in body]
    return [h.head("Selected model"), h.table(head[:shown], table, caption), drawn]


def _quality(
    sets: Sets, resolved: DisambiguationResult | None, ours: Compared, found: Identifiability | None
) -> list[h.Markup]:
    parts = []
    if resolved is not None and resolved.confidence is not None:
        text = f"By their own probabilities, {float(resolved.confidence.mean()):.0%} of the estimated labels are right"
        if resolved.support is not None:
            support = float(np.average(np.clip(resolved.support, 0, 1), weights=ours.weight))
            text += f"; the held-out probability of a set is {support:.2f} on average"
        parts.append(h.para(text + ". Neither is a proof, because both come from the same sets."))
        if resolved.support is not None:
            from ..plotting import DisambiguationDisplay

            parts.append(figure(
                lambda: DisambiguationDisplay.from_result(resolved).figure_, "resolved",
                "Confidence of the estimated labels, and held-out probability of the sets.",
            ))  # fmt: skip
    if found is not None and np.isfinite(found.degree) and found.choices.is_one_of:
        parts.append(_bound(ours, found))
    else:
        agree = float(np.average(sets.agreement(ours.z), weights=ours.weight))
        parts.append(h.para(
            f"Held-out predictions agree with the partial labels to {agree:.1%}. The labels cannot check what they"
            " leave unknown."
        ))  # fmt: skip
    return parts


def _bound(ours: Compared, found: Identifiability) -> h.Markup:
    """Return P(f(x) != y) <= P(f(x) not in S) / (1 - degree), for sets that contain y and depend on y only."""
    n = ours.n_labelled
    missed = float(at_most(round((1 - ours.covering) * n), n, found.level))
    degree, high = found.degree, found.degree_interval[1]
    if not degree < 1:
        return h.para("The ambiguity degree is 1. Held-out sets give no bound on the errors of the labels.")
    estimate = min(1.0, (1 - ours.covering) / (1 - degree))
    worst = min(1.0, missed / (1 - high)) if high < 1 else 1.0
    return h.para(
        f"The ambiguity degree is {degree:.2f}, so a wrong label is outside its set with a probability of at least"
        f" 1 − {degree:.2f}. {1 - ours.covering:.1%} of the held-out predictions are outside their sets. So at most"
        f" {estimate:.1%} of the predictions are wrong, or {worst:.1%} at the unfavourable ends of both confidence"
        " intervals. This holds if sets contain the true label and, given the true label, do not depend on x."
    )


def _accuracy(
    output: OutputSpace,
    sets: Sets,
    resolved: DisambiguationResult | None,
    ours: Compared,
    truth: list,
    name: Callable[[int], str],
) -> list[h.Markup]:
    rows = np.flatnonzero([cell is not None for cell in truth])
    if not len(rows):
        return [h.soft("No true output is known.")]
    cells = output.text_to_cells([truth[k] for k in rows])
    true = output.read(output.from_cells(cells), strict=False)
    z = true.member(true.start(), output)
    n, inside = len(rows), sets[rows].contains(z)
    body: list[list[Any]] = [["held-out predictions", *_scores(output, true, z, ours.z[rows])]]
    if resolved is not None:
        body.insert(0, ["estimated labels", *_scores(output, true, z, np.asarray(resolved.z)[rows])])
    right = round(float(body[0][1]) * n)
    between = f"{float(at_least(right, n, 0.975)):.1%} to {float(at_most(right, n, 0.975)):.1%}"
    caption = f"{n} rows with a known output. Exactly right {body[0][0]}: {between} at 95 % confidence."
    parts = [
        h.table(["outputs", "exactly right", "agreement", "risk"], body, caption),
        h.para(f"{int(inside.sum())} of these {n} sets contain the true output."),
    ]
    missing = rows[~inside][:SHOWN]
    if len(missing):
        texts = zip(missing, output.format_sets(sets, missing), output.format(z[~inside][:SHOWN]))
        lines = [[name(int(row)), text, true_output] for row, text, true_output in texts]
        parts.append(h.table(["row", "set", "true output"], lines, "Sets that miss the true output."))
    return parts


def _scores(output: OutputSpace, true: Sets, z: NDArray, found: NDArray) -> list[float]:
    """Return the fraction of outputs that are exactly right, the mean agreement, and the risk."""
    equal = np.isclose(found, z, rtol=0, atol=TOLERANCE).reshape(len(z), -1).all(axis=1)
    return [float(np.mean(equal)), float(np.mean(true.agreement(found))), risk(output, true, found)]
