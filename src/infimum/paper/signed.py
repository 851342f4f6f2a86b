"""Fig. consistency: an estimated tau is signed and its region leaves the simplex, but the prediction is right."""

from __future__ import annotations

import pandas as pd

from . import geometry, style, theory
from .base import Comparison, Experiment, Row, Task, row


class Signed(Experiment):
    name = "signed"
    title = "Disambiguation with a signed estimate"
    place = "App. A.6, Fig. consistency"
    caption = (
        "The estimate of tau given by kernel weights is signed: here 1/2 on {a, b}, 1/2 on {c}, 1/4 on {a, c} and -1/4 "
        "on {a, b, c}. Its region (dark) leaves the simplex; light, the region of the true tau of Sec. 4.1. The "
        "minimum of E over it, rho-hat = (1/2, -1/4, 3/4), lies in the region of c: the prediction is right."
    )
    differs = (
        "The drawing is the same. A negative weight is treated as in the joint loss: its set contributes the "
        "supremum. With the inside loss, which the consistency proof uses, a and c tie at risk 1/2."
    )

    def tasks(self, quick: bool) -> list[Task]:
        return [{}]

    def run(self, task: Task, data: str | None) -> list[Row]:
        cost, sets, p, _ = theory.signed_example()
        values = {
            "rho": theory.least_variability(cost, sets, p).rho,
            "R, joint": theory.set_risk(cost, sets, p, negative_weights="joint"),
            "R, inside": theory.set_risk(cost, sets, p, negative_weights="inside"),
        }
        return [
            row("infimum", z, float(v), measure=measure, exact=str(v))
            for measure, vector in values.items()
            for z, v in zip("abc", vector)
        ]

    def draw(self, frame: pd.DataFrame):
        cost, sets, p, _ = theory.pointwise_example()
        estimate = theory.signed_example()
        fig, axes = style.figure(size=(4.2, 3.8))
        ax = axes[0, 0]
        geometry.simplex(ax, (-0.12, 1.2, -0.35, 0.95))
        geometry.levels(ax, cost, inside=False, n=20)
        geometry.polygon(ax, theory.eligible_region(sets, p), fc="#00000018", ec="black", lw=0.8)
        geometry.polygon(ax, theory.eligible_region(*estimate[1:3]), fc="#0072B255", ec=style.BLUE, lw=1.2)
        ax.text(0.52, 0.56, r"$R_\tau$")
        ax.text(0.5, -0.1, r"$R_{\hat\tau}$", color=style.BLUE)
        geometry.point(ax, [0, 0, 1], r"$\rho^\star$", color=style.VERMILION)
        rho = theory.least_variability(*estimate[:3]).rho
        geometry.point(ax, rho, r"$\hat\rho$", (6, -10), color=style.VERMILION)
        return fig

    def compare(self, frame: pd.DataFrame) -> list[Comparison]:
        ours = frame.set_index(["measure", "parameter"])["exact"]
        known = zip("abc", ("1/2", "-1/4", "3/4"))
        return [Comparison(f"rho-hat({z})", ours["rho", z], value, source="print") for z, value in known]
