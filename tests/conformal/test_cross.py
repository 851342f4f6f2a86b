"""CV+ and jackknife+ against their definitions, with models fitted again."""

import numpy as np
import pytest

from infimum import PartialClassifier, PartialRanker, PartialRegressor, weights
from infimum.conformal import Conformal, Distance, Regret
from infimum.conformal.models import ModelPredictor
from infimum.data.containers import materialise

from .problems import PROBLEMS, RIDGE

N, Q = 24, 6


def drawn(name):
    rng = np.random.default_rng(6)
    X, sets, _ = PROBLEMS[name].draw(rng, N)
    return X, sets, PROBLEMS[name].draw(rng, Q)[0]


FAMILIES = [
    weights.KernelRidge(lam=1e-2, gamma=1.0),
    weights.Nystrom(n_centers=N, lam=1e-2, gamma=1.0, random_state=0),
    weights.LinearRidge(lam=1e-2),
]


@pytest.mark.parametrize("family", FAMILIES[::2], ids=lambda f: type(f).__name__)
@pytest.mark.parametrize(
    "principle, negative_weights", [("infimum", "inside"), ("infimum", "joint"), ("average", "inside")]
)
@pytest.mark.parametrize("name", ["labels", "numbers"])
def test_jackknife_equals_n_refits(family, principle, negative_weights, name):
    """The closed form forecasts what models fitted without each row do: the same ridge n lam, the same centres."""
    X, sets, new = drawn(name)
    model = (PartialClassifier if name == "labels" else PartialRegressor)(
        principle=principle, negative_weights=negative_weights, weights=family
    )
    score = Regret() if name == "labels" else Distance()
    made = Conformal(model, score=score, method="jackknife+").fit(X, sets)
    found = made.cross_.forecasts(new)
    for i in range(N):
        rest = np.delete(np.arange(N), i)
        alone = type(model)(**model.get_params(deep=False)).set_params(weights=_without(family, X, i))
        alone.fit(X[rest], sets[rest])
        if name == "numbers":  # Y is that of all rows
            alone.set_params(bounds=(made.space_.low_, made.space_.high_)).fit(X[rest], sets[rest])
        np.testing.assert_allclose(found[i], score.forecast(ModelPredictor(alone), new), atol=2e-6)
        own = score.forecast(ModelPredictor(alone), X[i : i + 1])
        np.testing.assert_allclose(made.cross_.scores[i], score.largest(own, sets[[i]], made.space_), atol=2e-6)


def _without(family, X, i):
    lam = family.lam * N / (N - 1)
    if isinstance(family, weights.LinearRidge):
        return weights.LinearRidge(lam=lam)
    return weights.KernelRidge(lam=lam, gamma=1.0)


def test_nystrom_with_all_centres_is_kernel_ridge():
    X, sets, new = drawn("labels")
    found = []
    for family in FAMILIES[:2]:
        model = PartialClassifier(principle="average", negative_weights="inside", weights=family)
        found.append(Conformal(model, method="jackknife+", score="regret").fit(X, sets).cross_.forecasts(new))
    np.testing.assert_allclose(found[0], found[1], atol=1e-5)


def by_definition(made, X, level):
    """{y : #{i : R_i < s_k(i)(x, y)} < level (n + 1)} for labels, in one loop after the other."""
    forecasts = [made.score_.table(F) for F in made.cross_.forecasts(X)]
    scores = made.cross_.scores
    n = sum(map(len, scores))
    out = np.zeros(forecasts[0].shape, dtype=bool)
    for x in range(out.shape[0]):
        for y in range(out.shape[1]):
            smaller = sum(r < table[x, y] - 1e-9 for table, R in zip(forecasts, scores) for r in R)
            out[x, y] = smaller < level * (n + 1)
    return out


@pytest.mark.parametrize("method", ["cv+", "jackknife+"])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99])
def test_predict_set_of_labels_by_definition(method, level):
    X, sets, new = drawn("labels")
    model = PartialClassifier(principle="average", negative_weights="inside", weights=RIDGE)
    made = Conformal(model, level, method=method, score="regret", cv=4).fit(X, sets)
    np.testing.assert_array_equal(made.predict_set(new).mask, by_definition(made, new, level))
    sizes = made.predict_set(new).sizes
    assert level != 0.99 or (sizes == 4).all()  # 24 rows do not reach .99
    assert level != 0.5 or sizes.mean() < 4


@pytest.mark.parametrize("method", ["cv+", "jackknife+"])
def test_predict_set_of_numbers_by_definition(method):
    """The interval of Barber et al.: order statistics of the ends."""
    X, sets, new = drawn("numbers")
    model = PartialRegressor(principle="infimum", negative_weights="inside", weights=RIDGE)
    made = Conformal(model, 0.8, method=method, cv=4).fit(X, sets)
    each = made.cross_.scores
    z = np.hstack([np.repeat(F[:, None], len(R), axis=1) for F, R in zip(made.cross_.forecasts(new), each)])
    R = np.concatenate(each)
    low = np.sort(z - R, axis=1)[:, int(np.floor(0.2 * (N + 1))) - 1]
    high = np.sort(z + R, axis=1)[:, int(np.ceil(0.8 * (N + 1))) - 1]
    found = made.predict_set(new)
    np.testing.assert_allclose(np.column_stack([found.lower, found.upper]), np.column_stack([low, high]))


@pytest.mark.parametrize("name", ["labels", "tags", "rankings", "numbers", "vectors"])
def test_predict_set_meets_what_meets_enough_rows(name):
    """covers="set": any S that meets {y : s_k(i)(x, y) <= R_i} for more than n - level (n + 1) of the i meets C(x)."""
    X, sets, new = drawn(name)
    rng = np.random.default_rng(0)
    model = PROBLEMS[name].model
    score = {"labels": "regret", "tags": "margin", "rankings": "kendall"}.get(name, "distance")
    made = Conformal(model, 0.7, "set", score, "cv+", cv=4).fit(X, sets)
    found = made.predict_set(new)
    _, others, _ = PROBLEMS[name].draw(rng, 200)
    others = made.space_.read(materialise(others))
    n_met = 0
    for x in range(Q):
        many = found[np.full(200, x)]
        counts = np.zeros(200)
        for F, R in zip(made.cross_.forecasts(new), made.cross_.scores):
            least = made.score_.smallest(F[np.full(200, x)], others, made.space_)
            counts += (R[None] >= least[:, None]).sum(axis=1)
        enough = counts > N - 0.7 * (N + 1)
        n_met += enough.sum()
        assert many.meets(others)[enough].all()
    assert n_met > 50


def test_jackknife_without_closed_form_raises():
    X, sets, _ = drawn("labels")
    for model in (
        PartialClassifier(principle="disambiguation", weights=RIDGE),
        PartialClassifier(principle="average", negative_weights="inside", weights=weights.Neighbors(3)),
        PartialClassifier(principle="average", negative_weights="inside", weights=weights.Scaled(RIDGE)),
    ):
        with pytest.raises(
            ValueError, match=r"jackknife\+ has a closed form for weights.KernelRidge.*Use method='cv\+'"
        ):
            Conformal(model, method="jackknife+").fit(X, sets)
    lac = PartialClassifier(principle="average", negative_weights="inside", weights=RIDGE, probabilities="temperature")
    with pytest.raises(ValueError, match=r"no closed form for the score 'lac'. Use method='cv\+'"):
        Conformal(lac, method="jackknife+", score="lac").fit(X, sets)
    assert Conformal(lac, method="jackknife+").fit(X, sets).score_.name == "regret"  # the first that has one
    with pytest.raises(ValueError, match="24 rows are too few for 13 folds"):
        Conformal(lac, method="cv+", cv=13).fit(X, sets)


def test_predict_set_is_the_same_in_batches():
    X, sets, new = drawn("rankings")
    model = PartialRanker(principle="average", negative_weights="inside", weights=RIDGE)
    made = Conformal(model, method="jackknife+", score="pairs", level=0.5, covers="set").fit(X, sets)
    at_once = made.predict_set(new)
    made.cross_.batch_cells = 2 * N**2
    np.testing.assert_array_equal(made.predict_set(new).codes, at_once.codes)
