"""Explanation: the contribution of each training row to a prediction."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import solvers
from ..data.errors import shortened
from ..data.text_tables import aligned, html_table
from ..loss import Loss, SetLoss
from ..outputs import OutputSpace, Sets

N_SHOWN = 8
"""Rows that are printed."""

WIDTH = 40
"""Characters of a set that are printed."""

CELLS = 2**22
"""Losses computed at a time while the neighbours of a prediction are compared: 32 MiB."""


class Explanation:
    """Why a model predicts z and not another output z', row by row.

    The difference of their risks is R(z') - R(z) = sum_i alpha_i(x) (L(z', S_i) - L(z, S_i)). The sum is over all
    training rows, so `contribution` sums to `margin`, up to rounding.

    Parameters
    ----------
    output, sets
        The space and the training sets.
    z : two outputs
        The prediction and the output that it is compared with.
    alpha : (k, n)
        The weights; k = 2 with ``negative_weights="joint"``, which separates positive and negative ones.
    losses : (2, k, n)
        The losses of both outputs on the same rows.

    Attributes
    ----------
    prediction, against
        z = f(x), and the output z' that it is compared with, as the user names them.
    text, text_against : str
        Both outputs as text.
    alpha : (n,)
        The weight of each training row at x.
    loss, loss_against : (n,)
        L(z, S_i) and L(z', S_i) in the loss of the model. With ``negative_weights="joint"``, rows of negative weight
        have the opposite principle; after disambiguation, the sets are the estimated labels.
    contribution : (n,)
        alpha_i (L(z', S_i) - L(z, S_i)): positive if row i supports z, negative if it supports z'.
    rows : (n,)
        The training rows, the largest contribution first.
    risk, risk_against, margin : float
        R(z), R(z') and their difference.
    """

    def __init__(self, output: OutputSpace, sets: Sets, z: NDArray, alpha: NDArray, losses: NDArray):
        self.output, self.sets = output, sets
        self.z = z
        self.prediction, self.against = output.readable(z)
        self.text, self.text_against = output.format(z)
        self.alpha = alpha.sum(axis=0)  # one of the two signs is 0
        terms = alpha * losses
        own, other = terms.sum(axis=1)
        self.contribution = other - own
        used = np.where(alpha[0] != 0, 0, len(alpha) - 1)
        at = np.arange(alpha.shape[1])
        self.loss, self.loss_against = losses[0, used, at], losses[1, used, at]
        self.risk, self.risk_against = float(own.sum()), float(other.sum())
        self.rows = np.argsort(-np.abs(self.contribution), kind="stable")

    @property
    def margin(self) -> float:
        """R(z') - R(z), the sum of the contributions."""
        return self.risk_against - self.risk

    def table(self, k: int = N_SHOWN) -> list[dict[str, Any]]:
        """Return the k rows with the largest contributions; rows without a contribution are left out."""
        rows = [int(i) for i in self.rows[:k] if self.contribution[i] != 0]
        words = self.output.format_sets(self.sets, rows) if rows else []
        return [
            {
                "row": row,
                "set": text,
                "weight": float(self.alpha[row]),
                "contribution": float(self.contribution[row]),
                "supports": self.text if self.contribution[row] > 0 else self.text_against,
            }
            for row, text in zip(rows, words)
        ]

    def plot(self, k: int = N_SHOWN, ax: Any = None) -> Any:
        """Plot the k largest contributions as bars."""
        from ..plotting import ExplanationDisplay

        return ExplanationDisplay.from_explanation(self, k, ax)

    def _head(self) -> str:
        return (
            f"{self.text}, not {self.text_against}: set risk {self.risk:.4g} against {self.risk_against:.4g},"
            f" margin {self.margin:.4g} = the sum over {len(self.contribution)} rows"
        )

    def _lines(self) -> list[tuple[str, ...]]:
        head = ("row", "its set", "weight", "contribution", "supports")
        body = [
            (str(r["row"]), shortened(r["set"], WIDTH), f"{r['weight']:.4g}", f"{r['contribution']:+.4g}",
             shortened(r["supports"], WIDTH))
            for r in self.table()
        ]  # fmt: skip
        return [head, *body]

    def __repr__(self) -> str:
        shown = self.table()
        more = int((self.contribution != 0).sum()) - len(shown)
        rest = self.margin - sum(line["contribution"] for line in shown)
        tail = [f"… and {more} more rows, {rest:+.4g} together"] if more > 0 else []
        return "\n".join([self._head(), *aligned(self._lines()), *tail])

    def _repr_html_(self) -> str:
        return f"<p>{escape(self._head())}</p>{html_table(self._lines())}"


def explained(model: Any, x: Any, against: Any = None) -> Explanation:
    """Return the explanation of a fitted model for one row x, an array."""
    sets = vars(model).get("sets_")
    if sets is None:
        raise ValueError(
            "explain needs the training sets. They are not kept by a model that was fitted on chunked data, or saved"
            f" with {type(model.weights_).__name__} weights. Fit it on arrays."
        )
    output = model.output_
    L = model.recipe_.loss(output, sets, model.disambiguation_)
    found = model.weights_(x)
    z = model.solver_.argmin(found)
    alpha = np.asarray(found)[0]
    rival = _given(output, against) if against is not None else nearest_rival(output, L, alpha, z)
    both = np.concatenate([z, rival])
    losses = L(both)
    n = len(sets)
    return Explanation(output, sets, both, alpha.reshape(-1, n), losses.reshape(2, -1, n))


def nearest_rival(output: OutputSpace, L: Loss, alpha: NDArray, z: NDArray) -> NDArray:
    """Return the output of least risk among the neighbours of z, (1, *z).

    `OutputSpace.neighbours` lists them. If there are none, as for numbers, it is the output that fits all training
    rows best, each counted once.
    """
    rivals = output.neighbours(z[0])
    if output.size == 1:
        raise ValueError(f"explain requires two possible outputs. The only one is {output.format(z)[0]!r}.")
    if not len(rivals):
        uniform = np.full((1, len(L)), 1 / len(L))
        if len(L.terms) > 1:  # no weight is negative, so the second half has weight 0
            uniform[:, len(L.terms[0].sets) :] = 0
        return solvers.choose("auto", L).fit(L).argmin(uniform)
    step = max(1, CELLS // max(1, len(L)))
    risks = np.concatenate([L(rivals[k : k + step]) @ alpha for k in range(0, len(rivals), step)])
    return rivals[[int(np.argmin(risks))]]


def _given(output: OutputSpace, against: Any) -> NDArray:
    """Return the output that the user has given, (1, *z)."""
    sets = output.read([against])
    z = sets.member(sets.center(), output)
    nearest, farthest = (SetLoss(output, sets, which).rowwise_loss(z)[0] for which in ("infimum", "supremum"))
    if len(sets) != 1 or not sets.contains(z).all() or farthest > nearest + 1e-12:
        raise ValueError(f"against must be one output, not a set of several. Got {against!r}.")
    return np.asarray(z)
