"""Scores of the default models: on labelled rows only, beside the best constant prediction."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, cross_val_score

from infimum import InfimumWarning, PartialClassifier, PartialRegressor, metrics
from infimum.outputs import Labels, PartialOrders, Rankings
from infimum.selection import get_scorer, left_out_scores
from infimum.selection.evaluate import OutOfFold, dependence
from infimum.selection.row_scores import RowScores
from small_search import SMALL_SEARCH

SCORERS = ("covering_rate", "chance_corrected", "neg_set_risk")


def noise(seed: int = 0):
    """60 random labels of three classes, and 540 unlabelled rows."""
    rng = np.random.default_rng(seed)
    y = np.full(600, None, dtype=object)
    y[:60] = rng.choice(["a", "b", "c"], 60)
    return rng.normal(size=(600, 2)), y


def easy(n: int = 120, seed: int = 0):
    """Three clusters, ambiguous in half of the rows."""
    rng = np.random.default_rng(seed)
    true = rng.integers(3, size=n)
    X = np.array([[0, 0], [4, 0], [0, 4]])[true] + rng.normal(scale=0.5, size=(n, 2))
    names = np.array(["a", "b", "c"])
    y = [names[k] if rng.random() < 0.5 else f"{names[k]}|{names[(k + 1) % 3]}" for k in true]
    return X, np.array(y, dtype=object)


@pytest.fixture(scope="module")
def on_noise():
    X, y = noise()
    return PartialClassifier().fit(X, y), X, y


@pytest.fixture(scope="module")
def on_easy():
    X, y = easy()
    return PartialClassifier().fit(X, y), X, y


def test_unlabelled_rows_do_not_count_in_scores(on_noise):
    model, X, y = on_noise
    assert model.score(X, y) == model.score(X[:60], y[:60])
    for name in SCORERS:
        assert get_scorer(name)(model, X, y) == pytest.approx(get_scorer(name)(model, X[:60], y[:60]))
    w = np.ones(600)
    w[:30] = 3
    assert get_scorer("covering_rate")(model, X, y, w) == pytest.approx(
        get_scorer("covering_rate")(model, X[:60], y[:60], w[:60])
    )


def test_cross_validation_does_not_count_unlabelled_rows():
    X, y = noise()
    model = PartialClassifier(search_config=SMALL_SEARCH)
    assert left_out_scores(model, X, y, cv=5)["covering_rate"] < 0.6
    cv = KFold(3, shuffle=True, random_state=0)
    assert cross_val_score(model, X, y, cv=cv).max() < 0.7
    assert cross_val_score(model, X, y, cv=cv, scoring=get_scorer("covering_rate")).max() < 0.7


def test_selection_of_noise_does_not_beat_the_constant(on_noise):
    selection = on_noise[0].selection_
    assert selection.beats_constant is False
    assert selection.best.covering_rate < 0.6
    assert selection.scores["n_labelled"] == 60
    counts = [np.count_nonzero(on_noise[2] == name) for name in "abc"]
    assert selection.scores["constant"]["covering_rate"] == pytest.approx(max(counts) / 60)
    assert "is not better than the best constant prediction" in repr(selection)
    assert "is not better than the best constant prediction" in selection._repr_html_()


def test_selection_of_an_easy_table_beats_the_constant(on_easy):
    selection = on_easy[0].selection_
    assert selection.beats_constant is True
    assert selection.best.chance_corrected > 0.8
    assert selection.scores["covering_rate"] == pytest.approx(selection.best.covering_rate)
    assert selection.scores["constant"]["set_risk"] > selection.scores["set_risk"]
    assert "best constant prediction" in repr(selection)
    assert "not better" not in repr(selection)


def test_all_rows_unlabelled_raise_an_error(on_easy):
    model, X, _ = on_easy
    y = [None] * len(X)
    with pytest.raises(ValueError, match=r"Scores require labelled rows\. Got 120 rows"):
        model.score(X, y)
    for name in SCORERS:
        with pytest.raises(ValueError, match="Scores require labelled rows"):
            get_scorer(name)(model, X, y)
    for score in (metrics.r2, metrics.covering_rate, metrics.mean_squared_distance, metrics.r2_range):
        with pytest.raises(ValueError, match="Scores require labelled rows"):
            score([None, None], [0.0, 1.0])


def test_one_class_can_be_scored():
    X = np.arange(6.0)[:, None]
    with pytest.warns(InfimumWarning, match="only one class, 'a'"):
        model = PartialClassifier().fit(X, ["a"] * 6)
    assert model.score(X, ["a"] * 6) == 1


def test_numbers_have_rmse_and_r2_beside_the_constant():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(80, 1))
    y = [None if k % 8 == 0 else (v - 0.2, v + 0.3) for k, v in enumerate(3 * X[:, 0])]
    model = PartialRegressor().fit(X, y)
    scores = model.selection_.scores
    assert scores["n_labelled"] == 70
    assert model.selection_.beats_constant is True
    (low, high), constant = scores["errors"]["rmse"], scores["constant"]["errors"]["rmse"]
    assert 0 <= low < high < constant[0] < constant[1]
    low, high = scores["errors"]["r2"]
    assert 0.8 < low < high <= 1
    labelled = [k for k in range(80) if k % 8]
    assert model.score(X, y) == pytest.approx(model.score(X[labelled], [y[k] for k in labelled]))


@pytest.mark.parametrize("error", [0.2, 1.0, 3.0])
def test_r2_range_contains_all_values_and_is_attained(error):
    rng = np.random.default_rng(1)
    middle = 3 * rng.normal(size=5)
    half = rng.uniform(0.1, 1.5, size=5)
    y, z = np.column_stack([middle - half, middle + half]), middle + error * rng.normal(size=5)
    low, high = metrics.r2_range(y, z)
    grids = np.stack(np.meshgrid(*[np.linspace(*row, 9) for row in y], indexing="ij"), axis=-1).reshape(-1, 5)
    found = 1 - ((z - grids) ** 2).sum(axis=1) / ((grids - grids.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    assert low <= found.min() + 1e-9
    assert high >= found.max() - 1e-9
    assert low == pytest.approx(found.min(), abs=0.1)
    assert high == pytest.approx(found.max(), abs=0.1)


def test_r2_range_of_values_is_r2():
    y, z = [1.0, 2.0, 4.0, None], [1.5, 2.0, 3.0, 9.0]
    assert metrics.r2_range(y, z) == pytest.approx((metrics.r2(y, z),) * 2)
    assert metrics.rmse_range(y, z) == pytest.approx((np.sqrt(1.25 / 3),) * 2)


def test_dependence_is_zero_for_independent_labels_and_large_for_predicted_ones(rng):
    truth = rng.integers(0, 3, 300)
    output = Labels(classes=np.arange(3)).fit([])
    sets = output.read(np.eye(3, dtype=bool)[truth] | (rng.random((300, 3)) < 0.3))
    folds = np.array_split(np.arange(300), 5)

    def standard_errors(F):
        found = dependence(output, sets, OutOfFold(np.zeros(300, int), F=F[:, None]), folds)
        return RowScores(np.zeros(300), None, None, dependence=found).standard_errors_dependent

    assert abs(standard_errors(rng.random((300, 3)))) < 3.5
    assert standard_errors(np.eye(3)[truth] + rng.random((300, 3))) > 5
    assert abs(standard_errors(np.ones((300, 3)))) < 1e-9  # constant predictions distinguish no rows


def test_dependence_of_rankings_compares_scores_with_the_comparisons_of_the_row(rng):
    truth = rng.standard_normal((200, 5))
    ranks = np.argsort(np.argsort(-truth, axis=1), axis=1).astype(float)
    ranks[rng.random(ranks.shape) < 0.4] = np.nan
    output, sets = Rankings(items=5).fit([]), PartialOrders.from_ranks(ranks)
    folds = np.array_split(np.arange(200), 5)

    def standard_errors(scores, with_scores):
        found = OutOfFold(np.argsort(-scores, axis=1), F=scores if with_scores else None)
        each = dependence(output, sets, found, folds)
        return RowScores(np.zeros(200), None, None, dependence=each).standard_errors_dependent

    for with_scores in (True, False):
        assert abs(standard_errors(rng.standard_normal((200, 5)), with_scores)) < 3.5
        assert standard_errors(truth + rng.standard_normal((200, 5)), with_scores) > 5
        # scores that differ between folds only separate no rows of one fold
        assert abs(standard_errors(np.repeat(rng.standard_normal((5, 5)), 40, axis=0), with_scores)) < 1e-6
