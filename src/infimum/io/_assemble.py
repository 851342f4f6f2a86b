"""Turn the answers of a file into y: their meaning, skipped rows, and several annotators per row."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Any

from ..data.names import ordered
from ..outputs import Not, OutputSpace
from ..outputs.cells import COMBINATIONS, Conflict
from ..outputs.labels.cells import label_cell
from ..outputs.rankings.cells import bucket_pairs
from ._files import BadRecords
from ._frames import frame_of
from ._meaning import KINDS, Answer, Choices, Entry, MeaningError, ReadOptions, Verbatim, ambiguous, one_of, short
from ._records import Records, new_space
from ._tree import Tree

HINTS = 10  # misspelled names for which the closest class is searched
FORMS = {"names": None, "flags": None, "order": "ranking", "number": "number"}


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
    answers = _Answers(source, entries, options, tuple(meanings), tree)
    rows = _merged(answers, _answered(answers))
    return Records(
        [entry.id for entry, _, _ in rows],
        frame_of(
            [entry.data for entry, _, _ in rows],
            options.backend,
            dict.fromkeys(column for entry in entries for column in entry.data),
        ),
        [cell for _, _, cell in rows],
        answers.space.kind,
        [annotator for _, annotator, _ in rows] if options.annotators == "rows" else None,
        answers.classes if answers.space.kind in ("labels", "tags") else [],
        dict(tree.parent) if tree is not None else None,
        [entry.place for entry, _, _ in rows],
    )


class _Answers:
    """The answers of one file, the output type of their cells, and the cell of each answer."""

    def __init__(self, source: str, entries: list[Entry], options: ReadOptions, meanings: tuple, tree: Tree | None):
        self.source, self.entries, self.options, self.tree = source, entries, options, tree
        self.meaning, self.unticked = options.meaning, options.unticked
        every = [(entry, answer) for entry in entries for answer in entry.answers]
        kind = self._kind(every)
        self.classes = self._classes(every) if kind is None else []
        if kind is None:
            if self.meaning is None:
                self.meaning = self._infer_meaning(every, meanings)
            if self.meaning == "all_of" and self.unticked is None:
                self._require_unticked(every)
            kind = KINDS[self.meaning]
        if kind == "tags" and tree is not None:
            self.classes = list(tree.parent)
        self.space: OutputSpace = new_space(kind, names=self.classes)

    def _kind(self, every: list) -> str | None:
        """Return the output type that the form of the answers implies; None for names, whose meaning decides."""
        first: dict = {}
        for entry, answer in every:
            if answer.form in FORMS:
                first.setdefault(FORMS[answer.form], (entry.place, answer.value))
        if len(first) > 1:
            (place, value), (other, another) = list(first.values())[:2]
            raise ValueError(
                f"{self.source} mixes kinds of answers: {short(value)} ({place}) and {short(another)} ({other})."
                " Read one question at a time."
            )
        return next(iter(first), None)

    def _classes(self, every: list) -> list:
        """Return the names that may be selected: the given ones, otherwise all that the file offers or names."""
        named: dict[Hashable, None] = {}
        bad = BadRecords(self.source)
        given = set(self.options.classes or ())
        for entry, answer in every:
            if answer.form not in ("names", "flags"):
                continue
            names = dict.fromkeys([*(answer.options or ()), *answer.value])
            named.update(names)
            for name in names if self.options.classes is not None else ():
                if name not in given:
                    hint = _closest(name, given) if len(bad.found) < HINTS else ""
                    bad.add(entry.place, f"{name!r} is not among the classes{hint}")
        bad.refuse(f"The classes are {short(ordered(given))}. Correct the file, or list all classes.")
        if self.tree is not None:
            return self.tree.classes()
        return list(self.options.classes) if self.options.classes is not None else ordered(named)

    def _infer_meaning(self, every: list, meanings: tuple) -> str:
        """Return "one_of" if no answer has more than one name; raise `MeaningError` otherwise."""
        several = [(e, a) for e, a in every if (a.form == "names" and len(a.value) > 1) or _two_accepted(a)]
        if not several:
            return "one_of"
        names = several[0][1].form == "names"
        others = [(e, a) for e, a in every if a.form == several[0][1].form and a.value and a is not several[0][1]]
        choices: dict[str, tuple[str, Callable]] = {
            'meaning="one_of"': ("one_of", self._label),
            'meaning="all_of", unticked="no"': ("all_of", lambda answer: self._tags(answer, "no")),
            'meaning="known_tags"': ("known_tags", lambda answer: self._tags(answer, "unknown")),
            'meaning="order"': ("order", lambda answer: bucket_pairs([[name] for name in answer.value])),
        }
        raise ambiguous(
            self.source, "meaning", "what several names in one answer mean",
            [(e.place, a) for e, a in (several[0], *others[:1])],
            {text: outcome for text, (meaning, outcome) in choices.items()
             if meaning in meanings and (names or meaning not in ("one_of", "all_of"))},
        )  # fmt: skip

    def _require_unticked(self, every: list) -> None:
        """Raise `MeaningError` if answers leave names unselected and nobody said what that means."""
        examples = [(e.place, a) for e, a in every if a.form == "names"]
        choices: Choices = {
            'unticked="no"': lambda answer: self._tags(answer, "no"),
            'unticked="unknown"': lambda answer: self._tags(answer, "unknown"),
        }
        if examples:
            raise ambiguous(self.source, "unticked", "what an unticked name means", examples, choices)

    def cell(self, answer: Answer) -> Any:
        """Return the cell of y for an answer; raise ValueError if there is none."""
        if answer.form in ("unknown", "skipped"):
            return None
        if answer.form == "number":
            return answer.value
        if answer.form == "order":
            return bucket_pairs(answer.value)
        if self.meaning == "order":
            return bucket_pairs([[name] for name in answer.value])
        if self.meaning == "one_of":
            return self._label(answer)
        return self._tags(answer, "unknown" if self.meaning == "known_tags" else self.unticked) or None

    def _label(self, answer: Answer) -> Any:
        if answer.form == "names":
            names = list(answer.value)
            if self.tree is not None:
                names = [leaf for name in names for leaf in self.tree.under[name]]
            return label_cell(names) if names else None
        accepted = [name for name, present in answer.value.items() if present]
        if len(accepted) > 1:
            raise ValueError(f"at most one label can be true, got {', '.join(map(repr, accepted))}")
        rejected = [name for name, present in answer.value.items() if not present]
        return label_cell(accepted) if accepted else Not(*rejected) if rejected else None

    def _tags(self, answer: Answer, unticked: str | None) -> dict:
        known = dict(answer.value) if answer.form == "flags" else dict.fromkeys(answer.value, True)
        if self.tree is not None:  # a node implies its ancestors; its descendants stay unknown
            ticked = [name for name, present in known.items() if present]
            known = dict.fromkeys([node for name in ticked for node in [*self.tree.above(name), name]], True) | known
            hidden = {node for name in ticked for node in self.tree.below(name)}
            offered = [node for node in self.tree.parent if node not in hidden]
        else:
            offered = list(answer.options or self.classes)
        if unticked == "no" and answer.form == "names":  # flags list every name that was asked about
            known |= {name: False for name in offered if name not in known}
        return {name: known[name] for name in ordered(known)}

    def is_skipped(self, answer: Answer) -> bool:
        """Whether there is no answer; an empty list is none for labels."""
        empty = self.space.kind == "labels" and answer.form == "names" and not answer.value
        return answer.form == "skipped" or empty


Kept = list[tuple[Entry, list[tuple[Any, Any]]]]
"""(annotator, cell) of every answer, for every entry."""


def _answered(answers: _Answers) -> Kept:
    """Return the cells of every entry; skipped answers are dropped or unlabelled."""
    options, bad, rows = answers.options, BadRecords(answers.source), []
    skips = [entry for entry in answers.entries if any(map(answers.is_skipped, entry.answers))]
    if skips and options.skipped is None:
        choices: Choices = {'skipped="unknown"': "an unlabelled row (None)", 'skipped="drop"': "left out"}
        examples = [(entry.place, Verbatim("skipped, or an empty answer")) for entry in skips]
        raise ambiguous(answers.source, "skipped", "what a skipped row means", examples, choices)
    for entry in answers.entries:
        kept = []
        for answer in entry.answers:
            if options.skipped == "drop" and answers.is_skipped(answer):
                continue
            try:
                kept.append((answer.annotator, answers.cell(answer)))
            except ValueError as error:
                bad.add(entry.place, str(error))
        if kept or not entry.answers:  # a row without any answer stays, unlabelled
            rows.append((entry, kept))
    bad.refuse('Correct the file, or read the names as tags with meaning="known_tags".')
    return rows


def _merged(answers: _Answers, rows: Kept) -> list[tuple[Entry, Any, Any]]:
    """Return (entry, annotator, cell), one for every row of y."""
    how, conflict = answers.options.annotators, answers.options.conflict
    if how == "rows":
        return [(entry, who, cell) for entry, kept in rows for who, cell in kept or [(None, None)]]
    several = [(entry, kept) for entry, kept in rows if len(kept) > 1]
    if several and how is None:
        raise _how_to_merge(answers, several)
    merged, bad = [], BadRecords(answers.source)
    for entry, kept in rows:
        try:
            cell = _combine(answers.space, kept, how)
        except Conflict as error:
            if conflict == "error":
                bad.add(entry.place, f"{error}: {_quoted(kept)}")
            if conflict in ("error", "drop"):
                continue
            cell = _resolve(answers.space, kept, conflict)
        merged.append((entry, None, cell))
    bad.refuse(
        'The annotators contradict each other there. Choose with conflict="unknown", "union", "vote" or "drop".'
    )
    return merged


def _combine(space: OutputSpace, kept: list, how: str | None) -> Any:
    """Return one cell for the answers of a row."""
    cells = [cell for _, cell in kept if cell is not None]
    if len(cells) < 2:
        return cells[0] if cells else None
    return getattr(space, f"{how or 'intersect'}_cells")(cells)


def _resolve(space: OutputSpace, kept: list, conflict: str) -> Any:
    """Return the cell of a row whose answers contradict each other; None if a vote on orders has a cycle."""
    try:
        return None if conflict == "unknown" else _combine(space, kept, conflict)
    except Conflict:
        return None


def _how_to_merge(answers: _Answers, several: Kept) -> MeaningError:
    def merged(kept: list, how: str) -> Any:
        try:
            return _combine(answers.space, kept, how)
        except ValueError as error:
            return Verbatim(f"an error: {error} (or conflict=…)")

    choices: Choices = {'annotators="rows"': lambda kept: Verbatim(f"{len(kept)} rows")}
    choices |= {f'annotators="{how}"': partial(merged, how=how) for how in COMBINATIONS}
    examples = [(entry.place, kept) for entry, kept in several]
    question = "how several annotators of one row are merged"
    return ambiguous(answers.source, "annotators", question, examples, choices, _quoted)


def _quoted(kept: list) -> str:
    """Return the answers of a row by annotator, as an error message shows them."""
    names = [k + 1 if who is None else who for k, (who, _) in enumerate(kept)]
    return "; ".join(f"annotator {name}: {short(cell, 60)}" for name, (_, cell) in zip(names, kept))


def _two_accepted(answer: Answer) -> bool:
    return answer.form == "flags" and sum(map(bool, answer.value.values())) > 1


def _closest(name: Any, classes: Iterable) -> str:
    """Return a hint if a class has nearly the same spelling."""
    close = difflib.get_close_matches(str(name).strip().lower(), [str(c).lower() for c in classes], n=1)
    match = next((c for c in classes if close and str(c).lower() == close[0]), None)
    return f" (did it mean {match!r}?)" if match is not None else ""
