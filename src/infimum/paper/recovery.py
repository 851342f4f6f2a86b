"""Thm. 2 and App. other-losses as an experiment: which principle finds the true label of non-ambiguous sets."""

from __future__ import annotations

import numpy as np
import pandas as pd

from . import style, theory
from .base import Comparison, Experiment, Row, Task, row
from .problems import random_loss, random_weak

SHARES = tuple(round(k / 20, 2) for k in range(1, 20))


class Recovery(Experiment):
    name = "recovery"
    title = "Recovery of the true label from non-ambiguous sets"
    place = "Thm. 2 (supervision recovery) and App. A.7 (other losses)"
    caption = (
        "Left: random non-ambiguous problems with five outputs and a random symmetric loss. The true label y is "
        "observed exactly with probability lambda, and as a random set around y otherwise. Shown is the share of "
        "problems whose set risk is smallest at y. The infimum finds y in all of them. Right: the average loss fails "
        "on tau = lambda d{c} + (1 - lambda) d{a, b, c} exactly below the corrected bound on lambda. The printed "
        "lambda is above it if l(a, b) is small, and proves nothing there (l(a, c) = l(b, c) = 1)."
    )
    differs = (
        "lambda must be below eps l(a, b) / (3 l(a, c) + eps l(a, b)), with eps = l(b, c) / l(a, b) - 1. The paper "
        "prints 1/2 eps / (3 l(a, b) + eps). Its example for the supremum degenerates if l(a, c) = l(b, c)."
    )

    def tasks(self, quick: bool) -> list[Task]:
        return [{"seed": seed, "problems": 50 if quick else 200} for seed in range(2 if quick else 10)]

    def run(self, task: Task, data: str | None) -> list[Row]:
        rng = np.random.default_rng(task["seed"])
        found = {method: np.zeros(len(SHARES)) for method in ("infimum", "average", "supremum")}
        for _ in range(task["problems"]):
            cost, y = random_loss(rng, 5), int(rng.integers(5))
            sets, p = random_weak(rng, 5, y, 6)
            members = np.vstack([np.arange(5) == y, sets])
            tau = np.column_stack([SHARES, np.outer(1 - np.array(SHARES), p)])
            for method, count in found.items():
                risks = theory.set_loss(cost, members, method) @ tau.T  # (outputs, shares)
                # a tie is a failure: y must be the only minimiser
                count += (np.delete(risks, y, axis=0) > risks[y] + 1e-12).all(axis=0)
        return [
            row(method, share, count / task["problems"], task["seed"], task["seed"])
            for method, counts in found.items()
            for share, count in zip(SHARES, counts)
        ]

    def draw(self, frame: pd.DataFrame):
        fig, axes = style.figure(2, size=(3.9, 3.1))
        means = frame.groupby(["method", "parameter"])["value"].mean().reset_index()
        for method in ("infimum", "average", "supremum"):
            line = means[means["method"] == method]
            axes[0, 0].plot(line["parameter"], line["value"], **style.METHODS[method])
        axes[0, 0].set(
            xlabel=r"$\lambda$, mass on the exact answer", ylabel="share of problems recovered", ylim=(0, 1.03)
        )
        near = np.linspace(0.02, 0.98, 200)
        corrected, printed = bounds(near)
        ax = axes[0, 1]
        ax.fill_between(near, corrected, color=style.GREEN, alpha=0.15, lw=0, label="the average loss fails")
        ax.plot(near, corrected, color=style.GREEN, label="corrected bound")
        ax.plot(near, printed, color="black", ls="--", label="printed $\\lambda$")
        ax.set(xlabel="$l(a, b)$", ylabel=r"$\lambda$", xlim=(0, 1), ylim=(0, 0.52))
        style.legend(fig, ncols=3)
        return fig

    def compare(self, frame: pd.DataFrame) -> list[Comparison]:
        ours = frame[frame["method"] == "infimum"]["value"].min()
        lowest = frame.groupby("method")["value"].mean()
        small = float(bounds(np.array([0.1]))[1][0])
        return [
            Comparison("share recovered by the infimum, at worst", ours, 1.0, None, "Thm. 2"),
            Comparison("average fails somewhere", bool(lowest["average"] < 1), True, None, "App. A.7"),
            Comparison("supremum fails somewhere", bool(lowest["supremum"] < 1), True, None, "App. A.7"),
            Comparison(
                "average fails at the printed lambda, l(a, b) = 0.1", bool(_average_fails(0.1, small)), True, None,
                "print", False,
            ),
        ]  # fmt: skip


def bounds(near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the bound below which the average loss fails, and the printed lambda, at l(a, c) = l(b, c) = 1."""
    gap, eps = 1 - near, 1 / near - 1
    return gap / (3 + gap), eps / (3 * near + eps) / 2


def _average_fails(near: float, lam: float) -> bool:
    cost = np.array([[0, near, 1], [near, 0, 1], [1, 1, 0]])
    sets = np.array([[False, False, True], [True, True, True]])
    risks = theory.set_risk(cost, sets, np.array([lam, 1 - lam]), "average")
    return bool(risks.argmin() != 2)
