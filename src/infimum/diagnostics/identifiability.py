"""Identifiability: can sets such as these ever tell the outputs apart?"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..disambiguation import Disambiguation, DisambiguationResult
from ..outputs import Labels, OutputSpace, Sets
from ..weights import KernelRidge, Scaled
from ._choices import Choices, Pairs, at_least, at_most, band_of, choices_of, pairs_of
from ._questions import Blind, Question, blind_spots, question, row_number
from .samples import Ambiguity, ambiguity

LABELLED = 3000  # rows at most from which the degree is estimated
PLACES = 2000  # rows at most around which eta is estimated
ASKED = 10  # questions that are formed
SEEN = 10  # rows that an option needs, for its degree to count
LAM = 1e-3  # of the kernel ridge by which rows are disambiguated
NEAR = 0.95  # degrees above which a pair is hardly ever apart


class Degree(NamedTuple):
    """P(z in S | y), estimated for every choice: degree[y, z], with an interval."""

    value: NDArray
    """(g, c, c), NaN where no row probably has y."""
    low: NDArray
    high: NDArray
    rows: NDArray
    """(g, c): the effective number of rows with y."""


class Identifiability:
    """What sets can and cannot tell; see :func:`identifiability`.

    Parameters
    ----------
    choices, pairs, degree
        The sets as choices among options, how often these are together, and the degrees.
    level : float
        Of confidence.

    Attributes
    ----------
    verdict : str
        One sentence.
    can_tell : bool or None
        True, False where some outputs are never apart, None where they hardly ever are.
    pairs : list of dict
        A row for every pair of options: how often together, apart and alone, the degrees both ways.
    degree : float
        The ambiguity degree max over y and z != y of P(z in S | y), as estimated, over the y with ten rows or more.
    degree_interval : (low, high)
        At the level of confidence, for all pairs at once (Bonferroni).
    degree_pair : (z, y)
        Where it is attained.
    eta, eta_low, eta_high : (k, g)
        The paper's strictness of non-ambiguity around the rows `places`, for every choice, with an interval.
    rare : list of str
        Options with fewer rows, of which little can be said.
    inseparable : list of tuple of str
        Options that are never apart.
    everywhere : list of str
        Options that are never ruled out.
    shadowed : list of (a, b)
        a never comes without b, so that b always fits where a does.
    questions : list of Question
        The cheapest one for each of these.
    """

    def __init__(self, choices: Choices, pairs: Pairs, degree: Degree, level: float):
        self.choices, self.level, self.n = choices, level, len(choices.mask)
        self._counts, self.degrees = pairs, degree
        self.blind: list[Blind] = []
        self.questions: list[Question] = []
        self.places = self.eta = self.eta_low = self.eta_high = np.empty((0, 0))
        self.n_neighbors = 0
        self._settle_degree()
        self.pairs = self._table()
        self.can_tell: bool | None = None

    @property
    def verdict(self) -> str:
        """Whether the sets can tell all outputs apart, in one sentence."""
        return self.verdict_for(row_number)

    def verdict_for(self, name: Callable[[int], str]) -> str:
        """Return the same sentence, with row i called name(i)."""
        return _verdict(self, name)[0]

    def _settle_degree(self) -> None:
        c = self.degrees.value.shape[1]
        near = 1 if self.choices.kind == "number" else 0  # bands of numbers shade into the next ones
        other = np.abs(np.subtract.outer(np.arange(c), np.arange(c))) > near
        seen = self.degrees.rows >= SEEN
        self.rare = [self.choices.says(g, k) for g, k in np.argwhere((self.degrees.rows > 0) & ~seen)]
        value = np.where(other & (seen if seen.any() else ~seen)[:, :, None], self.degrees.value, np.nan)
        self.degree, self.degree_interval, self.degree_pair = np.nan, (0.0, 1.0), ("", "")
        if np.isnan(value).all():
            return
        g, y, z = (int(k) for k in np.unravel_index(np.nanargmax(value), value.shape))
        self.degree = float(value[g, y, z])
        self.degree_interval = (float(self.degrees.low[g, y, z]), float(self.degrees.high[g, y, z]))
        self.degree_pair = (self.choices.says(g, z), self.choices.says(g, y))

    def _table(self) -> list[dict[str, Any]]:
        rows = []
        value = self.degrees.value
        for g, options in enumerate(self.choices.options):
            together, without = self._counts.together[g], self._counts.without[g]
            for a in range(len(options)):
                rows += [
                    {
                        "choice": self.choices.names[g], "a": options[a], "b": options[b],
                        "together": int(together[a, b]), "a without b": int(without[a, b]),
                        "b without a": int(without[b, a]), "P(b in S | a)": float(value[g, a, b]),
                        "P(a in S | b)": float(value[g, b, a]),
                    }
                    for b in range(a + 1, len(options))
                ]  # fmt: skip
        return sorted(rows, key=lambda r: (min(r["a without b"], r["b without a"]), -r["together"]))

    @property
    def inseparable(self) -> list[tuple[str, ...]]:
        return [self._names(blind) for blind in self.blind if blind.how == "same"]

    @property
    def everywhere(self) -> list[str]:
        return [self._names(blind)[0] for blind in self.blind if blind.how == "everywhere"]

    @property
    def shadowed(self) -> list[tuple[str, ...]]:
        return [self._names(blind) for blind in self.blind if blind.how == "shadow"]

    def _names(self, blind: Blind) -> tuple[str, ...]:
        return tuple(self.choices.says(blind.choice, k) for k in blind.options)

    def frame(self) -> Any:
        """The pairs as a pandas frame, those that are hardest to tell first."""
        import pandas as pd

        return pd.DataFrame(self.pairs)

    def plot(self, axes: Any = None) -> Any:
        """The degrees P(z in S | y), and eta around the rows."""
        from ..plotting import IdentifiabilityDisplay

        return IdentifiabilityDisplay.from_identifiability(self, axes)

    def lines(self) -> list[str]:
        """What was found, a line each."""
        low, high = self.degree_interval
        out = [self.verdict]
        if np.isfinite(self.degree):
            z, y = self.degree_pair
            out.append(f"ambiguity degree  {self.degree:.2f} ({low:.2f} to {high:.2f}): {z} beside {y}")
        if self.eta.size:
            eta, zero = np.median(self.eta), np.mean(self.eta == 0)
            out.append(
                f"eta around x      {eta:.2f} in the median ({np.median(self.eta_low):.2f} to"
                f" {np.median(self.eta_high):.2f}, {self.n_neighbors} neighbours); 0 at {zero:.0%}"
            )
        for blind, asked in zip(self.blind, self.questions):
            out.append(f"{blind.says(self._names(blind))} ({blind.rows} rows). {asked.text}")
        if len(self.blind) > len(self.questions):
            out.append(f"… and {len(self.blind) - len(self.questions)} more")
        return out

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        first, *others = self.lines()
        return f"<p><b>{escape(first)}</b></p><ul>{''.join(f'<li>{escape(line)}</li>' for line in others)}</ul>"


def identifiability(
    X: Any,
    y: Any,
    output: OutputSpace | None = None,
    *,
    weights: Any = None,
    n_neighbors: int | None = None,
    level: float = 0.95,
    resolved: DisambiguationResult | None = None,
) -> Identifiability:
    """Whether sets such as these can ever tell the outputs apart, and the cheapest question where they cannot.

    Three things are looked at, for every choice that a set leaves open (the label; each tag; each pair of items; the
    band of a number):

    - options a and b that are in the same rows: swapping them changes no set, so that no number of such rows, and no
      method, tells them apart. Where a never comes without b, b costs nothing wherever a costs nothing;
    - the ambiguity degree max_{z != y} P(z in S | Y = y), below 1 where the smallest set risk is attained by the truth
      alone. Y is not seen: every row counts for y by the weight q_i(y) that disambiguation gives it,
      P(z in S | y) ~ sum_i q_i(y) 1[z in S_i] / sum_i q_i(y), with Clopper and Pearson's interval at the effective
      number of rows (sum q)² / sum q². It is as good as these labels are; a few exact rows check it;
    - the paper's eta around x, 1 minus the second largest of P(z in S | x), from the nearest rows, with the interval of
      so many draws. Where classes meet, eta is small for that reason too.

    Parameters
    ----------
    X : (n, d) numbers
    y : n sets, in any form that the output space reads
    output : OutputSpace, optional
        ``outputs.Labels()`` by default; ``Tags()``, ``Rankings()`` or ``Reals()`` for the others.
    weights : Weights or str, optional
        alpha(x) by which the rows are disambiguated; scaled kernel ridge by default.
    n_neighbors : int, optional
        How many rows are "around x": the root of n, and at least 10, by default.
    level : float, default 0.95
        Of confidence.
    resolved : DisambiguationResult, optional
        What disambiguation made of the same rows, where that is known already.

    Returns
    -------
    Identifiability

    References
    ----------
    Liu and Dietterich (2014), Learnability of the superset label learning problem (the ambiguity degree); Def. 2 of
    Cabannes, Rudi and Bach (2020) (eta).

    Examples
    --------
    >>> from infimum.diagnostics import identifiability
    >>> X = np.arange(8.)[:, None]
    >>> found = identifiability(X, ["cat|dog", "cat|dog", "cat|dog", "cat|dog|owl", "owl", "owl", "owl", "owl"])
    >>> found.inseparable, found.can_tell
    ([('cat', 'dog')], False)
    >>> print(found.questions[0])
    Row 1: is it cat, rather than dog?
    """
    from ..estimators.base import validated
    from ..estimators.generic import PartialEstimator

    if not 0.5 < level < 1:
        raise ValueError(f"level must be between 0.5 and 1. Got {level!r}.")
    space = clone(Labels() if output is None else output)
    X = validated(PartialEstimator(space), X, reset=True)
    sets = space.fit(y).read(y)
    if X.shape[0] != len(sets):
        raise ValueError(f"X has {X.shape[0]} rows and y has {len(sets)}: they must have the same number.")
    return of_sets(X, space, sets, weights, n_neighbors, level, resolved)


def of_sets(
    X: Any, output: OutputSpace, sets: Sets, weights: Any = None, n_neighbors: int | None = None, level: float = 0.95,
    resolved: DisambiguationResult | None = None,
) -> Identifiability:  # fmt: skip
    """The same for an X of numbers and sets that are read."""
    choices = choices_of(output, sets)
    pairs = pairs_of(choices.mask)
    degree = _degrees(choices, *_weights_of(X, output, sets, choices, weights, resolved), level)
    found = Identifiability(choices, pairs, degree, level)
    found.blind = blind_spots(choices, pairs, level)
    found.questions = [question(choices, blind, X) for blind in found.blind[:ASKED]]
    _around(found, X, n_neighbors)
    found.can_tell = _verdict(found, row_number)[1]
    return found


def _weights_of(
    X: Any, output: OutputSpace, sets: Sets, choices: Choices, weights: Any, resolved: DisambiguationResult | None
) -> tuple[NDArray, NDArray]:
    """q (k, g, c): how much row i counts for every option, for some rows; and which rows."""
    from ..estimators.generic import PartialEstimator
    rows = np.arange(len(sets))
    if resolved is None:
        if len(sets) > LABELLED:
            rows = np.sort(np.random.default_rng(0).choice(len(sets), LABELLED, replace=False))
        if sets[rows].is_unlabelled.all():
            return np.zeros((len(rows), *choices.mask.shape[1:])), rows
        family = Scaled(KernelRidge(lam=LAM)) if weights is None else weights
        model = PartialEstimator(output, Disambiguation(threshold=None), weights=family)
        resolved = model.fit(X[rows], sets[rows]).disambiguation_
        assert resolved is not None
    if resolved.q is not None and resolved.q.shape[1:] == choices.mask.shape[1:]:
        return resolved.q, rows
    if choices.kind == "number":
        at = band_of(np.asarray(resolved.z), np.asarray(choices.edges))[:, None]
    elif choices.kind == "order":
        at = (resolved.phi[:, :-1] < 0).astype(int)
    else:
        at = sets[rows].option_of(resolved.z)
    return (at[..., None] == np.arange(choices.mask.shape[-1])).astype(float), rows


def _degrees(choices: Choices, q: NDArray, rows: NDArray, level: float) -> Degree:
    held = choices.mask[rows].astype(float)
    total, square = q.sum(axis=0), np.square(q).sum(axis=0)  # (g, c)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.clip(np.einsum("ngy,ngz->gyz", q, held) / total[:, :, None], 0, 1)
        effective = np.where(square > 0, total**2 / square, 0.0)
    c = held.shape[-1]
    one = 1 - (1 - level) / max(2 * len(choices.names) * c * (c - 1), 1)  # both ends of all of them at once
    n = np.broadcast_to(effective[:, :, None], value.shape)
    count = np.nan_to_num(value) * n
    low, high = np.where(n > 0, at_least(count, n, one), 0), np.where(n > 0, at_most(count, n, one), 1)
    return Degree(value, low, high, effective)


def _around(found: Identifiability, X: Any, n_neighbors: int | None) -> None:
    """eta around the rows, from the nearest ones in features of one scale."""
    from sklearn.neighbors import NearestNeighbors
    from sklearn.preprocessing import StandardScaler

    n = X.shape[0]
    k = max(10, round(np.sqrt(n))) if n_neighbors is None else int(n_neighbors)
    if k < 1:
        raise ValueError(f"n_neighbors must be at least 1. Got {n_neighbors!r}.")
    k = min(k, n)
    scaled = StandardScaler(with_mean=not hasattr(X, "tocsr")).fit_transform(X)
    places = np.unique(np.linspace(0, n - 1, min(n, PLACES)).astype(int))
    graph = NearestNeighbors(n_neighbors=k).fit(scaled).kneighbors_graph(scaled[places])
    mask = found.choices.mask
    if mask.shape[-1] < 2:
        return
    eta = np.stack([_eta(ambiguity(mask[:, g], graph), found.choices.kind) for g in range(mask.shape[1])], axis=1)
    count = np.rint((1 - eta) * k)
    two = 1 - (1 - found.level) / 2
    found.places, found.eta, found.n_neighbors = places, eta, k
    found.eta_low, found.eta_high = 1 - at_most(count, k, two), 1 - at_least(count, k, two)


def _eta(around: Ambiguity, kind: str) -> NDArray:
    """1 - the second largest P(z in S | x); of numbers, beside the bands next to the first."""
    if kind != "number":
        return around.eta
    P = around.membership
    far = np.abs(np.arange(P.shape[1]) - np.argmax(P, axis=1)[:, None]) > 1
    return 1 - np.where(far, P, 0).max(axis=1)


APART = {
    "labels": "every two classes are apart in some rows",
    "tags": "every tag is said to be there in some rows and not to be there in others",
    "order": "every two items are compared in some rows",
    "number": "low and high numbers are ruled out in some rows",
}


def _verdict(found: Identifiability, name: Callable[[int], str]) -> tuple[str, bool | None]:
    mask = found.choices.mask
    if mask.all():
        return f"No: none of the {len(mask)} rows rules anything out.", False
    if found.blind:
        first, asked = found.blind[0], found.questions[0].format(name)
        names = found._names(first)
        others = len([blind for blind in found.blind if blind.how == first.how]) - 1
        more = f" (and {others} more)" if others else ""
        if first.how == "same":
            return (
                f"No: {' and '.join(names)} are never apart in the {first.rows} rows that hold them{more}, so no amount"
                f" of such rows can tell them apart; an answer would: {asked}",
                False,
            )
        if first.how == "everywhere":
            return (
                f"Not all: {names[0]} is never ruled out in {first.rows} rows{more}, so that it always fits; an answer"
                f" would change that: {asked}",
                False,
            )
        return (
            f"Not all: {names[0]} never comes without {names[1]} in {first.rows} rows{more}, so that {names[1]} always"
            f" fits where {names[0]} does; an answer would change that: {asked}",
            False,
        )
    low, high = found.degree_interval
    apart = APART[found.choices.kind]
    if not np.isfinite(found.degree):
        return f"Perhaps: {apart}, and there are too few rows to say how often.", None
    said = f"the ambiguity degree is about {found.degree:.2f} ({low:.2f} to {high:.2f})"
    z, y = found.degree_pair
    if not high < 1 or found.degree > NEAR:
        return f"Hardly: {z} is nearly always possible beside {y}; {said}, and below 1 is needed.", None
    rare = f"; of {len(found.rare)} there are too few rows to be sure" if found.rare else ""
    sure = "Yes" if high < NEAR else "Yes, though barely"
    return f"{sure}: {apart}{rare}; {said}, below 1 as is needed.", True
