"""Read and write the `value` of one result of Label Studio, for each type of control."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._tree import Tree
from ._write import chain_in, number_in, text_names

TYPES = ("choices", "taxonomy", "pairwise", "ranker", "rating", "number")


def parsed(value: Any, kind: str) -> Any:
    """Return the answer in a `value`; raise ValueError if it has another shape.

    >>> parsed({"choices": ["cat"]}, "choices"), parsed({"rating": 4}, "rating")
    (['cat'], 4)
    """
    field = "selected" if kind == "pairwise" else kind
    if not isinstance(value, Mapping) or field not in value:
        raise ValueError(f"expected a value with {field!r}, got {value!r}")
    return _CHECKS[kind](value[field])


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise ValueError(f"expected a list of names, got {value!r}")
    if len(set(value)) < len(value):
        raise ValueError(f"a name is repeated in {value!r}")
    return value


def _paths(value: Any) -> list[list[str]]:
    if not isinstance(value, list) or not all(isinstance(path, list) and path for path in value):
        raise ValueError(f"expected a list of paths, got {value!r}")
    for path in value:
        if not all(isinstance(node, str) for node in path):
            raise ValueError(f"expected paths of names, got {path!r}")
    return value


def _side(value: Any) -> str:
    if value not in ("left", "right"):
        raise ValueError(f"expected 'left' or 'right', got {value!r}")
    return value


def _ranking(value: Any) -> list | dict:
    if isinstance(value, Mapping):
        items = [item for bucket in value.values() for item in _texts(bucket)]
        _texts(items)
        return dict(value)
    return _texts(value)  # the older bare list


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"expected a number, got {value!r}")
    return value


_CHECKS = {
    "choices": _texts,
    "taxonomy": _paths,
    "pairwise": _side,
    "ranker": _ranking,
    "rating": _number,
    "number": _number,
}


def ranker_is_list(values: list) -> bool:
    """Whether answers are plain lists, bare or under the same key, instead of buckets."""
    keys = {tuple(value) for value in values if isinstance(value, dict)}
    return len(keys) <= 1 and all(len(key) == 1 for key in keys)


def bucket_order(value: list | dict, buckets: list[str] | None) -> list[list[str]]:
    """Return buckets, best first; every item of a list is a bucket of its own.

    >>> bucket_order({"rank": ["a", "b"]}, None), bucket_order({"bad": ["c"], "good": ["a", "b"]}, ["good", "bad"])
    ([['a'], ['b']], [['a', 'b'], ['c']])
    """
    if isinstance(value, dict) and buckets is not None:
        return [list(value.get(bucket, ())) for bucket in buckets]
    items = value if isinstance(value, list) else next(iter(value.values()), [])
    return [[item] for item in items]


def region_value(cell: Any, kind: str, control: str, classes: Any, tree: Tree | None) -> dict:
    """Return the `value` for a cell of y."""
    if kind == "choices":
        return {"choices": text_names(cell, classes)}
    if kind == "taxonomy":
        assert tree is not None
        return {"taxonomy": [_path(name, tree) for name in text_names(cell, classes)]}
    if kind == "ranker":
        return {"ranker": {control: [str(item) for item in chain_in(cell)]}}
    if kind == "pairwise":
        chain = chain_in(cell)
        if sorted(chain) != ["left", "right"]:
            raise ValueError(f"expected an order of 'left' and 'right', got {cell!r}")
        return {"selected": chain[0]}
    number = number_in(cell)
    if kind == "number":
        return {"number": number}
    if number != int(number) or number < 0:
        raise ValueError(f"expected a whole number >= 0 of stars, got {number!r}")
    return {"rating": int(number)}


def _path(name: str, tree: Tree) -> list[str]:
    if name not in tree.paths:
        raise ValueError(f"{name!r} is not in the taxonomy")
    return list(tree.paths[name])
