"""What a report shows about candidate labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..summary import Summary, SummaryTable, fraction


def summary_of(space: Any, sets: Any) -> Summary:
    """Return the number of complementary labels, and how often each class is exact, possible and excluded."""
    labelled = ~sets.is_unlabelled
    mask, exact = sets.mask[labelled], sets.mask[sets.is_exact].sum(axis=0)
    rows = [
        [str(name), int(exact[k]), int(mask[:, k].sum()), int((~mask[:, k]).sum()), fraction(mask[:, k])]
        for k, name in enumerate(space.classes_)
    ]
    columns = ["class", "exact", "possible", "excluded", "fraction possible"]
    complementary = int(np.sum(sets.negated & labelled & ~sets.is_exact))
    return Summary([("complementary", complementary)], [SummaryTable("Classes of labelled rows", columns, rows)])
