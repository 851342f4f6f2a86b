"""QuestionSelector: chooses the questions that are worth their cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..data.checks import check_number, check_one_of, check_some_of, is_number
from ..data.errors import check_lengths, listed
from ..data.inputs import as_numbers
from ..estimators.model import OutputModel
from ..outputs import Labels, OutputSpace, Sets
from ..outputs.prices import Price
from ..outputs.question_model import QuestionModel
from ..outputs.questions import Question
from .learner import FixedBelief, Learner, setting_of
from .strategies import RULES, STRATEGIES, Query


@dataclass(eq=False, repr=False)
class QuestionSelector(BaseEstimator):
    """Chooses questions about rows whose output is not yet known.

    Parameters
    ----------
    strategy : {"information", "median", "conformal", "uncertain", "random", "whole"}, default "information"
        - "information": the largest expected drop of uncertainty per cost, times the influence of the row on others;
          the uncertainty is the expected squared error of the target, for labels 1 - Σ p², the Gini impurity;
        - "median": the least certain rows, each with a question that splits its probability into halves;
        - "conformal": the least certain rows, with the question which member of a prediction set it is;
        - "uncertain": the least certain rows, with their full label (standard active learning);
        - "random": random rows and random questions;
        - "whole": random rows, with their full label.
    cost : {"seconds", "bits", "shown"}, mapping or callable, default "seconds"
        What a question costs, see :class:`Price`.
    questions : list of str, optional
        The types of questions that may be asked, such as ``["Is", "OneOf"]``; by default all types of the output space.
    level : float, default 0.9
        The level of the prediction sets of "conformal".
    random_state : int, optional
        Seed for random choices.

    Examples
    --------
    >>> X = [[0.], [.1], [.2], [.9], [1.], [1.1]]
    >>> y = ["cat", None, None, None, "dog", None]
    >>> asker = QuestionSelector(random_state=0)
    >>> len(asker.query(X, y, n=2)), asker.query(X, y)[0].row in (1, 2, 3, 5)
    (2, True)
    """

    strategy: Any = "information"
    cost: Any = "seconds"
    questions: Any = None
    level: float = 0.9
    random_state: Any = None

    def query(
        self,
        X: Any,
        y: Any,
        model: Any = None,
        n: int = 1,
        *,
        candidates: Any = None,
        batch_size: int | None = None,
        return_utilities: bool = False,
        output: OutputSpace | None = None,
    ) -> Any:
        """Return the next questions, best first, about n different rows; fewer if fewer rows are open.

        Parameters
        ----------
        X : (n_rows, d), or what the model is fitted on
            All rows.
        y : sets
            The candidate set of each row, in any format that the estimators accept; None for an unlabelled row.
        model : estimator, optional
            An estimator whose output space is used, and whose kernel is used if its weights are kernel ridge with fixed
            parameters. By default y are labels, and a kernel is chosen from the labelled rows. For the strategy
            "conformal" it may be a calibrated `Conformal` model, whose prediction sets are then used. A fitted
            `PartialSequenceTagger` predicts the rows itself.
        n : int
            The number of questions. `batch_size` is the same, as scikit-activeml calls it.
        candidates : array of int, optional
            The rows that may be asked about.
        return_utilities : bool
            Return also the utility of the best question about each row, (n_rows,); NaN if none may be asked.
        output : OutputSpace, optional
            The output space, instead of that of a model.
        """
        self._check()
        learner: Any
        found = model.beliefs(X, y) if isinstance(model, OutputModel) else None
        if found is not None:
            if self.strategy == "conformal":
                raise ValueError(
                    f"strategy='conformal' requires held-out predictions, which {type(model).__name__} does not"
                    " provide. Use strategy='information'."
                )
            learner = FixedBelief(*found)
        else:
            space, sets = _parsed(model, output, y)
            numbers = as_numbers(X)
            check_lengths(numbers.shape[0], len(sets))
            learner = self._learner(numbers, space.questions(), setting_of(model, numbers))
            learner.update(sets)
        asked, utilities = self.choose(learner, n if batch_size is None else batch_size, candidates, model, X)
        return (asked, utilities) if return_utilities else asked

    def _check(self) -> None:
        check_one_of(self, "strategy", STRATEGIES)
        check_number(self, "level", 0, 1, above=True, below=True)
        check_number(self, "random_state", 0, integer=True, optional=True)

    def _learner(self, X: Any, model: QuestionModel, setting: Any) -> Learner:
        """Return the learner of the last query if X, the output space and the setting are the same."""
        key = (joblib.hash(X), setting, type(model), model.names)
        if vars(self).get("learner_key_") != key:
            seed = 0 if self.random_state is None else int(self.random_state)
            self.learner_ = Learner(X, model, setting, seed)
            self.learner_key_ = key
        self.learner_.model = model
        return self.learner_

    def choose(
        self, learner: Learner, n: int = 1, candidates: Any = None, model: Any = None, X: Any = None
    ) -> tuple[list[Question], NDArray]:
        """Return questions and utilities from the belief of a learner that the caller updates.

        Parameters
        ----------
        learner : Learner
            A learner after `update`.
        n : int
            The number of questions.
        candidates : array of int, optional
            The rows that may be asked about.
        model, X : estimator and array, optional
            A calibrated `Conformal` model and the rows, for the strategy "conformal".
        """
        assert learner.belief is not None
        if not is_number(n, 1, integer=True):
            raise ValueError(f"n, the number of questions, must be an integer >= 1. Got {n!r} instead.")
        is_open = np.array(learner.model.is_open(learner.belief.E), dtype=bool)
        if candidates is not None:
            is_open &= np.isin(np.arange(len(is_open)), _rows_among(candidates, len(is_open)))
        if "rng_" not in vars(self):
            self.rng_ = np.random.default_rng(self.random_state)
        price, kinds = Price(self.cost), self._kinds(learner.model)
        query = Query(learner, is_open, kinds, price, self.level, self.rng_, model, X)
        return RULES[self.strategy](query, n)

    def _kinds(self, model: QuestionModel) -> tuple[str, ...]:
        if self.questions is None:
            return model.kinds
        check_some_of(self, "questions", model.kinds)
        return tuple(self.questions)


def _rows_among(candidates: Any, n: int) -> NDArray:
    """Return the numbers of candidate rows, or raise an error with those that are not rows of X."""
    rows = np.asarray(candidates)
    if rows.dtype == bool and rows.shape == (n,):
        return np.flatnonzero(rows)
    wrong = [row for row in rows.ravel().tolist() if not is_number(row, 0, n - 1, integer=True)]
    if wrong or rows.ndim != 1:
        raise ValueError(
            f"candidates must be row numbers from 0 to {n - 1}, or one boolean per row."
            f" Got {listed(wrong) if wrong else f'an array of shape {rows.shape}'}."
        )
    return rows.astype(int)


def _parsed(model: Any, output: OutputSpace | None, y: Any) -> tuple[OutputSpace, Sets]:
    """Return the fitted output space, that of a model or Labels by default, and y as its sets."""
    space = output
    if space is None and model is not None:
        space = vars(model).get("output_") or (model.output_space(y) if isinstance(model, OutputModel) else None)
    if space is None:
        space = Labels()
    if not hasattr(space, "form_"):
        space = space.fit(y)
    return space, space.read(y)
