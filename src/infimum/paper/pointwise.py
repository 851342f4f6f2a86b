"""Sec. 4.1 and Fig. 1: three outputs, one weak distribution, three principles, in exact fractions."""

from __future__ import annotations

import pandas as pd

from . import geometry, style, theory
from .base import Comparison, Experiment, Row, Task, row

OUTPUTS = "abc"


class Pointwise(Experiment):
    name = "pointwise"
    title = "Three losses on one example: only the infimum finds the true label"
    place = "Sec. 4.1, Fig. 1"
    caption = (
        "Y = {a, b, c} with l(a, b) = l(a, c) = 1 and l(b, c) = 2. The true label is c, tau({a, b, c}) = 5/8, and "
        "tau({c}) = tau({a, c}) = tau({b, c}) = 1/8. From left to right: the decision regions; the region R_tau of "
        "the distributions that are compatible with tau; level curves of the variability E; and all together, with "
        "rho_ac in the region of a, and rho*, the minimum of E over R_tau, at c. All numbers are exact fractions."
    )
    differs = (
        "R_sp(c) is 13/8; the paper prints 3/2. The minimum is still at a, and the conclusion holds. The region R_tau "
        "in the paper lacks the vertices (3/4, 1/8, 1/8) and (1/8, 3/4, 1/8). Here it has all five."
    )

    def tasks(self, quick: bool) -> list[Task]:
        return [{}]

    def run(self, task: Task, data: str | None) -> list[Row]:
        cost, sets, p, _ = theory.pointwise_example()
        found = theory.least_variability(cost, sets, p)
        values = {
            ("infimum", "R(z)"): theory.set_risk(cost, sets, p),
            ("average", "R(z)"): theory.set_risk(cost, sets, p, "average"),
            ("supremum", "R(z)"): theory.set_risk(cost, sets, p, "supremum"),
            ("average", "rho"): theory.average_distribution(sets, p),
            ("infimum", "rho"): found.rho,
        }
        return [
            row(method, z, float(v), measure=measure, exact=str(v))
            for (method, measure), vector in values.items()
            for z, v in zip(OUTPUTS, vector)
        ]

    def draw(self, frame: pd.DataFrame):
        cost, sets, p, _ = theory.pointwise_example()
        fig, axes = style.figure(4, size=(2.3, 2.2))
        regions, region = theory.decision_regions(cost), theory.eligible_region(sets, p)
        titles = ("decision regions", r"$R_\tau$", r"level curves of $\mathcal{E}$", "all together")
        for ax, title in zip(axes[0], titles):
            geometry.simplex(ax)
            ax.set_title(title)
        for ax in axes[0, [0, 3]]:
            for vertices, color in zip(regions, geometry.REGIONS):
                geometry.polygon(ax, vertices, color=color, alpha=0.3, lw=0)
        for vertices, name in zip(regions, OUTPUTS):
            x, y = geometry.plane(vertices).mean(axis=0)
            axes[0, 0].text(x, y, f"$R_{name}$", ha="center", va="center")
        geometry.polygon(axes[0, 1], region, fc="#cccccc", ec="black")
        for vertex in region:
            geometry.point(axes[0, 1], vertex, "", ms=3)
        geometry.point(axes[0, 1], [0, 0, 1], r"$\rho_0$")
        for ax in axes[0, 2:]:
            geometry.levels(ax, cost)
        geometry.polygon(axes[0, 3], region, fc="#00000026", ec="black", lw=1.2)
        geometry.point(axes[0, 3], theory.average_distribution(sets, p), r"$\rho_{ac}$", color=style.GREEN)
        geometry.point(axes[0, 3], theory.least_variability(cost, sets, p).rho, r"$\rho^\star$", color=style.VERMILION)
        return fig

    def compare(self, frame: pd.DataFrame) -> list[Comparison]:
        ours = frame.set_index(["method", "measure", "parameter"])["exact"]
        known = {
            ("infimum", "R(z)"): ("1/4", "3/8", "0"),
            ("average", "R(z)"): ("35/48", "19/16", "13/16"),
            ("supremum", "R(z)"): ("1", "2", "13/8"),
            ("average", "rho"): ("13/48", "13/48", "11/24"),
            ("infimum", "rho"): ("0", "0", "1"),
        }
        out = []
        for (method, measure), vector in known.items():
            for z, value in zip(OUTPUTS, vector):
                at = "rho" if measure == "rho" else "R"
                out.append(Comparison(f"{at}({z}), {method}", ours[method, measure, z], value, source="by hand"))
        out.append(Comparison("R(c), supremum, as printed", ours["supremum", "R(z)", "c"], "3/2", None, "print", False))
        return out
