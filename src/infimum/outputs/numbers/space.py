"""Reals: a number, with the squared or the absolute loss; the sets are unions of intervals."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ...data.checks import is_number
from ...data.containers import materialise
from ...data.errors import Form, InfimumWarning, InputError, listed
from ..base import OutputSpace
from ..choices import Choices
from ..summary import Summary, SummaryTable
from .cells import NumberCells
from .errors import r2_range, rmse_range
from .forms import LIMIT, names_of, read, texts_in
from .sets import Intervals
from .text import check_units, decimal_of, units_of

if TYPE_CHECKING:
    from .questions import NumberQuestions

LOSSES = ("squared", "absolute")
NUMBERS = Form("numbers", "numbers and sets of numbers, one entry per row")
QUANTILES = {"smallest": 0.0, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "largest": 1.0}


class Facts(NamedTuple):
    """Summary of y: its lowest and highest finite endpoint, the names of the bounds, and the decimal mark of text."""

    low: float
    high: float
    columns: tuple | None = None
    decimal: str | None = None
    """None if no text of y contains a comma."""
    units: Mapping[str, tuple[int, str]] = {}
    """The units of numbers that are text, each with its count and an example."""


class Reals(NumberCells, OutputSpace):
    """Real numbers, with the squared or the absolute loss.

    Y = [low, high], and l(z, y) is (z - y)² or |z - y|.

    In t = (y - origin) / unit, with Y at [-1, 1]:  phi(y) = (1, t, t²), psi(z) = unit² (t², -2t, 1) for the squared
    loss. The absolute loss is not bilinear: psi(z) is (unit t,) and only `Piecewise` minimises it.

    Parameters
    ----------
    loss : {"squared", "absolute"}, default "squared"
        The absolute loss is less moved by outliers, as a median is.
    bounds : (low, high), optional
        Y; None or an infinite side leaves it to the finite endpoints of y. Sets end where Y does: with bounds,
        unbounded and unlabelled rows have an average and a supremum.

    Attributes
    ----------
    scale_ : float
        unit² or unit: the loss in t times this is the loss.
    low_, high_ : float
        Y, compact: where the weights sum to a negative number the objective has no minimum on all of R.

    Examples
    --------
    >>> space = Reals().fit([3.5, (1, 2), (5, math.inf), "[-2,-1]|[1,2]", None])
    >>> space.low_, space.high_
    (-2.0, 5.0)
    >>> space.decode(np.array([[2., 1., .6], [-1., .5, 0.]]))  # 1/2 of the way in t, and an end
    array([3.25, 5.  ])
    """

    kind = "number"

    def __init__(self, loss: str = "squared", bounds: Any = None):
        self.loss = loss
        self.bounds = bounds

    @staticmethod
    def unscaled(y: Any, columns: tuple | None = None, decimal: str | None = None) -> Intervals:
        """Parse y in its own units, with the names of the bounds and the decimal mark of text if they are known."""
        return y if isinstance(y, Intervals) else Intervals(read(y, columns, decimal))

    def summarise(self, y: Any) -> Facts:
        """Return the lowest and the highest finite endpoint, within bounds, and what determines the format of y."""
        y = materialise(y)
        columns = None if isinstance(y, Intervals) else names_of(y)
        texts = [] if isinstance(y, Intervals) else texts_in(y)
        decimal: str | None = decimal_of(texts)
        if decimal == "." and not any("," in text for text in texts):
            decimal = None  # another chunk may contain the marks
        sets = self.unscaled(y, columns, decimal).clipped(*self._bounds())
        ends = np.concatenate([sets.lower, sets.upper])
        ends = ends[np.isfinite(ends)]
        low, high = float(ends.min(initial=math.inf)), float(ends.max(initial=-math.inf))
        return Facts(low, high, columns, decimal, units_of(texts))

    def merge(self, a: Facts, b: Facts) -> Facts:
        if a.columns is not None and b.columns is not None and a.columns != b.columns:
            raise InputError(
                f"Bounds must have the same names in all chunks. Got {listed(a.columns)}; {listed(b.columns)}."
            )
        if a.decimal is not None and b.decimal is not None and a.decimal != b.decimal:
            raise InputError(
                "y has decimal commas in some rows and commas between thousands in others. Use one style."
            )
        both = {unit: (a.units.get(unit, (0,))[0] + count, example) for unit, (count, example) in b.units.items()}
        low, high = min(a.low, b.low), max(a.high, b.high)
        return Facts(low, high, a.columns or b.columns, a.decimal or b.decimal, {**a.units, **both})

    def fit_summary(self, summary: Facts) -> Self:
        if self.loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(map(repr, LOSSES))}. Got {self.loss!r} instead.")
        check_units(summary.units)
        self.bilinear = self.loss == "squared"
        self.bounds_ = low, high = self._bounds()
        if summary.low > summary.high and not (math.isfinite(low) and math.isfinite(high)):
            raise InputError("No row of y has a finite endpoint, so its range is unknown. Pass bounds=(low, high).")
        self.form_ = NUMBERS
        if summary.columns is not None:
            self.form_ = Form("bounds", f"bounds {listed(summary.columns)}", summary.columns)
        self.form_ = replace(self.form_, decimal=summary.decimal or ".")
        self.low_ = low if math.isfinite(low) else summary.low
        self.high_ = high if math.isfinite(high) else summary.high
        self.origin_ = self.low_ / 2 + self.high_ / 2
        self.unit_ = (self.high_ / 2 - self.low_ / 2) or 1.0
        if not 1 / LIMIT <= self.unit_ <= LIMIT:
            raise InputError(
                f"y lies between {self.low_:g} and {self.high_:g}: squares of such differences"
                " overflow or underflow. Rescale y."
            )
        self.scale_ = self.unit_**2 if self.bilinear else self.unit_
        return self

    def read(self, y: Any, strict: bool = True) -> Intervals:
        sets = self.unscaled(y, self.form_.columns, self.form_.decimal).scaled(self.loss, self.origin_, self.unit_)
        return sets.clipped(*self.bounds_) if strict else sets

    def is_unlabelled(self, sets: Any) -> NDArray:
        """Return which rows contain all of Y; with bounds, sets are clipped to them."""
        low, high = self.bounds_
        return (sets.lowest <= low) & (sets.highest >= high) & (np.diff(sets.indptr) == 1)

    def questions(self) -> NumberQuestions:
        from .questions import NumberQuestions

        return NumberQuestions(self)

    def summary(self, sets: Any) -> Summary:
        """Return the number of one-sided intervals, and quantiles of the finite bounds and lengths."""
        low, high = sets.lowest, sets.highest
        one_sided = int(np.sum(np.isfinite(low) != np.isfinite(high)))
        columns = {"lower bound": low, "upper bound": high, "length": sets.size}
        finite = {name: values[np.isfinite(values)] for name, values in columns.items()}
        rows = [
            [name, *(float(np.quantile(values, q)) if len(values) else np.nan for values in finite.values())]
            for name, q in QUANTILES.items()
        ]
        return Summary([("one-sided", one_sided)], [SummaryTable("Bounds", ["", *columns], rows)])

    def check(self, parts: Iterable[Any]) -> None:
        """Warn about intervals that are all bounded in the same direction, apart from the bounds of Y."""
        low, high = self.bounds_
        sides: set[tuple[bool, bool]] = set()
        for sets in parts:
            known = ~self.is_unlabelled(sets)
            single = (np.diff(sets.indptr)[known] == 1).all()
            ends = np.column_stack([sets.lowest[known] <= low, sets.highest[known] >= high])
            is_open = ends & ~sets.is_exact[known, None] & single
            sides |= {(bool(a), bool(b)) for a, b in np.unique(is_open, axis=0)}
        if sides not in ({(True, False)}, {(False, True)}):
            return
        given, missing = ("upper", "lower") if sides == {(True, False)} else ("lower", "upper")
        if math.isfinite(low if given == "upper" else high):
            result = f"With bounds={self.bounds}, a constant in all intervals is as good as any other prediction."
            remedy = f", or leave out bounds to predict the {given} bounds"
        else:
            result, remedy = "Disambiguation, and the default, predict the bounds.", ""
        warnings.warn(
            f"All intervals of y have only {given} bounds, so the data do not indicate how far values are from their"
            f" bounds. {result} Pass some exact values or {missing} bounds{remedy}.",
            InfimumWarning,
            stacklevel=4,
        )

    def psi(self, z: Any) -> NDArray:
        t = (np.asarray(z, dtype=float) - self.origin_) / self.unit_
        if self.loss == "absolute":
            return self.unit_ * t[..., None]
        return self.unit_**2 * np.stack([t**2, -2 * t, np.ones_like(t)], axis=-1)

    def decode(self, c: NDArray) -> NDArray:
        # c_0 t² - 2 c_1 t: the vertex c_1 / c_0 brought into Y where c_0 > 0, otherwise the better end
        c0, c1 = c[..., 0], c[..., 1]
        low, high = self.ends()
        vertex = np.clip(c1 / np.where(c0 > 0, c0, 1), low, high)
        return self.at(np.where(c0 > 0, vertex, np.where(c0 * (low + high) >= 2 * c1, low, high)))

    def expanded_to(self, low: NDArray, high: NDArray) -> Reals:
        """Return the same space with Y enlarged to [low, high] in t, as far as the bounds allow."""
        found = copy(self)
        first, last = self.bounds_
        found.low_ = min(self.low_, max(first, self.origin_ + self.unit_ * float(low[0])))
        found.high_ = max(self.high_, min(last, self.origin_ + self.unit_ * float(high[0])))
        return found

    def ends(self) -> tuple[float, float]:
        """Return the ends of Y in t: [-1, 1], or a point; more after `expanded_to`."""
        return (self.low_ - self.origin_) / self.unit_, (self.high_ - self.origin_) / self.unit_

    def at(self, t: NDArray) -> NDArray:
        """Return z = origin + unit t, within Y."""
        return np.clip(self.origin_ + self.unit_ * t, self.low_, self.high_)

    def probe(self, random: np.random.RandomState, d: int) -> NDArray:
        return self.psi(self.at(random.uniform(-1, 1, size=1)))

    def format(self, z: NDArray) -> list[str]:
        return [f"{float(value):.6g}" for value in np.asarray(z).ravel()]

    def _bounds(self) -> tuple[float, float]:
        if self.bounds is None:
            return -math.inf, math.inf
        if np.shape(self.bounds) != (2,):
            raise ValueError(f"bounds must be a pair (low, high). Got {self.bounds!r} instead.")
        low, high = self.bounds
        if not all(side is None or is_number(side, infinite=True) for side in (low, high)):
            raise ValueError(f"bounds must be two numbers, or None for an open side. Got {self.bounds!r} instead.")
        low, high = -math.inf if low is None else float(low), math.inf if high is None else float(high)
        if not low <= high or low == math.inf or high == -math.inf:
            raise ValueError(f"bounds must have low <= high. Got {self.bounds!r} instead.")
        return low, high

    def choices(self, sets: Any) -> Choices:
        from .bands import bands_of

        return bands_of(sets)

    def distance(self, z: NDArray, sets: Any) -> NDArray:
        return sets.distance(z)

    def error_ranges(self, sets: Any, z: NDArray, sample_weight: Any = None) -> dict[str, tuple[float, float]]:
        return {name: score(sets, z, sample_weight) for name, score in (("rmse", rmse_range), ("r2", r2_range))}

    def conformal_scores(self) -> dict[str, Any]:
        from .conformal import Distance, ScaledDistance

        return {score.name: score for score in (Distance, ScaledDistance)}
