"""Saved models that were damaged or changed: refused in words, or the same predictions; no code of the file runs."""

from __future__ import annotations

import functools
import io
import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from infimum.cli import _models as models
from infimum.outputs import Labels, Rankings, Reals, Tags

from .contract import Broken, Case

X = pd.DataFrame({"size": np.linspace(0, 1, 12), "shape": ["round", "square", "long"] * 4})
TARGETS: dict[str, tuple[Any, list]] = {
    "labels": (Labels(), ["a", "a|b", "b", ""] * 3),
    "tags": (Tags(), ["+r -s", "-r", "+s", ""] * 3),
    "ranking": (Rankings(), ["a>b>c", "b>a", "c>{a,b}", ""] * 3),
    "number": (Reals(), ["1", "[2,3]", "<4", ""] * 3),
}


class Trap:
    """A type that no file may create."""

    sprung = False

    def __init__(self, *_: Any, **__: Any) -> None:
        Trap.sprung = True


@functools.cache
def saved(kind: str) -> tuple[bytes, list]:
    """Return the file of a small model, and its predictions."""
    space, cells = TARGETS[kind]
    model = models.pipeline(space, "infimum", "kernel")
    model.set_params(model__max_search_time=0.2)
    y = [None if cell == "" else cell for cell in cells]
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    path = Path(tempfile.mkdtemp()) / "m.skops"
    models.save(path, model, {"kind": kind, "version": "0.2.0"})
    return path.read_bytes(), np.asarray(model.predict(X)).tolist()


def loaded(data: bytes) -> Any:
    path = Path(tempfile.gettempdir()) / f"infimum-fuzz-{id(data)}.skops"
    path.write_bytes(data)
    try:
        return models.load(path)[0]
    finally:
        path.unlink()


@st.composite
def damaged(draw: Any) -> Case:
    """A model file that is cut, or has other bytes at a few places."""
    kind = draw(st.sampled_from(sorted(TARGETS)))
    data, want = saved(kind)
    cut = draw(st.one_of(st.none(), st.integers(0, len(data))))
    flips = draw(st.lists(st.tuples(st.integers(0, len(data) - 1), st.integers(1, 255)), max_size=3))

    def run() -> None:
        changed = bytearray(data[:cut])
        for place, bits in flips:
            if place < len(changed):
                changed[place] ^= bits
        found = np.asarray(loaded(bytes(changed)).predict(X)).tolist()
        if found != want:
            raise Broken("wrong answer", "a damaged model predicts something else")

    whole = cut is None and not flips
    return Case(run, "answer" if whole else "either", note=f"{kind}, cut at {cut}, flips {flips}")


HOSTILE = st.sampled_from(
    [
        "os.system",
        "builtins.eval",
        "subprocess.run",
        "Trap",
        None,
        -1,
        10**400,
        "",
        [],
        {},
        "../../etc/passwd",
        "\x00",
        1e308,
    ]
)


@st.composite
def edited(draw: Any) -> Case:
    """A model file whose description of its objects was changed at one place."""
    kind = draw(st.sampled_from(sorted(TARGETS)))
    data, _ = saved(kind)
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        content = {name: parts.read(name) for name in parts.namelist()}
    schema = json.loads(content["schema.json"])
    places = list(_places(schema))
    at = draw(st.integers(0, len(places) - 1))
    value = draw(HOSTILE)
    holder, key = places[at]
    was, holder[key] = holder[key], value
    if value == "Trap" and "__class__" in schema:
        holder[key] = "Trap"
        schema["__module__"] = __name__
    text = json.dumps(schema)

    def run() -> None:
        changed = io.BytesIO()
        with zipfile.ZipFile(changed, "w") as parts:
            for name, part in content.items():
                parts.writestr(name, text if name == "schema.json" else part)
        Trap.sprung = False
        try:
            loaded(changed.getvalue())
        finally:
            if Trap.sprung:
                raise Broken("wrong answer", "code of the file has run")

    return Case(run, "either", note=f"{kind}: {key} was {was!r:.60}, is {value!r:.60}")


def _places(node: Any) -> Any:
    """Yield every (container, key) of nested lists and dictionaries."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in list(items):
        yield node, key
        yield from _places(value)
