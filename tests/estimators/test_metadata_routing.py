"""Sample weights with scikit-learn's metadata routing: every estimator takes them and uses them."""

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infimum import DisambiguationClassifier, PartialClassifier, PartialSearch
from infimum.conformal import Conformal
from small_search import SMALL_SEARCH


@pytest.fixture(autouse=True)
def _routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture(scope="module")
def rows():
    """Rows of weight 0 have wrong labels: who ignores the weights predicts differently."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    good = np.arange(60) % 2 == 0
    y = ["a" if (x > 0) == g else "b" for x, g in zip(X[:, 0], good)]
    return X, y, good.astype(float), good


def small():
    return PartialClassifier(search_config=SMALL_SEARCH)


MODELS = {
    "PartialClassifier": small,
    "PartialSearch": lambda: PartialSearch(gammas=[1.0]),
    "DisambiguationClassifier": DisambiguationClassifier,
    "Conformal": lambda: Conformal(small(), random_state=1),
    "Conformal, cv+": lambda: Conformal(small(), method="cv+", cv=2),
    "Conformal of a pipeline": lambda: Conformal(
        make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False), small().set_fit_request(sample_weight=True)
        )
    ),
}


@pytest.mark.filterwarnings("ignore:.*prediction sets contain all outputs:infimum.InfimumWarning")
@pytest.mark.parametrize("name", MODELS)
def test_fit_uses_sample_weights(name, rows):
    X, y, w, good = rows
    model = MODELS[name]().fit(X, y, sample_weight=w)
    assert (model.predict(X[good]) == np.array(y)[good]).mean() > 0.9


@pytest.mark.parametrize("name", ["PartialClassifier", "PartialSearch", "DisambiguationClassifier"])
def test_cross_validation_passes_sample_weights_that_are_requested(name, rows):
    X, y, w, _ = rows
    model = MODELS[name]().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    found = cross_validate(model, X, y, cv=3, params={"sample_weight": w}, error_score="raise")
    assert found["test_score"].min() > 0.8


def test_grid_search_over_a_search_passes_sample_weights(rows):
    X, y, w, _ = rows
    model = PartialSearch(gammas=[1.0]).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    found = GridSearchCV(model, {"kernels": [["rbf"]]}, cv=2, error_score="raise").fit(X, y, sample_weight=w)
    assert found.best_score_ > 0.8


@pytest.mark.filterwarnings("ignore:.*prediction sets contain all outputs:infimum.InfimumWarning")
def test_weights_reach_the_steps_of_a_pipeline_without_routing(rows):
    X, y, w, good = rows
    with sklearn.config_context(enable_metadata_routing=False):
        model = Conformal(make_pipeline(StandardScaler(), small())).fit(X, y, sample_weight=w)
        assert (model.predict(X[good]) == np.array(y)[good]).mean() > 0.9
