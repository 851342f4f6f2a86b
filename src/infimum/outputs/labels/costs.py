"""Costs l(z, y) between classes: 0-1, ordinal, any matrix, a taxonomy."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...data.containers import frame_of
from ...data.errors import InputError, is_missing, shown
from ...data.names import Names, ordered, plain, unpacked

LISTS = (list, tuple, set, frozenset)


class Cost:
    """A loss between classes, and the names of the classes if it defines them."""

    ordered = False
    """Whether the loss depends on the order of the classes."""

    def classes(self) -> list | None:
        """Return all classes, if the cost names them."""
        return None

    def leaves(self, label: Any) -> list | None:
        """Return the classes below a node of the taxonomy; None for any other name."""
        return None

    @property
    def nodes(self) -> list:
        """The names other than classes that y may contain: inner nodes of a taxonomy, or groups."""
        return [name for name, below in vars(self).get("under", {}).items() if below != [name]]

    def matrix(self, classes: NDArray) -> NDArray | None:
        """Return the matrix of l(z, y) for classes in this order; None for the 0-1 loss."""
        return None

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class ZeroOne(Cost):
    """The 0-1 loss: l(z, y) = 1 if z is not y."""


class Groups(ZeroOne):
    """The 0-1 loss with named groups of classes; in y, the name of a group means all its classes.

    Questions can be about a group: "Is it animal?". Groups may overlap, and need not contain all classes. They do not
    change the loss; a `Taxonomy` does.

    Parameters
    ----------
    groups : mapping
        Name -> list of classes.

    Examples
    --------
    >>> Groups({"animal": ["cat", "dog"]}).leaves("animal")
    ['cat', 'dog']
    """

    def __init__(self, groups: Mapping[str, Iterable]):
        self.under = {name: list(members) for name, members in groups.items()}

    def leaves(self, label: Any) -> list | None:
        return self.under.get(label) if isinstance(label, str) else None

    def matrix(self, classes: NDArray) -> None:
        known = set(classes.tolist())
        for name, members in self.under.items():
            unknown = [member for member in members if member not in known]
            if unknown or not members:
                got = f"unknown classes {unknown[:10]}" if unknown else "no classes"
                raise InputError(f"The group {name!r} must list classes of {sorted(map(str, known))[:12]}. Got {got}.")
            if name in known:
                raise InputError(f"A group must have another name than a class. Got the class {name!r}.")

    def __repr__(self) -> str:
        return f"Groups({', '.join(map(str, self.under))})"


class Ordinal(Cost):
    """The ordinal loss: l(z, y) = |rank(z) - rank(y)|, for classes in their order."""

    ordered = True

    def matrix(self, classes: NDArray) -> NDArray:
        rank = np.arange(len(classes), dtype=float)
        return np.abs(rank[:, None] - rank)


class CostMatrix(Cost):
    """A cost matrix: l(z, y) = matrix[z, y], predictions z in rows, true classes y in columns.

    A DataFrame names the classes.
    """

    def __init__(self, values: Any):
        self.names: list | None = None
        if hasattr(values, "columns"):
            frame = frame_of(values, "cost")
            self.names = list(frame.columns)
            index = getattr(values, "index", None)
            if index is not None and list(index) != self.names:
                if set(index) != set(self.names):
                    raise ValueError(
                        f"cost must have the same classes in rows and columns. Got {list(index)} and {self.names}."
                    )
                frame = frame_of(values.loc[self.names], "cost")
            values = frame.to_numpy()
        try:
            self.values = np.asarray(values, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"cost must be a matrix of numbers, a name or a Taxonomy. Got {shown(values)}.") from None
        if self.values.ndim != 2 or self.values.shape[0] != self.values.shape[1]:
            raise ValueError(
                f"cost must be a square matrix, classes in rows and columns. Got shape {self.values.shape}."
            )
        if not np.isfinite(self.values).all():
            raise ValueError("cost must be finite. Got NaN or infinity.")
        if (self.values < 0).any():
            raise ValueError(f"cost must not be negative. Got {self.values.min():g}.")
        if np.diag(self.values).any():
            found = np.diag(self.values).tolist()[:10]
            raise ValueError(
                f"The diagonal of cost, the cost of right predictions, must be 0. Got {found}."
                " Put rows and columns into one order, or subtract the diagonal: cost - np.diag(cost)."
            )

    def classes(self) -> list | None:
        return self.names

    def matrix(self, classes: NDArray) -> NDArray:
        m = len(self.values)
        if self.names is not None:
            known = Names(self.names, "The classes of a cost")
            places = [known.find(c) for c in unpacked(classes)]
            if None in places:
                unknown = [c for c, k in zip(unpacked(classes), places) if k is None]
                raise InputError(f"cost names the classes {self.names}, but y also contains {unknown[:10]}.")
            index = np.array(places, dtype=int)
            return self.values[np.ix_(index, index)]
        if m != len(classes):
            raise ValueError(
                f"cost is {m} x {m} and y names {len(classes)} classes: {classes.tolist()[:10]}. "
                "Pass all of them in order as classes=[…], or pass the cost as a DataFrame with class names."
            )
        return self.values


class Taxonomy(Cost):
    """Tree distance between the leaves of a taxonomy; in y, the name of an inner node means all its leaves.

    Parameters
    ----------
    tree : mapping or iterable
        child -> parent; or nested dicts ``{"animal": {"cat": {}, "dog": {}}}`` (a list of leaves may stand for
        the last level); or root-to-leaf paths, as tuples or as text with "/".

    Examples
    --------
    >>> tree = Taxonomy({"cat": "mammal", "dog": "mammal", "mammal": "animal", "owl": "animal"})
    >>> tree.classes(), tree.leaves("mammal")
    (['cat', 'dog', 'owl'], ['cat', 'dog'])
    >>> tree.matrix(np.array(["cat", "dog", "owl"]))
    array([[0., 2., 3.],
           [2., 0., 3.],
           [3., 3., 0.]])
    """

    def __init__(self, tree: Any):
        self._build(_parents(tree))

    def _build(self, parent: dict[Hashable, Hashable | None]) -> None:
        self.parent = parent
        self.ancestors = {node: self._path(node) for node in parent}
        inner = set(parent.values())
        self._leaves = ordered(node for node in parent if node not in inner)
        self.under: dict[Hashable, list] = {}
        for leaf in self._leaves:
            for node in self.ancestors[leaf]:
                self.under.setdefault(node, []).append(leaf)

    def _path(self, node: Hashable) -> list[Hashable]:
        """Return the nodes from the root to this node."""
        path: list[Hashable] = []
        step: Hashable | None = node
        while step is not None:
            if step in path:
                raise ValueError(f"The taxonomy has a cycle: {' -> '.join(map(str, [*path, step]))}.")
            path.append(step)
            step = self.parent[step]
        return path[::-1]

    def __getstate__(self) -> list:
        """Return the state without dictionaries, whose keys may be of types that skops cannot save as keys."""
        return list(self.parent.items())

    def __setstate__(self, parents: list) -> None:
        self._build(dict(parents))

    def classes(self) -> list:
        return list(self._leaves)

    def leaves(self, label: Any) -> list | None:
        return self.under.get(label)

    def matrix(self, classes: NDArray) -> NDArray:
        names = classes.tolist()
        unknown = [c for c in names if c not in self.ancestors]
        if unknown:
            raise ValueError(f"The taxonomy does not contain the classes {unknown[:10]}. Add them, or correct y.")
        depth = np.array([len(self.ancestors[c]) for c in names], dtype=float)
        numbers = {node: k for k, node in enumerate(self.parent)}
        nodes = [numbers[node] for c in names for node in self.ancestors[c]]
        ends = np.cumsum([0, *map(len, map(self.ancestors.__getitem__, names))])
        above = sparse.csr_matrix((np.ones(len(nodes)), nodes, ends), shape=(len(names), len(numbers)))
        return depth[:, None] + depth - 2 * (above @ above.T).toarray()  # without the nodes that both paths share

    def __repr__(self) -> str:
        return f"Taxonomy({len(self._leaves)} leaves, {len(self.parent)} nodes)"


def _parents(tree: Any) -> dict[Hashable, Hashable | None]:
    """Return node -> parent (None at a root), from any of the three formats."""
    parent: dict[Hashable, Hashable | None] = {}

    def put(node: Hashable, above: Hashable | None) -> None:
        for name in (node, above):
            if name is not None and (isinstance(name, list | dict | set) or is_missing(name)):
                raise InputError(f"Each node of the taxonomy must have a name. Got {name!r}.")
        if parent.get(node, above) not in (above, None) and above is not None:
            raise ValueError(f"The taxonomy gives {node!r} two parents: {parent[node]!r} and {above!r}.")
        if above is not None or node not in parent:
            parent[node] = above

    def add_below(above: Hashable | None, below: Any) -> None:
        """Add what is below a node: a mapping of subtrees, a list of leaves and mappings, or one leaf."""
        if isinstance(below, Mapping):
            for node, next_level in below.items():
                put(node, above)
                add_below(node, next_level)
        elif isinstance(below, LISTS):
            for node in below if isinstance(below, list | tuple) else ordered(below):
                if isinstance(node, LISTS):
                    raise InputError(
                        f"Below {above!r} the taxonomy has {node!r}: children are names or dicts of names."
                    )
                add_below(above, node)
        elif below is not None:
            put(below, above)

    if isinstance(tree, Mapping) and any(isinstance(below, (Mapping, *LISTS)) for below in tree.values()):
        add_below(None, tree)
    elif isinstance(tree, Mapping):
        for node, above in tree.items():
            put(node, above)
            if above is not None:
                put(above, None)
    elif isinstance(tree, Iterable) and not isinstance(tree, str | bytes):
        for path in tree:
            nodes = path.split("/") if isinstance(path, str) else list(path) if isinstance(path, list | tuple) else []
            if not nodes or any(is_missing(node) for node in nodes):
                raise InputError(
                    f"A path of a taxonomy must go from the root to a leaf, such as 'animal/mammal/cat'. Got {path!r}."
                )
            for above, node in zip([None, *nodes], nodes):
                put(node, above)
    else:
        raise InputError(f"A taxonomy is a child -> parent map, nested dicts or a list of paths. Got {tree!r}.")
    if not parent:
        raise ValueError("The taxonomy is empty. Pass at least one pair child -> parent.")
    return parent


def without_frames(state: dict) -> dict:
    """Return the state of a classifier or of labels without DataFrames and Series, which skops cannot save."""
    cost, classes = state.get("cost"), state.get("classes")
    if isinstance(classes, Iterable) and not isinstance(classes, str | range | set | frozenset | np.ndarray):
        classes = list(map(plain, classes))
    return {
        **state,
        "cost": CostMatrix(cost) if hasattr(cost, "columns") else cost,
        "classes": classes,
    }


def as_cost(cost: Any) -> Cost:
    """Return a Cost from None (0-1), "ordinal", a matrix, a DataFrame or a Cost."""
    if cost is None:
        return ZeroOne()
    if isinstance(cost, Cost):
        return cost
    if isinstance(cost, str):
        if cost not in ("zero-one", "ordinal"):
            raise ValueError(
                f"cost must be None, 'zero-one', 'ordinal', a matrix, a DataFrame or a Taxonomy. Got {cost!r} instead."
            )
        return Ordinal() if cost == "ordinal" else ZeroOne()
    return CostMatrix(cost)
