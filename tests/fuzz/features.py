"""Columns of every kind, and the oracle: what becomes of a row does not depend on the other rows."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import numpy as np

COLUMNS: dict[str, Callable[[np.random.Generator], Any]] = {
    "numbers": lambda rng: float(rng.normal()),
    "integers": lambda rng: int(rng.integers(-5, 5)),
    "numbers as text": lambda rng: rng.choice(["1.5", "2,5", "$3", "n/a", "1e3", "7 %", "", "-0.25"]),
    "decimals": lambda rng: Decimal(str(round(rng.normal(), 3))),
    "durations": lambda rng: datetime.timedelta(hours=float(rng.normal())),
    "booleans": lambda rng: bool(rng.integers(2)),
    "dates": lambda rng: rng.choice(["2024-01-31", "3/4/2024", "31.1.2024", "n/a", ""]),
    "times": lambda rng: datetime.datetime(2024, 1, 1) + datetime.timedelta(days=float(rng.integers(500))),
    "sizes": lambda rng: rng.choice(["1.50", "2.00", "0.10", "XL", "+5", "1e3", "2."]),
    "categories": lambda rng: rng.choice(["cat", " Cat", "dog", "caf\u00e9", "cafe\u0301", ""]),
    "codes": lambda rng: rng.choice([1, 2.0, 3, None]),
    "text": lambda rng: " ".join(rng.choice(["red", "green", "blue", "very", "not", "1"], size=6)),
    "gaps": lambda rng: None if rng.random() < 0.3 else float(rng.normal()),
    "strays": lambda rng: "?!" if rng.random() < 0.03 else float(rng.normal()),
}
"""Kind of column → a cell of it."""


def table(rng: np.random.Generator, n: int) -> dict[str, list]:
    """Return n rows with one column of every kind."""
    return {name: [draw(rng) for _ in range(n)] for name, draw in COLUMNS.items()}


def parts(rng: np.random.Generator, n: int) -> Iterator[np.ndarray]:
    """Yield every row alone, then batches of random size and order."""
    yield from (np.array([row]) for row in range(n))
    for _ in range(10):
        yield rng.permutation(n)[: rng.integers(1, n)]
