"""Sources and Noise: estimates about annotators, and about sets that miss the true label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .answers import Answers, SourcedAnswers
from .reliability import Prior, SourceModel

Z = 1.96  # standard errors of an interval of 95 %


@dataclass(frozen=True, repr=False)
class Sources:
    """Reliability of each annotator.

    Attributes
    ----------
    names : list
        The annotators.
    reliability : (k,)
        The estimated probability that an answer contains the true label, corrected for chance: 1 is a perfect
        annotator, 0 one whose answers contribute nothing, and negative values belong to an adversary.
    low, high : (k,)
        An interval of 95 %.
    accuracy : (k,)
        The estimated share of answers that contain the true label.
    answers : (k,)
        The number of answers that exclude a class.
    set_size : (k,)
        The mean number of candidates of these answers.
    confusion : (k, m, m) or None
        The estimated probability of each answer, in columns, for each true class, in rows.
    classes : list
        The classes.
    """

    names: list
    reliability: NDArray
    low: NDArray
    high: NDArray
    accuracy: NDArray
    answers: NDArray
    set_size: NDArray
    confusion: NDArray | None
    classes: list

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one line per annotator, the least reliable one first."""
        import pandas as pd

        columns = ("reliability", "low", "high", "accuracy", "answers", "set_size")
        index = pd.Index(self.names, name="annotator")
        frame = pd.DataFrame({name: getattr(self, name) for name in columns}, index=index)
        return frame.sort_values("reliability", kind="stable")

    def plot(self, ax: Any = None) -> Any:
        """Plot the reliability of each annotator with its interval; return the axes of matplotlib."""
        import matplotlib.pyplot as plt

        if ax is None:
            height = 1.2 + 0.25 * min(len(self.names), 60)
            _, ax = plt.subplots(figsize=(6, height), layout="constrained")
        order = np.argsort(self.reliability, kind="stable")
        y, x = np.arange(len(order)), self.reliability[order]
        spread = np.abs(np.stack([x - self.low[order], self.high[order] - x]))
        ax.errorbar(x, y, xerr=spread, fmt="o", capsize=2)
        ax.set_yticks(y, [str(self.names[k]) for k in order])
        ax.axvline(0, color="grey", linestyle=":")
        ax.set_xlabel("reliability (0: no better than chance)")
        ax.set_ylabel("annotator")
        return ax

    def log_likelihood(self, votes: SourcedAnswers) -> NDArray:
        """Return the log-likelihood of all answers about each row if a class is true, (n, m), up to a constant.

        An annotator without an estimate is as reliable as the mean of the others.
        """
        place = {name: k for k, name in enumerate(self.names)}
        at = [place.get(name, -1) for name in votes.names]
        k = votes.answers.n_sources - len(at)  # sources of known labels
        guessing = np.append(np.append(1 - self.reliability, 1 - self.reliability.mean())[at], np.zeros(k))
        pi = None
        if self.confusion is not None:
            each = np.concatenate([self.confusion, self.confusion.mean(axis=0, keepdims=True)])[at]
            known = np.broadcast_to(np.eye(each.shape[1]), (k, *each.shape[1:]))
            pi = np.concatenate([each.transpose(0, 2, 1), known])
        model = SourceModel(votes.answers, Prior(), pi is not None).with_estimates(guessing, pi)
        return model.log_likelihood()[0]

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        useless = int((self.high <= 0).sum() + ((self.low <= 0) & (self.high > 0)).sum())
        return (
            f"<Sources: {len(self)} annotators, {int(self.answers.sum())} answers, mean reliability"
            f" {np.average(self.reliability, weights=np.maximum(self.answers, 1e-9)):.2f},"
            f" {useless} not better than chance>"
        )


@dataclass(frozen=True)
class Noise:
    """The estimated share of sets that do not contain the true label."""

    share: float
    """The estimate."""
    low: float
    """The lower end of an interval of 95 %."""
    high: float
    """The upper end."""
    by_group: dict[str, float]
    """The share by the size of the sets, or for each tag."""

    def __float__(self) -> float:
        return self.share


def sources_of(model: SourceModel, answers: Answers, q: NDArray, names: list, classes: list, w: Any = None) -> Sources:
    """Describe the sources of a fitted model, given the probabilities q of the options of each item, (items, c)."""
    k, c = len(names), answers.n_options
    given = answers.given.toarray() > 0
    total = answers.counts.T @ (q if w is None else q * w[:, None])
    number = total.sum(axis=1)
    counted = np.bincount(answers.source, np.asarray(answers.counts.sum(axis=0)).ravel(), answers.n_sources)[:k]

    def per_source(values: NDArray) -> NDArray:
        return np.bincount(answers.source, values, answers.n_sources)[:k]

    n, hits = per_source(number), per_source((total * given).sum(axis=1))
    chance = per_source(number * given.sum(axis=1) / c)
    guessing = model.guessing[0][:k]
    accuracy = hits / np.maximum(n, 1e-300)
    # the standard error of a share of n answers, plus those that the prior counts as
    size = n + model.prior.source
    rate = np.clip((hits + model.prior.source * (1 - guessing.mean())) / size, 0.5 / size, 1 - 0.5 / size)
    error = Z * np.sqrt(rate * (1 - rate) / size) / np.maximum(1 - chance / np.maximum(n, 1e-300), 1 / c)
    pi = model.pi
    confusion = None if pi is None else pi[:k].transpose(0, 2, 1)
    sizes = per_source(number * given.sum(axis=1)) / np.maximum(n, 1e-300)
    r = 1 - guessing
    return Sources(
        list(names), r, r - error, np.minimum(r + error, 1.0), np.where(n > 0, accuracy, np.nan), counted,
        np.where(n > 0, sizes, np.nan), confusion, classes,
    )  # fmt: skip


def noise_of(miss: NDArray, slope: NDArray, groups: dict[str, float], w: Any = None) -> Noise:
    """Describe the share of sets that miss the true label: its mean, and an interval from the slopes of the likelihood.

    `miss` are the probabilities that each set misses, and `slope` the derivatives of its log-likelihood by the share.
    """
    weight = np.ones(len(miss)) if w is None else np.asarray(w, dtype=float)
    share = float(np.average(miss, weights=weight))
    error = Z / np.sqrt(max(float((weight * slope**2).sum()), 1e-12))
    return Noise(share, float(max(0.0, share - error)), float(min(1.0, share + error)), groups)
