"""The interface of experiments: independent tasks, the rows that they measure, a figure, and reference numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import resources
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import pandas as pd

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Task = dict[str, Any]
"""One independent unit of work, in JSON types only. Its rows depend on it, on the code and on the data."""

Row = dict[str, Any]
"""One measured number: method, parameter, fold, value and seed, and further columns of the experiment."""

MEASURED = "measured by running the authors' public code"
COLUMNS = ("method", "parameter", "fold", "value", "seed")


def row(method: str, parameter: Any, value: Any, fold: int = 0, seed: int = 0, **more: Any) -> Row:
    """Return one measured number.

    >>> row("infimum", 0.5, 0.1, panel="dna")
    {'method': 'infimum', 'parameter': 0.5, 'fold': 0, 'value': 0.1, 'seed': 0, 'panel': 'dna'}
    """
    return {"method": method, "parameter": parameter, "fold": fold, "value": value, "seed": seed, **more}


class Comparison(NamedTuple):
    """One of our numbers beside a reference number."""

    what: str
    ours: Any
    reference: Any
    tolerance: float | None = None
    """The largest difference that chance explains; None if the numbers must be equal, or if no agreement is claimed."""
    source: str = MEASURED
    claimed: bool = True
    """False if the difference is intended and explained."""

    @property
    def agrees(self) -> bool:
        if self.tolerance is None:
            return bool(self.ours == self.reference)
        return bool(abs(float(self.ours) - float(self.reference)) <= self.tolerance)


class Experiment(ABC):
    """One figure or table of the paper.

    A subclass defines the texts below, its `tasks`, how to `run` one of them and how to `draw` all rows.
    """

    name: ClassVar[str]
    """The name of the experiment and of its files."""
    version: ClassVar[int] = 1
    """Part of the key of stored rows. Increase it if `run`, or a function that it calls, returns other rows."""
    title: ClassVar[str]
    place: ClassVar[str]
    """The place in the paper."""
    caption: ClassVar[str]
    differs: ClassVar[str] = "Nothing."
    """The differences to the paper, and the reasons."""
    timed: ClassVar[bool] = False
    """Whether the rows are times, which differ from run to run."""

    @abstractmethod
    def tasks(self, quick: bool) -> list[Task]:
        """Return the independent units of work; fewer or smaller ones if `quick`."""

    @abstractmethod
    def run(self, task: Task, data: str | None) -> list[Row]:
        """Return the rows of one task; `data` is the data folder."""

    @abstractmethod
    def draw(self, frame: pd.DataFrame) -> Figure:
        """Return the figure, from the rows of all tasks."""

    def compare(self, frame: pd.DataFrame) -> list[Comparison]:
        """Return our numbers beside the reference numbers."""
        return []


def reference(name: str) -> pd.DataFrame:
    """Return a table of reference numbers that the package ships.

    >>> reference("ilp_relaxation").query("m == 10 and solver == 'highs'")["exact_pct"].item()
    98.7
    """
    with resources.files(__package__).joinpath("reference", f"{name}.csv").open("rb") as file:
        return pd.read_csv(file)


def fold_error(std: float, folds: int = 8, ours: float | None = None) -> float:
    """Return three standard errors of the difference of two means over the same number of folds.

    `std` is the standard deviation of the reference over the folds, and `ours` is ours, the same by default.

    >>> round(fold_error(0.02), 3)
    0.03
    """
    return 3 * ((std**2 + (std if ours is None else ours) ** 2) / folds) ** 0.5


def best_on_test(table: pd.DataFrame, by: list[str], hyper: list[str]) -> pd.DataFrame:
    """Select the hyperparameters with the lowest mean over the *test* folds for each group, as the paper does.

    Returns one row per group with `mean`, `std` (ddof 0) and the selected hyperparameters.
    """
    cells = table.groupby([*by, *hyper])["value"].agg(mean="mean", std=lambda v: v.std(ddof=0)).reset_index()
    return cells.loc[cells.groupby(by)["mean"].idxmin()].reset_index(drop=True)


def best_in_training(table: pd.DataFrame, by: list[str], hyper: list[str]) -> pd.DataFrame:
    """Select hyperparameters inside each training fold by the column `chosen_by`, a score of the candidate sets.

    Returns one row per group with `mean` and `std` (ddof 0) over the folds.
    """
    ordered = table.sort_values([*by, "fold", *hyper], kind="stable")
    best = ordered.loc[ordered.groupby([*by, "fold"])["chosen_by"].idxmin()]
    return best.groupby(by)["value"].agg(mean="mean", std=lambda v: v.std(ddof=0)).reset_index()
