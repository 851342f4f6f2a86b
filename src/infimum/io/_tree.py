"""A taxonomy from paths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ..outputs import Taxonomy

SEPARATOR = " / "


class Tree(Taxonomy):
    """Nodes of a taxonomy, named by their last step, or by their whole path if two nodes share the last step.

    >>> tree = Tree([["animal", "mammal", "cat"], ["animal", "mammal", "dog"], ["animal", "owl"]])
    >>> tree.leaves("mammal"), tree.above("cat"), tree.below("mammal")
    (['cat', 'dog'], ['animal', 'mammal'], ['cat', 'dog'])
    >>> list(Tree([["a", "other"], ["b", "other"]]).parent)
    ['a', 'a / other', 'b', 'b / other']
    """

    def __init__(self, paths: Iterable[Sequence[str]]):
        every = {tuple(path[: k + 1]): None for path in paths for k in range(len(path))}
        count = Counter(path[-1] for path in every)
        self.names = {path: path[-1] if count[path[-1]] == 1 else SEPARATOR.join(path) for path in every}
        self.paths = {name: path for path, name in self.names.items()}
        super().__init__({name: self.names.get(path[:-1]) for path, name in self.names.items()})
        self._below: dict[str, list[str]] = {name: [] for name in self.paths}
        for name in self.paths:
            for node in self.above(name):
                self._below[node].append(name)

    def name(self, path: Sequence[str]) -> str | None:
        """Return the name of the node at a path, None if there is none."""
        return self.names.get(tuple(path))

    def above(self, name: str) -> list:
        """Return the nodes from the root to this one, without it."""
        return self.ancestors[name][:-1]

    def below(self, name: str) -> list[str]:
        """Return the nodes under this one."""
        return self._below[name]
