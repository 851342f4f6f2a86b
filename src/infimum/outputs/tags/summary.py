"""What a report shows about tags."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..summary import Summary, SummaryTable, fraction


def summary_of(space: Any, sets: Any) -> Summary:
    """Return how often each tag is present, absent and unknown."""
    options = sets.options()
    if options is None:  # balls around tags: no tag is known by itself
        return Summary([], [])
    absent, present = options[..., 0] & ~options[..., 1], options[..., 1] & ~options[..., 0]
    rows = [
        [str(name), int(present[:, k].sum()), int(absent[:, k].sum()), int(np.sum(~(present | absent)[:, k])),
         fraction((present | absent)[:, k])]
        for k, name in enumerate(space.tags_)
    ]  # fmt: skip
    return Summary([], [SummaryTable("Tags", ["tag", "present", "absent", "unknown", "fraction known"], rows)])
