"""The picture of a table: ours minus the best baseline, with standard errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.defaults._table import Summary
from benchmarks.defaults._work import ROOMS


def draw(lines: list[Summary], path: Path) -> None:
    """Draw one panel per score; filled dots are data sets that were used to choose constants."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    measures = list(dict.fromkeys(ROOMS[line.problem.kind].measure for line in lines))
    groups = [[line for line in lines if ROOMS[line.problem.kind].measure == measure] for measure in measures]
    heights = [len(group) + 1.5 for group in groups]
    with rc_context({"font.size": 8}):
        fig = Figure(figsize=(7, 0.2 * sum(heights) + 0.6), layout="constrained")
        axes = np.ravel(fig.subplots(len(groups), 1, height_ratios=heights))
        for ax, group, measure in zip(axes, groups, measures):
            panel(ax, group)
            ax.set_title(f"{measure}: infimum is better to the right", fontsize=8, loc="left")
        fig.savefig(path, dpi=150, metadata={"Software": None})


def panel(ax, group: list[Summary]) -> None:
    at = np.arange(len(group))
    for k, line in enumerate(group):
        color = "C0" if line.keeps_up else "C3"
        ax.errorbar(
            line.ahead.value, k, xerr=np.nan_to_num(line.ahead.error), fmt="o", ms=4, color=color,
            mfc=color if line.problem.looked_at else "white",
        )  # fmt: skip
    ax.axvline(0, color="0.5", lw=0.8)
    ax.set_yticks(at, [f"{line.problem.name}  ({line.best})" for line in group])
    ax.set_ylim(len(group) - 0.4, -0.6)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
