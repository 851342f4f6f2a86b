"""Turn the answers of a file into y: their meaning, skipped rows, and several annotators per row."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any

from ..data.names import ordered
from ..outputs import Not, OutputSpace
from ..outputs.cells import COMBINATIONS, Conflict
from ..outputs.labels.cells import label_cell
from ..outputs.rankings.cells import bucket_pairs
from ._files import BadRecords
from ._frames import frame_of
from ._meaning import KINDS, Answer, Choices, Entry, ReadOptions, Verbatim, ambiguous, one_of, short
from ._records import Records, new_space
from ._tree import Tree

HINTS = 10  # misspelled names for which the closest class is searched
FORMS = {"names": None, "flags": None, "order": "ranking", "number": "number"}
"""The output type of each form of answers; the meaning decides about names."""


def assemble(
    source: str,
    entries: list[Entry],
    options: ReadOptions,
    *,
    meanings: Iterable[str] = ("one_of", "all_of", "known_tags"),
    tree: Tree | None = None,
) -> Records:
    """Return the records of a file from its entries."""
    if options.meaning is not None:
        one_of("meaning", options.meaning, meanings)
    cells = _Cells(source, entries, options, tuple(meanings), tree)
    rows = _merged(source, cells.space, cells.of(entries), options)
    columns = dict.fromkeys(column for entry in entries for column in entry.data)
    return Records(
        [entry.id for entry, _, _ in rows],
        frame_of([entry.data for entry, _, _ in rows], options.backend, columns),
        [cell for _, _, cell in rows],
        cells.space.kind,
        [annotator for _, annotator, _ in rows] if options.annotators == "rows" else None,
        cells.classes if cells.space.kind in ("labels", "tags") else [],
        dict(tree.parent) if tree is not None else None,
        [entry.place for entry, _, _ in rows],
    )


class _Cells:
    """Cells of y from the answers of one file: the output type, the names, and what several names mean."""

    def __init__(self, source: str, entries: list[Entry], options: ReadOptions, meanings: tuple, tree: Tree | None):
        self.source, self.options, self.tree, self.classes = source, options, tree, []
        self.meaning, self.unticked = options.meaning, options.unticked
        every = [(entry.place, answer) for entry in entries for answer in entry.answers]
        kind = self._kind(every)
        if kind is None:
            named = [(place, answer) for place, answer in every if FORMS.get(answer.form, "") is None]
            self.classes = self._names(named)
            self.meaning = self.meaning or self._infer_meaning(named, meanings)
            if self.meaning == "all_of" and self.unticked is None:
                self._require_unticked(named)
            kind = KINDS[self.meaning]
        if kind == "tags" and tree is not None:
            self.classes = list(tree.parent)
        self.space: OutputSpace = new_space(kind, names=self.classes)

    def _kind(self, every: list) -> str | None:
        """Return the output type that the form of the answers implies; None for names, whose meaning decides."""
        first: dict = {}
        for place, answer in every:
            if answer.form in FORMS:
                first.setdefault(FORMS[answer.form], f"{short(answer.value)} ({place})")
        if len(first) > 1:
            raise ValueError(
                f"{self.source} mixes kinds of answers: {' and '.join(list(first.values())[:2])}."
                " Read one question at a time."
            )
        return next(iter(first), None)

    def _names(self, named: list) -> list:
        """Return the names that may be selected: the given ones, otherwise all that the file offers or names."""
        classes = self.options.classes
        given = set(classes or ())
        found: dict[Any, None] = {}
        bad = BadRecords(self.source)
        for place, answer in named:
            names = dict.fromkeys([*(answer.options or ()), *answer.value])
            found.update(names)
            for name in names if classes is not None else ():
                if name not in given:
                    hint = _closest(name, given) if len(bad.found) < HINTS else ""
                    bad.add(place, f"{name!r} is not among the classes{hint}")
        bad.raise_if_any(f"The classes are {short(ordered(given))}. Correct the file, or list all classes.")
        if self.tree is not None:
            return self.tree.classes()
        return ordered(found) if classes is None else list(classes)

    def _infer_meaning(self, named: list, meanings: tuple) -> str:
        """Return "one_of" if no answer has more than one name; raise `MeaningError` otherwise."""
        several = next(((place, a) for place, a in named if len(_selected(a)) > 1), None)
        if several is None:
            return "one_of"
        form = several[1].form
        other = [(place, a) for place, a in named if a.form == form and a.value and a is not several[1]][:1]
        choices: dict[str, tuple[str, Callable]] = {
            'meaning="one_of"': ("one_of", self._label),
            'meaning="all_of", unticked="no"': ("all_of", lambda answer: self._tags(answer, "no")),
            'meaning="known_tags"': ("known_tags", lambda answer: self._tags(answer, "unknown")),
            'meaning="order"': ("order", self._order),
            'meaning="top"': ("top", partial(self._order, top=True)),
        }
        possible = meanings if form == "names" else ("known_tags", "order")
        shown: Choices = {text: cell for text, (one, cell) in choices.items() if one in meanings and one in possible}
        raise ambiguous(self.source, "meaning", "what several names in one answer mean", [several, *other], shown)

    def _require_unticked(self, named: list) -> None:
        """Raise `MeaningError` if answers leave names unselected and nobody said what that means."""
        examples = [(place, answer) for place, answer in named if answer.form == "names"]
        choices: Choices = {
            'unticked="no"': lambda answer: self._tags(answer, "no"),
            'unticked="unknown"': lambda answer: self._tags(answer, "unknown"),
        }
        if examples:
            raise ambiguous(self.source, "unticked", "what an unticked name means", examples, choices)

    def of(self, entries: list[Entry]) -> Kept:
        """Return the cells of every entry; skipped answers are dropped or unlabelled."""
        skipped, bad, rows = self.options.skipped, BadRecords(self.source), []
        skips = [entry for entry in entries if any(map(self._is_skipped, entry.answers))]
        if skips and skipped is None:
            choices: Choices = {'skipped="unknown"': "an unlabelled row (None)", 'skipped="drop"': "left out"}
            examples = [(entry.place, Verbatim("skipped, or an empty answer")) for entry in skips]
            raise ambiguous(self.source, "skipped", "what a skipped row means", examples, choices)
        for entry in entries:
            kept = []
            for answer in entry.answers:
                if skipped != "drop" or not self._is_skipped(answer):
                    with bad.at(entry.place):
                        kept.append((answer.annotator, self._cell(answer)))
            if kept or not entry.answers:  # a row without any answer stays, unlabelled
                rows.append((entry, kept))
        bad.raise_if_any('Correct the file, or read the names as tags with meaning="known_tags".')
        return rows

    def _is_skipped(self, answer: Answer) -> bool:
        """Whether there is no answer; an empty list is none for labels."""
        empty = self.space.kind == "labels" and answer.form == "names" and not answer.value
        return answer.form == "skipped" or empty

    def _cell(self, answer: Answer) -> Any:
        """Return the cell of y for an answer; raise ValueError if there is none."""
        if answer.form in ("unknown", "skipped", "number"):
            return answer.value if answer.form == "number" else None
        if answer.form == "order" or self.meaning in ("order", "top"):
            return self._order(answer, self.meaning == "top")
        if self.meaning == "one_of":
            return self._label(answer)
        return self._tags(answer, "unknown" if self.meaning == "known_tags" else self.unticked) or None

    def _label(self, answer: Answer) -> Any:
        names = _selected(answer)
        if answer.form == "flags":
            if len(names) > 1:
                raise ValueError(f"at most one label can be true, got {', '.join(map(repr, names))}")
            return names[0] if names else Not(*answer.value) if answer.value else None
        if self.tree is not None:
            names = [leaf for name in names for leaf in self.tree.under[name]]
        return label_cell(names) if names else None

    def _order(self, answer: Answer, top: bool = False) -> Any:
        """Return the comparisons of an order, which is a list of buckets or of names, best first; others come last."""
        if answer.form == "order":
            return bucket_pairs(answer.value)
        others = [name for name in self.classes if name not in answer.value] if top and answer.value else []
        return bucket_pairs([*([name] for name in answer.value), others])

    def _tags(self, answer: Answer, unticked: str | None) -> dict:
        known = dict(answer.value) if answer.form == "flags" else dict.fromkeys(answer.value, True)
        offered = list(answer.options or self.classes)
        if self.tree is not None:  # a node implies its ancestors; its descendants stay unknown
            ticked = _selected(answer)
            known = dict.fromkeys([node for name in ticked for node in [*self.tree.above(name), name]], True) | known
            hidden = {node for name in ticked for node in self.tree.below(name)}
            offered = [node for node in self.tree.parent if node not in hidden]
        if unticked == "no" and answer.form == "names":  # flags list every name that was asked about
            known = dict.fromkeys(offered, False) | known
        return {name: known[name] for name in ordered(known)}


Kept = list[tuple[Entry, list[tuple[Any, Any]]]]
"""(annotator, cell) of every answer, for every entry."""


def _merged(source: str, space: OutputSpace, rows: Kept, options: ReadOptions) -> list[tuple[Entry, Any, Any]]:
    """Return (entry, annotator, cell), one for every row of y."""
    how, conflict = options.annotators, options.conflict
    if how == "rows":
        return [(entry, who, cell) for entry, kept in rows for who, cell in kept or [(None, None)]]

    def combined(kept: list, how: str | None) -> Any:
        cells = [cell for _, cell in kept if cell is not None]
        return getattr(space, f"{how}_cells")(cells) if len(cells) > 1 else cells[0] if cells else None

    several = [(entry.place, kept) for entry, kept in rows if len(kept) > 1]
    if several and how is None:

        def outcome(kept: list, how: str) -> Any:
            try:
                return combined(kept, how)
            except ValueError as error:
                return Verbatim(f"an error: {error} (or conflict=…)")

        choices: Choices = {'annotators="rows"': lambda kept: Verbatim(f"{len(kept)} rows")}
        choices |= {f'annotators="{how}"': partial(outcome, how=how) for how in COMBINATIONS}
        question = "how several annotators of one row are merged"
        raise ambiguous(source, "annotators", question, several, choices, _quoted)
    merged, bad = [], BadRecords(source)
    for entry, kept in rows:
        cell = None
        try:
            cell = combined(kept, how)
        except Conflict as error:
            if conflict == "error":
                bad.add(entry.place, f"{error}: {_quoted(kept)}")
            if conflict in ("error", "drop"):
                continue
            if conflict != "unknown":
                with suppress(Conflict):  # a vote on orders can have a cycle; the row is unlabelled then
                    cell = combined(kept, conflict)
        merged.append((entry, None, cell))
    rules = 'conflict="unknown", "union", "vote" or "drop"'
    bad.raise_if_any(f"The annotators contradict each other there. Choose with {rules}.")
    return merged


def _quoted(kept: list) -> str:
    """Return the answers of a row by annotator, as an error message shows them."""
    names = [k + 1 if who is None else who for k, (who, _) in enumerate(kept)]
    return "; ".join(f"annotator {name}: {short(cell, 60)}" for name, (_, cell) in zip(names, kept))


def _selected(answer: Answer) -> list:
    """Return the names that an answer selects."""
    return list(answer.value) if answer.form == "names" else [name for name, there in answer.value.items() if there]


def _closest(name: Any, classes: Iterable) -> str:
    """Return a hint if a class has nearly the same spelling."""
    by_text = {str(c).lower(): c for c in classes}
    close = difflib.get_close_matches(str(name).strip().lower(), list(by_text), n=1)
    return f" (did it mean {by_text[close[0]]!r}?)" if close else ""
