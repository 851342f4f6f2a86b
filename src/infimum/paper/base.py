"""What an experiment is: independent tasks, the rows they measure, a figure, and numbers to compare with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import resources
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Task = dict[str, Any]
"""One independent unit of work, in JSON types only: all that its rows depend on, beside code and data."""

Row = dict[str, Any]
"""One measured number: method, parameter, fold, value and seed, and what else the experiment records."""

MEASURED = "measured by running the authors' public code"
COLUMNS = ("method", "parameter", "fold", "value", "seed")


def row(method: str, parameter: Any, value: Any, fold: int = 0, seed: int = 0, **more: Any) -> Row:
    """One measured number.

    >>> row("infimum", 0.5, 0.1, panel="dna")
    {'method': 'infimum', 'parameter': 0.5, 'fold': 0, 'value': 0.1, 'seed': 0, 'panel': 'dna'}
    """
    return {"method": method, "parameter": parameter, "fold": fold, "value": value, "seed": seed, **more}


class Comparison(NamedTuple):
    """One number of ours beside the same number from elsewhere."""

    what: str
    ours: Any
    reference: Any
    tolerance: float | None = None
    """The largest difference that chance explains; None where equality is meant, or no agreement is claimed."""
    source: str = MEASURED
    claimed: bool = True
    """False where the difference is the point, and is explained."""

    @property
    def agrees(self) -> bool:
        if self.tolerance is None:
            return bool(self.ours == self.reference)
        return bool(abs(float(self.ours) - float(self.reference)) <= self.tolerance)


class Experiment(ABC):
    """One figure or table of the paper.

    A subclass gives the texts below, its `tasks`, how to `run` one of them and how to `draw` all the rows.
    """

    name: ClassVar[str]
    """Of the experiment and of its files."""
    version: ClassVar[int] = 1
    """Part of the key of kept rows: add one when `run`, or what it calls, gives other rows than before."""
    title: ClassVar[str]
    place: ClassVar[str]
    """Where in the paper."""
    caption: ClassVar[str]
    differs: ClassVar[str] = "Nothing."
    """What differs from print, and why."""
    timed: ClassVar[bool] = False
    """Whether the rows are times, which no seed fixes."""

    @abstractmethod
    def tasks(self, quick: bool) -> list[Task]:
        """The independent units of work, fewer or smaller ones when quick."""

    @abstractmethod
    def run(self, task: Task, data: str | None) -> list[Row]:
        """The rows of one task; `data` is the data folder."""

    @abstractmethod
    def draw(self, frame: pd.DataFrame) -> Figure:
        """The figure, from the rows of all tasks."""

    def compare(self, frame: pd.DataFrame) -> list[Comparison]:
        """Our numbers beside the reference's."""
        return []


def reference(name: str) -> pd.DataFrame:
    """A table of reference numbers shipped with the package.

    >>> reference("ilp_relaxation").query("m == 10 and solver == 'highs'")["exact_pct"].item()
    98.7
    """
    with resources.files(__package__).joinpath("reference", f"{name}.csv").open("rb") as file:
        return pd.read_csv(file)


def fold_error(std: float, folds: int = 8, ours: float | None = None) -> float:
    """Three standard errors of the difference of two means over as many folds.

    `std` is the reference's deviation over the folds; `ours` is ours where it is given, and the same otherwise.

    >>> round(fold_error(0.02), 3)
    0.03
    """
    return 3 * ((std**2 + (std if ours is None else ours) ** 2) / folds) ** 0.5


def printed(table: pd.DataFrame, by: list[str], hyper: list[str]) -> pd.DataFrame:
    """The printed protocol: for each group, the hyper-parameters with the lowest mean over the *test* folds.

    Returns one row per group with `mean`, `std` (ddof 0) and the hyper-parameters chosen.
    """
    cells = table.groupby([*by, *hyper])["value"].agg(mean="mean", std=lambda v: v.std(ddof=0)).reset_index()
    return cells.loc[cells.groupby(by)["mean"].idxmin()].reset_index(drop=True)


def honest(table: pd.DataFrame, by: list[str], hyper: list[str]) -> pd.DataFrame:
    """Selection inside each training fold by the column `chosen_by`, a score of the candidate sets only.

    Returns one row per group with `mean` and `std` (ddof 0) over the folds.
    """
    ordered = table.sort_values([*by, "fold", *hyper], kind="stable")
    best = ordered.loc[ordered.groupby([*by, "fold"])["chosen_by"].idxmin()]
    return best.groupby(by)["value"].agg(mean="mean", std=lambda v: v.std(ddof=0)).reset_index()
