"""Identifiability: can sets such as these separate the outputs?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.errors import check_lengths
from ..disambiguation import Disambiguation, DisambiguationResult
from ..outputs import OutputSpace, Sets
from ..outputs.choices import Choices
from .counts import PairCounts, at_least, at_most, pairs_of
from .questions import BlindSpot, SeparatingQuestion, blind_spots, question, row_number
from .rows import Findings, default_weights, inputs_and_space, nearest_rows

MAX_DISAMBIGUATED = 3000  # rows, at most, from which the degree is estimated
MAX_PLACES = 2000  # rows, at most, around which eta is estimated
MAX_QUESTIONS = 10
MIN_ROWS = 10  # rows that an option needs for its degree to count
NEARLY_ONE = 0.95  # degrees above which two options are almost never separated


class Degree(NamedTuple):
    """Estimates of P(z in S | y) for each choice, at [y, z], with an interval."""

    value: NDArray
    """(g, c, c); NaN if no row has y."""
    low: NDArray
    high: NDArray
    rows: NDArray
    """(g, c): the effective number of rows with y."""


class Identifiability(Findings):
    """Which options the sets can and cannot separate; see :func:`identifiability`.

    Attributes
    ----------
    verdict : str
        The result in one to three sentences.
    is_identifiable : bool or None
        True; False if some outputs are never separated; None if they almost never are.
    choices : Choices
        The sets as choices among options.
    degrees : Degree
        P(z in S | y) for all pairs.
    pairs : list of dict
        One row per pair of options: how often together, apart and alone, and the degrees in both directions.
    degree : float
        The ambiguity degree, the maximum over y and z != y of P(z in S | y), among the y with ten rows or more.
    degree_interval : (low, high)
        At the level of confidence, for all pairs at once (Bonferroni).
    degree_pair : (z, y)
        The pair that attains it.
    eta, eta_low, eta_high : (k, g)
        The paper's strictness of non-ambiguity around the rows `places`, for each choice, with an interval.
    rare : list of str
        Options with fewer than ten rows.
    inseparable : list of tuple of str
        Options that are never separated.
    everywhere : list of str
        Options that are never excluded.
    shadowed : list of (a, b)
        Options a that are never possible without b, so b always fits if a does.
    blind : list of BlindSpot
        These three together, the most frequent first.
    questions : list of Question
        The cheapest one for each of the first ten.
    """

    def __init__(self, choices: Choices, pairs: PairCounts, degrees: Degree, level: float):
        self.choices, self.level, self.n = choices, level, len(choices.mask)
        self._counts, self.degrees = pairs, degrees
        self.blind: list[BlindSpot] = []
        self.questions: list[SeparatingQuestion] = []
        self.places = self.eta = self.eta_low = self.eta_high = np.empty((0, 0))
        self.n_neighbors = 0
        self._set_degree()
        self.pairs = self._table()

    @property
    def verdict(self) -> str:
        """Whether the sets can separate all outputs, in one sentence."""
        return self.verdict_for(row_number)

    def verdict_for(self, name: Callable[[int], str]) -> str:
        """Return the same sentence, with row i called name(i)."""
        return _verdict(self, name)[0]

    @property
    def is_identifiable(self) -> bool | None:
        return _verdict(self, row_number)[1]

    def _set_degree(self) -> None:
        c = self.degrees.value.shape[1]
        gap = 1 if self.choices.is_ordered else 0
        other = np.abs(np.subtract.outer(np.arange(c), np.arange(c))) > gap
        seen = self.degrees.rows >= MIN_ROWS
        self.rare = [self.choices.label(g, k) for g, k in np.argwhere((self.degrees.rows > 0) & ~seen)]
        value = np.where(other & (seen if seen.any() else ~seen)[:, :, None], self.degrees.value, np.nan)
        self.degree, self.degree_interval, self.degree_pair = np.nan, (0.0, 1.0), ("", "")
        if np.isnan(value).all():
            return
        g, y, z = (int(k) for k in np.unravel_index(np.nanargmax(value), value.shape))
        self.degree = float(value[g, y, z])
        self.degree_interval = (float(self.degrees.low[g, y, z]), float(self.degrees.high[g, y, z]))
        self.degree_pair = (self.choices.label(g, z), self.choices.label(g, y))

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

    def _of_kind(self, kind: str) -> list[tuple[str, ...]]:
        return [self.option_names(blind) for blind in self.blind if blind.kind == kind]

    @property
    def inseparable(self) -> list[tuple[str, ...]]:
        return self._of_kind("same")

    @property
    def everywhere(self) -> list[str]:
        return [names[0] for names in self._of_kind("everywhere")]

    @property
    def shadowed(self) -> list[tuple[str, ...]]:
        return self._of_kind("shadow")

    def option_names(self, blind: BlindSpot) -> tuple[str, ...]:
        """Return the names of the options of a blind spot."""
        return tuple(self.choices.label(blind.choice, k) for k in blind.options)

    def frame(self) -> Any:
        """Return the pairs as a pandas DataFrame, those that are hardest to separate first."""
        import pandas as pd

        return pd.DataFrame(self.pairs)

    def plot(self, axes: Any = None) -> Any:
        """Plot the degrees P(z in S | y), and eta around the rows."""
        from ..plotting import IdentifiabilityDisplay

        return IdentifiabilityDisplay.from_identifiability(self, axes)

    def lines(self) -> list[str]:
        """Return the findings, one per line."""
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
            out.append(f"{blind.format(self.option_names(blind))} ({blind.rows} rows). {asked.text}")
        if len(self.blind) > len(self.questions):
            out.append(f"… and {len(self.blind) - len(self.questions)} more")
        return out


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
    """Check whether sets such as these can separate the outputs, and find the cheapest question if they cannot.

    Three things are checked for each choice that a set leaves open (the label; each tag; each pair of items; the range
    of a number):

    - options a and b that are possible in the same rows: swapping them changes no set, so no number of such rows, and
      no method, can separate them. If a is never possible without b, b costs nothing whenever a costs nothing;
    - the ambiguity degree max_{z != y} P(z in S | Y = y). Below 1, only the true output has the smallest set risk. Y is
      not observed: every row counts for y with the probability q_i(y) that disambiguation gives it,
      P(z in S | y) ~ sum_i q_i(y) 1[z in S_i] / sum_i q_i(y), with the Clopper-Pearson interval at the effective number
      of rows (sum q)² / sum q². The estimate is as good as these probabilities; a few exact rows can check it;
    - the paper's eta around x, 1 minus the second largest of P(z in S | x), from the nearest rows, with the interval of
      that many draws. Near a boundary between classes, eta is small for that reason, too.

    Parameters
    ----------
    X : (n, d) numbers
        Inputs.
    y : n sets
        In any format of the output space.
    output : OutputSpace, optional
        ``outputs.Labels()`` by default; ``Tags()``, ``Rankings()`` or ``Reals()`` for the others.
    weights : Weights or str, optional
        The base learner for disambiguation; kernel ridge on standardised features by default.
    n_neighbors : int, optional
        How many rows are "around x": by default the square root of n, at least 10.
    level : float, default 0.95
        The level of confidence, between 0.5 and 1.
    resolved : DisambiguationResult, optional
        The disambiguation of the same rows, if there is one already.

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
    >>> found.inseparable, found.is_identifiable
    ([('cat', 'dog')], False)
    >>> print(found.questions[0])
    Row 1: is it cat or dog?
    """
    if not 0.5 < level < 1:
        raise ValueError(f"level must be between 0.5 and 1. Got {level!r}.")
    X, space = inputs_and_space(X, output)
    sets = space.fit(y).read(y)
    check_lengths(X.shape[0], len(sets))
    return of_sets(X, space, sets, weights, n_neighbors, level, resolved)


def of_sets(
    X: Any, output: OutputSpace, sets: Sets, weights: Any = None, n_neighbors: int | None = None, level: float = 0.95,
    resolved: DisambiguationResult | None = None,
) -> Identifiability:  # fmt: skip
    """Return the same for an X of numbers and parsed sets."""
    choices = output.choices(sets)
    pairs = pairs_of(choices.mask)
    degree = _degrees(choices, *_probabilities(X, output, sets, choices, weights, resolved), level)
    found = Identifiability(choices, pairs, degree, level)
    found.blind = blind_spots(choices, pairs, level)
    found.questions = [question(choices, blind, X) for blind in found.blind[:MAX_QUESTIONS]]
    _set_eta(found, X, n_neighbors)
    return found


def _probabilities(
    X: Any, output: OutputSpace, sets: Sets, choices: Choices, weights: Any, resolved: DisambiguationResult | None
) -> tuple[NDArray, NDArray]:
    """Return the probabilities q (k, g, c) of the options of some rows, and the rows."""
    from ..estimators.generic import PartialEstimator

    rows = np.arange(len(sets))
    if resolved is None:
        if len(sets) > MAX_DISAMBIGUATED:
            rows = np.sort(np.random.default_rng(0).choice(len(sets), MAX_DISAMBIGUATED, replace=False))
        if sets[rows].is_unlabelled.all():
            return np.zeros((len(rows), *choices.mask.shape[1:])), rows
        family = default_weights() if weights is None else weights
        model = PartialEstimator(output, principle=Disambiguation(threshold=None), weights=family)
        resolved = model.fit(X[rows], sets[rows]).disambiguation_
        assert resolved is not None
    if resolved.q is not None and resolved.q.shape[1:] == choices.mask.shape[1:]:
        return resolved.q, rows
    at = choices.option_of(sets[rows], np.asarray(resolved.z))
    return (at[..., None] == np.arange(choices.mask.shape[-1])).astype(float), rows


def _degrees(choices: Choices, q: NDArray, rows: NDArray, level: float) -> Degree:
    possible = choices.mask[rows].astype(float)
    total, square = q.sum(axis=0), np.square(q).sum(axis=0)  # (g, c)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.clip(np.einsum("ngy,ngz->gyz", q, possible) / total[:, :, None], 0, 1)
        effective = np.where(square > 0, total**2 / square, 0.0)
    c = possible.shape[-1]
    one = 1 - (1 - level) / max(2 * len(choices.names) * c * (c - 1), 1)  # both ends of all of them at once
    n = np.broadcast_to(effective[:, :, None], value.shape)
    count = np.nan_to_num(value) * n
    low, high = np.where(n > 0, at_least(count, n, one), 0), np.where(n > 0, at_most(count, n, one), 1)
    return Degree(value, low, high, effective)


def _set_eta(found: Identifiability, X: Any, n_neighbors: int | None) -> None:
    """Estimate eta around the rows, from the nearest ones in standardised features."""
    n, mask = X.shape[0], found.choices.mask
    k = max(10, round(np.sqrt(n))) if n_neighbors is None else int(n_neighbors)
    if k < 1:
        raise ValueError(f"n_neighbors must be at least 1. Got {n_neighbors!r}.")
    if mask.shape[-1] < 2:
        return
    k = min(k, n)
    places = np.unique(np.linspace(0, n - 1, min(n, MAX_PLACES)).astype(int))
    graph = nearest_rows(X, k).features(X[places])
    eta = np.stack([_eta(mask[:, g], graph, found.choices.is_ordered) for g in range(mask.shape[1])], axis=1)
    count = np.rint((1 - eta) * k)
    two = 1 - (1 - found.level) / 2
    found.places, found.eta, found.n_neighbors = places, eta, k
    found.eta_low, found.eta_high = 1 - at_most(count, k, two), 1 - at_least(count, k, two)


def _eta(mask: NDArray, graph: Any, is_ordered: bool) -> NDArray:
    """Return 1 minus the second largest P(z in S | x); next to the largest, ordered options do not count."""
    P = np.asarray(graph @ mask.astype(float))  # the weights of a row sum to one
    if not is_ordered:
        return 1 - np.sort(P, axis=1)[:, -2]
    far = np.abs(np.arange(P.shape[1]) - np.argmax(P, axis=1)[:, None]) > 1
    return 1 - np.where(far, P, 0).max(axis=1)


def _verdict(found: Identifiability, name: Callable[[int], str]) -> tuple[str, bool | None]:
    mask, separated = found.choices.mask, found.choices.separated
    if mask.all():
        return f"No. None of the {len(mask)} rows excludes any output.", False
    if found.blind:
        return _verdict_on_blind_spot(found, found.blind[0], found.questions[0].format(name)), False
    low, high = found.degree_interval
    if not np.isfinite(found.degree):
        return f"Perhaps. {separated}, but there are too few rows to estimate how often.", None
    degree = f"The ambiguity degree is about {found.degree:.2f} ({low:.2f} to {high:.2f})"
    z, y = found.degree_pair
    if not high < 1 or found.degree > NEARLY_ONE:
        return f"Hardly. {z} is nearly always a candidate if {y} is true. {degree}, and it must be below 1.", None
    rare = f" {len(found.rare)} of them have too few rows to be sure." if found.rare else ""
    sure = "Yes" if high < NEARLY_ONE else "Yes, but barely"
    return f"{sure}. {separated}.{rare} {degree}, below 1.", True


def _verdict_on_blind_spot(found: Identifiability, first: BlindSpot, asked: str) -> str:
    names = found.option_names(first)
    others = len([blind for blind in found.blind if blind.kind == first.kind]) - 1
    more = f" (and {others} more)" if others else ""
    if first.kind == "same":
        return (
            f"No. {' and '.join(names)} always appear together ({first.rows} rows){more}, so more data of this kind"
            f" cannot separate them. Ask an annotator, for example: {asked}"
        )
    if first.kind == "everywhere":
        why = f"{names[0]} is never excluded ({first.rows} rows){more}, so predicting it is never wrong"
    else:
        why = (
            f"{names[0]} never appears without {names[1]} ({first.rows} rows){more}, so {names[1]} is possible whenever"
            f" {names[0]} is"
        )
    return f"Not all. {why}. Ask an annotator, for example: {asked}"
