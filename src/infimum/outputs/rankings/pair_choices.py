"""Partial orders as choices: for each pair of items, which one comes first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..choices import Choices
from .codes import codes_of, pairs
from .sets import PartialOrders


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
