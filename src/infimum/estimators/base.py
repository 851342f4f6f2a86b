"""PartialModel: what all estimators share. Parse y, select what is "auto", fit, and predict in batches."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.utils import gen_batches
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from ..data import Rows, Table, group_codes, is_chunked, is_dask, map_rows, rows_in_chunks
from ..data.checks import check_number, check_run
from ..data.containers import materialise
from ..data.errors import InfimumWarning, InputError, check_lengths
from ..data.inputs import as_numbers, check_not_tiny, in_order, is_frame, names_of, narrow
from ..evidence import Votes
from ..outputs import OutputSpace, Sets
from ..outputs.shapes import check_shapes
from ..recipe import Recipe
from ..selection import SearchConfig, SelectionResult, select_recipe
from ..selection.scores import counted, labelled_weight, scored_by
from ..solvers import Minimum
from ..weights import BY_NAME, Alpha, by_name
from .explanation import Explanation, explained
from .model import OutputModel
from .scoring import check_not_encoded, check_scorer
from .streaming import StreamingMixin
from .training_labels import TrainingLabelsMixin

PAPER = {"principle": "infimum", "negative_weights": "inside", "weights": "kernel"}
"""The paper's estimator; `PartialModel.paper` replaces the name of a family by the untuned family."""


class Prepared(NamedTuple):
    """What a fit starts from: parsed data, and a recipe without "auto" parts."""

    recipe: Recipe
    selection: SelectionResult | None
    """What was compared, if a part was "auto"."""
    rows: Rows
    output: OutputSpace
    sets: Sets


@dataclass(kw_only=True, eq=False, repr=False)
class PartialModel(TrainingLabelsMixin, StreamingMixin, OutputModel):
    """The base class of all estimators.

    It predicts f(x) = argmin_z sum_i alpha_i(x) L(z, S_i). A subclass defines `_output`, the output space. Its
    parameters are the fields of a dataclass, so a subclass lists only those that it adds.
    """

    batch_numbers: ClassVar[int] = 2**22
    """Numbers formed at a time for a batch of queries: 32 MiB."""

    principle: Any = "auto"
    negative_weights: str = "auto"
    weights: Any = "auto"
    solver: Any = "auto"
    max_search_time: float | None = None
    n_jobs: int | None = None
    random_state: Any = 0
    verbose: int = 0
    search_config: SearchConfig | None = None

    @classmethod
    def paper(cls, *args: Any, **settings: Any) -> Self:
        """Return the paper's estimator: the infimum, ``negative_weights="inside"`` and untuned kernel ridge.

        Parameters replace those of the paper. The name of a family, such as ``weights="forest"``, stands for the family
        with its default hyperparameters here, without scaling and without tuning.

        >>> from infimum import PartialClassifier
        >>> PartialClassifier.paper()
        PartialClassifier(negative_weights='inside', principle='infimum',
                          weights=KernelRidge())
        """
        params = {**PAPER, **dict(zip(signature(cls).parameters, args)), **settings}
        if isinstance(params["weights"], str) and params["weights"] in BY_NAME:
            params["weights"] = by_name(params["weights"])
        return cls(**params)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the model to features and partial labels.

        Parameters that are "auto" are selected first, by cross-validation on the partial labels.

        Parameters
        ----------
        X : (n, d) array, sparse matrix or DataFrame, or Chunks
            The features. `infimum.Chunks` contain y and sample weights as well. For chunked data, and for a Dask
            collection, "auto" selects on a sample of the rows.
        y : n partial labels
            One entry per row, in any format of the output type; None or an empty cell is an unlabelled row.
        sample_weight : (n,), optional
            How much rows count: a row of weight 2 counts as two rows, one of weight 0 is left out.
        groups : (n,), optional
            Rows with the same entry are held out together in cross-validation. Set it if rows are not independent, such
            as several rows of one person. Rows with the same features are always held out together.

        Returns
        -------
        self
            The fitted model.
        """
        return self._fit_at_once(X, y, sample_weight, groups)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        recipe, self.selection_, rows, output, sets = self._prepare(X, y, sample_weight, groups)
        with warnings.catch_warnings():
            if self.selection_ is not None and self.selection_.results:
                # the user has not chosen these weights and need not be warned about them
                warnings.filterwarnings("ignore", ".*numerically singular", InfimumWarning)
            self.output_, self.weights_, self.solver_, self.disambiguation_ = recipe.fit(rows, output, sets)
        self.recipe_: Recipe = recipe
        self.sets_: Sets | None = sets if rows.in_memory else None

    def prepare(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Prepared:
        """Parse the data and select the parts that are "auto", as `fit` does first; the model is not changed."""
        return self._unfitted_copy()._prepare(X, y, sample_weight, groups)

    def _prepare(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> Prepared:
        check_run(self)
        recipe, config = self._recipe(), self._search_config()
        rows = self._rows(X, y, sample_weight, groups)
        output = self._output(rows.y)
        if isinstance(y, Votes) and not output.reads_votes:
            raise InputError(
                f"Votes contain class labels, for PartialClassifier. Got Votes as y of {type(self).__name__}. Combine"
                " the answers about each row first, or fit one PartialClassifier per question."
            )
        output = rows.fitted(output)
        sets = recipe.read(rows, output)
        if rows.in_memory:
            check_shapes(output, sets)
            check_scorer(output)
            check_not_encoded(self._output)
        selection = None
        if not recipe.is_complete:
            recipe, selection = select_recipe(recipe, rows, output, sets, config, self._on_candidate)
        return Prepared(recipe, selection, rows, output, sets)

    def _resolved_recipe(self) -> Recipe:
        """Return the recipe that was fitted, or that of the parameters."""
        return vars(self).get("recipe_") or self._recipe()

    def _recipe(self) -> Recipe:
        noise = getattr(self, "noise", None)
        if noise is not None:
            check_number(self, "noise", 0, 1, optional=True, words=("auto", "estimate"))
        return Recipe(self.principle, self.negative_weights, self.weights, self.solver, noise)

    def _search_config(self) -> SearchConfig:
        config = SearchConfig() if self.search_config is None else self.search_config
        if not isinstance(config, SearchConfig):
            raise ValueError(f"search_config must be a SearchConfig, or None. Got {config!r:.200} instead.")
        run = {"max_search_time": self.max_search_time, "n_jobs": self.n_jobs, "random_state": self.random_state}
        return replace(config, **run, verbose=int(self.verbose))

    def _rows(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> Rows:
        """Return the validated rows; learn the number of features and their names."""
        self._without_features = X is None and isinstance(y, Votes)
        if self._without_features:
            X = np.zeros((len(y), 1))
        chunks = rows_in_chunks(X, y, sample_weight, groups)
        if chunks is not None:
            self.n_features_in_ = chunks.n_features
            if chunks.names is not None:
                self.feature_names_in_ = np.array(chunks.names, dtype=object)
            return chunks
        if isinstance(y, Votes):
            y.check_order(X)
        names = names_of(X)
        X = self._validated(X, reset=True)
        w = None if sample_weight is None else counted(sample_weight, X)
        return Table(X, materialise(y), w, names, group_codes(groups, X.shape[0]))

    def _validated(self, X: Any, reset: bool = False) -> Any:
        """Return X as numbers; the columns of a DataFrame are found by their names."""
        return validated(self, X, reset)

    def predict(self, X: Any) -> NDArray:
        """Predict the output of each row of X.

        Parameters
        ----------
        X : (q, d) array, sparse matrix or DataFrame, or Chunks
            The features.

        Returns
        -------
        (q, ...) array
            One output per row; an iterator over such arrays for `infimum.Chunks`, a Dask array for a Dask collection.
        """
        if is_chunked(X):
            return self._by_chunks(self.predict, X)
        z = self.outputs(X)  # raises an error if the model is not fitted
        return self.output_.tabulate(self.output_names(z))

    def output_names(self, z: NDArray) -> NDArray:
        """Return outputs as the user names them."""
        return self.output_.readable(z)

    def outputs(self, X: Any) -> NDArray:
        """Return f(x) in the encoding of the output space, (q, *z)."""
        return self.map_weights(X, lambda alpha: self.solver_.argmin(alpha))

    def minimum(self, X: Any) -> Minimum:
        """Return the prediction for each row of X, its estimated set risk, and a lower bound of the least risk.

        Parameters
        ----------
        X : (q, d) array, sparse matrix or DataFrame
            The features.

        Returns
        -------
        Minimum
            `z`, `value` and `bound`, one entry per row, and `gap`. If `gap` is 0, the prediction is provably optimal.
        """
        found = self._by_batches(X, lambda alpha: self.solver_.minimise(alpha))
        z, value, bound = (np.concatenate(part) for part in zip(*found))
        return Minimum(self.output_.readable(z), value, bound)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the mean agreement of predictions with y: accuracy on exact labels, covering rate on sets.

        Parameters
        ----------
        X : (q, d) array, sparse matrix or DataFrame
            The features.
        y : q partial or exact labels
            One entry per row, in any format of the output type. Unlabelled rows do not count.
        sample_weight : (q,), optional
            How much rows count.

        Returns
        -------
        float
            The score, at most 1.
        """
        z, sets = self.predicted(X, y)
        w = labelled_weight(self.output_, sets, scored_by(sample_weight, len(z)))
        return float(np.average(sets.agreement(z), weights=w))

    def predicted(self, X: Any, y: Any) -> tuple[NDArray, Sets]:
        """Return the predictions in the encoding of the output space, and y as sets, which scores compare."""
        if isinstance(y, Votes):
            y.check_order(X)
        z = self.outputs(X)
        sets = self.output_.read(y, strict=False)
        check_lengths(len(z), len(sets))
        return z, sets

    def _html_repr(self) -> str:
        """Return the diagram of scikit-learn, followed by the selected model and what it was compared with."""
        found = vars(self).get("selection_")
        return super()._html_repr() + ("" if found is None else found.html_details())

    def __getstate__(self) -> dict:
        """Save no training sets if the weights save no training rows."""
        state = super().__getstate__()
        return {**state, "sets_": None} if "sets_" in state and self.weights_.supports_chunks else state

    def explain(self, x: Any, against: Any = None) -> Explanation:
        """Return the contribution of each training row to the prediction at one row x.

        The contributions are exact, because sum_i alpha_i(x) L(z, S_i) is a sum over the rows.

        Parameters
        ----------
        x : (1, d) array or DataFrame, or (d,) array
            The features of one row.
        against : output, optional
            The output that the prediction is compared with, by default the best other one.

        Returns
        -------
        Explanation
            The contribution of each training row to the difference of the estimated risks.

        Examples
        --------
        >>> from infimum import PartialClassifier
        >>> model = PartialClassifier().fit([[0.], [.2], [1.]], ["cat|dog", "dog", "cat|owl"])
        >>> model.explain([[.1]]).rows[0]
        np.int64(1)
        """
        check_is_fitted(self)
        x = self._validated(np.reshape(x, (1, -1)) if np.ndim(x) == 1 and not is_frame(x) else x)
        if x.shape[0] != 1:
            raise ValueError(f"explain requires one row, such as X[[0]]. Got {x.shape[0]} rows.")
        return explained(self, x, against)

    def _by_batches(self, X: Any, solve: Callable[[Alpha], Any]) -> list:
        """Return solve(alpha(x)) for batches of rows of X, so that memory does not grow with their number."""
        check_is_fitted(self)
        X = self._validated(X)
        size = max(1, self.batch_numbers // max(1, self.weights_.width + self.solver_.width))
        work = (delayed(lambda rows: solve(self.weights_(X[rows])))(rows) for rows in gen_batches(X.shape[0], size))
        # one batch after the other, unless n_jobs or joblib.parallel_config(n_jobs=…) is set
        return Parallel(n_jobs=self.n_jobs, require="sharedmem")(work)

    def map_weights(self, X: Any, function: Callable[[Alpha], NDArray]) -> NDArray:
        """Return function(alpha(x)) for the rows of X, computed batch by batch: (q, d) -> (q, ...).

        Parameters
        ----------
        X : (q, d)
            Inputs.
        function : callable
            Takes the weights of a batch of rows and returns an array with one entry per row, such as
            ``model.solver_.risks``.
        """
        return np.concatenate(self._by_batches(X, function))

    def _by_chunks(self, function: Callable[[Any], NDArray], X: Any) -> Any:
        """Apply a function to rows in chunks: a Dask array for a Dask collection, otherwise an iterator over chunks."""
        check_is_fitted(self)
        if is_dask(X):
            return map_rows(function, X, self.n_features_in_)
        return (function(chunk.X) for chunk in X.inputs())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = getattr(self.weights, "pairwise", False)
        return tags


def validated(model: Any, X: Any, reset: bool = False) -> Any:
    """Return X as numbers; at fit (`reset`) the model learns the names by which later columns are found."""
    X = X.compute() if is_dask(X) else X
    if not reset and X is not None and vars(model).get("_without_features"):
        raise ValueError(
            f"This {type(model).__name__} was fitted without features, so it cannot predict. Its labels_ are the labels"
            " of the training rows. Fit it with features: fit(X, votes)."
        )
    if is_frame(X):
        integers = names_of(X, int)
        if reset:
            model._integer_names = integers
        elif integers is not None and sorted(integers) == sorted(vars(model).get("_integer_names") or []):
            X = X[model._integer_names]  # only pandas has such names
        else:
            X = in_order(X, vars(model).get("feature_names_in_", np.array([])).tolist() or None)
    numbers = as_numbers(X).astype(np.float64, copy=False)
    validate_data(model, X, skip_check_array=True, reset=reset)
    if reset:
        check_not_tiny(numbers, names_of(X))
    return narrow(numbers)


def weight_params(model: Any, w: Any) -> dict[str, Any]:
    """Return the arguments of ``model.fit`` that pass on sample weights.

    With metadata routing, a pipeline passes them to the steps that request them; without it, to all steps that take
    them.
    """
    if w is None:
        return {}
    if not hasattr(model, "steps") or get_config()["enable_metadata_routing"]:
        return {"sample_weight": w}
    return {f"{name}__sample_weight": w for name, step in model.steps if has_fit_parameter(step, "sample_weight")}
