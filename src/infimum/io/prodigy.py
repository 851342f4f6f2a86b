"""Prodigy: read annotated tasks in JSON Lines, write tasks.

Shapes: https://prodi.gy/docs/api-interfaces, and the samples of explosion/prodigy-recipes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..data.errors import listed, shown
from ..outputs import Not
from ._assemble import assemble
from ._docs import FILES
from ._files import BadRecords, Found, Path_, check_scalars, name_of, read_records, write_json_lines
from ._meaning import Answer, Choices, Entry, ReadOptions, ambiguous, one_of
from ._records import Records
from ._write import converted, rows_to_write, text_names

OWN = ("answer", "accept", "options", "label", "config", "tokens", "spans")
ANSWERS = ("accept", "reject", "ignore")
REJECTED = ("not", "unknown", "drop")


@FILES
def read_prodigy(
    path: Path_ | Iterable[dict],
    *,
    meaning: str | None = None,
    unticked: str | None = None,
    skipped: str | None = None,
    reject: str | None = None,
    annotators: str | None = None,
    conflict: str = "error",
    classes: list | None = None,
    backend: str | None = None,
) -> Records:
    """Read the JSON Lines of ``prodigy db-out``: binary decisions on a label, or choices among options.

    In binary decisions, accept is the label, reject is `Not` the label, and ignore is skipped. All lines of one
    annotator with the same input (``_input_hash``) are one answer. As tags (``meaning="known_tags"``), accept and
    reject are True and False.

    Parameters
    ----------
    path : path, or the tasks as a list of dicts
        The file.
    meaning : shared
    reject : {"not", "unknown", "drop"}, optional
        What a rejected task with options means: none of the selected ones is true, an unlabelled row, or a row to leave
        out. Prodigy does not define it.
    unticked, skipped, annotators, conflict, classes, backend : shared

    Examples
    --------
    >>> read_prodigy([{"text": "you fool", "label": "INSULT", "answer": "accept"},
    ...               {"text": "hello", "label": "SPAM", "answer": "reject"}]).y
    ['INSULT', Not('SPAM')]
    """
    options = ReadOptions(meaning, unticked, skipped, annotators, conflict, classes, backend)
    if reject is not None:
        one_of("reject", reject, REJECTED)
    source = name_of(path)
    found = read_records(path)
    check_scalars(source, found, "_input_hash", "_annotator_id", "_session_id")
    bad = BadRecords(source)
    binary = _is_binary(source, found)
    answers = [_binary(f, bad) if binary else _choice(f, bad, reject) for f in found]
    bad.refuse("A task has an 'answer', and a 'label' or 'options' with those selected in 'accept'.")
    if not binary and reject is None:
        _require_reject(source, found)
    if reject == "drop":
        kept = [k for k, answer in enumerate(answers) if answer.form != "dropped"]
        found, answers = [found[k] for k in kept], [answers[k] for k in kept]
    entries = _grouped(source, found, answers, binary)
    if binary and meaning is None:
        _check_single_label(source, entries, classes)
    return assemble(source, entries, options)


def _is_binary(source: str, found: list[Found]) -> bool:
    options = [record for record in found if "options" in record.value]
    if options and len(options) < len(found):
        other = next(record for record in found if "options" not in record.value)
        raise ValueError(
            f"{source} mixes choices ({options[0].place}) and decisions without options ({other.place})."
            " Export one dataset at a time."
        )
    return not options


def _decision(found: Found, bad: BadRecords) -> str | None:
    answer = found.value.get("answer")
    if answer not in ANSWERS:
        bad.add(found.place, f"expected 'answer' to be accept, reject or ignore, got {answer!r}")
        return None
    return answer


def _who(task: dict) -> Any:
    return task.get("_annotator_id", task.get("_session_id"))


def _binary(found: Found, bad: BadRecords) -> Answer:
    answer, label = _decision(found, bad), found.value.get("label")
    if answer == "ignore":
        return Answer("skipped", annotator=_who(found.value))
    if not isinstance(label, str):
        bad.add(found.place, f"expected a text in 'label', got {label!r}")
    return Answer("flags", {label: answer == "accept"}, _who(found.value))


def _choice(found: Found, bad: BadRecords, reject: str | None) -> Answer:
    task, answer = found.value, _decision(found, bad)
    given = task["options"] if isinstance(task["options"], list) else [task["options"]]
    options = [option.get("id") if isinstance(option, dict) else option for option in given]
    if not all(isinstance(option, str | int | float) for option in options):
        bad.add(found.place, f"expected options with a text or a number in 'id', got {shown(task['options'])}")
        return Answer("skipped")
    accept = task.get("accept") or []
    accept = accept if isinstance(accept, list) else [accept]
    unknown = [name for name in accept if name not in options]
    if unknown:
        bad.add(found.place, f"{unknown[0]!r} is selected, but the options are [{listed(options)}]")
    who = _who(task)
    if answer == "ignore":
        return Answer("skipped", None, who, tuple(options))
    if answer == "reject":
        if reject == "not" and accept:
            return Answer("flags", dict.fromkeys(accept, False), who, tuple(options))
        return Answer("dropped" if reject == "drop" else "unknown", None, who, tuple(options))
    return Answer("names", accept, who, tuple(options))


def _require_reject(source: str, found: list[Found]) -> None:
    rejected = [(f.place, f.value.get("accept") or []) for f in found if f.value.get("answer") == "reject"]
    if rejected:
        choices: Choices = {
            'reject="not"': lambda names: Not(*names) if names else None,
            'reject="unknown"': "None",
            'reject="drop"': "left out",
        }
        raise ambiguous(source, "reject", "what a rejected choice means", rejected, choices)


def _grouped(source: str, found: list[Found], answers: list[Answer], binary: bool) -> list[Entry]:
    """Return one entry for every input; the decisions of one annotator about its labels are one answer."""
    entries: dict[Any, Entry] = {}
    bad = BadRecords(source)
    for k, (record, answer) in enumerate(zip(found, answers)):
        task = record.value
        key = task.get("_input_hash", f"line {k}")
        entry = entries.setdefault(key, Entry(task.get("_input_hash", k + 1), record.place, _data(task)))
        same = next((a for a in entry.answers if a.annotator == answer.annotator), None) if binary else None
        if same is None or "flags" not in (same.form, answer.form):
            if same is None:
                entry.answers.append(answer)
            continue
        at = entry.answers.index(same)
        if "skipped" in (same.form, answer.form):  # decisions on other labels replace an ignored one
            entry.answers[at] = answer if same.form == "skipped" else same
            continue
        for label, there in answer.value.items():
            if same.value.get(label, there) != there:
                bad.add(record.place, f"{label!r} is accepted and rejected by the same annotator")
        entry.answers[at] = same._replace(value={**same.value, **answer.value})
    bad.refuse("Keep the valid decision: prodigy db-out writes every one that was made.")
    return list(entries.values())


def _data(task: dict) -> dict:
    """Return the data of a task; the entries of "meta" become columns "meta.…"."""
    data = {name: value for name, value in task.items() if name not in OWN and not name.startswith("_")}
    meta = data.pop("meta", None)
    return data | ({f"meta.{name}": value for name, value in meta.items()} if isinstance(meta, dict) else {})


def _check_single_label(source: str, entries: list[Entry], classes: list | None) -> None:
    """Raise `MeaningError` if `Not` the only label would leave no class."""
    decided = [(e, a) for e in entries for a in e.answers if a.form == "flags"]
    names = {name for _, answer in decided for name in answer.value}
    rejected = [(e, a) for e, a in decided if not any(a.value.values())]
    if classes is None and len(names) == 1 and rejected:
        choices: Choices = {
            'meaning="known_tags"': lambda answer: answer.value,
            'meaning="one_of", classes=[…]': lambda answer: Not(*answer.value),
        }
        examples = [(e.place, a) for e, a in rejected]
        raise ambiguous(source, "meaning", "what the label is when it is not the only one there is", examples, choices)


@FILES
def write_prodigy(
    path: Path_,
    records: Any,
    y: Any = None,
    *,
    classes: list,
    text: str | None = None,
    score: Any = None,
    role: str = "questions",
) -> None:
    """Write tasks for the choice interface of Prodigy, one per line, completely or not at all.

    Every row offers the `classes` as options, with the candidates of y selected; unlabelled rows (None) have none
    selected. With ``role="answers"`` the rows contain ``"answer": "accept"`` ("ignore" if unlabelled), and
    `read_prodigy` restores labels, sets of labels and tags given their meaning. `Not` becomes the other classes. Orders
    and numbers raise an error.

    Parameters
    ----------
    path, records, y : shared
    classes : list
        All the options.
    text : str, optional
        The column that Prodigy shows as "text"; by default the one of that name.
    score : shared
    role : {"questions", "answers"}
        Whether y are shown as proposals or stored as answers.
    """
    one_of("role", role, ("questions", "answers"))
    rows = rows_to_write(records, y, score, classes)
    names = [str(name) for name in classes]
    values = converted(rows, lambda cell: _selected(cell, classes, names), "Pass labels, sets of labels or tags.")
    tasks = []
    for row, value in zip(rows, values):
        task = {name: value for name, value in row.data.items() if not name.startswith("meta.")}
        meta = {name.removeprefix("meta."): value for name, value in row.data.items() if name.startswith("meta.")}
        if text is not None and text != "text":
            task["text"] = task.pop(text, None)
        taken = [name for name in OWN if name in task]
        if taken:
            raise ValueError(f"The data have a column {taken[0]!r}, which is reserved in Prodigy. Rename it.")
        task |= {"options": [{"id": name, "text": name} for name in names], "accept": value or []}
        if row.score is not None:
            meta["score"] = row.score
        if meta:
            task["meta"] = meta
        if role == "answers":
            task |= {"answer": "ignore" if value is None else "accept", "_view_id": "choice"}
        tasks.append(task)
    write_json_lines(path, tasks)


def _selected(cell: Any, classes: list, names: list[str]) -> list[str]:
    selected = text_names(cell, classes)
    outside = [name for name in selected if name not in names]
    if outside:
        raise ValueError(f"{outside[0]!r} is not among the classes {names}")
    return selected
