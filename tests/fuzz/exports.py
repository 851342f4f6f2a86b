"""Exports of annotation tools with wrong parts: readers return records or explain themselves."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from infimum import io

WRONG = [
    None, True, 0, -1.5, "", "x", [], {}, [1], ["a", None], [[]], [{}], {"a": 1}, {"a": {"b": []}}, "1" * 5000, 10**400,
    "[" * 5000, {"value": None}, [{"value": []}], float("nan"),
]  # fmt: skip

REGION = {"type": "choices", "from_name": "c", "to_name": "t", "value": {"choices": ["cat", "dog"]}}
TASK = {"id": 7, "data": {"text": "purrs"}, "annotations": [{"completed_by": {"id": 1}, "result": [REGION]}]}
NESTED = {
    "id": "1",
    "fields": {"text": "purrs"},
    "metadata": {},
    "responses": {"c": [{"value": "cat", "user_id": "u"}]},
}
FLAT = {
    "id": "1",
    "text": "purrs",
    "c.responses": ["cat"],
    "c.responses.users": ["u"],
    "c.responses.status": ["submitted"],
}
ANSWER = {
    "text": "purrs",
    "options": [{"id": "cat"}, {"id": "dog"}],
    "accept": ["cat"],
    "answer": "accept",
    "_input_hash": 1,
}
DOCCANO = {"id": 1, "text": "purrs", "label": ["cat"]}
VOTE = {"row": 1, "annotator": "u", "answer": "cat"}


def _zooniverse(record: Any, folder: Path) -> Any:
    path = folder / "z.csv"
    text = json.dumps(record).replace('"', '""')
    path.write_text(f'subject_ids,user_name,annotations,subject_data\n1,u,"{text}","{{""1"": {{}}}}"\n')
    return io.read_zooniverse(path)


READERS: dict[str, tuple[Any, Callable[[Any, Path], Any]]] = {
    "Label Studio": (TASK, lambda record, _: io.read_label_studio([record], meaning="one_of")),
    "Argilla": (NESTED, lambda record, _: io.read_argilla([record], meaning="one_of")),
    "Argilla, flat": (FLAT, lambda record, _: io.read_argilla([record], meaning="one_of", annotators="union")),
    "Prodigy": (ANSWER, lambda record, _: io.read_prodigy([record], meaning="one_of")),
    "doccano": (DOCCANO, lambda record, _: io.read_doccano([record], meaning="one_of", empty="unknown")),
    "votes": (VOTE, lambda record, _: io.read_votes([record], row="row", annotator="annotator", answer="answer")),
    "Zooniverse": ([{"task": "T0", "value": "cat"}], _zooniverse),
    "table": (
        {"x": 1, "y": "cat"},
        lambda record, folder: io.read_table(_lines(record, folder), target="y", kind="labels"),
    ),
}
"""Tool → a record that can be read, and the call that reads it."""


def _lines(record: Any, folder: Path) -> Path:
    path = folder / "t.jsonl"
    path.write_text(json.dumps(record))
    return path


def places(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """Yield the path of every part of a record."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in items:
        yield from places(part, (*path, key))


def replaced(record: Any, path: tuple, wrong: Any) -> Any:
    """Return a copy of the record with the part at a path replaced."""
    if not path:
        return wrong
    record = copy.deepcopy(record)
    part = record
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = wrong
    return record


def wrong_records(tool: str, seed: int = 0) -> Iterator[Any]:
    """Yield records of a tool: every part replaced by every wrong value, then two parts at random."""
    record = READERS[tool][0]
    found = [path for path in places(record) if path]
    for path in found:
        for wrong in WRONG:
            yield replaced(record, path, wrong)
    draw = random.Random(seed)
    for _ in range(50):
        changed = replaced(record, draw.choice(found), draw.choice(WRONG))
        left = [path for path in places(changed) if path]
        yield replaced(changed, draw.choice(left), draw.choice(WRONG)) if left else changed
