"""Audit: rows that deserve a second look, and why."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..disambiguation import Disambiguation, DisambiguationResult, is_weighed
from ..loss import SetLoss
from ..outputs import Intervals, Labels, OutputSpace, PartialOrders, Reals, Sets
from ..recipe import Recipe
from ..selection import out_of_fold
from ..weights import KernelRidge, Scaled, by_name
from ..weights.base import Target
from ..weights.holdout.operators import LeftOut
from ._conflicts import conflicts, unreadable

PRINCIPLES = ("infimum", "average", "disambiguation")
THRESHOLD = 0.1  # support below which a row is suspect,
SHARE = 0.4  # or below this share of the median, where that is more
FAR = 4.0  # typical distances beyond which a number is suspect
SHOWN = 5
LAM = 1e-3


class Audit:
    """Rows that deserve a second look; see :func:`audit`.

    Parameters
    ----------
    n : int
        How many rows there are.

    Attributes
    ----------
    suspects : list of dict
        Rows whose set probably misses the truth, the most suspect first, with what the other rows say.
    conflicts : list of dict
        Pairs of rows that are the same or nearly so, with sets that have nothing in common.
    impossible : dict
        Row -> what is wrong with it: orders that run in a circle, intervals that end before they begin.
    disagreements : list of dict
        Rows for which the principles predict different outputs.
    predictions : dict
        Principle -> what is predicted for every row without it, (n, *z).
    refused : dict
        Principle -> why it could not be asked.
    """

    def __init__(self, n: int):
        self.n = n
        self.suspects: list[dict[str, Any]] = []
        self.conflicts: list[dict[str, Any]] = []
        self.impossible: dict[int, str] = {}
        self.disagreements: list[dict[str, Any]] = []
        self.predictions: dict[str, NDArray] = {}
        self.refused: dict[str, str] = {}

    def rows(self) -> NDArray:
        """All rows that were found, once each."""
        pairs = [row for pair in self.conflicts for row in (pair["row"], pair["other"])]
        return np.unique(np.array([*(r["row"] for r in self.suspects), *pairs, *self.impossible], dtype=int))

    def lines(self) -> list[str]:
        """What was found, a line each."""
        out = [f"{len(self.rows())} of {self.n} rows deserve a second look."]
        out += [f"impossible    row {row}: {why}" for row, why in list(self.impossible.items())[:SHOWN]]
        for found in self.suspects[:SHOWN]:
            out.append(f"suspect       row {found['row']}: {found['set']}; the others say {found['others say']}")
        for pair in self.conflicts[:SHOWN]:
            near = "the same as" if pair["distance"] == 0 else "next to"
            out.append(f"conflict      row {pair['row']}: {pair['set']}; {near} row {pair['other']}: {pair['its set']}")
        out.append(f"the principles disagree at {len(self.disagreements)} rows")
        return out

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        first, *others = self.lines()
        return f"<p><b>{escape(first)}</b></p><ul>{''.join(f'<li>{escape(line)}</li>' for line in others)}</ul>"


def audit(
    X: Any,
    y: Any,
    output: OutputSpace | None = None,
    *,
    weights: Any = None,
    resolved: DisambiguationResult | None = None,
) -> Audit:
    """Rows that deserve a second look.

    - **Suspects**: the set probably misses the truth. For labels and tags, its probability by a disambiguation that did
      not see the row is below 0.1 or two fifths of the median; for orders, so is the mean probability of its pairs
      by the other rows; for numbers and boxes, fewer than a tenth of a row would be so far off, were all sets right;
      for other vectors, the prediction from the other rows is four times farther away than is usual.
    - **Conflicts**: rows that are equal, or nearer to each other than three quarters of the rows are to any, with sets
      that have nothing in common.
    - **Impossible** rows, which no output satisfies.
    - **Disagreements** between the principles, on predictions for each row from the others.

    Parameters
    ----------
    X : (n, d) numbers
    y : n sets
    output : OutputSpace, optional
        ``outputs.Labels()`` by default.
    weights : Weights or str, optional
        alpha(x); scaled kernel ridge by default.
    resolved : DisambiguationResult, optional
        What disambiguation made of the same rows, where that is known already.

    Examples
    --------
    >>> from infimum.diagnostics import audit
    >>> X = np.repeat(np.arange(12.)[:, None], 2, axis=0)
    >>> y = ["cat"] * 12 + ["dog"] * 12
    >>> y[4] = "dog"
    >>> audit(X, y)
    2 of 24 rows deserve a second look.
    suspect       row 4: dog; the others say cat
    conflict      row 4: dog; the same as row 5: cat
    the principles disagree at 0 rows
    """
    from ..estimators.base import validated
    from ..estimators.generic import PartialEstimator

    space = clone(Labels() if output is None else output)
    X = validated(PartialEstimator(space), X, reset=True)
    bad: dict[int, str] = {}
    if isinstance(y, list | tuple) or (isinstance(y, np.ndarray) and y.ndim == 1):
        y, bad = unreadable(space, y)
    sets = space.fit(y).read(y)
    if X.shape[0] != len(sets):
        raise ValueError(f"X has {X.shape[0]} rows and y has {len(sets)}: they must have the same number.")
    return of_sets(X, space, sets, weights, resolved, bad)


def of_sets(
    X: Any, output: OutputSpace, sets: Sets, weights: Any = None, resolved: DisambiguationResult | None = None,
    impossible: dict[int, str] | None = None,
) -> Audit:  # fmt: skip
    """The same for an X of numbers and sets that are read."""
    from sklearn.preprocessing import StandardScaler

    found = Audit(len(sets))
    found.impossible = impossible or {}
    family = Scaled(KernelRidge(lam=LAM)) if weights is None else weights
    _predict(found, X, output, sets, family)
    _suspects(found, X, output, sets, family, resolved)
    scaled = StandardScaler(with_mean=not hasattr(X, "tocsr")).fit_transform(X)
    pairs = conflicts(scaled, sets)
    words = output.format_sets(sets, [i for pair in pairs for i in pair[:2]]) if pairs else []
    found.conflicts = [
        {"row": i, "set": a, "other": j, "its set": b, "distance": d}
        for (i, j, d), a, b in zip(pairs, words[::2], words[1::2])
    ]
    _disagreements(found, output, sets)
    return found


def _predict(found: Audit, X: Any, output: OutputSpace, sets: Sets, weights: Any) -> None:
    """What every principle predicts for every row without it."""
    for principle in PRINCIPLES:
        recipe = Recipe(principle, "inside", weights)
        cv = None if _closed(recipe.weights) else 5
        try:
            found.predictions[principle] = out_of_fold(recipe, X, output, sets, cv=cv).z
        except (ValueError, MemoryError) as error:
            found.refused[principle] = str(error).splitlines()[0]


def _closed(family: Any) -> bool:
    """Whether predictions without a row come from one fit."""
    return not family.supervised and type(family).__name__ != "Laplacian"


def _suspects(
    found: Audit, X: Any, output: OutputSpace, sets: Sets, weights: Any, resolved: DisambiguationResult | None
) -> None:
    z = next((found.predictions[p] for p in ("disambiguation", "infimum", "average") if p in found.predictions), None)
    if z is None:
        return
    if is_weighed(sets):
        if resolved is None or resolved.support is None:
            resolved = _resolved(X, output, sets, weights)
        if resolved is None or resolved.support is None:
            return
        score, rows = resolved.support, resolved.suspects
        if sets.options() is not None:
            rows = np.flatnonzero(score < max(THRESHOLD, SHARE * float(np.median(score))))
    else:
        score, rows = doubtful(output, sets, z, _left_out(X, output, sets, weights))
    rows = rows[np.argsort(score[rows], kind="stable")]
    said, words = output.format(z[rows]), output.format_sets(sets, rows) if len(rows) else []
    found.suspects = [
        {"row": int(row), "set": text, "others say": other, "support": float(score[row])}
        for row, text, other in zip(rows, words, said)
    ]


def _resolved(X: Any, output: OutputSpace, sets: Sets, weights: Any) -> DisambiguationResult | None:
    from ..estimators.generic import PartialEstimator

    return PartialEstimator(output, Disambiguation(threshold=THRESHOLD), weights=weights).fit(X, sets).disambiguation_


def _left_out(X: Any, output: OutputSpace, sets: Sets, weights: Any) -> LeftOut | None:
    """Sums over the other rows, for orders."""
    if not isinstance(sets, PartialOrders):
        return None
    return by_name(weights).fit(X, Target(sets.codes.astype(float), ~output.is_unlabelled(sets))).left_out()


def doubtful(output: OutputSpace, sets: Sets, z: NDArray, left_out: LeftOut | None = None) -> tuple[NDArray, NDArray]:
    """A support in [0, 1] of every set by the other rows, and the rows that are suspect; for orders and numbers.

    Of an order, it is the mean over its pairs of how probable each is by the rows that know it; of a number,
    1 / (1 + d / t), d being the distance of the prediction z from the other rows and t the median of those above 0.
    """
    if isinstance(sets, PartialOrders):
        support = _of_pairs(sets, z, left_out)
        return support, np.flatnonzero(support < SHARE * float(np.median(support)))
    far = sets.distance(z) if isinstance(sets, Intervals) else SetLoss(output, sets).rowwise_loss(z)
    positive = far[far > 0]
    typical = float(np.median(positive)) if len(positive) else 0.0
    if typical == 0:
        return np.ones(len(far)), np.empty(0, dtype=int)
    return 1 / (1 + far / typical), np.flatnonzero(far > FAR * typical)


def _of_pairs(sets: PartialOrders, z: NDArray, left_out: LeftOut | None) -> NDArray:
    """The mean over the known pairs of a row of P(that pair is so), from the other rows or from what they predict."""
    codes = sets.codes.astype(float)
    if left_out is None:
        return sets.agreement(z)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.clip(np.nan_to_num(left_out(codes) / left_out(np.abs(codes))), -1, 1)
    known = np.abs(codes).sum(axis=1)
    return np.where(known > 0, (np.abs(codes) * (1 + codes * mean) / 2).sum(axis=1) / np.maximum(known, 1), 1.0)


def _disagreements(found: Audit, output: OutputSpace, sets: Sets) -> None:
    names = list(found.predictions)
    if len(names) < 2:
        return
    each = [found.predictions[name] for name in names]
    differ = np.zeros(len(sets))
    for a in range(len(each)):
        for b in range(a):
            differ = np.maximum(differ, _difference(output, each[a], each[b]))
    rows = np.flatnonzero(differ > 0)
    rows = rows[np.argsort(-differ[rows], kind="stable")]
    said = {name: output.format(z[rows]) for name, z in zip(names, each)} if len(rows) else {}
    words = output.format_sets(sets, rows) if len(rows) else []
    found.disagreements = [
        {"row": int(row), "set": words[k], **{name: said[name][k] for name in names}, "difference": float(differ[row])}
        for k, row in enumerate(rows)
    ]


def _difference(output: OutputSpace, a: NDArray, b: NDArray) -> NDArray:
    """How far two predictions are from each other: the share of coordinates; of numbers, in spreads, beyond a half."""
    if isinstance(output, Reals):
        spread = float(np.std(np.concatenate([a, b]))) or 1.0
        far = np.abs(a - b).ravel() / spread
        return np.where(far > 0.5, far, 0.0)
    return (a.reshape(len(a), -1) != b.reshape(len(b), -1)).mean(axis=1)
