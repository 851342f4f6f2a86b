"""The registry of output types: one row for every output space and kind of sets.

A case has a fitted space, random sets over it, the loss l(z, y) written from its definition, and the outputs that brute
force enumerates. The tests of the invariants and of the protocol run on every row. A new output type is one row here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from infimum.outputs import (
    Boxes,
    CandidateLabels,
    CandidatePoints,
    HammingBalls,
    Labels,
    Lattices,
    Masks,
    OutputSpace,
    PartialOrders,
    PartialTags,
    Product,
    ProductSets,
    Rankings,
    Reals,
    Scribbles,
    Sequences,
    Sets,
    Tags,
    Taxonomy,
    Vectors,
)  # fmt: skip


@dataclass
class Case:
    name: str
    space: OutputSpace
    sets: Callable[[np.random.Generator, int], Sets]
    """n random sets."""
    points: Callable[[np.ndarray], Sets]
    """The singletons {y_1}, …, {y_n}."""
    loss: Callable[[Any, Any], float]
    """l(z, y), from its definition."""
    whole: Callable[[int], Sets] | None = None
    """n times S = Y."""
    larger: Callable[[Sets, np.random.Generator], Sets] | None = None
    """Supersets, row by row."""
    proper: bool = True
    """Whether l(z, y) = 0 only for z = y."""
    outputs: np.ndarray | None = None
    """The outputs that brute force enumerates; all of Y by default."""
    dense: np.ndarray | None = None
    """For an infinite Y, outputs that must not be better than the output of an exact solver."""
    bilinear: bool = True
    """Whether l(z, y) = <psi(z), phi(y)>, which `argmin` and alternation need."""
    heuristic: bool = False
    """Whether no exact solver supports it."""

    def all(self) -> np.ndarray:
        return self.space.outputs() if self.outputs is None else self.outputs

    def members(self, sets: Sets) -> list[np.ndarray]:
        """The listed members of every S_i, through the public interface only."""
        Y = self.all()
        inside = np.array([sets.contains(np.broadcast_to(y, (len(sets), *np.shape(y)))) for y in Y])
        return [Y[inside[:, i]] for i in range(len(sets))]


def random_subsets(m: int, cost=None):
    def sets(rng, n):
        mask = rng.random((n, m)) < 0.5
        mask[np.arange(n), rng.integers(m, size=n)] = True
        negated = rng.random(n) < 0.4
        listed = np.where(negated[:, None], ~mask, mask)
        return CandidateLabels(listed, None, negated, cost=cost)

    return sets


def labels_case(name: str, cost) -> Case:
    space = Labels(cost, classes=range(5) if not isinstance(cost, Taxonomy) else None).fit([])
    m, matrix = len(space.classes_), space.cost_

    def larger(sets, rng):
        return CandidateLabels(sets.mask | (rng.random(sets.mask.shape) < 0.3), space.classes_, cost=matrix)

    return Case(
        name,
        space,
        sets=random_subsets(m, matrix),
        points=lambda y: CandidateLabels(np.eye(m, dtype=bool)[y], space.classes_, cost=matrix),
        loss=lambda z, y: float(z != y) if matrix is None else matrix[z, y],
        whole=lambda n: CandidateLabels(np.ones((n, m), bool), space.classes_, cost=matrix),
        larger=larger,
    )


def tags_loss(tag_cost):
    return lambda z, y: np.sum(z != y) + tag_cost * np.sum(z == 1)


def partial_tags_case(name: str, m: int, **settings) -> Case:
    space = Tags(m, **settings).fit([])
    tag_cost = space.tag_cost

    def larger(sets, rng):
        return PartialTags(np.where(rng.random(sets.values.shape) < 0.3, 0, sets.values), tag_cost=tag_cost)

    return Case(
        name,
        space,
        sets=lambda rng, n: PartialTags(rng.integers(-1, 2, (n, m)), tag_cost=tag_cost),
        points=lambda y: PartialTags(y, tag_cost=tag_cost),
        loss=tags_loss(tag_cost),
        whole=lambda n: PartialTags(np.zeros((n, m), int), tag_cost=tag_cost),
        larger=larger,
        proper=not tag_cost,
        outputs=Tags(m).fit([]).outputs(),
    )


def balls_case(name: str, m: int, **settings) -> Case:
    space = Tags(m, **settings).fit([])
    tag_cost = space.tag_cost

    def sets(rng, n):
        return HammingBalls(rng.choice([-1, 1], (n, m)), rng.integers(0, m, n), tag_cost=tag_cost)

    return Case(
        name,
        space,
        sets=sets,
        points=lambda y: HammingBalls(y, 0, tag_cost=tag_cost),
        loss=tags_loss(tag_cost),
        whole=lambda n: HammingBalls(np.ones((n, m)), m, tag_cost=tag_cost),
        larger=lambda sets, rng: HammingBalls(
            sets.centers, sets.radius + rng.integers(0, 2, len(sets)), tag_cost=tag_cost
        ),
        proper=not tag_cost,
    )


def reals_case(name: str, loss: str) -> Case:
    """Sets of points among -2, …, 2, so that brute force can list them; the solvers look at all of [-2, 2]."""
    space = Reals(loss).fit([-2.0, 2.0])
    grid = np.arange(-2.0, 3.0)
    unknown = [(-np.inf, np.inf)]

    def read(rows):
        return space.read([set(map(float, row)) for row in rows])

    return Case(
        name,
        space,
        sets=lambda rng, n: read([rng.choice(grid, rng.integers(1, 4), replace=False) for _ in range(n)]),
        points=lambda y: space.read(np.asarray(y, dtype=float)),
        loss=(lambda z, y: (z - y) ** 2) if loss == "squared" else (lambda z, y: abs(z - y)),
        whole=lambda n: space.read(unknown * n),
        larger=lambda sets, rng: read([[*np.unique(row[~np.isnan(row)]), rng.choice(grid)] for row in np.array(sets)]),
        outputs=grid,
        dense=np.linspace(-2, 2, 401),
        bilinear=loss == "squared",
    )


def vectors_case(name: str) -> Case:
    """Candidate points among the corners and the middle of a square."""
    space = Vectors().fit([[-1.0, -1.0], [1.0, 1.0]])
    grid = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1], [0, 0]], dtype=float)

    def larger(sets, rng):
        rows = [row[~np.isnan(row).any(axis=1)] for row in np.array(sets)]
        added = [np.unique([*row, grid[rng.integers(5)]], axis=0) for row in rows]
        return space.read(CandidatePoints(added))

    return Case(
        name,
        space,
        sets=lambda rng, n: space.read(
            CandidatePoints([grid[rng.choice(5, rng.integers(1, 4), replace=False)] for _ in range(n)])
        ),
        points=lambda y: space.read(CandidatePoints(y)),
        loss=lambda z, y: ((z - y) ** 2).sum(),
        whole=lambda n: space.read(Boxes(np.full((n, 2), -np.inf), np.full((n, 2), np.inf))),
        larger=larger,
        outputs=grid,
        dense=np.stack(np.meshgrid(np.linspace(-1, 1, 21), np.linspace(-1, 1, 21)), axis=-1).reshape(-1, 2),
        heuristic=True,
    )


def orders_case(name: str, m: int, known: float) -> Case:
    space = Rankings(m).fit([])

    def thinned(codes, rng, share):
        return PartialOrders(np.where(rng.random(codes.shape) < share, codes, 0))

    def sets(rng, n):
        return thinned(PartialOrders.from_orders([rng.permutation(m) for _ in range(n)]).codes, rng, known)

    def loss(z, y):
        """Twice the pairs that z and y order differently."""
        z, y = list(z), list(y)
        return 2.0 * sum((z.index(i) < z.index(j)) != (y.index(i) < y.index(j)) for i in range(m) for j in range(i))

    return Case(
        name,
        space,
        sets=sets,
        points=PartialOrders.from_orders,
        loss=loss,
        whole=lambda n: PartialOrders(np.zeros((n, m * (m - 1) // 2))),
        larger=lambda sets, rng: thinned(sets.codes, rng, 0.7),
    )


def masks_case(name: str, shape: tuple[int, int], tie: float) -> Case:
    space = Masks(shape, tie).fit(None)
    m = shape[0] * shape[1]

    def loss(z, y):
        """The wrong pixels, and the contour of z."""
        picture = np.reshape(z, shape)
        cut = np.sum(picture[1:] != picture[:-1]) + np.sum(picture[:, 1:] != picture[:, :-1])
        return np.sum(z != y) + tie * cut

    return Case(
        name,
        space,
        sets=lambda rng, n: Scribbles(rng.integers(-1, 2, (n, m)), tie),
        points=lambda y: Scribbles(y, tie),
        loss=loss,
        whole=lambda n: Scribbles(np.zeros((n, m)), tie),
        larger=lambda sets, rng: Scribbles(np.where(rng.random(sets.values.shape) < 0.3, 0, sets.values), tie),
        proper=not tie,
    )


def product_case(name: str, parts: dict[str, Case], importance: dict[str, float]) -> Case:
    """Several outputs, each a case of its own; the outputs of a row are written one after the other."""
    y = {key: case.points(case.all()) for key, case in parts.items()}
    n = min(map(len, y.values()))
    space = Product({key: case.space for key, case in parts.items()}, importance)
    space.fit({key: sets[:n] for key, sets in y.items()})
    factors = dict(zip(parts, space.importance_))
    widths = {key: np.ravel(case.all()[0]).size for key, case in parts.items()}
    ends = np.cumsum(list(widths.values()))[:-1]

    def together(make):
        return space.read({key: make(key, case) for key, case in parts.items()})

    def own(z):
        shaped = {key: part.reshape(np.shape(parts[key].all()[0])) for key, part in zip(parts, np.split(z, ends))}
        return {key: part.astype(parts[key].all().dtype) for key, part in shaped.items()}

    def points(y):
        rows = [own(row) for row in np.asarray(y)]
        return together(lambda key, case: case.points(np.array([row[key] for row in rows])))

    def loss(z, y):
        z, y = own(z), own(y)
        return sum(factors[key] * case.loss(z[key], y[key]) for key, case in parts.items())

    def combined(outputs):
        grids = np.meshgrid(*(np.arange(len(each)) for each in outputs.values()), indexing="ij")
        return np.column_stack([
            each[grid.ravel()].reshape(grid.size, -1) for each, grid in zip(outputs.values(), grids)
        ]).astype(float)  # fmt: skip

    def larger(sets, rng):
        return ProductSets({key: case.larger(sets.parts[key], rng) for key, case in parts.items()}, sets.layout)

    infinite = any(case.outputs is not None for case in parts.values())
    dense = {key: case.all() if case.dense is None else case.dense[::20] for key, case in parts.items()}
    return Case(
        name,
        space,
        sets=lambda rng, n: together(lambda key, case: case.sets(rng, n)),
        points=points,
        loss=loss,
        whole=lambda n: together(lambda key, case: case.whole(n)),
        larger=larger,
        outputs=combined({key: case.all() for key, case in parts.items()}) if infinite else None,
        dense=combined(dense) if infinite else None,
        bilinear=all(case.bilinear for case in parts.values()),
    )


def sequences_case(name: str, length: int, transitions: dict | None) -> Case:
    """Sequences of three labels; with transitions, candidates that no allowed sequence uses are removed."""
    space = Sequences(transitions, classes=list("abc")).fit([["a"] * length])

    def lattices(mask):
        n = len(mask)
        return Lattices(mask.reshape(-1, 3), np.full(n, length), space.allowed_, space.classes_)

    def points(y):
        return lattices(np.eye(3, dtype=bool)[np.asarray(y, dtype=int)])

    def larger(sets, rng):
        return lattices(sets.mask.reshape(-1, length, 3) | (rng.random((len(sets), length, 3)) < 0.3))

    def sets(rng, n):
        """Random candidates beside those of a random output."""
        return larger(points(rng.choice(space.outputs(), n)), rng)

    return Case(
        name,
        space,
        sets=sets,
        points=points,
        loss=lambda z, y: float(np.sum(z != y)),
        whole=lambda n: lattices(np.ones((n, length, 3), dtype=bool)),
        larger=larger,
    )


ASYMMETRIC = np.array(
    [[0, 1, 4, 2, 3], [2, 0, 1, 5, 1], [1, 3, 0, 1, 2], [6, 1, 2, 0, 1], [1, 2, 2, 3, 0]], dtype=float
)
TREE = Taxonomy([("root", "a", "a1"), ("root", "a", "a2"), ("root", "b", "b1"), ("root", "b", "b2"), ("root", "c")])

CASES: list[Case] = [
    labels_case("labels, 0-1", None),
    labels_case("labels, ordinal", "ordinal"),
    labels_case("labels, any cost", ASYMMETRIC),
    labels_case("labels, taxonomy", TREE),
    partial_tags_case("partial tags", 4),
    partial_tags_case("partial tags, tag_cost", 4, tag_cost=0.25),
    partial_tags_case("partial tags, n_tags", 4, n_tags=2),
    balls_case("Hamming balls", 5),
    balls_case("Hamming balls, tag_cost", 4, tag_cost=0.25),
    orders_case("partial orders", 4, known=0.4),
    reals_case("reals, squared", "squared"),
    reals_case("reals, absolute", "absolute"),
    vectors_case("vectors"),
    masks_case("masks", (2, 2), tie=0.0),
    masks_case("masks, tie", (2, 3), tie=0.25),
    sequences_case("sequences", 3, None),
    sequences_case("sequences, transitions", 4, {None: ["a", "b"], "a": ["b", "c"], "c": ["a"]}),
    product_case(
        "product, labels and numbers",
        {"species": labels_case("labels", None), "weight": reals_case("reals", "squared")},
        {"species": 3.0, "weight": 0.25},
    ),
    product_case(
        "product, labels and orders",
        {"grade": labels_case("labels", "ordinal"), "order": orders_case("orders", 3, known=0.4)},
        {"grade": 0.5, "order": 2.0},
    ),
]
