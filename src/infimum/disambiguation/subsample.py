"""Soft disambiguation of many rows: run it on a subset of the rows, then propagate to the others."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import gen_batches

from ..data.chunks import Chunk, Chunks
from ..data.hashes import hash_of
from ..outputs.base import OutputSpace, Sets
from ..outputs.chunked import EmbeddingInChunks, SetsInChunks, read_chunk
from ..weights.base import Weights
from .posterior import SetPosterior
from .soft import Schedule, run

BATCH = 8192  # rows that labels are propagated to at a time; limits memory


class SubsetModel:
    """Predictor x -> F(x) from the soft labels of a subset of the rows.

    Parameters
    ----------
    weights : Weights
        Fitted to the subset.
    q : (n, *e) array
        The states of the subset.
    posterior : SetPosterior
        The posterior of other rows given F, with the parameters of the subset.
    cap : float
        The exponent of their update.
    codes : (n,) array
        Hash codes of the subset (see `_codes`): rows that are met again keep their own state.
    """

    def __init__(self, weights: Weights, q: NDArray, posterior: SetPosterior, cap: float, codes: NDArray):
        self.weights, self.posterior, self.cap, self.shape = weights, posterior, cap, q.shape[1:]
        self.projected = weights.project(q.reshape(len(q), -1))
        weights.release(sums_only=True)
        self.codes, at = np.unique(codes, return_index=True)
        self.q = q[at]

    def propagate(self, X: Any, sets: Sets) -> tuple[NDArray, NDArray]:
        """Return the states q and the predictions F of any rows, (n, *e) both."""
        posterior = self.posterior.with_sets(sets)
        F, prior = self.weights(X).sum(self.projected).reshape(-1, *self.shape), posterior.prior()
        q = posterior.update(F, prior, self.cap)
        codes = _codes(X, prior)
        at = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        own = self.codes[at] == codes
        q[own] = self.q[at[own]]
        return q, F

    def phi(self, X: Any, sets: Sets) -> NDArray:
        """Return the mean embedding of each set under its soft labels, (n, d)."""
        posterior = self.posterior.with_sets(sets)
        return posterior.phi(self.propagate(X, sets)[0] if len(sets) else posterior.prior())


def _codes(X: Any, prior: NDArray) -> NDArray:
    """Return a hash of each row and its set, (n,)."""
    return hash_of(X, 0) ^ hash_of(prior.reshape(len(prior), -1), 1)


class SubsetFit(NamedTuple):
    """Soft disambiguation of a subset of the rows."""

    model: SubsetModel
    q: NDArray
    """(n, *e): the states of the subset."""
    F: NDArray
    """(n, *e): leave-one-out predictions of the subset."""


def fit_subset(
    weights: Weights, X: Any, w: NDArray | None, target: Any, posterior: SetPosterior, schedule: Schedule
) -> SubsetFit:
    """Run soft disambiguation on a subset of the rows, and prepare the model that predicts the others."""
    fitted = clone(weights).fit(X, target, w)
    loo_operator = fitted.loo_operator()
    assert loo_operator is not None  # all weights that support chunks have it
    q = posterior.dense(run(fitted, X, posterior, schedule, w).q)
    F = loo_operator(q.reshape(len(q), -1)).reshape(q.shape)
    codes = _codes(X, posterior.dense(posterior.prior()))
    return SubsetFit(SubsetModel(fitted, q, posterior.without_rows(F), schedule.cap, codes), q, F)


def propagate(model: SubsetModel, X: Any, sets: Sets) -> tuple[NDArray, NDArray]:
    """Return q and F of all rows, (n, *e) both, computed in batches."""
    q, F = (np.empty((len(sets), *model.shape)) for _ in range(2))
    for rows in gen_batches(len(sets), BATCH):
        q[rows], F[rows] = model.propagate(X[rows], sets[rows])
    return q, F


class SoftLabelsInChunks(SetsInChunks):
    """Chunked rows in which each set is replaced by the mean of its members under propagated soft labels."""

    def __init__(self, output: OutputSpace, chunks: Chunks, model: SubsetModel):
        self.output, self.chunks, self.model = output, chunks, model

    def embed(self, principle: str) -> Any:
        return EmbeddingInChunks(self.chunks.map(partial(_embedded, self.output, self.model)))

    def table(self, psi: NDArray, principle: str) -> Chunks:
        return self.chunks.map(partial(_tabled, self.output, self.model, psi))

    def __repr__(self) -> str:
        return "<sets in chunks, disambiguated>"


def _embedded(output: OutputSpace, model: SubsetModel, chunk: Chunk) -> Chunk:
    phi = model.phi(chunk.X, read_chunk(output, chunk))
    return chunk._replace(y=(phi, np.column_stack([np.zeros(len(phi)), np.ones(len(phi))])))


def _tabled(output: OutputSpace, model: SubsetModel, psi: NDArray, chunk: Chunk) -> Chunk:
    return chunk._replace(y=(model.phi(chunk.X, read_chunk(output, chunk)) @ psi.T,))
