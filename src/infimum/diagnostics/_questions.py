"""What sets cannot tell apart, and the cheapest question that would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._choices import Choices, Pairs

COMPARED = 400  # rows among which the most typical one is looked for


@dataclass(frozen=True)
class Question:
    """One question about one row, and what it would settle."""

    asked: str
    """The question, without the row."""
    row: int
    options: tuple[str, ...]
    """What cannot be told apart without it."""
    rows: int
    """How many rows hold them all."""
    answers: int
    """How many such questions are needed at least, one more row each: log2 of the options, rounded up."""

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
class Blind:
    """Options that no row separates."""

    choice: int
    options: tuple[int, ...]
    how: str
    """"same": never apart; "shadow": options[0] never comes without options[1]; "everywhere": never ruled out."""
    rows: int
    """The rows that could have separated them and did not."""
    bound: float
    """A row that could separate them does so with at most this probability, at the level of confidence."""

    def says(self, names: tuple[str, ...]) -> str:
        """The same in words."""
        if self.how == "everywhere":
            return f"{names[0]} is never ruled out"
        return f"{names[0]} never without {names[1]}" if self.how == "shadow" else f"never apart: {', '.join(names)}"


def blind_spots(choices: Choices, pairs: Pairs, level: float) -> list[Blind]:
    """Groups of options that are never apart; options that are in every set; options that never come without another.

    Options that are in the same rows are in the same rows as a third one together or not at all: groups are classes of
    equal columns. Bands of numbers shade into each other: of these only what is never ruled out counts.
    """
    found: list[Blind] = []
    n = len(choices.mask)
    for g in range(len(choices.names)):
        without, held = pairs.without[g], np.diagonal(pairs.together[g])
        same = (without == 0) & (without.T == 0)
        done: set[int] = set()
        for a in np.flatnonzero(held) if choices.kind != "number" else []:
            group = tuple(int(b) for b in np.flatnonzero(same[a]))
            if len(group) > 1 and a not in done:
                done |= set(group)
                found.append(_blind(g, group, "same", int(held[a]), level))
        if choices.kind == "order":  # that a comes before b wherever both are compared is an answer
            continue
        everywhere = {int(z) for z in np.flatnonzero(held == n)} if not done and (held > 0).sum() > 1 else set()
        found += [_blind(g, (z,), "everywhere", n, level) for z in sorted(everywhere)]
        for a in np.flatnonzero(held) if choices.kind != "number" else []:
            over = np.flatnonzero((without[a] == 0) & ~same[a])
            if len(over) and not everywhere & set(over.tolist()):
                b = min(over, key=lambda k: (held[k], k))  # the rarest of them says most
                found.append(_blind(g, (int(a), int(b)), "shadow", int(held[a]), level))
    return sorted(found, key=lambda blind: (HOW.index(blind.how), -blind.rows))


HOW = ("same", "everywhere", "shadow")


def _blind(choice: int, options: tuple[int, ...], how: str, rows: int, level: float) -> Blind:
    return Blind(choice, options, how, rows, _bound(rows, level))


def _bound(n: int, level: float) -> float:
    """The largest share that is not seen once in n rows, at this confidence."""
    return float(1 - (1 - level) ** (1 / n)) if n else 1.0


def question(choices: Choices, blind: Blind, X: Any) -> Question:
    """Half of the options against the others, at the most typical of the rows that hold them all and little else."""
    mask = choices.mask[:, blind.choice]
    rows = np.flatnonzero(mask[:, list(blind.options)].all(axis=1) & (mask.sum(axis=1) > 1))
    row = _typical(X, rows, mask[rows].sum(axis=1))
    names = tuple(choices.says(blind.choice, k) for k in blind.options)
    half = (len(names) + 1) // 2 if blind.how == "same" else 1
    answers = max(1, int(np.ceil(np.log2(len(names)))))
    return Question(_asked(choices, blind, half), row, names, len(rows), answers)


def _asked(choices: Choices, blind: Blind, half: int) -> str:
    g, options = blind.choice, [choices.options[blind.choice][k] for k in blind.options]
    if choices.kind == "tags":
        return f"is it {choices.names[g]}?"
    if choices.kind == "order":
        return f"which comes first of {choices.names[g]}?"
    if choices.kind == "number" and choices.edges is not None:
        edge = choices.edges[min(max(blind.options[0] - 1, 0), len(choices.edges) - 1)]
        return f"is it below {edge:.4g}?"
    if blind.how == "everywhere":
        return f"is it {options[0]}?"
    first, rest = options[:half], options[half:]
    return f"is it {' or '.join(first)}, rather than {' or '.join(rest)}?"


def _typical(X: Any, rows: NDArray, sizes: NDArray) -> int:
    """Of the rows with the smallest sets, the one that is nearest to all of `rows` on average."""
    from sklearn.metrics import pairwise_distances

    some = rows[np.linspace(0, len(rows) - 1, min(len(rows), COMPARED)).astype(int)]
    least = rows[sizes == sizes.min()][:COMPARED]
    return int(least[np.argmin(pairwise_distances(X[least], X[some]).mean(axis=1))])
