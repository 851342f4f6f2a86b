"""What every estimator shares: a space, a principle, weights and a solver, under scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import gen_batches
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .. import solvers, weights
from ..loss import BlockLoss, JointLoss, PointLoss, SetLoss
from ..outputs import OutputSpace
from ..reductions.disambiguation import Disambiguation, Resolved, Tells, of_principle
from ..rows.blocks import Block, Blocks, apply, is_blocked, joined, read
from ..solvers import Minimum
from ..weights import Task

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
        sets = output.read(y)
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
        sets = self.output_.read(y, strict=False)
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
