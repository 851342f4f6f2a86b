"""Part 4: what was learned, and why one may believe it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import solvers
from ..diagnostics._choices import at_least, at_most
from ..diagnostics.identifiability import Identifiability
from ..disambiguation import DisambiguationResult
from ..loss import SetLoss
from ..outputs import Labels, OutputSpace, Reals, Sets
from ..recipe import Recipe
from ..selection import beyond_chance, covered, out_of_fold, risk
from ..weights import Neighbors, Scaled
from . import _page as h
from ._figures import figure

BLOCKS = 5


class Compared(NamedTuple):
    """A model on rows that it did not see."""

    name: str
    z: NDArray
    covering: float
    beyond: float
    risk: float


def compared(model: Any, X: Any, output: OutputSpace, sets: Sets) -> list[Compared]:
    """The model, its neighbours and the best constant, each on blocks of rows that are held out."""
    L = SetLoss(output, sets)
    best = solvers.choose("auto", L).fit(L).argmin(np.full((1, len(sets)), 1 / len(sets)))
    k = min(10, max(1, len(sets) // 4))
    simple = Recipe("infimum", "inside", Scaled(Neighbors(k)))
    found = [
        ("always the same answer", np.repeat(best, len(sets), axis=0)),
        (f"the {k} nearest rows", out_of_fold(simple, X, output, sets, cv=BLOCKS).z),
        ("the model", out_of_fold(model.recipe_, X, output, sets, cv=BLOCKS).z),
    ]
    return [Compared(n, z, covered(sets, z), beyond_chance(sets, z), risk(output, sets, z)) for n, z in found]


def content(
    model: Any, output: OutputSpace, sets: Sets, resolved: DisambiguationResult | None, rows: list[Compared],
    found: Identifiability, truth: list | None, name: Callable[[int], str],
) -> h.Markup:  # fmt: skip
    """The fourth part of the page."""
    ours = rows[-1]
    facts: list[tuple[str, Any]] = [
        ("sets covered, held out", f"{ours.covering:.1%}"), ("beyond chance", ours.beyond), ("set risk", ours.risk)
    ]  # fmt: skip
    if resolved is not None and resolved.confidence is not None:
        facts.append(("mean confidence", float(resolved.confidence.mean())))
    parts = [h.tiles(facts), h.head("On rows that were held out"), _comparison(rows)]
    parts += _choice(model)
    parts += [h.head("How good the labels found probably are"), *_belief(output, sets, resolved, ours, found)]
    if truth is not None:
        parts += [h.head("Against the truth"), *_truth(output, sets, resolved, ours, truth, name)]
    return h.markup(*parts)


def _comparison(rows: list[Compared]) -> h.Markup:
    columns = ["model", "sets covered", "beyond chance", "set risk"]
    body = [[row.name, row.covering, row.beyond, row.risk] for row in rows]
    caption = (
        "Sets covered: how often the prediction lies in the set of a row that was not learned from. Beyond chance: the"
        " same, corrected for predictions handed out at random."
    )
    return h.table(columns, body, caption)


def _choice(model: Any) -> list[h.Markup]:
    if model.selection_ is None or not model.selection_.results:
        why = model.selection_.reason if model.selection_ is not None else "All parts are set explicitly."
        return [h.soft(f"Nothing was compared. {why} {model.recipe_!r}")]
    head, *body = model.selection_.table()
    early = "" if model.selection_.complete else " The comparison was interrupted."
    n = len(model.selection_.results)
    caption = f"The best of {n} settings, by sets that were held out; the first was chosen.{early}"
    score = {"neg_set_risk": "set risks", "log_likelihood": "log-likelihoods"}[model.selection_.scoring]
    said = f"Held-out {score} of the settings that were compared."
    drawn = figure(lambda: model.selection_.plot().figure_, "choice", said)
    # likelihoods are for those who know what they are, but where they decide
    shown = 6 if model.selection_.scoring == "neg_set_risk" else 7
    table = [[*line[:3], *map(float, line[3:shown])] for line in body]
    return [h.head("What was chosen"), h.table(head[:shown], table, caption), drawn]


def _belief(
    output: OutputSpace, sets: Sets, resolved: DisambiguationResult | None, ours: Compared, found: Identifiability
) -> list[h.Markup]:
    parts = []
    if resolved is not None and resolved.confidence is not None:
        said = f"By its own weights, {float(resolved.confidence.mean()):.0%} of the labels found are right"
        if resolved.support is not None:
            support = float(np.mean(np.clip(resolved.support, 0, 1)))
            said += f"; rows that did not see a set give it a probability of {support:.2f} on average"
        parts.append(h.para(said + ". Neither is a proof: both come from the same sets."))
        if resolved.support is not None:
            from ..plotting import ResolvedDisplay

            parts.append(figure(
                lambda: ResolvedDisplay.from_resolved(resolved).figure_, "resolved",
                "How sure disambiguation is of the labels, and how well the sets agree with the other rows.",
            ))  # fmt: skip
    if isinstance(output, Labels) and output.cost is None and np.isfinite(found.degree):
        parts.append(_bound(len(sets), ours, found))
    if not parts or not isinstance(output, Labels):
        agree = float(np.mean(sets.agreement(ours.z)))
        parts.append(h.para(
            f"On rows that were held out, what is predicted agrees with what is known of them to {agree:.1%}. What the"
            " sets leave open, they cannot check."
        ))  # fmt: skip
    return parts


def _bound(n: int, ours: Compared, found: Identifiability) -> h.Markup:
    """P(f(x) != y) <= P(f(x) not in S) / (1 - degree), where sets depend on the truth alone and always hold it."""
    missed = float(at_most(round((1 - ours.covering) * n), n, found.level))
    degree, high = found.degree, found.degree_interval[1]
    if not degree < 1:
        return h.para("The ambiguity degree is 1: held-out sets put no bound on the errors of the labels.")
    likely = min(1.0, (1 - ours.covering) / (1 - degree))
    worst = min(1.0, missed / (1 - high)) if high < 1 else 1.0
    return h.para(
        f"A wrong label escapes its set with probability 1 − {degree:.2f} at least, {degree:.2f} being the ambiguity"
        f" degree; {1 - ours.covering:.1%} of the held-out predictions lie outside of their sets. So at most"
        f" {likely:.1%} of the predictions are wrong, or {worst:.1%} where both numbers are as bad as their intervals"
        " allow. This holds where sets contain the truth and, given the truth, do not depend on x."
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
        return [h.soft("The column of the truth is empty.")]
    true = output.read([truth[k] for k in rows], strict=False)
    z = _points(output, true)
    n, held = len(rows), sets[rows].contains(z)
    body: list[list[Any]] = [["held-out predictions", *_scores(output, true, ours.z[rows])]]
    if resolved is not None:
        body.insert(0, ["labels found", *_scores(output, true, np.asarray(resolved.z)[rows])])
    right = round(float(body[0][1]) * n)
    between = f"{float(at_least(right, n, 0.975)):.1%} to {float(at_most(right, n, 0.975)):.1%}"
    caption = f"On {n} rows with a known truth. Of the {body[0][0]}, exactly right: {between} at 95 % confidence."
    missing = rows[~held]
    said = f"{int(held.sum())} of these {n} sets hold the truth."
    parts = [h.table(["what", "exactly right", "agreement", "risk"], body, caption), h.para(said)]
    if len(missing):
        words = zip(missing[:50], output.format_sets(sets, missing[:50]), output.format(z[~held][:50]))
        lines = [[name(int(row)), text, said] for row, text, said in words]
        parts.append(h.table(["row", "its set", "the truth"], lines, "Sets that miss the truth."))
    return parts


def _points(output: OutputSpace, true: Sets) -> NDArray:
    """The truth as outputs."""
    return true.member(true.start(), output)


def _scores(output: OutputSpace, true: Sets, z: NDArray) -> list[float]:
    near = np.abs(np.ravel(z) - np.ravel(_points(output, true))) < 1e-9 if isinstance(output, Reals) else None
    exact = true.contains(z) if near is None else near
    return [float(np.mean(exact)), float(np.mean(true.agreement(z))), risk(output, true, z)]
