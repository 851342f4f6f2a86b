"""Censored times: the formats of survival libraries, the concordance index and the Brier score by brute force."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import CensoredData

from infimum import InputError, Intervals, PartialRegressor, io, metrics
from infimum.outputs import Reals

DURATION, EVENT = [3.0, 5.0, 2.0, 7.0], [True, False, True, False]
TEXTS = ["3", "≥ 5", "2", "≥ 7"]
STRUCTURED = np.array(list(zip(EVENT, DURATION)), dtype=[("cens", bool), ("time", float)])


def texts(y):
    space = Reals(bounds=(-100, 100)).fit(y)
    sets = Reals.unscaled(y, space.form_.columns)
    return [sets.format(row) for row in range(len(sets))]


@pytest.mark.parametrize(
    "y",
    [
        STRUCTURED,
        io.from_durations(DURATION, EVENT),
        io.from_durations(DURATION, np.array(EVENT, dtype=int)),
        pd.DataFrame({"T": DURATION, "E": EVENT}),
        pl.DataFrame({"E": EVENT, "T": DURATION}),
        pd.DataFrame({"week": [3, 5, 2, 7], "event_observed": [1, 0, 1, 0]}),
        pd.DataFrame(io.to_bounds([3.0, (5, None), 2.0, (7, None)])),
        pd.DataFrame({"lower": DURATION, "upper": [3.0, math.inf, 2.0, math.nan]}),
    ],
    ids=["scikit-survival", "durations", "0 and 1", "boolean column", "polars", "named column", "xgboost", "bounds"],
)
def test_formats_of_survival_libraries_are_intervals(y):
    assert texts(y) == TEXTS


def test_bounds_whose_upper_ends_are_small_integers_stay_bounds():
    assert texts(pd.DataFrame({"a": [0, 0, 0], "b": [1, 1, 0]})) == ["[0, 1]", "[0, 1]", "0"]


@pytest.mark.parametrize("closed", ["left", "right", "both", "neither"])
def test_intervals_of_pandas_may_have_open_ends(closed):
    """An open end is read as closed: the closest member of the set and its limit have the same loss."""
    array = pd.arrays.IntervalArray.from_tuples([(0, 1), (2, 5)], closed=closed)
    for y in (array, pd.Series(array), pd.IntervalIndex(array), list(array)):
        assert texts(y) == ["[0, 1]", "[2, 5]"]
    empty = pd.Series([pd.Interval(1, 1, closed)])
    if closed == "both":
        assert texts(empty) == ["1"]
    else:
        with pytest.raises(InputError, match="an interval without any number"):
            Intervals(empty)


def test_formats_are_written_again():
    y = [3.0, (5, None), 2.0, (7, None)]
    duration, event = io.to_durations(y)
    assert (duration.tolist(), event.tolist()) == (DURATION, EVENT)
    assert texts(io.to_survival(y)) == TEXTS
    assert texts(pd.DataFrame(io.to_bounds(y))) == TEXTS
    mixed = [3.0, (5, None), (None, 2), (6, 7)]
    assert texts(io.to_interval_array(mixed)) == ["3", "≥ 5", "≤ 2", "[6, 7]"]
    data = io.to_censored_data([*mixed, None])
    assert [io.from_censored_data(data).format(row) for row in range(4)] == ["3", "≤ 2", "≥ 5", "[6, 7]"]
    with pytest.raises(InputError, match=r"\[6, 7\] is neither a value nor right-censored"):
        io.to_durations(mixed)
    with pytest.raises(InputError, match="union of several intervals"):
        io.to_bounds([[(0, 1), (2, 3)]])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (CensoredData([1, 2], right=[3]), r"does not keep the order of the rows.*from_censored_data"),
        (np.array([(1, 2.0, 3.0)], dtype=[("e", bool), ("a", float), ("b", float)]), r"two fields, a boolean event"),
    ],
)
def test_formats_that_are_ambiguous_raise(y, message):
    with pytest.raises(InputError, match=message):
        Reals().fit(y)


def test_default_model_fits_durations_and_events():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (60, 2))
    time, end = np.exp(1 + X[:, 0]), rng.uniform(1, 8, 60)
    y = pd.DataFrame({"duration": np.minimum(time, end), "event": time <= end})
    model = PartialRegressor(weights="kernel").fit(X, y)
    assert metrics.concordance(y, model.predict(X)) > 0.9
    assert model.score(X, y) > 0.7


def random_intervals(rng, n=40):
    low = rng.integers(0, 8, n).astype(float)
    width = rng.choice([0.0, 0.0, 1.0, 3.0, math.inf], n)
    return np.column_stack([np.where(rng.random(n) < 0.1, -math.inf, low), low + width])


def test_concordance_is_brute_force(rng):
    y, z = random_intervals(rng), rng.integers(0, 6, 40).astype(float)
    w = rng.integers(0, 3, 40).astype(float)
    right = total = 0.0
    for i in range(40):
        for j in range(40):
            if y[i, 1] <= y[j, 0] and tuple(y[i]) != tuple(y[j]):
                total += w[i] * w[j]
                right += w[i] * w[j] * (1.0 if z[i] < z[j] else 0.5 if z[i] == z[j] else 0.0)
    assert metrics.concordance(y, z, w) == pytest.approx(right / total)
    with pytest.raises(InputError, match="No two rows of y are comparable"):
        metrics.concordance([(0, 5), (1, None)], [1.0, 2.0])


def right_censored_rows(rng, n=80):
    time, end = rng.exponential(5, n).round(), rng.exponential(6, n).round()
    return np.minimum(time, end), time <= end


def test_brier_score_without_censoring_is_the_mean_squared_error(rng):
    time, P = rng.exponential(5, 50), rng.random((50, 2))
    expected = np.mean((P - (time[:, None] > [2.0, 6.0])) ** 2, axis=0)
    np.testing.assert_allclose(metrics.brier_score(time, P, [2.0, 6.0]), expected)


def test_brier_score_weighs_rows_by_the_probability_of_censoring(rng):
    """The weights of the rows that count sum to n in expectation: those censored before t are replaced by others."""
    time, end = rng.exponential(5, 4000), rng.exponential(6, 4000)
    duration, event = np.minimum(time, end), time <= end
    ones = np.ones((4000, 1))
    found = metrics.brier_score(io.from_durations(duration, event), 1 * ones, [4.0])
    other = metrics.brier_score(io.from_durations(duration, event), 0 * ones, [4.0])
    assert (found + other)[0] == pytest.approx(1, abs=0.02)
    with pytest.raises(InputError, match=r"probability must have shape \(4000, 2\)"):
        metrics.brier_score(io.from_durations(duration, event), ones, [1.0, 2.0])
    with pytest.raises(InputError, match="neither a value nor right-censored"):
        metrics.brier_score([(1, 2)], [[0.5]], [1.0])


def test_scores_are_those_of_other_libraries(rng):
    """Harrell's index of lifelines and scikit-survival, and the Brier score of scikit-survival."""
    theirs = pytest.importorskip("sksurv.metrics")
    duration, event = right_censored_rows(rng)
    z, times = (duration + rng.normal(0, 3, 80)).round(), np.array([1.0, 4.0, 8.0])
    y = io.from_durations(duration, event)
    assert metrics.concordance(y, z) == pytest.approx(theirs.concordance_index_censored(event, duration, -z)[0])
    P = np.exp(-times[None] / np.clip(z, 1, None)[:, None])
    survival = io.to_survival(y)
    np.testing.assert_allclose(metrics.brier_score(y, P, times), theirs.brier_score(survival, survival, P, times)[1])
    lifelines = pytest.importorskip("lifelines.utils")
    assert metrics.concordance(y, z) == pytest.approx(lifelines.concordance_index(duration, z, event))
