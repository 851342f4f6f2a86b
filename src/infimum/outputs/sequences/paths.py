"""Shortest paths and path probabilities in lattices: one column of nodes per token, one node per label.

Tokens are packed by position: the first tokens of all sequences, then the second ones, and so on, the longest sequence
first. A step of a recursion over positions is then one operation on a contiguous block, without padding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MANY = 2**22
"""Steps that are compared at a time, n m²: 32 MiB. Longer lists of sequences are divided."""


class Edges(NamedTuple):
    """A number for each possible step of a path: costs, scores, or booleans (whether the step is allowed)."""

    first: NDArray
    """(m,): from the start to the first label."""
    follow: NDArray
    """(m, m): from a label, in rows, to the next one, in columns."""
    last: NDArray
    """(m,): from the last label to the end."""


class Packed:
    """The order of tokens by position.

    Parameters
    ----------
    lengths : (n,)
        The number of tokens of each sequence, at least 1.

    Examples
    --------
    >>> Packed(np.array([1, 3])).order  # the tokens of both sequences, one after the other, are 0; 1, 2, 3
    array([1, 0, 2, 3])
    """

    def __init__(self, lengths: NDArray):
        by_length = np.argsort(-lengths, kind="stable")
        starts = np.cumsum(lengths) - lengths
        self.n = len(lengths)
        self.counts = np.searchsorted(-lengths[by_length], -np.arange(lengths.max(initial=0)), side="left")
        """(T,): how many sequences have a token at each position."""
        self.ends = np.cumsum(self.counts)
        blocks = [starts[by_length[:count]] + t for t, count in enumerate(self.counts.tolist())]
        self.order = np.concatenate(blocks) if blocks else np.empty(0, dtype=int)
        """(N,): the tokens in packed order."""
        self.sequence = np.concatenate([by_length[:count] for count in self.counts]) if blocks else self.order
        """(N,): the sequence of each packed token."""
        self.final = np.flatnonzero(self.order == (starts + lengths - 1)[self.sequence])
        """The packed tokens that end a sequence."""

    def blocks(self) -> list[tuple[slice, slice]]:
        """Return (tokens of a position, their predecessors) for the second position and all later ones."""
        pairs = zip(self.ends.tolist(), self.ends[1:].tolist(), self.counts.tolist(), self.counts[1:].tolist())
        return [(slice(end, after), slice(end - own, end - own + n)) for end, after, own, n in pairs]

    def unpack(self, values: NDArray) -> NDArray:
        """Return values of packed tokens in the order of the sequences."""
        out = np.empty_like(values)
        out[self.order] = values
        return out


def shortest_path(cost: NDArray, edges: Edges, lengths: NDArray) -> tuple[NDArray, NDArray]:
    """Return the labels of least total cost, (N,), and that cost for each sequence, (n,). Ties go to the lowest index.

    The recursion (Viterbi, 1967) is exact. An infinite cost excludes a label or a step.

    Parameters
    ----------
    cost : (N, m)
        The cost of each label for each token, sequence after sequence.
    edges : Edges
        The costs of steps.
    lengths : (n,)
        The number of tokens of each sequence.
    """
    n, m = len(lengths), cost.shape[1]
    if n > 1 and n * m * m > MANY:
        rows, tokens = n // 2, int(lengths[: n // 2].sum())
        parts = shortest_path(cost[:tokens], edges, lengths[:rows]), shortest_path(cost[tokens:], edges, lengths[rows:])
        return np.concatenate([one[0] for one in parts]), np.concatenate([one[1] for one in parts])
    packed = Packed(lengths)
    best = cost[packed.order].astype(float)
    best[packed.final] += edges.last
    best[: packed.n] += edges.first
    # the recursion runs from the end, so that the labels are read from the front and ties go to the lowest index
    following = np.zeros(best.shape, dtype=np.intp)
    for now, before in reversed(packed.blocks()):
        through = best[now][:, None, :] + edges.follow
        following[before] = np.argmin(through, axis=2)
        best[before] += np.take_along_axis(through, following[before][:, :, None], axis=2)[:, :, 0]
    labels = np.empty(len(best), dtype=np.intp)
    labels[: packed.n] = np.argmin(best[: packed.n], axis=1)
    total = np.empty(packed.n)
    total[packed.sequence[: packed.n]] = best[np.arange(packed.n), labels[: packed.n]]
    for now, before in packed.blocks():
        labels[now] = following[np.arange(before.start, before.stop), labels[before]]
    return packed.unpack(labels), total


class PathProbabilities(NamedTuple):
    """The distribution of paths whose probability is proportional to the exponential of their score."""

    log_sum: NDArray
    """(n,): the logarithm of the sum over paths; minus infinity if there is no path."""
    tokens: NDArray
    """(N, m): the probability of each label, in packed order."""
    steps: NDArray
    """(m, m): the expected number of each step, over all sequences."""


def path_probabilities(
    scores: NDArray, factors: Edges, packed: Packed, w: NDArray | None = None
) -> PathProbabilities:
    """Return the distribution of paths by the forward-backward recursion.

    Parameters
    ----------
    scores : (N, m)
        The score of each label for each token in packed order; minus infinity excludes a label.
    factors : Edges
        The exponentials of the scores of steps; 0 excludes a step.
    packed : Packed
        The order of the tokens.
    w : (n,), optional
        How much each sequence counts in the expected number of steps.
    """
    n, blocks = packed.n, packed.blocks()
    weight = np.ones((n, 1)) if w is None else w[packed.sequence[:n], None]
    top = scores.max(axis=1, keepdims=True)
    local = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
    local[packed.final] *= factors.last
    local[:n] *= factors.first
    scale = np.empty(len(local))
    with np.errstate(divide="ignore", invalid="ignore"):
        scale[:n] = local[:n].sum(axis=1)
        reached = local.copy()
        reached[:n] /= scale[:n, None]
        for now, before in blocks:
            step = (reached[before] @ factors.follow) * local[now]
            scale[now] = step.sum(axis=1)
            reached[now] = step / scale[now][:, None]
        log_sum = np.bincount(packed.sequence, np.log(scale) + top[:, 0], minlength=n)
        backward, steps = np.ones_like(local), np.zeros_like(factors.follow)
        for now, before in reversed(blocks):
            ahead = local[now] * backward[now] / scale[now][:, None]
            steps += reached[before].T @ (ahead if w is None else weight[: len(ahead)] * ahead)
            backward[before] = ahead @ factors.follow.T
    return PathProbabilities(np.where(np.isnan(log_sum), -np.inf, log_sum), reached * backward, steps * factors.follow)
