"""Fig. ilp_rel: how often the linear relaxation of the feedback arc problem is exact."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.optimize import linprog

from ..feedback_arc.relations import Bool, Float, Int, as_costs, as_partial_orders, sort_by
from . import style
from .base import Comparison, Experiment, Row, Task, reference, row

# m -> objectives tried: (quick, full), in chunks
SIZES = {
    3: (50, 500), 4: (50, 500), 5: (50, 500), 6: (50, 1000), 7: (50, 1000), 8: (50, 1000), 9: (50, 1000),
    10: (100, 1000), 12: (50, 500), 15: (40, 300), 18: (0, 200), 20: (16, 160), 25: (0, 80), 30: (0, 40),
}  # fmt: skip
CHUNK = 20
INTEGRAL = 1e-5


@dataclass(frozen=True)
class Solution:
    """A solution of the relaxation.

    Attributes
    ----------
    x : ndarray of shape (m, m)
        In [-1, 1], antisymmetric; x[i, j] = 1 puts i before j.
    value : float
        Its cost, sum_{i<j} cost[i, j] (1 + x_ij) / 2 + cost[j, i] (1 - x_ij) / 2: never above that of an order.
    integral : bool
        Whether max(1 - |x|) <= 1e-5, when `order` is an optimal order.
    order : ndarray of shape (m,)
        Items by their row sums of x, within the partial order.
    """

    x: Float
    value: float
    integral: bool
    order: Int


def relaxed(cost: ArrayLike, precedes: ArrayLike | None = None) -> Solution:
    """Minimise the cost over the canonical polytope of the paper (App. C).

    The polytope is |x| <= 1, |x_ij + x_jk - x_ik| <= 1.

    Parameters
    ----------
    cost : array of shape (m, m)
        cost[i, j] is paid when i comes before j.
    precedes : boolean array of shape (m, m), optional
        True at (i, j) when i must come before j.

    Examples
    --------
    >>> solution = relaxed([[0, 1, 3], [2, 0, 1], [1, 4, 0]])
    >>> solution.integral, solution.value, solution.order
    (True, 4.0, array([1, 2, 0]))
    """
    c = as_costs(cost)
    m = len(c)
    before: Bool = as_partial_orders(precedes, m)
    rows, cols = np.triu_indices(m, 1)
    pair = np.zeros((m, m), dtype=int)
    pair[rows, cols] = np.arange(len(rows))
    i, j, k = np.array(list(combinations(range(m), 3)), dtype=int).reshape(-1, 3).T
    at = np.tile(np.arange(len(i)), 3), np.concatenate([pair[i, j], pair[j, k], pair[i, k]])
    cycles = sparse.csr_matrix((np.repeat([1.0, 1.0, -1.0], len(i)), at), (len(i), len(rows)))
    # u = (1 + x) / 2 is 1 where i comes before j
    box = np.column_stack([before[rows, cols], ~before[cols, rows]]).astype(float)
    both, sides = sparse.vstack([cycles, -cycles]), np.repeat([1.0, 0.0], len(i))
    u = linprog((c - c.T)[rows, cols], both, sides, bounds=box).x if len(rows) else np.empty(0)
    x = np.zeros((m, m))
    x[rows, cols], x[cols, rows] = 2 * u - 1, 1 - 2 * u
    value = float(c.T[rows, cols].sum() + (c - c.T)[rows, cols] @ u)
    integral = bool((1.0 - np.abs(2 * u - 1)).max(initial=0.0) <= INTEGRAL)
    return Solution(x, value, integral, sort_by(-x.sum(axis=1), before))


class Relaxation(Experiment):
    name = "ilp-relaxation"
    title = "How often the linear relaxation is exact"
    place = "App. C, Fig. ilp_rel"
    caption = (
        "Share of random objectives c ~ N(0, I) for which the linear program over the transitivity polytope has an "
        "integral solution, max(1 - |x|) <= 1e-5, hence an optimal order; bars are 95 % intervals. Grey: the authors' "
        "formulation, solved by CPLEX up to m = 15 and by HiGHS for m = 20, 25 and 30."
    )
    differs = (
        "The linear programs are solved by HiGHS instead of CPLEX; the optimal values are the same. The polytope has "
        "i < j < k, printed as i < k < j. In the library the relaxation is only a bound: orders are exact by dynamic "
        "programming up to m = 16, and found by branch and bound beyond."
    )

    def tasks(self, quick: bool) -> list[Task]:
        return [
            {"m": m, "seed": chunk, "objectives": min(CHUNK, total - CHUNK * chunk)}
            for m, sizes in SIZES.items()
            for total in [sizes[0 if quick else 1]]
            for chunk in range(-(-total // CHUNK))
        ]

    def run(self, task: Task, data: str | None) -> list[Row]:
        rng, m = np.random.default_rng([task["m"], task["seed"]]), task["m"]
        upper = np.triu_indices(m, 1)
        exact = 0
        for _ in range(task["objectives"]):
            cost = np.zeros((m, m))
            cost[upper] = rng.standard_normal(len(upper[0]))
            exact += relaxed(cost).integral
        share = exact / task["objectives"]
        return [row("relaxation", m, share, task["seed"], task["seed"], objectives=task["objectives"])]

    def draw(self, frame: pd.DataFrame):
        fig, axes = style.figure(size=(4.6, 3.1))
        ax, ours = axes[0, 0], self._shares(frame)
        there = reference("ilp_relaxation").query("solver == 'cplex' or (solver == 'highs' and m >= 20)")
        ax.errorbar(there["m"], there["exact_pct"], yerr=there["ci95"], color=style.GREY, marker="s", ls="--", lw=1,
                    capsize=2, label="authors' formulation")  # fmt: skip
        ax.errorbar(ours.index, 100 * ours["share"], yerr=100 * ours["ci95"], color=style.BLUE, marker="o", capsize=2,
                    label="ours")  # fmt: skip
        ax.set(xlabel="number of items $m$", ylabel="exact solutions, %", ylim=(0, 104))
        style.legend(fig)
        return fig

    @staticmethod
    def _shares(frame: pd.DataFrame) -> pd.DataFrame:
        """Return the share of exact solutions for each m, with the half-width of Wilson's 95 % interval."""
        counts = (
            frame.assign(exact=frame["value"] * frame["objectives"]).groupby("parameter")[["exact", "objectives"]].sum()
        )
        n, share = counts["objectives"], counts["exact"] / counts["objectives"]
        half = 1.96 / (1 + 1.96**2 / n) * np.sqrt(share * (1 - share) / n + 1.96**2 / (4 * n**2))
        return pd.DataFrame({"share": share, "ci95": half})

    def compare(self, frame: pd.DataFrame) -> list[Comparison]:
        ours = self._shares(frame)
        there = reference("ilp_relaxation").query("solver == 'cplex' or (solver == 'highs' and m >= 20)").set_index("m")
        out = []
        for m in ours.index.intersection(there.index):
            tolerance = float(1.5 * np.hypot(100 * ours["ci95"][m], there["ci95"][m]))
            out.append(Comparison(f"m = {m}, % exact", 100 * ours["share"][m], there["exact_pct"][m], tolerance))
        return out
