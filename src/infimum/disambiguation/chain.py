"""A linear-chain conditional random field that is fitted to lattices of possible label sequences.

P(y | x) is proportional to exp(sum_t score(y_t; x, t) + sum_t step(y_t, y_t+1)). The scores of labels are linear in the
features of a token. The fit maximises the probability of the lattices, sum_i log P(y_i in S_i | x_i). Its gradient is
the difference between the expected features given S_i, soft labels, and those given x_i alone. So this is soft
disambiguation in which the model is improved and the soft labels are updated in every step.

References
----------
Lafferty, McCallum and Pereira (2001), Conditional random fields. Tsuboi et al. (2008), Training conditional random
fields using incomplete annotations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from ..data.tokens import Design
from ..outputs.sequences import Lattices
from ..outputs.sequences.paths import Edges, Packed, PathProbabilities, path_probabilities, shortest_path
from ..outputs.sequences.sets import costs_of, factors_of

LARGEST = 50.0
"""Bound on the scores of steps, so that their exponentials stay finite."""

MEMORY = 6
"""Pairs of gradients that L-BFGS keeps; each takes as much memory as the coefficients."""


class Chain(NamedTuple):
    """A fitted model."""

    coefficients: NDArray
    """(d, m): the score of a label is linear in the features."""
    steps: Edges
    """The scores of steps."""

    @classmethod
    def of(cls, theta: NDArray, d: int, m: int) -> Chain:
        """Return the model from all its parameters in one array."""
        coefficients, first, follow, last = np.split(theta, np.cumsum([d * m, m, m * m]))
        return cls(coefficients.reshape(d, m), Edges(first, follow.reshape(m, m), last))

    def theta(self) -> NDArray:
        """Return all parameters in one array."""
        return np.concatenate([self.coefficients.ravel(), *(np.ravel(part) for part in self.steps)])

    def factors(self, allowed: Edges | None) -> Edges:
        """Return the exponentials of the scores of steps, 0 for steps that are not allowed."""
        every = factors_of(allowed, len(self.steps.first))
        return Edges(*(np.exp(np.clip(e, -LARGEST, LARGEST)) * a for e, a in zip(self.steps, every)))

    def free(self, design: Design, sets: Lattices, packed: Packed) -> PathProbabilities:
        """Return the distribution of label sequences; `design` has packed tokens, `sets` their allowed steps."""
        return path_probabilities(design.scores(self.coefficients), self.factors(sets.allowed), packed)

    def restricted(self, design: Design, sets: Lattices, packed: Packed) -> PathProbabilities:
        """Return the distribution of label sequences within their lattices."""
        scores = np.where(sets.mask[packed.order], design.scores(self.coefficients), -np.inf)
        return path_probabilities(scores, self.factors(sets.allowed), packed)

    def marginals(self, design: Design, sets: Lattices, restrict: bool = False) -> NDArray:
        """Return the probability of each label of each token, (N, m), with `restrict` given that it lies in its set."""
        packed = Packed(sets.lengths)
        found = (self.restricted if restrict else self.free)(design[packed.order], sets, packed)
        return packed.unpack(found.tokens)

    def predict(self, design: Design, sets: Lattices, restrict: bool = False) -> tuple[NDArray, NDArray]:
        """Return the labels of least expected Hamming loss, (N,), and that loss for each sequence, (n,).

        The expected loss is a sum over tokens of one minus the probability of the label. So its minimum over all
        allowed sequences, with `restrict` over those of the set, is a shortest path.
        """
        cost = 1 - self.marginals(design, sets, restrict)
        edges = costs_of(sets.allowed, cost.shape[1])
        return shortest_path(np.where(sets.mask, cost, np.inf) if restrict else cost, edges, sets.lengths)

    def log_likelihoods(self, design: Design, sets: Lattices) -> NDArray:
        """Return log P(y_i in S_i | x_i), (n,); `design` has the tokens in the order of `sets`."""
        packed = Packed(sets.lengths)
        design = design[packed.order]
        return self.restricted(design, sets, packed).log_sum - self.free(design, sets, packed).log_sum


def fit_chain(
    design: Design, sets: Lattices, lam: float, w: NDArray, start: Chain | None = None, max_iter: int = 200,
    tol: float = 1e-6,
) -> Chain:  # fmt: skip
    """Return the model that maximises sum_i w_i log P(S_i | x_i) - lam / 2 · |parameters|².

    Parameters
    ----------
    design : Design
        The features of all tokens, in the order of `sets`.
    sets : Lattices
        The candidate sets.
    lam : float
        The strength of the L2 regularisation.
    w : (n,)
        Sample weights.
    start : Chain, optional
        Where the optimisation starts.
    max_iter : int
        The largest number of iterations of L-BFGS.
    tol : float
        The optimisation ends when an iteration improves the objective by less than this share of it.
    """
    used = np.flatnonzero((w > 0) & ~sets.is_unlabelled)  # unlabelled sequences have probability 1 in any model
    design, sets, w = design[sets.tokens(used)], sets[used], w[used]
    packed = Packed(sets.lengths)
    design, d, m = design[packed.order], design.n_features, sets.mask.shape[1]
    blocked = np.where(sets.mask[packed.order], 0.0, -np.inf)
    weight = w[packed.sequence][:, None]
    same = bool(np.all(w == 1))

    def objective(theta: NDArray) -> tuple[float, NDArray]:
        chain = Chain.of(theta, d, m)
        scores, factors = design.scores(chain.coefficients), chain.factors(sets.allowed)
        free = path_probabilities(scores, factors, packed, None if same else w)
        own = path_probabilities(scores + blocked, factors, packed, None if same else w)
        residuals = weight * (free.tokens - own.tokens)
        first, last = residuals[: packed.n].sum(axis=0), residuals[packed.final].sum(axis=0)
        gradient = np.concatenate([design.gradient(residuals).ravel(), first, (free.steps - own.steps).ravel(), last])
        return w @ (free.log_sum - own.log_sum) + lam / 2 * theta @ theta, gradient + lam * theta

    initial = np.zeros(d * m + 2 * m + m * m) if start is None else start.theta()
    if not len(used):
        return Chain.of(initial, d, m)
    options = {"maxiter": max_iter, "maxcor": MEMORY, "ftol": tol, "gtol": 0.0}
    return Chain.of(minimize(objective, initial, jac=True, method="L-BFGS-B", options=options).x, d, m)
