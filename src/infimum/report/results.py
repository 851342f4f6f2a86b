"""Fourth section of the report: the model, its cross-validation scores, and the quality of its labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import Identifiability
from ..diagnostics.counts import at_least, at_most
from ..disambiguation import DisambiguationResult
from ..outputs import OutputSpace, Sets
from ..outputs.summary import SummaryTable
from ..recipe import Recipe
from ..selection import out_of_fold
from ..selection.scores import (
    best_constant,
    beyond_chance,
    covered,
    error_name,
    is_below,
    labelled_weight,
    losses,
    risk,
    shown_range,
)
from ..weights import Neighbors, Scaled
from . import _page as h
from ._figures import figure

FOLDS = 5
NEAREST = 10  # neighbours of the baseline, at most
SHOWN = 50  # rows whose set misses the true output
TOLERANCE = 1e-9  # of equal outputs
WORST = 0.05  # share of rows whose part of the loss is measured; about 0.27 for squared Gaussian errors


class Compared(NamedTuple):
    """A model on held-out rows."""

    name: str
    z: NDArray
    covering: float
    beyond: float
    risk: float
    errors: dict[str, tuple[float, float]]
    """For regression, the ranges of the RMSE and of R² that the sets allow."""
    losses: NDArray
    """(n,): the loss for each row, 0 for unlabelled rows."""
    weight: NDArray | None
    """(n,): 0 for unlabelled rows; None if there are none."""

    @property
    def text(self) -> str:
        """What is predicted by a constant."""
        return self.name.partition(": ")[2] or self.name

    def as_dict(self) -> dict[str, Any]:
        """Return name, predicted constant and scores."""
        return {
            "name": self.name.partition(": ")[0], "output": self.text, "covering_rate": self.covering,
            "chance_corrected": self.beyond, "set_risk": self.risk, "errors": dict(self.errors),
        }  # fmt: skip

    @property
    def worst_share(self) -> float:
        """The part of the total loss that the 5 % of labelled rows with the largest loss cause."""
        each = np.sort(self.losses)[::-1]
        total = float(each.sum())
        return float(each[: max(1, round(WORST * self.n_labelled))].sum()) / total if total > 0 else 0.0

    @property
    def n_labelled(self) -> int:
        """The number of labelled rows."""
        return len(self.z) if self.weight is None else int(np.count_nonzero(self.weight))


def compared(model: Any, X: Any, output: OutputSpace, sets: Sets) -> list[Compared]:
    """Return the held-out scores of the best constant, of nearest neighbours and of the model, on labelled rows.

    If the model was selected by cross-validation on the same rows, its scores are those of the selection, which
    `infimum fit` and `infimum clean` print, too.
    """
    k = min(NEAREST, max(1, len(sets) // 4))
    neighbours = Recipe("infimum", "inside", Scaled(Neighbors(k)))
    *others, ours = scored(output, sets, {
        f"{k} nearest neighbours": out_of_fold(neighbours, X, output, sets, cv=FOLDS).z,
        "the model": out_of_fold(model.recipe_, X, output, sets, cv=FOLDS).z,
    })  # fmt: skip
    known = {} if model.selection_ is None else model.selection_.scores
    if known and known["n_labelled"] == ours.n_labelled:
        ours = ours._replace(
            covering=known["covering_rate"], beyond=known["chance_corrected"], risk=_tidy(known["set_risk"]),
            errors=known["errors"],
        )  # fmt: skip
    return [*others, ours]


def scored(output: OutputSpace, sets: Sets, predictions: dict[str, NDArray]) -> list[Compared]:
    """Return the scores of the best constant and of held-out predictions by their names, on labelled rows."""
    w = labelled_weight(output, sets)
    best = best_constant(output, sets, w)
    found = {f"the best constant: {output.format(best)[0]}": np.repeat(best, len(sets), axis=0), **predictions}
    return [
        Compared(
            name, z, covered(sets, z, w), beyond_chance(sets, z, w), _tidy(risk(output, sets, z, w)),
            output.error_ranges(sets, z, w), losses(output, sets, z), w,
        )
        for name, z in found.items()
    ]  # fmt: skip


def _tidy(risk: float) -> float:
    """Return a risk without rounding errors around 0."""
    return 0.0 if abs(risk) < TOLERANCE else risk


def beats_constant(model: Any, rows: list[Compared]) -> bool:
    """Whether the model is better than the best constant: as recorded by its selection, or by these held-out scores."""
    known = None if model.selection_ is None else model.selection_.beats_constant
    return is_below(rows[-1].losses, rows[0].losses, rows[0].weight) if known is None else known


def section(
    model: Any, output: OutputSpace, sets: Sets, resolved: DisambiguationResult | None, rows: list[Compared],
    found: Identifiability | None, truth: list | None, name: Callable[[int], str], warning: str = "",
    tables: Sequence[SummaryTable] = (),
) -> h.Markup:  # fmt: skip
    """Return the section about the model; `warning` is the sentence about a model without skill."""
    constant, ours = rows[0], rows[-1]
    facts: list[tuple[str, Any]] = [
        ("covering rate (cross-validation)", f"{ours.covering:.1%}"),
        ("covering rate of the best constant", f"{constant.covering:.1%}"), ("chance-corrected", ours.beyond),
        ("set risk", ours.risk), ("set risk of the best constant", constant.risk),
        *((error_name(key), shown_range(*ends)) for key, ends in ours.errors.items()),
    ]  # fmt: skip
    if resolved is not None and resolved.confidence is not None and not warning:
        facts.append(("mean confidence", float(resolved.confidence.mean())))
    parts = [h.tiles(facts), h.para(warning) if warning else "", h.head("Comparison with baselines")]
    parts.append(_comparison(rows, bool(sets.is_unlabelled.all())))
    parts += [h.table(table.columns, table.rows, table.title) for table in tables]
    parts += _selection(model)
    parts.append(h.head("Quality of the estimated labels"))
    parts += [h.para(warning)] if warning else _quality(sets, resolved, ours, found)
    if truth is not None:
        parts += [h.head("Comparison with true outputs"), *_truth(output, sets, resolved, ours, truth, name)]
    return h.markup(*parts)


def _comparison(rows: list[Compared], only_groups: bool) -> h.Markup:
    columns = ["model", "covering rate", "chance-corrected", "set risk"]
    columns += [error_name(key) for key in rows[0].errors]
    body = [
        [row.name, row.covering, row.beyond, row.risk, *(shown_range(*ends) for ends in row.errors.values())]
        for row in rows
    ]
    caption = (
        f"Cross-validation, {rows[0].n_labelled} labelled rows. Covering rate: the fraction of held-out"
        " predictions in their set."
        " Chance-corrected: relative to randomly permuted predictions."
    )
    if only_groups:
        caption = "Cross-validation. No row has a label, so predictions are compared with the labels that"
        caption += " disambiguation estimated."
    return h.table(columns, body, caption)


def _selection(model: Any) -> list[h.Markup]:
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


def _truth(
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
