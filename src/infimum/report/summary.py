"""The summary of a report: three plain sentences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..outputs import OUTPUT_TYPES
from .facts import ReportFacts, percent

MIN_DIFFERENCE = 0.03  # difference of covering rates, or share of the RMSE, from which a simple model is better

DOMINATED = 0.5
"""Part of the squared error that 5 % of the rows cause, from which on the RMSE says little about the rest."""


def summary(
    facts: ReportFacts, n_suspects: int = 0, n_impossible: int = 0, countable: bool = True, worst_share: float = 0.0
) -> list[str]:
    """Return three sentences: what is there, how well it can be learned, and what to do next.

    Predictions of numbers and vectors (`countable` is False) are almost never equal to an exact label, so they are
    described by an error instead of the covering rate. So are soft labels, with which every prediction is possible.
    `worst_share` is the part of the squared error of the best constant that the 5 % worst rows cause. If a few rows
    dominate it, it says little about the others.
    """
    has_rmse = "rmse" in facts.scores[-1]["errors"]
    few = worst_share if has_rmse and worst_share > DOMINATED else 0.0
    covered = all(one["covering_rate"] == 1 for one in facts.scores)
    score = _score if has_rmse or (countable and not covered) else _risk
    no_labels = facts.counts["exact"] + facts.counts["partial"] == 0
    learned = _consistent(facts.scores) if no_labels else _result(facts.scores, facts.beats_constant, score, few)
    return [_contents(facts), learned, _next(facts, n_suspects, n_impossible, few)]


def _contents(facts: ReportFacts) -> str:
    counts, names, annotators = facts.counts, facts.names, facts.annotators
    parts = [
        f"{counts[key]:,} {words}"
        for key, words in (("exact", "with an exact label"), ("partial", "with a partial label"),
                           ("unlabelled", "without a label"))
        if counts[key]
    ]  # fmt: skip
    words = f", for {len(names):,} {OUTPUT_TYPES[facts.kind].name_words[1]}" if names else ""
    listed = ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1] if parts else "none with a label"
    people = ""
    if len(annotators) > 1:  # the least reliable one is the first
        least = annotators[0]
        people = f", by {len(annotators):,} annotators ({least['annotator']} is the least reliable)"
    rows = f"{counts['rows']:,} rows"
    if "sequences" in counts:
        rows = f"{counts['rows']:,} tokens in {counts['sequences']:,} sequences"
    return f"The table has {rows}: {listed}{words}{people}."


def _result(
    scores: list[dict[str, Any]], beats_constant: bool, score: Callable[[dict[str, Any]], str], few: float
) -> str:
    constant, *simple, ours = scores
    others = f"{score(constant)} for the best constant ({constant['output']})"
    others += "".join(f" and {score(one)} for {one['name']}" for one in simple)
    if not beats_constant:
        name = "RMSE" if "rmse" in ours["errors"] else "set risk" if score is _risk else "covering rate"
        compared = f"on held-out rows the model is not better than the best constant ({name} {score(ours)}, against"
        if few:
            return (
                f"It is unclear whether the labels can be predicted: {compared} {others}), but a few large values"
                f" dominate this error. 5 % of the rows cause {100 * few:.0f} % of the squared error of the best"
                " constant."
            )
        return f"The labels cannot be predicted from these columns: {compared} {others})."
    held_out = f"on held-out rows, {score(ours)} of the predictions agree with their candidate set"
    if "rmse" in ours["errors"]:
        held_out = f"on held-out rows, the typical error (RMSE) is {score(ours)}"
    elif score is _risk:
        held_out = f"on held-out rows, the mean loss (set risk) is {score(ours)}"
    return f"The labels can be predicted: {held_out}, against {others}."


def _consistent(scores: list[dict[str, Any]]) -> str:
    constant, ours = scores[0], scores[-1]
    return (
        f"No row has a label. On held-out rows, {_score(ours)} of the predictions agree with the labels that"
        f" disambiguation estimated, against {_score(constant)} for the best constant ({constant['output']})."
    )


def _score(one: dict[str, Any]) -> str:
    if "rmse" in one["errors"]:
        low, high = one["errors"]["rmse"]
        if math.isinf(high):  # the true value of a one-sided interval may be anywhere
            return f"at least {low:.3g}"
        return f"{high:.3g}" if high - low <= 1e-6 * high else f"{low:.3g} to {high:.3g}"
    return percent(one["covering_rate"])


def _risk(one: dict[str, Any]) -> str:
    return f"{one['set_risk']:.3g}"


def _better(scores: list[dict[str, Any]]) -> str:
    """Return the name of a simple model that is clearly better than the model; empty if there is none."""
    _, *simple, ours = scores
    for one in simple:
        if "rmse" in ours["errors"]:
            clear = one["errors"]["rmse"][1] < (1 - MIN_DIFFERENCE) * ours["errors"]["rmse"][0]
        else:
            clear = one["covering_rate"] > ours["covering_rate"] + MIN_DIFFERENCE
        if clear:
            return str(one["name"])
    return ""


def _next(facts: ReportFacts, n_suspects: int, n_impossible: int, few: float) -> str:
    counts, merge, n_review, inseparable = facts.counts, facts.merge, facts.n_review, facts.inseparable
    actions = []
    if merge:
        names = f"{len(merge)} look-alike name{'s' if len(merge) > 1 else ''}"
        actions.append(f"merge {names} and write the report again" if n_suspects else f"merge {names}")
    if n_review:
        many = f"review {n_review:,} row{'s' if n_review > 1 else ''}"
        others = n_review - n_suspects - n_impossible if n_suspects or n_impossible else 0
        verb = "contradicts" if others == 1 else "contradict"
        found = [f"{n_suspects:,} with a probably wrong label" if n_suspects else "",
                 f"{n_impossible:,} that no label satisfies" if n_impossible else "",
                 f"{others:,} that {verb} a similar row" if others > 0 else ""]  # fmt: skip
        listed = ", ".join(text for text in found if text)
        actions.append(f"{many} ({listed})" if listed else many)
    if inseparable:
        options = inseparable[0]["options"][:2]
        more = f" and {len(inseparable) - 1} other group{'s' if len(inseparable) > 2 else ''}" * (len(inseparable) > 1)
        several = len(options) > 1
        fits = f"about {options[0]}, which always fits{',' if more else ''}"
        what = f"that separates {' and '.join(options)}" if several else fits
        actions.append(f"ask the question {what}{more}")
    better = _better(facts.scores)
    if better and facts.beats_constant:
        simple = "leave out --sequence" if "sequences" in counts else "fit the model with --weights neighbors"
        actions.append(f"{simple}, because {better} predicts better")
    if not facts.beats_constant and few:
        actions.append("check the largest values, or predict the logarithm of the label if it is positive")
    elif not facts.beats_constant:
        actions.append("label more rows or add columns that are related to the label")
    if not actions:
        more = ", or label more rows with infimum studio" if counts["partial"] + counts["unlabelled"] else ""
        return f"Nothing needs to be corrected; use the model{more}."
    text = ", ".join(actions[:-1]) + (", and " if len(actions) > 1 else "") + actions[-1]
    return f"Next: {text}."
