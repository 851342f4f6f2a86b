"""Callbacks of scikit-learn: the tasks of a fit with its search, progress and early stopping."""

import io
from contextlib import redirect_stdout

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infimum import PartialClassifier, PartialRegressor, PartialSearch, PartialSequenceTagger
from infimum.selection import Result

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks from version 1.9 on")


class Recorder:
    """Records all tasks, and ends the search after some candidates."""

    def __init__(self, stop_after=np.inf):
        self.stop_after = stop_after
        self.events, self.results = [], []

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.events.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, metadata=None):
        self.events.append(f"end {context.task_name}")
        if context.task_name == "candidate":
            self.results.append(metadata["result"])
        return len(self.results) >= self.stop_after


@pytest.fixture(scope="module")
def rows():
    X, y = load_iris(return_X_y=True)
    return X[::2], [{int(k), (int(k) + i % 2) % 3} for i, k in enumerate(y[::2])]


def test_each_candidate_is_a_task(rows):
    found = Recorder()
    model = PartialClassifier(weights="linear").set_callbacks(found).fit(*rows)
    assert found.events[:2] == ["setup", "begin fit"]
    assert found.events[-2:] == ["end fit", "teardown"]
    assert all(isinstance(one, Result) for one in found.results)
    assert len(found.results) == len(model.selection_.results)
    assert model.selection_.complete
    np.testing.assert_array_equal(model.predict(rows[0]), clone(model).fit(*rows).predict(rows[0]))


def test_a_callback_ends_the_search(rows):
    found = Recorder(stop_after=2)
    model = PartialClassifier().set_callbacks(found).fit(*rows)
    assert not model.selection_.complete
    assert 2 <= len(model.selection_.results) < 12
    assert model.predict(rows[0]).shape == (75,)


def test_candidates_of_a_grid_search_are_tasks(rows):
    found = Recorder()
    search = PartialSearch(gammas=[1.0], cv=3).set_callbacks(found).fit(*rows)
    assert found.events[0] == "setup"
    assert len(found.results) == len(search.cv_results_["params"]) == 4
    stopped = PartialSearch(cv=3).set_callbacks(Recorder(stop_after=2)).fit(*rows)
    assert 2 <= len(stopped.cv_results_["params"]) < 12
    assert stopped.predict(rows[0]).shape == (75,)


def test_candidates_of_a_tagger_are_tasks():
    X = [["Ann", "likes", "Rome"], ["Bob", "saw", "Oslo"]] * 4
    y = [["PER", "O", "LOC"], ["PER", None, "LOC"]] * 4
    found = Recorder(stop_after=2)
    model = PartialSequenceTagger().set_callbacks(found).fit(X, y)
    assert found.events == ["setup", "begin fit", *["begin candidate", "end candidate"] * 2, "end fit", "teardown"]
    assert len(model.selection_.results) == 2
    assert not model.selection_.complete
    assert model.set_callbacks(Recorder()).fit(X, y).selection_.complete


def test_callbacks_are_torn_down_after_an_error(rows):
    found = Recorder()
    with pytest.raises(ValueError, match="X"):
        PartialRegressor().set_callbacks(found).fit([["red"]], [1.0])
    assert found.events == ["setup", "begin fit", "teardown"]


def test_progress_bar_of_scikit_learn(rows):
    pytest.importorskip("rich")
    with redirect_stdout(io.StringIO()):
        model = PartialClassifier(weights="linear").set_callbacks(callback.ProgressBar()).fit(*rows)
        steps = make_pipeline(StandardScaler(), PartialClassifier(weights="linear"))
        if hasattr(steps, "set_callbacks"):
            steps.set_callbacks(callback.ProgressBar()).fit(*rows)
    assert model.selection_.complete
