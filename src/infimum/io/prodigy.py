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
from ._files import BadRecords, Path_, check_scalars, name_of, read_records, write_json_lines
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
    first = {"options" in record: place for place, record in reversed(found)}
    if len(first) > 1:
        raise ValueError(
            f"{source} mixes choices ({first[True]}) and decisions without options ({first[False]})."
            " Export one dataset at a time."
        )
    binary = True not in first
    bad = BadRecords(source)
    entries: dict[Any, Entry] = {}
    for k, (place, task) in enumerate(found):
        with bad.at(place):
            answer = _decision(task) if binary else _choice(task, reject)
            if not binary and (task["answer"], reject) == ("reject", "drop"):
                continue
            key = task.get("_input_hash")
            new = Entry(k + 1 if key is None else key, place, _data(task))
            entry = entries.setdefault(f"line {k}" if key is None else key, new)
            if binary:
                _join(entry.answers, answer)
            else:
                entry.answers.append(answer)
    bad.raise_if_any("A task has an 'answer', and a 'label' or 'options' with those selected in 'accept'.")
    rejected = [(place, task.get("accept") or []) for place, task in found if task["answer"] == "reject"]
    if rejected and not binary and reject is None:
        outcomes: Choices = {
            'reject="not"': lambda names: Not(*names) if names else None,
            'reject="unknown"': "None",
            'reject="drop"': "left out",
        }
        raise ambiguous(source, "reject", "what a rejected choice means", rejected, outcomes)
    if binary and meaning is None and classes is None:
        _check_single_label(source, list(entries.values()))
    return assemble(source, list(entries.values()), options)


def _answer(task: dict) -> tuple[str, Any]:
    """Return whether a task was accepted, rejected or ignored, and by whom."""
    answer = task.get("answer")
    if answer not in ANSWERS:
        raise ValueError(f"expected 'answer' to be accept, reject or ignore, got {answer!r}")
    return answer, task.get("_annotator_id", task.get("_session_id"))


def _decision(task: dict) -> Answer:
    """Return the decision about one label."""
    (answer, who), label = _answer(task), task.get("label")
    if answer == "ignore":
        return Answer("skipped", None, who)
    if not isinstance(label, str):
        raise ValueError(f"expected a text in 'label', got {label!r}")
    return Answer("flags", {label: answer == "accept"}, who)


def _choice(task: dict, reject: str | None) -> Answer:
    """Return the choice among options."""
    answer, who = _answer(task)
    given = task["options"] if isinstance(task["options"], list) else [task["options"]]
    options = tuple(option.get("id") if isinstance(option, dict) else option for option in given)
    if not all(isinstance(option, str | int | float) for option in options):
        raise ValueError(f"expected options with a text or a number in 'id', got {shown(task['options'])}")
    accept = task.get("accept") or []
    accept = accept if isinstance(accept, list) else [accept]
    unknown = [name for name in accept if name not in options]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is selected, but the options are [{listed(options)}]")
    if answer == "reject" and reject == "not" and accept:
        return Answer("flags", dict.fromkeys(accept, False), who, options)
    form = {"accept": "names", "reject": "unknown", "ignore": "skipped"}[answer]
    return Answer(form, accept if form == "names" else None, who, options)


def _join(answers: list[Answer], new: Answer) -> None:
    """Add a decision to the answers about an input; the decisions of one annotator are one answer."""
    for k, same in enumerate(answers):
        if same.annotator != new.annotator:
            continue
        if same.form == "skipped":  # decisions on other labels replace an ignored one
            answers[k] = new
        elif new.form == "flags":
            twice = [label for label, there in new.value.items() if same.value.get(label, there) != there]
            if twice:
                raise ValueError(
                    f"{twice[0]!r} is accepted and rejected by the same annotator. Keep the valid decision: prodigy"
                    " db-out writes every one that was made"
                )
            answers[k] = same._replace(value={**same.value, **new.value})
        return
    answers.append(new)


def _data(task: dict) -> dict:
    """Return the data of a task; the entries of "meta" become columns "meta.…"."""
    data = {name: value for name, value in task.items() if name not in OWN and not name.startswith("_")}
    meta = data.pop("meta", None)
    return data | ({f"meta.{name}": value for name, value in meta.items()} if isinstance(meta, dict) else {})


def _check_single_label(source: str, entries: list[Entry]) -> None:
    """Raise `MeaningError` if `Not` the only label would leave no class."""
    decided = [(entry.place, answer) for entry in entries for answer in entry.answers if answer.form == "flags"]
    rejected = [(place, answer) for place, answer in decided if not any(answer.value.values())]
    if rejected and len({name for _, answer in decided for name in answer.value}) == 1:
        choices: Choices = {
            'meaning="known_tags"': lambda answer: answer.value,
            'meaning="one_of", classes=[…]': lambda answer: Not(*answer.value),
        }
        question = "what the label is when it is not the only one there is"
        raise ambiguous(source, "meaning", question, rejected, choices)


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

    def selected(cell: Any) -> list[str]:
        found = text_names(cell, classes)
        outside = [name for name in found if name not in names]
        if outside:
            raise ValueError(f"{outside[0]!r} is not among the classes {names}")
        return found

    tasks = []
    for row, value in zip(rows, converted(rows, selected, "Pass labels, sets of labels or tags.")):
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
