"""Which structure asks for which space, and questions from JSON."""

from __future__ import annotations

from typing import Any

from ..data.errors import InputError
from ..outputs import Labels, OutputSpace, Rankings, Reals, Tags
from .labels import Is, LabelStructure, OneOf, Which
from .numbers import Below, NumberStructure
from .orders import Before, First, OrderStructure
from .question import Question
from .structure import Structure
from .tags import Has, TagStructure
from .whole import Whole

STRUCTURES: dict[type, type] = {
    Labels: LabelStructure, Tags: TagStructure, Rankings: OrderStructure, Reals: NumberStructure,
}  # fmt: skip
QUESTIONS: dict[str, Any] = {kind.__name__: kind for kind in (OneOf, Is, Which, Has, Before, First, Below)}


def structure_of(space: OutputSpace) -> Structure:
    """What asking needs to know of a fitted space.

    Parameters
    ----------
    space : OutputSpace
        Labels, Tags, Rankings or Reals, fitted.
    """
    for kind, structure in STRUCTURES.items():
        if isinstance(space, kind):
            return structure(space)
    names = ", ".join(kind.__name__ for kind in STRUCTURES)
    raise ValueError(f"Questions are asked about {names}. Got {space!r}.")


def from_dict(found: Any, space: OutputSpace) -> Question:
    """The question that `Question.as_dict` wrote.

    Parameters
    ----------
    found : dict
        With "type", "row" and "about"; "cost" may be left out.
    space : OutputSpace
        Y, fitted.

    Examples
    --------
    >>> space = Labels(classes=["cat", "dog"]).fit([])
    >>> from_dict(Is(3, "cat", space).as_dict(), space)
    Is(row=3, 'cat')
    """
    name = found.get("type") if isinstance(found, dict) else None
    if name == "Whole":
        return Whole(found["row"], space, found.get("cost"))
    if name not in QUESTIONS or "row" not in found or "about" not in found:
        kinds = ", ".join([*QUESTIONS, "Whole"])
        raise InputError(f"A question has a type ({kinds}), a row and what it is about. Got {found!r}.")
    return QUESTIONS[name](found["row"], found["about"], space, found.get("cost"))
