"""Coupled: the posterior of several outputs, in which what is known about one output informs the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..outputs.base import OutputSpace, Sets
from ..weights.holdout import Holdout
from .posterior import LabelErrors, Members, SetPosterior

PRIOR_ROWS = 10.0  # rows without any relation between outputs that are added to the data; more couple outputs less


class Coupled(SetPosterior):
    """Posteriors of K outputs, coupled by a linear relation between their residuals.

    Each output k has its own posterior. The residual of a row is the mean of the output given the row's own set, minus
    the prediction from the other rows. If a row is heavier than predicted, and rows of one species usually are, its
    species is more probable. Residuals of one output are regressed on those of the others (ridge regression over the
    rows), and the prediction of each output is moved by the result. Outputs that are independent given x have
    uncorrelated residuals and do not influence each other. An unlabelled output has residual 0 and informs no other.

    Parameters
    ----------
    parts : list of SetPosterior
        The posterior of each output; of listed candidates in their dense form.
    factors : (K,)
        The factor of the loss of each output.
    labelled : (n, K) boolean
        Whether the row restricts the output.
    sample_weight : (n,), optional
        Sample weights.
    slopes : list of (r_k, m_k) arrays, optional
        The regression coefficients. Fitted in each round by default.
    in_training : (k, n) boolean array, optional
        The rows outside of each held-out fold.
    """

    axes = 1

    def __init__(
        self, parts: list[SetPosterior], factors: NDArray, labelled: NDArray, sample_weight: Any = None,
        slopes: list[NDArray] | None = None, in_training: NDArray | None = None,
    ):  # fmt: skip
        self.parts, self.factors, self.labelled, self.w = parts, factors, labelled, sample_weight
        self.slopes, self.in_training = slopes, in_training
        self.held_out_rounds = max((part.held_out_rounds for part in parts), default=8)
        self.sizes = [int(np.prod(part.shape[len(part.shape) - part.axes :])) for part in parts]
        self._moved: list[NDArray] = []  # predictions of the last update, for the likelihood

    @property
    def shape(self) -> tuple[int, ...]:
        part = self.parts[0]
        return *part.shape[: len(part.shape) - part.axes], sum(self.sizes)

    def _split(self, state: NDArray) -> list[NDArray]:
        pieces = np.split(state, np.cumsum(self.sizes)[:-1], axis=-1)
        return [
            piece.reshape(*piece.shape[:-1], *part.shape[len(part.shape) - part.axes :])
            for part, piece in zip(self.parts, pieces)
        ]

    def _join(self, states: list[NDArray]) -> NDArray:
        flat = [state.reshape(*state.shape[: state.ndim - part.axes], -1) for part, state in zip(self.parts, states)]
        return np.concatenate(flat, axis=-1)

    def _each(self, *states: NDArray) -> list[tuple]:
        return list(zip(self.parts, *map(self._split, states)))

    def prior(self) -> NDArray:
        return self._join([part.prior() for part in self.parts])

    def update(self, F: NDArray, q: NDArray, power: float) -> NDArray:
        self._moved = self._coupled(self._split(F), self._split(q))
        own = zip(self.parts, self._moved, self._split(q))
        return self._join([part.update(moved, state, power) for part, moved, state in own])

    def _coupled(self, F: list[NDArray], q: list[NDArray]) -> list[NDArray]:
        """Return the prediction of each output, moved by the residuals of the others."""
        if len(self.parts) < 2:
            return F
        residuals = [
            part.mean(part.update(own, state, 1.0)) - part.center(own) for part, own, state in zip(self.parts, F, q)
        ]
        slopes = self.slopes
        if slopes is None:
            slopes = self._slopes(residuals, [part.mean(b) - part.center(a) for part, a, b in zip(self.parts, F, q)])
        return [
            part.moved(own, _others(residuals, k) @ slope)
            for k, (part, own, slope) in enumerate(zip(self.parts, F, slopes))
        ]

    def _slopes(self, residuals: list[NDArray], targets: list[NDArray]) -> list[NDArray]:
        """Regress the estimated label minus its prediction on the residuals of the others, over labelled rows."""
        w = np.ones(len(self.labelled)) if self.w is None else np.asarray(self.w, dtype=float)
        w = w if self.in_training is None else w * self.in_training
        found = []
        for k, target in enumerate(targets):
            others, counts = _others(residuals, k), (w * self.labelled[:, k])[..., None]
            unit = np.sqrt((counts * others**2).sum(axis=-2) / np.maximum(counts.sum(axis=-2), 1e-300))
            scaled = others / np.where(unit > 0, unit, 1)[..., None, :]
            gram = np.swapaxes(scaled, -1, -2) @ (counts * scaled)
            ridge = (PRIOR_ROWS + scaled.shape[-1]) * np.eye(scaled.shape[-1])
            slope = np.linalg.solve(gram + ridge, np.swapaxes(scaled, -1, -2) @ (counts * target))
            found.append(slope / np.where(unit > 0, unit, 1)[..., None])
        return found

    def change(self, new: NDArray, q: NDArray) -> NDArray:
        return np.mean([part.change(a, b) for part, a, b in self._each(new, q)], axis=0)

    def mean_log_likelihood(self, F: NDArray) -> NDArray | None:
        found = [part.mean_log_likelihood(moved) for part, moved in zip(self.parts, self._moved)]
        known = [one for one in found if one is not None]
        return np.sum(known, axis=0) if known else None

    def hold_out(self, operator: Holdout) -> Coupled:
        inside = operator.mask_out(np.ones((len(self.labelled), 1), dtype=bool))[..., 0].astype(bool)
        parts = [part.hold_out(operator) for part in self.parts]
        return Coupled(parts, self.factors, self.labelled, self.w, self.slopes, inside)

    def without_rows(self, F: NDArray) -> Coupled:
        own = self._split(F)
        residuals = [
            part.mean(part.update(one, part.prior(), 1.0)) - part.center(one) for part, one in zip(self.parts, own)
        ]
        parts = [part.without_rows(one) for part, one in zip(self.parts, own)]
        return Coupled(parts, self.factors, self.labelled[:0], None, self._slopes(residuals, residuals))

    def with_sets(self, sets: Sets, sample_weight: Any = None) -> Coupled:
        each = sets.coordinates() or []
        parts = [part.with_sets(own, sample_weight) for part, own in zip(self.parts, each)]
        return Coupled(parts, self.factors, labelled_in(each), sample_weight, self.slopes)

    def phi(self, q: NDArray) -> NDArray:
        each = zip(self.factors, self._each(q))
        return np.concatenate([factor * part.phi(own) for factor, (part, own) in each], axis=-1)

    def predict(self, F: NDArray) -> tuple[NDArray, NDArray]:
        phi, likelihood = zip(*(part.predict(own) for part, own in self._each(F)))
        return np.concatenate([factor * one for factor, one in zip(self.factors, phi)], axis=-1), np.sum(likelihood, 0)

    def members(self, q: NDArray, F: Callable[[], NDArray], output: OutputSpace) -> Members:
        states = self._split(q)
        predicted = self._coupled(self._split(F().reshape(q.shape)), states)
        spaces = output.coordinates() or []
        return _joined([
            part.members(state, lambda own=own: own, space)  # type: ignore[misc]
            for part, state, own, space in zip(self.parts, states, predicted, spaces)
        ])  # fmt: skip

    def label_errors(self, F: NDArray, threshold: float, leave_one_out: NDArray | None = None) -> LabelErrors:
        found = [part.label_errors(own, threshold) for part, own in self._each(F)]
        suspects = np.unique(np.concatenate([one.suspects for one in found]))
        return LabelErrors(np.min([one.support for one in found], axis=0), suspects)

    def expand(self, output: OutputSpace) -> OutputSpace:
        each = zip(self.parts, output.coordinates() or [])
        return output.with_coordinates([part.expand(space) for part, space in each])


def labelled_in(sets: list[Sets]) -> NDArray:
    """Return whether each row restricts each output, (n, K) boolean."""
    return np.column_stack([~np.asarray(own.is_unlabelled) for own in sets])


def _others(residuals: list[NDArray], k: int) -> NDArray:
    """Return the residuals of all outputs except k, (..., n, r)."""
    return np.concatenate(residuals[:k] + residuals[k + 1 :], axis=-1)


def _joined(found: list[Members]) -> Members:
    """Return the members of all outputs: the least confidence, and the rows that are tied in any output."""
    confidence = [one.confidence for one in found if one.confidence is not None]
    deviation = [one.deviation for one in found if one.deviation is not None]
    return Members(
        np.column_stack([one.z for one in found]).astype(float),
        np.min(confidence, axis=0) if confidence else None,
        np.unique(np.concatenate([one.tied for one in found])),
        np.column_stack(deviation) if deviation else None,
    )
