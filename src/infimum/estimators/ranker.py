"""PartialRanker: rankings from partial orders."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..outputs import Rankings
from ..selection import SearchConfig
from .base import PartialModel


class PartialRanker(PartialModel):
    """Rankings of m items from partial orders: preferences, top-k lists, buckets, ranks with gaps (paper, Sec. 5.2).

    Bucket orders (full rankings, top-k lists, unlabelled rows) have a loss that is linear in psi(z). If all rows are
    bucket orders, the prediction is one minimum feedback arc set. Otherwise "auto" enumerates the rankings of up to 8
    items and uses a search with certificates or an alternation beyond; `minimum(X).gap` bounds the distance to the
    optimum.

    Parameters
    ----------
    items : int or list, optional
        The number of items, or the items, of any hashable type; by default those that occur in y.
    principle, negative_weights, weights, solver
        As for :class:`PartialClassifier`.
    time_limit : float, optional
        Seconds for one minimisation over orders of more than 14 items.
    budget, n_jobs, random_state, verbose, search_config
        As for :class:`PartialClassifier`.

    Attributes
    ----------
    items_ : (m,)
        The items, in the order of the columns of ranks.
    output_, weights_, solver_
        The fitted parts.

    Examples
    --------
    >>> from infimum import PartialRanker
    >>> X = [[0.], [.1], [.2], [.9], [1.], [1.1]]
    >>> y = ["a>b>c", [("b", "c")], ["a"], "c>{a,b}", [("c", "b"), ("b", "a")], None]
    >>> PartialRanker().fit(X, y).predict([[0.], [1.]])
    array([['a', 'b', 'c'],
           ['c', 'b', 'a']], dtype='<U1')
    """

    def __init__(
        self,
        items: Any = None,
        principle: Any = "auto",
        negative_weights: str = "auto",
        weights: Any = "auto",
        solver: Any = "auto",
        time_limit: float | None = None,
        budget: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
        search_config: SearchConfig | None = None,
    ) -> None:
        self.items = items
        self.principle = principle
        self.negative_weights = negative_weights
        self.weights = weights
        self.solver = solver
        self.time_limit = time_limit
        self.budget = budget
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.search_config = search_config

    def _output(self, y: Any) -> Rankings:
        return Rankings(self.items, self.time_limit)

    @property
    def items_(self) -> NDArray:
        check_is_fitted(self)
        return self.output_.items_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags
