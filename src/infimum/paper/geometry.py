"""Drawing on the simplex over three outputs a, b, c, and on the plane around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CORNERS = np.array([[0, 0], [0.5, np.sqrt(3) / 2], [1, 0]])
REGIONS = (style.ORANGE, style.GREEN, style.SKY)


def plane(rho: ArrayLike) -> NDArray[np.float64]:
    """Map measures of mass one to points of the plane: (..., 3) -> (..., 2)."""
    return np.asarray(rho, dtype=np.float64) @ CORNERS


def simplex(ax: Axes, box: tuple[float, float, float, float] = (-0.12, 1.15, -0.1, 0.95)) -> None:
    """Draw the triangle with the names of its corners, in a window left, right, bottom, top."""
    ax.set_aspect("equal")
    ax.axis("off")
    ax.axis(box)
    ax.set_autoscale_on(False)
    ax.plot(*CORNERS[[0, 1, 2, 0]].T, color="black", lw=1, zorder=4)
    for corner, name, (dx, dy) in zip(CORNERS, "abc", ((-0.05, -0.03), (0, 0.05), (0.05, -0.03))):
        ax.text(corner[0] + dx, corner[1] + dy, name, ha="center", va="center", style="italic")


def polygon(ax: Axes, vertices: ArrayLike, **kwargs: Any) -> None:
    """Draw the convex hull of measures of mass one."""
    from scipy.spatial import ConvexHull

    points = plane(vertices)
    hull = points[ConvexHull(points).vertices]
    ax.fill(*hull.T, **kwargs)


def point(ax: Axes, rho: ArrayLike, label: str, offset: tuple[float, float] = (6, 4), **kwargs: Any) -> None:
    """Draw a measure of mass one with its name."""
    at = plane(rho)
    settings: dict[str, Any] = {"color": "black", "marker": "o", "ms": 4, "zorder": 6, "ls": ""} | kwargs
    ax.plot(*at, **settings)
    ax.annotate(label, (at[0], at[1]), offset, textcoords="offset points", zorder=6)


def levels(ax: Axes, cost: ArrayLike, inside: bool = True, z: int | None = None, n: int = 12) -> None:
    """Draw level curves of E(rho) = min_z R(z; rho), or of R(z; rho) for one z, in the window of the panel."""
    x, y = np.meshgrid(np.linspace(*ax.get_xlim(), 400), np.linspace(*ax.get_ylim(), 400))
    # the point (x, y) is the measure (1 - b - c, b, c)
    b = y / CORNERS[1, 1]
    c = x - b / 2
    rho = np.stack([1 - b - c, b, c])
    risks = np.einsum("zy,yij->zij", np.asarray(cost, dtype=float), rho)
    values = risks.min(axis=0) if z is None else risks[z]
    if inside:
        values = np.ma.masked_where((rho < -1e-9).any(axis=0), values)
    ax.contour(x, y, values, levels=n, colors=style.GREY, linewidths=0.6, linestyles="solid", zorder=1)
