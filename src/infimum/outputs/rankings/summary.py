"""What a report shows about partial orders."""

from __future__ import annotations

from typing import Any

from ..summary import Summary, SummaryTable
from .forms import pairs_in_codes


def summary_of(space: Any, sets: Any) -> Summary:
    """Return how often each item is compared, and how often it is before and after another."""
    before = pairs_in_codes(sets.codes)
    ahead, behind = before.sum(axis=(0, 2)), before.sum(axis=(0, 1))
    rows = [
        [str(item), int((before[:, k].any(axis=1) | before[:, :, k].any(axis=1)).sum()), int(ahead[k]), int(behind[k]),
         float(ahead[k] / max(ahead[k] + behind[k], 1))]
        for k, item in enumerate(sets.items)
    ]  # fmt: skip
    columns = ["item", "rows that compare it", "before another", "after another", "fraction before"]
    counts = [("contradict themselves", sets.n_contradictory)] if sets.n_contradictory else []
    return Summary(counts, [SummaryTable("Items", columns, rows)])
