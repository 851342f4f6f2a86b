"""App. B.5, "Beyond": a picture segmented from scribbles, neighbouring pixels tied."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_sample_image

from ..estimators import PartialEstimator
from ..weights import KernelRidge
from . import style
from .base import Comparison, Experiment, Row, Task, row
from .masks import Masks

TIES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)
SIDE, TOP, HALF = 10, 3, 80  # crops of 10 × 10; the right half, 100 × 80, is cut into 80 of them


class Picture(NamedTuple):
    """The flower, 106 × 160: as it is, behind noise, and which pixels are flower."""

    gray: NDArray[np.float64]
    noisy: NDArray[np.float64]
    mask: NDArray[np.int64]


class Segmentation(Experiment):
    name = "segmentation"
    title = "Beyond: segmentation from scribbles"
    place = "App. B.5"
    caption = (
        "scikit-learn's picture of a dahlia, in grey behind heavy noise. Training: crops of 10 × 10 pixels from the left "
        "half, each with two short strokes that say flower (orange) or background (blue): a tenth of its pixels, the "
        "rest unknown. Then every crop of the right half, unseen, is segmented: with pixels apart, and with neighbours "
        "tied, each an exact minimum cut. Right: share of wrong pixels against the price of a unit of contour."
    )
    differs = (
        "The paper names the problem and shows nothing. The picture is real; the noise and the strokes are not, and the "
        "truth is where the unspoilt picture is redder than green."
    )

    def tasks(self, quick: bool) -> list[Task]:
        return [{"seed": seed, "n": 250 if quick else 600} for seed in range(2 if quick else 8)]

    def run(self, task: Task, data: str | None) -> list[Row]:
        picture = flower(task["seed"])
        at, scribbles = strokes(picture, task["n"], task["seed"])
        X, full = crops(picture.noisy, at), crops(picture.mask, at)
        queries, truth = crops(picture.noisy, tiles()), crops(picture.mask, tiles())
        rows = []
        for method, y, ties in (("scribbles", scribbles, TIES), ("full masks", full, (0.0,))):
            for tie in ties:
                model = PartialEstimator(Masks((SIDE, SIDE), tie), weights=KernelRidge(lam=1e-2))
                z = model.fit(X, y).predict(queries)
                coded = "".join("#" if pixel > 0 else "." for pixel in z.ravel())
                settings = {"n": task["n"], "pixels": coded}
                rows.append(row(method, tie, float((z != truth).mean()), task["seed"], task["seed"], **settings))
        return rows

    def draw(self, frame: pd.DataFrame):
        fig, axes = style.figure(6, size=(1.75, 2.6), width_ratios=[1, 1, 1, 1, 1, 2])
        part = frame[(frame["seed"] == 0) & (frame["method"] == "scribbles")].set_index("parameter")
        best = part["value"].idxmin()
        picture = flower(0)
        right = np.s_[TOP : TOP + 100, HALF:]
        titles = ("strokes on the left", "right half, noisy", "pixels apart", f"tied, {best:g}", "truth")
        pixels = [_stitched(part["pixels"][tie]) for tie in (0.0, best)]
        images = (picture.noisy[TOP : TOP + 100, :HALF], picture.noisy[right], *pixels, picture.mask[right])
        for ax, title, image in zip(axes[0], titles, images):
            ax.imshow(image, cmap="gray", interpolation="nearest")
            ax.set(title=title, xticks=[], yticks=[])
            ax.title.set_fontsize(8.5)
            ax.grid(visible=False)
            ax.spines[:].set_visible(False)
        self._draw_strokes(axes[0, 0], picture)
        ax = axes[0, 5]
        stats = frame.groupby(["method", "parameter"])["value"].agg(mean="mean", std=lambda v: v.std(ddof=0))
        style.curve(ax, stats.loc["scribbles"].reset_index(), color=style.VERMILION, marker="o", label="from strokes")
        ax.axhline(stats.loc["full masks"]["mean"].iloc[0], color=style.GREY, ls=":", label="from full masks, pixels apart")
        ax.set(xlabel="price of a unit of contour", ylabel="wrong pixels, share")
        style.from_zero(ax)
        style.legend(fig, ax)
        return fig

    @staticmethod
    def _draw_strokes(ax, picture: Picture) -> None:
        """The strokes of the first crops, where they were made."""
        at, scribbles = strokes(picture, 60, 0)
        for (i, j), values in zip(at, scribbles):
            for sign, color in ((1, style.ORANGE), (-1, style.SKY)):
                y, x = np.nonzero(values.reshape(SIDE, SIDE) == sign)
                ax.plot(x + j, y + i - TOP, "s", color=color, ms=1.2, mew=0)

    def compare(self, frame: pd.DataFrame) -> list[Comparison]:
        means = frame[frame["method"] == "scribbles"].groupby("parameter")["value"].mean()
        return [Comparison("tying neighbours helps", bool(means.iloc[1:].min() < means[0.0]), True, None, "App. B.5")]


def flower(seed: int) -> Picture:
    """The picture, a quarter as large, and a noise of this seed."""
    image = load_sample_image("flower.jpg")[:424].astype(np.float64)
    small = image.reshape(106, 4, 160, 4, 3).mean(axis=(1, 3))
    gray = small.mean(axis=-1)
    noisy = gray + 100 * np.random.default_rng(seed).standard_normal(gray.shape)
    mask = np.where(small[..., 0] > small[..., 1] + 20, 1, -1)
    return Picture(gray, (noisy - noisy.mean()) / noisy.std(), mask)


def tiles() -> NDArray[np.int64]:
    """Corners of the crops that cover the right half."""
    return np.array([(TOP + i, HALF + j) for i in range(0, 100, SIDE) for j in range(0, HALF, SIDE)])


def crops(image: NDArray, at: NDArray) -> NDArray:
    """The crops with these corners, flattened, (n, 100)."""
    return np.array([image[i : i + SIDE, j : j + SIDE].ravel() for i, j in at])


def strokes(picture: Picture, n: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Corners of n crops of the left half, and their scribbles in {-1, 0, 1}: two straight strokes that stop at borders."""
    rng = np.random.default_rng([seed, 1])
    at = np.column_stack([rng.integers(TOP, TOP + 100 - SIDE + 1, size=600), rng.integers(HALF - SIDE + 1, size=600)])
    seen = np.zeros((600, SIDE, SIDE), dtype=bool)
    for _ in range(2):
        pen, step = rng.integers(SIDE, size=(600, 2)), rng.integers(-1, 2, size=(600, 2))
        for _ in range(8):
            seen[np.arange(600), pen[:, 0], pen[:, 1]] = True
            pen = np.clip(pen + step, 0, SIDE - 1)
    return at[:n], np.where(seen[:n].reshape(n, -1), crops(picture.mask, at[:n]), 0)


def _stitched(text: str) -> NDArray[np.int64]:
    """The right half, from the pixels of its crops."""
    z = np.array([1 if pixel == "#" else -1 for pixel in text]).reshape(-1, SIDE, SIDE)
    image = np.empty((106, 160), dtype=np.int64)
    for (i, j), crop in zip(tiles(), z):
        image[i : i + SIDE, j : j + SIDE] = crop
    return image[TOP : TOP + 100, HALF:]
