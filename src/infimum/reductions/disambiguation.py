"""Disambiguation as a reduction: sets become points, or weights on the candidates, for a fully supervised problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state

from .._memory import require
from ..outputs.base import OutputSpace, Sets
from ..weights.base import Weights
from ..weights.left_out import blocks_of
from .hard import best_of
from .soft import held_out, soft, support

TIE = 0.05  # candidates whose weights differ by less are tied


@dataclass(frozen=True, repr=False)
class Resolved:
    """What became of the sets.

    Attributes
    ----------
    labels : (n, ...)
        The member of S_i that row i probably has, as the user names it.
    confidence : (n,) or None
        The weight q_i of that member among the candidates (the smallest over the tags); None where candidates have no
        weights.
    tied : (k,)
        Row numbers where two candidates end with the same weight, within 0.05: nothing tells them apart.
    support : (n,) or None
        P_i(S_i), the probability of the set by a disambiguation that did not see it.
    suspects : (k,)
        Row numbers with a support below the threshold: their set probably misses the truth.
    candidates : (n, g, c) or None
        The weights q themselves.
    phi : (n, d)
        The mean embedding of the candidates under q, or that of the points.
    settled : bool
        Whether nothing moved any more when the loop ended.
    """

    labels: NDArray
    confidence: NDArray | None
    tied: NDArray
    support: NDArray | None
    suspects: NDArray
    candidates: NDArray | None
    phi: NDArray
    settled: bool

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


class Tells:
    """What a fitted model tells about its training rows, from `resolved_`."""

    resolved_: Any

    @property
    def labels_(self) -> NDArray:
        """The member of its set that every training row probably has; after disambiguation."""
        return self._resolution().labels

    @property
    def confidence_(self) -> NDArray | None:
        """The weight of that member among the candidates, (n,); after soft disambiguation."""
        return self._resolution().confidence

    @property
    def tied_(self) -> NDArray:
        """The training rows whose candidates nothing tells apart; after disambiguation."""
        return self._resolution().tied

    @property
    def suspects_(self) -> NDArray:
        """The training rows whose set probably misses the truth; after disambiguation."""
        return self._resolution().suspects

    def _resolution(self) -> Resolved:
        if getattr(self, "resolved_", None) is None:
            raise AttributeError("The training rows have labels once principle='disambiguation' is fitted.")
        return self.resolved_


class Disambiguation(BaseEstimator):
    """How sets become points: the `principle` of an estimator, where "disambiguation" stands for the defaults.

    Parameters
    ----------
    kind : {"auto", "soft", "hard"}, default "auto"
        "soft" weighs the candidates, for labels and tags (see `disambiguation.soft`); "hard" chooses one point a set,
        for every output structure (see `disambiguation.hard`), from the soft solution where there is one. "auto" is
        soft where it can be.
    ramp, cap : float, default 20 and 2
        The exponent of a soft update grows from 1 to `cap`, by 1 / ramp a round.
    max_iter, tol : default 50 and 2e-3
        Rounds at most, and the mean move of the weights at which they rest.
    n_starts : int, default 1
        Starts of the hard loop; those after the first are answers to random objectives. The lowest objective wins.
    threshold : float or None, default 0.1
        Rows with P_i(S_i) below it are suspects. None saves the time that it takes to find them.
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
        kind="auto",
        ramp=20,
        cap=2.0,
        max_iter=50,
        tol=2e-3,
        n_starts=1,
        threshold=0.1,
        n_blocks=5,
        random_state=0,
    ):
        self.kind = kind
        self.ramp = ramp
        self.cap = cap
        self.max_iter = max_iter
        self.tol = tol
        self.n_starts = n_starts
        self.threshold = threshold
        self.n_blocks = n_blocks
        self.random_state = random_state

    def resolve(
        self, output: OutputSpace, sets: Sets, family: Weights, X: Any, phi: Any = None, sample_weight: Any = None
    ) -> Resolved:
        """Points for the sets, by weights that were fitted on (X, phi, sample_weight)."""
        if self.kind not in ("auto", "soft", "hard"):
            raise ValueError(f"kind must be 'auto', 'soft' or 'hard'. Got {self.kind!r} instead.")
        mask = sets.candidates()
        if mask is None and self.kind == "soft":
            raise ValueError(f"Soft disambiguation is for candidate labels and tags; {sets!r} are neither. Use 'hard'.")
        if not output.bilinear:
            raise ValueError(f"Disambiguation needs a bilinear loss, not that of {output!r}. Use principle='infimum'.")
        if mask is None:
            return self._hard(output, sets, family, X, None, None)
        require(8 * 6 * mask.size, f"The weights of {mask.size} candidates", "Give fewer rows, or fewer classes.")
        found = soft(family.left_out(), mask, self.ramp, self.cap, self.max_iter, self.tol)
        known = None if self.threshold is None else self._support(mask, family, X, phi, sample_weight)
        if self.kind == "hard":
            return self._hard(output, sets, family, X, found.q, known)
        z = _likeliest(found.q, sets, output)
        return self._resolved(output, z, found.q, known, sets.expected(found.q), found.settled)

    def _hard(self, output: OutputSpace, sets: Sets, family: Weights, X: Any, q: Any, known: Any) -> Resolved:
        n = len(sets)
        require(2 * 8 * n**2, f"The weights of {n} rows at {n} rows", "Use soft disambiguation, or fewer rows.")
        first = sets.start() if q is None else sets.expected(q)
        random = check_random_state(self.random_state)
        probes = [output.probe(random, first.shape[1]) for _ in range(self.n_starts - 1)]
        starts = [first, *(sets.argmin(np.repeat(c, n, axis=0)) for c in probes)]
        found = best_of(output, sets, np.asarray(family(X)), starts, 2 * self.max_iter)
        return self._resolved(output, sets.member(found.phi, output), q, known, found.phi, found.settled)

    def _support(self, mask: NDArray, family: Weights, X: Any, phi: Any, sample_weight: Any) -> NDArray | None:
        blocks = blocks_of(X, self.n_blocks)
        if len(blocks) < 2:  # all rows are alike: there is nothing to predict one from
            return None
        return support(held_out(family.held_out(X, phi, sample_weight, blocks), mask), mask)

    def _resolved(self, output: OutputSpace, z: Any, q: Any, known: Any, phi: NDArray, settled: bool) -> Resolved:
        none = np.empty(0, dtype=int)
        two = None if q is None or q.shape[-1] < 2 else np.sort(q, axis=-1)[..., -2:]
        return Resolved(
            labels=output.readable(z),
            confidence=None if q is None else q.max(axis=-1).min(axis=-1),
            tied=none if two is None else np.flatnonzero((two[..., 1] - two[..., 0] < TIE).any(axis=-1)),
            support=known,
            suspects=none if known is None else np.flatnonzero(known < self.threshold),
            candidates=q,
            phi=phi,
            settled=settled,
        )


def _likeliest(q: NDArray, sets: Sets, output: OutputSpace) -> NDArray:
    """The candidates of largest weight, the lowest index on a tie."""
    best = np.argmax(q, axis=-1)[..., None] == np.arange(q.shape[-1])
    return sets.member(sets.expected(best.astype(float)), output)


def of_principle(principle: Any) -> Disambiguation | None:
    """The reduction that a principle stands for; None for a principle that answers set by set."""
    if isinstance(principle, Disambiguation):
        return clone(principle)
    return Disambiguation() if isinstance(principle, str) and principle == "disambiguation" else None
