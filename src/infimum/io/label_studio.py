"""Label Studio: read full JSON exports, write tasks with predictions or annotations.

Shapes: HumanSignal/label-studio-sdk, label_interface/control_tags.py; https://labelstud.io/guide/export.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from ..data.errors import shown
from ..outputs import Taxonomy
from ..outputs.rankings.cells import bucket_pairs
from ._assemble import assemble
from ._docs import FILES
from ._files import BadRecords, Found, Path_, check_scalars, name_of, read_records, write_json
from ._label_studio_values import TYPES, bucket_order, parsed, ranker_is_list, region_value
from ._meaning import Answer, Choices, Entry, ReadOptions, ambiguous, one_of, pick
from ._records import Records
from ._tree import Tree
from ._write import converted, rows_to_write

UNSORTED = "_"


@FILES
def read_label_studio(
    path: Path_ | Iterable[dict],
    *,
    control: str | None = None,
    meaning: str | None = None,
    unticked: str | None = None,
    skipped: str | None = None,
    annotators: str | None = None,
    conflict: str = "error",
    classes: list | None = None,
    taxonomy: Any = None,
    buckets: list[str] | None = None,
    sides: tuple[str, str] | None = None,
    backend: str | None = None,
) -> Records:
    """Read a full JSON export of Label Studio (not JSON_MIN, which loses skipped tasks).

    Choices become labels or tags, depending on `meaning`. Taxonomy paths become the leaves under them, Pairwise and
    Ranker become orders, Rating and Number become numbers. A task without annotations is an unlabelled row.

    Parameters
    ----------
    path : path, or list of dicts
        The file, or its tasks.
    control : str, optional
        The name of the control to read (``from_name``); required if the file has several.
    meaning : {"one_of", "all_of", "known_tags"}, optional
        What several selected names mean. "one_of": one of them is the label. "all_of": all of them are present, and
        `unticked` decides about the others. "known_tags": all of them are present, and the others are unknown.
    unticked : shared
    skipped : {"unknown", "drop"}, optional
        Whether skipped tasks (``was_cancelled``) and empty answers are unlabelled rows or are left out.
    annotators, conflict, classes : shared
    taxonomy : paths, nested dicts or Taxonomy, optional
        The tree of a Taxonomy control; by default the paths in the file.
    buckets : list of str, optional
        The buckets of a Ranker, best first. Items of other buckets stay unordered, such as those in "_", in which
        Label Studio keeps items that were not sorted.
    sides : (str, str), optional
        The data fields with the names of the left and the right item of a Pairwise control; by default the items are
        "left" and "right".
    backend : shared

    Returns
    -------
    Records

    Examples
    --------
    >>> tasks = [{"id": 7, "data": {"text": "purrs"}, "annotations": [{"completed_by": 1, "result": [
    ...     {"type": "choices", "from_name": "animal", "to_name": "txt", "value": {"choices": ["cat", "dog"]}}]}]}]
    >>> read_label_studio(tasks, meaning="one_of").y == [{"cat", "dog"}]
    True
    """
    options = ReadOptions(meaning, unticked, skipped, annotators, conflict, classes, backend)
    source = name_of(path)
    found = read_records(path)
    check_scalars(source, found, "id")
    _check_export(source, found)
    control, kind = _control(source, found, control)
    bad = BadRecords(source)
    entries: list[Entry] = []
    values: list = []
    for place, task in found:
        entry = Entry(task.get("id", len(entries) + 1), _place(place, task), dict(task.get("data") or {}))
        for annotation in task["annotations"] or ():
            value = _value(annotation, control, kind, entry.place, bad)
            answer = Answer("skipped" if value is None else kind, value, _annotator(annotation))
            entry.answers.append(answer)
            if value is not None:
                values.append(value)
        entries.append(entry)
    bad.refuse(f"The control {control!r} is of the type {kind!r}; see the tags of Label Studio for its shape.")
    if kind == "taxonomy" and classes is not None:
        raise ValueError("The classes of a Taxonomy control are its leaves. Pass the tree as taxonomy=… instead.")
    tree = _tree(values, taxonomy) if kind == "taxonomy" and (values or taxonomy is not None) else None
    if kind == "ranker":
        buckets = _buckets(source, entries, values, buckets)
    for entry in entries:
        entry.answers = [_answer(a, kind, entry, bad, tree, buckets, sides) for a in entry.answers]
    bad.refuse("Correct the file, or the arguments.")
    return assemble(source, entries, options, tree=tree)


def _check_export(source: str, found: list[Found]) -> None:
    bad = BadRecords(source)
    for place, task in found:
        if "annotations" not in task:
            bad.add(place, f"expected a task with 'annotations', got the fields {', '.join(map(str, task))}")
        elif not _are_objects(task["annotations"] or []):
            bad.add(place, "expected objects in 'annotations'")
        elif not all(_are_objects(a.get("result") or []) for a in task["annotations"] or ()):
            bad.add(place, "expected a list of objects in 'result'")
        elif not isinstance(task.get("data") or {}, Mapping):
            bad.add(place, f"expected an object in 'data', got {shown(task['data'])}")
    bad.refuse("Export in the format JSON. JSON_MIN and CSV leave skipped tasks out.")


def _are_objects(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, Mapping) for value in values)


def _control(source: str, found: list[Found], control: str | None) -> tuple[str, str]:
    """Return the control to read and its type."""
    types: dict[str, str] = {}
    for _, task in found:
        for annotation in task["annotations"] or ():
            for region in annotation.get("result") or ():
                types.setdefault(str(region.get("from_name")), str(region.get("type")).lower())
    if not types:  # without answers every task is unlabelled or skipped
        return control or "", "choices"
    supported = [name for name, kind in types.items() if kind in TYPES]
    if not supported:
        controls = ", ".join(f"{name} ({kind})" for name, kind in types.items())
        raise ValueError(f"{source} has no control of the types {', '.join(TYPES)}. Its controls are: {controls}.")
    control = pick(source, "control", "control", supported, control)
    return control, types[control]


def _place(place: str, task: dict) -> str:
    return f"{place} (task {task['id']})" if "id" in task else place


def _annotator(annotation: Mapping) -> Any:
    """Return who annotated; completed_by is a number, or an object with id and email."""
    who = annotation.get("completed_by")
    if isinstance(who, Mapping):
        return who.get("email") or who.get("id")
    return who


def _value(annotation: Mapping, control: str, kind: str, place: str, bad: BadRecords) -> Any:
    """Return the value of the control in an annotation, None if it was skipped."""
    if annotation.get("was_cancelled"):
        return None
    regions = [r for r in annotation.get("result") or () if str(r.get("from_name")) == control]
    if len(regions) > 1:
        bad.add(place, f"the control {control!r} has {len(regions)} answers in one annotation (one for each region?)")
        return None
    if not regions:
        return [] if kind == "choices" else None  # submitted without a selection
    try:
        return parsed(regions[0].get("value"), kind)
    except ValueError as error:
        bad.add(place, str(error))
        return None


def _tree(values: list, taxonomy: Any) -> Tree:
    if taxonomy is None:
        return Tree(path for value in values for path in value)
    if isinstance(taxonomy, list | tuple) and not any(isinstance(path, str) for path in taxonomy):
        return Tree(taxonomy)
    tree = taxonomy if isinstance(taxonomy, Taxonomy) else Taxonomy(taxonomy)
    return Tree([str(node) for node in path] for path in tree.ancestors.values())


def _buckets(source: str, entries: list[Entry], values: list, buckets: list[str] | None) -> list[str] | None:
    """Return the names of the buckets, best first; None if answers are plain lists."""
    if ranker_is_list(values):
        return None
    keys = list(dict.fromkeys(key for value in values if isinstance(value, dict) for key in value))
    if buckets is None:
        named = [key for key in keys if key != UNSORTED]

        def pairs(answer: Answer, order: list[str]) -> list | None:
            return bucket_pairs(bucket_order(answer.value, order))

        choices: Choices = {f"buckets={order!r}": partial(pairs, order=order) for order in (named, named[::-1])}
        examples = [(e.place, a) for e in entries for a in e.answers if a.form == "ranker"]
        raise ambiguous(source, "buckets", "which bucket is best", examples, choices)
    unknown = [bucket for bucket in buckets if bucket not in keys]
    if unknown:
        raise ValueError(f"{source} has no bucket {unknown[0]!r}. Its buckets are {', '.join(map(repr, keys))}.")
    return buckets


def _answer(
    answer: Answer, kind: str, entry: Entry, bad: BadRecords, tree: Tree | None, buckets: Any, sides: Any
) -> Answer:
    """Return an answer in the form that `assemble` accepts."""
    value = answer.value
    if answer.form == "skipped":
        return answer
    if kind == "choices":
        return answer._replace(form="names")
    if kind == "taxonomy":
        assert tree is not None
        names = [tree.name(path) for path in value]
        if None in names:
            bad.add(entry.place, f"the path {value[names.index(None)]} is not in the taxonomy")
        return answer._replace(form="names", value=[name for name in names if name is not None])
    if kind == "ranker":
        return answer._replace(form="order", value=bucket_order(value, buckets))
    if kind == "pairwise":
        items = ["left", "right"] if sides is None else [entry.data.get(side) for side in sides]
        if None in items or items[0] == items[1]:
            bad.add(entry.place, f"expected the names of two items in the fields {sides}, got {items}")
        return answer._replace(form="order", value=[[i] for i in (items if value == "left" else items[::-1])])
    return answer._replace(form="number")


@FILES
def write_label_studio(
    path: Path_,
    records: Any,
    y: Any = None,
    *,
    control: str,
    to: str,
    type: str = "choices",
    score: Any = None,
    role: str = "predictions",
    model_version: str = "infimum",
    classes: list | None = None,
    taxonomy: Any = None,
) -> None:
    """Write tasks as Label Studio imports them, completely or not at all.

    With ``role="annotations"``, `read_label_studio` restores labels and sets of labels, tags if only the present ones
    or all are known, orders without ties, and exact numbers. Absent tags are left out, and `Not` becomes the other
    `classes`. Anything else raises an error that names the rows.

    Parameters
    ----------
    path, records, y : shared
    control, to : str
        The names of the control and of the object in the labelling configuration.
    type : {"choices", "taxonomy", "pairwise", "ranker", "rating", "number"}
        The type of the question; by default that of the labels.
    score : shared
    role : {"predictions", "annotations"}
        Whether y are shown as proposals or stored as answers.
    model_version : str
        The name of the model, which the tool shows beside predictions.
    classes : list, optional
        All classes, for `Not` and for arrays of tags.
    taxonomy : paths, nested dicts or Taxonomy
        The tree, for the type "taxonomy".
    """
    one_of("type", type, TYPES)
    one_of("role", role, ("predictions", "annotations"))
    tree = _tree([], taxonomy) if type == "taxonomy" and taxonomy is not None else None
    if type == "taxonomy" and tree is None:
        raise ValueError('type="taxonomy" requires the tree. Pass taxonomy=….')
    rows = rows_to_write(records, y, score, classes)
    values = converted(
        rows,
        lambda cell: region_value(cell, type, control, classes, tree),
        f"A control of the type {type!r} cannot contain these. Leave such rows out, or pass None for them.",
    )
    tasks = []
    for k, (row, value) in enumerate(zip(rows, values)):
        task: dict = {"id": row.id, "data": row.data, "annotations": [], "predictions": []}
        if value is not None:
            region = {"id": f"r{k}", "type": type, "from_name": control, "to_name": to, "value": value}
            written: dict = {"result": [region]}
            if role == "predictions":
                written["model_version"] = model_version
                if row.score is not None:
                    written["score"] = row.score
            else:
                written |= {"was_cancelled": False, "ground_truth": False}
            task[role] = [written]
        tasks.append(task)
    write_json(path, tasks)
