"""Methods that a model has only under some settings."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any


class Conditional:
    """A method that raises an error, which says what to change, if the settings of the model exclude it.

    `sklearn.utils.metaestimators.available_if` does the same, but its error ends with "has no attribute".
    """

    def __init__(self, method: Callable, check: Callable[[Any], None]):
        self.method, self.check = method, check
        self.__doc__ = method.__doc__

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self.method
        self.check(model)
        return MethodType(self.method, model)


def available_unless(check: Callable[[Any], None]) -> Callable[[Callable], Any]:
    """Decorate a method that is available unless ``check(model)`` raises an AttributeError.

    Examples
    --------
    >>> def check_size(model):
    ...     if model.size > 9:
    ...         raise AttributeError("draw requires size <= 9.")
    >>> class Model:
    ...     size = 10
    ...
    ...     @available_unless(check_size)
    ...     def draw(self):
    ...         return "o" * self.size
    >>> hasattr(Model(), "draw")
    False
    >>> Model().draw()
    Traceback (most recent call last):
    AttributeError: draw requires size <= 9.
    """
    return lambda method: Conditional(method, check)
