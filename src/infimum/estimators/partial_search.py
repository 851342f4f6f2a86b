"""PartialSearch: scaling, kernel, gamma, lam, principle and reading of negative weights, chosen from sets alone."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..data.checks import check_number, check_numbers
from ..data.errors import InfimumWarning
from ..disambiguation import is_weighed
from ..outputs import Sets
from ..recipe import AUTO, Recipe
from ..selection import NAMES, Comparison, Plan
from ..selection.candidates import Kernel, Other, Setting
from ..selection.kernel_cache import Ground
from ..selection.result import compared_by
from ..weights import KernelRidge, Scaled, by_name
from ..weights.holdout.operators import blocks_of
from ..weights.scaled import is_relevant
from .base import PartialModel, validated
from .classifier import PartialClassifier

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
    "relevant": [],
    "relevant unit": [],
}
"""Mean 0 (but for a sparse X) and variance 1 a feature; then, for "unit", length 1 a row; see `weights.Scaled`."""

KERNELS = ("rbf", "laplacian")


def _final_has(name: str) -> Callable[[Any], bool]:
    """Whether the best estimator has a method; before there is one, whether an estimator of its kind may have it."""

    def has(self: PartialSearch) -> bool:
        if "best_estimator_" in vars(self):
            return hasattr(self.best_estimator_, name)
        return hasattr(PartialClassifier if self.estimator is None else type(self.estimator), name)

    return has


class PartialSearch(BaseEstimator):
    """The best of a grid of kernel ridge models, judged by held-out sets: no true label is needed anywhere.

    Every setting is judged by predictions for blocks of rows whose sets it did not see. For kernel ridge these follow
    from one inverse a setting: nothing is fitted again. It is the walk that an estimator takes by default over what it
    was not told, here over a grid of yours and on all rows. What the estimator names, its weights for one, is kept.

    Parameters
    ----------
    estimator : PartialModel, optional
        Where the output space and all other settings are taken from; ``PartialClassifier()`` by default.
    scalings : list of {"none", "standard", "unit", "relevant", "relevant unit"}, default ("standard", "unit")
        What happens to X: nothing; mean 0 and variance 1 a feature; and then length 1 a row.
    kernels : list of {"rbf", "laplacian"}, default both
        exp(-gamma |x - x'|_2²) and exp(-gamma |x - x'|_1).
    gammas : list of float, default (0.5, 1, 2)
        In units of 1 / (the median of these distances between training rows).
    lams : list of float, default (1e-5,)
        The ridge is n lam.
    principles : list, optional
        Among "disambiguation", "infimum", "joint" (the infimum, negative weights read jointly), "average" and
        "supremum". By default that of the estimator; where it names none, disambiguation if the members of sets can be
        weighed (labels, tags, masks, numbers, boxes), and the infimum elsewhere.
    criterion : str, default "auto"
        "log_likelihood", "covering_rate", "chance_corrected" or "neg_set_risk". "auto" compares settings of
        disambiguation, and of numbers all settings, by the log-likelihood, others by the set risk. Of the best of every
        principle, the likeliest disambiguation is taken unless its set risk is clearly larger than the least, by 1.5
        standard errors; of numbers, the likeliest of all.
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
        estimator: Any = None,
        scalings: Sequence[str] = ("standard", "unit"),
        kernels: Sequence[str] = ("rbf", "laplacian"),
        gammas: Sequence[float] = (0.5, 1.0, 2.0),
        lams: Sequence[float] = (1e-5,),
        principles: Sequence[str] | None = None,
        criterion: str = "auto",
        n_blocks: int = 5,
        verbose: int = 0,
    ) -> None:
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
        rows: Any = clone(model)._rows(X, y, sample_weight)
        validated(self, X, reset=True)
        output = rows.fitted(model._output(y))
        sets = rows.read(output)
        X, w = rows.X, rows.w
        if X.shape[0] < 2:
            raise ValueError("X has one sample: there is nothing to choose a model by. Give two rows or more.")
        pairs, settings = self._pairs(model, sets), self._settings(model)
        wanted = Recipe(AUTO, AUTO, model.weights, model.solver)
        walk = Comparison(wanted, rows, output, sets, Plan(verbose=self.verbose), pairs)
        # the comparison may leave out unlabelled rows, so the folds are made of its own rows
        blocks = blocks_of(walk.table.X, self.n_blocks, sample_weight=walk.table.w)
        if len(blocks) < 2:
            raise ValueError("The rows of X are all the same: there is nothing to choose a model by.")
        if not walk.go_through(settings, blocks):
            warnings.warn(
                f"The search was interrupted after {len(walk.rows)} of {len(settings) * len(pairs)} settings; the best"
                " of them is fitted.",
                InfimumWarning,
                stacklevel=3,
            )
        path = [self._told(row, walk.ground) for row in walk.rows]
        chosen = self._best(walk)
        best = next(told for told, row in zip(path, walk.rows) if row is chosen)
        fitted = self._pipeline(model, best, X)
        counts = [name for name, step in fitted.steps if has_fit_parameter(step, "sample_weight")]
        fitted.fit(X, y, **({} if w is None else {f"{name}__sample_weight": w for name in counts}))
        self.path_ = {key: np.array([row[key] for row in path]) for key in path[0]}
        self.best_params_, self.best_estimator_ = best, fitted

    def _check(self) -> PartialModel:
        for name, allowed in (("scalings", SCALINGS), ("kernels", KERNELS)):
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

    def _pairs(self, model: PartialModel, sets: Sets) -> list[tuple[Any, str]]:
        """The (principle, negative_weights) that are compared: what the estimator names is kept."""
        named = not (isinstance(model.principle, str) and model.principle == AUTO)
        reading = model.negative_weights
        if self.principles is None:
            plain: Any = "disambiguation" if is_weighed(sets) else "infimum"
            return [(model.principle if named else plain, "inside" if reading == AUTO else reading)]
        unknown = [name for name in self.principles if name not in READINGS]
        if unknown:
            raise ValueError(f"principles must be among {list(READINGS)}. Got {unknown[0]!r}.")
        found = [READINGS[name] for name in self.principles]
        for principle, negative in found:
            if (named and principle != _name(model.principle)) or reading not in (AUTO, negative):
                raise ValueError(
                    f"principles={list(self.principles)} would replace what the estimator names,"
                    f" principle={model.principle!r} and negative_weights={reading!r}. Leave one of the two out."
                )
        return [(model.principle if named else principle, negative) for principle, negative in found]

    def _settings(self, model: PartialModel) -> list[Setting]:
        """The grid, or the weights that the estimator names."""
        if not (isinstance(model.weights, str) and model.weights == AUTO):
            family = by_name(model.weights)
            return [Other(type(family).__name__, family)]
        grid = itertools.product(self.scalings, self.kernels, self.gammas, self.lams)
        return [Kernel(*one) for one in grid]

    @staticmethod
    def _told(row: dict, ground: Ground) -> dict:
        """A row of the path: gamma itself beside its unit, the principle and the reading by one name."""
        setting = row["setting"]
        width = np.nan
        if isinstance(setting, Kernel):
            width = setting.gamma / ground.distance(setting.scaling, setting.kernel)[1]
        joint = row["negative_weights"] == "joint" and _name(row["principle"]) != "disambiguation"
        name = ("joint" if row["principle"] == "infimum" else f"{row['principle']}, joint") if joint else None
        told = {"principle": name or _name(row["principle"]), "width": width}
        return {
            key: value for key, value in row.items() if key not in ("setting", "negative_weights", "n", "each")
        } | told

    def _best(self, walk: Comparison) -> dict:
        if self.criterion == "auto":
            return walk.best()
        return max(walk.rows, key=lambda row: (row[self.criterion], -np.inf)[int(np.isnan(row[self.criterion]))])

    def _pipeline(self, model: PartialModel, best: dict, X: Any = None) -> Pipeline:
        principle, negative = READINGS.get(best["principle"], (best["principle"].removesuffix(", joint"), "joint"))
        named = not (isinstance(model.principle, str) and model.principle == AUTO)
        chosen: dict[str, Any] = {"principle": model.principle if named else principle, "negative_weights": negative}
        if best["weights"] == "kernel":
            chosen["weights"] = KernelRidge(best["lam"], kernel=best["kernel"], gamma=best["width"])
            if is_relevant(best["scaling"]):
                chosen["weights"] = Scaled(chosen["weights"], best["scaling"])
        return make_pipeline(*_steps(best["scaling"], X), clone(model).set_params(**chosen))

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

        return pd.DataFrame(self.path_).sort_values(self.score_, ascending=False, kind="stable", ignore_index=True)

    @property
    def score_(self) -> str:
        """The column of the path that settings were compared by."""
        return compared_by(self.path_["log_likelihood"]) if self.criterion == "auto" else self.criterion


TOLD = ("labels_", "confidence_", "deviation_", "tied_", "suspects_", "disambiguation_", "classes_", "tags_", "output_")


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
    steps = [clone(step) for step in SCALINGS.get(name, [])]
    for step in steps:
        if sparse.issparse(X) and "with_mean" in step.get_params():
            step.set_params(with_mean=False)
    return steps


def _name(principle: Any) -> str:
    """A principle by its name, with whatever settings it has."""
    return principle if isinstance(principle, str) else "disambiguation"
