"""SetPosterior: the distribution of the label of each row on its set, given what the other rows predict."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..evidence.calibration import TemperatureScaling
from ..evidence.sources import Noise, Sources
from ..outputs.base import OutputSpace, Sets
from ..weights.holdout import Holdout, LooOperator

TIE = 0.05  # probability: two members whose probabilities differ by less are tied


class Members(NamedTuple):
    """One member of the set of each row, and how certain it is."""

    z: NDArray
    """(n, *z): the members."""
    confidence: NDArray | None = None
    """(n,): the probability of the member."""
    tied: NDArray = np.empty(0, dtype=int)
    """Rows in which another member is as probable."""
    deviation: NDArray | None = None
    """(n, ...): root mean squared distance of the label from the member, for numbers."""
    q: NDArray | None = None
    """(n, g, c): probabilities of all candidates, if candidates are listed."""


class LabelErrors(NamedTuple):
    """Rows whose set probably does not contain the true label."""

    support: NDArray
    """(n,): how well the set agrees with a prediction that did not use it, in [0, 1]."""
    suspects: NDArray
    """Row numbers of likely label errors."""
    calibrator: TemperatureScaling | None = None
    """The map from predictions to probabilities that was fitted to the sets."""
    miss: NDArray | None = None
    """(n,): the probability that the set does not contain the true label, if sets may miss it."""
    sources: Sources | None = None
    """The reliability of each annotator, if there are several."""
    noise: Noise | None = None
    """The share of sets that miss the true label, if it was estimated."""


class SetPosterior(ABC):
    """Distribution of the label of each row on its set, given predictions from the other rows.

    The state of row i is an array q_i: probabilities of candidates, or moments of a number. The prediction for row i is
    F_i = sum_j alpha_j(x_i) q_j over the other rows. q and F have the shape (..., n, *e), with the state of a row in
    the axes e. A leading axis, if there is one, has one entry per fold that is held out.
    """

    axes: int
    """The number of axes in e."""
    n_growths: int = 0
    """How often supervised weights are fitted again to the labels that they estimate, before the labels are final."""
    n_growths_compared: int = 0
    """The same for model selection, which does not fit them to the final labels."""
    confirms_growths: bool = False
    """Whether supervised weights that are fitted to estimated labels confirm these too easily, as outside of the sets.
    Models are then compared by fits without each fold."""
    is_fallible: bool = False
    """Whether sets may miss the true label, so that their sources are estimated."""
    ranks_errors: bool = False
    """Whether leave-one-out predictions rank the rows by how likely a label error is."""
    holds_out_folds: bool = True
    """Whether label errors are found by predictions without a fold of rows, not only without the row itself."""

    held_out_rounds: int = 8
    """Rounds for held-out rows, which rank models as well as a full run."""
    held_out_tol: float = 0.0
    """The mean change of a state, below which these rounds end."""
    rounds_factor: int = 1
    """Rounds of a full run, in units of those of the schedule; see `Schedule.extended`."""
    max_rounds: int | None = None
    """Rounds after which a full run ends, even if states still change; None sets no limit."""
    is_regression: bool = False
    """Whether the loop maximises a penalised likelihood: predictions include the own row, and rounds have momentum."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The shape of q, (..., n, *e)."""

    @property
    def size(self) -> int:
        """The number of floats in one dense copy of the state."""
        return math.prod(self.shape)

    @abstractmethod
    def prior(self) -> NDArray:
        """Return q before anything is predicted."""

    def starts(self) -> Iterator[NDArray]:
        """Yield the states to start from; those after the first are used if they give a higher likelihood."""
        yield self.prior()

    @abstractmethod
    def update(self, F: NDArray, q: NDArray, power: float) -> NDArray:
        """Return the state given the prediction F, sharpened by `power`; q for rows that F does not inform."""

    @abstractmethod
    def change(self, new: NDArray, q: NDArray) -> NDArray:
        """Return the distance between two states of each row, (..., n)."""

    def mean_log_likelihood(self, F: NDArray) -> NDArray | None:
        """Return the mean of log P_i(S_i) per fold, (k,), right after `update`; None if the loop needs no check."""
        return None

    def predictor(self, loo_operator: LooOperator) -> Callable[[NDArray], NDArray]:
        """Prepare the linear map q -> F, which is applied many times."""
        return lambda q: loo_operator(flatten_state(q, self.axes)).reshape(q.shape)

    def for_scores(self, is_ridge: bool) -> SetPosterior:
        """Return the posterior whose loop is a regression if the weights are a ridge regression, else a short one."""
        raise NotImplementedError

    @abstractmethod
    def hold_out(self, operator: Holdout) -> SetPosterior:
        """Return a posterior with one copy of the rows per fold, in which q is 0 on that fold."""

    def out_of_fold(self, q: NDArray, operator: Holdout) -> NDArray:
        """Predict each row from the other folds, given the states of `hold_out`: (k, n, *e) -> (n, *e)."""
        return operator.out_of_fold(flatten_state(q, self.axes)).reshape(q.shape[1:])

    def dense(self, q: NDArray) -> NDArray:
        """Return q with zeros for the members that are not stored, (n, *e)."""
        return q

    @abstractmethod
    def phi(self, q: NDArray) -> NDArray:
        """Return the mean embedding of each set under q, (n, d)."""

    def growth_state(self, F: NDArray, q: NDArray) -> NDArray:
        """Return the state that supervised weights are fitted to again, given predictions F."""
        return self.update(F, q, 1.0)

    def of_rows(self, rows: NDArray) -> SetPosterior:
        """Return the posterior of some rows, for fits without a fold (`confirms_growths`)."""
        raise NotImplementedError

    def growth_target(self, phi: NDArray) -> NDArray:
        """Return the part of mean embeddings phi (n, d) that supervised weights learn from."""
        return phi

    @abstractmethod
    def predict(self, F: NDArray) -> tuple[NDArray, NDArray]:
        """Return phi (n, d) and log P_i(S_i) (n,) of held-out predictions F, calibrated on these sets."""

    def miss_share(self, F: NDArray) -> float:
        """Return the estimated share of sets that miss the true label, given held-out predictions F; by default 0."""
        return 0.0

    def outputs(self, F: NDArray, output: OutputSpace) -> tuple[NDArray, NDArray]:
        """Return outputs (n, *z) and log P_i(S_i) (n,) of held-out predictions F."""
        phi, log_likelihood = self.predict(F)
        return self.expand(output).decode(phi), log_likelihood

    @abstractmethod
    def members(self, q: NDArray, F: Callable[[], NDArray], output: OutputSpace) -> Members:
        """Return the most probable member of each set; F() computes the predictions if they are needed."""

    def describe(self, z: NDArray, q: NDArray) -> Members:
        """Return what q says about the given members."""
        return Members(z)

    @abstractmethod
    def label_errors(self, F: NDArray, threshold: float, leave_one_out: NDArray | None = None) -> LabelErrors:
        """Find sets that contradict the predictions F, which are made without the fold of each row.

        Leave-one-out predictions are given for some posteriors (`is_fallible`, `ranks_errors`).
        """

    @abstractmethod
    def without_rows(self, F: NDArray) -> SetPosterior:
        """Return the parameters fitted to F and these rows, without the rows; see `with_sets`."""

    @abstractmethod
    def with_sets(self, sets: Sets, sample_weight: Any = None) -> SetPosterior:
        """Return the posterior of other rows, with the parameters fitted to these."""

    def refine(self, F: NDArray, q: NDArray, power: float) -> NDArray:
        """Return the states of all rows, given predictions F from a subset of them; by default as they are."""
        return q

    def label_probabilities(self, q: NDArray, F: NDArray | None) -> NDArray:
        """Return the states that describe the labels of the rows, given predictions F without each row; by default q.

        F is given if sets may miss the true label (`is_fallible`). Models are trained on q in any case.
        """
        return q

    def log_likelihood_at(self, psi: NDArray) -> NDArray | None:
        """Return log P_i(S_i) around predicted outputs with these psi (n, d); None if points have no distribution."""
        return None

    def mean(self, q: NDArray) -> NDArray:
        """Return the mean of the label in the state q, in the units of `center`, (..., n, m)."""
        raise NotImplementedError

    def center(self, F: NDArray) -> NDArray:
        """Return the mean of the label that F predicts without the row's own set, (..., n, m)."""
        raise NotImplementedError

    def moved(self, F: NDArray, step: NDArray) -> NDArray:
        """Return predictions whose `center` is moved by `step`, (..., n, m)."""
        raise NotImplementedError

    def expand(self, output: OutputSpace) -> OutputSpace:
        """Return the output space, expanded if members may lie outside of it."""
        return output


def flatten_state(q: NDArray, axes: int) -> NDArray:
    """Flatten the last axes, (..., n, *e) -> (..., n, size of e), for sums over rows."""
    return q.reshape(*q.shape[: q.ndim - axes], -1)
