"""Product: several outputs per row, whose loss is a weighted sum; the sets are products."""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import copy
from itertools import product
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ...data.chunks import n_rows
from ...data.errors import Form, InputError, listed
from ..base import Decoded, OutputSpace, Sets
from ..summary import Summary
from .cells import ProductCells, columns_of, dtypes_of, head_of, library_of
from .sets import ColumnLayout, ProductSets

N_TYPICAL = 1000
"""First rows of y from which the default importance is computed; the same for data in memory and in chunks."""

N_COMPARED = 200
"""Rows of these whose outputs are compared with each other. More rows make the importance more precise."""


class Facts(NamedTuple):
    """Summary of y: that of each output, its first rows, and how predictions are returned."""

    parts: dict[str, Any]
    rows: dict[str, Any]
    library: str
    dtypes: dict[str, str]


class Product(ProductCells, OutputSpace):
    """Several outputs per row: a class and a price range, a species and its weight.

    Y = Y_1 x … x Y_K and l(z, y) = sum_k importance_k l_k(z_k, y_k). Each output has its own output space. Predictions
    are found output by output; base learner, model selection and disambiguation are shared.

    Parameters
    ----------
    parts : mapping of str to OutputSpace or str, optional
        The output space of each column of y, or its kind: "labels", "tags", "ranking", "number", "vector" or "mask".
    importance : mapping of str to float, optional
        The factor of the loss of each output. By default the mean loss between the labels of two rows is 1 for each
        output, so all outputs count alike.
    **named : OutputSpace or str
        The same as `parts`, for names that are Python identifiers.

    Attributes
    ----------
    spaces_ : dict of str to OutputSpace
        The fitted spaces.
    importance_ : (K,)
        The factors of the losses.

    Examples
    --------
    >>> y = {"species": ["cat|dog", "dog", None], "weight": [4.0, (9, 12), (3, 5)]}
    >>> space = Product(species="labels", weight="number").fit(y)
    >>> space.format_sets(space.read(y))
    ['species: anything, weight: 4', 'species: dog, weight: [9, 12]', 'species: anything, weight: [3, 5]']
    """

    kind = "product"

    def __init__(self, parts: Any = None, importance: Any = None, **named: Any):
        self.parts = named if parts is None else parts
        self.importance = importance

    def summarise(self, y: Any) -> Facts:
        spaces, columns = self._unfitted(y), columns_of(y, self._names())
        return Facts(
            {name: space.summarise(columns[name]) for name, space in spaces.items()},
            {name: head_of(column, N_TYPICAL) for name, column in columns.items()},
            library_of(y), dtypes_of(y),
        )  # fmt: skip

    def merge(self, a: Facts, b: Facts) -> Facts:
        spaces = self._unfitted(None)
        parts = {name: space.merge(a.parts[name], b.parts[name]) for name, space in spaces.items()}
        empty = not n_rows(next(iter(a.rows.values())))
        return (b if empty else a)._replace(parts=parts)

    @property
    def mergeable(self) -> bool:
        return all(space.mergeable for space in self._unfitted(None).values())

    def fit_summary(self, summary: Facts) -> Self:
        spaces = self._unfitted(None)
        self.spaces_ = {name: space.fit_summary(summary.parts[name]) for name, space in spaces.items()}
        self._learn(summary)
        return self

    def fit(self, y: Any) -> Self:
        spaces, columns = self._unfitted(y), columns_of(y, self._names())
        self.spaces_ = {name: space.fit(columns[name]) for name, space in spaces.items()}
        rows = {name: head_of(column, N_TYPICAL) for name, column in columns.items()}
        self._learn(Facts({}, rows, library_of(y), dtypes_of(y)))
        return self

    def _learn(self, facts: Facts) -> None:
        """Learn the layout and the importance of the outputs from the first rows."""
        if not n_rows(next(iter(facts.rows.values()))):
            raise InputError("y has no rows, from which the importance of each output is computed. Pass some rows.")
        found = [_first(space, facts.rows[name]) for name, space in self.spaces_.items()]
        widths = [int(space.psi(one.z[:1]).shape[-1]) for space, one in zip(self.spaces_.values(), found)]
        self.importance_ = self._importance([one.loss for one in found])
        self.units_ = [one.unit for one in found]
        whole = [one.z.dtype.kind in "iu" for one in found]
        self.layout_ = ColumnLayout(self.importance_, widths, [one.z.shape[1:] for one in found], whole)
        self.library_, self.dtypes_ = facts.library, facts.dtypes
        self.form_ = Form("product", f"{len(self.spaces_)} outputs: {listed(self.spaces_)}")
        self.bilinear = all(space.bilinear for space in self.spaces_.values())
        self.is_product = all(space.is_product for space in self.spaces_.values())
        self.size = math.prod(space.size for space in self.spaces_.values())

    def _importance(self, typical: list[float]) -> NDArray:
        given = {} if self.importance is None else self.importance
        unknown = set(given) - set(self.spaces_) if isinstance(given, Mapping) else {given}
        values = [given.get(name, 1.0) for name in self.spaces_] if not unknown else []
        if unknown or not all(isinstance(value, int | float) and 0 < value < math.inf for value in values):
            raise ValueError(
                f"importance must map outputs ({listed(self.spaces_)}) to positive numbers. Got {self.importance!r}."
            )
        return np.array(values if self.importance is not None else [1 / loss if loss > 0 else 1.0 for loss in typical])

    def _names(self) -> list[str]:
        parts = self.parts
        if not isinstance(parts, Mapping) or not parts or not all(isinstance(name, str) for name in parts):
            raise ValueError(
                "The output type of each output must be given by its name, such as PartialMultiOutput({'species':"
                f" 'labels', 'weight': 'number'}}) or Product(species=Labels(), weight=Reals()). Got {parts!r}."
            )
        return list(parts)

    def _unfitted(self, y: Any) -> dict[str, Any]:
        """Return new spaces of the outputs; parsed sets bring the settings that they do not carry themselves."""
        from .. import OUTPUT_TYPES

        settings = y.settings if isinstance(y, ProductSets) else {}
        spaces: dict[str, Any] = {}
        for name in self._names():
            part = self.parts[name]
            if isinstance(part, str) and part in OUTPUT_TYPES:
                part = OUTPUT_TYPES[part]()
            if not isinstance(part, OutputSpace):
                raise ValueError(
                    f"The output {name!r} must be an OutputSpace or one of {', '.join(map(repr, OUTPUT_TYPES))}."
                    f" Got {part!r}."
                )
            known = {key: value for key, value in settings.get(name, {}).items() if getattr(part, key) is None}
            spaces[name] = clone(part).set_params(**known)
        return spaces

    def read(self, y: Any, strict: bool = True) -> ProductSets:
        columns = columns_of(y, list(self.spaces_))
        parts = {name: space.read(columns[name], strict) for name, space in self.spaces_.items()}
        settings = {name: space.names_from_data() for name, space in self.spaces_.items()}
        return ProductSets(parts, self.layout_, settings)

    def check(self, parts: Any) -> None:
        parts = list(parts)
        for name, space in self.spaces_.items():
            space.check([sets.parts[name] for sets in parts])

    def psi(self, z: Any) -> NDArray:
        each = zip(self.spaces_.values(), self.layout_.split_outputs(z))
        return np.concatenate([space.psi(own) for space, own in each], axis=-1)

    def decode(self, c: NDArray) -> NDArray:
        return ColumnLayout.join_outputs(space.decode(own) for space, own in self._objectives(c))

    def minimise(self, c: NDArray) -> Decoded:
        found = [space.minimise(own) for space, own in self._objectives(c)]
        value, bound = (np.sum([getattr(one, name) for one in found], axis=0) for name in ("value", "bound"))
        return Decoded(ColumnLayout.join_outputs(one.z for one in found), value, bound)

    def bound(self, c: NDArray) -> NDArray:
        return np.sum([space.bound(own) for space, own in self._objectives(c)], axis=0)

    def _objectives(self, c: NDArray) -> list[tuple[Any, NDArray]]:
        return list(zip(self.spaces_.values(), self.layout_.split(c)))

    def coordinates(self) -> list[OutputSpace]:
        return list(self.spaces_.values())

    def coordinate_weights(self) -> NDArray:
        return self.importance_

    def with_coordinates(self, spaces: list[OutputSpace]) -> Self:
        found = copy(self)
        found.spaces_ = dict(zip(self.spaces_, spaces))
        return found

    def outputs(self) -> NDArray:
        rows = [[np.ravel(z) for z in space.outputs()] for space in self.spaces_.values()]
        return np.array([np.concatenate(row) for row in product(*rows)], dtype=float)

    def probe(self, random: np.random.RandomState, d: int) -> NDArray:
        each = zip(self.spaces_.values(), self.layout_.widths)
        return np.concatenate([space.probe(random, width) for space, width in each], axis=-1)

    def is_unlabelled(self, sets: Any) -> NDArray:
        return np.all([space.is_unlabelled(sets.parts[name]) for name, space in self.spaces_.items()], axis=0)

    def format(self, z: NDArray) -> list[str]:
        each = zip(self.spaces_.values(), self.layout_.split_outputs(z))
        columns = zip(*(space.format(own) for space, own in each))
        return [", ".join(f"{name}: {text}" for name, text in zip(self.spaces_, row)) for row in columns]

    def _format_set(self, sets: Any, row: int) -> str:
        each = ((name, space.format_sets(sets.parts[name], [row])[0]) for name, space in self.spaces_.items())
        return ", ".join(f"{name}: {text}" for name, text in each)

    def neighbours(self, z: NDArray) -> NDArray:
        """Return the outputs that differ from z in one part, by a neighbour of that part."""
        own = [np.ravel(part) for part in self.layout_.split_outputs(z)]
        found = [
            np.concatenate([*own[:k], np.ravel(other), *own[k + 1 :]])
            for k, (space, part) in enumerate(zip(self.spaces_.values(), self.layout_.split_outputs(z)))
            for other in space.neighbours(part)
        ]
        return np.array(found, dtype=float).reshape(-1, len(z))

    def error_ranges(self, sets: Any, z: NDArray, sample_weight: Any = None) -> dict[str, tuple[float, float]]:
        each = zip(self.spaces_.items(), self.layout_.split_outputs(z))
        return {
            f"{name}: {score}": value
            for (name, space), own in each
            for score, value in space.error_ranges(sets.parts[name], own, sample_weight).items()
        }

    def summary(self, sets: Any) -> Summary:
        found = {name: space.summary(sets.parts[name]) for name, space in self.spaces_.items()}
        counts = [(f"{name}: {what}", value) for name, one in found.items() for what, value in one.counts]
        tables = [table._replace(title=f"{name}: {table.title}") for name, one in found.items() for table in one.tables]
        return Summary(counts, tables)

    def conformal_scores(self) -> dict[str, Any]:
        from .conformal import LargestScore

        return {LargestScore.name: LargestScore}

    def questions(self) -> Any:
        from .questions import ProductQuestions

        return ProductQuestions(self)


class ConstantGuess(NamedTuple):
    """What is learned from the first labelled rows of an output."""

    z: NDArray
    """The labels."""
    loss: float
    """The mean loss between the label of one row and the set of another."""
    unit: float
    """The mean conformal score between the two."""


def _first(space: OutputSpace, rows: Any) -> ConstantGuess:
    from .conformal import unit_of

    sets: Sets = space.read(rows)
    labelled = np.flatnonzero(~space.is_unlabelled(sets))[:N_COMPARED]
    some = sets[labelled] if len(labelled) else sets[:1]
    z = some.member(some.start(), space)
    return ConstantGuess(z, float(np.mean(some.loss(space.psi(z), "infimum"))), unit_of(space, some, z))
