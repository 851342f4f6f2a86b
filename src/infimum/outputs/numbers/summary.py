"""What a report shows about intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..summary import Summary, SummaryTable

QUANTILES = {"smallest": 0.0, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "largest": 1.0}


def summary_of(space: Any, sets: Any) -> Summary:
    """Return the number of one-sided intervals, and quantiles of the finite bounds and lengths."""
    low, high = sets.lowest, sets.highest
    one_sided = int(np.sum(np.isfinite(low) != np.isfinite(high)))
    columns = {"lower bound": low, "upper bound": high, "length": sets.size}
    finite = {name: values[np.isfinite(values)] for name, values in columns.items()}
    rows = [
        [name, *(float(np.quantile(values, q)) if len(values) else np.nan for values in finite.values())]
        for name, q in QUANTILES.items()
    ]
    return Summary([("one-sided", one_sided)], [SummaryTable("Bounds", ["", *columns], rows)])
