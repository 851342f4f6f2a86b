"""What a report shows about partial orders."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..summary import Summary, SummaryTable


def summary_of(space: Any, sets: Any) -> Summary:
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
