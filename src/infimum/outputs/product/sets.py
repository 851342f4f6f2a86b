"""ProductSets: one set per output, of which every combination is possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..base import Embedding, OutputSpace, Sets, rows_of


class ColumnLayout(NamedTuple):
    """How the outputs of a row are written one after the other."""

    importance: NDArray
    """(K,): the factor of the loss of each output."""
    widths: list[int]
    """(K,): the length of the embedding of each output."""
    shapes: list[tuple[int, ...]]
    """(K,): the shape of one output."""
    whole: list[bool]
    """(K,): whether an output consists of integers."""

    def split(self, values: NDArray) -> list[NDArray]:
        """Split embeddings or objectives (..., d) into those of each output."""
        return np.split(values, np.cumsum(self.widths)[:-1], axis=-1)

    def split_outputs(self, z: Any) -> list[NDArray]:
        """Split outputs (..., D) into those of each output, (..., *shape)."""
        z = np.asarray(z)
        ends = np.cumsum([math.prod(shape) for shape in self.shapes])
        return [
            np.reshape(part.astype(int) if whole else part, (*z.shape[:-1], *shape))
            for part, shape, whole in zip(np.split(z, ends[:-1], axis=-1), self.shapes, self.whole)
        ]

    @staticmethod
    def join_outputs(parts: Iterable[NDArray]) -> NDArray:
        """Write the outputs of n rows one after the other, (n, D)."""
        return np.column_stack([np.reshape(part, (len(part), -1)) for part in parts]).astype(float)


class ProductSets(Sets):
    """Sets of rows with several outputs, as `Product.read` returns them.

    S_i = S_i1 x … x S_iK.

    The loss is the sum over outputs of importance_k l_k. phi(y) = (importance_k phi_k(y_k)) over all k, one after the
    other.

    Parameters
    ----------
    parts : mapping of str to Sets
        The sets of each output, of equal length.
    layout : Layout
        How the outputs are written one after the other.
    settings : mapping of str to dict, optional
        Settings that the space of an output took from y and that its sets do not carry, such as the names of tags.

    Examples
    --------
    >>> from infimum.outputs import Labels, Product, Reals
    >>> y = {"species": ["cat|dog", "dog"], "weight": [(3, 5), 9.0]}
    >>> sets = Product(species=Labels(), weight=Reals()).fit(y).read(y)
    >>> sets.is_exact.tolist(), sets.format(1)
    ([False, True], 'species: dog, weight: 9')
    """

    kind = "product"
    size_unit = "outputs that are not exact"

    def __init__(self, parts: Mapping[str, Sets], layout: ColumnLayout, settings: Any = None):
        self.parts, self.layout = dict(parts), layout
        self.coordinate_weights = layout.importance
        self.settings = {} if settings is None else settings
        self.shape = (len(next(iter(self.parts.values()))),)

    def __len__(self) -> int:
        return self.shape[0]

    def _with(self, change: Callable[[str, Any], Sets]) -> Self:
        """Return the sets with each part replaced."""
        parts = {name: change(name, part) for name, part in self.parts.items()}
        return type(self)(parts, self.layout, self.settings)

    def __getitem__(self, rows: Any) -> Self:
        index = rows_of(rows, len(self))
        return self._with(lambda name, part: part[index])

    def replace_part(self, name: str, sets: Sets) -> Self:
        """Return the sets with those of one output replaced."""
        return self._with(lambda key, part: sets if key == name else part)

    def _each(self, values: NDArray) -> list[tuple[float, Any, NDArray]]:
        return list(zip(self.layout.importance.tolist(), self.parts.values(), self.layout.split(values)))

    def _joined(self, embed: Callable[[Any], NDArray]) -> NDArray:
        each = zip(self.layout.importance, self.parts.values())
        return np.concatenate([w * embed(part) for w, part in each], axis=-1)

    def argmin(self, c: NDArray) -> NDArray:
        return np.concatenate([w * part.argmin(one) for w, part, one in self._each(c)], axis=-1)

    def center(self) -> NDArray:
        return self._joined(lambda part: part.center())

    def start(self) -> NDArray:
        return self._joined(lambda part: part.start())

    def embed(self, principle: str) -> Embedding | None:
        found = [part.embed(principle) for part in self.parts.values()]
        if any(one is None for one in found):
            return None
        each = [(w, *one) for w, one in zip(self.layout.importance.tolist(), found) if one is not None]
        phis = [w * phi for w, phi, _ in each]
        stacked = sparse.hstack(phis, format="csr") if any(map(sparse.issparse, phis)) else np.hstack(phis)
        return Embedding(stacked, np.sum([w * constant for w, _, constant in each], axis=0))

    def loss(self, psi: NDArray, principle: str) -> NDArray:
        return np.sum([w * part.loss(one, principle) for w, part, one in self._each(psi)], axis=0)

    def rowwise_loss(self, psi: NDArray, principle: str) -> NDArray:
        return np.sum([w * part.rowwise_loss(one, principle) for w, part, one in self._each(psi)], axis=0)

    def coordinates(self) -> list[Sets]:
        return list(self.parts.values())

    def member(self, phi: NDArray, space: OutputSpace) -> NDArray:
        spaces = space.coordinates() or []
        parts = zip(self._each(phi), spaces)
        return ColumnLayout.join_outputs(part.member(one / w, own) for (w, part, one), own in parts)

    def _pairwise(self, other: Any, compare: Callable[[Any, Any], NDArray]) -> NDArray:
        self._check_pair(other, ProductSets)
        return np.all([compare(part, other.parts[name]) for name, part in self.parts.items()], axis=0)

    def meets(self, other: Any) -> NDArray:
        return self._pairwise(other, lambda a, b: a.meets(b))

    def contains_set(self, other: Any) -> NDArray:
        return self._pairwise(other, lambda a, b: a.contains_set(b))

    def intersect(self, other: Any) -> Any:
        self._check_not_empty(other, ~self.meets(other))
        return self._with(lambda name, part: part.intersect(other.parts[name]))

    def join(self, other: Any) -> Any:
        return self._with(lambda name, part: part.join(other.parts[name]))

    def contains(self, z: NDArray) -> NDArray:
        return np.all(self._of_outputs(z, lambda part, own: part.contains(own)), axis=0)

    def agreement(self, z: NDArray) -> NDArray:
        """Return the mean agreement over the outputs, (n,)."""
        return np.mean(self._of_outputs(z, lambda part, own: part.agreement(own)), axis=0)

    def _of_outputs(self, z: NDArray, function: Callable[[Any, NDArray], NDArray]) -> list[NDArray]:
        return [function(part, own) for part, own in zip(self.parts.values(), self.layout.split_outputs(z))]

    @property
    def is_exact(self) -> NDArray:
        return np.all([part.is_exact for part in self.parts.values()], axis=0)

    @property
    def is_unlabelled(self) -> NDArray:
        return np.all([part.is_unlabelled for part in self.parts.values()], axis=0)

    @property
    def is_bounded(self) -> NDArray:
        return np.all([part.is_bounded for part in self.parts.values()], axis=0)

    @property
    def size(self) -> NDArray:
        """The number of outputs that are not exact."""
        return np.sum([~part.is_exact for part in self.parts.values()], axis=0, dtype=float)

    def bits(self) -> NDArray:
        return np.sum([part.bits() for part in self.parts.values()], axis=0)

    def format(self, row: int) -> str:
        return ", ".join(f"{name}: {part.format(row)}" for name, part in self.parts.items())

    def __repr__(self) -> str:
        return f"<ProductSets of {', '.join(self.parts)}: {len(self)} rows>"
