"""Parameters of every public class: an invalid value raises an error with the parameter's name and the value."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from infimum import PartialClassifier, PartialSearch
from infimum.active import QuestionSelector as Asker
from infimum.conformal import Conformal

X = np.random.default_rng(0).normal(size=(30, 2))
Y = ["a" if x > 0 else "a|b" if x > -0.5 else "b" for x in X[:, 0]]
OPEN = [*Y[:9], *[None] * 21]
PAPER = PartialClassifier.paper

INVALID = {
    "model: random_state": (lambda: PAPER(random_state="x").fit(X, Y), r"'random_state' parameter .* Got 'x'"),
    "model: negative random_state": (lambda: PAPER(random_state=-1).fit(X, Y), r"'random_state' parameter .* Got -1"),
    "model: n_jobs": (lambda: PAPER(n_jobs=1.5).fit(X, Y), r"'n_jobs' parameter .* Got 1.5"),
    "model: no jobs": (lambda: PAPER(n_jobs=0).fit(X, Y), r"'n_jobs' parameter .* Got 0"),
    "model: verbose": (lambda: PAPER(verbose="x").fit(X, Y), r"'verbose' parameter .* Got 'x'"),
    "model: max_search_time": (lambda: PAPER(max_search_time=-1).fit(X, Y), r"'max_search_time' parameter .* Got -1"),
    "model: search_config": (lambda: PartialClassifier(search_config={}).fit(X, Y), "search_config must be a SearchC"),
    "search: verbose": (lambda: PartialSearch(verbose="x").fit(X, Y), r"'verbose' parameter .* Got 'x'"),
    "search: no scalings": (lambda: PartialSearch(scalings=[]).fit(X, Y), r"'scalings' parameter .* Got \[\]"),
    "search: kernels": (lambda: PartialSearch(kernels=3).fit(X, Y), r"'kernels' parameter .* Got 3"),
    "search: principles": (lambda: PartialSearch(principles=3).fit(X, Y), r"'principles' parameter .* Got 3"),
    "search: scoring": (lambda: PartialSearch(scoring=None).fit(X, Y), r"'scoring' parameter .* Got None"),
    "search: cv": (lambda: PartialSearch(cv=[[]]).fit(X, Y), r"cv must be an integer >= 2.* Got \[\[\]\]"),
    "search: no folds": (lambda: PartialSearch(cv=[]).fit(X, Y), "test folds of cv must contain each row once"),
    "conformal: no model": (lambda: Conformal(None).fit(X, Y), "estimator must be a model .* Got None"),
    "conformal: a class": (lambda: Conformal(PartialClassifier).fit(X, Y), "estimator must be a model"),
    "conformal: random_state": (lambda: Conformal(PAPER(), random_state="x").fit(X, Y), "'random_state' parameter"),
    "conformal: column": (lambda: Conformal(PAPER(), groups=5).fit(X, Y), "groups must be .* Got 5 .* X has 2 columns"),
    "conformal: columns": (lambda: Conformal(PAPER(), groups=[0, 1]).fit(X, Y), r"one name per row, shape \(9,\)"),
    "conformal: name": (
        lambda: Conformal(PAPER(), groups="z").fit(pd.DataFrame(X, columns=["u", "v"]), Y),
        "groups must be .* Got 'z' instead; X has the columns 'u', 'v'",
    ),
    "conformal: reject": (lambda: Conformal(PAPER()).fit(X, Y).predict(X, reject="x"), "reject must be a number"),
    "conformal: weights": (
        lambda: Conformal(PAPER()).fit(X, Y, sample_weight=[1.0]),
        r"X has 30 rows and sample_weight has shape \(1,\)",
    ),
    "asker: n": (lambda: Asker().query(X, OPEN, n=-1), "n, the number of questions, must be an integer >= 1. Got -1"),
    "asker: batch_size": (lambda: Asker().query(X, OPEN, batch_size=1.5), "must be an integer >= 1. Got 1.5"),
    "asker: candidates": (lambda: Asker().query(X, OPEN, candidates=[99]), "row numbers from 0 to 29.* Got 99"),
    "asker: fractions": (lambda: Asker().query(X, OPEN, candidates=[1.5]), "row numbers from 0 to 29.* Got 1.5"),
    "asker: shape": (lambda: Asker().query(X, OPEN, candidates=[[1]]), r"Got an array of shape \(1, 1\)"),
    "asker: random_state": (lambda: Asker(random_state="x").query(X, OPEN), r"'random_state' parameter .* Got 'x'"),
    "asker: level": (lambda: Asker(level="x").query(X, OPEN), r"'level' parameter .* Got 'x'"),
    "asker: questions": (lambda: Asker(questions="Is").query(X, OPEN), r"'questions' parameter .* Got 'Is'"),
    "asker: cost": (lambda: Asker(cost={"Is": np.nan}).query(X, OPEN), "cost of 'Is' must be a finite number > 0"),
    "asker: cost of 0": (lambda: Asker(cost={"Is": 0}).query(X, OPEN), "cost of 'Is' must be a finite number > 0"),
    "asker: function": (lambda: Asker(cost=lambda *_: np.nan).query(X, OPEN), "a function that returns finite numbers"),
    "asker: NaN in X": (lambda: Asker().query(np.where(X > 1, np.nan, X), OPEN), "Input X contains NaN in row"),
    "asker: infinity in X": (lambda: Asker().query(np.where(X > 1, np.inf, X), OPEN), "contains infinity in row"),
    "asker: overflow in X": (lambda: Asker().query(X * 1e200, OPEN), r"X must contain numbers up to 1e\+150"),
    "asker: text in X": (lambda: Asker().query([["red"]] * 30, OPEN), "X must contain numbers. Row 0 contains 'red'"),
}  # fmt: skip


@pytest.mark.parametrize("name", INVALID)
def test_invalid_value_raises_by_name(name):
    call, message = INVALID[name]
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("model", [PAPER(), LogisticRegression()], ids=["own", "scikit-learn's"])
def test_calibration_of_an_unfitted_model_raises(model):
    with pytest.raises(NotFittedError, match=r"is not fitted. Call model.fit\(X_train, y_train\)"):
        Conformal(model, prefit=True).conformalize(X, ["a"] * 30)


def test_candidates_may_be_one_boolean_per_row():
    mask = np.arange(30) == 12
    assert [question.row for question in Asker().query(X, OPEN, n=3, candidates=mask)] == [12]
