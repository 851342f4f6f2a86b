"""Normal: sets of numbers, in which a number is weighed by how near it is to what the other rows predict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from ..outputs.base import OutputSpace, Sets
from ..outputs.numbers.lines import Law, Line, Moments
from ..weights.holdout import Holdout
from .categorical import TIE
from .posterior import Doubts, Members, Read, SetPosterior, weights_of


class Normal(SetPosterior):
    """y_i is normal around what the other rows predict, mu_i, and lies in S_i: q_i are the means of (1, t, |t|²) then.

    mu_i is the minimiser of the squared loss, (sum_j alpha_j t_j) / (sum_j alpha_j). The deviation is that of the
    largest likelihood of the sets, a number a coordinate: where sets are wide and predictions good, it is far smaller
    than they are, and a number is as good as known; where nothing can be predicted, the middle of a set answers for it.
    Half-lines end where the law of all rows has them end (`Line.law`).

    Parameters
    ----------
    lines : list of m Line
        The coordinates.
    sample_weight : (n,), optional
        How much rows count.
    laws : list of m Law, optional
        The laws of all rows, whatever x is; fitted by default.
    exponents : list of m int, optional
        Deviations, as places on their lattice; fitted by default.
    live : (k, n) booleans, optional
        Rows that are not held out, for every block.
    """

    axes = 1

    def __init__(
        self,
        lines: list[Line],
        sample_weight: Any = None,
        laws: list[Law] | None = None,
        exponents: list[int] | None = None,
        live: NDArray | None = None,
    ):
        self.n, self.w = lines[0].n, sample_weight
        self.laws = [line.law(sample_weight) for line in lines] if laws is None else laws
        self.lines = [line.ended(law) for line, law in zip(lines, self.laws)]
        self.exponents, self.live = exponents, live
        self._last: list[Any] = [None] * len(lines)

    @property
    def shape(self) -> tuple[int, ...]:
        own = self.n, len(self.lines) + 2
        return own if self.live is None else (len(self.live), *own)

    def without(self, operator: Holdout) -> Normal:
        live = operator.mask_out(np.ones((self.n, 1), dtype=bool))[..., 0].astype(bool)
        return Normal(self.lines, self.w, self.laws, self.exponents, live)

    def like(self, sets: Sets, sample_weight: Any = None) -> Normal:
        lines = sets.lines()
        assert lines is not None
        return Normal(lines, sample_weight, self.laws, self.exponents)

    def fitted(self, F: NDArray) -> Normal:
        exponents = [int(self._exponents(j, mean)[0]) for j, mean in enumerate(self._means(F[None]))]
        return Normal([line[np.arange(0)] for line in self.lines], None, self.laws, exponents)

    def even(self) -> NDArray:
        return self._start([
            line.moments(np.full(self.n, law.mean), law.scale) for line, law in zip(self.lines, self.laws)
        ])  # fmt: skip

    def begin(self) -> Iterator[NDArray]:
        """By the law of all rows; of unions, also with all their pieces alike."""
        yield self.even()
        if any(line.starts is not None for line in self.lines):
            self._last = [None] * len(self.lines)
            yield self._start([line.even(law) for line, law in zip(self.lines, self.laws)])

    def _start(self, found: list[Moments]) -> NDArray:
        q = self._numbers(found)
        return q if self.live is None else q * self.live[..., None]

    def moved(self, F: NDArray, q: NDArray, p: float) -> NDArray:
        stacked = F if F.ndim == 3 else F[None]
        found = []
        for j, (line, mean) in enumerate(zip(self.lines, self._means(stacked))):
            self._last[j] = self._exponents(j, mean)
            found.append(line.moments(mean, line.scale_at(self._last[j])[:, None]))
        new = self._numbers(found).reshape(F.shape)
        return new if self.live is None else new * self.live[..., None]

    def worth(self, F: NDArray) -> NDArray:
        stacked = F if F.ndim == 3 else F[None]
        w = np.broadcast_to(weights_of(self.n, self.w), stacked.shape[:2])
        w = w if self.live is None else w * self.live
        each = [
            line.log_mass(mean, line.scale_at(last)[:, None])
            for line, mean, last in zip(self.lines, self._means(stacked), self._last)
        ]
        return np.einsum("kn,kn->k", np.sum(each, axis=0), w) / np.maximum(w.sum(axis=-1), 1e-300)

    def step(self, new: NDArray, q: NDArray) -> NDArray:
        return (np.abs(new - q)[..., 1:-1] / [line.unit for line in self.lines]).mean(axis=-1)

    def phi(self, q: NDArray) -> NDArray:
        return q

    def read(self, F: NDArray) -> Read:
        means = [mean[0] for mean in self._means(F[None])]
        numbers = [np.ones(self.n), *means, np.sum(np.square(means), axis=0)]
        return Read(np.stack(numbers, axis=-1), self._likely(means))

    def around(self, psi: NDArray) -> NDArray:
        return self._likely(list((-psi[:, 1:-1] / (2 * psi[:, -1:])).T))

    def members(self, q: NDArray, F: Callable[[], NDArray], output: OutputSpace) -> Members:
        """The means in the sets; of a union, in its most probable piece."""
        each, variance = [], []
        for j, (line, mean) in enumerate(zip(self.lines, self._means(F()[None]))):
            scale = float(line.scale_at(self._exponents(j, mean)[0]))
            each.append(line.probable(mean[0], scale))
            (first, second), t = line.moments(mean[0], scale), each[-1][0]
            variance.append(np.maximum(second - 2 * t * first + t**2, 0.0))
        t, share, after = (np.stack(part, axis=-1) for part in zip(*each))
        z = self.space(output).decode(np.concatenate([np.ones((self.n, 1)), t, t[:, :1]], axis=-1))
        unit = np.sqrt(output.psi(z)[..., -1:])  # psi(z) = unit² (|t|², -2t, 1)
        deviation = (unit * np.sqrt(np.stack(variance, axis=-1))).reshape(z.shape)
        return Members(z, None, np.flatnonzero((share - after < TIE).any(axis=-1)), deviation)

    def doubts(self, F: NDArray, threshold: float) -> Doubts:
        """By Chauvenet's rule: of n true sets, less than `threshold` would be so far off on average."""
        support = np.ones(self.n)
        for j, (line, mean) in enumerate(zip(self.lines, self._means(F[None]))):
            scale = line.scale_at(self._exponents(j, mean)[0])
            support = np.minimum(support, 2 * np.exp(log_ndtr(-line.distance(mean[0]) / scale)))
        number = float(weights_of(self.n, self.w).sum()) * len(self.lines)
        return Doubts(support, np.flatnonzero(number * support < threshold))

    def space(self, output: OutputSpace) -> OutputSpace:
        return output.expanded_to(np.array([law.low for law in self.laws]), np.array([law.high for law in self.laws]))

    def _likely(self, means: list[NDArray]) -> NDArray:
        """log P_i(S_i) of normal laws around these means, (n,).

        One deviation for all coordinates, as the loss has it: with one each, a coordinate that is nearly exact would
        outweigh all errors of the others.
        """
        if len(means) == 1:
            scale = self.lines[0].scale_at(self._exponents(0, means[0][None])[0])
            return self.lines[0].log_mass(means[0], scale)
        line, mean = Line.stacked(self.lines), np.concatenate(means)
        w = np.tile(weights_of(self.n, self.w), len(means))
        scale = line.scale_at(line.fitted_scale(mean[None], w[None])[0])
        return line.log_mass(mean, scale).reshape(len(means), self.n).sum(axis=0)

    def _means(self, F: NDArray) -> list[NDArray]:
        """mu_i of every coordinate, (k, n); the mean of all rows where no row has a say."""
        total = F[..., 0]
        there = total > 0
        found = []
        for j, law in enumerate(self.laws):
            with np.errstate(over="ignore"):
                mean = np.where(there, F[..., 1 + j] / np.where(there, total, 1.0), law.mean)
            found.append(np.clip(mean, law.low, law.high))
        return found

    def _exponents(self, j: int, mean: NDArray) -> NDArray:
        """The deviation of coordinate j, (k,), as places on the lattice."""
        if self.exponents is not None:
            return np.full(len(mean), self.exponents[j])
        w = np.broadcast_to(weights_of(self.n, self.w), mean.shape)
        w = w if self.live is None or len(mean) != len(self.live) else w * self.live
        last = self._last[j]
        return self.lines[j].fitted_scale(mean, w, None if last is None or len(last) != len(mean) else last)

    def _numbers(self, found: list) -> NDArray:
        """(1, t, |t|²) of moments a coordinate."""
        first, second = [one.first for one in found], [one.second for one in found]
        return np.stack([np.ones_like(first[0]), *first, np.sum(second, axis=0)], axis=-1)
