"""Thms. 3 and 4 as an experiment: excess risk against the number of examples."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .. import PartialClassifier, PartialRanker
from ..outputs import CandidateLabels, PartialOrders
from ..weights import KernelRidge
from . import style
from .base import Comparison, Experiment, Row, Task, row
from .ranking import FOUR, codes_of

COST = np.array([[0, 1, 1], [1, 0, 2], [1, 2, 0]], dtype=float)
TEST = (np.arange(2000) + 0.5) / 2000
EDGES = np.array([0.22, 0.5, 0.71])
METHODS = ("infimum", "average", "supremum")


class Rates(Experiment):
    name = "rates"
    title = "Consistency and rates: excess risk against n"
    place = "Thms. 3 (consistency) and 4 (convergence rates)"
    caption = (
        "Excess risk R(f_n) - R(f*) on three problems on [0, 1] with deterministic true labels, lambda = n^(-1/2) as "
        "in the theorems and a Laplacian kernel, whose space contains g. Means over seeds, with the slope of log "
        "excess risk against log n for the infimum. Classification: each wrong class is a candidate with a "
        "probability that tends to 1 at the boundary of its region. Cost-sensitive: the loss of Sec. 4.1; the label "
        "is exact with probability at most 1/8 and unknown otherwise, and the average and the supremum converge to "
        "another function. Ranking: four items by scores that are linear in x; each comparison is lost with a "
        "probability that tends to 1 where the scores cross."
    )
    differs = (
        "The paper proves the rate n^(-1/4) and contains no experiment. In these problems eta tends to 0 at the "
        "boundaries, which is harder than the strict non-ambiguity of the theorem. The measured slopes are still "
        "steeper than -1/4, so the bound is not tight here."
    )

    def tasks(self, quick: bool) -> list[Task]:
        sizes, seeds = ((32, 64, 128, 256), 3) if quick else ((32, 64, 128, 256, 512, 1024, 2048), 16)
        return [{"problem": problem, "n": n, "seeds": list(range(seeds))} for problem in PROBLEMS for n in sizes]

    def run(self, task: Task, data: str | None) -> list[Row]:
        out = []
        for seed in task["seeds"]:
            rng = np.random.default_rng([seed, task["n"]])
            excess = PROBLEMS[task["problem"]](task["n"], rng)
            out += [row(method, task["n"], v, seed, seed, panel=task["problem"]) for method, v in excess.items()]
        return out

    def draw(self, frame: pd.DataFrame):
        panels = list(dict.fromkeys(frame["panel"]))
        fig, axes = style.figure(len(panels), size=(3.4, 3.1))
        for ax, panel in zip(axes[0], panels):
            part = frame[frame["panel"] == panel]
            for method in METHODS:
                means = part[part["method"] == method].groupby("parameter")["value"].mean()
                ax.plot(means.index, means, **style.METHODS[method])
            n = np.sort(part["parameter"].unique())
            top = part[part["method"] == "infimum"].groupby("parameter")["value"].mean().iloc[0]
            ax.plot(n, top * (n / n[0]) ** -0.25, color=style.GREY, ls=":", label="$n^{-1/4}$, the proved rate")
            ax.set(xscale="log", yscale="log", xlabel="$n$", ylabel="excess risk")
            ax.set_xticks(n, [str(size) for size in n])
            ax.xaxis.minorticks_off()
            low, high = ax.get_ylim()
            ticks = [t for t in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if low <= t <= high]
            ax.set_yticks(ticks, [f"{t:g}" for t in ticks])
            ax.yaxis.minorticks_off()
            ax.set_title(f"{panel}: slope {slope(frame, panel):.2f}")
        style.legend(fig)
        return fig

    def compare(self, frame: pd.DataFrame) -> list[Comparison]:
        out = []
        for panel in dict.fromkeys(frame["panel"]):
            ours = slope(frame, panel)
            out.append(Comparison(f"{panel}: slope {ours:.2f} at most -1/4", bool(ours <= -0.25), True, None, "Thm. 4"))
        return out


def slope(frame: pd.DataFrame, panel: str) -> float:
    """Return the slope of log mean excess risk against log n, for the infimum."""
    part = frame[(frame["panel"] == panel) & (frame["method"] == "infimum")]
    means = part.groupby("parameter")["value"].mean()
    means = means[means > 0]
    return float(np.polyfit(np.log(means.index.to_numpy(float)), np.log(means.to_numpy()), 1)[0])


def _weights() -> KernelRidge:
    return KernelRidge(kernel="laplacian", sigma=0.2)  # lam = n^(-1/2) by default


def _fitted(sets: NDArray, x: NDArray, cost: NDArray | None) -> dict[str, NDArray]:
    models = {method: PartialClassifier.paper(cost, method, weights=_weights()) for method in METHODS}
    return {k: model.fit(x[:, None], CandidateLabels(sets)).predict(TEST[:, None]) for k, model in models.items()}


def classification(n: int, rng: np.random.Generator) -> dict[str, float]:
    """Draw four classes on four intervals; P(z in S | x) = max(1/5, 1 - 4 d(x, A_z)) for z != y."""
    x = rng.uniform(size=n)
    ends = np.concatenate([[0], EDGES, [1]])
    distance = np.maximum(0, np.maximum(ends[:-1] - x[:, None], x[:, None] - ends[1:]))
    sets = rng.uniform(size=distance.shape) < np.maximum(0.2, 1 - 4 * distance)
    sets[np.arange(n), np.searchsorted(EDGES, x)] = True
    found = _fitted(sets, x, None)
    return {k: float((z != np.searchsorted(EDGES, TEST)).mean()) for k, z in found.items()}


def cost_sensitive(n: int, rng: np.random.Generator) -> dict[str, float]:
    """Draw the loss of Sec. 4.1: labels b, a, c, b on four intervals, exact with probability min(1/8, d(x, edges))."""
    label = np.array([1, 0, 2, 1])
    x = rng.uniform(size=n)
    nearest = np.abs(x[:, None] - EDGES).min(axis=1)
    sets = np.ones((n, 3), dtype=bool)
    seen = np.flatnonzero(rng.uniform(size=n) < np.minimum(0.125, nearest))
    sets[seen] = np.eye(3, dtype=bool)[label[np.searchsorted(EDGES, x[seen])]]
    found = _fitted(sets, x, COST)
    return {k: float(COST[z, label[np.searchsorted(EDGES, TEST)]].mean()) for k, z in found.items()}


def ranking(n: int, rng: np.random.Generator) -> dict[str, float]:
    """Draw the items of Fig. rk:setting; the pair i, j is lost with probability max(2/5, 1 - 2 |v_i(x) - v_j(x)|)."""
    x = rng.uniform(-1, 1, size=n)
    scores, codes, truth = FOUR.scores(x), FOUR.codes(x), FOUR.codes(2 * TEST - 1)
    i, j = np.triu_indices(4, 1)
    lost = rng.uniform(size=codes.shape) < np.maximum(0.4, 1 - 2 * np.abs(scores[:, i] - scores[:, j]))
    sets = PartialOrders(np.where(lost, 0, codes))
    out = {}
    for method in METHODS:
        model = PartialRanker.paper(items=4, principle=method, weights=_weights()).fit(x[:, None], sets)
        z = model.predict(2 * TEST[:, None] - 1).astype(int)
        out[method] = float((codes_of(z) != truth).mean())
    return out


PROBLEMS = {"classification": classification, "cost-sensitive": cost_sensitive, "ranking": ranking}
