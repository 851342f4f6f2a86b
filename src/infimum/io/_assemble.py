"""From answers to y: what they mean, what is skipped, and how several annotators are merged. Nothing is guessed."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from ..outputs import Not
from ._cells import Cells, Conflict, bucket_pairs, in_order, label_cell
from ._files import SHOWN, Refused
from ._frames import frame_of
from ._meaning import Answer, Entry, Example, MeaningError, Reading, Shown, ambiguous, short
from ._records import Records, cells_of
from ._tree import Tree


def assemble(
    source: str,
    entries: list[Entry],
    reading: Reading,
    *,
    meanings: Iterable[str] = ("one_of", "all_of", "known_tags"),
    tree: Tree | None = None,
) -> Records:
    """Records from the entries of a file."""
    if reading.meaning is not None and reading.meaning not in meanings:
        shown = ", ".join(map(repr, meanings))
        raise ValueError(f"meaning must be one of {shown} for {source}. Got {reading.meaning!r}.")
    meant = _Meant(source, entries, reading, tuple(meanings), tree)
    rows = _answered(meant)
    merged = _merged(meant, rows)
    ids, who, places, y, data = [], [], [], [], []
    for entry, annotator, cell in merged:
        ids.append(entry.id)
        who.append(annotator)
        places.append(entry.place)
        data.append(entry.data)
        y.append(cell)
    columns = dict.fromkeys(column for entry in entries for column in entry.data)
    return Records(
        ids,
        frame_of(data, reading.backend, columns),
        y,
        meant.cells.kind,
        who if reading.annotators == "rows" else None,
        meant.classes if meant.cells.kind in ("labels", "tags") else [],
        tree.parents() if tree is not None else None,
        places,
    )


class _Meant:
    """What the answers of one file mean: the kind of y, and the cell of every answer."""

    def __init__(self, source: str, entries: list[Entry], reading: Reading, meanings: tuple, tree: Tree | None):
        self.source, self.entries, self.reading, self.tree = source, entries, reading, tree
        self.meaning, self.unticked = reading.meaning, reading.unticked
        every = [(entry, answer) for entry in entries for answer in entry.answers]
        kind = self._kind(every)
        self.classes = self._classes(every) if kind is None else []
        if kind is None and self.meaning is None:
            self.meaning = self._settled(every, meanings)
        listed = any(answer.form == "names" for _, answer in every)
        if kind is None and self.meaning == "all_of" and self.unticked is None and listed:
            raise self._what_is_unticked(every)
        if kind is None:
            kind = {"one_of": "labels", "order": "order"}.get(self.meaning or "", "tags")
        if kind == "tags" and tree is not None:
            self.classes = tree.nodes
        self.cells: Cells = cells_of(kind, self.classes)

    def _kind(self, every: list) -> str | None:
        """The kind that the form of the answers settles; None for names, whose meaning does."""
        kinds = {"names": None, "judged": None, "order": "order", "number": "number"}
        first: dict = {}
        for entry, answer in every:
            if answer.form in kinds:
                first.setdefault(kinds[answer.form], (entry.place, answer.value))
        if len(first) > 1:
            (place, value), (other, another) = list(first.values())[:2]
            raise ValueError(
                f"{self.source} mixes kinds of answers: {short(value)} ({place}) and {short(another)} ({other})."
                " Read one question at a time."
            )
        return next(iter(first), None)

    def _classes(self, every: list) -> list:
        """The names that may be ticked: those given, otherwise all that the file offers or names."""
        named: dict[Hashable, None] = {}
        bad = Refused(self.source)
        given = None if self.reading.classes is None else set(self.reading.classes)
        for entry, answer in every:
            if answer.form not in ("names", "judged"):
                continue
            names = [*(answer.options or ()), *answer.value]
            named.update(dict.fromkeys(names))
            if given is not None:
                for name in dict.fromkeys(names):
                    if name not in given:
                        hint = _nearest(name, given) if len(bad.found) < SHOWN else ""
                        bad.add(entry.place, f"{name!r} is not among the classes{hint}")
        bad.refuse(f"The classes are {short(in_order(given or ()))}. Correct the file, or name all classes.")
        if self.tree is not None:
            return self.tree.leaves_of_all()
        return list(self.reading.classes) if self.reading.classes is not None else in_order(named)

    def _settled(self, every: list, meanings: tuple) -> str:
        """The meaning, where no answer has more than one name: that name."""
        several = [(e, a) for e, a in every if (a.form == "names" and len(a.value) > 1) or _two_accepted(a)]
        if not several:
            return "one_of"
        others = [(e, a) for e, a in every if a.form == several[0][1].form and a.value and a is not several[0][1]]
        examples = [Example(e.place, a) for e, a in (several[0], *others[:1])]
        choices: dict[str, Callable] = {}
        if "one_of" in meanings and several[0][1].form == "names":
            choices['meaning="one_of"'] = self._label
        if "all_of" in meanings and several[0][1].form == "names":
            choices['meaning="all_of", unticked="no"'] = lambda answer: self._tags(answer, "no")
        if "known_tags" in meanings:
            choices['meaning="known_tags"'] = lambda answer: self._tags(answer, "unknown")
        if "order" in meanings:
            choices['meaning="order"'] = lambda answer: bucket_pairs([[name] for name in answer.value])
        raise ambiguous(self.source, "meaning", "what several names in one answer mean", examples, choices)

    def _what_is_unticked(self, every: list) -> MeaningError:
        examples = [Example(e.place, a) for e, a in every if a.form == "names"]
        choices: dict[str, Callable] = {
            'unticked="no"': lambda answer: self._tags(answer, "no"),
            'unticked="unknown"': lambda answer: self._tags(answer, "unknown"),
        }
        return ambiguous(self.source, "unticked", "what an unticked name means", examples, choices)

    def cell(self, answer: Answer) -> Any:
        """The cell of y that an answer makes; raises ValueError where it makes none."""
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
                names = [leaf for name in names for leaf in self.tree.leaves(name)]
            return label_cell(names) if names else None
        accepted = [name for name, there in answer.value.items() if there]
        if len(accepted) > 1:
            raise ValueError(f"one label at most can be true, got {', '.join(map(repr, accepted))}")
        rejected = [name for name, there in answer.value.items() if not there]
        return label_cell(accepted) if accepted else Not(*rejected) if rejected else None

    def _tags(self, answer: Answer, unticked: str | None) -> dict:
        known = dict(answer.value) if answer.form == "judged" else dict.fromkeys(answer.value, True)
        if self.tree is not None:  # a node says that it and all above it are there, and nothing of what is below
            ticked = [name for name, there in known.items() if there]
            known = dict.fromkeys([node for name in ticked for node in [*self.tree.above(name), name]], True) | known
            hidden = {node for name in ticked for node in self.tree.below(name)}
            offered = [node for node in self.tree.nodes if node not in hidden]
        else:
            offered = list(answer.options or self.classes)
        if unticked == "no" and answer.form == "names":  # a name that was not judged was not asked about
            known |= {name: False for name in offered if name not in known}
        return {name: known[name] for name in in_order(known)}


def _answered(meant: _Meant) -> list[tuple[Entry, list[tuple[Any, Any]]]]:
    """(annotator, cell) of every entry, skipped answers dropped or unknown."""
    reading, bad, rows = meant.reading, Refused(meant.source), []
    labels = meant.cells.kind == "labels"

    def is_skipped(answer: Answer) -> bool:
        return answer.form == "skipped" or (labels and answer.form == "names" and not answer.value)

    skips = [entry for entry in meant.entries if any(map(is_skipped, entry.answers))]
    if skips and reading.skipped is None:
        choices: dict[str, Callable] = {
            'skipped="unknown"': lambda said: Shown("a row of which nothing is known (None)"),
            'skipped="drop"': lambda said: Shown("left out"),
        }
        examples = [Example(entry.place, Shown("skipped, or answered with nothing")) for entry in skips]
        raise ambiguous(meant.source, "skipped", "what a skipped row means", examples, choices)
    for entry in meant.entries:
        kept = []
        for answer in entry.answers:
            if reading.skipped == "drop" and is_skipped(answer):
                continue
            try:
                kept.append((answer.annotator, meant.cell(answer)))
            except ValueError as error:
                bad.add(entry.place, str(error))
        if kept or not entry.answers:  # a row that nobody was asked about stays, unknown
            rows.append((entry, kept))
    bad.refuse('Correct the file, or read the names as tags with meaning="known_tags".')
    return rows


def _merged(meant: _Meant, rows: list) -> list[tuple[Entry, Any, Any]]:
    """(entry, annotator, cell), one for every row of y."""
    how = meant.reading.annotators
    several = [(entry, kept) for entry, kept in rows if len(kept) > 1]
    if several and how is None:
        raise _how_to_merge(meant, several)
    if how == "rows":
        return [(entry, who, cell) for entry, kept in rows for who, cell in kept or [(None, None)]]
    merged, bad = [], Refused(meant.source)
    for entry, kept in rows:
        cells = [cell for _, cell in kept if cell is not None]
        try:
            cell = _merge(meant.cells, cells, how)
        except Conflict as error:
            resolved = meant.reading.conflict
            if resolved == "refuse":
                said = "; ".join(f"{_who(who, k)} said {short(cell, 60)}" for k, (who, cell) in enumerate(kept))
                bad.add(entry.place, f"{error}: {said}")
                continue
            if resolved == "drop":
                continue
            cell = _resolve(meant.cells, cells, resolved)
        merged.append((entry, None, cell))
    bad.refuse(
        'The annotators contradict each other there. Say what to do with conflict="unknown", "union", "vote" or "drop".'
    )
    return merged


def _merge(cells: Cells, said: list, how: str | None) -> Any:
    if not said:
        return None
    if len(said) == 1:
        return said[0]
    return getattr(cells, how or "intersect")(said)


def _resolve(cells: Cells, said: list, how: str) -> Any:
    """What is made of a contradiction; votes on orders may run in a circle, and then say nothing."""
    if how == "unknown":
        return None
    try:
        return getattr(cells, how)(said)
    except Conflict:
        return None


def _how_to_merge(meant: _Meant, several: list) -> MeaningError:
    def outcome(how: str) -> Callable:
        def merged(said: Shown) -> Any:
            try:
                return _merge(meant.cells, [cell for _, cell in said.kept if cell is not None], how)
            except Conflict as error:
                return Shown(f"refused: {error} (or conflict=…)")

        return merged

    choices: dict[str, Callable] = {'annotators="rows"': lambda said: Shown(f"{len(said.kept)} rows, one an answer")}
    choices |= {f'annotators="{how}"': outcome(how) for how in ("intersect", "union", "vote")}
    examples = [
        Example(entry.place, Shown("; ".join(f"{_who(w, k)}: {short(c, 60)}" for k, (w, c) in enumerate(kept)), kept))
        for entry, kept in several
    ]
    return ambiguous(meant.source, "annotators", "how several annotators of one row are merged", examples, choices)


def _who(annotator: Any, k: int) -> str:
    return f"annotator {annotator if annotator is not None else k + 1}"


def _two_accepted(answer: Answer) -> bool:
    return answer.form == "judged" and sum(map(bool, answer.value.values())) > 1


def _nearest(name: Any, classes: Iterable) -> str:
    """A hint where a class is spelled nearly so."""
    close = difflib.get_close_matches(str(name).strip().lower(), [str(c).lower() for c in classes], n=1)
    match = next((c for c in classes if close and str(c).lower() == close[0]), None)
    return f" (did it mean {match!r}?)" if match is not None else ""
