"""Figs. simplex-calibration, thales and example-calibration: how far the set risk falls below the risk."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd

from . import geometry, style, theory
from .base import Comparison, Experiment, Row, Task, row


class Calibration(Experiment):
    name = "calibration"
    title = "The comparison constant as a ratio of distances"
    place = "App. A.5, Figs. simplex-calibration and proof-thales"
    caption = (
        "Left: on the example of Sec. 4.1, level curves of R(b; rho). R_S(b) is the level of the line that touches "
        "R_tau, 3/16 of the way from b to c. Right: the variant of Thales' theorem behind it: the set S comes as near "
        "to z + x^perp as the fraction lambda of the distance of y. eta = 1/4 and e^nu = 2 give C = 8; the refined "
        "constant, the largest l(z, y) / R_S(z), is 16/3."
    )
    differs = (
        "The paper's caption has R_S(b) = R(b)/4. The right value is 3/16 R(b): the drawing lacks the vertex (1/8, "
        "3/4, 1/8) of R_tau, at which the line touches. The refined constant is the maximum of 1/lambda. Active "
        "labelling should therefore minimise it, not maximise it."
    )

    def tasks(self, quick: bool) -> list[Task]:
        return [{}]

    def run(self, task: Task, data: str | None) -> list[Row]:
        cost, sets, p, y = theory.pointwise_example()
        constants = theory.calibration(cost, sets, p)
        ratios = theory.set_risk(cost, sets, p)[:2] / cost[:2, y]
        values = {
            "eta": constants.eta, "e^nu": constants.ratio, "C": constants.constant, "refined C": constants.refined,
            "R_S(a)/R(a)": ratios[0], "R_S(b)/R(b)": ratios[1],
        }  # fmt: skip
        return [row("infimum", name, float(v), exact=str(v)) for name, v in values.items()]

    def draw(self, frame: pd.DataFrame):
        fig, axes = style.figure(2, size=(4.2, 3.2))
        self._draw_simplex(axes[0, 0], float(Fraction(frame.set_index("parameter")["exact"]["R_S(b)/R(b)"])))
        self._draw_thales(axes[0, 1])
        return fig

    @staticmethod
    def _draw_simplex(ax, ratio: float) -> None:
        cost, sets, p, _ = theory.pointwise_example()
        geometry.simplex(ax, (-0.2, 1.45, -0.1, 1.15))
        geometry.levels(ax, cost, z=1, n=16)
        geometry.polygon(ax, theory.eligible_region(sets, p), fc="#cccccccc", ec="black")
        ax.text(0.55, 0.25, r"$R_\tau$", zorder=5)
        a, b, c = geometry.CORNERS
        # R(b; rho) = rho(a) + 2 rho(c): its level lines run along a -> (b + c) / 2
        along = (b + c) / 2 - a
        along = along / np.linalg.norm(along)
        normal = np.array([along[1], -along[0]])
        far = (c - b) @ normal
        touch = b + ratio * far * normal
        for start, label in ((b, r"$\delta_b + D_b$"), (touch, r"$R(b;\cdot) = R_S(b)$")):
            ends = np.stack([start - 0.62 * along, start + 0.55 * along])
            ax.plot(*ends.T, color=style.BLUE, lw=1)
            ax.text(*(ends[0] - (0.01, 0.02)), label, ha="right", va="top", fontsize=8, color=style.BLUE, clip_on=False)
        foot = b + 0.48 * along
        arrow = {"arrowstyle": "<->", "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", foot + ratio * far * normal, foot, arrowprops=arrow | {"color": style.VERMILION, "lw": 1.5})
        ax.annotate("", foot + far * normal, foot, arrowprops=arrow | {"alpha": 0.35})
        ax.text(*(foot + ratio * far * normal / 2 + (0.04, 0.03)), r"$\frac{3}{16}\,d$", color=style.VERMILION)
        ax.text(*(foot + 0.6 * far * normal + (0.04, 0)), r"$d \propto R(b; \delta_c)$", fontsize=8)
        geometry.point(ax, [0, 0, 1], r"$\rho_0 = \delta_c$", (4, 6), ms=3)
        geometry.point(ax, [1 / 8, 3 / 4, 1 / 8], "", ms=4, color=style.VERMILION)

    @staticmethod
    def _draw_thales(ax) -> None:
        ax.axis("off")
        ax.set(xlim=(-2.2, 7), ylim=(-0.6, 3.6))
        labels = ((3, "$z + x^\\perp$"), (2, "$\\lambda y + (1-\\lambda) z + x^\\perp$"), (0, "$y + x^\\perp$"))
        for height, label in labels:
            ax.plot([0.4, 7], [height, height], color=style.BLUE, lw=1)
            ax.text(0.3, height, label, ha="right", va="center", fontsize=8, color=style.BLUE)
        ax.fill([2, 4, 4, 3, 1], [0, 0, 1, 2, 0.5], fc="#cccccc", ec="black", lw=1)
        ax.text(2.9, 0.9, "$S$", ha="center", va="center")
        ax.plot([2, 1], [0, 3], "o", color="black", ms=4)
        ax.text(2, -0.15, "$y$", va="top")
        ax.text(1, 3.12, "$z$", va="bottom")
        arrow = {"arrowstyle": "<->", "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (4.0, 2), (4.0, 3), arrowprops=arrow | {"color": style.VERMILION, "lw": 1.5})
        ax.text(4.15, 2.5, r"$\lambda\, d(z + x^\perp, y)$", va="center", fontsize=8, color=style.VERMILION)
        ax.annotate("", (6.4, 0), (6.4, 3), arrowprops=arrow | {"alpha": 0.35})
        ax.text(6.3, 1.2, r"$d(z + x^\perp, y)$", va="center", ha="right", fontsize=8)

    def compare(self, frame: pd.DataFrame) -> list[Comparison]:
        ours = frame.set_index("parameter")["exact"]
        known = {"eta": "1/4", "e^nu": "2", "C": "8", "refined C": "16/3", "R_S(b)/R(b)": "3/16"}
        rows = [Comparison(name, ours[name], value, source="by hand") for name, value in known.items()]
        return [*rows, Comparison("R_S(b)/R(b), as printed", ours["R_S(b)/R(b)"], "1/4", None, "print", False)]


class BadCalibration(Experiment):
    name = "bad-calibration"
    title = "An infinite comparison constant: the loss is not proper"
    place = "App. A.5, Fig. example-calibration"
    caption = (
        "tau = 1/2 on {a, c} and 1/2 on {b, c}, with l(b, a) = l(a, b) = 0 and l(b, c) = 1: R_tau touches the line "
        "R(b; .) = 0, so R_S(b) = 0, C is infinite and every output has set risk 0. The loss is not proper; with a "
        "proper one the same sets are non-ambiguous and lead to c."
    )
    differs = "The paper's caption does not define l(a, c); here it is 1. The proper variant has l(a, b) = 1/10."

    def tasks(self, quick: bool) -> list[Task]:
        return [{"l(a, b)": "0"}, {"l(a, b)": "1/10"}]

    def run(self, task: Task, data: str | None) -> list[Row]:
        cost, sets, p = self._problem(task["l(a, b)"])
        constants = theory.calibration(cost, sets, p)
        risks = dict(zip(("R_S(a)", "R_S(b)", "R_S(c)"), theory.set_risk(cost, sets, p)))
        values = risks | {"C": constants.constant, "refined C": constants.refined}
        return [row(f"l(a, b) = {task['l(a, b)']}", k, float(v), exact=str(v)) for k, v in values.items()]

    @staticmethod
    def _problem(small: str):
        one, e = Fraction(1), Fraction(small)
        cost = np.array([[0 * one, e, one], [e, 0 * one, one], [one, one, 0 * one]], dtype=object)
        sets = np.array([[1, 0, 1], [0, 1, 1]], dtype=bool)
        return cost, sets, np.array([one / 2, one / 2], dtype=object)

    def draw(self, frame: pd.DataFrame):
        fig, axes = style.figure(2, size=(3.2, 2.9))
        for ax, small in zip(axes[0], ("0", "1/10")):
            cost, sets, p = self._problem(small)
            geometry.simplex(ax)
            geometry.levels(ax, cost, z=1)
            geometry.polygon(ax, theory.eligible_region(sets, p), fc="#cccccc99", ec="black")
            geometry.point(ax, [0, 0, 1], r"$\rho_0$")
            ax.text(0.58, 0.25, r"$R_\tau$")
            value = frame[frame["method"] == f"l(a, b) = {small}"].set_index("parameter")["exact"]
            constant = "\\infty" if value["refined C"] == "inf" else value["refined C"]
            ax.set_title(f"$l(a, b) = {small}$:  $R_S(b) = {value['R_S(b)']}$,  refined $C = {constant}$")
        return fig

    def compare(self, frame: pd.DataFrame) -> list[Comparison]:
        ours = frame[frame["method"] == "l(a, b) = 0"].set_index("parameter")["exact"]
        return [
            Comparison("C", ours["C"], "inf", source="print"),
            *(Comparison(f"R_S({z})", ours[f"R_S({z})"], "0", source="print") for z in "abc"),
        ]
