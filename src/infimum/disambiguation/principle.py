"""Disambiguation as a reduction: sets become points, or means of their members, for a fully supervised problem."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state

from ..calibration import Temperature
from ..data import Table
from ..data.checks import check_number
from ..data.chunks import single_blas
from ..data.memory import require
from ..data.sample import sample
from ..loss import SetLoss
from ..outputs.base import OutputSpace, Points, Sets
from ..outputs.chunked import as_sets
from ..weights.base import Target, Weights
from ..weights.holdout.operators import Holdout, blocks_of, rounded
from .hard import best_of
from .posterior import Members, SetPosterior
from .soft import held_out_sums, is_weighed, soft, weighing_of
from .subsample import MANY, SETTLED, TaughtInBlocks, settled, taught

SINGLE_ROWS = 3000  # up to which one thread of BLAS is enough
ROUNDS = 10  # of the hard loop, for rows that are held out: it ranks settings as well, at a fraction of the cost


@dataclass(frozen=True, repr=False)
class DisambiguationResult:
    """What became of the sets.

    Attributes
    ----------
    labels : (n, ...)
        The member of S_i that row i probably has, as the user names it.
    confidence : (n,) or None
        The weight q_i of that member among the options (the smallest over the tags); None where there are no options.
    tied : (k,)
        Row numbers where two options, or pieces of a union, end with the same weight, within 0.05: nothing tells them
        apart.
    support : (n,) or None
        P_i(S_i), the probability of the set by a disambiguation that did not see it; of numbers, the probability that
        the truth is at least as far from what is predicted as the set is.
    suspects : (k,)
        Row numbers whose set probably misses the truth. Of options: its support is below the threshold, other options,
        of the same number, outweigh it as much, and it is less than half as probable as where nothing is known; where
        nothing is predicted, every set is as good, whatever the number of classes. Of numbers: among all true sets,
        fewer than the threshold would be so far off, on average.
    q : (n, g, c) or None
        The weights on the options themselves.
    deviation : (n, ...) or None
        Of numbers: how far y_i may be from its label, the root of the mean square, by what the other rows predict.
    phi : (n, d)
        The mean embedding of the members of the sets as they are weighed, or that of the points.
    settled : bool
        Whether nothing moved any more when the loop ended.
    left_out : (n, g, c) or (n, m + 2), or None
        What was predicted for every row without its block, before it is read as probabilities: of its options, or the
        sums of (1, t, |t|²) of numbers.
    map : Temperature or None
        What reads it as probabilities, fitted to the likelihood of the sets.
    soft : bool
        Whether members were weighed to the end, not decided.
    z : (n, ...)
        The same members as `labels`, as the space has them.
    """

    labels: NDArray
    confidence: NDArray | None
    tied: NDArray
    support: NDArray | None
    suspects: NDArray
    q: NDArray | None
    phi: NDArray
    settled: bool
    left_out: NDArray | None = None
    map: Temperature | None = None
    soft: bool = True
    deviation: NDArray | None = None
    z: NDArray | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        parts = [f"{len(self)} rows"]
        if self.confidence is not None:
            parts.append(f"mean confidence {self.confidence.mean():.2f}")
        parts.append(f"{len(self.tied)} tied")
        if self.support is not None:
            parts.append(f"{len(self.suspects)} suspects")
        if not self.settled:
            parts.append("not settled: raise max_iter")
        return f"<DisambiguationResult: {', '.join(parts)}>"


class Disambiguation(BaseEstimator):
    """How sets become points: the `principle` of an estimator, where "disambiguation" stands for the defaults.

    Parameters
    ----------
    kind : {"auto", "soft", "hard"}, default "auto"
        "soft" assigns probabilities to the members, for labels, tags, masks, numbers and boxes (see
        `disambiguation.soft`). "hard" selects one point per set, for every output type (see `disambiguation.hard`); it
        starts from the soft solution if there is one. "auto" is "soft" if the output type supports it.
    ramp, cap : float, default 20 and 2
        The exponent of a soft update grows from 1 to `cap`, by 1 / ramp a round.
    max_iter, tol : default 50 and 2e-3
        Rounds at most, and the mean move of the weights at which they rest.
    n_starts : int, default 1
        Starts of the hard loop; those after the first are answers to random objectives. The lowest objective wins.
    threshold : float or None, default 0.1
        Rows with P_i(S_i) below it are suspects, where other options outweigh them as much; of numbers, those that are
        farther off than so many of all true sets would be, on average. None saves the time that it takes to find them.
    n_blocks : int, default 5
        P_i(S_i) is predicted without the block of row i, one of so many.
    random_state : int, default 0
        Seed of the other starts.

    Examples
    --------
    >>> from infimum import Disambiguation, PartialClassifier
    >>> X = [[0.], [.1], [.2], [.8], [.9], [1.]]
    >>> y = ["a", "a|b", "a", "b|c", "b", "b|a"]
    >>> model = PartialClassifier(principle=Disambiguation(threshold=None)).fit(X, y)
    >>> model.labels_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']
    """

    def __init__(
        self,
        kind: str = "auto",
        ramp: float = 20,
        cap: float = 2.0,
        max_iter: int = 50,
        tol: float = 2e-3,
        n_starts: int = 1,
        threshold: float | None = 0.1,
        n_blocks: int = 5,
        random_state: Any = 0,
    ) -> None:
        self.kind = kind
        self.ramp = ramp
        self.cap = cap
        self.max_iter = max_iter
        self.tol = tol
        self.n_starts = n_starts
        self.threshold = threshold
        self.n_blocks = n_blocks
        self.random_state = random_state

    @property
    def name(self) -> str:
        """The name in tables of results: "disambiguation", or the parameters if they are not the defaults."""
        text = " ".join(repr(self).split())
        return "disambiguation" if text == "Disambiguation()" else text

    def replace_sets(
        self, rows: Any, loss: SetLoss, weights: Weights, target: Target
    ) -> tuple[SetLoss, Weights, DisambiguationResult | None]:
        """Replace the sets of a loss by points; return the new loss, the fitted weights and the estimated labels.

        Supervised weights are then fitted to these labels. For rows in chunks the labels are not kept, and the weights
        are still to be fitted.
        """
        output, sets = loss.output, loss.sets
        if not rows.in_memory:
            return self._in_chunks(rows, output, sets, weights), weights, None
        self.check(output, sets)
        if len(sets) > MANY and weights.blockwise and self.is_soft(sets):
            return self._from_subsample(rows, output, sets, weights, target)
        # many small products, between which threads of BLAS wait for those of LAPACK: one is twice as fast as two
        with single_blas() if len(sets) <= SINGLE_ROWS else nullcontext():
            fitted = weights.fit(rows.X, target, rows.w)
            output, result = self._estimate(rows, output, sets, fitted, target)
            if fitted.supervised:
                fitted = fitted.fit(rows.X, Target(result.phi, target.known), rows.w)
        return _loss(output, result), fitted, result

    def _from_subsample(
        self, rows: Any, output: OutputSpace, sets: Sets, weights: Weights, target: Target
    ) -> tuple[SetLoss, Weights, DisambiguationResult]:
        """Estimate the labels of a subsample from each other, and those of the other rows from the subsample."""
        assert isinstance(rows, Table)
        at = rows.first(SETTLED)
        w = None if rows.w is None else rows.w[at]
        own = self._weighing(sets[at], w)
        few = settled(weights, rows.X[at], w, target[at], own, self._schedule())
        weighing = few.teacher.weighing.like(sets, rows.w)
        self._fits(weighing)
        q, F = taught(few.teacher, rows.X, sets)
        q[at], F[at] = few.q, few.F
        result = _result(output, weighing.members(q, lambda: F, output), weighing.phi(q), True)
        if self.threshold is not None:
            result = replace(self._suspected(result, F, weighing), left_out=None)
        fitted = clone(weights).fit(rows.X, target, rows.w)
        return _loss(weighing.space(output), result), fitted, result

    def _in_chunks(self, rows: Any, output: OutputSpace, sets: Any, weights: Weights) -> SetLoss:
        """Do the same for rows in chunks; the estimated labels are not kept."""
        first = sets.sample
        self.check(output, first)
        if not self.is_soft(first) or not weights.blockwise:
            raise ValueError(
                "Disambiguation compares all rows with each other: give arrays instead of rows in blocks. (Labels, tags"
                " and numbers by weights.Nystrom or weights.LinearRidge can be had of blocks.)"
            )
        some = sample(rows.X.map(partial(as_sets, output)), SETTLED)
        weighing = self._weighing(some.y, some.w)
        few = settled(weights, some.X, some.w, None, weighing, self._schedule())
        return SetLoss(weighing.space(output), TaughtInBlocks(output, rows.X, few.teacher), "average")

    def _schedule(self) -> dict[str, Any]:
        return {"ramp": self.ramp, "cap": self.cap, "max_iter": self.max_iter, "tol": self.tol}

    def is_soft(self, sets: Sets) -> bool:
        """Whether these sets are weighed, not decided."""
        return self.kind != "hard" and is_weighed(sets)

    @staticmethod
    def _weighing(sets: Sets, w: NDArray | None) -> SetPosterior:
        """How sets are weighed that can be."""
        found = weighing_of(sets, w)
        assert found is not None
        Disambiguation._fits(found)
        return found

    @staticmethod
    def _fits(found: SetPosterior) -> None:
        """Refuse more than memory holds."""
        require(8 * 6 * found.size, f"The weights of {found.size} options", "Give fewer rows, or fewer classes.")

    def check(self, output: OutputSpace, sets: Sets) -> None:
        """Refuse what cannot be disambiguated."""
        if self.kind not in ("auto", "soft", "hard"):
            raise ValueError(f"kind must be 'auto', 'soft' or 'hard'. Got {self.kind!r} instead.")
        check_number(self, "ramp", 0, above=True)
        check_number(self, "cap", 1)
        check_number(self, "max_iter", 1, 10**6, integer=True)
        check_number(self, "tol", 0)
        check_number(self, "n_starts", 1, 10**6, integer=True)
        check_number(self, "threshold", 0, 1, optional=True)
        check_number(self, "n_blocks", 2, integer=True)
        if self.kind == "soft" and not is_weighed(sets):
            raise ValueError(
                f"Soft disambiguation is for labels, tags, masks, numbers and boxes; {sets!r} are none of them. Use"
                " 'hard'."
            )
        if not output.bilinear:
            raise ValueError(f"Disambiguation needs a bilinear loss, not that of {output!r}. Use principle='infimum'.")

    def outputs(
        self,
        output: OutputSpace,
        sets: Sets,
        operator: Holdout,
        weighing: SetPosterior | None,
        sample_weight: Any = None,
    ) -> tuple[NDArray, NDArray | None]:
        """What is predicted for rows that were left out, (n, *z), and the log-likelihoods of their sets, (n,).

        `weighing` is how these sets are weighed, by :func:`weighing_of`.
        """
        self.check(output, sets)
        if weighing is not None and self.kind != "hard":
            phi, likely = weighing.read(held_out_sums(operator, weighing))
            return weighing.space(output).decode(phi), likely
        c = None
        for block, rest, inside, outside in operator.parts():
            w = None if sample_weight is None else sample_weight[rest]
            starts = self._starts(output, sets[rest], None)
            phi = best_of(output, sets[rest], inside, starts, min(2 * self.max_iter, ROUNDS), w).phi
            c = np.empty((len(sets), phi.shape[1])) if c is None else c
            c[block] = outside @ phi
        assert c is not None
        return output.decode(c), None

    def _estimate(
        self, rows: Any, output: OutputSpace, sets: Sets, weights: Weights, target: Target
    ) -> tuple[OutputSpace, DisambiguationResult]:
        """Estimate the labels; return the output space that contains them, and the result."""
        left_out = weights.left_out() if is_weighed(sets) else None
        if left_out is None:
            if self.is_soft(sets):
                raise ValueError(
                    "Soft disambiguation leaves every row out of its own update, for which"
                    f" {type(weights).__name__} has no closed form. Use weights.KernelRidge, Nystrom, LinearRidge,"
                    " Neighbors or Forest; Disambiguation(kind='hard'); or another principle than disambiguation."
                )
            return output, self._hard(output, sets, np.asarray(weights(rows.X)), rows.w)
        weighing = self._weighing(sets, rows.w)
        found = soft(left_out, weighing, **self._schedule(), sample_weight=rows.w)
        q = weighing.full(found.q)
        left = None if self.threshold is None else self._left_out(weighing, weights, rows, target)
        if not self.is_soft(sets):
            result = self._hard(output, sets, np.asarray(weights(rows.X)), rows.w, weighing, q)
            return output, replace(self._suspected(result, left, weighing), soft=False)
        members = weighing.members(q, lambda: left_out(q.reshape(len(q), -1)), output)
        result = _result(output, members, weighing.phi(q), found.settled)
        return weighing.space(output), self._suspected(result, left, weighing)

    def _suspected(
        self, result: DisambiguationResult, left: NDArray | None, weighing: SetPosterior
    ) -> DisambiguationResult:
        """The same, with supports and suspects, where rows were left out."""
        if left is None or self.threshold is None:
            return result
        doubts = weighing.doubts(left, self.threshold)
        return replace(result, support=doubts.support, suspects=doubts.suspects, left_out=left, map=doubts.map)

    def _hard(
        self,
        output: OutputSpace,
        sets: Sets,
        alpha: NDArray,
        w: Any,
        weighing: SetPosterior | None = None,
        q: Any = None,
    ) -> DisambiguationResult:
        """One point a set, from where its members were weighed as q, or from where alternation starts."""
        start = None if weighing is None else weighing.phi(q)
        found = best_of(output, sets, alpha, self._starts(output, sets, start), 2 * self.max_iter, w)
        z = sets.member(found.phi, output)
        members = Members(z) if weighing is None else weighing.chosen(z, q)
        return _result(output, members, found.phi, found.settled)

    def _starts(self, output: OutputSpace, sets: Sets, start: NDArray | None) -> list[NDArray]:
        n = len(sets)
        require(2 * 8 * n**2, f"The weights of {n} rows at {n} rows", "Use soft disambiguation, or fewer rows.")
        first = sets.start() if start is None else start
        random = check_random_state(self.random_state)
        probes = [output.probe(random, first.shape[1]) for _ in range(self.n_starts - 1)]
        return [first, *(sets.answers(c)[0] for c in probes)]

    def _left_out(self, weighing: SetPosterior, weights: Weights, rows: Any, target: Target) -> NDArray | None:
        """F_i, predicted without the block of row i; None where all rows are alike."""
        blocks = blocks_of(rounded(rows.X), self.n_blocks, sample_weight=rows.w)
        if len(blocks) < 2:  # all rows are alike: there is nothing to predict one from
            return None
        return held_out_sums(weights.held_out(rows.X, target, rows.w, blocks), weighing)


def _loss(output: OutputSpace, result: DisambiguationResult) -> SetLoss:
    """The fully supervised loss."""
    return SetLoss(output, Points(result.phi), "average")


def _result(output: OutputSpace, members: Members, phi: NDArray, settled: bool) -> DisambiguationResult:
    return DisambiguationResult(
        labels=output.readable(members.z),
        confidence=members.confidence,
        tied=members.tied,
        support=None,
        suspects=np.empty(0, dtype=int),
        q=members.q,
        phi=phi,
        settled=settled,
        deviation=members.deviation,
        z=members.z,
    )
