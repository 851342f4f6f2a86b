"""Write the comparisons of drinks that the package ships: `python docs/make_drinks.py`.

The tables are invented. `drinks.csv` has 260 people of different ages, each with one comparison of two drinks, such as
"tea>cola". `drinks_new.csv` has 140 other people, to check a model.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent.parent / "src" / "infimum" / "datasets" / "tables"
ITEMS = ["tea", "milk", "cola", "juice"]


def appeal(age: np.ndarray) -> np.ndarray:
    """Return the mean appeal of each drink at each age."""
    x = (age - 45) / 30
    return np.column_stack([x, 0.3 - 0 * x, -x, 0.6 - x**2])


def write(name: str, seed: int, n: int) -> None:
    """Write one table; tastes depend on age, with noise."""
    rng = np.random.default_rng(seed)
    age = rng.integers(15, 76, n)
    taste = appeal(age) + 0.35 * rng.gumbel(size=(n, 4))
    with open(FOLDER / name, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["person", "age", "preference"])
        for k in range(n):
            a, b = rng.choice(4, 2, replace=False)
            first, second = (a, b) if taste[k, a] > taste[k, b] else (b, a)
            writer.writerow([f"P-{seed}{k:03d}", age[k], f"{ITEMS[first]}>{ITEMS[second]}"])


if __name__ == "__main__":
    write("drinks.csv", 1, 260)
    write("drinks_new.csv", 2, 140)
