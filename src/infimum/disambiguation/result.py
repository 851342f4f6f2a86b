"""DisambiguationResult: the estimated label of each row, its confidence and likely label errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..evidence.calibration import TemperatureScaling
from ..evidence.sources import Noise, Sources
from ..outputs.base import OutputSpace
from .posterior import Members


@dataclass(frozen=True, repr=False)
class DisambiguationResult:
    """Estimated labels of the training rows.

    Attributes
    ----------
    labels : (n, ...)
        The most probable member of each set, with the names that y uses.
    confidence : (n,) or None
        The soft-label probability of that member; for several tags, the smallest one. None if members are not listed.
    tied : (k,)
        Row numbers in which two candidates, or two intervals of a union, have the same probability up to 0.05.
    support : (n,) or None
        The held-out probability P_i(S_i) of the row's own set. For numbers, the probability that the true value is at
        least as far from the prediction as the set is.
    suspects : (k,)
        Row numbers of likely label errors. For candidates, three conditions hold: the support is below the threshold,
        sets of the same size are more probable by this factor, and the set is less than half as probable as a random
        one. For numbers, fewer correct sets than the threshold are expected to be so far off.
    q : (n, g, c) or None
        The soft labels: probabilities of all candidates. For several annotators, predictions are calibrated first.
    phi : (n, d)
        What the model is trained on: the mean embedding of each set under the soft labels of the last update, or the
        embedding of its selected member.
    converged : bool
        Whether soft labels no longer changed when the loop ended.
    out_of_fold : (n, g, c) or (n, m + 2) or None
        Predictions for each row without its fold, before calibration: scores of the options, or sums of (1, t, |t|²)
        for numbers.
    calibrator : TemperatureScaling or None
        The map from these predictions to probabilities.
    soft : bool
        Whether rows have soft labels, not one selected member.
    deviation : (n, ...) or None
        For numbers, the root mean squared distance of the value from its label.
    z : (n, ...)
        The same members as `labels`, in the form of the output space.
    miss : (n,) or None
        The probability that the label of each row is outside of its set. If sets may miss the true label, it is the
        probability given the set; otherwise it is predicted from the other rows, for listed candidates.
    sources : Sources or None
        The reliability of each annotator, if there are several.
    noise : Noise or None
        The share of sets that miss the true label, if it was estimated.
    """

    labels: NDArray
    confidence: NDArray | None
    tied: NDArray
    support: NDArray | None
    suspects: NDArray
    q: NDArray | None
    phi: NDArray
    converged: bool
    out_of_fold: NDArray | None = None
    calibrator: TemperatureScaling | None = None
    soft: bool = True
    deviation: NDArray | None = None
    z: NDArray | None = None
    miss: NDArray | None = None
    sources: Sources | None = None
    noise: Noise | None = None

    @classmethod
    def of_members(
        cls, output: OutputSpace, members: Members, phi: NDArray, converged: bool, soft: bool
    ) -> DisambiguationResult:
        """Return a result without held-out predictions."""
        return cls(
            labels=output.readable(members.z),
            confidence=members.confidence,
            tied=members.tied,
            support=None,
            suspects=np.empty(0, dtype=int),
            q=members.q,
            phi=phi,
            converged=converged,
            soft=soft,
            deviation=members.deviation,
            z=members.z,
        )

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        parts = [f"{len(self)} rows"]
        if self.confidence is not None:
            parts.append(f"mean confidence {self.confidence.mean():.2f}")
        parts.append(f"{len(self.tied)} tied")
        if self.support is not None:
            parts.append(f"{len(self.suspects)} suspects")
        if not self.converged:
            parts.append("not converged: increase max_iter")
        return f"<DisambiguationResult: {', '.join(parts)}>"
