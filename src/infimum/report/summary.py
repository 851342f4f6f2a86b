"""The summary of a report: three plain sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..outputs.merging import WORDS

CLEARLY = 0.03  # difference of covering rates, or share of the RMSE, from which on a simple model is clearly better

DOMINATED = (
    0.5  # part of the squared error that 5 % of the rows cause, from which on the RMSE says little about the rest
)


def summary(
    kind: str, counts: dict[str, int], names: list[str], scores: list[dict[str, Any]], beats_constant: bool,
    n_review: int, n_suspects: int, n_impossible: int, merge: list[dict[str, Any]], inseparable: list[dict[str, Any]],
    countable: bool = True, annotators: Sequence[dict[str, Any]] = (), worst_share: float = 0.0,
) -> list[str]:  # fmt: skip
    """Return three sentences: what is there, how well it can be learned, and what to do next.

    Predictions of numbers and vectors (`countable` is False) are almost never equal to an exact label, so they are
    described by an error instead of the covering rate. `worst_share` is the part of the squared error of the best
    constant that the 5 % worst rows cause. If a few rows dominate it, it says little about the others.
    """
    few = worst_share if "rmse" in scores[-1]["errors"] and worst_share > DOMINATED else 0.0
    next_ = _next(counts, beats_constant, n_review, n_suspects, n_impossible, merge, inseparable, _better(scores), few)
    score = _score if countable or "rmse" in scores[-1]["errors"] else _risk
    there = _there(kind, counts, names, annotators)
    no_labels = counts["exact"] + counts["partial"] == 0
    return [there, _consistent(scores) if no_labels else _learned(scores, beats_constant, score, few), next_]


def _there(kind: str, counts: dict[str, int], names: list[str], annotators: Sequence[dict[str, Any]]) -> str:
    parts = [
        f"{counts[key]:,} {words}"
        for key, words in (("exact", "with an exact label"), ("partial", "with a partial label"),
                           ("unlabelled", "without a label"))
        if counts[key]
    ]  # fmt: skip
    words = f", for {len(names):,} {WORDS[kind][1]}" if kind in WORDS and names else ""
    listed = ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1] if parts else "none with a label"
    people = ""
    if len(annotators) > 1:  # the least reliable one is the first
        least = annotators[0]
        people = f", by {len(annotators):,} annotators ({least['annotator']} is the least reliable)"
    rows = f"{counts['rows']:,} rows"
    if "sequences" in counts:
        rows = f"{counts['rows']:,} tokens in {counts['sequences']:,} sequences"
    return f"The table has {rows}: {listed}{words}{people}."


def _learned(
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
    if "rmse" in ours["errors"]:
        return (
            f"The labels can be predicted: on held-out rows, the typical error (RMSE) is {score(ours)}, against"
            f" {others}."
        )
    if score is _risk:
        return (
            f"The labels can be predicted: on held-out rows, the mean loss (set risk) is {score(ours)}, against"
            f" {others}."
        )
    return (
        f"The labels can be predicted: on held-out rows, {score(ours)} of the predictions agree with their candidate"
        f" set, against {others}."
    )


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
    return f"{one['covering_rate']:.0%}"


def _risk(one: dict[str, Any]) -> str:
    return f"{one['set_risk']:.3g}"


def _better(scores: list[dict[str, Any]]) -> str:
    """Return the name of a simple model that is clearly better than the model; empty if there is none."""
    _, *simple, ours = scores
    for one in simple:
        if "rmse" in ours["errors"]:
            clear = one["errors"]["rmse"][1] < (1 - CLEARLY) * ours["errors"]["rmse"][0]
        else:
            clear = one["covering_rate"] > ours["covering_rate"] + CLEARLY
        if clear:
            return str(one["name"])
    return ""


def _next(
    counts: dict[str, int], beats_constant: bool, n_review: int, n_suspects: int, n_impossible: int,
    merge: list[dict[str, Any]], inseparable: list[dict[str, Any]], better: str, few: float,
) -> str:  # fmt: skip
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
    if better and beats_constant:
        simple = "leave out --sequence" if "sequences" in counts else "fit the model with --weights neighbors"
        actions.append(f"{simple}, because {better} predicts better")
    if not beats_constant and few:
        actions.append("check the largest values, or predict the logarithm of the label if it is positive")
    elif not beats_constant:
        actions.append("label more rows or add columns that are related to the label")
    if not actions:
        open_ = counts["partial"] + counts["unlabelled"]
        return (
            "Nothing needs to be corrected; use the model, or label more rows with infimum studio."
            if open_
            else "Nothing needs to be corrected; use the model."
        )
    text = ", ".join(actions[:-1]) + (", and " if len(actions) > 1 else "") + actions[-1]
    return f"Next: {text}."
