"""The stage of the search that allows for sets that miss the true label."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .candidates import NEAREST, NOISY
from .rank import competitive_groups, has_likelihood, is_noisy, mixtures_of, select


def may_be_noisy(problem: Any, data: Any, record: Any) -> bool:
    """Whether some of these few rows seem to have sets that miss the true label.

    The best candidates without feature relevances, which take longer, are evaluated under that assumption.
    """
    plain = [one for one in record.on(data) if not one.candidate.has_relevance]
    soft = _soft(plain, problem)
    if not soft:
        return True
    best = select(soft, problem.rule)
    record.compare([replace(best.candidate, principle=NOISY)], data)
    noisy = [one for one in record.on(data) if is_noisy(one)]
    return any(one.rows.miss >= problem.config.min_noise and _gains(one, best) for one in noisy)


def _soft(found: list, problem: Any) -> list:
    """Return the candidates that are evaluated again under the assumption that sets may miss.

    Forests, which learn from the labels, confirm estimates outside of the sets too easily. Those of numbers are grown
    on values inside of the intervals.
    """
    avoided = ("constant", "mixture") if problem.rule.regression else ("constant", "forest", "mixture")
    soft = [one for one in found if has_likelihood(one) and one.candidate.weights not in avoided]
    return [one for one in soft if one.candidate.principle not in (NEAREST, NOISY)]


def _gains(noisy: Any, best: Any) -> bool:
    return noisy.result.log_likelihood > best.result.log_likelihood


def try_noise(problem: Any, data: Any, record: Any) -> None:
    """Evaluate candidates under the assumption that sets may miss the true label, if some of them seem to.

    Sets that miss the true label favour base learners that smooth too much. If the best candidates estimate that there
    are such sets, all base learners are therefore compared again under the new assumption.
    """
    found, config, regression = record.on(data), problem.config, problem.rule.regression
    soft = _soft(found, problem)
    groups = competitive_groups(soft if regression and soft else found, problem.rule)
    tops = [one for one, *_ in groups if one in soft]
    record.compare([replace(one.candidate, principle=NOISY) for one in tops], data)
    if problem.sets.comparisons() is not None:  # rankings take longer, and the best base learners hardly change
        return
    n_evaluated = 0
    near = [replace(one.candidate, principle=NOISY) for one in soft]
    for _ in range(config.n_steps):
        noisy = [one for one in record.on(data) if is_noisy(one)]
        if not noisy or problem.given or all(one.rows.miss < config.min_noise for one in noisy):
            return
        if n_evaluated == (n_evaluated := len(noisy)):
            break
        record.compare(near, data)
        noisy = [one for one in record.on(data) if is_noisy(one)]
        best = [group[0].candidate for group in competitive_groups(noisy, problem.rule)]
        near = [one for top in best for one in top.neighbours(config)]
    if regression:
        record.compare(mixtures_of([one for one in record.on(data) if is_noisy(one)], problem.rule, NOISY), data)
