"""Fig. rk:corruption: ten items, and fewer items for which all orders can be compared, as comparisons are lost."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pandas as pd

from ..datasets import drop_pairs
from . import ranking, style
from .base import Comparison, Experiment, Row, Task, best_on_test, fold_error, reference, row

CORRUPTIONS = tuple(float(c) for c in np.linspace(0.5, 1, 8).round(4))
HYPER = ["c_sigma", "c_lambda"]
PROBLEMS, TRAIN, TEST = 8, 50, 200
LOOKS = {
    "IL, alternation": {"color": style.VERMILION, "marker": "o"},
    "IL, from the closure": {"color": style.ORANGE, "marker": "v"},
    "IL, exact": {"color": "black", "marker": "D"},
    "IL, exact, inside": {"color": style.PURPLE, "marker": "P"},
    "AC": {"color": style.GREEN, "marker": "s"},
    "SP, alternation": {"color": style.SKY, "marker": "<"},
    "SP, exact": {"color": style.BLUE, "marker": "^"},
}


class _Lines(Experiment):
    items: ClassVar[dict[int, tuple[str, ...]]]

    def tasks(self, quick: bool) -> list[Task]:
        problems, levels, tested = (4, CORRUPTIONS[::3], 40) if quick else (PROBLEMS, CORRUPTIONS, TEST)
        return [
            {"m": m, "problem": k, "c": c, "test": tested, "methods": self.items[m]}
            for m in self.items
            for k in range(problems)
            for c in levels
        ]

    def run(self, task: Task, data: str | None) -> list[Row]:
        rng = np.random.RandomState(task["problem"])
        problem = ranking.random_problem(task["m"], rng)
        x, queries = rng.uniform(-1, 1, size=TRAIN), rng.uniform(-1, 1, size=TEST)[: task["test"]]
        codes = drop_pairs(problem.scores(x), task["c"])
        settings = [(s, l) for s in (1.0, 0.5) for l in (1e3, 1.0, 1e-3)]
        alphas = [ranking.weights(x, queries, s, l / TRAIN**0.5) for s, l in settings]
        found = ranking.errors(codes, problem.codes(queries), alphas, task["m"], tuple(task["methods"]))
        where = {"fold": task["problem"], "seed": task["problem"], "panel": task["m"]}
        return [
            row(method, task["c"], error, **where, c_sigma=s, c_lambda=l)
            for method, values in found.items()
            for (s, l), error in zip(settings, values)
        ]

    def draw(self, frame: pd.DataFrame):
        panels = sorted(set(frame["panel"]))
        fig, axes = style.figure(len(panels), size=(4.4 if len(panels) == 1 else 3.6, 3.2))
        best = best_on_test(frame, ["panel", "method", "parameter"], HYPER)
        for ax, m in zip(axes[0], panels):
            for method in [name for name in LOOKS if name in set(best[best["panel"] == m]["method"])]:
                style.curve(ax, best[(best["panel"] == m) & (best["method"] == method)], label=method, **LOOKS[method])
            ax.set(title=f"$m = {m}$ items", xlabel="corruption $c$", ylabel="wrong pairs, share")
            style.from_zero(ax)
        style.legend(fig, ncols=3)
        return fig

    def _beside(self, frame: pd.DataFrame, there: pd.DataFrame, m: int, names: dict[str, str]) -> list[Comparison]:
        best = best_on_test(frame, ["panel", "method", "parameter"], HYPER).set_index(["panel", "method", "parameter"])
        problems = frame["fold"].nunique()
        out = []
        for _, known in there.iterrows():
            key = m, names.get(known["method"]), known["c"]
            if key in best.index:
                ours = best.loc[key]
                # the problems are other draws, and differ much in difficulty: the deviations of both count
                tolerance = fold_error(known["std"], problems, ours["std"])
                out.append(Comparison(f"m = {m}, c = {known['c']:g}, {key[1]}", ours["mean"], known["mean"], tolerance))
        return out


PROTOCOL = (
    "Scores are lines a x + b with normal coefficients, x is uniform on [-1, 1]; 50 training and 200 test points, "
    "eight problems. Comparisons with d_ij > 1 - c are lost. Bars are half a standard deviation over the problems in "
    "each direction. sigma and lambda are the best of the printed grid on the test points."
)


class Corruption(_Lines):
    name = "ranking-corruption"
    title = "Ranking: ten items, comparisons with large differences are lost"
    place = "Sec. 5.2, Fig. rk:corruption"
    items: ClassVar = {10: ("IL, alternation", "IL, from the closure", "AC", "SP, alternation")}
    caption = (
        f"{PROTOCOL} Alternation starts with zeros on the pairs that were not stated, as in the paper, or with zeros "
        "on the pairs that the stated ones do not imply (closure). The average is exact, over all linear extensions."
    )
    differs = (
        "The text of the paper loses comparisons with d_ij > c, which is reversed: nothing would be lost at c = 1. "
        "The authors estimate the average from distinct solutions of random objectives, which is not a uniform "
        "sample: this changes it at c = 0.5 to 0.6 and near 1. Most of the gain of the infimum comes from its start. "
        "The alternation for the supremum cycles and returns the best order found; its exact minimum is far worse "
        "(see ranking-exact). The exact infimum compares all 3.6 million orders. It is shown at every other c, on the "
        "first 40 test points."
    )

    def tasks(self, quick: bool) -> list[Task]:
        # all orders of ten items take most of a minute a task
        extra = [] if quick else [t for t in super().tasks(quick) if t["c"] in CORRUPTIONS[::2]]
        return super().tasks(quick) + [t | {"test": 40, "methods": ("IL, exact",)} for t in extra]

    def compare(self, frame: pd.DataFrame) -> list[Comparison]:
        there = reference("ranking_m10_corruption")
        names = {"IL": "IL, alternation", "AC": "AC"}
        # at c = 1 nothing is known, and any answer is as good as another: only the tie-breaking would be compared
        out = self._beside(frame, there.query("c < 1"), 10, names)
        closure = reference("ranking_m10_zero_fill").query("method == 'closure_then_zero_fill' and c < 1")
        return out + self._beside(frame, closure, 10, {"closure_then_zero_fill": "IL, from the closure"})


EXACT = ("IL, alternation", "IL, from the closure", "IL, exact", "IL, exact, inside", "AC", "SP, exact")


class Exact(_Lines):
    name = "ranking-exact"
    title = "Ranking: the exact minimum beside alternation"
    place = "Sec. 5.2, beyond the paper"
    items: ClassVar = {5: EXACT, 7: EXACT}
    caption = (
        f"{PROTOCOL} Five and seven items: all orders are compared, so the minimum is exact, with both rules for "
        "negative weights."
    )
    differs = (
        "The paper uses alternation only. At five and six items, alternation reaches the optimum of its own objective "
        "in 22 to 87 % of the predictions. The optimum has the lower error if the two differ."
    )

    def compare(self, frame: pd.DataFrame) -> list[Comparison]:
        there = reference("ranking_exact_bruteforce_m5").rename(columns={"best_mean": "mean"}).query("c < 1")
        names = {
            "IL_alt(zero init)": "IL, alternation", "IL_alt(closure init)": "IL, from the closure",
            "IL_literal_exact": "IL, exact", "IL_inside_exact": "IL, exact, inside", "AC_exact_centre": "AC",
            "SP_literal_exact": "SP, exact",
        }  # fmt: skip
        return self._beside(frame, there, 5, names)
