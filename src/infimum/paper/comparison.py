"""Props. 2 and 3 as an experiment: the comparison inequality on random finite problems."""

from __future__ import annotations

import numpy as np
import pandas as pd

from . import style, theory
from .base import Comparison as Compared
from .base import Experiment, Row, Task, row
from .problems import random_loss, random_weak


class Inequality(Experiment):
    name = "comparison"
    title = "The comparison inequality on random problems"
    place = "Prop. 2 (comparison inequality) and Prop. 3 (bound refinement)"
    caption = (
        "Each point is a random non-ambiguous problem: the largest ratio of excess risk to excess set risk over all "
        "outputs, against the constant C = e^nu / eta of Prop. 2. No point is above the diagonal: the inequality "
        "holds. The refined constant of Prop. 3 equals the ratio itself in every problem."
    )
    differs = "Prop. 3 is stated with the maximum of 1/lambda; the constant is 1 / min lambda = max_z l(z, y) / R_S(z)."

    def tasks(self, quick: bool) -> list[Task]:
        count = 100 if quick else 400
        return [{"m": m, "problems": count, "seed": seed} for seed, m in enumerate((3, 4, 5, 6, 8, 10))]

    def run(self, task: Task, data: str | None) -> list[Row]:
        rng, m = np.random.default_rng(task["seed"]), task["m"]
        rows: list[Row] = []
        while len(rows) < 3 * task["problems"]:
            cost, y = random_loss(rng, m), int(rng.integers(m))
            sets, p = random_weak(rng, m, y, int(rng.integers(2, 8)))
            if theory.intersection(sets, p).sum() != 1:
                continue
            number = len(rows) // 3
            constants = theory.calibration(cost, sets, p)
            risks, wrong = theory.set_risk(cost, sets, p), np.arange(m) != y
            # R(z; rho*) - R(y; rho*) = l(z, y), and R_S(y) = 0
            ratio = (cost[wrong, y] / risks[wrong]).max()
            for method, value in (("ratio", ratio), ("C", constants.constant), ("refined", constants.refined)):
                rows.append(row(method, m, float(value), number, task["seed"]))
        return rows

    def draw(self, frame: pd.DataFrame):
        fig, axes = style.figure(size=(4.4, 3.4))
        ax, wide = axes[0, 0], self._wide(frame)
        ax.scatter(wide["C"], wide["ratio"], s=5, color=style.BLUE, alpha=0.4, lw=0, label="a random problem")
        ends = np.array([1, wide["C"].max() * 1.2])
        ax.plot(ends, ends, color="black", lw=1, label="Prop. 2: ratio = C")
        ax.set(xscale="log", yscale="log", xlabel=r"$C = e^\nu / \eta$", ylabel="largest excess risk / excess set risk")
        style.legend(fig)
        return fig

    @staticmethod
    def _wide(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.pivot(index=["parameter", "fold"], columns="method", values="value")

    def compare(self, frame: pd.DataFrame) -> list[Compared]:
        wide = self._wide(frame)
        above = int((wide["ratio"] > wide["C"] * (1 + 1e-9)).sum())
        apart = float((wide["ratio"] / wide["refined"] - 1).abs().max())
        return [
            Compared(f"violations of Prop. 2 in {len(wide)} problems", above, 0, None, "Prop. 2"),
            Compared("refined constant beside the ratio, largest relative difference", apart, 0.0, 1e-9, "Prop. 3"),
        ]
