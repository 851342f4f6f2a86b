"""Merge classes, tags or items that are variants of each other: misspelt, joined or decorated names."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..data.containers import Column, normalise_y
from ..data.errors import InfimumWarning, listed, shown
from ..data.lookalikes import look_alike_text, look_alikes
from ..evidence.votes import Votes
from .base import OutputSpace, Sets

SHOWN = 10
"""Unknown names that a warning lists."""

COUNTED = 100_000
"""Rows in chunks that are counted per name to find look-alikes; counting more would read the data once more."""


class UnknownNames:
    """Tags or items of rows to be scored that did not occur in fit.

    Parameters
    ----------
    what : str
        What the names are, such as "items".
    known : list
        The names that occurred in fit.
    """

    def __init__(self, what: str, known: list):
        self.what, self.known = what, known
        self.rows: dict[int, list] = {}

    def add(self, rows: Iterable[int], *names: Any) -> None:
        """Add unknown names of some rows."""
        for row in rows:
            self.rows.setdefault(row, []).extend(names)

    def warn(self, consequence: str) -> None:
        """Warn if there are unknown names; `consequence` is the subject of "are ignored"."""
        if not self.rows:
            return
        counts = Counter(name for names in self.rows.values() for name in dict.fromkeys(names))
        named = ", ".join(f"{shown(name)} (rows: {count})" for name, count in counts.most_common(SHOWN))
        more = f", and {len(counts) - SHOWN} more" if len(counts) > SHOWN else ""
        contain = "1 row of y contains" if len(self.rows) == 1 else f"{len(self.rows)} rows of y contain"
        warnings.warn(
            f"{contain} {self.what} that did not occur in fit: {named}{more}. {consequence} are"
            f" ignored. The {self.what} are {listed(self.known)}. Correct the names, or fit with all of them.",
            InfimumWarning,
            stacklevel=5,
        )


def merge_classes(y: Any, classes: Any = None, kind: str = "labels") -> Any:
    """Replace names that are variants of other names by the names that they stand for.

    Variants differ from a more frequent name by case, blanks or punctuation at the end, or by one or two letters if
    their counts are very unequal. Several names that are joined, such as ``"cat;dog"``, become a candidate set.
    ``"not cat"`` becomes ``Not("cat")``. The warning that `fit` gives about such names lists all replacements.

    Parameters
    ----------
    y : list, array, column of a DataFrame or Votes
        One entry per row, in any format that `fit` accepts.
    classes : list, optional
        The right names. They are never replaced, however rare they are. Names that resemble none of them are kept.
    kind : {"labels", "tags", "ranking"}, default "labels"
        The output type. Items and tags are renamed only; joined names are kept.

    Returns
    -------
    list or Votes
        One cell per row: a name, a set of names, `Not`, or None for an unlabelled row. For rankings, lists of pairs.
        For votes, the same annotators with merged answers.

    Examples
    --------
    >>> y = ["cat", "cat ", "Cat", "dog", "dog", "cat;dog", "not cat", None]
    >>> merge_classes(y)[:5], merge_classes(y)[5] == {"cat", "dog"}, merge_classes(y)[6:]
    (['cat', 'cat', 'cat', 'dog', 'dog'], True, [Not('cat'), None])
    """
    from . import OUTPUT_TYPES

    with_names = [name for name, space in OUTPUT_TYPES.items() if space.name_words]
    if kind not in with_names:
        raise ValueError(f"kind must be one of {', '.join(map(repr, with_names))}. Got {kind!r}.")
    known = [] if classes is None else list(classes)
    space = OUTPUT_TYPES[kind].for_cells([])
    if isinstance(y, Votes):
        answers, gold = y.answers.tolist(), [] if y.gold is None else y.gold.tolist()
        cells = merge_classes([*answers, *gold], classes, kind)
        return y.with_answers(cells[: len(answers)], cells[len(answers) :] if gold else None)
    cells = _cells(y, space)
    if not space.names_in(cells, known):
        cells = space.to_cells(space.fit(y).read(y))
    counts = {name: len(rows) for name, rows in space.names_in(cells, known).items()}
    return space.rename_cells(cells, space.look_alikes(counts, known), known)


def _cells(y: Any, space: OutputSpace) -> list:
    """Return y, cell by cell; None for an unlabelled row."""
    found = None if isinstance(y, Sets) else normalise_y(y, "")
    if not isinstance(found, Column):
        return space.to_cells(space.fit(y).read(y))
    cells = found.cells.tolist() if found.typed else found.cells
    return [None if gone else cell for cell, gone in zip(cells, found.missing)]


def variants_of(unknown: Iterable, known: list, what: str) -> str:
    """Return the sentences of an error that say which unknown names look like known ones, and how to merge them.

    >>> print(variants_of(["Cat", "cow"], ["cat", "dog"], "labels").strip())
    'Cat' looks like 'cat'. To merge such names, pass infimum.merge_classes(y, classes=[…]).
    """
    names = [str(name) for name in known]
    found = look_alikes({name: 1 for name in unknown if isinstance(name, str)}, names)[:SHOWN]
    if not found:
        return ""
    kind = "" if what == "labels" else f", kind={what!r}"
    alike = ", ".join(f"{one.name!r} looks like {one.meaning}" for one in found)
    return f"{alike}. To merge such names, pass infimum.merge_classes(y, classes=[…]{kind}). "


def warn_of_look_alikes(space: OutputSpace, names: Any, counts: Any) -> None:
    """Warn about names that look like variants of others, with the call that merges them."""
    what, parameter = space.name_words
    found = space.look_alikes({name: int(n) for name, n in zip(names.tolist(), counts) if n and isinstance(name, str)})
    if found:
        kind = "" if space.has_candidates else f", kind={space.kind!r}"
        warnings.warn(
            f"{look_alike_text(found, what)}\nIf they mean the same, merge them: y = infimum.merge_classes(y{kind})."
            f" If they are distinct, pass all names as {parameter}=[…].",
            InfimumWarning,
            stacklevel=5,
        )
