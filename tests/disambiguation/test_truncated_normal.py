"""Soft disambiguation of numbers: intervals, one-sided intervals, unions and boxes."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from sklearn.base import clone

from infimum import (
    Boxes,
    Chunks,
    Disambiguation,
    InfimumWarning,
    Intervals,
    PartialEstimator,
    PartialRegressor,
    PartialSearch,
    metrics,
    outputs,
    weights,
)
from infimum.datasets import load, make_lost_sign
from infimum.disambiguation import Schedule, TruncatedNormal, held_out_sums, posterior_of, soft
from infimum.recipe import Recipe
from infimum.selection import left_out_scores, out_of_fold
from infimum.selection.evaluate import mean_scores, row_scores
from infimum.weights.holdout import folds_of
from small_search import SMALL_SEARCH

RIDGE = weights.Scaled(weights.KernelRidge(lam=1e-4, gamma=0.5))


def banded(rng, n=300, noise=0.1, open_ends=True):
    """A curve with brackets instead of values: five bands, the outer ones one-sided."""
    X = rng.uniform(-2, 2, (n, 1))
    truth = np.sin(2 * X[:, 0]) + 0.5 * X[:, 0] + noise * rng.standard_normal(n)
    edges = np.quantile(truth, [0.2, 0.4, 0.6, 0.8])
    ends = (-math.inf, math.inf) if open_ends else (truth.min(), truth.max())
    bounds = np.array([ends[0], *edges, ends[1]])
    band = np.searchsorted(edges, truth)
    return X, truth, np.column_stack([bounds[band], bounds[band + 1]])


def test_exact_values_give_plain_kernel_ridge(rng):
    X, truth, _ = banded(rng, 60)
    plain = PartialRegressor.paper(weights=RIDGE).fit(X, truth)
    model = PartialRegressor(principle="disambiguation", weights=RIDGE).fit(X, truth)
    np.testing.assert_allclose(model.predict(X), plain.predict(X), atol=1e-9)
    np.testing.assert_allclose(model.labels_, truth, atol=1e-9)
    np.testing.assert_allclose(model.deviation_, 0, atol=1e-4)


def test_unlabelled_rows_do_not_change_predictions(rng):
    """Their label is what the others predict, which is the same as leaving them out of a ridge."""
    X, _, bounds = banded(rng, 80)
    unknown = np.vstack([bounds, [[-math.inf, math.inf]] * 5])
    more = np.vstack([X, rng.uniform(-2, 2, (5, 1))])
    ridge = weights.KernelRidge(lam=1e-3, gamma=2.0)
    alone = weights.KernelRidge(lam=1e-3 * 85 / 80, gamma=2.0)  # n lam is kept
    how = Disambiguation(tol=1e-9, max_iter=400)
    with_them = PartialRegressor(principle=how, weights=ridge).fit(more, unknown)
    without = PartialRegressor(principle=how, weights=alone).fit(X, bounds)
    np.testing.assert_allclose(with_them.predict(X), without.predict(X), atol=2e-3)


@pytest.mark.parametrize("factor, shift", [(1000.0, 0.0), (1.0, 50.0), (1e-3, -2.0)])
def test_predictions_are_equivariant_to_units_of_y(factor, shift, rng):
    X, _, bounds = banded(rng, 80)
    model = PartialRegressor(principle="disambiguation", weights=RIDGE)
    plain, other = model.fit(X, bounds).predict(X), model.fit(X, factor * bounds + shift).predict(X)
    np.testing.assert_allclose(other, factor * plain + shift, atol=1e-6 * factor * np.ptp(plain))


def test_order_of_rows_and_sample_weight_two(rng):
    X, _, bounds = banded(rng, 80)
    model = PartialRegressor(principle="disambiguation", weights=RIDGE)
    plain, order = model.fit(X, bounds).predict(X), rng.permutation(80)
    np.testing.assert_allclose(model.fit(X[order], bounds[order]).predict(X), plain, atol=1e-9)
    w = np.ones(80)
    w[:10] = 2
    weighted = model.fit(X, bounds, w)
    twice = model.fit(np.vstack([X, X[:10]]), np.vstack([bounds, bounds[:10]]))
    np.testing.assert_allclose(weighted.predict(X), twice.predict(X), atol=1e-6)


def test_disambiguation_of_brackets_beats_the_infimum(rng):
    """Squared error to the true values of a curve with five bands, one-sided at both ends."""
    X, truth, bounds = banded(rng)
    new, answers, _ = banded(np.random.default_rng(1))
    error = {
        principle: np.mean((PartialRegressor(principle=principle).fit(X, bounds).predict(new) - answers) ** 2)
        for principle in ("infimum", "disambiguation", "auto")
    }
    assert error["disambiguation"] < 0.7 * error["infimum"]
    assert error["auto"] == error["disambiguation"]
    middle = np.mean((PartialRegressor.paper(weights=RIDGE).fit(X, truth).predict(new) - answers) ** 2)
    assert error["auto"] < 2 * middle  # compared with full supervision


def test_one_sided_intervals_do_not_diverge(rng):
    """If all sets around x are one-sided, the likelihood grows with the prediction without end."""
    X = np.linspace(-1, 1, 120)[:, None]
    bounds = np.where(X < 0, [[-math.inf, -0.2]], [[0.2, math.inf]])
    model = PartialRegressor(principle=Disambiguation(max_iter=1000, tol=0.0), weights=RIDGE).fit(X, bounds)
    population = posterior_of(model.sets_).populations[0]
    unit = model.output_.unit_
    assert np.abs(model.predict(X)).max() <= unit * max(-population.low, population.high) + 1e-9
    assert np.abs(model.predict(X)).max() < 2.0  # ten times the finite ends, after a thousand rounds
    assert model.sets_.contains(model.labels_).all()


def test_one_sided_intervals_take_values_of_neighbours(rng):
    """A step function: "at least 0" does not contradict 10, and the neighbours have 10."""
    x = rng.uniform(0, 1, 300)
    truth = 10.0 * (x > 0.9) + x + 0.1 * rng.standard_normal(300)
    bounds = np.column_stack([truth, truth])
    bounds[:90] = np.column_stack([np.minimum(truth[:90], rng.normal(0, 0.3, 90)), np.full(90, math.inf)])
    model = PartialRegressor(principle="disambiguation", weights=weights.Neighbors(5)).fit(x[:, None], bounds)
    top = (x > 0.92) & (np.arange(300) < 90)
    assert top.sum() > 3
    np.testing.assert_allclose(model.labels_[top], 11, atol=0.5)
    open_ = np.isinf(bounds[:, 1])
    assert not open_[model.suspects_].any()


@pytest.mark.parametrize("far", [1e3, 1e6, 1e12])
def test_one_wide_set_changes_predictions_little(far, rng):
    """The unit is that of most sets, not of their hull."""
    X, _, bounds = banded(rng, 200)
    before = PartialRegressor(search_config=SMALL_SEARCH).fit(X, bounds).predict(X)
    bounds[17] = -far / 2, far
    after = PartialRegressor(search_config=SMALL_SEARCH).fit(X, bounds).predict(X)
    assert np.sqrt(np.mean((after - before) ** 2)) < 0.1 * before.std()


def test_coordinates_of_boxes_have_separate_units(rng):
    X, truth, bounds = banded(rng, 150, open_ends=False)
    errors = []
    for unit in (1.0, 1e-7):
        lower, upper = (np.column_stack([bounds[:, k], unit * bounds[:, k]]) for k in range(2))
        model = PartialEstimator(outputs.Vectors(), principle="disambiguation", weights=RIDGE)
        model.fit(X, Boxes(lower, upper))
        errors.append(np.mean((model.predict(X)[:, 1] / unit - truth) ** 2))
    assert errors[1] == pytest.approx(errors[0], rel=0.1)


def test_deviation_of_unions_includes_the_wrong_interval(rng):
    """The interval of the label may be the wrong one."""
    X = rng.uniform(0, 1, (400, 1))
    truth = np.where(rng.random(400) < 0.7, 1.0, -1.0) + rng.uniform(-0.1, 0.1, 400)
    pieces = np.stack([np.tile([-1.1, -0.9], (400, 1)), np.tile([0.9, 1.1], (400, 1))], axis=1)
    pieces[:200] = np.column_stack([truth[:200], truth[:200]])[:, None]
    model = PartialRegressor(principle="disambiguation", weights=weights.KernelRidge(lam=1.0)).fit(X, pieces)
    off = np.sqrt(np.mean((model.labels_[200:] - truth[200:]) ** 2))
    estimated = np.sqrt(np.mean(model.deviation_[200:] ** 2))
    assert 0.6 * off < estimated < 1.2 * off
    assert estimated > 0.5
    np.testing.assert_array_equal(model.deviation_[:200], 0)


def test_deviation_is_calibrated(rng):
    """The true value lies within two deviations of the label in about 95 % of the rows."""
    X, truth, bounds = banded(rng, 600, noise=0.2)
    result = PartialRegressor(search_config=SMALL_SEARCH).fit(X, bounds).disambiguation_
    inner = np.isfinite(bounds).all(axis=1)
    off = np.abs(result.labels - truth) / result.deviation
    assert 0.9 < np.mean(off[inner] < 2) <= 1
    assert 0.5 < np.mean(off[inner] < 1) < 0.85
    assert result.deviation[inner].max() < np.ptp(bounds[inner], axis=1).max()


def test_lost_signs_are_recovered():
    """The paper's setting (Sec. 5.3): the infimum has .018 to .0275, with parameters chosen by true values."""
    X = np.linspace(0, 1, 200)[:, None]
    errors = []
    for seed in range(2):
        problem = make_lost_sign(random_state=seed)
        model = PartialRegressor().fit(problem.data, Intervals(problem.pieces))
        errors.append(np.mean((model.predict(X) - 3 - np.sin(10 * X[:, 0])) ** 2))
        assert model.selection_.best.principle == "disambiguation"
        assert model.sets_.contains(model.labels_).all()
    assert np.mean(errors) < 0.018


def test_intervals_of_equal_probability_are_tied(rng):
    X = np.linspace(0, 1, 30)[:, None]
    pieces = np.array([[[-2.0, -1.5], [1.5, 2.0]]] * 30)
    model = PartialRegressor(principle="disambiguation", weights=RIDGE).fit(X, pieces)
    assert len(model.tied_) == 30
    assert model.sets_.contains(model.labels_).all()
    pieces[:15, 0] = np.nan  # half of the rows have a known sign, which decides the others
    assert len(model.fit(X, pieces).tied_) < 5
    assert (model.labels_[15:] > 0).all()


def test_suspects_are_sets_that_were_moved_away(rng):
    """By Chauvenet's criterion: sets that were moved away are found, and hardly any correct ones."""
    flagged = 0
    for _ in range(5):
        X, truth, _ = banded(rng, 300)
        bounds = np.column_stack([truth - rng.uniform(0, 0.3, 300), truth + rng.uniform(0, 0.3, 300)])
        clean = PartialRegressor(principle="disambiguation", weights=RIDGE).fit(X, bounds)
        flagged += len(clean.suspects_)
        assert ((clean.disambiguation_.support >= 0) & (clean.disambiguation_.support <= 1)).all()
    assert flagged <= 3
    wrong = rng.choice(300, 5, replace=False)
    bounds[wrong] += 3.0
    found = PartialRegressor().fit(X, bounds)
    assert set(wrong) <= set(found.suspects_)
    assert len(found.suspects_) <= 8
    assert len(PartialRegressor(principle=Disambiguation(threshold=None)).fit(X, bounds).suspects_) == 0


def test_boxes_equal_their_coordinates(rng):
    """Scales are fitted per coordinate: each coordinate alone gives the same predictions."""
    X, truth, bounds = banded(rng, 100)
    lower = np.column_stack([bounds[:, 0], truth - rng.exponential(0.4, 100)])
    upper = np.column_stack([bounds[:, 1], truth + rng.exponential(0.4, 100)])
    model = PartialEstimator(outputs.Vectors(), principle="disambiguation", weights=RIDGE).fit(X, Boxes(lower, upper))
    assert model.deviation_.shape == (100, 2)
    for j in range(2):
        sides = np.column_stack([lower[:, j], upper[:, j]])
        alone = PartialRegressor(principle="disambiguation", weights=RIDGE).fit(X, sides)
        near = 0.03 * np.ptp(alone.predict(X))  # scales lie on a grid of 10 %, in units of Y
        np.testing.assert_allclose(model.predict(X)[:, j], alone.predict(X), atol=near)
        np.testing.assert_allclose(model.labels_[:, j], alone.labels_, atol=near)


def test_held_out_sums_do_not_depend_on_the_own_fold(rng):
    """The sets of a fold do not change the predictions for it, which equal those of refits."""
    X, _, bounds = banded(rng, 60)
    space = outputs.Reals().fit(bounds)
    sets = space.read(bounds)
    blocks = folds_of(X, 4)
    operator = weights.KernelRidge(lam=1e-3, gamma=2.0).fit(X).held_out(X, None, None, blocks)
    populations = posterior_of(sets).populations
    F = held_out_sums(operator, TruncatedNormal(sets.lines(), populations=populations))
    for b, block in enumerate(blocks[:2]):
        other = bounds.copy()
        other[block] = [[0.0, 0.1]]
        G = held_out_sums(operator, TruncatedNormal(space.read(other).lines(), populations=populations))
        np.testing.assert_allclose(G[block], F[block], atol=1e-12)
        # by definition: soft disambiguation of the other rows, then a prediction
        rest = np.delete(np.arange(60), block)
        lam = 1e-3 * 60 / len(rest)
        fitted = weights.KernelRidge(lam=lam, gamma=2.0).fit(X[rest])
        posterior = TruncatedNormal(sets[rest].lines(), populations=populations)
        q = soft(fitted.loo_operator(), posterior, Schedule(ramp=5, max_iter=8, tol=0.0)).q
        np.testing.assert_allclose(F[block], np.asarray(fitted(X[block])) @ q, atol=1e-7)
        assert b < 2


def test_log_likelihood_is_defined_for_every_principle(rng):
    """It is that of a normal distribution around the prediction, with the scale of maximum likelihood."""
    X, _, bounds = banded(rng, 100, open_ends=False)
    space = outputs.Reals().fit(bounds)
    sets = space.read(bounds)
    found = out_of_fold(Recipe("infimum", "inside", RIDGE), X, space, sets, cv=5)
    t = (found.z - space.origin_) / space.unit_
    normals = posterior_of(sets).normals[0]
    best = max(normals.log_mass(t, normals.unit * 1.1**k).mean() for k in range(-60, 20))
    assert mean_scores(sets, found, row_scores(space, sets, found))["log_likelihood"] == pytest.approx(best, abs=1e-9)
    for principle in ("infimum", "average"):
        scores = left_out_scores(PartialRegressor(principle=principle, weights=RIDGE), X, bounds, 5)
        assert np.isfinite(scores["log_likelihood"])


def test_selection_for_numbers_is_by_log_likelihood(rng):
    """In the order of the table and in its figure."""
    pytest.importorskip("matplotlib").use("Agg")
    X, _, bounds = banded(rng, 100)
    choice = PartialRegressor().fit(X, bounds).selection_
    assert choice.scoring == "log_likelihood"
    likely = [one.log_likelihood for one in choice.results[1:]]
    assert likely == sorted(likely, reverse=True)
    display = choice.plot()
    assert display.axes_.get_xlabel() == "minus log P(S), held out, 100 rows"
    circled = display.axes_.lines[-1].get_xdata()
    assert circled[0] == -choice.best.log_likelihood


def test_chunks_and_subset_predict_similarly(rng):
    X, truth, bounds = banded(rng, 120)
    family = weights.Scaled(weights.Nystrom(30, lam=1e-5, gamma=2.0, random_state=0))
    model = PartialRegressor(principle="disambiguation", weights=family)
    here = model.fit(X, bounds).predict(X)
    parts = clone(model).fit(Chunks([(X[:50], bounds[:50]), (X[50:], bounds[50:])]))
    np.testing.assert_allclose(parts.predict(X), here, atol=0.05)
    subset = PartialRegressor(principle=Disambiguation(subset_size=55), weights=family).fit(X, bounds)
    assert subset.sets_.contains(subset.labels_).all()
    assert np.mean((subset.predict(X) - truth) ** 2) < 3 * np.mean((here - truth) ** 2)


def test_kind_soft_and_hard(rng):
    X, _, bounds = banded(rng, 60)
    for kind in ("soft", "hard"):
        model = PartialRegressor(principle=Disambiguation(kind), weights=RIDGE).fit(X, bounds)
        assert model.sets_.contains(model.labels_).all()
        assert (model.disambiguation_.deviation is not None) == (kind == "soft")
    hard = PartialRegressor(principle=Disambiguation("hard"), weights=weights.Laplacian(5)).fit(X, bounds)
    assert hard.sets_.contains(hard.labels_).all()
    with pytest.raises(ValueError, match=r"Laplacian.* has no closed form.*Disambiguation\(kind='hard'\)"):
        PartialRegressor(principle="disambiguation", weights=weights.Laplacian(5)).fit(X, bounds)
    with pytest.raises(ValueError, match="bilinear"):
        PartialRegressor(loss="absolute", principle="disambiguation", weights=RIDGE).fit(X, bounds)


def test_predictions_respect_bounds(rng):
    X, _, bounds = banded(rng, 80)
    model = PartialRegressor(principle="disambiguation", weights=RIDGE, bounds=(-1.2, 1.3)).fit(
        X, np.clip(bounds, [-math.inf, -1.1], [1.2, math.inf])
    )
    z = model.predict(X)
    assert z.min() >= -1.2
    assert z.max() <= 1.3


def test_partial_search_uses_disambiguation_for_numbers(rng):
    X, _, bounds = banded(rng, 100)
    search = PartialSearch(PartialRegressor()).fit(X, bounds)
    assert set(search.cv_results_["param_principle"]) == {"disambiguation"}
    assert search.scoring_ == "log_likelihood"
    assert search.to_frame()["mean_test_log_likelihood"].is_monotonic_decreasing
    assert search.deviation_.shape == (100,)


def test_squared_distance_on_real_intervals(data_home):
    """Two folds per data set. XGBoost's survival:aft has .0615 and .1386, hard disambiguation .0415 and .1943."""
    for name, most in (("neuroblastoma.bac", 0.05), ("H3K4me3_TDH_immune_FPOP", 0.16)):
        data = load(f"intervals/{name}", data_home=data_home, download=False)
        errors = []
        for fold in (2, 3):
            here = data.folds != fold
            model = PartialRegressor().fit(data.data[here], data.target[here])
            errors.append(metrics.mean_squared_distance(data.target[~here], model.predict(data.data[~here])))
        assert np.mean(errors) <= most


def curve(rng, n, d=4, noise=0.2):
    X = rng.standard_normal((n, d))
    clean = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1]
    return X, clean, clean + noise * rng.standard_normal(n)


def test_divergence_returns_the_best_state():
    """The update is no contraction: with 90 % wide sets, predictions can run to the ends of Y."""
    rng = np.random.default_rng(103)
    X, clean, t = curve(rng, 500)
    y = np.column_stack([t, t])[:200]
    y[rng.random(200) < 0.9] = (-10, 10)
    model = PartialRegressor().fit(X[:200], y)
    assert np.mean((model.predict(X[200:]) - clean[200:]) ** 2) < 0.8
    assert np.abs(model.labels_).max() < 5
    # weights with which the loop diverges
    family = weights.Scaled(weights.KernelRidge(lam=1e-6, gamma=0.25))
    held = PartialRegressor(principle="disambiguation", weights=family).fit(X[:200], y)
    assert np.mean((held.predict(X[200:]) - clean[200:]) ** 2) < 2


def test_narrow_interval_beside_one_sided_ones_is_found(rng):
    X, clean, t = curve(rng, 450, 3, 0.1)
    y = [
        [(-math.inf, a - 3), (a, a + 0.1), (a + 3, math.inf)] if i % 2 else (a, a + 0.1)
        for i, a in enumerate(map(float, t[:150]))
    ]
    model = PartialRegressor().fit(X[:150], y)
    assert np.mean((model.predict(X[150:]) - clean[150:]) ** 2) < 0.1
    assert np.mean(np.abs(model.labels_ - t[:150]) < 0.2) > 0.9


def test_selection_for_vectors_uses_all_coordinates(rng):
    """A coordinate that a linear model predicts exactly does not outweigh two that it cannot predict."""
    X = rng.standard_normal((450, 4))
    clean = np.column_stack([np.sin(2 * X[:, 0]), X[:, 2] ** 2, 3 * X[:, 0]])
    y = clean + [0.1, 0.1, 0.0] * rng.standard_normal(clean.shape)
    model = PartialEstimator(outputs.Vectors()).fit(X[:150], y[:150])
    assert np.mean((model.predict(X[150:]) - clean[150:]) ** 2, axis=0).max() < 0.1


def test_lower_bounds_alone_give_predictions_near_them(rng):
    """Nothing indicates how large values are, so no prediction is far above the largest bound."""
    X, _, t = curve(rng, 120, 3)
    lower = t - rng.exponential(1, 120)
    with pytest.warns(InfimumWarning, match="only lower bounds"):
        model = PartialRegressor().fit(X, np.column_stack([lower, np.full(120, math.inf)]))
    assert model.predict(X).max() <= lower.max() + 0.05 * np.ptp(lower)


@pytest.mark.parametrize("bounds, remedy", [(None, "or lower bounds."), ((0, None), "leave out bounds to predict the")])
def test_upper_bounds_alone_warn_also_with_bounds(rng, bounds, remedy):
    X, _, t = curve(rng, 60, 3)
    y = np.column_stack([np.full(60, -math.inf), t - t.min() + 1])
    model = PartialRegressor(bounds=bounds, weights="linear")
    with pytest.warns(InfimumWarning, match=f"only upper bounds.*{remedy}"):
        model.fit(X, y)
    y[0] = 2  # one exact value
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, y)


def test_chunks_with_a_one_sided_interval(rng):
    """The average of a one-sided interval is not defined, and not needed."""
    X, _, t = curve(rng, 120, 3)
    y = np.column_stack([np.floor(t), np.floor(t) + 1])
    y[0, 1] = math.inf
    model = PartialRegressor().fit(Chunks([(X[:60], y[:60]), (X[60:], y[60:])]))
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize(
    "base", [weights.Scaled(weights.KernelRidge(lam=0.02, gamma=0.2)), weights.Forest(50, random_state=0)]
)
def test_predictions_from_one_sided_intervals_are_not_shrunk(base, rng):
    """Each value is only known to be above or below a random number; the slope of truth on predictions is near 1."""
    X = rng.uniform(-1, 1, (700, 3))
    truth = 2 * X[:, 0] + X[:, 1] + 0.3 * rng.standard_normal(700)
    number = rng.choice(truth, 700)
    above = truth >= number
    y = np.column_stack([np.where(above, number, -np.inf), np.where(above, np.inf, number)])
    model = PartialRegressor(principle=Disambiguation(), weights=base).fit(X[:400], y[:400])
    slope, _ = np.polyfit(model.predict(X[400:]), truth[400:], 1)
    assert 0.8 < slope < 1.25
    assert metrics.covering_rate(y[:400], model.labels_) == 1  # the estimated labels stay in their intervals


def test_two_sided_intervals_are_not_stretched(rng):
    _, _, bounds = banded(rng, 60, open_ends=False)
    space = outputs.Reals().fit(bounds)
    posterior = posterior_of(space.read(bounds))
    q = posterior.prior()
    posterior.update(q, q, 1.0)
    assert posterior.phi(q) is q
