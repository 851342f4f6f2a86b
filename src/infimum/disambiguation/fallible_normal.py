"""FallibleNormal: the posterior of numbers if some intervals do not contain the true value."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..evidence.sources import noise_of
from ..outputs.base import Sets
from ..outputs.numbers.lines import IntervalUnions
from ..outputs.numbers.truncated_normal import TruncatedNormals
from ..weights.holdout import Holdout
from .posterior import LabelErrors
from .truncated_normal import TruncatedNormal

START_SHARE = 0.1  # share of sets that miss, from which the estimation starts
MAX_SHARE = 0.5  # beyond, most sets would be wrong, and the two parts of the mixture change places
ROUNDS = 3  # of scale and share in turn; the next update of the labels goes on from there
MIN_MISS = 0.5  # probability that a set misses the true value, from which on the row is a suspect


class MixedNormals(TruncatedNormals):
    """Truncated normal distributions, if a share of the sets has nothing to do with the value of its row.

    A set is drawn around the value of its row with probability 1 - e. Its probability is then that of the normal
    distribution around the prediction. With probability e it is a set of another row, and its probability is that of
    the normal distribution of all rows. The value of the row is then not truncated.

    Parameters
    ----------
    unions : IntervalUnions
        The sets of the rows.
    unit : float
        The unit of scales.
    mean, scale : float
        The normal distribution of all rows.
    share : float, optional
        The share e. Estimated together with the scale by default.
    """

    def __init__(self, unions: IntervalUnions, unit: float, mean: float, scale: float, share: float | None = None):
        super().__init__(unions, unit)
        self.fixed = share
        self.share = np.full(1, START_SHARE if share is None else share)
        self.log_other = super().log_mass(np.full(self.n, mean), scale)

    def log_mass(self, mean: NDArray, scale: Any) -> NDArray:
        """Compute log P(S_i), whether or not the set contains the value of its row."""
        share = self._share(mean)
        return np.logaddexp(np.log1p(-share) + super().log_mass(mean, scale), np.log(share) + self.log_other)

    def moments(self, mean: NDArray, scale: Any) -> tuple[NDArray, NDArray]:
        other = self.other(mean, scale)
        first, second = super().moments(mean, scale)
        return first + other * (mean - first), second + other * (mean**2 + np.square(scale) - second)

    def other(self, mean: NDArray, scale: Any) -> NDArray:
        """Compute the probability that S_i is a set of another row, (..., n)."""
        return np.exp(np.log(self._share(mean)) + self.log_other - self.log_mass(mean, scale))

    def miss(self, mean: NDArray, scale: Any) -> NDArray:
        """Compute the probability that S_i does not contain the value of row i, (..., n)."""
        return self.other(mean, scale) * -np.expm1(np.minimum(super().log_mass(mean, scale), 0.0))

    def fit_scale(self, mean: NDArray, w: NDArray, start: Any = None) -> NDArray:
        """Find scale and share of maximum likelihood in turn."""
        if self.fixed is not None:
            return super().fit_scale(mean, w, start)
        if start is None or len(self.share) != len(mean):
            self.share = np.full(len(mean), START_SHARE)
        total = np.maximum(w.sum(axis=-1), 1e-300)
        best = start
        for _ in range(ROUNDS):
            best = super().fit_scale(mean, w, best)
            found = np.einsum("kn,kn->k", self.other(mean, self.scale_at(best)[:, None]), w) / total
            self.share = np.clip(found, 1e-6, MAX_SHARE)
        return np.asarray(best)

    def _share(self, mean: NDArray) -> Any:
        """Return the share for means of the shape (k, n) or (n,)."""
        share = self.share if len(self.share) == 1 or mean.ndim > 1 else self.share[:1]
        return share[:, None] if mean.ndim > 1 else share[0]


class FallibleNormal(TruncatedNormal):
    """Posterior of numbers, given that an estimated share of the intervals misses the true value.

    See `MixedNormals` for the distribution of sets. It supports numbers, not vectors.

    Parameters
    ----------
    noise : "estimate" or float
        The share of sets that have nothing to do with the value of their row.
    **given
        Parameters of `TruncatedNormal`.
    """

    is_fallible = holds_out_folds = True

    def __init__(self, lines: list[IntervalUnions], sample_weight: Any = None, noise: Any = "estimate", **given: Any):
        super().__init__(lines, sample_weight, **given)
        self.noise = noise
        share = None if isinstance(noise, str) else float(noise)
        self.normals: list[Any] = [
            MixedNormals(one.unions, one.unit, all_rows.mean, all_rows.scale, share)
            for one, all_rows in zip(self.normals, self.populations)
        ]

    def hold_out(self, operator: Holdout) -> FallibleNormal:
        plain = super().hold_out(operator)
        return FallibleNormal(
            self._lines, self.w, self.noise, populations=self.populations, fitted=self.fitted,
            in_training=plain.in_training,
        )  # fmt: skip

    def with_sets(self, sets: Sets, sample_weight: Any = None) -> FallibleNormal:
        lines = sets.lines()
        assert lines is not None
        return FallibleNormal(
            lines, sample_weight, self.noise, populations=self.populations, fitted=self.fitted
        )

    def without_rows(self, F: NDArray) -> FallibleNormal:
        fitted = self.fit_to(F)
        none = [line[np.arange(0)] for line in self._lines]
        share = float(self.normals[0].share[0])  # as it was estimated with these rows
        return FallibleNormal(none, None, share, populations=self.populations, fitted=fitted)

    def miss_share(self, F: NDArray) -> float:
        return float(np.average(self._miss(F)[0], weights=self.w))

    def label_errors(self, F: NDArray, threshold: float, leave_one_out: NDArray | None = None) -> LabelErrors:
        """Find rows whose set probably misses the true value; leave-one-out predictions are preferred."""
        miss, slope = self._miss(F if leave_one_out is None else leave_one_out)
        noise = noise_of(miss, slope, {}, self.w)
        return LabelErrors(1 - miss, np.flatnonzero(miss > MIN_MISS), None, miss, noise=noise)

    def _miss(self, F: NDArray) -> tuple[NDArray, NDArray]:
        """Return the probability that each set misses, and the slope of its log-likelihood by the share of those."""
        normals, mean = self.normals[0], self._means(F[None])[0]
        slope, exponent = self._fit(0, mean)
        mean, scale = self._stretched(0, mean, slope), normals.scale_at(exponent[0])
        other, miss = normals.other(mean[0], scale), normals.miss(mean[0], scale)
        share = float(normals.share[0])
        # d log P / d e = other / e - (1 - other) / (1 - e); a share e of other sets is a share c e of misses
        slope = other / max(share, 1e-6) - (1 - other) / max(1 - share, 1e-6)
        c = miss.sum() / max(other.sum(), 1e-300)
        return miss, slope / max(c, 1e-3)
