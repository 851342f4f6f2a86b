"""Cross-validation and searches of scikit-learn with the default model on partial labels."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infimum import PartialClassifier, PartialRegressor
from infimum.selection import get_scorer
from small_search import SMALL_SEARCH

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(45, 2))
EXACT = np.where(X[:, 0] > 0, "cat", "dog")
PARTIAL = np.where(RANDOM.random(45) < 0.3, "cat|dog", EXACT)


def classifier():
    return PartialClassifier(search_config=SMALL_SEARCH)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("y", [PARTIAL, [set(cell.split("|")) for cell in PARTIAL], [*PARTIAL[:-1], None]])
@pytest.mark.parametrize("model", [classifier(), make_pipeline(StandardScaler(), classifier())])
def test_accuracy_of_partial_labels_is_explained_once_and_never_a_number(model, y):
    """Text such as "cat|dog" counted as wrong, sets gave a traceback per fold and nan."""
    with pytest.raises(ValueError, match="All the 3 fits failed") as caught:
        cross_val_score(model, X, y, scoring="accuracy", cv=3)
    said = str(caught.value)
    assert said.count("The metric accuracy_score compares predictions with exact outputs") == 1
    assert said.rstrip().endswith('pass scoring=get_scorer("neg_set_risk").')


def test_search_and_regression_explain_their_metrics():
    with pytest.raises(ValueError, match=r"The metric f1_score compares"):
        GridSearchCV(classifier(), {"weights": ["linear"]}, scoring=["f1_macro"], refit=False, cv=3).fit(X, PARTIAL)
    with pytest.raises(ValueError, match=r"The metric r2_score compares"):
        cross_val_score(PartialRegressor(search_config=SMALL_SEARCH), X, X[:, [0, 0]] + [-0.1, 0.1], scoring="r2", cv=3)


def test_exact_test_rows_and_scores_of_sets_are_scored():
    assert cross_val_score(classifier(), X, EXACT, scoring="accuracy", cv=3).mean() > 0.8
    y, first = np.where(np.arange(45) < 15, EXACT, PARTIAL), [next(KFold(3).split(X))]
    assert cross_val_score(classifier(), X, y, scoring="accuracy", cv=first)[0] > 0.8  # learn from sets, test exactly
    assert cross_val_score(classifier(), X, PARTIAL, cv=3).mean() > 0.8
    assert cross_val_score(classifier(), X, PARTIAL, scoring=get_scorer("neg_set_risk"), cv=3).mean() > -0.2
