"""The comparison: successive halving over rows and settings, by held-out blocks of rows."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from ..data import Rows, Table
from ..data.errors import InfimumWarning, InputError
from ..data.hashes import column_ranks, hashed
from ..data.progress import track
from ..disambiguation import has_laws, is_weighed
from ..outputs.base import OutputSpace, Sets
from ..recipe import AUTO, Recipe
from ..weights import KernelRidge, LabelledRowsOnly, Scaled, by_name
from ..weights.holdout import Holdout, folds_of
from ..weights.wrappers import is_relevant
from .candidates import RELEVANT_COLUMNS, Kernel, Other, Setting, first_settings, is_costly, readings
from .evaluate import Judge, Left
from .kernel_cache import EXACT_ROWS, Ground, order
from .rank import Ranking, is_soft
from .result import SelectionResult

FEW = 20  # distinct rows that there must be, for some of them to be held out
FIRST = 500  # rows of the first comparison
SECOND = 1500  # rows on which the best of it are compared again
COSTLY = (200, 400)  # the same, where every prediction is a search
FEW_ROWS = 600
STEPS = 4  # how often settings next to the best are tried
N_BLOCKS = 5  # held out in turn
OF_FEW = 10  # the same where rows are few and have a likelihood: nine tenths of them are more like all
WORTH_THREADS = 300  # rows from which on several settings at once take less time than one after the other


OBJECTS = ("setting", "each")  # columns of the table that only the comparison itself needs

Start = tuple[tuple[Any, str], list[Kernel]]
"""A principle with its reading, and kernels to begin with."""


@dataclass(frozen=True)
class Plan:
    """How a comparison is made: all that does not change what is compared."""

    budget: float | None = None
    """Seconds; the best so far is kept when they are over."""
    n_jobs: int | None = None
    """Settings that are judged at once; None for as many as BLAS has threads."""
    random_state: Any = 0
    verbose: int = 0


def choose(wanted: Recipe, rows: Rows, output: OutputSpace, sets: Sets, plan: Plan | None = None) -> SelectionResult:
    """The recipe that held-out sets speak for, among those that `wanted` leaves open ("auto")."""
    plan = Plan() if plan is None else plan
    if not isinstance(rows, Table):
        return _of_blocks(wanted, rows, output, sets, plan)
    return Comparison(wanted, rows, output, sets, plan).run()


def _of_blocks(wanted: Recipe, rows: Any, output: OutputSpace, sets: Any, plan: Plan) -> SelectionResult:
    """Chosen on a sample of the rows, among what can be fitted to blocks."""
    some = rows.sample(SECOND)
    pairs = readings(wanted.principle, wanted.negative_weights, signed=False)
    if isinstance(wanted.principle, str) and wanted.principle == AUTO:
        pairs = [(p, "inside") for p, _ in pairs if _is_served(p, sets)]
    if not pairs:
        raise ValueError(f"Of {sets!r}, nothing but sums can be had, and no principle needs only these. Fit on arrays.")
    table = Table(some.X, some.y, some.w, rows.names)
    found = Comparison(wanted, table, output, output.read(some.y), plan, pairs, some.n)
    return found.run()


class Comparison:
    """Few rows first, then the best on more of them, then the settings next to the best.

    Parameters
    ----------
    wanted : Recipe
        What is named in it is kept.
    table, output, sets
        Rows in memory.
    plan : Plan
    pairs : list of (principle, reading), optional
        What is compared; by default all that `wanted` leaves open.
    of : int, optional
        How many rows there are, where the table is a sample of rows in blocks.
    """

    def __init__(
        self,
        wanted: Recipe,
        table: Table,
        output: OutputSpace,
        sets: Sets,
        plan: Plan,
        pairs: list[tuple[Any, str]] | None = None,
        of: int | None = None,
    ):
        self.named = not (isinstance(wanted.weights, str) and wanted.weights == AUTO)
        self.wanted, self.output, self.plan, self.some = wanted, output, plan, False
        if not self.named and of is None and has_laws(sets):  # rows that know nothing say nothing of numbers
            known = np.flatnonzero(~output.is_unlabelled(sets))
            self.some = 0 < len(known) < len(sets)
            table, sets = (table.take(known), sets[known]) if self.some else (table, sets)
        self.table, self.sets = table, sets
        self.in_blocks, self.n = of is not None, _count(table, sets) if of is None else of
        self.family = by_name(wanted.weights) if self.named else None
        signed = self.family is None or self.family.signed
        self.pairs = self._open_pairs(signed) if pairs is None else pairs
        self.pairwise = self.family is not None and self.family.pairwise
        self.rows: list[dict] = []
        self.refused: list[str] = []
        self.seen: set = set()
        self.ends = np.inf if plan.budget is None else time.perf_counter() + plan.budget
        self.strict, self.threads, self.costly = False, 1, is_costly(sets)
        self._ranked: tuple[tuple[int, int], Ranking] | None = None
        self._judges: dict[tuple, Judge] = {}

    def _open_pairs(self, signed: bool) -> list[tuple[Any, str]]:
        """All that is not named; but for points chosen by all rows at once, where these are too many for that."""
        found = readings(self.wanted.principle, self.wanted.negative_weights, signed)
        many = self.n > EXACT_ROWS and not is_weighed(self.sets)
        found = [pair for pair in found if not many or pair[0] != "disambiguation" or len(found) == 1]
        # rows that know nothing have neither an average nor a supremum
        served = [pair for pair in found if pair[0] != "average" and pair[1] != "joint"]
        return served or found if self.some else found

    def go_through(self, settings: list[Setting], blocks: list[NDArray]) -> bool:
        """Judge these settings on all rows, and nothing else; whether it came to the end.

        What cannot be judged is an error here: it was asked for by name.
        """
        self.strict = True
        self.ground = Ground(self.table, self.output, self.sets, blocks)
        try:
            self._try({setting: self._pairs_of(setting) for setting in settings})
        except KeyboardInterrupt:
            if not self.rows:
                raise
            return False
        return True

    def run(self) -> SelectionResult:
        if self.named and len(self.pairs) == 1:
            return self._plain("All is named.")
        self.order = order(self.table, self.sets, self.pairwise)
        if self._distinct() < FEW:
            return self._plain(f"There are fewer than {FEW} distinct rows: too few to hold some of them out.")
        # matrices of a thousand rows: threads that wait for each other cost several times what they compute
        with threadpool_limits(1, user_api="blas") as limits, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is said of one setting among many
            self.threads = limits.get_original_num_threads()["blas"] or 1  # they judge a setting each instead
            complete = self._walk()
        if not complete:
            warnings.warn(
                f"The comparison ended early, after {len(self.rows)} settings; the best of them is fitted.",
                InfimumWarning,
                stacklevel=6,
            )
        if not self.rows:
            if self.named:
                return self._plain(" ".join(self.refused[:3]))
            raise ValueError("Nothing could be chosen from. " + " ".join(self.refused[:3]))
        return self._choice(complete)

    def _walk(self) -> bool:
        """Whether it came to its end."""
        first, second = COSTLY if self.costly else (FIRST, SECOND)
        n = len(self.sets)
        try:
            self._stand_on(first if n > 1.5 * first and not self.named else second)
            self._try({setting: self._pairs_of(setting) for setting in self._first()})
            self._step()
            self._try(self._weighed(self._twins()))
            if self.rows and len(self.ground) < min(n, second):
                kept, relevant = self._kept()
                self._stand_on(second)
                if relevant:
                    self._step(self._weighed(relevant, kept))
                else:
                    self._try(kept)
                    self._step(self._weighed(self._twins()))
        except KeyboardInterrupt:
            if not self.rows:
                raise
            return False
        return time.perf_counter() <= self.ends

    def _plain(self, why: str) -> SelectionResult:
        """The paper's estimator, on features of one scale, for what is not named."""
        principle, reading = self.pairs[0] if len(self.pairs) == 1 else ("infimum", "inside")
        if (principle, reading) not in self.pairs:
            principle, reading = self.pairs[0]
        family = self.wanted.weights if self.named else Scaled(KernelRidge())
        return SelectionResult([], {}, Recipe(principle, reading, family, self.wanted.solver), [why], True)

    def _choice(self, complete: bool) -> SelectionResult:
        best = self.best()
        family = self.wanted.weights
        if not self.named:
            rows = None if self.in_blocks else self.table
            family = self.ground.final(best["setting"], self.n, rows, self.order, self.plan.random_state)
            family = LabelledRowsOnly(family) if self.some else family
        recipe = Recipe(best["principle"], best["negative_weights"], family, self.wanted.solver)
        plain = [_plain_values(row) for row in self.rows]
        chosen = next(one for one, row in zip(plain, self.rows) if row is best)
        return SelectionResult(plain, chosen, recipe, self.refused, complete)

    def _distinct(self) -> int:
        there = slice(None) if self.table.w is None else self.table.w > 0
        return len(np.unique(hashed(self.table.X[there], self.pairwise)))

    def _first(self) -> Iterable[Setting]:
        if self.family is not None:
            return [Other(type(self.family).__name__, self.family)]
        found = first_settings(self.n, self.table.X, self.costly, self.plan.random_state, self.plan.n_jobs)
        return [one for one in found if not self.in_blocks or not isinstance(one, Other)]

    def _stand_on(self, size: int) -> None:
        """Compare on so many rows from now on."""
        at = self.order[:size]
        table = self.table.take(at)
        if self.pairwise:
            table.X = table.X[:, at]
        n_blocks = OF_FEW if len(self.sets) <= FEW_ROWS and is_weighed(self.sets) else N_BLOCKS
        blocks = folds_of(column_ranks(table.X, self.pairwise), n_blocks, sample_weight=table.w)
        self.ground = Ground(table, self.output, self.sets[at], blocks, self._jobs(len(at)))

    def _pairs_of(self, setting: Setting) -> list[tuple[Any, str]]:
        """What is judged at a setting: weights without a sign have one reading."""
        if not isinstance(setting, Other) or setting.weights.signed:
            return self.pairs
        return list({repr(p): (p, r) for p, r in reversed(self.pairs)}.values())[::-1]

    def _try(self, settings: dict[Setting, list[tuple[Any, str]]]) -> bool:
        """Judge settings under some principles, unless it is done; whether one of them is now the best."""
        before = self.best() if self._here() else None
        for row in self._judged(self._new(settings)):
            self.rows.append(row)
        return bool(self._here()) and self.best() is not before

    def _new(self, settings: dict[Setting, list[tuple[Any, str]]]) -> list[tuple]:
        """What is not done yet."""
        work = []
        for setting, pairs in settings.items():
            new = [pair for pair in pairs if (setting, repr(pair), len(self.ground)) not in self.seen]
            self.seen.update((setting, repr(pair), len(self.ground)) for pair in new)
            if new:
                work.append((setting, new))
        return work

    def _judged(self, work: list) -> Iterator[dict]:
        """Rows of the table, as they come; what was refused is kept."""
        label = f"settings on {len(self.ground)} rows"
        jobs = (delayed(self._judge)(*one) for one in track(work, label, len(work), self.plan.verbose))
        n_jobs = self._jobs(len(self.ground))
        for found, refused in Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(jobs):
            self.refused += [why for why in refused if why not in self.refused]
            yield from found

    def _jobs(self, n: int) -> int | None:
        """Settings on n rows that are judged at once."""
        own = self.plan.n_jobs is None and self.threads > 1 and n >= WORTH_THREADS
        return self.threads if own else self.plan.n_jobs

    def _judge(
        self, setting: Setting, pairs: list[tuple[Any, str]], quick: bool = False
    ) -> tuple[list[dict], list[str]]:
        """The rows of the table for one setting, and what was refused; see `Ground.operator` for `quick`."""
        found: list[dict] = []
        refused: list[str] = []
        operator: Holdout | None = None
        for principle, reading in pairs:
            start = time.perf_counter()
            if start > self.ends and (self.rows or found):
                break
            judge = self._judge_of(setting, principle, reading)
            try:
                if not self.named and operator is None:
                    operator = self.ground.operator(setting, quick)
                left = self._left(judge) if operator is None else judge.outputs(operator)
                each = judge.each(left)
                scores = judge.scores(left, chance=self.strict, each=each)
            except (ValueError, MemoryError) as error:
                if self.strict:
                    raise
                refused.append(f"{principle}, {reading}, {setting.columns['weights']}: {str(error).splitlines()[0]}")
                continue
            seconds = time.perf_counter() - start
            here = {
                "principle": principle,
                "negative_weights": reading,
                "n": len(self.ground),
                **scores,
                "seconds": seconds,
            }
            found.append({**setting.columns, **here, "setting": setting, "each": each})
        return found, refused

    def _judge_of(self, setting: Setting, principle: Any, reading: str) -> Judge:
        """One for all settings, where weights are not named: what it asks of them is only whether they have signs."""
        family: Any = setting.weights if isinstance(setting, Other) else KernelRidge()
        key = (setting if self.named else family.signed, repr(principle), reading, len(self.ground))
        if key not in self._judges:
            recipe = Recipe(principle, reading, family, self.wanted.solver).checked()
            ground = self.ground
            self._judges[key] = Judge(recipe, self.output, ground.sets, ground.w, brief=not self.strict)
        return self._judges[key]

    def _left(self, judge: Judge) -> Left:
        """By weights that the user named: fitted anew, as they ask for."""
        return judge.left_out(self.ground.X, self.ground.blocks)

    def _step(self, more: dict[Setting, list] | None = None) -> None:
        """Settings next to the best of every principle that is followed, while they are better; and `more`, at once."""
        for _ in range(1 if self.costly else STEPS):
            near, more = dict(more or {}), None
            for group in self.ranking().followed() if self._here() else []:
                plain = [row for row in group if not is_relevant(row["scaling"])]
                for setting in plain[0]["setting"].near() if plain else []:
                    near.setdefault(setting, []).append((plain[0]["principle"], plain[0]["negative_weights"]))
            if not self._try(near):
                break

    def _weighed(self, starts: list[Start], beside: dict[Setting, list] | None = None) -> dict[Setting, list]:
        """The best kernels on features that count by their relevance, where they promise to be better than without.

        Relevances look at the sets. Settings with them are compared while they see all rows, which costs no more than
        without; only the best is then to be judged in earnest, by relevances learned without the rows held out.
        Settings `beside` these, without relevances, are judged at once.
        """
        known = any(is_relevant(row["scaling"]) for row in self.rows)
        work, best = self._new(beside or {}), []
        for pair, near in starts if self._can_weigh() else []:
            if known and not self.costly:  # on more rows, what was found and what is next to it, at once
                near = [*near, *near[0].near()]
            found: list[dict] = []
            for _ in range(1 if known or self.costly else STEPS):
                seen = {row["setting"] for row in found}
                work += [(setting, [pair], True) for setting in near if setting not in seen]
                for row in self._judged(work):
                    (found if is_relevant(row["scaling"]) else self.rows).append(row)
                work = []
                top = self.ranking().ranked(found)[0] if found else None
                if top is None or top["setting"] in seen:
                    break
                near = top["setting"].near()
            best += [] if top is None else [top]
        self.rows += self._judged(work)
        chosen: dict[Setting, list] = {}
        for row in best:
            if not self._here() or self.ranking().promises(row):
                chosen.setdefault(row["setting"], []).append((row["principle"], row["negative_weights"]))
        return chosen

    def _twins(self) -> list[Start]:
        """Where to begin: the best kernel on either scaling, where candidates are weighed, or else of the best."""
        if not self.rows:
            return []
        groups, top, found = self.ranking().followed(), self.best(), []
        for group in [one for one in groups if is_soft(one[0])] or [one for one in groups if one[0] is top]:
            best: dict[str, Kernel] = {}
            for row in group:
                if isinstance(row["setting"], Kernel):
                    best.setdefault(row["scaling"], row["setting"].relevant())
            found.append(((group[0]["principle"], group[0]["negative_weights"]), list(best.values())))
        return [start for start in found if start[1]]

    def _can_weigh(self) -> bool:
        X = self.table.X
        return not (self.named or sparse.issparse(X)) and 1 < X.shape[1] <= RELEVANT_COLUMNS

    def _here(self) -> list[dict]:
        """What was judged on the rows of now."""
        n = len(self.ground)
        return [row for row in self.rows if row["n"] == n]

    def best(self) -> dict:
        """Of those judged on the rows of now."""
        return self.ranking().best()

    def ranking(self) -> Ranking:
        """Of what was judged on the rows of now; or on fewer, where there is nothing yet."""
        now = len(self.rows), len(self.ground)
        if self._ranked is None or self._ranked[0] != now:
            self._ranked = now, Ranking(self._here() or self.rows, self.strict, has_laws(self.sets))
        return self._ranked[1]

    def _kept(self) -> tuple[dict[Setting, list[tuple[Any, str]]], list[Start]]:
        """The settings that go on, with their principles; and those with relevances, to begin with."""
        kept: dict[Setting, list] = {}
        relevant: list[Start] = []
        for row in self.ranking().kept():
            pair = row["principle"], row["negative_weights"]
            if is_relevant(row["scaling"]):
                relevant.append((pair, [row["setting"]]))
            else:
                kept.setdefault(row["setting"], []).append(pair)
        return kept, relevant


def _plain_values(row: dict) -> dict:
    """A row of the table as text and numbers, which any file format can hold."""
    return {**{key: value for key, value in row.items() if key not in OBJECTS}, "principle": str(row["principle"])}


def _is_served(principle: str, sets: Any) -> bool:
    """Whether a principle can be had of rows in blocks, which are only summed."""
    if principle == "disambiguation":
        return is_weighed(sets.sample)
    try:
        return sets.sample.embed(principle) is not None
    except InputError:  # half-lines have no average
        return False


def _count(table: Table, sets: Sets) -> int:
    """How many rows there are, each as often as it counts."""
    return len(sets) if table.w is None else max(1, round(float(table.w.sum())))
