"""Where conformal prediction from sets holds, and where it does not: coverage as each assumption is given up.

Six classes on a circle, a logistic regression fitted to exact labels, 2,000 calibration rows and 5,000 new ones at 90
%. From left to right: the most probable wrong class is a candidate more and more often, while ambiguity=0.2 is
believed; rows are exact more and more because they are easy; new rows are drawn around other centres than calibration
rows.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from benchmarks._tools import Table
from infimum import CandidateLabels
from infimum.conformal import Conformal

STATIC = Path(__file__).resolve().parents[1] / "docs" / "_static"
CLASSES, LEVEL, N, NEW = 6, 0.9, 2000, 5000
WAYS: dict[str, dict[str, Any]] = {
    'covers="truth"': {},
    "ambiguity=0.2": {"ambiguity": 0.2},
    "exact_only": {"exact_only": True},
    'covers="set"': {"covers": "set"},
}
STEPS = np.linspace(0, 0.96, 9)


def draw(rng: np.random.Generator, n: int, turn: float = 0.0) -> tuple[NDArray, NDArray]:
    y = rng.integers(CLASSES, size=n)
    angle = 2 * np.pi * y / CLASSES + turn
    return np.column_stack([np.cos(angle), np.sin(angle)]) + 0.45 * rng.standard_normal((n, 2)), y


def one_hot(y: NDArray) -> NDArray:
    return np.eye(CLASSES, dtype=bool)[y]


def rivals(rng: np.random.Generator, P: NDArray, y: NDArray, share: float) -> NDArray:
    """The most probable wrong class is a candidate with this probability."""
    rival = np.where(one_hot(y), -1, P).argmax(axis=1)
    return one_hot(y) | (one_hot(rival) & (rng.random((len(y), 1)) < share))


def easy(rng: np.random.Generator, P: NDArray, y: NDArray, share: float) -> NDArray:
    """Half of the rows are exact, the others unknown: at random, or the more the easier they are."""
    sure = P[np.arange(len(y)), y]
    doubt = (1 - share) * rng.random(len(y)) + share * (1 - sure)
    return one_hot(y) | (doubt > np.median(doubt))[:, None]


def coverage(model: Any, settings: dict, X: NDArray, mask: NDArray, new: NDArray, truth: NDArray) -> float:
    made = Conformal(model, LEVEL, score="lac", prefit=True, **settings).conformalize(
        X, CandidateLabels(mask, range(CLASSES))
    )
    return float(made.predict_set(new).mask[np.arange(len(truth)), truth].mean())


def curves(model: Any, how: Callable | None) -> dict[str, list[float]]:
    """Return the coverage of the true label by each method, at each step away from the assumption."""
    found: dict[str, list[float]] = {way: [] for way in WAYS}
    for step in STEPS:
        rng = np.random.default_rng(0)
        X, y = draw(rng, N)
        new, truth = draw(rng, NEW, 0.0 if how is not None else step * np.pi / CLASSES)
        P = model.predict_proba(X)
        mask = how(rng, P, y, step) if how is not None else rivals(rng, P, y, 0.2)
        for way, settings in WAYS.items():
            found[way].append(coverage(model, settings, X, mask, new, truth))
    return found


def main() -> None:
    import matplotlib.pyplot as plt

    from infimum.plotting import COLOURS

    with threadpool_limits(1):
        model = LogisticRegression().fit(*draw(np.random.default_rng(1), 600))
        panels = {
            "share with the strongest distractor": curves(model, rivals),
            "preference for easy exact rows": curves(model, easy),
            "shift of the new rows": curves(model, None),
        }
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), sharey=True, layout="constrained")
    for ax, (title, found) in zip(axes, panels.items()):
        table = Table(f"coverage of the true label at {LEVEL:.0%}, by {title}")
        for k, (way, values) in enumerate(found.items()):
            ax.plot(STEPS, values, "os^D"[k], ls="-", ms=5, color=COLOURS[k], label=way)
            table.row(way, " ".join(f"{value:.2f}" for value in values))
        ax.axhline(LEVEL, color="0.5", lw=1)
        ax.set(xlabel=title, ylim=(0.4, 1.03))
    axes[0].set_ylabel("coverage of the true label")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper", frameon=False)
    figure.savefig(STATIC / "conformal-assumptions.png", dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
