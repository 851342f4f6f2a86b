"""Names of classes, tags and items: equality, sorting, and the array that contains them."""

from __future__ import annotations

import datetime
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .blanks import normalised
from .errors import InputError, is_missing, listed, shown


def plain(name: Any) -> Any:
    """Return a NumPy scalar, or a time or duration of pandas, as a Python object; dates of NumPy stay as they are."""
    for convert, rest in (("to_pydatetime", "nanosecond"), ("to_pytimedelta", "nanoseconds")):
        if hasattr(name, convert) and not getattr(name, rest):
            return getattr(name, convert)()
    return name.item() if isinstance(name, np.generic) and name.dtype.kind not in "mM" else name


def kind(name: Any) -> str:
    """Return the kind of a name. Names of different kinds are different, even if Python considers them equal.

    >>> kind(1), kind(1.0), kind(True), kind("1"), kind(b"1"), kind(datetime.date(2020, 1, 1))
    ('number', 'number', 'boolean', 'text', 'bytes', 'date')
    """
    if isinstance(name, bool | np.bool_):
        return "boolean"
    if isinstance(name, str):
        return "text"
    if isinstance(name, bytes):
        return "bytes"
    if isinstance(name, int | float | np.integer | np.floating) and not isinstance(name, np.timedelta64):
        return "number"
    if isinstance(name, datetime.datetime | np.datetime64):
        return "date and time" if getattr(name, "tzinfo", None) is None else "date and time in a zone"
    if isinstance(name, datetime.timedelta | np.timedelta64):
        return "duration"
    return type(name).__name__


def key(name: Any) -> Hashable:
    """Return a key that is equal for the same name of the same kind only; é is one letter, however it is encoded."""
    what = kind(name)
    if what == "text":
        return normalised(str.__str__(name))
    if what in ("number", "bytes"):
        return plain(name)
    if what in ("date and time", "duration"):
        moment: Any = np.datetime64 if what == "date and time" else np.timedelta64
        return what, int(moment(name, "us").astype(np.int64))
    if isinstance(name, tuple):
        return what, tuple(map(key, name))
    hash(name)
    return what, plain(name)


def ordered(names: Iterable) -> list:
    """Sort names within each kind; by their text if they cannot be compared."""
    groups: dict[str, list] = {}
    for name in names:
        groups.setdefault(kind(name), []).append(name)
    out: list = []
    for what in sorted(groups):
        try:
            out += sorted(groups[what])
        except TypeError:
            out += sorted(groups[what], key=repr)
    return out


def array_of(names: Iterable) -> NDArray:
    """Return a flat array: text, integers, numbers, booleans and dates typed, anything else as objects.

    >>> array_of(["b", "a"]).dtype.kind, array_of([1, "a"]).dtype.kind, array_of([2**70]).dtype.kind
    ('U', 'O', 'O')
    """
    names = [plain(name) for name in names]
    types = {type(name) for name in names}
    if types == {str}:
        if not any(name.endswith("\0") for name in names):  # arrays of text lose them
            return np.array(names)
    elif types == {int}:
        values = np.array(names)
        if values.dtype.kind in "iu":
            return values
    elif types in ({bool}, {float}):
        return np.array(names)
    elif types and all(kind(name) == "date and time" for name in names):
        return np.array(
            [name.to_datetime64() if hasattr(name, "to_datetime64") else np.datetime64(name) for name in names]
        )
    elif types == {np.timedelta64}:
        return np.array(names)
    out = np.empty(len(names), dtype=object)
    for k, name in enumerate(names):
        out[k] = name
    return out


class Names:
    """Distinct names in order, with their indices.

    >>> names = Names([1, "a", True], "classes")
    >>> names.find(True), names.find(1.0), names.find("b")
    (2, 0, None)
    """

    def __init__(self, names: Iterable, what: str):
        if isinstance(names, str | bytes) or not isinstance(names, Iterable):
            raise InputError(f"{what} must be a list of names. Got {names!r}. For one name, write [{names!r}].")
        if isinstance(names, set | frozenset):
            names = ordered(names)
        self.list = [plain(name) for name in unpacked(names)]
        if any(is_missing(name) for name in self.list):
            raise InputError(f"{what} must not contain missing values. Got {shown(self.list)}.")
        self.where: dict[Hashable, int] = {}
        twice = []
        for k, name in enumerate(self.list):
            try:
                if self.where.setdefault(key(name), k) != k:
                    twice.append(name)
            except TypeError:
                raise InputError(f"{what} must be names that can be hashed. Got {name!r}.") from None
        if twice:
            raise InputError(f"{what} must be distinct. Twice: {listed(twice)}.")

    def __getstate__(self) -> list:
        """Return the state without the dictionary, whose keys may be of types that skops cannot save as keys."""
        return self.list

    def __setstate__(self, names: list) -> None:
        self.list = names
        self.where = {key(name): k for k, name in enumerate(names)}

    @property
    def array(self) -> NDArray:
        return array_of(self.list)

    def find(self, name: Any) -> int | None:
        """Return the index of a name; None if it is unknown or cannot be a name."""
        try:
            return self.where.get(key(name))
        except TypeError:
            return None

    def __contains__(self, name: Any) -> bool:
        return self.find(name) is not None

    def __len__(self) -> int:
        return len(self.list)


def unpacked(names: Any) -> list:
    """Return names as a list; dates of an array stay dates."""
    return names.tolist() if isinstance(names, np.ndarray) and names.dtype.kind not in "mM" else list(names)


def numbered(names: Any, what: str) -> Any:
    """Return 0, …, m - 1 for a number m of names, and names as they are.

    >>> numbered(3, "tags"), numbered(["a"], "tags")
    (range(0, 3), ['a'])
    """
    if isinstance(names, bool | np.bool_) or not isinstance(names, int | np.integer):
        return names
    if names < 1:
        raise InputError(f"{what} must be a list of names, or how many they are, an integer >= 1. Got {names!r}.")
    return range(names)


def shared_columns(tables: Iterable, kind_of_table: str, what: str) -> tuple[int | None, tuple | None]:
    """Return the width of all tables and the names of their columns, if they have names; raise an error if they differ.

    >>> shared_columns([("cat", "dog"), 2], "Masks", "classes")
    (2, ('cat', 'dog'))
    """
    widths = {len(columns) if isinstance(columns, tuple) else columns for columns in tables}
    if len(widths) > 1:
        raise InputError(
            f"{kind_of_table} must all have the same number of columns, one for each of the {what}. Got"
            f" {sorted(widths)}."
        )
    named = [columns for columns in tables if isinstance(columns, tuple)]
    for other in named:
        if set(map(key, other)) != set(map(key, named[0])):
            raise InputError(f"{kind_of_table} must name the same {what}. Got {listed(named[0])}; {listed(other)}.")
    return next(iter(widths), None), named[0] if named else None
