"""The stage of the search that allows for sets that miss the true label."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .candidates import NOISY
from .rank import competitive_groups, has_likelihood, is_noisy, likeliest


def try_noise(problem: Any, data: Any, record: Any) -> None:
    """Evaluate the best candidates under the assumption that sets may miss the true label, while this pays."""
    groups = competitive_groups(record.on(data), problem.rule)
    soft = [group[0].candidate for group in groups if has_likelihood(group[0])]
    near = [replace(one, principle=NOISY) for one in soft]
    for _ in range(problem.config.n_steps):
        record.compare(near, data)
        noisy = [one for one in record.on(data) if is_noisy(one)]
        if not noisy or likeliest(record.on(data)) not in noisy or problem.given:
            break
        near = likeliest(noisy).candidate.neighbours(problem.config)
