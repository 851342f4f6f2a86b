"""Parameters that must be numbers: refused by name, with what was expected and what was given."""

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
    """Refuse the parameter `name` of `owner` unless it is a number from `least` to `most`.

    `above` and `below` leave out the ends, `infinite` allows infinity; `optional` allows None, and `words` some text.
    Booleans, text, arrays and NaN are no numbers.

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
    said = wanted[0] if len(wanted) == 1 else f"{', '.join(wanted[:-1])} or {wanted[-1]}"
    raise ValueError(f"The '{name}' parameter of {type(owner).__name__} must be {said}. Got {value!r:.200} instead.")


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
    """Whether value is a number, or an integer, in the range.

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
    """The range in words.

    >>> expected(0, math.inf, True, False, False), expected(1, 9, False, False, True), expected(0, 1, True, True, False)
    ('a number > 0', 'an integer >= 1 and <= 9', 'a number > 0 and < 1')
    """
    ends = [f"{'>' if above else '>='} {least:g}"] if least > -math.inf else []
    ends += [f"{'<' if below else '<='} {most:g}"] if most < math.inf else []
    what = "an integer" if integer else "a number"
    return " ".join([what, " and ".join(ends)]) if ends else f"{'an integer' if integer else 'a finite number'}"


def check_numbers(owner: Any, name: str, least: float = 0, *, above: bool = True, words: Iterable[str] = ()) -> None:
    """Refuse a list-like parameter unless it holds numbers from `least` on, or some of the words.

    >>> from infimum import PartialSearch
    >>> check_numbers(PartialSearch(lams=[1, 0]), "lams")
    Traceback (most recent call last):
    ...
    ValueError: The 'lams' parameter of PartialSearch must be a list of numbers > 0. Got [1, 0] instead.
    """
    values, words = getattr(owner, name), list(words)
    listed = isinstance(values, Iterable) and not isinstance(values, str | bytes | dict) and hasattr(values, "__len__")
    if listed and len(values) and all(_is_one(value, least, above, words) for value in values):
        return
    said = f"a list of numbers {'>' if above else '>='} {least:g}" + "".join(f" or {word!r}" for word in words)
    raise ValueError(f"The '{name}' parameter of {type(owner).__name__} must be {said}. Got {values!r:.200} instead.")


def _is_one(value: Any, least: float, above: bool, words: list[str]) -> bool:
    return value in words if isinstance(value, str) else is_number(value, least, above=above)
