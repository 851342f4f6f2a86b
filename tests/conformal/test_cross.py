"""CV+ against its definition; with one fold per row it is the jackknife+."""

import numpy as np
import pytest

from infimum import PartialClassifier, PartialRegressor
from infimum.conformal import Conformal
from infimum.data.containers import materialise

from .problems import PROBLEMS, RIDGE

N, Q = 24, 6


def drawn(name):
    rng = np.random.default_rng(6)
    X, sets, _ = PROBLEMS[name].draw(rng, N)
    return X, sets, PROBLEMS[name].draw(rng, Q)[0]


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


@pytest.mark.filterwarnings("ignore:Every prediction set contains all outputs")
@pytest.mark.parametrize("cv", [4, N])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99])
def test_predict_set_of_labels_by_definition(cv, level):
    X, sets, new = drawn("labels")
    model = PartialClassifier(principle="average", negative_weights="inside", weights=RIDGE)
    made = Conformal(model, level, method="cv+", score="regret", cv=cv).fit(X, sets)
    np.testing.assert_array_equal(made.predict_set(new).mask, by_definition(made, new, level))
    sizes = made.predict_set(new).sizes
    assert level != 0.99 or (sizes == 4).all()  # 24 rows do not reach .99
    assert level != 0.5 or sizes.mean() < 4


@pytest.mark.parametrize("cv", [4, N])
def test_predict_set_of_numbers_by_definition(cv):
    """The interval of Barber et al.: order statistics of the ends."""
    X, sets, new = drawn("numbers")
    model = PartialRegressor(principle="infimum", negative_weights="inside", weights=RIDGE)
    made = Conformal(model, 0.8, method="cv+", cv=cv).fit(X, sets)
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


def test_cv_with_more_folds_than_rows_raises():
    X, sets, _ = drawn("labels")
    model = PartialClassifier(principle="average", negative_weights="inside", weights=RIDGE)
    with pytest.raises(ValueError, match=r"with 25 folds requires at least 25 rows. Got 24"):
        Conformal(model, method="cv+", cv=25).fit(X, sets)
