"""TokenExplanation: the contribution of each feature, and of the neighbouring labels, to the label of a token."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.text_tables import aligned, html_table
from ..outputs.sequences.sets import factors_of

N_SHOWN = 8
"""Contributions that are printed."""


class TokenExplanation:
    """Why a model predicts a label of a token and not another one, feature by feature.

    Given the predicted labels of its neighbours, log P(label) - log P(other label) of a token is a sum over its
    features and over the steps from and to its neighbours. So `contribution` sums to `margin`.

    Parameters
    ----------
    labels : (str, str)
        The predicted label and the one that it is compared with.
    context : str
        The token.
    probabilities : (float, float)
        The probabilities of both labels, over all labels of the neighbours.
    features : list of str
        What contributes.
    contribution : (d,)
        How much.

    Attributes
    ----------
    prediction, against : label
        The predicted label, and the one that it is compared with.
    probability, probability_against : float
        Their probabilities, over all labels of the neighbours.
    features : list of str
        Features of the token and neighbouring labels, the largest contribution first.
    contribution : (d,)
        Positive if the feature supports the prediction. Infinite if a step to or from the other label is not allowed.
    """

    def __init__(
        self, labels: tuple[Any, Any], context: str, probabilities: tuple[float, float], features: list[str],
        contribution: NDArray,
    ):  # fmt: skip
        (self.prediction, self.against), self.context = labels, context
        self.probability, self.probability_against = probabilities
        order = [int(k) for k in np.argsort(-np.abs(contribution), kind="stable") if contribution[k] != 0]
        self.features, self.contribution = [features[k] for k in order], contribution[order]

    @property
    def margin(self) -> float:
        """The logarithm of the ratio of both probabilities, given the predicted labels of the neighbours.

        It is negative if the other label is more likely given these neighbours, although not over all of them.
        """
        return float(self.contribution.sum())

    def table(self, k: int = N_SHOWN) -> list[dict[str, Any]]:
        """Return the k largest contributions."""
        return [
            {"feature": name, "contribution": float(c), "supports": self.prediction if c > 0 else self.against}
            for name, c in zip(self.features[:k], self.contribution)
        ]

    def _head(self) -> str:
        return (
            f"{self.context}: {self.prediction}, not {self.against}. Probability {self.probability:.3f} against"
            f" {self.probability_against:.3f}, margin {self.margin:.4g} = the sum of {len(self.features)} contributions"
        )

    def _lines(self) -> list[tuple[str, ...]]:
        body = [(row["feature"], f"{row['contribution']:+.4g}", str(row["supports"])) for row in self.table()]
        return [("feature", "contribution", "supports"), *body]

    def __repr__(self) -> str:
        more = len(self.features) - N_SHOWN
        rest = float(self.contribution[N_SHOWN:].sum())
        tail = [f"… and {more} more, {rest:+.4g} together"] if more > 0 else []
        return "\n".join([self._head(), *aligned(self._lines()), *tail])

    def _repr_html_(self) -> str:
        return f"<p>{escape(self._head())}</p>{html_table(self._lines())}"


def explained_token(model: Any, x: Any, token: int, against: Any = None) -> TokenExplanation:
    """Return the explanation of a fitted `PartialSequenceTagger` for one token of a sequence x."""
    if model.sequence is None:
        if isinstance(x, list | tuple) and len(x) and _is_sequence(x[0]):
            raise ValueError(f"explain_token requires one sequence, such as X[0]. Got a list of {len(x)} sequences.")
        x = [x]
    tokens, design, sets = model._prepared(x)
    n, classes = int(tokens.lengths[0]), model.classes_
    if len(tokens.lengths) != 1:
        ids = f"X[X[{model.sequence!r}] == X[{model.sequence!r}].iloc[0]]"
        raise ValueError(f"explain_token requires one sequence, such as {ids}. Got {len(tokens.lengths)} sequences.")
    if not isinstance(token, int | np.integer) or not 0 <= token < n:
        raise ValueError(f"token must be a position in the sequence, 0 to {n - 1}. Got {token!r}.")
    if len(classes) == 1:
        raise ValueError(f"explain_token requires two labels. The only one is {classes[0]!r}.")
    z, P = model.chain_.predict(design, sets)[0], model.chain_.marginals(design, sets)[token]
    names, steps = _steps(model, z, token)
    possible = np.isfinite(steps).all(axis=0) & (np.arange(len(classes)) != z[token])
    if against is None:
        rival = int(np.argmax(np.where(possible if possible.any() else np.arange(len(P)) != z[token], P, -1.0)))
    else:
        rival = next((k for k, name in enumerate(classes) if name == against and k != z[token]), -1)
        if rival < 0:
            others = ", ".join(repr(name) for k, name in enumerate(classes.tolist()) if k != z[token])
            raise ValueError(f"against must be one of the other labels, {others}. Got {against!r}.")
    coefficients = model.chain_.coefficients
    values = design.row(token) * (coefficients[:, z[token]] - coefficients[:, rival])
    total: dict[str, float] = {}
    for name, value in zip(model.features_.feature_names(), values.tolist()):
        if value:
            total[name] = total.get(name, 0.0) + value
    contexts = tokens.contexts()
    return TokenExplanation(
        (classes[z[token]], classes[rival]),
        f"token {token}" if contexts is None else contexts[0][token],
        (float(P[z[token]]), float(P[rival])),
        [*total, *names],
        np.array([*total.values(), *(steps[:, z[token]] - steps[:, rival])]),
    )


def _is_sequence(part: Any) -> bool:
    """Whether a member of x is itself a sequence, not a token: words, feature dicts, or an array of two dimensions."""
    if isinstance(part, list | tuple):
        return len(part) > 0 and isinstance(part[0], str | Mapping)
    return getattr(part, "ndim", 1) == 2


def _steps(model: Any, z: NDArray, token: int) -> tuple[list[str], NDArray]:
    """Return the steps to and from a token, and the score of each label in both, (2, m); -inf if not allowed."""
    edges, m = model.chain_.steps, len(model.classes_)
    allowed = factors_of(model.sequences_.allowed_, m)
    first, follow, last = (np.where(a > 0, e, -np.inf) for e, a in zip(edges, allowed))
    names, scores = ["first token"], [first]
    if token > 0:
        names, scores = [f"previous label: {model.classes_[z[token - 1]]}"], [follow[z[token - 1]]]
    if token + 1 < len(z):
        return [*names, f"next label: {model.classes_[z[token + 1]]}"], np.array([*scores, follow[:, z[token + 1]]])
    return [*names, "last token"], np.array([*scores, last])
