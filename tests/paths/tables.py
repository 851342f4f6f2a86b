"""One small, easy table per output type: 48 training rows and 24 new rows with known true outputs.

All output types share the same inputs: three groups of rows, and a number that varies within each group. The inputs
exist as an array and as a DataFrame with text and missing cells. The candidate sets of the training rows contain the
true output.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from infimum import (
    Boxes,
    PartialClassifier,
    PartialEstimator,
    PartialMultilabelClassifier,
    PartialMultiOutput,
    PartialRanker,
    PartialRegressor,
    outputs,
)
from infimum.outputs.loss_score import LossBalls
from paths.circle import Angles, Arcs

TRAINING, NEW = 48, 24
BUDGET = 1.0
"""Seconds of wall time for the search of one model. Only masks need more; a larger value makes the folder slower."""

LEVEL = 0.8
"""Probability with which prediction sets contain the output."""

TOLERANCE = 0.5
"""How far an angle may be from the true one to count as right, in radians."""

ROWS = TRAINING + NEW
GROUP = np.arange(ROWS) % 3
RANDOM = np.random.default_rng(0)
SLOPE = RANDOM.uniform(-1, 1, ROWS)
SIZE = GROUP - 1 + RANDOM.normal(scale=0.15, size=ROWS)
ARRAY = np.column_stack([SIZE, SLOPE])

COLOURS = ("red", "grey", "blue")
NOTES = ("purrs and naps", "barks and runs", "hoots at night")
FRAME = pd.DataFrame({
    "size": np.where(np.arange(ROWS) % 8 == 3, np.nan, SIZE),
    "slope": SLOPE,
    "colour": [None if i % 11 == 5 else COLOURS[k] for i, k in enumerate(GROUP)],
    "note": [None if i % 13 == 6 else f"{NOTES[k]}, seen {i}" for i, k in enumerate(GROUP)],
})  # fmt: skip
"""The same rows with text and missing cells in three of four columns."""

INPUTS = {"array": ARRAY, "frame": FRAME}


def read_cells(space: Any, cells: list) -> Any:
    """The sets that cells of text stand for."""
    return space.read(space.from_cells(space.text_to_cells([cell or None for cell in cells])))


def loss_balls(space: Any, cells: list) -> LossBalls:
    """The prediction sets of an output type that has no score of its own."""
    balls = [json.loads(cell) for cell in cells]
    return LossBalls(space, np.array([[b["center"]] for b in balls]), np.array([[b["loss"]] for b in balls]))


@dataclass(frozen=True, eq=False)
class Table:
    """Partial labels of one output type, the true outputs, and what is needed to check a model of it."""

    name: str
    model: Callable[[], Any]
    """Construct the default model."""
    space: Callable[[], Any]
    """Construct the output space."""
    labels: Any
    """Partial labels of all rows, as a user passes them to `fit`."""
    exact: Any
    """The true outputs of all rows, as a user passes them to `score`."""
    true: np.ndarray
    """The true outputs of all rows, as `predict` returns them."""
    error: Callable[[np.ndarray, np.ndarray], float]
    """Mean loss of predictions, written out again."""
    score: Callable[[np.ndarray, np.ndarray], float]
    """What `model.score` should return for predictions on exact outputs."""
    represented: Callable[[np.ndarray], np.ndarray] | None = None
    """Convert predictions to the form of the output space, if `points` are given and both forms differ."""
    points: np.ndarray | None = None
    """Outputs to count for an infinite space; a finite space lists its own."""
    words: tuple[str, ...] = ()
    """Words that a report about the table must contain."""
    options: tuple[str, ...] = ()
    """Options of the command line that follow `--target answer`."""
    model_options: tuple[str, ...] = ()
    """Options of the commands that load a model."""
    cells: list[str] = field(default_factory=list)
    """Partial labels of all rows as cells of a CSV file."""
    exact_cells: list[str] = field(default_factory=list)
    """True outputs of all rows as cells of a CSV file."""
    parse: Callable[[str], Any] = str
    """Convert a predicted cell to the form that `predict` returns."""
    read_sets: Callable[[Any, list], Any] = read_cells
    """Convert cells of text to sets of a fitted space; for prediction sets."""

    @property
    def new(self) -> np.ndarray:
        """The true outputs of the new rows, as `predict` returns them."""
        return self.true[TRAINING:]

    @property
    def constant_error(self) -> float:
        """The error of the best constant prediction on the new rows, among the true outputs of all rows."""
        return min(self.error(np.repeat(self.true[[row]], NEW, axis=0), self.new) for row in range(ROWS))

    def outputs(self, space: Any) -> np.ndarray:
        """Outputs to count, as the fitted space represents them: all of them, or some points and the true ones."""
        if self.points is None:
            return space.outputs()
        return np.concatenate([self.points, self.represent(space, self.true)])

    def count(self, space: Any, sets: Any, row: int) -> int:
        """Count how many outputs the set of one row contains."""
        every = self.outputs(space)
        return int(sets[np.full(len(every), row)].contains(every).sum())

    def represent(self, space: Any, predicted: np.ndarray) -> np.ndarray:
        """Predictions as the fitted space represents them: class numbers instead of class names."""
        if self.points is not None:
            return predicted if self.represented is None else self.represented(np.asarray(predicted))
        every = space.outputs()
        names = np.asarray(space.readable(every)).reshape(len(every), -1)
        rows = [np.flatnonzero((names == np.ravel(z)).all(axis=1)) for z in predicted]
        assert all(len(found) == 1 for found in rows)
        return every[np.concatenate(rows)]


def share_wrong(predicted: np.ndarray, true: np.ndarray) -> float:
    return float(np.mean(predicted != true))


def share_right(predicted: np.ndarray, true: np.ndarray) -> float:
    return 1 - share_wrong(predicted, true)


def squared(predicted: np.ndarray, true: np.ndarray) -> float:
    return float(np.mean(np.square(predicted - true)))


def r2(predicted: np.ndarray, true: np.ndarray) -> float:
    return 1 - squared(predicted, true) / squared(true.mean(axis=0), true)


def labels() -> Table:
    animals = np.array(["cat", "dog", "owl"])
    other = RANDOM.integers(3, size=ROWS)
    other = np.where(np.arange(ROWS) % 2, other, GROUP)
    sets = [sorted({str(animals[k]), str(animals[j])}) for k, j in zip(GROUP, other)]
    cells = ["" if i % 12 == 7 else "|".join(names) for i, names in enumerate(sets)]
    return Table(
        "labels",
        model=lambda: PartialClassifier(max_search_time=BUDGET),
        space=outputs.Labels,
        labels=[set(cell.split("|")) if cell else None for cell in cells],
        exact=animals[GROUP],
        true=animals[GROUP],
        error=share_wrong,
        score=share_right,
        words=("cat", "dog", "owl"),
        cells=cells,
        exact_cells=animals[GROUP].tolist(),
    )


def tags() -> Table:
    names = ("red", "round", "soft")
    true = np.where(np.column_stack([GROUP == 0, GROUP == 1, SLOPE > 0]), 1, -1)
    known = RANDOM.random(true.shape) < 0.7

    def cell(row: np.ndarray, shown: np.ndarray) -> str:
        return " ".join(f"{'+' if v > 0 else '-'}{name}" for name, v, keep in zip(names, row, shown) if keep)

    def parse(text: str) -> list[int]:
        return [1 if f"+{name}" in text.split() else -1 for name in names]

    rows = [{name: bool(v > 0) for name, v in zip(names, row)} for row in true]
    return Table(
        "tags",
        model=lambda: PartialMultilabelClassifier(max_search_time=BUDGET),
        space=outputs.Tags,
        labels=[{name: row[name] for name, keep in zip(names, shown) if keep} for row, shown in zip(rows, known)],
        exact=rows,
        true=true,
        error=share_wrong,
        score=share_right,
        words=names,
        cells=[cell(*row) for row in zip(true, known)],
        exact_cells=[cell(row, np.ones(3, bool)) for row in true],
        parse=parse,
    )


def rankings() -> Table:
    true = np.array([list("abcd"), list("bdca"), list("dcab")])[GROUP]
    pairs = [[p for p in combinations(map(str, order), 2) if RANDOM.random() < 0.6] for order in true]

    def wrong_pairs(predicted: np.ndarray, true: np.ndarray) -> float:
        apart = [len({*combinations(a, 2)} - {*combinations(b, 2)}) for a, b in zip(predicted, true)]
        return float(np.mean(apart)) / 6

    return Table(
        "rankings",
        model=lambda: PartialRanker(max_search_time=BUDGET),
        space=outputs.Rankings,
        labels=[row or None for row in pairs],
        exact=[list(map(str, order)) for order in true],
        true=true,
        error=wrong_pairs,
        score=lambda predicted, true: 1 - wrong_pairs(predicted, true),
        words=tuple("abcd"),
        cells=[", ".join(f"{a}>{b}" for a, b in row) for row in pairs],
        exact_cells=[">".join(order) for order in true],
        parse=lambda cell: cell.split(">"),
    )


def numbers() -> Table:
    true = 2 * SIZE + SLOPE
    below, above = RANDOM.uniform(0, 0.5, (2, ROWS))
    bounds = [(float(t - a), float(t + b)) for t, a, b in zip(true, below, above)]
    return Table(
        "numbers",
        model=lambda: PartialRegressor(max_search_time=BUDGET),
        space=outputs.Reals,
        labels=[None if i % 12 == 7 else row for i, row in enumerate(bounds)],
        exact=true,
        true=true,
        error=squared,
        score=r2,
        points=np.linspace(-6, 6, 241),
        words=("bound", "length"),
        cells=["" if i % 12 == 7 else f"[{a!r},{b!r}]" for i, (a, b) in enumerate(bounds)],
        exact_cells=[repr(float(t)) for t in true],
        parse=float,
    )


def vectors() -> Table:
    true = np.column_stack([SIZE + SLOPE, SIZE - SLOPE])
    below, above = RANDOM.uniform(0, 0.4, (2, ROWS, 2))
    grid = np.linspace(-3, 3, 25)
    return Table(
        "vectors",
        model=lambda: PartialRegressor(max_search_time=BUDGET),
        space=outputs.Vectors,
        labels=Boxes(true - below, true + above),
        exact=true,
        true=true,
        error=squared,
        score=r2,
        points=np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2),
        words=("partial",),
        options=("--kind", "vector"),
        cells=[
            " x ".join(f"[{a!r},{b!r}]" for a, b in zip(low.tolist(), high.tolist()))
            for low, high in zip(true - below, true + above)
        ],
        exact_cells=[" x ".join(map(repr, row)) for row in true.tolist()],
        parse=lambda cell: [float(part) for part in cell.split(" x ")],
    )


def masks() -> Table:
    images = np.array([[[1, 1, -1], [1, 1, -1]], [[-1, 1, 1], [-1, 1, 1]], [[-1, -1, -1], [1, 1, 1]]])[GROUP]
    scribbles = np.where(RANDOM.random(images.shape) < 0.3, 0, images)

    return Table(
        "masks",
        model=lambda: PartialEstimator(output=outputs.Masks((2, 3)), max_search_time=BUDGET),
        space=lambda: outputs.Masks((2, 3)),
        labels=scribbles,
        exact=images,
        true=images.reshape(ROWS, 6),
        error=share_wrong,
        score=share_right,
        words=("pixels",),
        options=("--kind", "mask"),
        cells=[json.dumps(image.tolist()) for image in scribbles],
        exact_cells=[json.dumps(image.tolist()) for image in images],
        parse=lambda text: np.ravel(json.loads(text)),
    )


def own() -> Table:
    true = 1.2 * SIZE + 0.5 * SLOPE
    width = RANDOM.uniform(0.1, 0.4, ROWS)
    middle = true + RANDOM.uniform(-1, 1, ROWS) * width
    cells = ["" if i % 12 == 7 else json.dumps(row) for i, row in enumerate(zip(middle.tolist(), width.tolist()))]

    def chord(predicted: np.ndarray, true: np.ndarray) -> float:
        return float(np.mean(2 - 2 * np.cos(predicted - true)))

    return Table(
        "own",
        model=lambda: PartialEstimator(output=Angles(), max_search_time=BUDGET),
        space=Angles,
        labels=Angles().read([json.loads(cell) if cell else None for cell in cells]),
        exact=Arcs(true, np.full(ROWS, TOLERANCE)),
        true=true,
        error=chord,
        score=lambda predicted, true: float(np.mean(Arcs(true, np.full(len(true), TOLERANCE)).contains(predicted))),
        points=np.linspace(-np.pi, np.pi, 241),
        words=("Arcs",),
        options=("--kind", "paths.circle:Angles"),
        model_options=("--kind", "paths.circle:Angles"),
        cells=cells,
        exact_cells=[repr(t) for t in true.tolist()],
        parse=float,
        read_sets=loss_balls,
    )


def product() -> Table:
    parts = labels(), numbers()
    animals, weight = (part.true for part in parts)
    cells = [
        json.dumps({name: text for name, text in zip(("species", "weight"), row) if text})
        for row in zip(*(part.cells for part in parts))
    ]

    frame = pd.DataFrame({"species": parts[0].labels, "weight": parts[1].labels})
    factors = outputs.Product(species="labels", weight="number").fit(frame[:TRAINING]).importance_

    def error(predicted: Any, true: Any) -> float:
        """Half of the loss, the weighted sum over both outputs."""
        species, number = np.asarray(predicted).T
        each = share_wrong(species, true[:, 0]), squared(number.astype(float), true[:, 1].astype(float))
        return float(factors @ each) / 2

    def score(predicted: Any, true: Any) -> float:
        species, number = np.asarray(predicted).T
        return (share_right(species, true[:, 0]) + r2(number.astype(float), true[:, 1].astype(float))) / 2

    return Table(
        "product",
        model=lambda: PartialMultiOutput({"species": "labels", "weight": "number"}, max_search_time=BUDGET),
        space=lambda: outputs.Product(species="labels", weight="number"),
        labels=frame,
        exact=pd.DataFrame({"species": animals, "weight": weight}),
        true=np.array(list(zip(animals.tolist(), weight.tolist())), dtype=object),
        error=error,
        score=score,
        points=np.array([(k, t) for k in range(3) for t in np.linspace(-6, 6, 241)]),
        represented=lambda z: np.column_stack([np.searchsorted(["cat", "dog", "owl"], z[:, 0]), z[:, 1].astype(float)]),
        words=("cat", "dog", "owl", "weight"),
        options=("--kind", "product"),
        cells=["" if cell == "{}" else cell for cell in cells],
        exact_cells=[json.dumps({"species": a, "weight": repr(t)}) for a, t in zip(animals.tolist(), weight.tolist())],
        parse=lambda cell: np.array([json.loads(cell)["species"], float(json.loads(cell)["weight"])], dtype=object),
    )


def balls_of_sequences(space: Any, cells: list) -> LossBalls:
    """The same for centres that are lists of names."""
    balls = [json.loads(cell) for cell in cells]
    centers = np.searchsorted(space.classes_, [[ball["center"]] for ball in balls])
    return LossBalls(space, centers, np.array([[ball["loss"]] for ball in balls]))


def sequences() -> Table:
    true = np.array([["up", "up", "down"], ["down", "flat", "up"], ["flat", "down", "flat"]])[GROUP]
    rows = [[str(name) if RANDOM.random() < 0.7 else None for name in row] for row in true]
    return Table(
        "sequences",
        model=lambda: PartialEstimator(output=outputs.Sequences(), max_search_time=BUDGET),
        space=outputs.Sequences,
        labels=rows,
        exact=true.tolist(),
        true=true,
        error=share_wrong,
        score=share_right,
        words=("up", "down", "flat"),
        options=("--kind", "sequence"),
        cells=[json.dumps(row) for row in rows],
        exact_cells=[json.dumps(row) for row in true.tolist()],
        parse=json.loads,
        read_sets=balls_of_sequences,
    )


TABLES = {
    table.name: table
    for table in (labels(), tags(), rankings(), numbers(), vectors(), masks(), product(), sequences(), own())
}
