"""Disambiguation as a reduction: sets become points, or weights on the options, for a fully supervised problem."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state

from .._checks import check_number
from .._memory import require
from ..loss import SetLoss
from ..outputs.base import OutputSpace, Points, Sets
from ..problem import Problem
from ..rows import Table
from ..rows.blocks import single_blas
from ..rows.sample import sample
from ..weights.base import Target, Weights
from ..weights.left_out import HeldOut, blocks_of, rounded
from .base import Reduction
from .hard import best_of
from .many import MANY, SETTLED, TaughtInBlocks, options_in_blocks, settled, taught
from .maps import Temperature, fitted_map, outweighed, shared
from .soft import held_out, held_out_sums, probabilities, soft, support

TIE = 0.05  # options whose weights differ by less are tied
SINGLE_ROWS = 3000  # up to which one thread of BLAS is enough
ROUNDS = 10  # of the hard loop, for rows that are held out: it ranks settings as well, at a fraction of the cost


@dataclass(frozen=True, repr=False)
class Resolved:
    """What became of the sets.

    Attributes
    ----------
    labels : (n, ...)
        The member of S_i that row i probably has, as the user names it.
    confidence : (n,) or None
        The weight q_i of that member among the options (the smallest over the tags); None where options have no
        weights.
    tied : (k,)
        Row numbers where two options end with the same weight, within 0.05: nothing tells them apart.
    support : (n,) or None
        P_i(S_i), the probability of the set by a disambiguation that did not see it.
    suspects : (k,)
        Row numbers whose set probably misses the truth: its support is below the threshold, and other options, of the
        same number, outweigh it as much. Where nothing is predicted, every set is as good, whatever the number of
        classes.
    q : (n, g, c) or None
        The weights on the options themselves.
    phi : (n, d)
        The mean embedding of the options under q, or that of the points.
    settled : bool
        Whether nothing moved any more when the loop ended.
    left_out : (n, g, c) or None
        What was predicted for the options of every row without its block, before it is read as probabilities.
    map : Temperature or None
        What reads it as probabilities, fitted to the likelihood of the sets.
    soft : bool
        Whether options were weighed to the end, not decided.
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
        return f"<Resolved: {', '.join(parts)}>"


class Disambiguation(BaseEstimator, Reduction):
    """How sets become points: the `principle` of an estimator, where "disambiguation" stands for the defaults.

    Parameters
    ----------
    kind : {"auto", "soft", "hard"}, default "auto"
        "soft" weighs the options, for labels, tags and masks (see `reductions.soft`); "hard" chooses one point a set,
        for every output structure (see `reductions.hard`), from the soft solution where there is one. "auto" is soft
        where it can be.
    ramp, cap : float, default 20 and 2
        The exponent of a soft update grows from 1 to `cap`, by 1 / ramp a round.
    max_iter, tol : default 50 and 2e-3
        Rounds at most, and the mean move of the weights at which they rest.
    n_starts : int, default 1
        Starts of the hard loop; those after the first are answers to random objectives. The lowest objective wins.
    threshold : float or None, default 0.1
        Rows with P_i(S_i) below it are suspects, where other options outweigh them as much. None saves the time that it
        takes to find them.
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

    def reduce(self, problem: Problem) -> Problem:
        """Points for the sets, by weights fitted to the rows; weights that look at outputs then learn from them."""
        if not problem.rows.in_memory:
            return self._of_blocks(problem)
        self.check(problem.output, problem.sets)
        if len(problem.sets) > MANY and problem.weights.blockwise and self.is_soft(problem.sets):
            return self._of_many(problem)
        # many small products, between which threads of BLAS wait for those of LAPACK: one is twice as fast as two
        with single_blas() if len(problem.sets) <= SINGLE_ROWS else nullcontext():
            weights = problem.fitted()
            resolved = self._resolve(problem, weights)
            loss = SetLoss(problem.output, Points(resolved.phi), "average")
            if weights.supervised:
                weights = weights.fit(problem.rows.X, Target(resolved.phi, problem.target.known), problem.rows.w)
        return problem.but(loss=loss, weights=weights, resolved=resolved)

    def _of_many(self, problem: Problem) -> Problem:
        """Some rows are weighed by each other, and teach the others; all of them are kept."""
        output, sets, rows = problem.output, problem.sets, problem.rows
        mask = sets.options()
        assert mask is not None
        assert isinstance(rows, Table)
        require(8 * 4 * mask.size, f"The weights of {mask.size} options", "Give fewer rows, or fewer classes.")
        at = rows.first(SETTLED)
        w = None if rows.w is None else rows.w[at]
        teacher, q, F = settled(problem.weights, rows.X[at], w, problem.target[at], mask[at], self._schedule())
        all_q, all_F = taught(teacher, rows.X, mask)
        all_q[at], all_F[at] = q, F
        resolved = self._weighed(output, sets, all_q, True)
        if self.threshold is not None:
            resolved = replace(self._suspected(resolved, all_F, mask, rows.w), left_out=None)
        weights = clone(problem.weights).fit(rows.X, problem.target, rows.w)
        loss = SetLoss(output, Points(resolved.phi), "average")
        return problem.but(loss=loss, weights=weights, resolved=resolved)

    def _of_blocks(self, problem: Problem) -> Problem:
        """The same, where rows lie in blocks: what became of each is not kept."""
        rows: Any = problem.rows
        first = problem.sets.sample  # type: ignore[attr-defined]
        self.check(problem.output, first)
        if not self.is_soft(first) or not problem.weights.blockwise:
            raise ValueError(
                "Disambiguation compares all rows with each other: give arrays instead of rows in blocks. (Labels and"
                " tags by weights.Nystrom or weights.LinearRidge can be had of blocks.)"
            )
        some = sample(options_in_blocks(problem.output, rows.X), SETTLED)
        teacher, _, _ = settled(problem.weights, some.X, some.w, None, some.y, self._schedule())
        found = TaughtInBlocks(problem.output, rows.X, teacher)
        return problem.but(loss=SetLoss(problem.output, found, "average"))

    def _schedule(self) -> dict[str, Any]:
        return {"ramp": self.ramp, "cap": self.cap, "max_iter": self.max_iter, "tol": self.tol}

    def is_soft(self, sets: Sets) -> bool:
        """Whether these sets are weighed, not decided."""
        return self.kind != "hard" and sets.options() is not None

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
        if self.kind == "soft" and sets.options() is None:
            raise ValueError(f"Soft disambiguation is for labels, tags and masks; {sets!r} are neither. Use 'hard'.")
        if not output.bilinear:
            raise ValueError(f"Disambiguation needs a bilinear loss, not that of {output!r}. Use principle='infimum'.")

    def outputs(
        self, output: OutputSpace, sets: Sets, operator: HeldOut, sample_weight: NDArray | None = None
    ) -> tuple[NDArray, NDArray | None]:
        """What is predicted for rows that were left out, (n, *z), and the probabilities of the options."""
        self.check(output, sets)
        mask = sets.options()
        if mask is not None and self.is_soft(sets):
            P = held_out(operator, mask)
            return output.decode(sets.expected(P)), P
        c = None
        for block, rest, inside, outside in operator.parts():
            w = None if sample_weight is None else sample_weight[rest]
            starts = self._starts(output, sets[rest], None)
            phi = best_of(output, sets[rest], inside, starts, min(2 * self.max_iter, ROUNDS), w).phi
            c = np.empty((len(sets), phi.shape[1])) if c is None else c
            c[block] = outside @ phi
        assert c is not None
        return output.decode(c), None

    def _resolve(self, problem: Problem, weights: Weights) -> Resolved:
        output, sets, rows = problem.output, problem.sets, problem.rows
        mask = sets.options()
        if mask is None:
            return self._hard(output, sets, np.asarray(weights(rows.X)), None, rows.w)
        require(8 * 6 * mask.size, f"The weights of {mask.size} options", "Give fewer rows, or fewer classes.")
        left_out = weights.left_out()
        if left_out is None:
            raise ValueError(
                f"Soft disambiguation leaves every row out of its own update, for which {type(weights).__name__} has no"
                " closed form. Use weights.KernelRidge, Nystrom, LinearRidge, Neighbors or Forest; or another principle"
                " than disambiguation."
            )
        found = soft(left_out, mask, **self._schedule(), sample_weight=rows.w)
        left = None if self.threshold is None else self._left_out(mask, weights, problem)
        if not self.is_soft(sets):
            resolved = self._hard(output, sets, np.asarray(weights(rows.X)), found.q, rows.w)
            return replace(self._suspected(resolved, left, mask, rows.w), soft=False)
        resolved = self._weighed(output, sets, found.q, found.settled)
        return self._suspected(resolved, left, mask, rows.w)

    def _weighed(self, output: OutputSpace, sets: Sets, q: NDArray, settled: bool) -> Resolved:
        """What became of sets whose options have weights q."""
        best = np.argmax(q, axis=-1)[..., None] == np.arange(q.shape[-1])  # the lowest index on a tie
        z = sets.member(sets.expected(best.astype(float)), output)
        return self._resolved(output, sets, z, q, sets.expected(q), settled)

    def _suspected(self, resolved: Resolved, left: NDArray | None, mask: NDArray, w: NDArray | None) -> Resolved:
        """The same, with supports and suspects, where rows were left out."""
        if left is None:
            return resolved
        read = fitted_map("temperature", shared(left), mask, w)
        few = (probabilities(left) * mask).sum(axis=-1) < self.threshold
        outdone = outweighed(read(shared(left)), mask) < self.threshold
        suspects = np.flatnonzero((few & outdone).any(axis=-1))
        return replace(resolved, support=support(probabilities(left), mask), suspects=suspects, left_out=left, map=read)

    def _hard(self, output: OutputSpace, sets: Sets, alpha: NDArray, q: Any, w: Any) -> Resolved:
        found = best_of(output, sets, alpha, self._starts(output, sets, q), 2 * self.max_iter, w)
        return self._resolved(output, sets, sets.member(found.phi, output), q, found.phi, found.settled)

    def _starts(self, output: OutputSpace, sets: Sets, q: NDArray | None) -> list[NDArray]:
        n = len(sets)
        require(2 * 8 * n**2, f"The weights of {n} rows at {n} rows", "Use soft disambiguation, or fewer rows.")
        first = sets.start() if q is None else sets.expected(q)
        random = check_random_state(self.random_state)
        probes = [output.probe(random, first.shape[1]) for _ in range(self.n_starts - 1)]
        return [first, *(sets.answers(c)[0] for c in probes)]

    def _left_out(self, mask: NDArray, weights: Weights, problem: Problem) -> NDArray | None:
        """F_i of every option, predicted without the block of row i; None where all rows are alike."""
        rows = problem.rows
        blocks = blocks_of(rounded(rows.X), self.n_blocks, sample_weight=rows.w)
        if len(blocks) < 2:  # all rows are alike: there is nothing to predict one from
            return None
        return held_out_sums(weights.held_out(rows.X, problem.target, rows.w, blocks), mask)

    def _resolved(self, output: OutputSpace, sets: Sets, z: NDArray, q: Any, phi: NDArray, settled: bool) -> Resolved:
        none = np.empty(0, dtype=int)
        two = None if q is None or q.shape[-1] < 2 else np.sort(q, axis=-1)[..., -2:]
        own = None if q is None else np.take_along_axis(q, sets.option_of(z)[..., None], axis=-1)
        return Resolved(
            labels=output.readable(z),
            confidence=None if own is None else own[..., 0].min(axis=-1),
            tied=none if two is None else np.flatnonzero((two[..., 1] - two[..., 0] < TIE).any(axis=-1)),
            support=None,
            suspects=none,
            q=q,
            phi=phi,
            settled=settled,
        )


def of_principle(principle: Any) -> Disambiguation | None:
    """The reduction that a principle stands for; None for a principle that answers set by set."""
    if isinstance(principle, Disambiguation):
        return clone(principle)
    return Disambiguation() if isinstance(principle, str) and principle == "disambiguation" else None
