"""Attributes that a fit with disambiguation adds to a model: what is known about the training rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..disambiguation import DisambiguationResult
from ..evidence import Noise, Sources
from ..outputs import OutputSpace


class TrainingLabelsMixin:
    """Estimated labels of the training rows, likely label errors and the reliability of annotators."""

    output_: OutputSpace
    disambiguation_: DisambiguationResult | None

    @property
    def labels_(self) -> NDArray:
        """The most likely member of the set of each training row; after disambiguation."""
        return self.output_.tabulate(self._disambiguation().labels)

    @property
    def confidence_(self) -> NDArray | None:
        """The probability of each entry of `labels_`, (n,); after soft disambiguation."""
        return self._disambiguation().confidence

    @property
    def deviation_(self) -> NDArray | None:
        """The standard deviation of the true value of each row, (n, ...); after soft disambiguation of numbers."""
        return self._disambiguation().deviation

    @property
    def tied_(self) -> NDArray:
        """The training rows of which two candidates are almost equally likely; after disambiguation."""
        return self._disambiguation().tied

    @property
    def suspects_(self) -> NDArray:
        """The training rows whose set probably does not contain the true label; after disambiguation."""
        return self._disambiguation().suspects

    @property
    def sources_(self) -> Sources:
        """The reliability of each annotator; after a fit to `Votes`."""
        found = self._disambiguation().sources
        if found is None:
            raise AttributeError("sources_ requires the answers of several annotators. Fit the model to infimum.Votes.")
        return found

    @property
    def noise_(self) -> Noise:
        """The estimated share of training sets that miss the true label; 0 if no such share was selected."""
        found = self._disambiguation().noise
        return Noise(0.0, 0.0, 0.0, {}) if found is None else found

    @property
    def label_errors_(self) -> NDArray:
        """The training rows, ordered by the probability of a label outside of their set, the largest first."""
        found = self._disambiguation()
        if found.miss is not None:
            return np.argsort(-found.miss, kind="stable")
        if found.support is None:
            raise AttributeError("label_errors_ requires held-out predictions. Fit with Disambiguation(threshold=0.1).")
        return np.argsort(found.support, kind="stable")

    def _disambiguation(self) -> DisambiguationResult:
        found = vars(self).get("disambiguation_")
        if found is None:
            raise AttributeError(
                "Labels of the training rows require disambiguation on rows in memory. Fit with"
                " principle='disambiguation'."
            )
        return found
