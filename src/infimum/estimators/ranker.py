"""PartialRanker: rankings from partial orders."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..outputs import Rankings
from ..selection import SearchConfig
from .base import PartialModel


class PartialRanker(PartialModel):
    """Rankings of items from comparisons, top-k lists, buckets and ranks with gaps.

    After disambiguation, and if all rows are bucket orders (full rankings, top-k lists, unlabelled rows), the
    prediction is one minimum feedback arc set. Otherwise "auto" enumerates the rankings of up to 8 items, and uses a
    search with certificates or an alternation beyond; `minimum(X).gap` bounds the distance to the optimum.

    Parameters
    ----------
    items : int or list, optional
        The number of items, or the items, of any hashable type; by default those that occur in y.
    principle : str, Principle or Disambiguation, default "auto"
        How a set of possible outputs is turned into a loss. "infimum", "average" and "supremum" use the loss to the
        best, mean and worst member. "disambiguation" estimates the label of each row first (`labels_`). "auto" selects
        one of them by cross-validation.
    negative_weights : {"auto", "inside", "joint"}, default "auto"
        How set losses are combined if a weight is negative, as some weights of kernel ridge and linear ridge are:
        sum_i alpha_i inf_y l(z, y) ("inside"), or inf over (y_i) of sum_i alpha_i l(z, y_i) ("joint"). "auto" selects
        one of them by cross-validation. It rarely has to be set.
    weights : {"auto", "kernel", "nystrom", "linear", "neighbors", "forest", "laplacian"} or Weights, default "auto"
        The base learner, which determines how much each training row counts at x. With the name of a family, features
        are scaled and hyperparameters are selected within the family. A `Weights` object is used exactly as given.
        "auto" compares the families by cross-validation on the partial labels.
    solver : "auto" or Solver, default "auto"
        How the minimum over outputs is computed. "auto" takes the first solver that supports the loss. Set another one
        for a different compromise between speed and optimality.
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
    budget : float, optional
        Time limit of the model selection in seconds. When it is over, the best candidate so far is fitted, with a
        warning. There is no limit by default.
    n_jobs : int, optional
        The number of threads. By default, that of BLAS for model selection, and one for predictions.
    random_state : int, default 0
        Seed of forests and of Nyström centres.
    verbose : int, default 0
        If 1, a progress bar is shown.
    search_config : SearchConfig, optional
        Constants of the model selection, such as numbers of rows and folds; see
        :class:`infimum.selection.SearchConfig`.
    noise : {"auto", "estimate"}, None or float, default "auto"
        The share of comparisons that are wrong. "estimate" estimates it, and "auto" does so if this increases the
        likelihood of held-out comparisons. None assumes that every comparison is right. Only disambiguation uses it.

    Attributes
    ----------
    items_ : (m,)
        The items, in the order of the columns of ranks.
    selection_ : SelectionResult or None
        The candidates of the model selection with their scores, the selected one first. None if nothing was "auto".
    labels_ : (n, m)
        The most likely member of the set of each training row. Like the following attributes up to `noise_`, it is
        available after disambiguation, which the default mostly selects.
    confidence_ : (n,) or None
        The probabilities of `labels_`; None if they are not defined.
    suspects_ : (k,)
        Row numbers of likely label errors: rows whose set probably does not contain the true output.
    tied_ : (k,)
        Row numbers of rows with two almost equally likely members.
    label_errors_ : (n,)
        All row numbers, the most likely label error first.
    noise_ : Noise
        The estimated share of sets that do not contain the true output.
    n_features_in_ : int
        The number of columns of X.
    output_, weights_, solver_, recipe_
        The fitted output space, base learner and solver, and the recipe that combines them.
    sets_ : Sets
        The parsed training labels, for `explain`. Not stored for chunked data.

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
        *,
        principle: Any = "auto",
        negative_weights: str = "auto",
        weights: Any = "auto",
        solver: Any = "auto",
        time_limit: float | None = None,
        contradictions: str = "error",
        budget: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
        search_config: SearchConfig | None = None,
        loss: str = "auto",
        noise: Any = "auto",
    ) -> None:
        self.items = items
        self.principle = principle
        self.negative_weights = negative_weights
        self.weights = weights
        self.solver = solver
        self.time_limit = time_limit
        self.contradictions = contradictions
        self.budget = budget
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.search_config = search_config
        self.loss = loss
        self.noise = noise

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
