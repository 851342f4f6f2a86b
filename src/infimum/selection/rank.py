"""The selection rule: which of the evaluated candidates is the best, and which may still turn out to be.

Candidates of one principle and family are ranked by the log-likelihood of the sets if they have one, else by the set
risk. The principles are then compared by their set risk. The infimum principle minimises this risk, whether it is right
or wrong, and among many candidates one is lucky. Therefore the candidate of the largest likelihood goes first, unless
its set risk is larger than the least by more than chance explains. Families are compared by both scores, because the
likelihood of one may be larger although its predictions are worse, in particular for many classes.

For regression every candidate has a likelihood, which alone decides, because the set risk ignores where in a set the
true value is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import isnan

import numpy as np

from .candidates import NEAREST, NOISY, Candidate
from .config import SearchConfig
from .evaluate import Evaluation


@dataclass(frozen=True)
class Rule:
    """How candidates are compared."""

    config: SearchConfig
    regression: bool = False
    """Whether outputs are numbers or vectors: the log-likelihood alone compares candidates, and mixtures go first."""
    costly: bool = False
    """Whether each prediction is a search, so fewer candidates are compared."""
    exact: float = 1.0
    """The share of rows with an exact label."""
    n_choices: int = 0
    """How many choices each row makes among listed options: one for labels, several for tags, 0 for others."""
    rankings: bool = False
    """Whether outputs are rankings, for which linear models go first."""
    smoothest: bool = True
    """Whether the smoothest of candidates with almost the same likelihood goes first; otherwise the likeliest does."""

    @property
    def n_se(self) -> float:
        """Standard errors by which a candidate must be better than one of a preferred family."""
        return self.config.n_se_different_regression if self.regression else self.config.n_se_different

    @property
    def n_se_family(self) -> float:
        """Standard errors of both scores by which a candidate must be better than one of a preferred family."""
        return self.config.n_se_family if self.rankings else 0.0

    @property
    def n_se_more_rows(self) -> float:
        """Standard errors by which a candidate may be worse than the best and is still compared on more rows."""
        return self.n_se if self.costly or self.regression else self.config.n_se_more_rows

    @property
    def n_se_constant(self) -> float:
        """Standard errors by which a candidate must be better than the constant."""
        return self.config.n_se_constant_regression if self.regression else self.config.n_se_constant

    def preference(self, one: Evaluation) -> int:
        """Return the place of a candidate's family among those that are preferred."""
        order = self.config.family_order_regression if self.regression else self.config.family_order
        order = self.config.family_order_rankings if self.rankings else order
        return order.index(one.candidate.weights) if one.candidate.weights in order else len(order)


def select(found: Sequence[Evaluation], rule: Rule) -> Evaluation:
    """Return the best candidate, or the constant if none is better than it.

    Parameters
    ----------
    found : sequence of Evaluation
        Candidates that were evaluated on the same rows.
    rule : Rule
        How they are compared.
    """
    nearest, others = _split(found, is_nearest)
    nearest = [one for one in nearest if _keeps_likelihood(one, others, rule)]
    if nearest and others:
        mean, best = select(others, rule), min(nearest, key=_mean_loss)
        gains = not is_noisy(mean) and mean.rows.is_worse(best.rows, rule.config.n_se_nearest)
        # beside wide intervals, predictions far off the estimated values gain almost nothing
        moved = float(np.square(best.z - mean.z).reshape(len(best.z), -1).sum(axis=1).mean())
        return best if gains and _mean_loss(mean) - _mean_loss(best) >= rule.config.min_gain_nearest * moved else mean
    noisy, others = _split(others or found, is_noisy)
    if not noisy or not others:
        return _select(noisy or others, rule)
    plain, best = _select(others, rule), _best_noisy(noisy, rule)
    return best if _pays(best, plain, others, rule) else plain


def _select(found: Sequence[Evaluation], rule: Rule) -> Evaluation:
    """Return the best candidate among principles that make the same assumption about the sets."""
    constants, models = _split(found, is_constant)
    if rule.rankings:  # scores of items are less often wrong than the order that contradicts the fewest comparisons
        constants = [one for one in constants if has_likelihood(one)] or constants
    if constants:
        models = [one for one in models if _is_above(one, constants, rule)]
    return best_model(models or constants, rule)


def _best_noisy(found: Sequence[Evaluation], rule: Rule) -> Evaluation:
    """Return the best candidate under the assumption that sets may miss the true label.

    Errors in the sets make all scores less certain. Smooth candidates, which go first otherwise, are not better then,
    and the set risk is as informative as the likelihood.
    """
    if rule.n_choices != 1:
        return best_model(found, rule)
    best = likeliest(found)
    return max(found, key=lambda one: one.rows.standard_errors_below(best.rows))


def _is_dependent(one: Evaluation, constants: Sequence[Evaluation], rule: Rule) -> bool:
    """Whether labels depend on X: a model separates the sets of different rows, and is better than the constant."""
    constant, config = best_model([one for one in constants if has_likelihood(one)], rule), rule.config
    better = one.rows.standard_errors_below(constant.rows) >= config.n_se_constant_mixture
    return better and one.rows.standard_errors_dependent >= config.n_se_dependent


def _is_above(one: Evaluation, constants: Sequence[Evaluation], rule: Rule) -> bool:
    """Whether a candidate is better than the best constant by more than chance explains."""
    soft, tested = has_likelihood(one), rule.rankings and one.rows.dependence is not None
    same = [constant for constant in constants if has_likelihood(constant) or not soft]
    if not same:
        return True
    constant = best_model(same, rule)
    if tested and soft:
        better = _is_dependent(one, same, rule)
    else:
        better = constant.rows.is_worse(one.rows, rule.n_se_constant, soft)
        better = better and (not tested or one.rows.standard_errors_dependent >= rule.config.n_se_dependent)
    if rule.regression:
        return better
    evidence = one.rows.standard_errors_below(constant.rows) + constant.dependence
    return evidence >= rule.config.n_se_constant_both or (better and not rule.n_choices)


def best_model(found: Sequence[Evaluation], rule: Rule) -> Evaluation:
    """Return the best candidate, whether or not a constant is better."""
    unit = largest_risk(found)
    tops = [group[0] for group in ranked_groups(found, rule)]
    least = min(tops, key=lambda one: (risk(one, unit), rule.preference(one)))
    n_se = max(rule.n_se, rule.n_se_family / 2)
    soft = [one for one in tops if has_likelihood(one) and (rule.regression or not one.rows.is_worse(least.rows, n_se))]
    if not soft:
        return least
    best = likeliest(soft)
    if rule.regression:
        near = [one for one in soft if not one.rows.is_worse(best.rows, rule.n_se, likelihood=True)]
    else:
        # the mean of several candidates is less often the best by chance
        first = {id(one) for one in soft if one.candidate.parts and one.candidate.principle != "average"}
        scores = {id(one): one.rows.standard_errors_below(best.rows) for one in soft}
        scores |= {key: score + rule.config.n_se_mixture for key, score in scores.items() if key in first}
        near = [one for one in soft if scores[id(one)] >= max(scores.values()) - rule.n_se_family]
    return min(near, key=lambda one: (rule.preference(one), -one.result.log_likelihood))


def ranked_groups(found: Sequence[Evaluation], rule: Rule) -> list[list[Evaluation]]:
    """Return the candidates of each principle and family, the best of each group first."""
    groups: dict[tuple[str, ...], list[Evaluation]] = {}
    for one in found:
        groups.setdefault(_group(one), []).append(one)
    unit = largest_risk(found)
    return [rank(group, rule, unit) for group in groups.values()]


def _group(one: Evaluation) -> tuple[str, ...]:
    found = one.candidate
    return found.principle, found.negative_weights, found.weights, found.rows


def rank(group: Sequence[Evaluation], rule: Rule, unit: float) -> list[Evaluation]:
    """Return candidates of one principle, the best first: by likelihood or set risk, and the smoothest of equals."""
    if not all(map(has_likelihood, group)):
        return sorted(group, key=lambda one: (risk(one, unit), *_roughness(one)))
    best, config = likeliest(group), rule.config
    # the likelihood of a forest is extrapolated, and large leaves need less of it
    n_se = rule.n_se if best.candidate.weights == "forest" and not rule.regression else config.n_se_tie
    smoothest = rule.smoothest or best.result.n > config.second_rows

    def place(one: Evaluation) -> tuple:
        gain = best.candidate.has_relevance and not one.candidate.has_relevance
        slack = config.min_gain if gain else 1e-12
        near = smoothest and not one.rows.is_worse(best.rows, n_se, True, slack)
        likelihood = one.result.log_likelihood
        return (0, *_roughness(one), -likelihood) if near else (1, -likelihood, *_roughness(one))

    return sorted(group, key=place)


def competitive_groups(found: Sequence[Evaluation], rule: Rule, n_se: float | None = None) -> list[list[Evaluation]]:
    """Return the ranked groups whose best candidate may still turn out to be the best of all.

    Its likelihood is less than the largest by at most `n_se` standard errors, those of the rule by default.
    """
    n_se = rule.n_se if n_se is None else n_se
    config, unit, groups = rule.config, largest_risk(found), ranked_groups(found, rule)
    tops = [group[0] for group in groups]
    least = min(risk(one, unit) for one in tops)
    soft = [one for one in tops if has_likelihood(one)]
    best = likeliest(soft) if soft else tops[0]

    def is_near(one: Evaluation) -> bool:
        if rule.regression:
            return not one.rows.is_worse(best.rows, rule.n_se, likelihood=True)
        near = has_likelihood(one) and not one.rows.is_worse(best.rows, n_se, likelihood=True)
        return near or risk(one, unit) <= config.prune_ratio * least

    return [group for group in groups if is_near(group[0])]


def mixtures_of(found: Sequence[Evaluation], rule: Rule, principle: str = "disambiguation") -> list[Candidate]:
    """Return the mixture of the best candidate of each family under a principle; none for fewer than two families.

    For labels of few rows, the same mixture under the average principle follows, if that principle is compared. Shares
    are proportional to a power of the likelihood of all sets, as in Bayesian model averaging. The power is small
    because the likelihoods are estimates.
    """
    soft = [one for one in found if one.candidate.principle == principle and not one.candidate.parts]
    soft = [one for one in soft if has_likelihood(one) and (rule.regression or not is_constant(one))]
    families: dict[tuple[str, ...], Evaluation] = {}
    for group in ranked_groups(soft, rule):
        for one in group:
            key = one.candidate.weights, one.candidate.splits, one.candidate.rows
            families.setdefault(key, one)
    tops = list(families.values())
    if len(tops) < 2:
        return []
    config, nats = rule.config, np.array([one.result.log_likelihood * one.result.n for one in tops])
    shares = np.exp(config.mixture_power * (nats - nats.max()))
    few = rule.n_choices == 1 and tops[0].result.n <= rule.config.mixture_rows
    least = np.full(len(tops), config.min_share)
    if not (rule.regression or few):
        least[[one.candidate.weights == "forest" for one in tops]] = config.min_share_forest
    kept = np.flatnonzero(shares >= least * shares.sum())
    parts = tuple((tops[k].candidate, round(float(shares[k] / shares[kept].sum()), 4)) for k in kept)
    inside = tops[0].candidate.negative_weights
    mixture = Candidate("mixture", parts=parts, principle=principle, negative_weights=inside)
    if len(parts) < 2:
        return []
    averages = any(one.candidate.principle == "average" for one in found)
    return [mixture, replace(mixture, principle="average")] if few and averages else [mixture]


def survivors(found: Sequence[Evaluation], rule: Rule) -> list[Evaluation]:
    """Return the constants, and the few candidates of each competitive group that may be as good as its best one.

    The best candidates with and without feature relevances are counted separately, as they profit differently from
    more rows, and those with each kind of kernel, which few rows do not distinguish. Groups without a likelihood are
    left out if the likeliest candidate has almost the least set risk, because it goes first then.
    """
    kept = [one for one in found if is_constant(one)]
    models = [one for one in found if not is_constant(one)]
    groups = competitive_groups(models or found, rule, rule.n_se_more_rows)
    soft = [group[0] for group in groups if has_likelihood(group[0])]
    for group in groups:
        kinds: dict[tuple[bool, str], list[Evaluation]] = {}
        for one in group:
            kinds.setdefault((one.candidate.has_relevance, one.candidate.kernel), []).append(one)
        few = {id(one) for some in kinds.values() for one in some[: rule.config.n_kept]}
        best, *others = [one for one in group if id(one) in few]
        if soft and not has_likelihood(best) and not likeliest(soft).rows.is_worse(best.rows, rule.config.n_se_tie):
            continue
        kept += [best, *(one for one in others if not one.rows.is_worse(best.rows, rule.n_se, has_likelihood(best)))]
    return kept


def far_behind(found: Iterable[Evaluation], than: Sequence[Evaluation], rule: Rule) -> set[Candidate]:
    """Return the base learners of candidates that are worse than the best of others by `n_se_more_rows`."""
    soft = [one for one in than if has_likelihood(one)]
    best = likeliest(soft) if soft else best_model(than, rule)
    n_se = rule.config.n_se_more_rows
    return {one.candidate.learner for one in found if one.rows.is_worse(best.rows, n_se, likelihood=bool(soft))}


def is_promising(preview: Evaluation, found: Iterable[Evaluation]) -> bool:
    """Whether a preview, which overestimates its candidate, has a better score than all others of its group."""
    group = _group(preview)
    same = [one for one in found if _group(one) == group]
    score = "log_likelihood" if has_likelihood(preview) else "neg_set_risk"
    return not same or getattr(preview.result, score) > max(getattr(one.result, score) for one in same)


def is_constant(one: Evaluation) -> bool:
    """Whether a candidate predicts the same output everywhere."""
    return one.candidate.weights == "constant"


def has_likelihood(one: Evaluation) -> bool:
    """Whether the sets have a likelihood under this candidate."""
    return not isnan(one.result.log_likelihood)


def _split(found: Sequence[Evaluation], test: Callable[[Evaluation], bool]) -> tuple[list, list]:
    """Return those that pass a test, and the others."""
    return [one for one in found if test(one)], [one for one in found if not test(one)]


def _pays(noisy: Evaluation, plain: Evaluation, others: Sequence[Evaluation], rule: Rule) -> bool:
    """Whether some sets are estimated to miss the true label, and assuming it increases the likelihood."""
    config = rule.config
    soft = plain if has_likelihood(plain) else likeliest(filter(has_likelihood, others))
    gains = soft.rows.is_worse(noisy.rows, config.n_se_noise, True)
    if is_constant(plain) and rule.n_choices == 1:  # features that are useless must not become useful by chance
        gains = gains and plain.dependence >= config.n_se_noise
    # rare tags are easily taken for errors, which the loss shows: if all tags are wrong equally often, the model with
    # the smaller loss on them is also better on the true tags
    # intervals that miss may be far off, and predictions need not be near them
    n_se = 0.0 if rule.n_choices > 1 else config.n_se_different
    is_risky = not rule.regression and noisy.rows.is_worse(plain.rows, n_se)
    return noisy.rows.miss >= config.min_noise and gains and not is_risky


def is_noisy(one: Evaluation) -> bool:
    """Whether a candidate assumes that some sets miss the true label, which must pay to be selected."""
    return one.candidate.principle == NOISY


def is_nearest(one: Evaluation) -> bool:
    """Whether predictions of a candidate minimise the infimum loss to the sets after disambiguation."""
    return one.candidate.principle == NEAREST


def _keeps_likelihood(nearest: Evaluation, others: Sequence[Evaluation], rule: Rule) -> bool:
    """Whether predictions that minimise the infimum loss keep enough of what models gain over the constant.

    Values of most rows may be beyond a detection limit. Predictions at the limit then have almost no loss, although
    values are far from it, and their order is lost.
    """
    constants, models = _split(others, is_constant)
    if not constants or not models:
        return True
    least, largest = (likeliest(some).result.log_likelihood for some in (constants, models))
    return nearest.result.log_likelihood - least >= rule.config.min_kept_nearest * (largest - least)


def nearest_of(found: Sequence[Evaluation], rule: Rule) -> list[Candidate]:
    """Return the selected candidate and the best forest of each kind, with predictions that minimise the infimum loss.

    The mean of the estimated values minimises the squared error. If intervals are one-sided and predictions uncertain,
    it is far beyond some of their ends, and the set risk is large. Boosting is left out, because forming its weights
    takes much longer than its predictions.
    """
    best = select(found, rule)
    forests = [one for group in ranked_groups(found, rule) for one in group if one.candidate.weights == "forest"]
    kinds = {one.candidate.splits: one for one in reversed(forests)}
    tops = [one for one in [best, *kinds.values()] if one.candidate.principle == "disambiguation"]
    return [replace(one.candidate, principle=NEAREST) for one in tops if not (is_constant(one) or _boosts(one))]


def _boosts(one: Evaluation) -> bool:
    """Whether boosting is the base learner or a part of it."""
    return "boosting" in {one.candidate.weights, *(part.weights for part, _ in one.candidate.parts)}


def likeliest(found: Iterable[Evaluation]) -> Evaluation:
    """Return the first of the candidates with the largest likelihood."""
    return max(found, key=lambda one: one.result.log_likelihood)


def largest_risk(found: Iterable[Evaluation]) -> float:
    """Return the largest set risk, which is the unit in which risks are compared."""
    return max((abs(_mean_loss(one)) for one in found), default=0.0) or 1.0


def risk(one: Evaluation, unit: float) -> float:
    """Return the set risk, rounded so that differences in the last digits do not count."""
    return round(_mean_loss(one) / unit, 9)


def _mean_loss(one: Evaluation) -> float:
    """Return the set risk, or the mean of other losses by which candidates are compared."""
    compared, w = one.rows.compared, one.rows.weight
    return -one.result.neg_set_risk if compared is None else float(np.average(compared, weights=w))


def _roughness(one: Evaluation) -> tuple[float, ...]:
    """Return a key that is smaller for candidates that go first: no relevances, a large lam, then a wide kernel.

    Of forests, those with small leaves go first.
    """
    found = one.candidate
    return found.has_relevance, -(found.lam or found.penalty or 0.0), found.gamma or 0.0, found.min_samples_leaf or 0
