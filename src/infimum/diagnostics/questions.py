"""Options that the sets do not separate, and the cheapest question that would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..outputs.choices import Choices
from .counts import PairCounts

COMPARED = 400  # rows, at most, among which the most typical one is chosen


@dataclass(frozen=True)
class SeparatingQuestion:
    """One question about one row, and the options that it separates."""

    asked: str
    """The question, without the row."""
    row: int
    options: tuple[str, ...]
    """The options that are not separated without it."""
    rows: int
    """The number of rows in which all of them are possible."""
    answers: int
    """The number of such questions that are needed at least: log2 of the number of options, rounded up."""

    @property
    def text(self) -> str:
        """The question with the number of its row."""
        return self.format(row_number)

    def format(self, name: Callable[[int], str]) -> str:
        """Return the question, with its row called name(row)."""
        called = name(self.row)
        return f"{called[:1].upper() + called[1:] if called.startswith('row ') else called}: {self.asked}"

    def __str__(self) -> str:
        return self.text


def row_number(row: int) -> str:
    """Return "row 3": how rows without names are called."""
    return f"row {row}"


@dataclass(frozen=True)
class BlindSpot:
    """Options that no row separates."""

    choice: int
    options: tuple[int, ...]
    kind: str
    """"same": never separated; "shadow": options[0] never without options[1]; "everywhere": never excluded."""
    rows: int
    """The number of rows that could have separated them and did not."""
    bound: float
    """The largest probability that such a row separates them, at the level of confidence."""

    def format(self, names: tuple[str, ...]) -> str:
        """Return the blind spot as text."""
        if self.kind == "everywhere":
            return f"{names[0]} is never excluded"
        if self.kind == "shadow":
            return f"{names[0]} never without {names[1]}"
        return f"never separated: {', '.join(names)}"


KINDS = ("same", "everywhere", "shadow")


def blind_spots(choices: Choices, pairs: PairCounts, level: float) -> list[BlindSpot]:
    """Find options that are never separated, never excluded, or never possible without another.

    Being possible in the same rows is an equivalence, so groups are classes of equal columns. Neighbouring options of
    an ordered choice overlap; for these, only options that are never excluded count. The order of two items may be the
    same in every row; for these, only pairs that are never compared count.
    """
    found: list[BlindSpot] = []
    n = len(choices.mask)

    def add(g: int, options: tuple[int, ...], kind: str, rows: int) -> None:
        bound = float(1 - (1 - level) ** (1 / rows)) if rows else 1.0
        found.append(BlindSpot(g, options, kind, rows, bound))

    for g in range(len(choices.names)):
        without, count = pairs.without[g], np.diagonal(pairs.together[g])
        same = (without == 0) & (without.T == 0)
        compared = [] if choices.is_ordered else np.flatnonzero(count).tolist()
        done: set[int] = set()
        for a in compared:
            group = tuple(int(b) for b in np.flatnonzero(same[a]))
            if len(group) > 1 and a not in done:
                done |= set(group)
                add(g, group, "same", int(count[a]))
        if choices.compares_items:
            continue
        everywhere = {int(z) for z in np.flatnonzero(count == n)} if not done and (count > 0).sum() > 1 else set()
        for z in sorted(everywhere):
            add(g, (z,), "everywhere", n)
        for a in compared:
            over = np.flatnonzero((without[a] == 0) & ~same[a])
            if len(over) and not everywhere & set(over.tolist()):
                b = min(over, key=lambda k: (count[k], k))  # the rarest is the most informative
                add(g, (a, int(b)), "shadow", int(count[a]))
    return sorted(found, key=lambda blind: (KINDS.index(blind.kind), -blind.rows))


def question(choices: Choices, blind: BlindSpot, X: Any) -> SeparatingQuestion:
    """Ask for half of the options, at the most typical row in which all of them and few others are possible."""
    mask = choices.mask[:, blind.choice]
    rows = np.flatnonzero(mask[:, list(blind.options)].all(axis=1) & (mask.sum(axis=1) > 1))
    row = _typical(X, rows, mask[rows].sum(axis=1))
    names = tuple(choices.label(blind.choice, k) for k in blind.options)
    answers = max(1, int(np.ceil(np.log2(len(names)))))
    return SeparatingQuestion(choices.ask(blind.choice, blind.options), row, names, len(rows), answers)


def _typical(X: Any, rows: NDArray, sizes: NDArray) -> int:
    """Return the row among those with the smallest sets that is nearest to all of `rows` on average."""
    from sklearn.metrics import pairwise_distances

    some = rows[np.linspace(0, len(rows) - 1, min(len(rows), COMPARED)).astype(int)]
    least = rows[sizes == sizes.min()][:COMPARED]
    return int(least[np.argmin(pairwise_distances(X[least], X[some]).mean(axis=1))])
