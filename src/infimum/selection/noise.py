"""The stage of the search that allows for sets that miss the true label."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .candidates import NEAREST, NOISY, Candidate
from .rank import competitive_groups, has_likelihood, is_noisy, likeliest, mixtures_of, select
from .relevant import relevance_starts, relevant_candidates


def may_be_noisy(problem: Any, data: Any, record: Any) -> bool:
    """Whether some of these few rows seem to have sets that miss the true label.

    The best candidates without feature relevances, which take longer, are evaluated under that assumption. For class
    labels, these are the best of all and the likeliest kernel.
    """
    plain = [one for one in record.on(data) if not one.candidate.has_relevance]
    soft = _soft(plain, problem)
    if not soft:
        return True
    best = select(soft, problem.rule)
    kernels = [one for one in soft if one.candidate.gamma is not None]
    several = [best, likeliest(kernels)] if kernels and problem.rule.n_choices == 1 else [best]
    record.compare(_with_noise(several, problem), data)
    noisy = [one for one in record.on(data) if is_noisy(one)]
    return any(_may_gain(one, best, problem) for one in noisy)


def is_likelier_noisy(problem: Any, data: Any, record: Any) -> bool:
    """Whether some of these few rows are likelier if sets may miss the true label."""
    plain, noisy = _soft(record.on(data), problem), [one for one in record.on(data) if is_noisy(one)]
    best = select(plain, problem.rule) if plain else None
    n_se = problem.config.n_se_likelier_noise
    return best is not None and any(best.rows.is_worse(one.rows, n_se, likelihood=True) for one in noisy)


def _soft(found: list, problem: Any) -> list:
    """Return the candidates that are evaluated again under the assumption that sets may miss.

    Forests of tags or rankings confirm estimates outside of the sets too easily. Those of labels are fitted again in
    each fold, and those of numbers are grown on values inside of the intervals.
    """
    has_forests = problem.rule.regression or problem.rule.n_choices == 1
    avoided = ("constant", "mixture") if has_forests else ("constant", "forest", "mixture")
    soft = [one for one in found if has_likelihood(one) and one.candidate.weights not in avoided]
    soft = [one for one in soft if problem.rule.regression or not one.candidate.rows]
    return [one for one in soft if one.candidate.principle not in (NEAREST, NOISY)]


def _may_gain(noisy: Any, best: Any, problem: Any) -> bool:
    """Whether sets seem to miss the true label, and more rows may show that assuming it increases the likelihood."""
    n_se = problem.config.n_se_noise if problem.rule.n_choices == 1 else 0.0
    return noisy.rows.miss >= problem.config.min_noise and not noisy.rows.is_worse(best.rows, n_se, likelihood=True)


def try_noise(problem: Any, data: Any, record: Any) -> None:
    """Evaluate candidates under the assumption that sets may miss the true label, if some of them seem to.

    Sets that miss the true label favour base learners that smooth too much, in particular on few rows. If the best
    candidates estimate that there are such sets, all base learners are therefore compared again under the new
    assumption. For class labels, this begins with the first candidates of the search.
    """
    found, config, regression = record.on(data), problem.config, problem.rule.regression
    soft = _soft(found, problem)
    groups = competitive_groups(soft if regression and soft else found, problem.rule)
    tops = [one for one, *_ in groups if one in soft]
    if not regression:  # forests take longest
        tops = [one for one in tops if one.candidate.weights != "forest"] or tops
    record.compare(_with_noise(tops, problem), data)
    if problem.sets.comparisons() is not None:  # rankings take longer, and the best base learners hardly change
        return
    if problem.rule.n_choices == 1 and not _any_gains(record.on(data), tops, config.n_se_noise / 2):
        return
    n_evaluated = 0
    near = [replace(one.candidate, principle=NOISY) for one in soft]
    if problem.rule.n_choices == 1 and not problem.given:
        near = [one for one in near if not (one.has_relevance or one.weights == "forest")] + _first_kernels(problem)
    for _ in range(config.n_steps):
        noisy = [one for one in record.on(data) if is_noisy(one)]
        if not noisy or problem.given or all(one.rows.miss < config.min_noise for one in noisy):
            return
        if n_evaluated == (n_evaluated := len(noisy)):
            break
        record.compare(near, data)
        noisy = [one for one in record.on(data) if is_noisy(one)]
        best = [group[0].candidate for group in competitive_groups(noisy, problem.rule)]
        best = [one for one in best if not one.has_relevance and (regression or one.weights != "forest")]
        near = [one for top in best for one in top.neighbours(config)]
    noisy = [one for one in record.on(data) if is_noisy(one)]
    if regression:
        record.compare(mixtures_of(noisy, problem.rule, NOISY), data)
    elif problem.rule.n_choices == 1:
        starts = relevance_starts([one for one in noisy if not one.candidate.has_relevance], problem.rule)
        record.compare(relevant_candidates(problem, data, record, starts), data)
        record.compare(_forests_of_labels(problem, record.on(data)), data)


def _forests_of_labels(problem: Any, found: list) -> list[Candidate]:
    """Return the best forest for sets that may miss the true label, and its mixture with the likeliest other candidate.

    The forest of the mixture is grown on the labels that the other part estimates. Forests may be good then that were
    far behind on sets with errors, and are not evaluated on these rows.
    """
    others = [one for one in found if is_noisy(one) and one.candidate.weights != "forest"]
    plain = sorted(_soft(found, problem), key=lambda one: -one.result.log_likelihood)
    forests = [one.candidate for one in plain] + problem.first_candidates()
    forests = [one for one in forests if one.weights == "forest" and not one.rows]
    if not (others and plain and forests):
        return []
    best = likeliest(others)
    if best.result.log_likelihood <= plain[0].result.log_likelihood:  # forests take longest, so others must gain first
        return []
    first, forest = best.candidate, replace(forests[0], principle=NOISY)
    mixture = Candidate("mixture", parts=((first, 0.5), (forest, 0.5)), principle=NOISY)
    return [forest, replace(mixture, negative_weights=first.negative_weights)]


def _with_noise(tops: list, problem: Any) -> list[Candidate]:
    """Return candidates under the assumption that sets may miss the true label, and those that are less smooth.

    Without the assumption, sets that miss the true label are best predicted by base learners that smooth too much.
    """
    found = [replace(one.candidate, principle=NOISY) for one in tops]
    if problem.rule.n_choices != 1 or problem.given:
        return found
    # relevances are learned again for each fold, and forests are fitted again
    plain = [one for one in found if not (one.has_relevance or one.weights == "forest")]
    return [*found, *(near for one in plain for near in one.neighbours(problem.config, rougher=True))]


def _any_gains(found: list, tops: list, n_se: float) -> bool:
    """Whether a candidate for sets that may miss the true label is likelier than one of `tops` by `n_se` errors."""
    noisy = [one for one in found if is_noisy(one)]
    return any(one.rows.is_worse(other.rows, n_se, likelihood=True) for one in tops for other in noisy)


def _first_kernels(problem: Any) -> list[Candidate]:
    """Return the first kernels of the search, under the assumption that sets may miss the true label."""
    first = [one for one in problem.first_candidates() if one.gamma is not None and not one.rows]
    rule = problem.pairs[0][1]
    return list(dict.fromkeys(replace(one, principle=NOISY, negative_weights=rule) for one in first))
