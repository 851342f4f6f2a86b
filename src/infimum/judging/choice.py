"""Choice: what was compared, what was chosen; and the comparison itself, by held-out blocks of rows."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._progress import track
from .._warnings import InfimumWarning
from ..outputs.base import OutputSpace, Sets
from ..reductions import of_principle
from ..rows import Table
from ..weights import by_name
from ..weights.centers import _hash
from ..weights.left_out import HeldOut, blocks_of
from .composition import AUTO, Composition
from .judge import Judge, Left
from .scores import Scores
from .settings import Ground, Kernel, Other, first_settings, is_sparse, readings

FIRST = 800  # rows of the first comparison
SECOND = 2000  # rows on which the best of it are compared again
COSTLY = 300  # rows of the first comparison where every prediction is a search
KEPT = 4  # settings a principle that go on to the second comparison
STEPS = 3  # how often settings next to the best are tried
N_BLOCKS = 5
SHOWN = 12


class Choice:
    """What was compared and what was chosen; `rows` is the table, the best first.

    Attributes
    ----------
    rows : list of dict
        One a (weights, principle, reading) that was judged, with its scores on held-out blocks of rows.
    best : dict
        The row that was chosen.
    composition : Composition
        The same as parts of a model.
    refused : list of str
        What could not be judged, and why.
    complete : bool
        False where an interrupt or the budget ended the comparison early.
    """

    def __init__(self, rows: list[dict], best: dict, composition: Composition, refused: list[str], complete: bool):
        self.rows = sorted(rows, key=lambda row: (row is not best, -row["n"], -row["neg_set_risk"]))
        self.best, self.composition, self.refused, self.complete = best, composition, refused, complete

    def frame(self) -> Any:
        """The table as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.rows)

    def plot(self, ax: Any = None) -> Any:
        """Held-out set risks of the settings, one row of points a principle; the chosen one is circled."""
        from ..plotting import ChoiceDisplay

        return ChoiceDisplay.from_choice(self, ax)

    def _lines(self) -> list[tuple]:
        head = ("weights", "principle", "negative weights", "rows", "set risk", "covered")
        body = [
            (said(row), str(row["principle"]), row["reading"], str(row["n"]), f"{-row['neg_set_risk']:.4g}",
             f"{row['covering_rate']:.3f}")
            for row in self.rows[:SHOWN]
        ]  # fmt: skip
        return [head, *body]

    def __repr__(self) -> str:
        lines = self._lines()
        widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
        text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
        more = len(self.rows) - SHOWN
        tail = [f"… and {more} more"] if more > 0 else []
        return "\n".join([f"Chosen from {len(self.rows)} by sets that were held out: the first line", *text, *tail])

    def _repr_html_(self) -> str:
        from html import escape

        head, *body = self._lines()
        rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in body)
        top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        return f"<table><thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table>"


def said(row: dict) -> str:
    """The weights of a row in a few words."""
    if row["weights"] != "kernel":
        return f"{row['weights']}{', ' + row['kernel'] if row['kernel'] else ''}"
    return f"{row['kernel']} {row['gamma']:g}, lam {row['lam']:.0e}, {row['scaling']}"


def choose(
    wanted: Composition,
    table: Table,
    output: OutputSpace,
    sets: Sets,
    budget: float | None = None,
    random_state: Any = 0,
    verbose: int = 0,
) -> Choice:
    """The composition with the smallest held-out set risk, among those that `wanted` leaves open ("auto")."""
    return Comparison(wanted, table, output, sets, budget, random_state, verbose).run()


class Comparison:
    """Successive halving over rows and settings: few rows first, then the best on more of them."""

    def __init__(
        self, wanted: Composition, table: Table, output: OutputSpace, sets: Sets, budget: Any, seed: Any, verbose: int
    ):
        self.wanted, self.table, self.output, self.sets = wanted, table, output, sets
        self.budget, self.seed, self.verbose = budget, seed, verbose
        self.named = not (isinstance(wanted.weights, str) and wanted.weights == AUTO)
        self.readings = readings(wanted.principle, wanted.reading, sets)
        self.rows: list[dict] = []
        self.refused: list[str] = []
        self.seen: set = set()
        self.ends = np.inf if budget is None else time.perf_counter() + budget

    def run(self) -> Choice:
        n = len(self.sets)
        self._ground(order(self.table.X)[: COSTLY if self._costly() else FIRST])
        complete = True
        try:
            self._try(self._first(n))
            if n > len(self.at):
                kept = self._kept()
                self._ground(order(self.table.X)[:SECOND])
                self._try(kept)
            for _ in range(STEPS):
                if not self._try(self._best()["setting"].near()):
                    break
        except KeyboardInterrupt:
            if not self.rows:
                raise
            complete = False
        if time.perf_counter() > self.ends:
            complete = False
        if not complete:
            warnings.warn(
                f"The comparison ended early, after {len(self.rows)} settings; the best of them is fitted.",
                InfimumWarning,
                stacklevel=5,
            )
        if not self.rows:
            raise ValueError("Nothing could be chosen from. " + " ".join(self.refused[:3]))
        return self._choice(complete)

    def _choice(self, complete: bool) -> Choice:
        best = self._best()
        setting = best["setting"]
        weights = self.wanted.weights if self.named else self.ground.final(setting, len(self.sets), self.seed)
        composition = Composition(best["principle"], best["reading"], weights, self.wanted.solver)
        return Choice(self.rows, best, composition, self.refused, complete)

    def _costly(self) -> bool:
        """Whether predicting needs a search, as where no principle but the average is linear."""
        return self.sets.embed("infimum") is None and self.sets.curves("infimum") is None

    def _first(self, n: int) -> Iterable[Kernel | Other]:
        if self.named:
            return [Other(type(by_name(self.wanted.weights)).__name__, by_name(self.wanted.weights))]
        return first_settings(n, is_sparse(self.table.X), self._costly(), self.seed)

    def _ground(self, at: NDArray) -> None:
        """Compare on these rows from now on."""
        self.at = np.sort(at)
        self.X = self.table.X[self.at]
        self.w = None if self.table.w is None else self.table.w[self.at]
        self.some = self.sets[self.at]
        self.ground = Ground(self.X, self.w)
        self.blocks = blocks_of(places(self.X), N_BLOCKS, sample_weight=self.w)
        self.halves = blocks_of(places(self.X), 2, sample_weight=self.w)

    def _try(self, settings: Iterable[Kernel | Other]) -> bool:
        """Judge settings that were not judged on these rows; whether one of them is now the best."""
        before = self._best() if any(row["n"] == len(self.at) for row in self.rows) else None
        for setting in track(list(settings), "comparing", None, self.verbose):
            if time.perf_counter() > self.ends and self.rows:
                return False
            if (setting, len(self.at)) in self.seen:
                continue
            self.seen.add((setting, len(self.at)))
            self._judge(setting)
        return self._best() is not before

    def _judge(self, setting: Kernel | Other) -> None:
        operator: HeldOut | None = None
        weights: Any = setting.weights if isinstance(setting, Other) else None
        for principle, reading in self._worth(setting):
            start = time.perf_counter()
            if self._is_hopeless(setting, principle):
                self.refused.append(f"{setting.columns['weights']}, {principle}: far behind under other principles")
                continue
            try:
                if isinstance(setting, Kernel) and operator is None:
                    weights, K = self.ground.kernel_weights(setting)
                    operator = weights.fit(K, None, self.w).held_out(K, None, self.w, self.blocks)
                judge = self._of(principle, reading, weights)
                left = self._left(judge, weights) if operator is None else judge.outputs(operator)
                self._keep(setting, principle, reading, judge.scores(left), start)
            except (ValueError, MemoryError) as error:
                self.refused.append(f"{setting.columns['weights']}, {principle}, {reading}: {error}")

    def _left(self, judge: Judge, weights: Any) -> Left:
        """Predictions without rows, by weights that are fitted anew; trees leave rows out by themselves."""
        if weights.supervised and not judge.composition.adapts:
            return judge.left_out(self.X)
        return judge.left_out(self.X, self.halves if weights.supervised else self.blocks)

    def _is_hopeless(self, setting: Kernel | Other, principle: Any) -> bool:
        """Weights that are grown anew for every principle are not, where the other principles lag behind with them."""
        if not isinstance(setting, Other) or not setting.weights.supervised or of_principle(principle) is None:
            return False
        here = [-row["neg_set_risk"] for row in self.rows if row["n"] == len(self.at) and row["setting"] == setting]
        best = min((-row["neg_set_risk"] for row in self.rows if row["n"] == len(self.at)), default=np.inf)
        return bool(here) and min(here) > 1.5 * best + 1e-12

    def _worth(self, setting: Kernel | Other) -> list[tuple[Any, str]]:
        """What is judged at a setting: weights without a sign have one reading."""
        found = self.readings
        if isinstance(setting, Other) and not setting.weights.signed:
            one = self.wanted.reading if self.wanted.reading != AUTO else "inside"
            found = [(p, one) for p in {repr(p): p for p, _ in self.readings}.values()]
        return sorted(found, key=lambda pair: of_principle(pair[0]) is not None)  # disambiguation comes last

    def _of(self, principle: Any, reading: str, weights: Any) -> Judge:
        composition = Composition(principle, reading, weights, self.wanted.solver).checked()
        return Judge(composition, self.output, self.some, self.w)

    def _keep(self, setting: Kernel | Other, principle: Any, reading: str, scores: Scores, start: float) -> None:
        seconds = time.perf_counter() - start
        found = {"principle": principle, "reading": reading, "n": len(self.at), **scores, "seconds": seconds}
        self.rows.append({**setting.columns, **found, "setting": setting})

    def _best(self) -> dict:
        """The best of those judged on the most rows: settings of a principle by its own score, principles by risk."""
        most = max(row["n"] for row in self.rows)
        finalists = [self._ranked(group)[0] for group in self._groups(most).values()]
        return max(finalists, key=lambda row: row["neg_set_risk"])

    def _groups(self, n: int) -> dict[str, list[dict]]:
        groups: dict[str, list[dict]] = {}
        for row in self.rows:
            if row["n"] == n:
                groups.setdefault(f"{row['principle']!r}, {row['reading']}, {row['weights']}", []).append(row)
        return groups

    @staticmethod
    def _ranked(group: list[dict]) -> list[dict]:
        """Best first: by the log-likelihood where there is one, otherwise by the set risk."""
        smooth = not any(np.isnan(row["log_likelihood"]) for row in group)
        return sorted(group, key=lambda row: -row["log_likelihood" if smooth else "neg_set_risk"])

    def _kept(self) -> list[Kernel | Other]:
        """The settings that go on: the best of every principle that is not hopeless."""
        groups = self._groups(len(self.at))
        firsts = {name: self._ranked(group) for name, group in groups.items()}
        least = min(-group[0]["neg_set_risk"] for group in firsts.values())
        kept: dict = {}
        for group in firsts.values():
            if -group[0]["neg_set_risk"] <= 1.3 * least + 1e-12:
                kept.update(dict.fromkeys(row["setting"] for row in group[:KEPT]))
        return list(kept)


def order(X: Any) -> NDArray:
    """The rows in the order of a hash: the same rows come first, whatever order they come in."""
    return np.argsort(_hash(places(X), 0), kind="stable")


def places(X: Any) -> Any:
    """Every entry by its place among those of its feature, so that units do not matter; a sparse X as it is."""
    if is_sparse(X):
        return X
    return np.column_stack([np.unique(column, return_inverse=True)[1].ravel() for column in X.T]).astype(float)

