"""Audit: rows to review, and why."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.errors import check_lengths
from ..disambiguation import Disambiguation, DisambiguationResult, supports_soft
from ..outputs import OutputSpace, Sets
from ..recipe import Recipe
from ..selection import out_of_fold
from ..selection.scores import best_constant, labelled_weight, losses
from .conflicts import conflicts, unreadable
from .rows import Findings, inputs_and_space, nearest_rows, scaled_weights

PRINCIPLES = ("infimum", "average", "disambiguation")
MIN_SUPPORT = 0.1  # support below which a row is suspect if no disambiguation is given,
SHARE_OF_MEDIAN = 0.4  # or below this share of the median, if that is more
COMPARED_ROWS = 5000  # rows up to which kernel ridge on all of them is quick
FAR = 4.0  # typical distances beyond which a number is suspect
NOTABLE = 0.01  # smallest loss of a row in conflict, as a share of the mean loss of the best constant
SHOWN = 5


class Audit(Findings):
    """Rows to review; see :func:`audit`.

    Parameters
    ----------
    n : int
        The number of rows.

    Attributes
    ----------
    suspects : list of dict
        Rows whose set probably does not contain the true output, the most suspect first.
    conflicts : list of dict
        Pairs of rows that are equal or nearly so, with disjoint sets.
    impossible : dict
        Row -> what is wrong with it: a cycle in an order, an interval whose ends are swapped.
    disagreements : list of dict
        Rows for which the principles predict different outputs.
    predictions : dict
        Principle -> the prediction for each row from the other rows, (n, *z).
    not_evaluated : dict
        Principle, or "conflicts" -> why it could not be used.
    """

    def __init__(self, n: int):
        self.n = n
        self.suspects: list[dict[str, Any]] = []
        self.conflicts: list[dict[str, Any]] = []
        self.impossible: dict[int, str] = {}
        self.disagreements: list[dict[str, Any]] = []
        self.predictions: dict[str, NDArray] = {}
        self.not_evaluated: dict[str, str] = {}

    def rows(self) -> NDArray:
        """Return all rows that were found, once each."""
        pairs = [row for pair in self.conflicts for row in (pair["row"], pair["other"])]
        return np.unique(np.array([*(r["row"] for r in self.suspects), *pairs, *self.impossible], dtype=int))

    def counts(self) -> str:
        """Return how many rows were found for each reason; each row counts once."""
        suspect = len({found["row"] for found in self.suspects} - set(self.impossible))
        none = len(self.impossible)
        others = len(self.rows()) - suspect - none
        return f"{suspect} suspect, {others} that contradict similar rows, {none} that no output satisfies"

    def lines(self) -> list[str]:
        """Return the findings, one per line."""
        out = [f"{len(self.rows())} of {self.n} rows to review: {self.counts()}."]
        out += [f"impossible    row {row}: {why}" for row, why in list(self.impossible.items())[:SHOWN]]
        for found in self.suspects[:SHOWN]:
            other = found["predicted"]
            why = f"the other rows predict {other}" if other else f"its support is {found['support']:.2g}"
            out.append(f"suspect       row {found['row']}: {found['set']}; {why}")
        for pair in self.conflicts[:SHOWN]:
            near = "the same as" if pair["distance"] == 0 else "next to"
            out.append(f"conflict      row {pair['row']}: {pair['set']}; {near} row {pair['other']}: {pair['its set']}")
        out.append(f"the principles disagree on {len(self.disagreements)} rows")
        return out


def audit(
    X: Any,
    y: Any,
    output: OutputSpace | None = None,
    *,
    weights: Any = None,
    resolved: DisambiguationResult | None = None,
) -> Audit:
    """Find rows to review.

    - **Suspects**: the set probably does not contain the true output. If `resolved` is given, these are its
      `suspects`, as in `model.suspects_`, `infimum clean` and the report. Otherwise, they are rows whose set does not
      contain the prediction from the other rows; for labels and tags, with a held-out probability of the set below
      0.1 or two fifths of the median. For orders, so is the mean held-out probability
      of its pairs. For numbers and boxes, fewer than a tenth of a row would be so far off if all sets were right. For
      other vectors, the loss of the prediction from the other rows is four times the usual one.
    - **Conflicts**: rows that are equal, or nearer to each other than three quarters of the rows are to any other, with
      disjoint sets. For numbers and vectors, one of them must also be unusually far from its prediction.
    - **Impossible** rows, which no output satisfies.
    - **Disagreements** between the principles, on predictions for each row from the others.

    Parameters
    ----------
    X : (n, d) numbers
        Inputs.
    y : n sets
        In any format of the output space.
    output : OutputSpace, optional
        ``outputs.Labels()`` by default.
    weights : Weights or str, optional
        The base learner, used as it is given; or the name of a family, on standardised features. Kernel ridge by
        default.
    resolved : DisambiguationResult, optional
        The disambiguation of the same rows, if there is one already.

    Examples
    --------
    >>> from infimum.diagnostics import audit
    >>> X = np.repeat(np.arange(12.)[:, None], 2, axis=0)
    >>> y = ["cat"] * 12 + ["dog"] * 12
    >>> y[4] = "dog"
    >>> audit(X, y)
    2 of 24 rows to review: 1 suspect, 1 that contradict similar rows, 0 that no output satisfies.
    suspect       row 4: dog; the other rows predict cat
    conflict      row 4: dog; the same as row 5: cat
    the principles disagree on 0 rows
    """
    X, space = inputs_and_space(X, output)
    bad: dict[int, str] = {}
    if isinstance(y, list | tuple) or (isinstance(y, np.ndarray) and y.ndim == 1):
        y, bad = unreadable(space, y)
    sets = space.fit(y).read(y)
    check_lengths(X.shape[0], len(sets))
    return of_sets(X, space, sets, weights, resolved, bad)


def of_sets(
    X: Any, output: OutputSpace, sets: Sets, weights: Any = None, resolved: DisambiguationResult | None = None,
    impossible: dict[int, str] | None = None,
) -> Audit:  # fmt: skip
    """Return the same for an X of numbers and parsed sets."""
    found = Audit(len(sets))
    found.impossible = impossible or {}
    family = scaled_weights(weights)
    _predict(found, X, output, sets, family)
    support = _set_suspects(found, X, output, sets, family, resolved)
    _set_conflicts(found, X, output, sets, support)
    _set_disagreements(found, output, sets)
    return found


def of_predictions(
    output: OutputSpace, sets: Sets, z: NDArray, resolved: DisambiguationResult,
    impossible: dict[int, str] | None = None,
) -> Audit:  # fmt: skip
    """Return the suspects of a disambiguation beside held-out predictions z of the same model.

    Neighbours and principles are not compared, because the rows have no features of their own.
    """
    found = Audit(len(sets))
    found.impossible = impossible or {}
    found.predictions["disambiguation"] = z
    _set_suspects(found, None, output, sets, None, resolved)
    return found


def _predict(found: Audit, X: Any, output: OutputSpace, sets: Sets, weights: Any) -> None:
    """Predict each row from the others, by every principle."""
    for principle in PRINCIPLES:
        recipe = Recipe(principle, "inside", weights)
        cv = 5 if recipe.weights.supervised or not recipe.weights.has_leave_one_out else None
        try:
            found.predictions[principle] = out_of_fold(recipe, X, output, sets, cv=cv).z
        except (ValueError, MemoryError) as error:
            found.not_evaluated[principle] = str(error).splitlines()[0]


def _first_prediction(found: Audit) -> NDArray | None:
    known = found.predictions
    return next((known[name] for name in ("disambiguation", "infimum", "average") if name in known), None)


def _set_suspects(
    found: Audit, X: Any, output: OutputSpace, sets: Sets, weights: Any, resolved: DisambiguationResult | None
) -> NDArray | None:
    """Set the suspects, and return the support of each row if it is known."""
    z = _first_prediction(found)
    if z is None:
        return None
    support, rows = label_errors(X, output, sets, weights, resolved)
    if support is None:
        return None
    confirmed = sets[rows].contains(z[rows]) if len(rows) else np.zeros(0, dtype=bool)
    if resolved is None:  # those of a model stay its own, without a prediction that would contradict it
        rows, confirmed = rows[~confirmed], confirmed[~confirmed]
    order = np.argsort(support[rows], kind="stable")
    rows, confirmed = rows[order], confirmed[order]
    texts = output.format_sets(sets, rows) if len(rows) else []
    predicted = ["" if inside else text for inside, text in zip(confirmed, output.format(z[rows]))]
    found.suspects = [
        {"row": int(row), "set": text, "predicted": other, "support": float(support[row])}
        for row, text, other in zip(rows, texts, predicted)
    ]
    return support


def label_errors(
    X: Any, output: OutputSpace, sets: Sets, weights: Any = None, resolved: DisambiguationResult | None = None
) -> tuple[NDArray | None, NDArray]:
    """Return the support of each set by the other rows, (n,), and the numbers of the suspect rows.

    They are those of the disambiguation that is given. If none is given, the support is that of a disambiguation with
    the weights, and rows of low support are suspect. For sets without soft labels, they are computed with kernel ridge
    on standardised features, so they do not depend on the model; beyond `COMPARED_ROWS` rows, with the given weights.
    """
    given = resolved is not None
    if not given and supports_soft(sets):
        resolved = _disambiguated(X, output, sets, scaled_weights(weights))
    if resolved is not None and resolved.support is not None:
        support = resolved.support
        if given or sets.options() is None:
            return support, resolved.suspects
        return support, np.flatnonzero(_is_low(support))
    if supports_soft(sets) or len(sets) < 2 or X is None:
        return None, np.empty(0, dtype=int)
    family = scaled_weights(None if len(sets) <= COMPARED_ROWS else weights)
    return support_of(output, sets, out_of_fold(Recipe("infimum", "inside", family), X, output, sets, cv=5).z)


def _disambiguated(X: Any, output: OutputSpace, sets: Sets, weights: Any) -> DisambiguationResult | None:
    from ..estimators.generic import PartialEstimator

    return PartialEstimator(output, principle=Disambiguation(), weights=weights).fit(X, sets).disambiguation_


def support_of(output: OutputSpace, sets: Sets, z: NDArray) -> tuple[NDArray, NDArray]:
    """Return the support of each set by the other rows, in [0, 1], and the suspect rows, without disambiguation.

    It is 1 / (1 + d / t), with d the distance of the prediction z and t the median of the positive distances.
    """
    far = np.where(sets.contains(z), 0.0, np.maximum(output.distance(z, sets), 0.0))  # without rounding errors
    positive = far[far > 0]
    typical = float(np.median(positive)) if len(positive) else 0.0
    if typical == 0:
        return np.ones(len(far)), np.empty(0, dtype=int)
    return 1 / (1 + far / typical), np.flatnonzero(far > FAR * typical)


def _is_low(support: NDArray) -> NDArray:
    return support < max(MIN_SUPPORT, SHARE_OF_MEDIAN * float(np.median(support)))


def _set_conflicts(found: Audit, X: Any, output: OutputSpace, sets: Sets, support: NDArray | None) -> None:
    try:
        pairs = conflicts(nearest_rows(X, 1).scaled(X), sets)
    except ValueError as error:
        found.not_evaluated["conflicts"] = str(error).splitlines()[0]
        return
    z = _first_prediction(found)
    if z is not None and not math.isfinite(output.size):  # numbers of near rows differ a little without contradiction
        constant = best_constant(output, sets, labelled_weight(output, sets))
        least = NOTABLE * losses(output, sets, np.repeat(constant, len(sets), axis=0)).mean()
        far = losses(output, sets, z)
        odd = {row for row in support_of(output, sets, z)[1].tolist() if far[row] > least}
        pairs = [pair for pair in pairs if odd & set(pair[:2])]
    elif support is not None:  # near rows of classes that overlap differ without contradiction
        low = _is_low(support)
        pairs = [pair for pair in pairs if pair[2] == 0 or low[list(pair[:2])].any()]
    texts = output.format_sets(sets, [i for pair in pairs for i in pair[:2]]) if pairs else []
    found.conflicts = [
        {"row": i, "set": a, "other": j, "its set": b, "distance": d}
        for (i, j, d), a, b in zip(pairs, texts[::2], texts[1::2])
    ]


def _set_disagreements(found: Audit, output: OutputSpace, sets: Sets) -> None:
    names, each = list(found.predictions), list(found.predictions.values())
    differ = np.zeros(len(sets))
    for a, b in combinations(each, 2):
        differ = np.maximum(differ, _difference(a, b))
    rows = np.flatnonzero(differ > 0)
    rows = rows[np.argsort(-differ[rows], kind="stable")]
    if not len(rows):
        return
    texts = output.format_sets(sets, rows)
    predicted = {name: output.format(z[rows]) for name, z in zip(names, each)}
    found.disagreements = [
        {"row": int(row), "set": texts[k], **{n: predicted[n][k] for n in names}, "difference": float(differ[row])}
        for k, row in enumerate(rows)
    ]


def _difference(a: NDArray, b: NDArray) -> NDArray:
    """Return how far predictions differ: the share of coordinates; for numbers, standard deviations above a half."""
    a, b = a.reshape(len(a), -1), b.reshape(len(b), -1)
    if a.dtype.kind != "f":
        return (a != b).mean(axis=1)
    spread = float(np.std(np.concatenate([a, b]))) or 1.0
    far = np.linalg.norm(a - b, axis=1) / spread
    return np.where(far > 0.5, far, 0.0)
