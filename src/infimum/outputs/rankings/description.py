"""Partial orders for people: what a report shows about them, and the pairs of items as choices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..choices import Choices
from ..summary import Summary, SummaryTable
from .codes import codes_of, pairs
from .sets import PartialOrders


def summary_of(sets: Any) -> Summary:
    """Return how often each item is compared, and how often it is before and after another."""
    _, better, worse = sets.known_pairs()
    ahead, behind = (np.bincount(side, minlength=sets.m) for side in (better, worse))
    compared = n_rows_comparing(sets)
    rows = [
        [str(item), int(compared[k]), int(ahead[k]), int(behind[k]), float(ahead[k] / max(ahead[k] + behind[k], 1))]
        for k, item in enumerate(sets.items)
    ]  # fmt: skip
    columns = ["item", "rows that compare it", "before another", "after another", "fraction before"]
    counts = [("contradict themselves", sets.n_contradictory)] if sets.n_contradictory else []
    return Summary(counts, [SummaryTable("Items", columns, rows)])


def n_rows_comparing(sets: Any) -> NDArray:
    """Return the number of rows that compare each item with another one, (m,)."""
    row, better, worse = sets.known_pairs()
    each = np.unique(np.concatenate([row * sets.m + better, row * sets.m + worse]))
    return np.bincount(each % sets.m, minlength=sets.m)


@dataclass(frozen=True)
class PairChoices(Choices):
    """Partial orders as one choice between two orders for each pair of items."""

    def option_of(self, sets: Any, z: NDArray) -> NDArray:
        return (codes_of(z) < 0).astype(int)


def choices_of(sets: PartialOrders, items: NDArray) -> PairChoices:
    """Return partial orders as choices between the two orders of each pair of items."""
    names = [(str(items[a]), str(items[b])) for a, b in zip(*pairs(sets.m))]
    return PairChoices(
        np.stack([sets.codes >= 0, sets.codes <= 0], axis=-1), [f"{a}, {b}" for a, b in names],
        [[f"{a} before {b}", f"{b} before {a}"] for a, b in names],
        "Each pair of items is compared in some rows", "which comes first of {name}?", compares_items=True,
    )  # fmt: skip
