"""PartialRanker: rankings from partial orders."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..outputs import Rankings
from .base import PartialModel
from .docs import MODEL


@MODEL
@dataclass(kw_only=True, eq=False, repr=False)
class PartialRanker(PartialModel):
    """Rankings of items from comparisons, top-k lists, buckets and ranks with gaps.

    After disambiguation, and if all rows are bucket orders (full rankings, top-k lists, unlabelled rows), the
    prediction is one minimum feedback arc set. Otherwise "auto" enumerates the rankings of up to 8 items, and uses a
    search with certificates or an alternation beyond; `minimum(X).gap` bounds the distance to the optimum.

    Parameters
    ----------
    items : int or list, optional
        The number of items, or the items, of any hashable type; by default those that occur in y.
    time_limit : float, optional
        Seconds that one prediction may take to prove its optimality; ``float("inf")`` sets no limit. By default a
        search ends after a number of steps, at the same order in every run, and `minimum(X)` returns a bound.
    contradictions : {"error", "majority", "weigh"}, default "error"
        What happens to rows that contradict themselves, such as a > b > c > a. "error" raises an error with the cycles.
        "majority" keeps the pairs on which all orders that violate the fewest comparisons of the row agree. "weigh"
        counts each comparison of such a row as a row of its own, with its share of the weight. Other rows do not
        depend on this parameter.
    loss : {"auto", "kendall", "spearman"}, default "auto"
        Kendall's loss counts the pairs that a prediction has wrong. Spearman's is the sum of squared differences
        between the places of an item. Its predictions are sorted lists, which takes microseconds and little memory.
        "auto" is Kendall's loss up to 128 items, and Spearman's beyond.
    noise : {"auto", "estimate"}, None or float, default "auto"
        The share of comparisons that are wrong. "estimate" estimates it, and "auto" does so if this increases the
        likelihood of held-out comparisons. None assumes that every comparison is right. "estimate" and a
        number require disambiguation, and principle="auto" then compares no other principle.
    principle, negative_weights, weights, solver, max_search_time, n_jobs, random_state, verbose, search_config : shared

    Attributes
    ----------
    items_ : (m,)
        The items, in the order of the columns of ranks.
    selection_, labels_, confidence_, suspects_, tied_, label_errors_, noise_, n_features_in_, output_, sets_ : shared

    Examples
    --------
    >>> from infimum import PartialRanker
    >>> X = [[0.], [.1], [.2], [.9], [1.], [1.1]]
    >>> y = ["a>b>c", [("b", "c")], ["a"], "c>{a,b}", [("c", "b"), ("b", "a")], None]
    >>> PartialRanker().fit(X, y).predict([[0.], [1.]])
    array([['a', 'b', 'c'],
           ['c', 'b', 'a']], dtype='<U1')
    """

    items: Any = field(default=None, kw_only=False)
    time_limit: float | None = None
    contradictions: str = "error"
    loss: str = "auto"
    noise: Any = "auto"

    def _output(self, y: Any) -> Rankings:
        return Rankings(self.items, self.time_limit, self.contradictions, self.loss)

    @property
    def items_(self) -> NDArray:
        check_is_fitted(self)
        return self.output_.items_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags
