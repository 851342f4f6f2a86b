"""App. B.5, "Beyond": an image segmented from scribbles, with coupled neighbouring pixels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_sample_image

from .. import PartialEstimator
from ..outputs import Masks
from ..weights import KernelRidge
from . import style
from .base import Comparison, Experiment, Row, Task, row

TIES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)
SIDE, TOP, HALF = 10, 3, 80  # crops of 10 × 10 pixels; a half is 100 × 80
RIGHT = np.s_[TOP : TOP + 100, HALF:]
NOISE = 80  # standard deviation, of grey levels from 0 to 255


class Picture(NamedTuple):
    """The image of a flower, 106 × 160: clean, with noise, and its true mask."""

    gray: NDArray[np.float64]
    noisy: NDArray[np.float64]
    mask: NDArray[np.int64]


class Segmentation(Experiment):
    name = "segmentation"
    title = "Image segmentation from scribbles"
    place = "App. B.5"
    caption = (
        "The image of a dahlia in scikit-learn, in grey with noise. The training rows are crops of 10 × 10 pixels "
        "from the left half and their mirror images. Each has two short strokes that mark flower (orange) or "
        "background (blue): a tenth of its pixels; the others are unknown. The right half is new. It is segmented "
        "crop by crop: without coupling of pixels; with coupled neighbours, each crop an exact minimum cut; and with "
        "overlapping crops and a majority vote. Curves: share of wrong pixels against the cost of a unit of contour, "
        "in wrong pixels."
    )
    differs = (
        "The paper mentions the problem without an experiment. The image is real, the noise and the strokes are "
        "simulated. The true mask contains the pixels of the clean image that are redder than green."
    )

    def tasks(self, quick: bool) -> list[Task]:
        n, stride, seeds, ties = (200, 5, 2, TIES[::2]) if quick else (600, 2, 6, TIES)
        return [{"seed": seed, "n": n, "stride": stride, "ties": ties} for seed in range(seeds)]

    def run(self, task: Task, data: str | None) -> list[Row]:
        picture = flower(task["seed"])
        at, scribbles = strokes(picture, task["n"], task["seed"])
        # a flower is a flower in the mirror: every crop of the left half is given twice
        X, scribbles, full = map(mirrored, (crops(picture.noisy, at), scribbles, crops(picture.mask, at)))
        corners = np.array(
            [(i, j) for i in _range(TOP, 100, task["stride"]) for j in _range(HALF, HALF, task["stride"])]
        )
        queries, truth = crops(picture.noisy, corners), picture.mask[RIGHT]
        rows = []
        for method, y, ties in (("strokes", scribbles, task["ties"]), ("full masks", full, (0.0,))):
            for tie in ties:
                model = PartialEstimator.paper(Masks((SIDE, SIDE), tie), weights=KernelRidge(lam=1e-2))
                z = model.fit(X, y).predict(queries)
                tiles = ((corners - (TOP, HALF)) % SIDE == 0).all(axis=1)
                for kind, chosen in ((method, tiles), (f"{method}, voted", np.ones(len(z), dtype=bool))):
                    image = voted(corners[chosen], z[chosen])
                    coded = "".join("#" if pixel > 0 else "." for pixel in image.ravel())
                    rows.append(
                        row(kind, tie, float((image != truth).mean()), task["seed"], task["seed"], pixels=coded)
                    )
        return rows

    def draw(self, frame: pd.DataFrame):
        fig, axes = style.figure(4, 2, size=(2.0, 2.3))
        part = frame[frame["seed"] == 0].set_index(["method", "parameter"])
        means = frame.groupby(["method", "parameter"])["value"].mean()
        best, most = means["strokes"].idxmin(), means["strokes, voted"].idxmin()
        picture = flower(0)
        images = {
            "strokes, left half": picture.noisy[TOP : TOP + 100, :HALF], "unseen right half": picture.noisy[RIGHT],
            "pixels apart": _decoded(part["pixels"]["strokes", 0.0]),
            f"tied, {best:g}": _decoded(part["pixels"]["strokes", best]),
            f"tied, {most:g}, crops vote": _decoded(part["pixels"]["strokes, voted", most]),
            "truth": picture.mask[RIGHT],
        }  # fmt: skip
        for ax, (title, image) in zip(axes.flat, images.items()):
            ax.imshow(image, cmap="gray", interpolation="nearest")
            ax.set(title=title, xticks=[], yticks=[])
            ax.grid(visible=False)
            ax.spines[:].set_visible(False)
        self._draw_strokes(axes[0, 0], picture)
        for ax in axes[1, 2:]:
            ax.remove()
        ax = fig.add_subplot(axes[1, 2].get_gridspec()[1, 2:])
        stats = frame.groupby(["method", "parameter"])["value"].agg(mean="mean", std=lambda v: v.std(ddof=0))
        looks = {"strokes": (style.VERMILION, "o", "from strokes"), "strokes, voted": (style.BLUE, "s", "crops vote")}
        for method, (color, marker, label) in looks.items():
            style.curve(ax, stats.loc[method].reset_index(), color=color, marker=marker, label=label)
        for method, color in (("full masks", style.VERMILION), ("full masks, voted", style.BLUE)):
            ax.axhline(means[method, 0.0], color=color, ls=":", lw=1)
        ax.plot([], [], color=style.GREY, ls=":", label="from full masks, pixels apart")
        ax.set(xlabel="price of a unit of contour", ylabel="wrong pixels, share")
        style.from_zero(ax)
        style.legend(fig, ax)
        return fig

    @staticmethod
    def _draw_strokes(ax, picture: Picture) -> None:
        """Draw the strokes of the first crops at their places."""
        at, scribbles = strokes(picture, 60, 0)
        for (i, j), values in zip(at, scribbles):
            for sign, color in ((1, style.ORANGE), (-1, style.SKY)):
                y, x = np.nonzero(values.reshape(SIDE, SIDE) == sign)
                ax.plot(x + j, y + i - TOP, "s", color=color, ms=1.2, mew=0)

    def compare(self, frame: pd.DataFrame) -> list[Comparison]:
        means = frame[frame["method"] == "strokes"].groupby("parameter")["value"].mean()
        return [Comparison("tying neighbours helps", bool(means.iloc[1:].min() < means[0.0]), True, None, "App. B.5")]


def flower(seed: int) -> Picture:
    """Return the image at a quarter of its size, with the noise of this seed."""
    image = load_sample_image("flower.jpg")[:424].astype(np.float64)
    small = image.reshape(106, 4, 160, 4, 3).mean(axis=(1, 3))
    gray = small.mean(axis=-1)
    noisy = gray + NOISE * np.random.default_rng(seed).standard_normal(gray.shape)
    mask = np.where(small[..., 0] > small[..., 1] + 20, 1, -1)
    return Picture(gray, (noisy - noisy.mean()) / noisy.std(), mask)


def crops(image: NDArray, at: NDArray) -> NDArray:
    """Return the crops with these corners, flattened, (n, 100)."""
    return np.array([image[i : i + SIDE, j : j + SIDE].ravel() for i, j in at])


def mirrored(images: NDArray) -> NDArray:
    """Return the crops, followed by their mirror images."""
    return np.vstack([images, images.reshape(-1, SIDE, SIDE)[:, :, ::-1].reshape(images.shape)])


def strokes(picture: Picture, n: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the corners of n crops of the left half, and their scribbles in {-1, 0, 1}: two straight strokes each."""
    rng = np.random.default_rng([seed, 1])
    at = np.column_stack([rng.integers(TOP, TOP + 100 - SIDE + 1, size=600), rng.integers(HALF - SIDE + 1, size=600)])
    seen = np.zeros((600, SIDE, SIDE), dtype=bool)
    for _ in range(2):
        pen, step = rng.integers(SIDE, size=(600, 2)), rng.integers(-1, 2, size=(600, 2))
        for _ in range(8):
            seen[np.arange(600), pen[:, 0], pen[:, 1]] = True
            pen = np.clip(pen + step, 0, SIDE - 1)
    return at[:n], np.where(seen[:n].reshape(n, -1), crops(picture.mask, at[:n]), 0)


def voted(corners: NDArray, z: NDArray) -> NDArray[np.int64]:
    """Return the right half: the majority vote for each pixel of the crops that contain it."""
    votes = np.zeros((106, 160))
    for (i, j), crop in zip(corners, z):
        votes[i : i + SIDE, j : j + SIDE] += crop.reshape(SIDE, SIDE)
    return np.where(votes[RIGHT] > 0, 1, -1)


def _range(start: int, length: int, stride: int) -> range:
    return range(start, start + length - SIDE + 1, stride)


def _decoded(text: str) -> NDArray[np.int64]:
    return np.array([1 if pixel == "#" else -1 for pixel in text]).reshape(100, HALF)
