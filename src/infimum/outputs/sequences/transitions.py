"""Allowed transitions: which label may begin a sequence, follow another one, or end it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ...data.errors import InputError, listed, shown
from .paths import Edges

BIO = "bio"
FORMS = (
    'transitions is None, "bio", or a mapping from a label to the labels that may follow it, such as'
    ' {"B-PER": ["I-PER", "O"], None: ["O", "B-PER"]}; None stands for the start of a sequence.'
)


def bio_transitions(classes: Iterable[str]) -> dict[Any, list[str]]:
    """Return which labels may follow which in the BIO scheme.

    ``I-PER`` may only follow ``B-PER`` or ``I-PER``; ``B-…``, ``O`` and all other labels may follow any label.

    Parameters
    ----------
    classes : list of str
        All labels.

    Examples
    --------
    >>> bio_transitions(["B-PER", "I-PER", "O"])
    {None: ['B-PER', 'O'], 'B-PER': ['B-PER', 'I-PER', 'O'], 'I-PER': ['B-PER', 'I-PER', 'O'], 'O': ['B-PER', 'O']}
    """
    names = [str(name) for name in classes]

    def may_follow(label: str, before: str | None) -> bool:
        return not label.startswith("I-") or before in (f"B-{label[2:]}", label)

    return {before: [label for label in names if may_follow(label, before)] for before in (None, *names)}


def allowed_edges(transitions: Any, classes: list, find: Callable[[Any], int | None]) -> Edges | None:
    """Return which steps are allowed as booleans; None if all are.

    Parameters
    ----------
    transitions : None, "bio" or mapping
        What the user has passed.
    classes : list
        All labels.
    find : callable
        Returns the number of a label, None if it is unknown.
    """
    if transitions is None:
        return None
    if isinstance(transitions, str) and transitions == BIO:
        transitions = bio_transitions(classes)
    if not isinstance(transitions, Mapping) or any(isinstance(after, str) for after in transitions.values()):
        raise InputError(f"{FORMS} Got {shown(transitions)}.")
    m = len(classes)
    table = np.ones((m + 1, m), dtype=bool)  # the last row is the start
    named = {label for label in transitions if label is not None}.union(*map(set, transitions.values()))
    unknown = [label for label in named if find(label) is None]
    if unknown:
        raise InputError(f"transitions contains labels that y does not have: {listed(unknown)}. Pass classes=[…].")
    for label, after in transitions.items():
        numbers: Any = [find(each) for each in after]
        table[m if label is None else find(label)] = np.isin(np.arange(m), numbers)
    return None if table.all() else Edges(table[m], table[:m], np.ones(m, dtype=bool))
