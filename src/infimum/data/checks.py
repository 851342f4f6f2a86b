"""Checks of numeric parameters, with errors that contain the name, the expected range and the given value."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any


def check_number(
    owner: Any,
    name: str,
    least: float = -math.inf,
    most: float = math.inf,
    *,
    above: bool = False,
    below: bool = False,
    integer: bool = False,
    infinite: bool = False,
    optional: bool = False,
    words: Iterable[str] = (),
) -> None:
    """Raise an error unless the parameter `name` of `owner` is a number from `least` to `most`.

    `above` and `below` exclude the ends, and `infinite` allows infinity. `optional` allows None, and `words` allows
    these strings. Booleans, strings, arrays and NaN are not numbers.

    >>> from infimum.weights import KernelRidge
    >>> check_number(KernelRidge(lam=-1), "lam", 0, optional=True)
    Traceback (most recent call last):
    ...
    ValueError: The 'lam' parameter of KernelRidge must be a number >= 0 or None. Got -1 instead.
    """
    value = getattr(owner, name)
    words = list(words)
    if (optional and value is None) or (isinstance(value, str) and value in words):
        return
    if is_number(value, least, most, above=above, below=below, integer=integer, infinite=infinite):
        return
    wanted = [expected(least, most, above, below, integer), *map(repr, words), *(["None"] if optional else [])]
    text = wanted[0] if len(wanted) == 1 else f"{', '.join(wanted[:-1])} or {wanted[-1]}"
    raise ValueError(f"The '{name}' parameter of {type(owner).__name__} must be {text}. Got {value!r:.200} instead.")


def is_number(
    value: Any,
    least: float = -math.inf,
    most: float = math.inf,
    *,
    above: bool = False,
    below: bool = False,
    integer: bool = False,
    infinite: bool = False,
) -> bool:
    """Return whether value is a number, or an integer, in the range.

    >>> is_number(2, 0), is_number(True, 0), is_number("2", 0), is_number(math.nan), is_number(10**400)
    (True, False, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, Integral if integer else Real):
        return False
    try:
        x = float(value)
    except OverflowError:
        return False
    inside = (x > least if above else x >= least) and (x < most if below else x <= most)
    return inside and (infinite or math.isfinite(x))


def expected(least: float, most: float, above: bool, below: bool, integer: bool) -> str:
    """Describe the range.

    >>> expected(0, math.inf, True, False, False), expected(1, 9, False, False, True), expected(0, 1, True, True, False)
    ('a number > 0', 'an integer >= 1 and <= 9', 'a number > 0 and < 1')
    """
    ends = [f"{'>' if above else '>='} {least:g}"] if least > -math.inf else []
    ends += [f"{'<' if below else '<='} {most:g}"] if most < math.inf else []
    what = "an integer" if integer else "a number"
    return " ".join([what, " and ".join(ends)]) if ends else f"{'an integer' if integer else 'a finite number'}"


def check_numbers(owner: Any, name: str, least: float = 0, *, above: bool = True, words: Iterable[str] = ()) -> None:
    """Raise an error unless a parameter is a list of numbers >= `least`, or of some of the words.

    >>> from infimum import PartialSearch
    >>> check_numbers(PartialSearch(lams=[1, 0]), "lams")
    Traceback (most recent call last):
    ...
    ValueError: The 'lams' parameter of PartialSearch must be a list of numbers > 0. Got [1, 0] instead.
    """
    values, words = getattr(owner, name), list(words)
    is_list = isinstance(values, Iterable) and not isinstance(values, str | bytes | dict) and hasattr(values, "__len__")
    if is_list and len(values) and all(_is_one(value, least, above, words) for value in values):
        return
    text = f"a list of numbers {'>' if above else '>='} {least:g}" + "".join(f" or {word!r}" for word in words)
    raise ValueError(f"The '{name}' parameter of {type(owner).__name__} must be {text}. Got {values!r:.200} instead.")


def _is_one(value: Any, least: float, above: bool, words: list[str]) -> bool:
    return value in words if isinstance(value, str) else is_number(value, least, above=above)
