"""A tree of names from paths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

SEPARATOR = " / "


class Tree:
    """Nodes of a taxonomy, named by their last step, or by their whole path if two nodes share the last step.

    >>> tree = Tree([["animal", "mammal", "cat"], ["animal", "mammal", "dog"], ["animal", "owl"]])
    >>> tree.leaves("mammal"), tree.above("cat")
    (['cat', 'dog'], ['animal', 'mammal'])
    >>> Tree([["a", "other"], ["b", "other"]]).nodes
    ['a', 'a / other', 'b', 'b / other']
    """

    def __init__(self, paths: Iterable[Sequence[str]]):
        every = {tuple(path[: k + 1]): None for path in paths for k in range(len(path))}
        last: dict[str, int] = {}
        for path in every:
            last[path[-1]] = last.get(path[-1], 0) + 1
        self.names = {path: path[-1] if last[path[-1]] == 1 else SEPARATOR.join(path) for path in every}
        self.paths = {name: path for path, name in self.names.items()}
        inner = {path[:-1] for path in every}
        self._leaves = {name for name, path in self.paths.items() if path not in inner}
        self._below: dict[str, list[str]] = {name: [] for name in self.paths}
        for name in self.paths:
            for node in self.above(name):
                self._below[node].append(name)

    @property
    def nodes(self) -> list[str]:
        return list(self.paths)

    def name(self, path: Sequence[str]) -> str | None:
        """Return the name of the node at a path, None if there is none."""
        return self.names.get(tuple(path))

    def above(self, name: str) -> list[str]:
        path = self.paths[name]
        return [self.names[path[:k]] for k in range(1, len(path))]

    def below(self, name: str) -> list[str]:
        return self._below[name]

    def leaves(self, name: str) -> list[str]:
        """Return the leaves under a node; a leaf is its own leaf."""
        return [node for node in [name, *self.below(name)] if node in self._leaves]

    def leaves_of_all(self) -> list[str]:
        return sorted(self._leaves)

    def parents(self) -> dict[str, Any]:
        """Return child -> parent, None for a root, as `Taxonomy` accepts it."""
        return {name: above[-1] if (above := self.above(name)) else None for name in self.paths}
