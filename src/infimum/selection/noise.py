"""The stage of the search that allows for sets that miss the true label."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .candidates import NOISY
from .evaluate import Evaluation
from .rank import Rule, competitive_groups, has_likelihood, is_noisy, mixtures_of, ranked_groups


def try_noise(problem: Any, data: Any, record: Any) -> None:
    """Evaluate the best candidates under the assumption that sets may miss the true label, while this pays."""
    regression, config = problem.rule.regression, problem.config
    near = [replace(one.candidate, principle=NOISY) for one in _plain(record.on(data), problem.rule)]
    noisy: list[Evaluation] = []
    n_evaluated = 0
    for _ in range(config.n_steps):
        record.compare(near, data)
        noisy = [one for one in record.on(data) if is_noisy(one)]
        if not noisy or problem.given or all(one.rows.miss < config.min_noise for one in noisy):
            return
        best = [group[0].candidate for group in competitive_groups(noisy, problem.rule)]
        near = [one for top in best for one in top.neighbours(config)]
        if n_evaluated == (n_evaluated := len(noisy)):
            break
    if regression:
        record.compare(mixtures_of(noisy, problem.rule, NOISY), data)


def _plain(found: list[Evaluation], rule: Rule) -> list[Evaluation]:
    """Return the candidates that are evaluated first.

    Of numbers, these are the best few of every family, because intervals far from the true value change the order of
    the families. Of labels, the best of each competitive family, without forests: they learn from the labels, and
    confirm estimates outside of the sets too easily. Those of numbers learn from values inside of the intervals.
    """
    if rule.regression:
        soft = [one for one in found if one.candidate.principle == "disambiguation" and not one.candidate.parts]
        return [one for group in ranked_groups(soft, rule) for one in group[: rule.config.n_kept]]
    tops = [one for one, *_ in competitive_groups(found, rule) if one.candidate.weights not in ("forest", "constant")]
    return [one for one in tops if has_likelihood(one)]
