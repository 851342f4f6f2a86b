"""Descriptions of parameters that several docstrings share."""

from __future__ import annotations

import re
from inspect import cleandoc
from textwrap import indent
from typing import Any, TypeVar

T = TypeVar("T")
LINE = re.compile(r"^( *)([\w, ]+) : shared$", re.MULTILINE)


class SharedDocs:
    """A decorator that inserts descriptions into docstrings; ``a, b : shared`` stands for those of a and b.

    Parameters
    ----------
    text : str
        The descriptions, in the format of numpydoc. If one describes several names, the first of them is used.

    Examples
    --------
    >>> docs = SharedDocs('''
    ... a : int
    ...     The first number.
    ... b : int
    ...     The second number.
    ... ''')
    >>> @docs
    ... def f(a, b):
    ...     '''
    ...     a, b : shared
    ...     '''
    >>> print(f.__doc__.strip())
    a : int
            The first number.
        b : int
            The second number.
    """

    def __init__(self, text: str):
        parts = re.split(r"\n(?=\S)", cleandoc(text))
        self.parts = {re.split(",| :", part)[0]: part for part in parts}

    def __call__(self, documented: T) -> T:
        """Return the function or class, with its docstring completed."""
        if documented.__doc__ is not None:  # Python -OO removes docstrings
            documented.__doc__ = LINE.sub(self._described, documented.__doc__)
        return documented

    def _described(self, found: Any) -> str:
        return "\n".join(indent(self.parts[name], found[1]) for name in found[2].split(", "))
