"""What conformal prediction needs from a model: its output space, its forecasts, and a fit on part of the rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing

from ..data.chunks import n_rows
from ..data.containers import materialise
from ..data.errors import listed
from ..data.inputs import some_rows
from ..estimators import PartialModel
from ..estimators.base import validated, weight_params
from ..estimators.model import OutputModel
from ..outputs import OutputSpace, Sets
from ..outputs.of_model import before_last, last_of, space_of
from ..outputs.score import REQUIREMENTS, Score
from ..solvers import ClosedForm, Coordinatewise
from ..weights import Neighbors, Scaled
from .units import Units


class ModelPredictor:
    """A fitted model as a :class:`~infimum.outputs.score.Predictor`."""

    def __init__(self, model: Any, space: OutputSpace | None = None):
        self.model, self.last = model, last_of(model)
        self.space = space_of(model) if space is None else space
        self.own = isinstance(self.last, PartialModel)

    def provides(self, quantity: str) -> bool:
        if quantity == "probabilities":
            return hasattr(self.last, "predict_proba")
        if quantity == "risks":
            return self.last.solver_.scores_all_outputs if self.own else hasattr(self.last, "decision_function")
        return quantity != "sums" or (self.own and isinstance(self.last.solver_, ClosedForm | Coordinatewise))

    def outputs(self, X: Any) -> NDArray:
        X = before_last(self.model, X)
        if isinstance(self.last, OutputModel):
            return self.last.outputs(X)
        z = np.asarray(self.last.predict(X))
        classes = getattr(self.last, "classes_", None)
        return z.astype(float) if classes is None else np.argmax(z[:, None] == classes, axis=1)

    def probabilities(self, X: Any) -> NDArray:
        X = before_last(self.model, X)
        if isinstance(self.last, OutputModel):
            return self.last.padded_probabilities(X)
        return np.asarray(self.last.predict_proba(X), dtype=float)

    def risks(self, X: Any) -> NDArray:
        X = before_last(self.model, X)
        if self.own:
            return self.last.map_weights(X, self.last.solver_.risks)
        scores = np.asarray(self.last.decision_function(X), dtype=float)
        # for two classes, scikit-learn returns the difference for the second
        return -(np.column_stack([np.zeros(len(scores)), scores]) if scores.ndim == 1 else scores)

    def sums(self, X: Any) -> NDArray:
        return self.last.map_weights(before_last(self.model, X), self.last.solver_.sums)

    def calibration_sets(self, X: Any, y: Any, covers: str, random: np.random.RandomState) -> tuple[Sets, bool]:
        """Return the sets that calibrate for rows that the model has not seen, and whether they were drawn.

        If several annotators have answered, the union of their answers is wide and may miss the true label. For
        ``covers="truth"``, one label per row is therefore drawn from its probabilities given x and the answers.
        """
        sets: Any = self.space.read(y)
        votes = sets.answers_of_sources()
        sources = getattr(getattr(self.last, "disambiguation_", None), "sources", None)
        if covers != "truth" or votes is None or sources is None or not self.provides("probabilities"):
            return sets, False
        log_q = np.log(np.maximum(self.probabilities(X), 1e-12)) + sources.log_likelihood(votes)
        q = np.exp(log_q - log_q.max(axis=1, keepdims=True)).cumsum(axis=1)
        drawn = (random.uniform(size=(len(q), 1)) * q[:, -1:] > q).sum(axis=1)
        return self.space.read(np.arange(q.shape[1]) == drawn[:, None]), True

    def features(self, X: Any) -> Any:
        X = before_last(self.model, X)
        return validated(self.last, X) if self.own else np.asarray(X, dtype=float)

    def local_mean(self) -> LocalMean:
        return LocalMean()


class LocalMean(BaseEstimator):
    """The mean over the nearest rows, with standardised features."""

    def fit(self, X: Any, y: NDArray) -> Self:
        k = max(1, min(len(y), 5 + round(len(y) ** 0.5)))
        self.weights_, self.values_ = Scaled(Neighbors(k)).fit(X), y
        return self

    def predict(self, X: Any) -> NDArray:
        return np.asarray(self.weights_(X).sum(self.values_[:, None]))[:, 0]


def named_score(score: Any, space: OutputSpace) -> Score | None:
    """Return a score given as an object or by its name; None for "auto"."""
    if isinstance(score, Score):
        return score
    known = space.conformal_scores()
    if isinstance(score, str) and score in known:
        return known[score]()
    if isinstance(score, str) and score == "auto":
        return None
    names = ", ".join(map(repr, ["auto", *known]))
    raise ValueError(f"score must be one of {names} for {type(space).__name__}, or a Score. Got {score!r} instead.")


def score_for(score: Any, *predictors: Any) -> Score:
    """Return the score itself, by its name, or the first for which all models provide what it requires ("auto")."""
    predictor = predictors[0]
    found = named_score(score, predictor.space)
    if found is None:
        known = [cls() for cls in predictor.space.conformal_scores().values()]
        found = next((one for one in known if all(each.provides(one.requires) for each in predictors)), None)
        if found is None:
            wanted = "; ".join(f"{one.name!r} requires {REQUIREMENTS[one.requires]}" for one in known)
            raise ValueError(f"No score supports {predictor.model!r}: {wanted}.")
    if not predictor.provides(found.requires):
        wanted = REQUIREMENTS[found.requires]
        raise ValueError(f"The score {found.name!r} requires {wanted}. Got {predictor.model!r}.")
    return found


def prepared(model: Any, y: Any) -> tuple[Any, Sets]:
    """Return an unfitted copy of the model and y as sets, parsed once so that all parts of y are parsed alike.

    Names that the sets do not carry, such as those of tags, become settings of the model.
    """
    if isinstance(model, type) or not hasattr(model, "get_params"):
        raise ValueError(f"estimator must be a model such as PartialClassifier(). Got {model!r:.200} instead.")
    y, new = materialise(y), clone(model)
    space = space_before_fit(new, y)
    last = last_of(new)
    names = {name: value for name, value in space.names_from_data().items() if getattr(last, name, ()) is None}
    last.set_params(**names)
    return new, space.read(y)


def space_before_fit(model: Any, y: Any) -> OutputSpace:
    """Return the output space of a model that is still to be fitted to y."""
    last = last_of(model)
    if not hasattr(last, "output_space"):
        raise ValueError(
            f"{last!r} does not learn from candidate sets. Fit it yourself, then use"
            " Conformal(model, prefit=True).conformalize(X, y); or wrap it as DisambiguationClassifier(classifier)."
        )
    return last.output_space(y)


def fitted_copy(model: Any, X: Any, sets: Any, w: NDArray | None) -> Any:
    """Return a copy of the model, fitted to rows with sample weights."""
    new = clone(model)
    return new.fit(X, sets, **weight_params(new, w))


def fit_with_score(
    model: Any, score: Any, X: Any, sets: Any, random: np.random.RandomState, w: NDArray | None = None
) -> tuple[Any, Score]:
    """Fit a copy of the model to sets and return it with its score; a score that learns gets a third of the rows."""
    found = named_score(score, space_before_fit(model, sets))
    if found is None or not found.learns:
        predictor = ModelPredictor(fitted_copy(model, X, sets, w))
        return predictor, score_for(score, predictor)
    units = Units(model, X)
    n = len(units)
    if n < 6:
        raise ValueError(
            f"The score {found.name!r} is fitted to a third of the rows, so it requires at least 6. Got {n}."
        )
    order = random.permutation(n)
    own, rest = (units.rows(np.sort(part)) for part in (order[: n // 3], order[n // 3 :]))
    predictor = ModelPredictor(fitted_copy(model, some_rows(X, rest), sets[rest], None if w is None else w[rest]))
    found = clone(score_for(score, predictor))
    return predictor, found.learn(predictor, some_rows(X, own), predictor.space.read(sets[own]))


def groups_of(groups: Any, X: Any) -> NDArray | None:
    """Return the group of every row of X, (n,); None without groups, or if the class is the group."""
    if groups is None or (isinstance(groups, str) and groups == "class"):
        return None
    if callable(groups):
        found = np.asarray(groups(X))
    else:
        found = _column(X, groups)
    if found.shape != (n_rows(X),):
        raise ValueError(f"groups must contain one name per row, shape ({n_rows(X)},). Got shape {found.shape}.")
    return found


def _column(X: Any, groups: Any) -> NDArray:
    """Return the column of X that contains the groups."""
    X = np.asarray(X) if isinstance(X, list | tuple) else X
    try:
        return np.asarray(_safe_indexing(X, groups, axis=1))
    except (ValueError, IndexError, KeyError, TypeError):
        raise ValueError(
            "groups must be 'class', a function of X that returns the group of each row, or the name or number of one"
            f" column of X. Got {groups!r:.200} instead; X has"
            f" {f'the columns {listed(list(X.columns))}' if hasattr(X, 'columns') else f'{X.shape[1]} columns'}."
        ) from None
