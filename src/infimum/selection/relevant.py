"""The stage of the search that multiplies features by their relevance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from scipy import sparse

from .candidates import Candidate
from .evaluate import Evaluation, EvaluationData
from .rank import Rule, competitive_groups, has_likelihood, is_promising, largest_risk, rank, ranked_groups, select


def relevance_starts(found: Sequence[Evaluation], rule: Rule) -> list[list[Candidate]]:
    """Return the best kernel of each scaling with relevances, for each group from which a search may start.

    These are the competitive groups with a likelihood or, if there are none, the group of the best candidate. For
    regression these are all groups, because kernels may need relevances to be as good as a forest.
    """
    if not found:
        return []
    groups = ranked_groups(found, rule)
    if not rule.regression:
        groups = competitive_groups(found, rule, rule.n_se_more_rows)
    best = select(found, rule)
    starts = []
    for group in [one for one in groups if has_likelihood(one[0])] or [one for one in groups if one[0] is best]:
        by_scaling: dict[str, Candidate] = {}
        for one in group:
            if one.candidate.gamma is not None:
                by_scaling.setdefault(one.candidate.scaling, one.candidate.with_relevance())
        starts.append(list(by_scaling.values()))
    return [start for start in starts if start]


def relevant_candidates(
    problem: Any, data: EvaluationData, record: Any, starts: Iterable[list[Candidate]],
    also: Sequence[Candidate] = (),
) -> list[Candidate]:  # fmt: skip
    """Return kernels on features multiplied by their relevance, if they are likely to be better than all others.

    Relevances are learned from the sets. Previews, whose relevances have seen all rows, find the best candidate of each
    start, and cost no more than candidates without relevances. Only that one is then to be evaluated with relevances
    that are learned without the held-out rows. Candidates in `also` are evaluated together with the first previews.
    """
    config, X = problem.config, problem.table.X
    possible = not problem.given and not sparse.issparse(X) and 1 < X.shape[1] <= config.relevance_columns
    # on more rows, the candidates that were found on few rows and their neighbours are enough
    again = any(one.candidate.has_relevance for one in record.evaluations)
    rougher = again and not problem.costly  # labels of more rows can be followed more closely
    best: list[Evaluation] = []
    for near in starts if possible else []:
        if rougher:
            near = [*near, *near[0].neighbours(config, rougher)]
        found: list[Evaluation] = []
        for _ in range(1 if problem.costly else config.n_steps_second if again else config.n_steps):
            seen = {one.candidate for one in found}
            found += record.compare(also, data, previews=[one for one in near if one not in seen])
            also = ()
            if not found:
                break
            top = rank(found, problem.rule, largest_risk(record.latest(data)))[0]
            if top.candidate in seen:
                break
            near = top.candidate.neighbours(config, rougher)
        best += [top] if found else []
    record.compare(also, data)
    return [one.candidate for one in best if is_promising(one, record.on(data))]
