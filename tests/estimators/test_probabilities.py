"""Calibrated probabilities: what temperature scaling recovers from candidate sets, and reliability diagrams."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline

from infimum import (
    CandidateLabels,
    Chunks,
    Features,
    PartialClassifier,
    PartialMultilabelClassifier,
    PartialSearch,
    datasets,
    solvers,
    weights,
)
from infimum.conformal import risk_coverage
from infimum.evidence.calibration import (
    TemperatureScaling,
    fit_temperature,
    mean_log_likelihood,
    ratio_to_best_set,
    reliability,
    with_unit_sum,
)
from infimum.plotting import ReliabilityDisplay, RiskCoverageDisplay
from small_search import SMALL_SEARCH

mpl.use("Agg")
RIDGE = weights.KernelRidge(lam=1e-3, gamma=1.0)


def why_not(model):
    """The reason why predict_proba is not available."""
    with pytest.raises(AttributeError) as error:
        model.predict_proba  # noqa: B018
    return str(error.value)


def simulated(rng, n, m=4, power=1.0, share=0.3):
    """Scores F whose power is the distribution of the label, labels, and sets that are coarsened at random."""
    F = rng.dirichlet(np.ones(m), n)
    P = F**power / (F**power).sum(axis=1, keepdims=True)
    truth = np.array([rng.choice(m, p=p) for p in P])
    mask = np.eye(m, dtype=bool)[truth] | (rng.random((n, m)) < share)
    return F[:, None], P, truth, mask[:, None]


@pytest.mark.parametrize("power", [0.5, 1.0, 3.0])
def test_fit_temperature_recovers_the_distribution_of_labels(power, rng):
    F, P, _, mask = simulated(rng, 4000, power=power)
    found = fit_temperature(F, mask)(F)[:, 0]
    assert np.abs(found - P).mean() < 0.03
    assert np.abs(TemperatureScaling()(F)[:, 0] - P).mean() > (0.03 if power != 1 else 0)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_temperature_scaling_maximises_the_likelihood(rng):
    """All neighbours on the grid of its two parameters have a smaller one."""
    F, _, _, mask = simulated(rng, 500, power=2.0)
    F = F + 0.1 * rng.standard_normal(F.shape)  # predictions may be negative
    found = TemperatureScaling().fit(F, mask)
    assert 1e-3 < found.mass_ < 50
    best = mean_log_likelihood(found(F), mask)
    for i, j in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1)):
        other = TemperatureScaling()
        other.temperature_, other.mass_ = found.temperature_ * 1.05**i, found.mass_ * 1.05**j
        assert mean_log_likelihood(other(F), mask) <= best + 1e-12
    assert best > mean_log_likelihood(TemperatureScaling()(F), mask)
    assert "T = " in repr(found)


def test_fit_temperature_sample_weight_equals_repetition(rng):
    F, _, _, mask = simulated(rng, 60)
    w = rng.integers(0, 3, 60)
    weighted, repeated = fit_temperature(F, mask, w), fit_temperature(np.repeat(F, w, 0), np.repeat(mask, w, 0))
    np.testing.assert_allclose(weighted(F), repeated(F), atol=1e-9)


def blurred_digits():
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    X, y = X[order] / 16, y[order]
    return X, y, datasets.make_candidate_sets(y, 0.3, random_state=0)


@pytest.mark.parametrize("principle", ["disambiguation", "average", "infimum"])
def test_predict_proba_is_calibrated_on_digits(principle):
    """Confidence equals accuracy within .06 over ten bins; without calibration it does not.

    On 1197 new rows a bin has 120: the mean deviation of a calibrated one is .03 at most.
    """
    X, y, sets = blurred_digits()
    family = weights.KernelRidge(lam=1e-4, gamma=0.02)
    model = PartialClassifier(
        principle=principle, negative_weights="inside", weights=family, probabilities="temperature"
    )
    model.fit(X[:600], sets[:600])
    P = model.predict_proba(X[600:])
    np.testing.assert_array_equal(P.argmax(axis=1), model.predict(X[600:]))
    found = reliability(P, np.eye(10, dtype=bool)[y[600:]])
    assert np.abs(found.confidence - found.high).mean() < 0.06
    F = model.map_weights(X[600:], lambda alpha: model._option_scores(model.solver_, alpha))
    plain = reliability(TemperatureScaling()(F), np.eye(10, dtype=bool)[y[600:]])
    assert np.abs(plain.confidence - plain.high).mean() > 2 * np.abs(found.confidence - found.high).mean()
    by_sets = reliability(P, sets[600:])
    assert (by_sets.low <= found.high + 1e-9).all()
    assert (found.high <= by_sets.high + 1e-9).all()
    # the share that is expected from sets, if they are coarsened at random, is near that of the true labels
    assert np.abs(by_sets.expected - found.high).mean() < 0.06


def test_out_of_fold_scores_equal_refits(rng):
    from infimum.data import Table
    from infimum.estimators.probability import out_of_fold_scores
    from infimum.outputs import Labels
    from infimum.recipe import Recipe

    X = rng.uniform(-1, 1, (20, 2))
    sets = CandidateLabels(np.eye(3, dtype=bool)[rng.integers(0, 3, 20)] | (rng.random((20, 3)) < 0.3))
    model = PartialClassifier(principle="average", negative_weights="inside", weights=RIDGE).fit(X, sets)
    space = Labels(classes=[0, 1, 2]).fit([])
    recipe = Recipe("average", "inside", RIDGE, "auto")
    F = out_of_fold_scores(recipe, model._option_scores, Table(X, None, None), space, space.read(sets))
    for i in (0, 7, 19):
        rest = np.delete(np.arange(20), i)
        alone = PartialClassifier(
            principle="average", negative_weights="inside", weights=weights.KernelRidge(1e-3 * 20 / 19, gamma=1.0)
        )
        alone.fit(X[rest], sets[rest])
        np.testing.assert_allclose(
            F[i], alone._option_scores(alone.solver_, alone.weights_(X[i : i + 1]))[0], atol=1e-8
        )


FAMILIES = [RIDGE, weights.Neighbors(7), weights.Forest(20, random_state=0), weights.Scaled(RIDGE)]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: type(f).__name__)
@pytest.mark.parametrize("principle", ["average", "disambiguation"])
def test_predict_proba_with_every_family_of_weights(family, principle, rng):
    X = rng.uniform(-1, 1, (120, 2))
    truth = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
    sets = np.eye(3, dtype=bool)[truth] | (rng.random((120, 3)) < 0.2)
    model = PartialClassifier(
        principle=principle, weights=family, negative_weights="inside", probabilities="temperature"
    )
    P = model.fit(X, sets).predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert P[np.arange(120), truth].mean() > 0.6


def test_predict_proba_of_tags(rng):
    X = rng.uniform(-1, 1, (600, 2))
    P = 1 / (1 + np.exp(-4 * X))
    truth = np.where(rng.random((600, 2)) < P, 1, -1)
    known = np.where(rng.random((600, 2)) < 0.3, 0, truth)
    model = PartialMultilabelClassifier(probabilities="temperature", search_config=SMALL_SEARCH)
    found = model.fit(X, known).predict_proba(X)
    assert found.shape == (600, 2)
    assert np.abs(found - P).mean() < 0.08
    np.testing.assert_array_equal(found > 0.5, model.predict(X) > 0)
    assert "Leave out n_tags=" in why_not(
        PartialMultilabelClassifier(n_tags=1, probabilities="temperature", search_config=SMALL_SEARCH)
    )
    display = ReliabilityDisplay.from_estimator(model, X, known)
    assert display.reliability_.number.sum() == 1200


def test_calibrate_on_new_rows(rng):
    X = rng.uniform(-1, 1, (900, 2))
    truth = np.where(rng.random(900) < 0.8, X[:, 0] > 0, X[:, 0] <= 0).astype(int)
    model = PartialClassifier(principle="infimum", negative_weights="inside", weights=RIDGE).fit(X[:300], truth[:300])
    remedy = "principle='infimum' does not provide. Use PartialClassifier(probabilities='temperature'), or call calibra"
    assert remedy in why_not(model)
    search = PartialSearch(PartialClassifier.paper(), lams=[1e-2], gammas=[1.0])
    assert remedy in why_not(search.fit(X[:60], truth[:60]))
    P = model.calibrate(X[300:600], truth[300:600]).predict_proba(X[600:])
    assert abs(P.max(axis=1).mean() - 0.8) < 0.06
    with pytest.raises(ValueError, match="one entry for each of the 2 rows of X"):
        model.calibrate(X[:2], truth[:3])
    assert not hasattr(model.fit(X, truth), "predict_proba")  # a new fit removes the calibration


def test_disambiguation_fits_the_calibrator(rng):
    """It uses the held-out rows of the search for suspects; without this search, there is no calibration."""
    from infimum import Disambiguation

    X, _, sets = blurred_digits()
    family = weights.KernelRidge(lam=1e-4, gamma=0.02)
    model = PartialClassifier(principle="disambiguation", weights=family).fit(X[:200], sets[:200])
    named = PartialClassifier(principle="disambiguation", weights=family, probabilities="temperature").fit(
        X[:200], sets[:200]
    )
    np.testing.assert_allclose(model.predict_proba(X[200:]), named.predict_proba(X[200:]))
    again = fit_temperature(with_unit_sum(model.disambiguation_.out_of_fold), sets[:200, None])
    assert repr(again) == repr(model.calibrator_)
    plain = PartialClassifier(principle=Disambiguation(threshold=None), weights=family).fit(X[:200], sets[:200])
    assert (plain.calibrator_.temperature_, plain.calibrator_.mass_) == (1.0, 0.25)
    search = PartialSearch(gammas=[1.0], kernels=["rbf"], scalings=["standard"]).fit(X[:200], sets[:200])
    np.testing.assert_allclose(search.predict_proba(X).sum(axis=1), 1)


def test_errors_explain_what_is_not_supported(rng):
    X, y = rng.uniform(size=(10, 1)), list("ab") * 5
    with pytest.raises(ValueError, match=r"probabilities must be None or 'temperature'. Got 'isotonic'"):
        PartialClassifier(probabilities="isotonic").fit(X, y)
    assert "risks of other costs are not probabilities" in why_not(
        PartialClassifier("ordinal", probabilities="temperature")
    )
    with pytest.raises(ValueError, match="All rows of X are the same"):
        PartialClassifier(
            principle="average", negative_weights="inside", weights=RIDGE, probabilities="temperature"
        ).fit(np.ones((10, 1)), y)
    balls = PartialMultilabelClassifier(
        principle="infimum", negative_weights="inside", weights=RIDGE, probabilities="temperature"
    ).set_params(solver=solvers.Enumerate())
    from infimum import HammingBalls

    with pytest.raises(ValueError, match="Probabilities require labels or tags"):
        balls.fit(X, HammingBalls(np.ones((10, 2)), 1))


@pytest.mark.parametrize("m", [3, 30, 330])
def test_suspects_do_not_depend_on_the_number_of_classes(m, rng):
    """Exact labels that cannot be predicted are no suspects, for any number of classes; one wrong label is."""
    X, y = rng.standard_normal((300, 3)), rng.integers(m, size=300)
    noise = PartialClassifier(principle="disambiguation", weights=weights.KernelRidge(lam=1e-3), classes=list(range(m)))
    assert len(noise.fit(X, y).suspects_) == 0
    clear = np.repeat([0.0, 5.0, 10.0], 20)[:, None] + 0.01 * np.arange(60)[:, None]
    labels = np.repeat([0, 1, 2], 20)
    labels[7] = 2
    ridge = weights.KernelRidge(lam=1e-6, sigma=1.0)
    model = PartialClassifier(principle="disambiguation", weights=ridge, classes=list(range(m))).fit(clear, labels)
    assert model.suspects_.tolist() == [7]


def test_ratio_to_best_set_by_hand():
    P = np.array([[[0.6, 0.3, 0.1]], [[0.6, 0.3, 0.1]], [[0.6, 0.3, 0.1]]])
    mask = np.array([[[False, True, False]], [[True, False, True]], [[True, True, False]]])
    np.testing.assert_allclose(ratio_to_best_set(P, mask)[:, 0], [0.5, 0.7 / 0.9, 1])


def test_reliability_by_hand():
    P = np.array([[0.9, 0.1], [0.7, 0.3], [0.4, 0.6], [0.45, 0.55]])
    mask = np.array([[True, False], [False, True], [True, True], [True, True]])
    found = reliability(P, mask, 2)
    np.testing.assert_allclose(found.confidence, [0.575, 0.8])
    np.testing.assert_allclose(found.low, [0, 0.5])
    np.testing.assert_allclose(found.high, [1, 0.5])
    np.testing.assert_allclose(found.expected, [0.575, 0.5])
    assert found.number.tolist() == [2, 2]
    with pytest.raises(ValueError, match="Probabilities and candidates must have the same shape"):
        reliability(P, mask[:3])


def test_displays(rng):
    import matplotlib.pyplot as plt

    from infimum.outputs import Labels

    F, _, truth, mask = simulated(rng, 300)
    display = ReliabilityDisplay.from_predictions(F, mask, 5)
    assert len(display.axes_.lines[1].get_xdata()) == 5
    space = Labels(classes=range(4)).fit([])
    figure, ax = plt.subplots()
    for sets in (space.read(mask[:, 0]), space.read(truth)):
        curve = risk_coverage(-F.max(axis=(1, 2)), space, sets, F[:, 0].argmax(axis=1))
        shown = RiskCoverageDisplay.from_curve(curve, ax)
        assert shown.figure_ is figure
    assert [line.get_linestyle() for line in ax.lines] == ["--", "-"]
    assert len(ax.collections) == 1  # a band for sets, none for exact labels
    plt.close("all")


@pytest.mark.parametrize("family", ["auto", weights.Forest(20, random_state=0)], ids=str)
def test_default_model_has_predict_proba(family, rng):
    X = rng.standard_normal((90, 3))
    y = [{"low", "high"} if u < 0.4 else "high" if x > 0 else "low" for x, u in zip(X[:, 0], rng.random(90))]
    for model in (PartialClassifier(weights=family), PartialClassifier(weights=family, negative_weights="inside")):
        P = model.fit(X, y).predict_proba(X)
        assert_allclose(P.sum(axis=1), 1)
        assert (model.classes_[P.argmax(axis=1)] == model.predict(X)).all()
    named = PartialClassifier(principle="average", weights=family).fit(X, y)
    assert not hasattr(named, "predict_proba")


def test_default_model_has_predict_proba_for_chunks(rng):
    X = rng.standard_normal((80, 3))
    y = ["high" if x > 0 else "low" for x in X[:, 0]]
    model = PartialClassifier().fit(Chunks([(X[:40], y[:40]), (X[40:], y[40:])]))
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_suspects_exclude_rows_that_are_hard_to_predict(rng):
    """A hundred classes that overlap: most suspects are label errors, and most label errors are suspects."""
    m, n = 100, 900
    truth = rng.integers(m, size=n)
    X = 1.2 * rng.standard_normal((m, 20))[truth] + rng.standard_normal((n, 20))
    mask = np.eye(m, dtype=bool)[truth] | (rng.random((n, m)) < 0.02)
    wrong = np.arange(n) % 20 == 0
    spoilt = mask.copy()
    spoilt[wrong] = np.roll(mask[wrong], 1, axis=1)
    spoilt[wrong, truth[wrong]] = False
    ridge = weights.Scaled(weights.KernelRidge(lam=1e-4, gamma=0.1))
    model = PartialClassifier(principle="disambiguation", weights=ridge, classes=list(range(m)))
    clean, found = (model.fit(X, sets).suspects_ for sets in (mask, spoilt))
    assert len(clean) < 0.03 * n
    assert wrong[found].mean() > 0.65
    assert wrong[found].sum() > 0.8 * wrong.sum()


def test_few_rows_that_are_all_right_do_not_make_the_default_certain():
    notes = [f"{words} number {k}" for k, words in enumerate(["it purrs", "it barks"] * 15)]
    y = ["cat", "cat|dog"] * 3 + ["cat", "dog"] * 12
    model = make_pipeline(Features(), PartialClassifier()).fit(pd.DataFrame({"note": notes}), y)
    known, unlike = model.predict_proba(pd.DataFrame({"note": ["it barks number 7", "the barking"]})).max(axis=1)
    assert unlike < 0.9 < known
    assert model[-1].calibrator_.temperature_ > 0.02  # the likelihood alone has no maximum, and goes to 0
