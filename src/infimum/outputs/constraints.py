"""Constraints on the labels of groups of rows: known shares, at least one positive row, balanced classes.

A constraint is a bound on the share of one class in a group. Soft labels satisfy all constraints after an entropic
projection (`GroupConstraints.project`), selected labels after an integer program (`GroupConstraints.assign`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp, minimize

from ..data.errors import InputError, is_missing, listed, shown

LARGEST = 50.0  # nats: multipliers beyond change no probability; those of contradictory constraints grow up to it
TOLERANCE = 1e-3  # rows, relative to the size of the group, by which a constraint may be missed
TINY = 1e-12  # probability of a candidate that the update has excluded, so that a constraint can bring it back


class Bound(NamedTuple):
    """A bound on the share of one class among some rows."""

    rows: Any
    """Row numbers; None for all rows."""
    label: Any
    low: float
    high: float


class Constraint:
    """The base class of constraints on the labels of groups of rows. A constraint of your own defines `bounds`."""

    def bounds(self, n: int, classes: list) -> list[Bound]:
        """Return the constraint as bounds on shares, for n rows and these classes."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False, repr=False)
class Share(Constraint):
    """The share of some classes in a group of rows is known, exactly or up to an interval.

    Parameters
    ----------
    rows : array of int, or (n,) boolean
        The group.
    shares : mapping
        The share of each class: a number in [0, 1], or a pair (low, high). Classes that are not named have any share.

    Examples
    --------
    >>> Share([0, 1, 2, 3], {"yes": 0.25, "no": (0.5, 0.8)})
    Share(4 rows, {'yes': 0.25, 'no': (0.5, 0.8)})
    """

    rows: Any
    shares: Mapping

    @classmethod
    def of_groups(cls, groups: Any, shares: Any) -> list[Share]:
        """Return one constraint per group, from the group of each row, (n,), and the shares of each group.

        `shares` is a mapping from groups to mappings from classes to shares, or a pandas DataFrame with one row per
        group and one column per class, in which missing cells are unknown shares.
        """
        names = np.asarray(groups)
        if hasattr(shares, "iterrows"):
            shares = {name: {k: v for k, v in row.items() if not is_missing(v)} for name, row in shares.iterrows()}
        missing = [name for name in np.unique(names).tolist() if name not in shares]
        if missing:
            raise InputError(f"Each group needs its shares. Missing: {listed(missing)}.")
        empty = [name for name in shares if name not in names]
        if empty:
            raise InputError(f"shares contains groups without rows: {listed(empty)}. Remove them.")
        return [cls(np.flatnonzero(names == name), own) for name, own in shares.items()]

    def bounds(self, n: int, classes: list) -> list[Bound]:
        found = []
        for label, share in self.shares.items():
            low, high = share if isinstance(share, tuple | list) else (share, share)
            if not 0 <= low <= high <= 1:
                percent = " Divide percentages by 100." if 1 < high <= 100 else ""
                raise InputError(
                    f"A share is a number in [0, 1], or a pair low <= high of them. Got {shown(share)}.{percent}"
                )
            found.append(Bound(self.rows, label, float(low), float(high)))
        return found

    def __repr__(self) -> str:
        return f"Share({_size(self.rows)}, {dict(self.shares)!r})"


@dataclass(frozen=True, eq=False, repr=False)
class AtLeast(Constraint):
    """At least `count` rows of a group have a label, as in multiple-instance learning.

    Parameters
    ----------
    rows : array of int, or (n,) boolean
        The group ("bag").
    label : class
        The class that is counted.
    count : int, default 1
        The smallest number of rows.

    Examples
    --------
    >>> AtLeast([3, 4, 5], "defect")
    AtLeast(3 rows, 'defect', 1)
    """

    rows: Any
    label: Any
    count: int = 1

    def bounds(self, n: int, classes: list) -> list[Bound]:
        size = len(_index(self.rows, n))
        if not 0 < self.count <= size:
            raise InputError(f"count must be between 1 and the {size} rows of the group. Got {self.count!r}.")
        return [Bound(self.rows, self.label, self.count / size, 1.0)]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_size(self.rows)}, {self.label!r}, {self.count})"


class Exactly(AtLeast):
    """Exactly `count` rows of a group have a label; the parameters are those of `AtLeast`.

    Examples
    --------
    >>> Exactly([3, 4, 5], "winner")
    Exactly(3 rows, 'winner', 1)
    """

    def bounds(self, n: int, classes: list) -> list[Bound]:
        return [bound._replace(high=bound.low) for bound in super().bounds(n, classes)]


@dataclass(frozen=True, eq=False, repr=False)
class Balanced(Constraint):
    """All classes have the same share in a group of rows, or nearly so.

    Parameters
    ----------
    rows : array of int, or (n,) boolean, optional
        The group; all rows by default.
    slack : float, default 0
        How much a share may differ from 1 / (number of classes).

    Examples
    --------
    >>> Balanced()
    Balanced(all rows)
    """

    rows: Any = None
    slack: float = 0.0

    def bounds(self, n: int, classes: list) -> list[Bound]:
        if not 0 <= self.slack <= 1:
            raise InputError(f"slack must be a number in [0, 1]. Got {self.slack!r}.")
        share = 1 / len(classes)
        low, high = max(share - self.slack, 0.0), min(share + self.slack, 1.0)
        return [Bound(self.rows, label, low, high) for label in classes]

    def __repr__(self) -> str:
        return f"Balanced({_size(self.rows)})"


def _size(rows: Any) -> str:
    if rows is None:
        return "all rows"
    found = np.asarray(rows)
    return f"{int(found.sum()) if found.dtype == bool else len(found)} rows"


def _index(rows: Any, n: int) -> NDArray:
    if rows is None:
        return np.arange(n)
    found = np.asarray(rows)
    found = np.flatnonzero(found) if found.dtype == bool and found.shape == (n,) else found
    if not found.size:
        raise InputError("The group of a constraint has no rows. Remove the constraint, or correct its rows.")
    if found.ndim != 1 or found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= n:
        raise InputError(
            f"The group of a constraint must be row numbers from 0 to {n - 1}, or a mask over {n} rows. Got"
            f" {shown(rows)}. Constraints are about the rows of one fit. For cross-validation or prediction sets, fit"
            " the model to all rows of its groups first, and use Conformal(model, prefit=True)."
        )
    return np.unique(found)


@dataclass
class GroupConstraints:
    """Bounds on shares of options in groups of n rows; rows can be taken as from an array."""

    member: sparse.csr_matrix
    """(n, J) boolean: the rows of each constraint."""
    option: NDArray
    """(J,): the class that is counted."""
    low: NDArray
    """(J,): the smallest share in the group."""
    high: NDArray
    """(J,): the largest share."""
    texts: list[str] = field(default_factory=list)
    """(J,): what each constraint states."""

    @classmethod
    def of(cls, constraints: Any, n: int, classes: list, find: Callable[[Any], int | None]) -> GroupConstraints:
        """Collect constraints; `find` returns the number of a class."""
        bounds: list[Bound] = []
        texts: list[str] = []
        if isinstance(constraints, Constraint):
            raise ValueError(f"constraints must be a list. Got {constraints!r}. Write [{constraints!r}].")
        for one in constraints:
            if not isinstance(one, Constraint):
                raise ValueError(f"constraints must be Share, AtLeast, Exactly, Balanced or Constraint. Got {one!r}.")
            own = one.bounds(n, classes)
            bounds += own
            texts += [f"{one!r}, label {bound.label!r}" for bound in own]
        options = [find(bound.label) for bound in bounds]
        unknown = [bound.label for bound, option in zip(bounds, options) if option is None]
        if unknown:
            named = listed(dict.fromkeys(unknown))
            raise InputError(f"Constraints name the classes {named}, which are not among {listed(classes)}.")
        index = [_index(bound.rows, n) for bound in bounds]
        at = np.repeat(np.arange(len(bounds)), [len(rows) for rows in index])
        member = sparse.csr_matrix((np.ones(len(at), bool), (np.concatenate(index), at)), (n, len(bounds)))
        low, high = (np.array([getattr(bound, end) for bound in bounds]) for end in ("low", "high"))
        return cls(member, np.array(options), low, high, texts)

    def __getitem__(self, rows: Any) -> GroupConstraints:
        return GroupConstraints(self.member[rows], self.option, self.low, self.high, self.texts)

    @classmethod
    def stacked(cls, parts: list[GroupConstraints]) -> GroupConstraints:
        """Return the constraints of several tables, one after the other."""
        member = sparse.csr_matrix(sparse.block_diag([part.member for part in parts], format="csr"), dtype=bool)
        names = ("option", "low", "high")
        option, low, high = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
        return cls(member, option, low, high, [text for part in parts for text in part.texts])

    @cached_property
    def sizes(self) -> NDArray:
        """(J,): the number of rows of each constraint."""
        return np.asarray(self.member.sum(axis=0), dtype=float).ravel()

    @cached_property
    def decided(self) -> NDArray:
        """(J,) boolean: shares of 0 or 1, which exclude candidates and need no projection."""
        return (self.high == 0) | (self.low == 1)

    def reduced(self, mask: NDArray) -> NDArray:
        """Return the candidates (n, c) without those that a share of 0 or 1 excludes."""
        if not self.decided.any():
            return mask
        never, always = (self.member[:, chosen].astype(float) for chosen in (self.high == 0, self.low == 1))
        c = mask.shape[1]
        excluded = never @ np.eye(c)[self.option[self.high == 0]] + always @ (1 - np.eye(c)[self.option[self.low == 1]])
        return mask & (np.asarray(excluded) == 0)

    def check(self, mask: NDArray) -> None:
        """Raise an error about constraints that no labels satisfy, given the candidates (n, c)."""
        possible = self.member.T @ mask.astype(float)
        certain = self.member.T @ (mask & (mask.sum(axis=1, keepdims=True) == 1)).astype(float)
        at = np.arange(len(self.option)), self.option
        above = self.low * self.sizes > possible[at] + TOLERANCE
        below = self.high * self.sizes < certain[at] - TOLERANCE
        bad = [
            f"  {text}: {int(self.sizes[j])} rows, of which {possible[at][j]:g} can have the label and"
            f" {certain[at][j]:g} must"
            for j, text in enumerate(self.texts)
            if above[j] or below[j]
        ]
        if not bad:
            q = self.project(mask / np.maximum(mask.sum(axis=1, keepdims=True), 1), mask)
            bad = [f"  {self.texts[j]}: found {share:.3g}" for j, share in self.missed(q)]
            if not bad:
                return
        raise InputError(
            "\n".join([
                "The constraints contradict each other, or the candidate sets of their rows.", *bad[:10],
                "Pass shares as intervals (low, high), or correct the rows.",
            ])
        )  # fmt: skip

    def missed(self, q: NDArray) -> list[tuple[int, float]]:
        """Return the constraints that soft labels (n, c) miss, and the shares that they have instead."""
        share = (self.member.T @ q)[np.arange(len(self.option)), self.option] / np.maximum(self.sizes, 1)
        off = (share < self.low - TOLERANCE) | (share > self.high + TOLERANCE)
        return [(int(j), float(share[j])) for j in np.flatnonzero(off & (self.sizes > 0))]

    def project(self, q: NDArray, mask: NDArray) -> NDArray:
        """Return the soft labels on the candidates that satisfy the constraints and are closest to q (n, c).

        The distance is the Kullback-Leibler divergence. The solution is q_ic exp(sum of multipliers), normalised, with
        one multiplier per constraint, which maximise the dual problem.
        """
        mask = self.reduced(mask)
        q = np.where(mask, np.maximum(q, TINY), 0.0)
        some = np.flatnonzero(~self.decided & (self.sizes > 0))
        member, counted = self.member[:, some].astype(float), np.eye(q.shape[1])[self.option[some]]
        low, high = (share[some] * self.sizes[some] for share in (self.low, self.high))

        def tilted(multipliers: NDArray) -> tuple[NDArray, NDArray]:
            """Return the soft labels, and the sum of each row before it is normalised."""
            p = q * np.exp(member @ (multipliers[:, None] * counted))
            total = np.maximum(p.sum(axis=1, keepdims=True), 1e-300)
            return p / total, total

        def dual(x: NDArray) -> tuple[float, NDArray]:
            up, down = np.split(x, 2)
            p, total = tilted(up - down)
            count = ((member.T @ p) * counted).sum(axis=1)
            return float(np.log(total).sum() - up @ low + down @ high), np.concatenate([count - low, high - count])

        if not len(some):
            return tilted(np.zeros(0))[0]
        bounds = [(0.0, LARGEST)] * (2 * len(some))
        found = minimize(dual, np.zeros(2 * len(some)), jac=True, method="L-BFGS-B", bounds=bounds)
        up, down = np.split(found.x, 2)
        return tilted(up - down)[0]

    def assign(self, cost: NDArray, mask: NDArray) -> NDArray:
        """Return the option of each row, (n,), of least total cost (n, c) among the candidates, by an integer program.

        Shares that are no whole number of rows may be rounded up or down.
        """
        row, option = np.nonzero(mask)
        n, e = len(mask), len(row)
        each = sparse.csr_matrix((np.ones(e), (row, np.arange(e))), (n, e))
        counted = sparse.csr_matrix(self.member[row].multiply(option[:, None] == self.option[None]).T, dtype=float)
        low, high = np.floor(self.low * self.sizes + 1e-9), np.ceil(self.high * self.sizes - 1e-9)
        limits = [LinearConstraint(each, 1, 1), LinearConstraint(counted, low, high)]
        found = milp(cost[row, option], integrality=np.ones(e), bounds=Bounds(0, 1), constraints=limits)
        if found.x is None:
            raise InputError("The constraints contradict each other, or the candidate sets of their rows.")
        taken = found.x > 0.5
        out = np.zeros(n, dtype=int)
        out[row[taken]] = option[taken]
        return out
