"""Write the water samples that the package ships: `python docs/make_wells.py`.

The tables are invented. `wells.csv` has 200 wells with the arsenic concentration as a laboratory reports it, in µg/l:
a value, or the detection limit of the instrument, such as "<5". `wells_new.csv` has 100 wells that were measured with
a fine instrument, to check a model.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent.parent / "src" / "infimum" / "datasets" / "tables"
COLUMNS = ["well", "depth", "ph", "iron", "distance", "instrument", "arsenic"]
LIMITS = {"field kit": 10.0, "standard": 5.0, "fine": 0.5}
SHARES = {"field kit": 0.35, "standard": 0.4, "fine": 0.25}


def samples(rng: np.random.Generator, n: int) -> list[tuple[float, float, float, float, float]]:
    """Return depth in m, pH, iron in mg/l, distance from the river in km, and the arsenic concentration in µg/l."""
    depth, distance = rng.uniform(5, 80, n), rng.uniform(0, 12, n)
    iron = np.exp(rng.normal(0, 0.6, n))
    ph = 7 + 0.35 * rng.standard_normal(n)
    peak = np.exp(-(((depth - 32) / 14) ** 2))  # arsenic is released at medium depth
    log = 0.1 + 1.1 * peak + 0.25 * np.log(iron) + 0.35 * (ph - 7) - 0.03 * distance + 0.16 * rng.standard_normal(n)
    return list(zip(depth, ph, iron, distance, 10**log))


def write(name: str, seed: int, n: int, exact: bool) -> None:
    """Write one table; exact values are those of the fine instrument without a limit."""
    rng = np.random.default_rng(seed)
    with open(FOLDER / name, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([column for column in COLUMNS if not (exact and column == "instrument")])
        for k, (depth, ph, iron, distance, arsenic) in enumerate(samples(rng, n)):
            instrument = str(rng.choice(list(LIMITS), p=list(SHARES.values())))
            limit = LIMITS[instrument]
            cell = f"{arsenic:.2g}" if exact or arsenic >= limit else f"<{limit:g}"
            row = [f"W-{seed}{k:03d}", f"{depth:.0f}", f"{ph:.1f}", f"{iron:.2f}", f"{distance:.1f}"]
            writer.writerow([*row, cell] if exact else [*row, instrument, cell])


if __name__ == "__main__":
    write("wells.csv", 1, 200, False)
    write("wells_new.csv", 2, 100, True)
