"""What a caller may say about the meaning of a file, and the error that asks for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ._cells import in_order

CHOICES = {
    "meaning": ("one_of", "all_of", "known_tags", "order"),
    "unticked": ("no", "unknown"),
    "skipped": ("unknown", "drop"),
    "annotators": ("rows", "intersect", "union", "vote"),
    "conflict": ("refuse", "unknown", "union", "vote", "drop"),
}
WIDTH = 110


class MeaningError(ValueError):
    """The file does not settle what its answers mean, and the caller did not say; `argument` would settle it."""

    def __init__(self, message: str, argument: str):
        super().__init__(message)
        self.argument = argument


class Answer(NamedTuple):
    """What one annotator said of one row.

    The form is "names" (a list of ticked names), "judged" (name -> bool), "order" (buckets, best first), "number",
    "unknown" (said not to know) or "skipped" (said nothing).
    """

    form: str
    value: Any = None
    annotator: Any = None
    options: tuple | None = None
    """All the names that were offered, where the file says so."""


@dataclass
class Entry:
    """One row of a file and every answer to it."""

    id: Any
    place: str
    data: dict
    answers: list[Answer] = field(default_factory=list)


@dataclass(frozen=True)
class Reading:
    """What the caller says about the file; None where nothing was said."""

    meaning: str | None = None
    unticked: str | None = None
    skipped: str | None = None
    annotators: str | None = None
    conflict: str = "refuse"
    classes: list | None = None
    backend: str | None = None

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            value = getattr(self, name)
            if value not in allowed and not (value is None and name != "conflict"):
                shown = ", ".join(map(repr, allowed))
                raise ValueError(f"{name} must be one of {shown}. Got {value!r}.")
        if self.meaning == "known_tags" and self.unticked == "no":
            raise ValueError(
                'meaning="known_tags" leaves what is unticked unknown, unticked="no" says that it is absent. For the'
                ' latter, pass meaning="all_of".'
            )
        if self.classes is not None and (isinstance(self.classes, str) or len(set(self.classes)) < len(self.classes)):
            raise ValueError(f"classes must be a list of distinct names. Got {self.classes!r}.")


class Example(NamedTuple):
    """A row of the file that shows what is open."""

    place: str
    said: Any


def ambiguous(
    source: str, argument: str, question: str, examples: list[Example], choices: dict[str, Callable[[Any], Any]]
) -> MeaningError:
    """The error that shows rows of the file, and what each choice would make of them."""
    lines = [f"{source} does not say {question}. What each choice would make of its rows:"]
    width = max(map(len, choices))
    for place, said in examples[:2]:
        lines.append(f"  {place.removeprefix(f'{source}, ')}: {short(said)}")
        for choice, outcome in choices.items():
            lines.append(f"    {choice:{width}}  ->  {short(outcome(said))}")
    lines.append(f"Say which with {argument}=….")
    return MeaningError("\n".join(lines), argument)


class Shown:
    """Text that is shown as it stands, and the answers behind it."""

    def __init__(self, text: str, kept: list | None = None):
        self.text, self.kept = text, kept or []

    def __repr__(self) -> str:
        return self.text


def short(value: Any, width: int = WIDTH) -> str:
    if isinstance(value, Answer):
        value = value.value
    if isinstance(value, set | frozenset):  # in the same order every time
        text = "{" + ", ".join(map(repr, in_order(value))) + "}"
    else:
        text = repr(value)
    return text if len(text) <= width else text[: width - 1] + "…"
