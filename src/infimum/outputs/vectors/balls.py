"""Balls and annuli: the amplitude is known, the phase is known or lost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.errors import BadRows, InputError, listed
from ..base import rows_of
from .base import VectorSets, numbers


class Annuli(VectorSets):
    """Annuli: an amplitude within bounds, without its phase.

    S_i = {y : inner_i <= |y - center_i| <= outer_i}.

    If the phase is known, the set is a segment, {center_i + r phase_i : inner_i <= r <= outer_i}.

    Parameters
    ----------
    inner, outer : (n,) or float
        Bounds on the amplitude.
    phase : (n, m), optional
        Directions, scaled to length one; rows of NaN for an unknown phase. It determines m.
    center : (n, m), (m,) or float, default 0
        The point from which amplitudes are measured.
    m : int, default 2
        The dimension, if neither `phase` nor `center` determines it.

    Examples
    --------
    >>> rings = Annuli([1., 1.], [2., 2.], phase=[[np.nan, np.nan], [0., 3.]])
    >>> rings.nearest(np.array([[3., 4.], [3., 4.]]))
    array([[1.2, 1.6],
           [0. , 2. ]])
    """

    def __init__(self, inner: Any, outer: Any, *, phase: Any = None, center: Any = 0.0, m: int = 2):
        inner, outer, center = numbers(inner, "inner"), numbers(outer, "outer"), numbers(center, "center")
        m = center.shape[-1] if center.ndim else m
        phase = np.full(m, np.nan) if phase is None else numbers(phase, "phase")
        m = phase.shape[-1] if phase.ndim and not center.ndim else m
        try:
            (n,) = np.broadcast_shapes(inner.shape, outer.shape, center.shape[:-1], phase.shape[:-1], (1,))
            self.inner, self.outer = (np.broadcast_to(r, (n,)).copy() for r in (inner, outer))
            self.centers, phase = (np.broadcast_to(part, (n, m)).copy() for part in (center, phase))
        except ValueError:
            shapes = [part.shape for part in (inner, outer, center, phase)]
            raise InputError(
                "inner and outer have shape (n,), center and phase (n, m), or are one for all. Got the shapes"
                f" {listed(shapes)}."
            ) from None
        length = np.linalg.norm(phase, axis=1)
        self._check(phase, length)
        self.known = np.isfinite(length) | (self.outer == 0)
        self.phase = phase / length[:, None]
        self.phases = np.nan_to_num(self.phase)
        self.m, self.shape = m, (n,)

    def _check(self, phase: NDArray, length: NDArray) -> None:
        bad = BadRows("y")
        for row in np.flatnonzero(~((self.inner >= 0) & (self.inner <= self.outer) & np.isfinite(self.outer))):
            bad.add(row, f"expected 0 <= inner <= outer < inf, got {self.inner[row]:g} and {self.outer[row]:g}")
        for row in np.flatnonzero(~np.isfinite(self.centers).all(axis=1)):
            bad.add(row, f"expected a finite center, got {self.centers[row].tolist()}")
        for row in np.flatnonzero((length == 0) | np.isinf(length) | (np.isnan(length) & ~np.isnan(phase).all(axis=1))):
            bad.add(row, f"expected a direction, or NaN in every coordinate, got {phase[row].tolist()}")
        bad.raise_if_any("An amplitude has bounds, and a phase is a nonzero vector or lost.")

    def __getitem__(self, rows: Any) -> Annuli:
        rows = rows_of(rows, len(self))
        return Annuli(self.inner[rows], self.outer[rows], phase=self.phase[rows], center=self.centers[rows])._like(self)

    def nearest(self, z: NDArray) -> NDArray:
        d = z - self.centers
        along = np.clip((d * self.phases).sum(axis=-1), self.inner, self.outer)  # on the segment
        return self._at(self._direction(d), np.clip(np.linalg.norm(d, axis=-1), self.inner, self.outer), along)

    def extreme(self, a: NDArray, b: NDArray) -> NDArray:
        # against the gradient at the center, on the outer sphere; on a segment, the better end
        gradient = 2 * a[..., None] * self.centers + b
        slope = (gradient * self.phases).sum(axis=-1)
        low, high = (r * (slope + a * r) for r in (self.inner, self.outer))
        return self._at(self._direction(-gradient), self.outer, np.where(low <= high, self.inner, self.outer))

    def _at(self, direction: NDArray, radius: NDArray, along: NDArray) -> NDArray:
        known = self.known[:, None]
        return self.centers + np.where(known, along[..., None] * self.phases, radius[..., None] * direction)

    @staticmethod
    def _direction(d: NDArray) -> NDArray:
        """Return d / |d|; the first axis if d = 0, because all directions are equally good."""
        length = np.linalg.norm(d, axis=-1, keepdims=True)
        out = d / np.where(length > 0, length, 1)
        out[..., 0] += length[..., 0] == 0
        return out

    def moments(self) -> tuple[NDArray, NDArray]:
        # over the ring, E r² = m / (m + 2) (R^(m+2) - r^(m+2)) / (R^m - r^m); over a segment, length² / 12
        r, R, m = self.inner, self.outer, self.m
        size = np.where(R > 0, R, 1)
        x = r / size
        volume = 1 - x**m
        ratio = np.where(volume > 1e-9, (1 - x ** (m + 2)) / np.where(volume > 1e-9, volume, 1) * m / (m + 2), 1.0)
        middle = self.centers + np.where(self.known, (r + R) / 2, 0)[:, None] * self.phases
        return middle, np.where(self.known, (R - r) ** 2 / 12, R**2 * ratio)

    @property
    def size(self) -> NDArray:
        """The outer radius, or half the length of a segment."""
        return np.where(self.known, (self.outer - self.inner) / 2, self.outer)

    def box(self) -> tuple[NDArray, NDArray]:
        ends = [self.centers + r[:, None] * self.phases for r in (self.inner, self.outer)]
        known, reach = self.known[:, None], self.outer[:, None]
        low, high = np.minimum(*ends), np.maximum(*ends)
        return np.where(known, low, self.centers - reach), np.where(known, high, self.centers + reach)

    def meets(self, other: Any) -> NDArray:
        """Return whether S_i and T_i share a point, for balls or candidate points T_i."""
        from .candidates import CandidatePoints

        self._check_pair(other, Balls, CandidatePoints)
        return other.meets(self)

    def join(self, other: Any) -> Annuli:
        names = ("inner", "outer", "phase", "centers")
        inner, outer, phase, center = (np.concatenate([getattr(s, name) for s in (self, other)]) for name in names)
        return Annuli(inner, outer, phase=phase, center=center)._like(self)

    def format(self, row: int) -> str:
        what = "a segment" if self.known[row] else "a ring"
        return f"{what} of {self.inner[row]:g} to {self.outer[row]:g} around {self.centers[row].tolist()}"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        """Return (n, 2 m + 2) numbers: centers, phases (0 if lost), inner and outer radii."""
        return np.column_stack([self.centers, self.phases, self.inner, self.outer]).astype(dtype or float)

    def __repr__(self) -> str:
        known = 100 * self.known.mean() if len(self) else 0
        return f"<{type(self).__name__} in R^{self.m}: {len(self)} rows, {known:.0f} % of the phases known>"


class Balls(Annuli):
    """Balls around given points.

    S_i = {y : |y - center_i| <= radius_i}.

    Parameters
    ----------
    center : (n, m)
        The centers.
    radius : (n,) or float
        The radii.

    Examples
    --------
    >>> Balls([[0., 0.]], [1.]).nearest(np.array([[3., 4.]]))
    array([[0.6, 0.8]])
    """

    def __init__(self, center: Any, radius: Any):
        center, radius = numbers(center, "center"), numbers(radius, "radius")
        if center.ndim != 2 or radius.shape not in ((), (len(center),)):
            raise InputError(
                f"Balls require (n, m) centers, and one radius for all rows or one per row. Got shapes {center.shape}"
                f" and {radius.shape}."
            )
        super().__init__(np.zeros(len(center)), np.broadcast_to(radius, (len(center),)), center=center)

    def __getitem__(self, rows: Any) -> Balls:
        rows = rows_of(rows, len(self))
        return Balls(self.centers[rows], self.outer[rows])._like(self)

    def meets(self, other: Any) -> NDArray:
        self._check_pair(other, VectorSets)
        return other.distance(self.centers) <= self.outer + self._rounding(self.centers)

    def _contains_set(self, other: VectorSets) -> NDArray:
        out, rows = np.zeros(len(self), dtype=bool), np.flatnonzero(other.is_bounded)
        far = other[rows].farthest(self.centers[rows])
        out[rows] = far <= self.outer[rows] + self._rounding(self.centers[rows])
        return out

    def format(self, row: int) -> str:
        return f"within {self.outer[row]:g} of {self.centers[row].tolist()}"

    def __repr__(self) -> str:
        mean = self.outer.mean() if len(self) else 0
        return f"<Balls in R^{self.m}: {len(self)} rows, mean radius {mean:.3g}>"
