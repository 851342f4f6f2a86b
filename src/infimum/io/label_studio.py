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
from ._files import BadRecords, FileRecord, Path_, check_scalars, name_of, read_records, write_json
from ._meaning import Answer, Choices, Entry, ReadOptions, ambiguous, one_of, pick
from ._records import Records
from ._tree import Tree
from ._write import chain_in, converted, number_in, rows_to_write, text_names, type_of

TYPES = {"choices": "choices", "taxonomy": "taxonomy", "pairwise": "selected", "ranker": "ranker", "rating": "rating",
         "number": "number"}  # fmt: skip
"""The types of controls that are read and written, and the field of their `value` that contains the answer."""
OF_KIND = {"labels": "choices", "tags": "choices", "ranking": "ranker", "number": "number"}
"""The type of a control by the kind of the labels."""
UNSORTED = "_"  # the bucket in which Label Studio keeps items that were not sorted


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
    for place, task in found:
        place = f"{place} (task {task['id']})" if "id" in task else place
        entries.append(Entry(task.get("id", len(entries) + 1), place, dict(task.get("data") or {})))
        for annotation in task["annotations"] or ():
            who = annotation.get("completed_by")  # a number, or an object
            who = who.get("email") or who.get("id") if isinstance(who, Mapping) else who
            with bad.at(place):
                value = _value(annotation, control, kind)
                entries[-1].answers.append(Answer("skipped" if value is None else kind, value, who))
    bad.raise_if_any(f"The control {control!r} is of the type {kind!r}; see the tags of Label Studio for its shape.")
    answered = [(entry.place, answer) for entry in entries for answer in entry.answers if answer.form != "skipped"]
    tree = None
    if kind == "taxonomy":
        if classes is not None:
            raise ValueError("The classes of a Taxonomy control are its leaves. Pass the tree as taxonomy=… instead.")
        if answered or taxonomy is not None:
            tree = _tree(taxonomy, [path for _, answer in answered for path in answer.value])
    if kind == "ranker":
        buckets = _buckets(source, answered, buckets)
    for entry in entries:
        for k, answer in enumerate(entry.answers):
            if answer.form != "skipped":
                with bad.at(entry.place):
                    form, value = _form(kind, answer.value, entry.data, tree, buckets, sides)
                    entry.answers[k] = answer._replace(form=form, value=value)
    bad.raise_if_any("Correct the file, or the arguments.")
    return assemble(source, entries, options, tree=tree)


def _check_export(source: str, found: list[FileRecord]) -> None:
    """Raise an error unless all records are tasks with annotations."""
    bad = BadRecords(source)
    for place, task in found:
        annotations = task.get("annotations") or []
        if "annotations" not in task:
            bad.add(place, f"expected a task with 'annotations', got the fields {', '.join(map(str, task))}")
        elif not _are_objects(annotations):
            bad.add(place, "expected objects in 'annotations'")
        elif not all(_are_objects(annotation.get("result") or []) for annotation in annotations):
            bad.add(place, "expected a list of objects in 'result'")
        elif not isinstance(task.get("data") or {}, Mapping):
            bad.add(place, f"expected an object in 'data', got {shown(task['data'])}")
    bad.raise_if_any("Export in the format JSON. JSON_MIN and CSV leave skipped tasks out.")


def _are_objects(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, Mapping) for value in values)


def _control(source: str, found: list[FileRecord], control: str | None) -> tuple[str, str]:
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


def _value(annotation: Mapping, control: str, kind: str) -> Any:
    """Return the answer of an annotation to the control, None if it was skipped."""
    if annotation.get("was_cancelled"):
        return None
    regions = [r for r in annotation.get("result") or () if str(r.get("from_name")) == control]
    if len(regions) > 1:
        raise ValueError(f"the control {control!r} has {len(regions)} answers in one annotation (one for each region?)")
    if not regions:
        return [] if kind == "choices" else None  # submitted without a selection
    value, field = regions[0].get("value"), TYPES[kind]
    if not isinstance(value, Mapping) or field not in value:
        raise ValueError(f"expected a value with {field!r}, got {value!r}")
    found = value[field]
    if kind == "taxonomy" and not (isinstance(found, list) and all(isinstance(p, list) and p for p in found)):
        raise ValueError(f"expected a list of paths, got {found!r}")
    if kind == "pairwise" and found not in ("left", "right"):
        raise ValueError(f"expected 'left' or 'right', got {found!r}")
    if kind in ("rating", "number") and (isinstance(found, bool) or not isinstance(found, int | float)):
        raise ValueError(f"expected a number, got {found!r}")
    if kind == "ranker" and isinstance(found, Mapping):
        for names in (*found.values(), [name for bucket in found.values() for name in bucket]):
            _check_names(names)
    elif kind in ("choices", "ranker"):  # older rankers are bare lists
        _check_names(found)
    for path in found if kind == "taxonomy" else ():
        _check_names(path, distinct=False)
    return found


def _check_names(names: Any, distinct: bool = True) -> None:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"expected a list of names, got {names!r}")
    if distinct and len(set(names)) < len(names):
        raise ValueError(f"a name is repeated in {names!r}")


def _tree(taxonomy: Any, paths: Iterable = ()) -> Tree:
    """Return the given taxonomy, or that of the paths in a file."""
    if taxonomy is None:
        return Tree(paths)
    if isinstance(taxonomy, list | tuple) and not any(isinstance(path, str) for path in taxonomy):
        return Tree(taxonomy)
    tree = taxonomy if isinstance(taxonomy, Taxonomy) else Taxonomy(taxonomy)
    return Tree([str(node) for node in path] for path in tree.ancestors.values())


def _buckets(source: str, answered: list[tuple[str, Answer]], buckets: list[str] | None) -> list[str] | None:
    """Return the names of the buckets, best first; None if all answers are plain lists, perhaps under one key."""
    named = [answer.value for _, answer in answered if isinstance(answer.value, Mapping)]
    keys = list(dict.fromkeys(key for value in named for key in value))
    if len(keys) <= 1 and all(named):
        return None
    if buckets is None:
        order = [key for key in keys if key != UNSORTED]

        def pairs(answer: Answer, order: list[str]) -> list | None:
            return bucket_pairs(_order(answer.value, order))

        choices: Choices = {f"buckets={each!r}": partial(pairs, order=each) for each in (order, order[::-1])}
        raise ambiguous(source, "buckets", "which bucket is best", answered, choices)
    unknown = [bucket for bucket in buckets if bucket not in keys]
    if unknown:
        raise ValueError(f"{source} has no bucket {unknown[0]!r}. Its buckets are {', '.join(map(repr, keys))}.")
    return buckets


def _order(value: list | dict, buckets: list[str] | None) -> list[list[str]]:
    """Return the buckets of a ranker, best first; every item of a list is a bucket of its own."""
    if isinstance(value, Mapping) and buckets is not None:
        return [list(value.get(bucket, ())) for bucket in buckets]
    items = value if isinstance(value, list) else next(iter(value.values()), [])
    return [[item] for item in items]


def _form(kind: str, value: Any, data: dict, tree: Tree | None, buckets: Any, sides: Any) -> tuple[str, Any]:
    """Return the form and the value of an answer, as `assemble` accepts it."""
    if kind == "taxonomy":
        assert tree is not None
        for path in value:
            if tree.name(path) is None:
                raise ValueError(f"the path {path} is not in the taxonomy")
        return "names", [tree.name(path) for path in value]
    if kind == "ranker":
        return "order", _order(value, buckets)
    if kind == "pairwise":
        items = ["left", "right"] if sides is None else [data.get(side) for side in sides]
        if None in items or items[0] == items[1]:
            raise ValueError(f"expected the names of two items in the fields {sides}, got {items}")
        return "order", [[item] for item in (items if value == "left" else items[::-1])]
    return ("names" if kind == "choices" else "number"), value


@FILES
def write_label_studio(
    path: Path_,
    records: Any,
    y: Any = None,
    *,
    control: str,
    to: str,
    type: str | None = None,
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
    type : {"choices", "taxonomy", "pairwise", "ranker", "rating", "number"}, optional
        The type of the control. By default that of the labels if `records` are `Records`, otherwise "choices".
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
    type = type_of(records, type, OF_KIND, TYPES)
    one_of("role", role, ("predictions", "annotations"))
    if type == "taxonomy" and taxonomy is None:
        raise ValueError('type="taxonomy" requires the tree. Pass taxonomy=….')
    tree = None if taxonomy is None or type != "taxonomy" else _tree(taxonomy)
    rows = rows_to_write(records, y, score, classes)
    values = converted(
        rows,
        lambda cell: _written(cell, type, control, classes, tree),
        f"A control of the type {type!r} cannot contain these. Leave such rows out, or pass None for them.",
    )
    tasks = []
    for k, (row, value) in enumerate(zip(rows, values)):
        task: dict = {"id": row.id, "data": row.data, "annotations": [], "predictions": []}
        if value is not None:
            region = {"id": f"r{k}", "type": type, "from_name": control, "to_name": to, "value": {TYPES[type]: value}}
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


def _written(cell: Any, kind: str, control: str, classes: Any, tree: Tree | None) -> Any:
    """Return a cell of y as the answer to a control."""
    if kind == "ranker":
        return {control: [str(item) for item in chain_in(cell)]}
    if kind == "pairwise":
        chain = chain_in(cell)
        if sorted(chain) != ["left", "right"]:
            raise ValueError(f"expected an order of 'left' and 'right', got {cell!r}")
        return chain[0]
    if kind in ("choices", "taxonomy"):
        names = text_names(cell, classes)
        unknown = [name for name in names if tree is not None and name not in tree.paths]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is not in the taxonomy")
        return names if tree is None else [list(tree.paths[name]) for name in names]
    number = number_in(cell)
    if kind == "number":
        return number
    if number != int(number) or number < 0:
        raise ValueError(f"expected a whole number >= 0 of stars, got {number!r}")
    return int(number)
