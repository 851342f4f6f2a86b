"""PartialSearch: scaling, kernel, gamma, lam, principle and reading of negative weights, chosen from sets alone."""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from .._checks import check_number, check_numbers
from .._memory import require
from .._progress import track
from .._warnings import InfimumWarning
from ..estimators import PartialClassifier, PartialModel
from ..estimators.base import validated
from ..judging import NAMES, Composition, Judge
from ..outputs import OutputSpace, Sets
from ..reductions import Disambiguation
from ..weights import KernelRidge
from ..weights.left_out import blocks_of

READINGS = {
    "disambiguation": ("disambiguation", "inside"),
    "infimum": ("infimum", "inside"),
    "joint": ("infimum", "joint"),
    "average": ("average", "inside"),
    "supremum": ("supremum", "inside"),
}
"""name -> (principle, negative_weights)."""

SCALINGS: dict[str, list] = {
    "none": [],
    "standard": [StandardScaler()],
    "unit": [StandardScaler(), Normalizer()],
}
"""Mean 0 (but for a sparse X) and variance 1 a feature; then, for "unit", length 1 a row."""

DISTANCES = {"rbf": lambda X: euclidean_distances(X, squared=True), "laplacian": manhattan_distances}


def _final_has(name: str):
    """Whether the best estimator has a method; before there is one, whether an estimator of its kind may have it."""

    def has(self: PartialSearch) -> bool:
        if "best_estimator_" in vars(self):
            return hasattr(self.best_estimator_, name)
        return hasattr(PartialClassifier if self.estimator is None else type(self.estimator), name)

    return has


class PartialSearch(BaseEstimator):
    """The best of a grid of kernel ridge models, judged by held-out sets: no true label is needed anywhere.

    Every setting is judged by predictions for blocks of rows whose sets it did not see. For kernel ridge these follow
    from one inverse a setting: nothing is fitted again.

    Parameters
    ----------
    estimator : PartialModel, optional
        Where the output space and all other settings are taken from; ``PartialClassifier()`` by default.
    scalings : list of {"none", "standard", "unit"}, default ("standard", "unit")
        What happens to X: nothing; mean 0 and variance 1 a feature; and then length 1 a row.
    kernels : list of {"rbf", "laplacian"}, default both
        exp(-gamma |x - x'|_2²) and exp(-gamma |x - x'|_1).
    gammas : list of float, default (0.5, 1, 2)
        In units of 1 / (the median of these distances between training rows).
    lams : list of float, default (1e-5,)
        The ridge is n lam.
    principles : list, optional
        Among "disambiguation", "infimum", "joint" (the infimum, negative weights read jointly), "average" and
        "supremum". By default, disambiguation where there are candidates to weigh, and the infimum elsewhere.
    criterion : str, default "auto"
        "log_likelihood", "covering_rate", "chance_corrected" or "neg_set_risk". "auto" compares settings of
        disambiguation by the log-likelihood, others by the set risk; and then the best of every principle by the set
        risk, since log-likelihoods of different principles are on different scales.
    n_blocks : int, default 5
        How many blocks are held out.
    verbose : int, default 0
        Show progress.

    Attributes
    ----------
    best_estimator_ : Pipeline
        The scaling and the estimator, fitted to all rows.
    best_params_ : dict
        The row of the path that was chosen.
    path_ : dict of arrays
        Every setting and its scores; `frame()` is the same as a pandas frame.

    Notes
    -----
    An interrupt (Ctrl-C) ends the search: the best setting so far is fitted, with a warning.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1, 2], 20)
    >>> X = np.eye(3)[truth] + .3 * rng.standard_normal((60, 3))
    >>> sets = np.eye(3, dtype=bool)[truth] | (rng.random((60, 3)) < .3)
    >>> search = PartialSearch().fit(X, sets)
    >>> bool(np.mean(search.labels_ == truth) > .9), len(search.path_["lam"])
    (True, 12)
    """

    def __init__(
        self,
        estimator=None,
        scalings=("standard", "unit"),
        kernels=("rbf", "laplacian"),
        gammas=(0.5, 1.0, 2.0),
        lams=(1e-5,),
        principles=None,
        criterion="auto",
        n_blocks=5,
        verbose=0,
    ):
        self.estimator = estimator
        self.scalings = scalings
        self.kernels = kernels
        self.gammas = gammas
        self.lams = lams
        self.principles = principles
        self.criterion = criterion
        self.n_blocks = n_blocks
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Judge every setting, then fit the best one to all rows."""
        new = clone(self)
        new._fit(X, y, sample_weight)
        # all at once: a search that fails or is interrupted too early leaves the model as it was
        kept = {name: value for name, value in vars(self).items() if not name.endswith("_")}
        self.__dict__ = vars(new) | kept
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        model = self._check()
        rows = clone(model)._rows(X, y, sample_weight)
        validated(self, X, reset=True)
        output = rows.fitted(model._output(y))
        sets = rows.read(output)
        X, w = rows.X, rows.w
        if X.shape[0] < 2:
            raise ValueError("X has one sample: there is nothing to choose a model by. Give two rows or more.")
        plain = ["infimum"] if sets.options() is None else ["disambiguation"]
        names = plain if self.principles is None else list(self.principles)
        path: list[dict] = []
        try:
            self._walk(X, w, self._judges(model, names, output, sets, w), path)
        except KeyboardInterrupt:
            if not path:
                raise
            warnings.warn(
                f"The search was interrupted after {len(path)} of {self._size() * len(names)} settings; the best of"
                " them is fitted.",
                InfimumWarning,
                stacklevel=3,
            )
        best = self._best(path)
        fitted = self._pipeline(model, best, X)
        counts = [name for name, step in fitted.steps if has_fit_parameter(step, "sample_weight")]
        fitted.fit(X, y, **({} if w is None else {f"{name}__sample_weight": w for name in counts}))
        self.path_ = {key: np.array([row[key] for row in path]) for key in path[0]}
        self.best_params_, self.best_estimator_ = best, fitted

    def _check(self) -> PartialModel:
        for name, allowed in (("scalings", SCALINGS), ("kernels", DISTANCES)):
            unknown = [value for value in getattr(self, name) if value not in allowed]
            if unknown:
                raise ValueError(f"{name} must be among {list(allowed)}. Got {unknown[0]!r}.")
        check_numbers(self, "gammas")
        check_numbers(self, "lams", above=False)
        check_number(self, "n_blocks", 2, integer=True)
        if self.criterion != "auto" and self.criterion not in NAMES:
            raise ValueError(f"criterion must be 'auto' or one of {list(NAMES)}. Got {self.criterion!r} instead.")
        model = PartialClassifier() if self.estimator is None else self.estimator
        if not isinstance(model, PartialModel):
            raise ValueError(f"estimator must be one of the library's, PartialClassifier() for one. Got {model!r}.")
        return model

    def _size(self) -> int:
        return len(self.scalings) * len(self.kernels) * len(self.gammas) * len(self.lams)

    def _judges(
        self, model: PartialModel, names: list[str], output: OutputSpace, sets: Sets, w: Any
    ) -> dict[str, Judge]:
        unknown = [name for name in names if name not in READINGS]
        if unknown:
            raise ValueError(f"principles must be among {list(READINGS)}. Got {unknown[0]!r}.")
        how = {name: self._reading(model, name) for name in names}
        parts = {name: Composition(*how[name], KernelRidge(), model.solver).checked() for name in names}
        return {name: Judge(parts[name], output, sets, w) for name in names}

    @staticmethod
    def _reading(model: PartialModel, name: str) -> tuple[Any, str]:
        principle, negative = READINGS[name]
        if principle == "disambiguation" and isinstance(model.principle, Disambiguation):
            return clone(model.principle), negative  # with the settings that the user gave
        return principle, negative

    def _walk(self, X: Any, w: NDArray | None, judges: dict[str, Judge], path: list[dict]) -> None:
        blocks = blocks_of(X, self.n_blocks, sample_weight=w)
        if len(blocks) < 2:
            raise ValueError("The rows of X are all the same: there is nothing to choose a model by.")
        start = time.perf_counter()
        for setting, weights in track(self._settings(X, w), "settings", self._size(), self.verbose):
            operator = weights.held_out(None, None, w, blocks)
            for name, judge in judges.items():
                scores = judge.scores(judge.outputs(operator))
                path.append({**setting, "principle": name, **scores, "seconds": time.perf_counter() - start})
                start = time.perf_counter()

    def _settings(self, X: Any, w: NDArray | None) -> Iterator[tuple[dict, KernelRidge]]:
        """Every setting with its weights: distances are computed once a kernel, kernel matrices once a gamma."""
        n = X.shape[0]
        require(6 * 8 * n**2, f"Searching with {n} rows", "Search on some of the rows.")
        for scaling, kernel in itertools.product(self.scalings, self.kernels):
            distance = DISTANCES[kernel](_scaled(scaling, X, w))
            unit = _median(distance, w) or 1.0
            for gamma in self.gammas:
                K = np.exp(distance * (-gamma / unit))
                for lam in self.lams:
                    setting = {"scaling": scaling, "kernel": kernel, "gamma": gamma, "width": gamma / unit, "lam": lam}
                    yield setting, KernelRidge(lam, kernel="precomputed", gamma=None).fit(K, None, w)

    def _best(self, path: list[dict]) -> dict:
        if self.criterion != "auto":
            return max(path, key=lambda row: (row[self.criterion], -np.inf)[int(np.isnan(row[self.criterion]))])
        own = {name: "log_likelihood" if name == "disambiguation" else "neg_set_risk" for name in READINGS}
        by_name = itertools.groupby(sorted(path, key=lambda row: row["principle"]), key=lambda row: row["principle"])
        finalists = [max(rows, key=lambda row: row[own[row["principle"]]]) for _, rows in by_name]
        return max(finalists, key=lambda row: row["neg_set_risk"])

    def _pipeline(self, model: PartialModel, best: dict, X: Any = None) -> Pipeline:
        principle, negative = self._reading(model, best["principle"])
        weights = KernelRidge(best["lam"], kernel=best["kernel"], gamma=best["width"])
        last = clone(model).set_params(weights=weights, principle=principle, negative_weights=negative)
        return make_pipeline(*_steps(best["scaling"], X), last)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(PartialClassifier() if self.estimator is None else self.estimator)
        tags.target_tags, tags.classifier_tags = inner.target_tags, inner.classifier_tags
        tags.input_tags.sparse = True
        return tags

    def predict(self, X: Any) -> NDArray:
        """What the best model predicts."""
        check_is_fitted(self)
        return self.best_estimator_.predict(validated(self, X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """As the estimator's: accuracy where y gives labels, covering rate where it gives sets."""
        check_is_fitted(self)
        return self.best_estimator_.score(validated(self, X), y, sample_weight)

    @available_if(_final_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray:
        """The probabilities of the best model."""
        check_is_fitted(self)
        return self.best_estimator_.predict_proba(validated(self, X))

    @available_if(_final_has("decision_function"))
    def decision_function(self, X: Any) -> NDArray:
        """The decision function of the best model."""
        check_is_fitted(self)
        return self.best_estimator_.decision_function(validated(self, X))

    def __getattr__(self, name: str) -> Any:
        # what the best estimator says of the training rows and of the outputs
        if name in TOLD and "best_estimator_" in self.__dict__:
            return getattr(self.best_estimator_[-1], name)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}.")

    def frame(self) -> Any:
        """The path as a pandas frame, the best first."""
        check_is_fitted(self)
        import pandas as pd

        column = "neg_set_risk" if self.criterion == "auto" else self.criterion
        if self.criterion == "auto" and set(self.path_["principle"]) == {"disambiguation"}:
            column = "log_likelihood"
        return pd.DataFrame(self.path_).sort_values(column, ascending=False, kind="stable", ignore_index=True)


TOLD = ("labels_", "confidence_", "tied_", "suspects_", "resolved_", "classes_", "tags_", "output_")


def tune(
    X: Any, y: Any, estimator: PartialModel | None = None, *, sample_weight: Any = None, **settings: Any
) -> PartialSearch:
    """``PartialSearch(estimator, **settings).fit(X, y, sample_weight)``.

    Parameters
    ----------
    X : (n, d)
        Rows.
    y : n sets
        In any form that the estimator reads.
    estimator : estimator, optional
        What is tuned; `PartialClassifier()` by default.
    sample_weight : (n,), optional
        How much rows count.
    **settings
        Of `PartialSearch`.
    """
    return PartialSearch(estimator, **settings).fit(X, y, sample_weight)


def _steps(name: str, X: Any) -> list:
    """The steps of a scaling; those of a sparse X do not centre it."""
    steps = [clone(step) for step in SCALINGS[name]]
    for step in steps:
        if sparse.issparse(X) and "with_mean" in step.get_params():
            step.set_params(with_mean=False)
    return steps


def _scaled(name: str, X: Any, w: NDArray | None) -> Any:
    for step in _steps(name, X):
        X = step.fit(X, **({"sample_weight": w} if has_fit_parameter(step, "sample_weight") else {})).transform(X)
    return X


def _median(distance: NDArray, w: NDArray | None) -> float:
    """The median distance between two rows, each as often as it counts."""
    if w is None:
        return float(np.median(distance))
    order = np.argsort(distance, axis=None)
    total = np.cumsum(np.outer(w, w).ravel()[order])
    half = total[-1] / 2
    at = distance.ravel()[order]
    # the two in the middle, which are one and the same unless exactly half of the weight is below
    low, high = np.searchsorted(total, half * (1 - 1e-12)), np.searchsorted(total, half * (1 + 1e-12), side="right")
    return float((at[low] + at[min(high, len(at) - 1)]) / 2)
