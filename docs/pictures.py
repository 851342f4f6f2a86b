"""The figures of the site: logo, icon, and what sets are at a glance. `python docs/pictures.py` draws them again.

`python docs/pictures.py studio` takes the screenshots of the studio again, with _static/studio/pictures.py.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

from infimum import CandidateLabels, PartialClassifier, PartialRanker, PartialRegressor
from infimum.datasets import drop_pairs
from infimum.plotting import COLOURS
from infimum.weights import KernelRidge

HERE = Path(__file__).parent / "_static"
SIDE = 64
THEMES = {"light": {"ink": "#22272e", "faint": "#8b949e"}, "dark": {"ink": "#e6edf3", "faint": "#7d8590"}}


def logo(size: int = SIDE) -> str:
    """Return three overlapping discs with a point in their intersection, as SVG."""
    at = [(size * (0.5 + 0.17 * np.sin(t)), size * (0.5 - 0.17 * np.cos(t))) for t in 2 * np.pi * np.arange(3) / 3]
    discs = "".join(
        f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{0.29 * size:.2f}" fill="{colour}" fill-opacity=".72"/>'
        for (x, y), colour in zip(at, (COLOURS[0], COLOURS[1], COLOURS[2]))
    )
    line = f'fill="#111" stroke="#fff" stroke-width="{size / 28:.2f}"'
    dot = f'<circle cx="{size / 2}" cy="{size / 2}" r="{0.085 * size:.2f}" {line}/>'
    title = "<title>infimum: three sets and the answer they have in common</title>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" role="img">{title}{discs}{dot}</svg>\n'


def sets_at_a_glance(theme: str) -> Any:
    """Draw partial labels as thin marks and what is learned from them as bold shapes: labels, rankings, numbers."""
    import matplotlib.pyplot as plt

    ink, faint = THEMES[theme]["ink"], THEMES[theme]["faint"]
    with mpl.rc_context({"text.color": ink, "axes.edgecolor": faint, "font.size": 11}):
        figure, axes = plt.subplots(1, 3, figsize=(12, 3.7), layout="constrained")
        figure.get_layout_engine().set(wspace=0.06)
        _labels(axes[0], ink)
        _orders(axes[1], ink, faint)
        _numbers(axes[2], ink, faint)
        for axis in axes:
            axis.set(xticks=[], yticks=[])
            axis.spines[:].set_visible(False)
            axis.patch.set_alpha(0)
        figure.patch.set_alpha(0)
    return figure


def _labels(axis: Any, ink: str) -> None:
    """Draw points as pies of their candidates, and the regions that are learned from them."""
    rng = np.random.default_rng(3)
    centers = np.array([(-1.6, -0.6), (1.6, -0.6), (0.0, 1.7)])
    truth = np.repeat([0, 1, 2], 16)
    X = centers[truth] + 0.7 * rng.standard_normal((48, 2))
    mask = np.eye(3, dtype=bool)[truth] | (rng.random((48, 3)) < 0.4)
    model = PartialClassifier.paper(weights=KernelRidge(1e-1, sigma=2.5)).fit(X, CandidateLabels(mask))
    x, y = np.linspace(-3.7, 3.7, 300), np.linspace(-2.6, 3.6, 300)
    grid = np.stack(np.meshgrid(x, y), axis=-1)
    regions = model.predict(grid.reshape(-1, 2)).reshape(300, 300)
    axis.contourf(x, y, regions, levels=[-0.5, 0.5, 1.5, 2.5], colors=COLOURS[:3], alpha=0.28)
    for k in range(3):
        axis.contour(x, y, regions == k, levels=[0.5], colors=ink, linewidths=1.3)
    for place, row in zip(X, mask):
        colours = np.array(COLOURS)[:3][row]
        for wedge in axis.pie(np.ones(row.sum()), center=place, radius=0.17, colors=colours, startangle=90)[0]:
            wedge.set(linewidth=0.6, edgecolor="white")
    axis.set(xlim=(-3.7, 3.7), ylim=(-2.6, 3.6), aspect="equal")
    axis.set_title("“blue or green” → labels", color=ink)


def _orders(axis: Any, ink: str, faint: str) -> None:
    """Draw a few comparisons at each x, and the ranking that is learned."""
    slope, level = np.array([1.0, 0.35, -0.2, -1.1]), np.array([-0.15, 0.45, -0.45, 0.3])
    X, grid = np.linspace(-0.9, 0.9, 26)[:, None], np.linspace(-0.9, 0.9, 400)[:, None]
    known = drop_pairs(X * slope + level, 0.55)
    model = PartialRanker.paper(list("abcd"), weights=KernelRidge(1.0, sigma=0.25)).fit(X, known)
    places, seen = (_places(model.predict(x)) for x in (grid, X))
    first, second = np.triu_indices(4, 1)
    for at, row, place in zip(X[:, 0], known, seen):
        for i, j in zip(first[row != 0], second[row != 0]):
            axis.plot([at, at], [place[i], place[j]], color=faint, lw=1.2, zorder=1)
            for k in (i, j):
                axis.plot(at, place[k], "o", ms=5.5, color=COLOURS[k], mec="white", mew=0.6, zorder=3)
    bend = np.hanning(41) / np.hanning(41).sum()
    for k in range(4):
        curve = np.convolve(np.pad(places[:, k], 20, mode="edge"), bend, mode="valid")
        axis.plot(grid[:, 0], curve, color=COLOURS[k], lw=4, solid_capstyle="round", zorder=2, alpha=0.75)
    axis.set(ylim=(3.5, -0.5))
    axis.set_title("“this before that” → rankings", color=ink)


def _places(orders: np.ndarray) -> np.ndarray:
    """Return the place of each item in the orders, (q, m)."""
    return np.argsort(orders, axis=1)  # items are letters: the k-th smallest stands at this place


def _numbers(axis: Any, ink: str, faint: str) -> None:
    """Draw intervals, also one-sided ones, and the curve that passes through them."""
    rng = np.random.default_rng(1)
    x = np.sort(rng.uniform(0, 1, 46))
    y = np.sin(6.5 * x) + 0.9 * x
    low, high = y - 0.9 * rng.random(46), y + 0.9 * rng.random(46)
    high[rng.random(46) < 0.2] = np.inf
    kernel = KernelRidge(1e-2, sigma=0.15)
    model = PartialRegressor.paper(weights=kernel).fit(x[:, None], np.column_stack([low, high]))
    for at, bottom, top in zip(x, low, high):
        if np.isinf(top):
            arrow = {"arrowstyle": "->", "color": COLOURS[1], "lw": 1.6, "shrinkA": 0, "shrinkB": 0}
            axis.annotate("", (at, bottom + 1.1), (at, bottom), arrowprops=arrow)
            axis.plot([at - 0.008, at + 0.008], [bottom, bottom], color=COLOURS[1], lw=1.6)
        else:
            axis.plot([at, at], [bottom, top], color=COLOURS[4], lw=3.4, alpha=0.75, solid_capstyle="butt")
    grid = np.linspace(x[0], x[-1], 300)
    axis.plot(grid, model.predict(grid[:, None]), color=ink, lw=2.6)
    axis.set(xlim=(-0.02, 1.02))
    axis.set_title("“between these”, “at least” → numbers", color=ink)


def main(folder: Path = HERE) -> list[Path]:
    """Write logo.svg, favicon.svg, sets-light.svg and sets-dark.svg, and return their paths."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    written = [folder / "logo.svg", folder / "favicon.svg"]
    for path in written:
        path.write_text(logo(), encoding="utf-8")
    for theme in THEMES:
        with mpl.rc_context({"svg.hashsalt": "infimum", "svg.fonttype": "path"}):  # the same file every time
            figure = sets_at_a_glance(theme)
            written.append(folder / f"sets-{theme}.svg")
            figure.savefig(written[-1], metadata={"Date": None, "Creator": None})
        plt.close(figure)
    return written


if __name__ == "__main__":
    if sys.argv[1:] == ["studio"]:
        runpy.run_path(str(HERE / "studio" / "pictures.py"), run_name="__main__")
    else:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
