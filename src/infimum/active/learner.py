"""Learner: predicts the outputs of all rows from those that are labelled, and is updated as answers arrive.

F(x) = p + Σ_i α_i(x) (T_i - p), kernel ridge regression on the labelled rows. T_i is the mean target over the set S_i
given what the *other* rows predict (soft disambiguation), and p is a prior. A newly labelled row updates the inverse of
the kernel matrix in O(L²) for L labelled rows; an answer about a labelled row changes only T.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.spatial.distance import cdist

from ..outputs.question_model import Belief, QuestionModel
from ..selection.kernel_cache import scaled
from ..weights import KernelRidge, Scaled
from .ridge import IncrementalRidge, Lookahead

N_REFERENCE = 1000  # rows over which influences and accuracies are averaged; 256 gave noisy choices
N_ROUNDS = 4  # of soft disambiguation per update
MIN_ANSWERS = 10  # after which answers, instead of leave-one-out predictions, calibrate probabilities
DECAY = 0.98  # factor of the weight of an answer per later answer
MAX_ANSWERS = 50  # rows that change in one update; more are a new table, not answers
N_COMPARED = 200  # labelled rows on which settings are compared
GAMMAS = (0.5, 1.0, 2.0, 4.0)
RIDGES = (1e-3, 1e-2, 1e-1)


class Setting(NamedTuple):
    """A kernel exp(-gamma |x - x'|² / median |x - x'|²) on plain or standardised features, and a ridge."""

    scaling: str = "standard"
    gamma: float = 1.0
    ridge: float = 1e-2


class Learner:
    """Keeps a ridge regression on the labelled rows and updates it for sets that have changed.

    Parameters
    ----------
    X : (n, p) array
        All rows, labelled or not.
    model : QuestionModel
        ``space.questions()`` of the output space.
    setting : Setting, optional
        By default the kernel and the ridge have the largest evidence on the labelled rows. They are chosen again each
        time the number of labelled rows has doubled.
    random_state : int, default 0
        Seed for the choice of reference rows.
    """

    def __init__(self, X: Any, model: QuestionModel, setting: Setting | None = None, random_state: int = 0):
        X = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)
        self.model, self.fixed = model, setting is not None or not model.predicts
        self.setting = Setting() if setting is None else setting
        self.views = {"none": X, "standard": scaled("standard", X, None)}
        self.reference = _reference_rows(len(X), random_state)
        self.units = {name: _median_distance(Z[self.reference]) for name, Z in self.views.items()}
        self.ridge = self._new_ridge()
        self.belief: Belief | None = None
        self.prior = model.prior
        self.scale: Any = None
        self.calibration = model.calibrations[0]
        """The calibration of predictions for rows that are asked about."""
        self.T = np.empty((0, len(model.prior)))
        """(L, d): the targets of the labelled rows."""
        self.held_out = np.empty((0, len(model.prior)))
        """(L, d): the prediction at each labelled row from the others."""
        self._log_likelihoods, self._n_answers = np.zeros(len(model.calibrations)), 0
        self.without_row: NDArray | None = None
        """(n, d): the prediction at each row from the others, labelled or not."""
        self._n_compared = 4

    def _new_ridge(self) -> IncrementalRidge:
        scaling, gamma, ridge = self.setting
        return IncrementalRidge(self.views[scaling], gamma / self.units[scaling], ridge, self.reference)

    def update(self, sets: Any) -> Belief:
        """Return the belief about all rows, given their sets."""
        return self.update_encoded(self.model.encode(sets))

    def update_encoded(self, E: NDArray) -> Belief:
        """Return the belief about all rows, given their sets in the form of `QuestionModel.encode`."""
        labelled, rows = self.model.is_labelled(E), self.ridge.rows
        if not labelled[rows].all():  # answers were taken back
            rows = rows[labelled[rows]]
            self.ridge, self.T = self._new_ridge(), self.T[:0]
            self.ridge.add(rows)
        self._recalibrate(E)
        self.ridge.add(np.setdiff1d(np.flatnonzero(labelled), rows))
        self._select_setting(E)
        self._disambiguate(E)
        self.belief = self._predict(E)
        return self.belief

    def _recalibrate(self, E: NDArray) -> None:
        """Choose the calibration under which the new answers were most likely before they arrived.

        Leave-one-out predictions at labelled rows are more certain than predictions at the rows that are asked about,
        which are far from labelled rows. So answers are used as soon as there are enough of them.
        """
        if self.belief is None or self.without_row is None:
            return
        rows = np.flatnonzero((self.belief.E != E).any(axis=1))
        if not 0 < len(rows) <= MAX_ANSWERS:
            return
        new = self.model.log_likelihoods(self.belief.E[rows], E[rows], self.without_row[rows])
        self._log_likelihoods = DECAY ** len(rows) * self._log_likelihoods + new
        self._n_answers += len(rows)
        if self._n_answers >= MIN_ANSWERS:
            self.calibration = self.model.calibrations[int(np.argmax(self._log_likelihoods))]

    def _disambiguate(self, E: NDArray) -> None:
        """Compute the targets of the labelled rows from their sets and from what the other rows predict."""
        model, rows = self.model, self.ridge.rows
        if not len(rows):
            self.prior = model.prior
            return
        E = E[rows]
        if len(self.T) < len(rows):
            new = E[len(self.T) :]
            first = model.posterior_mean(new, _repeat(model.prior, len(new)), None, model.calibrations[0])
            self.T = np.vstack([self.T, first])
        weight = max(len(model.prior), 4)  # of the prior, in rows
        for step in range(N_ROUNDS):
            self.prior = (weight * model.prior + self.T.sum(axis=0)) / (weight + len(self.T))
            F = self.prior + self.ridge.leave_one_out(self.T - self.prior)
            if step == 0:
                self.scale = model.residual_scale(E, F)
                unlabelled = np.broadcast_to(model.unlabelled, E.shape)
                calibration = model.calibrations[int(np.argmax(model.log_likelihoods(unlabelled, E, F)))]
            spread = model.spread(self.scale, self.ridge.variance[rows])
            # uncalibrated: with sharpened predictions a guess would confirm itself
            self.T = model.posterior_mean(E, F, spread, model.calibrations[0])
        self.held_out = F
        if self._n_answers < MIN_ANSWERS:
            self.calibration = calibration

    def _predict(self, E: NDArray) -> Belief:
        rows = self.ridge.rows
        F = self.prior + self.ridge.predict(self.T - self.prior) if len(rows) else _repeat(self.model.prior, len(E))
        spread = self.model.spread(self.scale, self.ridge.variance)
        self.without_row = F.copy()
        self.without_row[rows] = self.held_out[: len(rows)]
        return Belief(E, self.model.posterior_mean(E, self.without_row, spread, self.calibration), F, spread)

    def lookahead(self, doubt: NDArray, is_open: NDArray) -> Lookahead:
        """Return the influence of the open rows, on reference rows that are weighted by how doubtful they are, (n,)."""
        doubt = doubt / doubt.mean() if doubt.any() else np.ones(len(doubt))
        return Lookahead(self.ridge, doubt[self.ridge.reference], is_open)

    @property
    def n_labelled(self) -> int:
        """The number of labelled rows."""
        return len(self.ridge.rows)

    def similarity(self, row: int) -> NDArray:
        """Return the kernel between a row and all rows, (n,)."""
        return self.ridge.kernel(np.array([row]))[:, 0]

    def _select_setting(self, E: NDArray) -> None:
        """Compare settings if there are twice as many labelled rows as at the last comparison."""
        rows = self.ridge.rows
        if self.fixed or len(rows) < 2 * self._n_compared:
            return
        self._n_compared = len(rows)
        some = np.random.default_rng(len(rows)).permutation(len(rows))[:N_COMPARED]
        best = self._best_setting(rows[np.sort(some)], E)
        if best != self.setting:
            self.setting = best
            self.ridge = self._new_ridge()
            self.ridge.add(rows)

    def _best_setting(self, rows: NDArray, E: NDArray) -> Setting:
        """Return the setting with the largest evidence as a Gaussian process.

        The library's own model selection uses cross-validation, which favours kernels that are too wide here: rows
        that were asked about are far from each other.
        """
        found: list[tuple[float, Setting]] = []
        for scaling, Z in self.views.items():
            D = cdist(Z[rows], Z[rows], "sqeuclidean") / self.units[scaling]
            for gamma in GAMMAS:
                s, U = linalg.eigh(np.exp(-gamma * D), check_finite=False, driver="evd")
                for ridge in RIDGES:
                    evidence = self._evidence(np.maximum(s, 0) + ridge, U, E[rows])
                    found.append((evidence, Setting(scaling, gamma, ridge)))
        return max(found, key=lambda one: one[0])[1]

    def _evidence(self, s: NDArray, U: NDArray, E: NDArray) -> float:
        """Return log N(T - mean | 0, c (K + ridge)) per number of T, at the best c; K + ridge = U diag(s) U'."""
        model, calibration = self.model, self.model.calibrations[0]
        C = (U / s) @ U.T
        T = model.posterior_mean(E, _repeat(model.prior, len(E)), None, calibration)
        for _ in range(2):
            D = T - T.mean(axis=0)
            F = T - (C @ D) / np.diagonal(C)[:, None]
            spread = model.spread(model.residual_scale(E, F), np.zeros(len(E)))
            T = model.posterior_mean(E, F, spread, calibration)
        D = T - T.mean(axis=0)
        return float(-np.log(np.maximum((D * (C @ D)).mean(), 1e-12)) - np.log(s).mean()) / 2


class FixedBelief:
    """The belief of a fitted model about its rows, in place of a `Learner`; all rows have the same influence.

    Parameters
    ----------
    model : QuestionModel
        What can be asked.
    belief : Belief
        What is known and predicted about the rows.
    """

    n_labelled = 0

    def __init__(self, model: QuestionModel, belief: Belief):
        self.model, self.belief = model, belief
        self.factor = np.ones(len(belief.E))
        """The influence of each row, whatever else is labelled; see `Lookahead`."""

    def lookahead(self, doubt: NDArray, is_open: NDArray) -> Self:
        return self

    def add(self, j: int) -> None:
        """Count row j as labelled."""

    def similarity(self, row: int) -> NDArray:
        return np.zeros(len(self.belief.E))


def setting_of(model: Any, X: Any) -> Setting | None:
    """Return the setting of an estimator with Gaussian kernel ridge weights and fixed parameters; None for others."""
    weights = getattr(model, "weights", None)
    scaling = "none"
    if isinstance(weights, Scaled) and weights.scaling == "standard":
        weights, scaling = weights.weights, "standard"
    if not isinstance(weights, KernelRidge) or weights.kernel != "rbf" or weights.lam is None:
        return None
    if isinstance(weights.gamma, str) and weights.sigma is None:
        return None
    gamma = weights.gamma if weights.sigma is None else 1 / (2 * weights.sigma**2)
    Z = scaled(scaling, np.asarray(X, dtype=float), None)
    unit = _median_distance(Z[_reference_rows(len(Z), 0)])
    return Setting(scaling, float(gamma) * unit, max(float(weights.lam) * len(Z) ** 0.5, 1e-6))


def _reference_rows(n: int, random_state: int) -> NDArray:
    return np.sort(np.random.default_rng(random_state).permutation(n)[:N_REFERENCE])


def _median_distance(Z: NDArray) -> float:
    D = cdist(Z, Z, "sqeuclidean")
    return float(np.median(D[np.triu_indices(len(D), 1)])) if len(D) > 1 and D.any() else 1.0


def _repeat(row: NDArray, n: int) -> NDArray:
    return np.repeat(row[None], n, axis=0)
