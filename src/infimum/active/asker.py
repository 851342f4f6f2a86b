"""Asker: which questions are worth their cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..outputs import OutputSpace
from .learner import Belief, Growing, Learner
from .question import Price, Question
from .structure import Structure
from .structures import structure_of

STRATEGIES = ("information", "median", "conformal", "uncertain", "random", "whole")


class Asker(BaseEstimator):
    """Chooses questions about rows whose sets are still open.

    Parameters
    ----------
    strategy : {"information", "median", "conformal", "uncertain", "random", "whole"}, default "information"
        - "information": the questions with the largest expected drop of uncertainty per cost, where a row counts by how
          much it says about all others;
        - "median": the least certain rows, each cut in two halves of equal weight (twenty questions);
        - "conformal": the least certain rows, "which of these?" among a conformal candidate set;
        - "uncertain": the least certain rows, with the whole label (the usual active learning);
        - "random": random rows and random sets (every label with probability 1/2);
        - "whole": random rows, with the whole label.
    cost : {"bits", "shown"}, mapping or callable, default "bits"
        What a question costs, see :class:`Price`.
    questions : list of str, optional
        The kinds of questions that may be asked, ``["Is", "OneOf"]``; by default all that the structure has.
    measure : {"squares", "entropy"}, default "squares"
        What "information" counts: E|T' - T|², the expected squared step of the target (for labels the drop of
        1 - Σ p², Gini's entropy), or the drop of Shannon's entropy of the row.
    level : float, default 0.9
        Of the candidate sets of "conformal".
    random_state : int, optional

    Examples
    --------
    >>> from infimum.outputs import Labels
    >>> X = [[0.], [.1], [.2], [.9], [1.], [1.1]]
    >>> y = ["cat", None, None, None, "dog", None]
    >>> asker = Asker(random_state=0)
    >>> len(asker.query(X, y, n=2)), asker.query(X, y)[0].row in (1, 2, 3, 5)
    (2, True)
    """

    def __init__(
        self,
        strategy: Any = "information",
        cost: Any = "bits",
        questions: Any = None,
        measure: str = "squares",
        level: float = 0.9,
        random_state: Any = None,
    ) -> None:
        self.strategy = strategy
        self.cost = cost
        self.questions = questions
        self.measure = measure
        self.level = level
        self.random_state = random_state

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
        """The next questions, best first, about n different rows; fewer where fewer are open.

        Parameters
        ----------
        X : (n_rows, d)
            All rows.
        y : sets
            What is known of every row, in any form that the estimators take; None where nothing is.
        model : estimator, optional
            Says what y may be: its output space is taken, and the kernel of its weights where that is a kernel ridge.
            By default labels are read, and a kernel is chosen from the known rows. For the strategy "conformal" it may
            be a `Conformal` model that was calibrated: its sets are then the candidates.
        n : int
            How many questions. `batch_size` is the same, by its name in scikit-activeml.
        candidates : array of int, optional
            The rows that may be asked about.
        return_utilities : bool
            Return also what the best question about every row is worth, (n_rows,); NaN where none may be asked.
        output : OutputSpace, optional
            Y, instead of that of a model.
        """
        from .spaces import setting_in, space_of

        self._check()
        space, sets = space_of(model, output, y)
        rows = np.asarray(X.shape[0] if hasattr(X, "shape") else len(X))
        if len(sets) != rows:
            raise ValueError(f"X has {rows} rows and y has {len(sets)}: they must have the same number.")
        learner = self._learner(X, space, setting_in(model, X))
        belief = learner.update(sets)
        wanted = n if batch_size is None else batch_size
        found, utilities = self.choose(learner, belief, wanted, candidates, model, X)
        return (found, utilities) if return_utilities else found

    def _check(self) -> None:
        if self.strategy not in STRATEGIES:
            names = ", ".join(map(repr, STRATEGIES))
            raise ValueError(f"strategy must be one of {names}. Got {self.strategy!r} instead.")
        if self.measure not in ("squares", "entropy"):
            raise ValueError(f"measure must be 'squares' or 'entropy'. Got {self.measure!r} instead.")
        if not 0 < self.level < 1:
            raise ValueError(f"level must be between 0 and 1. Got {self.level!r} instead.")

    def _learner(self, X: Any, space: OutputSpace, setting: Any) -> Learner:
        """The learner of the last query, where it was about the same rows."""
        kept = vars(self).get("learner_")
        state = _print_of(X)
        last = vars(self).get("state_")
        same = kept is not None and last == (state, setting) and _same_space(kept.structure.space, space)
        if not same:
            seed = 0 if self.random_state is None else int(self.random_state)
            self.learner_ = Learner(X, structure_of(space), setting, seed)
            self.state_ = (state, setting)
        self.learner_.structure.space = space
        return self.learner_

    def choose(
        self, learner: Learner, belief: Belief, n: int = 1, candidates: Any = None, model: Any = None, X: Any = None
    ) -> tuple[list[Question], NDArray]:
        """Questions and utilities from what is believed; for callers that keep a learner of their own."""
        from .strategies import RULES

        E = learner.E
        assert E is not None
        open_ = learner.structure.open(E)
        if candidates is not None:
            allowed = np.zeros(len(E), dtype=bool)
            allowed[np.asarray(candidates, dtype=int)] = True
            open_ &= allowed
        scene = Scene(self, learner, belief, open_, self._rng(), Price(self.cost))
        scene.model, scene.X = model, X
        return RULES[self.strategy](scene, n)

    def _rng(self) -> np.random.Generator:
        if "rng_" not in vars(self):
            self.rng_ = np.random.default_rng(self.random_state)
        return self.rng_


class Scene:
    """What a strategy looks at."""

    model: Any = None
    X: Any = None

    def __init__(
        self, asker: Asker, learner: Learner, belief: Belief, open_: NDArray, rng: np.random.Generator, price: Price
    ):
        self.asker, self.learner, self.belief, self.open, self.rng, self.price = (
            asker, learner, belief, open_, rng, price,
        )  # fmt: skip
        assert learner.E is not None
        self.E: NDArray = learner.E

    @property
    def structure(self) -> Structure:
        return self.learner.structure

    @property
    def ridge(self) -> Growing:
        return self.learner.ridge

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of questions that may be asked."""
        asked = self.asker.questions
        if asked is None:
            return self.structure.kinds
        wrong = [kind for kind in asked if kind not in self.structure.kinds]
        if wrong or not len(asked):
            raise ValueError(
                f"questions of {type(self.structure.space).__name__} are {', '.join(self.structure.kinds)}."
                f" Got {list(asked)!r}."
            )
        return tuple(asked)

    def spread_of(self, i: Any) -> Any:
        spread = self.belief.spread
        return None if spread is None else spread[i]


Rule = Callable[[Scene, int], tuple[list[Question], NDArray]]


def _print_of(X: Any) -> tuple:
    """What tells arrays apart without keeping them: the object, its shape, and a few sums."""
    if hasattr(X, "toarray"):
        return (id(X), X.shape, float(abs(X).sum()))
    A = np.asarray(X, dtype=float)
    return (A.shape, float(A.sum()), float(np.abs(A[:: max(1, len(A) // 64)]).sum()))


def _same_space(a: Any, b: Any) -> bool:
    names = ("classes_", "tags_", "items_")
    same = all(np.array_equal(getattr(a, k, ()), getattr(b, k, ())) for k in names)
    ends = ("low_", "high_")
    return type(a) is type(b) and same and all(getattr(a, k, None) == getattr(b, k, None) for k in ends)

