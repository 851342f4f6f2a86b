"""Checks of numeric parameters, with errors that contain the name, the expected range and the given value."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np


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
    ends = [f"{'>' if above else '>='} {least:g}"] if least > -math.inf else []
    ends += [f"{'<' if below else '<='} {most:g}"] if most < math.inf else []
    kind = "an integer" if integer else "a number" if ends else "a finite number"
    wanted = [" ".join([kind, " and ".join(ends)]).strip(), *map(repr, words), *(["None"] if optional else [])]
    text = wanted[0] if len(wanted) == 1 else f"{', '.join(wanted[:-1])} or {wanted[-1]}"
    raise _invalid(owner, name, text)


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


def check_one_of(owner: Any, name: str, allowed: Iterable[str]) -> None:
    """Raise an error unless a parameter is one of the allowed names.

    >>> from infimum.active import QuestionSelector
    >>> check_one_of(QuestionSelector(strategy="x"), "strategy", ("random", "whole"))
    Traceback (most recent call last):
    ...
    ValueError: The 'strategy' parameter of QuestionSelector must be 'random' or 'whole'. Got 'x' instead.
    """
    value, names = getattr(owner, name), list(allowed)
    if not isinstance(value, str) or value not in names:
        raise _invalid(owner, name, f"{', '.join(map(repr, names[:-1]))} or {names[-1]!r}")


def check_some_of(owner: Any, name: str, allowed: Iterable[str]) -> None:
    """Raise an error unless a parameter is a list of some of the allowed names.

    >>> from infimum import PartialSearch
    >>> check_some_of(PartialSearch(kernels="rbf"), "kernels", ["rbf", "laplacian"])
    Traceback (most recent call last):
    ...
    ValueError: The 'kernels' parameter of PartialSearch must be a list of some of 'rbf', 'laplacian'. Got 'rbf' ...
    """
    names = list(allowed)
    text = f"a list of some of {', '.join(map(repr, names))}"
    _check_items(owner, name, text, lambda one: isinstance(one, str) and one in names)


def check_run(owner: Any) -> None:
    """Raise an error if `owner` has a random_state, n_jobs, verbose or max_search_time that is not valid.

    >>> from infimum import PartialClassifier
    >>> check_run(PartialClassifier(n_jobs=1.5))
    Traceback (most recent call last):
    ...
    ValueError: The 'n_jobs' parameter of PartialClassifier must be an integer other than 0, or None. Got 1.5 instead.
    """
    given = vars(owner)
    seed, jobs, verbose = given.get("random_state"), given.get("n_jobs"), given.get("verbose", 0)
    if not (seed is None or isinstance(seed, np.random.RandomState) or is_number(seed, 0, 2**32 - 1, integer=True)):
        raise _invalid(owner, "random_state", "an integer from 0 to 2**32 - 1, a numpy.random.RandomState or None")
    if jobs is not None and (not is_number(jobs, -(2**31), 2**31, integer=True) or jobs == 0):
        raise _invalid(owner, "n_jobs", "an integer other than 0, or None")
    if not isinstance(verbose, bool | np.bool_) and not is_number(verbose, 0, integer=True):
        raise _invalid(owner, "verbose", "an integer >= 0")
    if "max_search_time" in given:
        check_number(owner, "max_search_time", 0, above=True, optional=True)


def check_numbers(owner: Any, name: str, least: float = 0, *, above: bool = True) -> None:
    """Raise an error unless a parameter is a list of numbers >= `least`.

    >>> from infimum import PartialSearch
    >>> check_numbers(PartialSearch(lams=[1, 0]), "lams")
    Traceback (most recent call last):
    ...
    ValueError: The 'lams' parameter of PartialSearch must be a list of numbers > 0. Got [1, 0] instead.
    """
    text = f"a list of numbers {'>' if above else '>='} {least:g}"
    _check_items(owner, name, text, lambda one: is_number(one, least, above=above))


def _check_items(owner: Any, name: str, text: str, fits: Callable[[Any], bool]) -> None:
    """Raise an error unless a parameter is a list, tuple or array with entries, all of which fit."""
    values = getattr(owner, name)
    items = values.tolist() if isinstance(values, np.ndarray) else values
    if not isinstance(items, list | tuple) or not items or not all(map(fits, items)):
        raise _invalid(owner, name, text)


def _invalid(owner: Any, name: str, text: str) -> ValueError:
    value = getattr(owner, name)
    return ValueError(f"The '{name}' parameter of {type(owner).__name__} must be {text}. Got {value!r:.200} instead.")
