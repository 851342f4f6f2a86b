"""The estimators: an output space, a principle, weights and a solver, under scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import gen_batches
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import solvers, weights
from .blocks import Block, Blocks, apply, is_blocked, joined, read
from .disambiguation import Disambiguation, Resolved, Tells, of_principle, probabilities
from .loss import BlockLoss, JointLoss, PointLoss, SetLoss
from .outputs import Labels, OutputSpace, Rankings, Tags
from .solvers import ClosedForm, Minimum
from .weights import Task

BLOCK = 2**21  # entries of the features v(x) computed at a time: 16 MiB


class PartialModel(Tells, BaseEstimator):
    """f(x) = argmin_z sum_i alpha_i(x) L(z, S_i): what every estimator of the library shares.

    A subclass gives `_output`, the space Y.
    """

    principle: Any
    negative_weights: str
    weights: Any
    solver: Any

    def _output(self) -> OutputSpace:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from inputs X (n, d) and sets y (n rows, in any form that the output space reads).

        `sample_weight` counts rows: 2 is a row given twice, 0 a row left out. With `weights.Nystrom` or
        `weights.LinearRidge`, X may be `infimum.Blocks` that carry all three, or a Dask collection.
        """
        if is_blocked(X):
            return self._fit_blocks(Blocks.of(X, y, sample_weight).map(read))
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        if self.negative_weights not in ("inside", "joint"):
            raise ValueError(f"negative_weights must be 'inside' or 'joint'. Got {self.negative_weights!r} instead.")
        output = clone(self._output()).fit(y)
        sets = output.as_sets(y)
        if len(sets) != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows and y has {len(sets)}: they must have the same number.")
        output.check(sets)
        family = clone(weights.by_name(self.weights))
        reduction = of_principle(self.principle)
        if reduction is not None:
            return self._fit_points(X, SetLoss(output, sets), family, reduction, sample_weight)
        L: Any = SetLoss(output, sets, self.principle)
        if self.negative_weights == "joint" and family.signed and self.principle != "average":
            L, family = JointLoss(L), weights.SplitSigns(family)
        solver = solvers.choose(self.solver, L)
        self._fit_parts(X, L, family, solver, sample_weight)
        return self

    def _fit_parts(self, X: Any, L: Any, family: weights.Weights, solver: solvers.Solver, sample_weight: Any) -> None:
        self._fit_weights(X, L, family, solver, sample_weight)
        self._keep(L.output, family, solver.fit(L, family))

    def _fit_weights(self, X: Any, L: Any, family: weights.Weights, solver: solvers.Solver, sample_weight: Any) -> Any:
        """Fit the weights to what the sets say; returns the embedding they saw."""
        first = L.parts[0]
        target = first.embedding.phi if first.embedding is not None else first.start()
        task = Task(~first.sets.is_unknown, partial(_left_out_risks, L, solver, sample_weight))
        family.told(task).fit(X, target, sample_weight)
        return target

    def _fit_points(
        self, X: Any, L: SetLoss, family: weights.Weights, reduction: Disambiguation, sample_weight: Any
    ) -> Self:
        """Sets to points, then the fully supervised problem, by the same weights."""
        target = self._fit_weights(X, L, family, solvers.choose("auto", L), sample_weight)
        resolved = reduction.resolve(L.output, L.sets, family, X, target, sample_weight)
        points = PointLoss(L.output, resolved.phi)
        self._keep(L.output, family, solvers.choose(self.solver, points).fit(points, family), resolved)
        return self

    def _fit_blocks(self, blocks: Blocks) -> Self:
        """Fit by sums over blocks of rows, wherever they are."""
        if of_principle(self.principle) is not None:
            raise ValueError("Disambiguation compares all rows with each other: give arrays instead of rows in blocks.")
        family = clone(weights.by_name(self.weights))
        if not family.blockwise or self.negative_weights != "inside":
            raise ValueError(
                "Rows in blocks need weights.Nystrom or weights.LinearRidge, and negative_weights='inside'. Got"
                f" {family!r} and {self.negative_weights!r}."
            )
        space = clone(self._output())
        output = space.fit(blocks.reduce(partial(_digest, space), joined))
        L = BlockLoss(output, blocks, self.principle)
        solver = solvers.choose(self.solver, L)
        self._keep(output, family, solver.fit(L, family.fit(blocks)))
        self.n_features_in_ = family.n_features_in_
        return self

    def _keep(
        self, output: Any, family: weights.Weights, solver: solvers.Solver, resolved: Resolved | None = None
    ) -> None:
        """The fitted parts, all at once: an interrupted fit leaves the model as it was."""
        family.release(summed=solver.summed)
        self.output_, self.weights_, self.solver_, self.resolved_ = output, family, solver, resolved

    def predict(self, X: Any) -> NDArray:
        """f(x) for every row of X; a Dask array for a Dask collection, one array a block for `infimum.Blocks`."""
        if is_blocked(X):
            return apply(self.predict, X, self.n_features_in_)
        z = self._each_block(X, lambda alpha: self.solver_.argmin(alpha))
        return self.output_.readable(z)

    def minimum(self, X: Any) -> Minimum:
        """The prediction, its estimated set risk, and a lower bound of the risk of any other, for every row of X.

        Where `minimum(X).gap` is 0, the prediction is proved to be the minimiser.
        """
        found = self._blocks(X, lambda alpha: self.solver_.minimise(alpha))
        z, value, bound = (np.concatenate(part) for part in zip(*found))
        return Minimum(self.output_.readable(z), value, bound)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The mean agreement of predictions with y: accuracy on labels, covering rate on sets, in [0, 1]."""
        z = self._each_block(X, lambda alpha: self.solver_.argmin(alpha))
        sets = self.output_.as_sets(y, strict=False)
        if len(sets) != len(z):
            raise ValueError(f"X has {len(z)} rows and y has {len(sets)}: they must have the same number.")
        return float(np.average(sets.agreement(z), weights=sample_weight))

    def _blocks(self, X: Any, solve: Callable[[weights.Alpha], Any]) -> list:
        """solve(alpha(x)) for blocks of rows of X, so that memory does not grow with their number."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        size = max(1, BLOCK // max(1, self.weights_.width))
        work = (delayed(lambda rows: solve(self.weights_(X[rows])))(rows) for rows in gen_batches(X.shape[0], size))
        # one after the other, unless joblib.parallel_config(n_jobs=…) says otherwise
        return Parallel(require="sharedmem")(work)

    def _each_block(self, X: Any, solve: Callable[[weights.Alpha], NDArray]) -> NDArray:
        return np.concatenate(self._blocks(X, solve))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        kernel = getattr(weights.by_name(self.weights), "kernel", None)
        tags.input_tags.pairwise = isinstance(kernel, str) and kernel == "precomputed"
        return tags


def _left_out_risks(L: Any, solver: solvers.Solver, sample_weight: Any, path: weights.Path) -> list[float]:
    """(1/n) sum_i L(z_i, S_i), where z_i is predicted at x_i without row i, at every setting of a path."""
    if L.embedding is not None:
        outputs = map(L.output.decode, path(L.embedding.phi))
    else:  # the solver needs the weights themselves
        outputs = map(clone(solver).fit(L).argmin, path(np.eye(len(L))))
    return [float(np.average(L.parts[0].each(z), weights=sample_weight)) for z in outputs]


def _digest(space: OutputSpace, block: Block) -> Any:
    return space.digest(block.y)


class PartialEstimator(PartialModel):
    """The generic estimator: any output space, one of the library's or your own.

    Parameters
    ----------
    output : OutputSpace
        Y with its loss.
    principle : {"infimum", "average", "supremum", "disambiguation"} or Disambiguation, default "infimum"
        Which point of a set answers for it; "disambiguation" first settles on one for every set (`labels_`).
    negative_weights : {"inside", "joint"}, default "inside"
        How negative weights are read: sum_i alpha_i inf_y l(z, y), or inf over (y_i) of sum_i alpha_i l(z, y_i).
    weights : Weights or str, optional
        alpha(x); kernel ridge by default.
    solver : "auto" or Solver, default "auto"
        How the minimum over z is found.

    Attributes
    ----------
    output_, weights_, solver_
        The fitted parts.

    Examples
    --------
    >>> from infimum import PartialEstimator, outputs
    >>> model = PartialEstimator(outputs.Labels(cost="ordinal")).fit([[0.], [1.], [2.]], [{1, 2}, 2, {2, 3}])
    >>> model.predict([[0.], [2.]])
    array([2, 2])
    """

    def __init__(self, output, principle="infimum", negative_weights="inside", weights=None, solver="auto"):
        self.output = output
        self.principle = principle
        self.negative_weights = negative_weights
        self.weights = weights
        self.solver = solver

    def _output(self) -> OutputSpace:
        if not isinstance(self.output, OutputSpace):
            raise ValueError(f"output must be an OutputSpace. Got {self.output!r} instead.")
        return self.output


def _has_plausibility(model: PartialClassifier) -> bool:
    if getattr(model, "output_", None) is None:
        return True
    if model.principle == "infimum" and model.output_.cost_ is None and isinstance(model.solver_, ClosedForm):
        return True
    raise AttributeError("plausibility is for the infimum principle and the 0-1 loss.")


def _has_probabilities(model: PartialClassifier) -> bool:
    if of_principle(model.principle) is None or model.cost is not None:
        raise AttributeError("predict_proba is for principle='disambiguation' and the 0-1 loss.")
    return True


class PartialClassifier(ClassifierMixin, PartialModel):
    """Classification from candidate labels.

    With the 0-1 loss, f(x) = argmax_z sum_{i : z in S_i} alpha_i(x) (paper, Sec. 5.1).

    Parameters
    ----------
    cost : None, "ordinal", (m, m) array, frame or Taxonomy, optional
        l(z, y), prediction in rows and truth in columns; None is the 0-1 loss.
    principle : {"infimum", "average", "supremum", "disambiguation"} or Disambiguation, default "infimum"
        Which candidate answers for a set; "disambiguation" first settles which one a row probably has (`labels_`).
    negative_weights : {"inside", "joint"}, default "inside"
        How rows with a negative weight are read; see the user guide.
    weights : Weights or str, optional
        alpha(x); kernel ridge by default.
    solver : "auto" or Solver, default "auto"
        How the minimum over z is found.
    classes : list, optional
        All the classes in order, where y does not name all of them.

    Attributes
    ----------
    classes_ : (m,)
        The classes.
    output_, weights_, solver_
        The fitted parts.

    Examples
    --------
    >>> from infimum import Not, PartialClassifier
    >>> X = [[0.], [.1], [.9], [1.], [.5]]
    >>> y = [{"cat", "dog"}, "dog", Not("dog"), "cat", None]
    >>> PartialClassifier().fit(X, y).predict([[0.], [1.]])
    array(['dog', 'cat'], dtype='<U3')
    """

    def __init__(
        self, cost=None, principle="infimum", negative_weights="inside", weights=None, solver="auto", classes=None
    ):
        self.cost = cost
        self.principle = principle
        self.negative_weights = negative_weights
        self.weights = weights
        self.solver = solver
        self.classes = classes

    def _output(self) -> Labels:
        return Labels(self.cost, self.classes)

    @property
    def classes_(self) -> NDArray:
        check_is_fitted(self)
        return self.output_.classes_

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy where y gives labels, covering rate (the share of predictions in their set) where it gives sets."""
        return PartialModel.score(self, X, y, sample_weight)

    def decision_function(self, X: Any) -> NDArray:
        """Minus the estimated set risk of every class, (q, m); of two classes, the difference for the second, (q,)."""
        if is_blocked(X):
            return apply(self.decision_function, X, self.n_features_in_)
        scores = -self._each_block(X, lambda alpha: self.solver_.risks(alpha))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    @available_if(_has_plausibility)
    def plausibility(self, X: Any) -> NDArray:
        """The estimated P(z in S | x) of every class, (q, m); for the infimum and the 0-1 loss.

        It is a sum of weights: the rows need not sum to one, for sets overlap.
        """
        check_is_fitted(self)
        return self._each_block(X, lambda alpha: self.solver_.total(alpha)[:, None] - self.solver_.risks(alpha))

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> NDArray:
        """P(z | x) of every class, (q, m), from sum_i alpha_i(x) q_i(z); after disambiguation with the 0-1 loss.

        What the weights lack to a sum of one is shared by all classes.
        """
        check_is_fitted(self)
        risks = self._each_block(X, lambda alpha: self.solver_.risks(alpha))
        return probabilities(risks.mean(axis=1, keepdims=True) - risks + 1 / risks.shape[1])


class PartialMultilabelClassifier(PartialModel):
    """Multilabel classification from partly known tags, or from Hamming balls.

    Parameters
    ----------
    k : int, optional
        Predict exactly k tags.
    epsilon : float, default 0
        What it costs to give a tag; with `k`, one of the two remedies where y only ever confirms tags.
    principle, negative_weights, weights, solver
        As for :class:`PartialClassifier`.
    tags : int or list, optional
        How many tags, or their names; by default those of y.

    Attributes
    ----------
    tags_ : (m,)
        The tags, in the order of the columns of `predict`.

    Examples
    --------
    >>> from infimum import PartialMultilabelClassifier
    >>> model = PartialMultilabelClassifier().fit([[0.], [1.]], ["+red -round", "+round"])
    >>> model.tags_.tolist(), model.predict([[0.]]).tolist()
    (['red', 'round'], [[1, -1]])
    """

    def __init__(
        self,
        k=None,
        epsilon=0.0,
        principle="infimum",
        negative_weights="inside",
        weights=None,
        solver="auto",
        tags=None,
    ):
        self.k = k
        self.epsilon = epsilon
        self.principle = principle
        self.negative_weights = negative_weights
        self.weights = weights
        self.solver = solver
        self.tags = tags

    def _output(self) -> Tags:
        return Tags(self.tags, self.k, self.epsilon)

    @property
    def tags_(self) -> NDArray:
        check_is_fitted(self)
        return self.output_.tags_

    def decision_function(self, X: Any) -> NDArray:
        """sum_{i : j in P_i} alpha_i(x) - sum_{i : j in N_i} alpha_i(x) for every tag j, (q, m); for known tags."""
        check_is_fitted(self)
        if not isinstance(self.solver_, ClosedForm):
            raise AttributeError("decision_function is for partly known tags, where every tag has a score of its own.")
        return self._each_block(X, lambda alpha: 2 * alpha.sum(self.solver_.risk_.phi)[:, :-1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


class PartialRanker(PartialModel):
    """Orders of m items from partial orders: preferences, top-k lists, buckets, ranks with gaps (paper, Sec. 5.2).

    Rows that are buckets best first (full orders, top-k lists, nothing at all) have a loss that is linear in psi(z):
    where all are, one minimum feedback arc set is the prediction. Otherwise "auto" goes through all orders of up to 8
    items, and alternates beyond, from the transitive closure; `minimum(X)` says how far it may be from the optimum.

    Parameters
    ----------
    items : int or list, optional
        How many items, or the items, of any hashable kind; by default those that y names.
    principle, negative_weights, weights, solver
        As for :class:`PartialClassifier`.
    time_limit : float, optional
        Seconds for one minimisation over orders of more than 14 items.

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
        self, items=None, principle="infimum", negative_weights="inside", weights=None, solver="auto", time_limit=None
    ):
        self.items = items
        self.principle = principle
        self.negative_weights = negative_weights
        self.weights = weights
        self.solver = solver
        self.time_limit = time_limit

    def _output(self) -> Rankings:
        return Rankings(self.items, self.time_limit)

    @property
    def items_(self) -> NDArray:
        check_is_fitted(self)
        return self.output_.items_

    def predict(self, X: Any) -> NDArray:
        """Orders of the items, best first, (q, m): an array of text, or of objects."""
        return PartialModel.predict(self, X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The mean share of the pairs known in y that the prediction has right, in [0, 1]; 1 where none is known."""
        return PartialModel.score(self, X, y, sample_weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags
