"""Learner: what the rows that were asked about say about all the others, updated as answers come.

A ridge on the rows that are known, F(x) = p + Σ_i α_i(x) (T_i - p): T_i is the mean target over the set S_i by what the
*other* rows predict (soft disambiguation), p a prior. A new row borders the inverse of the kernel matrix, O(L²) for L
known rows; an answer about a known row only changes T. Shapes: n rows, L known ones, r rows of reference, d a target.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.spatial.distance import cdist

from ..weights import Scaled
from .structure import Structure

REFERENCE = 256
ROUNDS = 4
ENOUGH = 10  # answers from which on they say how sure predictions may be
FADES = 0.98  # what an answer counts, an answer later
MANY = 50  # rows that change at once, beyond which they are no answers but a new table
COMPARED = 200  # known rows on which settings are compared
GAMMAS = (0.5, 1.0, 2.0, 4.0)
RIDGES = (1e-3, 1e-2, 1e-1)


class Setting(NamedTuple):
    """A kernel exp(-gamma |x - x'|² / median |x - x'|²) on plain or scaled features, and a ridge."""

    scaling: str = "standard"
    gamma: float = 1.0
    ridge: float = 1e-2


class Growing:
    """C = (K_LL + ridge)^{-1} and what it says about all rows, while L grows."""

    def __init__(self, Z: NDArray, gamma: float, ridge: float, reference: NDArray):
        self.Z, self.gamma, self.ridge, self.reference = Z, gamma, ridge, reference
        n = len(Z)
        self.rows = np.empty(0, dtype=int)
        self._K, self._C = np.empty((n, 64)), np.zeros((64, 64))
        self.variance = np.ones(n)
        self._covariance = self.kernel(reference)
        self._late: list[tuple[NDArray, NDArray]] = []

    def kernel(self, rows: NDArray) -> NDArray:
        """k(x, x_j) for every row and some of them, (n, k)."""
        return np.exp(-self.gamma * cdist(self.Z, self.Z[rows], "sqeuclidean"))

    @property
    def K(self) -> NDArray:
        """(n, L)."""
        return self._K[:, : len(self.rows)]

    @property
    def C(self) -> NDArray:
        """(L, L)."""
        return self._C[: len(self.rows), : len(self.rows)]

    def add(self, rows: NDArray) -> None:
        """Border the inverse by some rows at once."""
        if not len(rows):
            return
        L, new = len(self.rows), len(rows)
        self._grow(L + new)
        k = self.kernel(rows)
        u = self.C @ k[self.rows]
        schur = k[rows] - k[self.rows].T @ u
        schur[np.diag_indices(new)] += self.ridge
        factor = linalg.cho_factor(schur + 1e-10 * np.eye(new), lower=True, check_finite=False)
        inverse = linalg.cho_solve(factor, np.eye(new), check_finite=False)
        gain = u @ inverse
        self._C[:L, :L] += gain @ u.T
        self._C[:L, L : L + new] = -gain
        self._C[L : L + new, :L] = -gain.T
        self._C[L : L + new, L : L + new] = inverse
        column = k - self.K @ u
        step = column @ inverse
        self._K[:, L : L + new] = k
        self.rows = np.concatenate([self.rows, rows])
        self.variance = np.maximum(self.variance - (step * column).sum(axis=1), 0.0)
        self._late.append((step, column[self.reference]))

    @property
    def covariance(self) -> NDArray:
        """What the known rows leave of k(x, x') for every row and those of reference, (n, r); made where it is read."""
        if self._late:
            steps, columns = (np.hstack(part) for part in zip(*self._late))
            self._covariance -= steps @ columns.T
            self._late = []
        return self._covariance

    def _grow(self, size: int) -> None:
        have = len(self._C)
        if size <= have:
            return
        room = max(size, 2 * have)
        K, C = np.empty((len(self.Z), room)), np.zeros((room, room))
        K[:, :have], C[:have, :have] = self._K, self._C
        self._K, self._C = K, C

    def left_out(self, D: NDArray) -> NDArray:
        """Predictions of the deviations D at every known row without it, (L, d) -> (L, d)."""
        C = self.C
        return D - (C @ D) / np.diagonal(C)[:, None]

    def predict(self, D: NDArray) -> NDArray:
        """(L, d) -> (n, d)."""
        return self.K @ (self.C @ D)

    def influence(self) -> NDArray:
        """The mean over rows of reference of (∂F / ∂T_j)², for every row j, (n,)."""
        out = np.square(self.covariance).mean(axis=1) / np.square(self.variance + self.ridge)
        out[self.rows] = self.influence_known()
        return out

    def influence_known(self) -> NDArray:
        """The same for the known rows alone, (L,)."""
        return np.square(self.K[self.reference] @ self.C).mean(axis=0)


class Belief(NamedTuple):
    """What is believed about every row."""

    T: NDArray
    """(n, d): the mean target over the set."""
    F: NDArray
    """(n, d): what is predicted, whatever the set."""
    spread: Any
    """(n,): deviations of numbers; None for other structures."""


class Learner:
    """Keeps a ridge on the rows that are known, and changes it where the sets have changed.

    Parameters
    ----------
    X : (n, d) array
        All rows, asked about or not.
    structure : Structure
    setting : Setting, optional
        By default the kernel and the ridge are chosen by the evidence of the known rows, again and again as their
        number doubles.
    random_state : int
        Of the rows of reference.
    """

    def __init__(self, X: Any, structure: Structure, setting: Setting | None = None, random_state: int = 0):
        X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)
        rng = np.random.default_rng(random_state)
        self.structure, self.fixed = structure, setting is not None
        self.setting = Setting() if setting is None else setting
        self.views = {"none": X, "standard": _standard(X)}
        self.reference = np.sort(rng.permutation(len(X))[:REFERENCE])
        self.units = {name: _median(Z[self.reference]) for name, Z in self.views.items()}
        self.E: NDArray | None = None
        self.ridge = self._start()
        self.power, self.scale = structure.powers[0], None
        self.asked_power, self._surprise, self._asked = self.power, np.zeros(len(structure.powers)), 0
        self._F: NDArray | None = None
        self.left_out = np.empty((0, len(structure.prior)))
        """What is predicted at every known row without it, (L, d)."""
        self.T = np.empty((0, len(structure.prior)))
        self.chosen_at = 8 / 2

    def _start(self) -> Growing:
        scaling, gamma, ridge = self.setting
        return Growing(self.views[scaling], gamma / self.units[scaling], ridge, self.reference)

    def update(self, sets: Any) -> Belief:
        """What is believed once the sets are these."""
        return self.update_encoded(self.structure.encode(sets))

    def update_encoded(self, E: NDArray) -> Belief:
        known = self.structure.known(E)
        rows = self.ridge.rows
        if not known[rows].all():  # answers were taken back
            rows = rows[known[rows]]
            self.ridge, kept = self._start(), rows
            self.ridge.add(kept)
            self.T = np.empty((0, self.T.shape[1]))
        new = np.setdiff1d(np.flatnonzero(known), rows)
        self._heed(E)
        self.ridge.add(new)
        self.E = E
        self._choose()
        self._settle()
        return self.belief()

    def _heed(self, E: NDArray) -> None:
        """How sure predictions may be: as sure as they were right about the rows that were asked about.

        Rows that are left out lie among rows that are known; rows that are asked about do not, and are less certain
        than those. So what was predicted before an answer came is judged by the answer.
        """
        if self.E is None or self._F is None:
            return
        rows = np.flatnonzero((self.E != E).any(axis=1))
        if not 0 < len(rows) <= MANY:
            return
        told = self.structure.surprises(self.E[rows], E[rows], self._F[rows])
        self._surprise = FADES ** len(rows) * self._surprise + told
        self._asked += len(rows)
        if self._asked >= ENOUGH:
            self.asked_power = self.structure.powers[int(np.argmax(self._surprise))]

    def _prior(self) -> NDArray:
        """The structure's, moved towards the mean of what is known."""
        weight = max(len(self.structure.prior), 4)
        return (weight * self.structure.prior + self.T.sum(axis=0)) / (weight + len(self.T))

    def _settle(self) -> None:
        """The targets of the known rows: what their sets leave of what the others predict."""
        structure, rows, E = self.structure, self.ridge.rows, self.E
        assert E is not None
        if not len(rows):
            self.prior = structure.prior
            return
        L = len(rows)
        if len(self.T) < L:
            start = np.broadcast_to(structure.prior, (L - len(self.T), len(structure.prior)))
            first = structure.narrow(E[rows[len(self.T) :]], start, None, structure.powers[0])
            self.T = np.vstack([self.T, first])
        for step in range(ROUNDS):
            self.prior = self._prior()
            F = self.prior + self.ridge.left_out(self.T - self.prior)
            if step == 0:
                self.scale = structure.scale(E[rows], F)
                self.power = self._fitting(E[rows], F)
            spread = structure.spread(self.scale, self.ridge.variance[rows])
            # as they are: sharpened, a guess would confirm itself
            self.T = structure.narrow(E[rows], F, spread, structure.powers[0])
        self.left_out = F
        if self._asked < ENOUGH:
            self.asked_power = self.power

    def _fitting(self, E: NDArray, F: NDArray) -> Any:
        """The sharpening under which the sets are most likely, each predicted without its row."""
        return self.structure.powers[int(np.argmax(self.structure.likelihoods(E, F)))]

    def belief(self) -> Belief:
        assert self.E is not None
        rows = self.ridge.rows
        F = self.prior + self.ridge.predict(self.T - self.prior) if len(rows) else self._nothing()
        spread = self.structure.spread(self.scale, self.ridge.variance)
        self._F = F.copy()
        if len(rows):
            self._F[rows] = self.left_out  # without the row itself
        T = self.structure.narrow(self.E, self._F, spread, self.asked_power)
        return Belief(T, F, spread)

    def _nothing(self) -> NDArray:
        return np.repeat(self.structure.prior[None], len(self.ridge.Z), axis=0)

    def _choose(self) -> None:
        """Compare settings on the known rows, where there are twice as many as the last time."""
        rows = self.ridge.rows
        if self.fixed or len(rows) < 2 * self.chosen_at:
            return
        self.chosen_at = len(rows)
        some = np.random.default_rng(len(rows)).permutation(len(rows))[:COMPARED]
        best = self._best_setting(rows[np.sort(some)])
        if best != self.setting:
            self.setting = best
            self.ridge = self._start()
            self.ridge.add(rows)

    def _best_setting(self, rows: NDArray) -> Setting:
        """The setting of the largest evidence.

        Rows that were asked about lie apart from one another, and what is predicted of each without it speaks for
        kernels that are too wide; their evidence as a Gaussian process does not.
        """
        assert self.E is not None
        E = self.E[rows]
        found: list[tuple[float, Setting]] = []
        for scaling, Z in self.views.items():
            D = cdist(Z[rows], Z[rows], "sqeuclidean") / self.units[scaling]
            for gamma in GAMMAS:
                s, U = linalg.eigh(np.exp(-gamma * D), check_finite=False, driver="evd")
                for ridge in RIDGES:
                    value = self._evidence(np.maximum(s, 0) + ridge, U, E)
                    found.append((value, Setting(scaling, gamma, ridge)))
        return max(found, key=lambda one: one[0])[1]

    def _evidence(self, s: NDArray, U: NDArray, E: NDArray) -> float:
        """log N(T - prior | 0, c (K + ridge)) a row and a target, at the best c, where K + ridge = U diag(s) U'."""
        structure = self.structure
        C = (U / s) @ U.T
        T = structure.narrow(E, np.repeat(structure.prior[None], len(E), axis=0), None, structure.powers[0])
        for _ in range(2):
            prior = T.mean(axis=0)
            F = prior + (T - prior) - (C @ (T - prior)) / np.diagonal(C)[:, None]
            T = structure.narrow(E, F, structure.spread(structure.scale(E, F), np.zeros(len(E))), structure.powers[0])
        D = T - T.mean(axis=0)
        return float(-np.log(np.maximum((D * (C @ D)).mean(), 1e-12)) - np.log(s).mean()) / 2


def _standard(X: NDArray) -> NDArray:
    return Scaled().fit_scale(X).scaled(X)


def _median(Z: NDArray) -> float:
    D = cdist(Z, Z, "sqeuclidean")
    return float(np.median(D[np.triu_indices(len(D), 1)])) if len(D) > 1 and D.any() else 1.0
