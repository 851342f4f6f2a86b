"""The arguments that say what the answers in a file mean, and the error that asks for one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..data.errors import shortened
from ..data.names import ordered

CHOICES = {
    "meaning": ("one_of", "all_of", "known_tags", "order", "top"),
    "unticked": ("no", "unknown"),
    "skipped": ("unknown", "drop"),
    "annotators": ("rows", "intersect", "union", "vote"),
    "conflict": ("error", "unknown", "union", "vote", "drop"),
}
KINDS = {"one_of": "labels", "all_of": "tags", "known_tags": "tags", "order": "ranking", "top": "ranking"}
"""The output type of a list of names, by its meaning."""
WIDTH = 110  # characters of a value in an error message
Choices = dict[str, str | Callable[[Any], Any]]


class MeaningError(ValueError):
    """The meaning of the answers in a file is ambiguous; the argument named by `argument` decides it."""

    def __init__(self, message: str, argument: str):
        super().__init__(message)
        self.argument = argument


class Answer(NamedTuple):
    """The answer of one annotator for one row.

    The form is "names" (a list of selected names), "flags" (name -> bool), "order" (buckets, best first), "number",
    "unknown" (the annotator does not know) or "skipped" (there is no answer).
    """

    form: str
    value: Any = None
    annotator: Any = None
    options: tuple | None = None
    """All the names that were offered, if the file lists them."""


@dataclass
class Entry:
    """One row of a file and all answers for it."""

    id: Any
    place: str
    data: dict
    answers: list[Answer] = field(default_factory=list)


@dataclass(frozen=True)
class ReadOptions:
    """The arguments of a reader; None if the caller did not set one."""

    meaning: str | None = None
    unticked: str | None = None
    skipped: str | None = None
    annotators: str | None = None
    conflict: str = "error"
    classes: list | None = None
    backend: str | None = None
    separator: str | None = None

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            value = getattr(self, name)
            if value is not None or name == "conflict":
                one_of(name, value, allowed)
        if self.meaning == "known_tags" and self.unticked == "no":
            raise ValueError(
                'meaning="known_tags" leaves unselected tags unknown, and unticked="no" makes them absent. For the'
                ' latter, pass meaning="all_of".'
            )
        if self.separator is not None and not self.separator.strip(" ") and self.separator != "\n":
            raise ValueError(f"separator must be text other than blanks. Got {self.separator!r}.")
        if self.classes is not None and (isinstance(self.classes, str) or len(set(self.classes)) < len(self.classes)):
            raise ValueError(f"classes must be a list of distinct names. Got {self.classes!r}.")


def one_of(name: str, value: Any, allowed: Any) -> Any:
    """Return the value of an argument; raise ValueError if it is not one of those allowed."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}. Got {value!r}.")
    return value


def pick(source: str, what: str, argument: str, names: Iterable[str], value: str | None) -> str:
    """Return the given name, or the only one; raise ValueError if there is no such name, or none or several."""
    names = list(dict.fromkeys(names))
    if value in names or (value is None and len(names) == 1):
        return names[0] if value is None else value
    problem = f"no {what} {value!r}" if value is not None else f"{len(names) or 'no'} {what}s"
    listed = ", ".join(names) or "none"
    raise ValueError(f"{source} has {problem}. Its {what}s are: {listed}. Name one with {argument}=….")


class Verbatim:
    """Text that an error message shows without quotes."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


def ambiguous(
    source: str, argument: str, question: str, examples: list[tuple[str, Any]], choices: Choices,
    show: Callable[[Any], str] | None = None,
) -> MeaningError:  # fmt: skip
    """Return an error that shows rows of the file and the result of each choice for them.

    Parameters
    ----------
    source, argument, question : str
        The file, the argument that decides, and what the file does not specify.
    examples : list of (str, answer)
        Ambiguous answers with their places in the file; two that look different are shown.
    choices : dict
        What each choice makes of an answer: a function, or text for every answer.
    show : callable, optional
        The text of an answer; `short` by default.
    """
    lines = [f"{source} does not specify {question}. The result of each choice for its rows:"]
    width, show = max(map(len, choices)), show or short
    shown = {f"  {place.removeprefix(f'{source}, ')}: {show(answer)}": answer for place, answer in examples}
    for line, answer in list(shown.items())[:2]:  # several annotators may have given the same answer
        lines.append(line)
        for choice, outcome in choices.items():
            text = outcome if isinstance(outcome, str) else short(outcome(answer))
            lines.append(f"    {choice:{width}}  ->  {text}")
    lines.append(f"Choose one with {argument}=….")
    return MeaningError("\n".join(lines), argument)


def short(value: Any, width: int = WIDTH) -> str:
    """Return a value as an error message shows it, cut after `width` characters."""
    if isinstance(value, Answer):
        value = value.value
    if isinstance(value, set | frozenset):  # in the same order every time
        text = "{" + ", ".join(map(repr, ordered(value))) + "}"
    else:
        text = repr(value)
    return shortened(text, width)
