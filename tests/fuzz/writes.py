"""Cut and failed writes: what was acknowledged survives, what was not is gone, and old files stay whole."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from hypothesis import strategies as st

from infimum.active.studio import Journal, Session, read_task
from infimum.data.files import atomic_write

from .contract import Broken, Case

CLASSES = ["cat", "dog", "owl"]
FAULTS = ("no space", "no sync", "no space, no truncation", "crash")


class Crash(BaseException):
    """The process ends here: nothing after it is run."""


@functools.cache
def folder() -> Path:
    """Return a folder of this process with a table of six rows."""
    path = Path(tempfile.mkdtemp(prefix="infimum-writes-"))
    rows = [f"{k},row {k},{'cat|dog' if k == 3 else ''}" for k in range(6)]
    (path / "pets.csv").write_text("\n".join(["size,text,label", *rows]) + "\n")
    return path


@functools.cache
def task() -> Any:
    return read_task(folder() / "pets.csv", "label", classes=CLASSES)


def opened(journal: Path) -> Session:
    """Open a studio on a journal."""
    return Session(task(), Journal(journal, task().header()), background=False)


def stored(session: Session) -> dict[str, Any]:
    return {entry.id: (entry.question.row, entry.answer) for entry in session.pool.entries}


@contextlib.contextmanager
def failing(fault: str, after: int) -> Iterator[None]:
    """Let the first write stop after some bytes, or its sync fail; `os` is as before at the end."""
    write = os.write

    def short(handle: int, data: bytes) -> int:
        if after:
            write(handle, bytes(data)[:after])
        raise Crash if fault == "crash" else OSError(errno.ENOSPC, "No space left on device")

    def no(*_: Any) -> None:
        raise Crash if fault == "crash" else OSError(errno.EIO, "Input/output error")

    patches = [mock.patch.object(os, "fsync", no)] if fault == "no sync" else [mock.patch.object(os, "write", short)]
    if fault in ("crash", "no space, no truncation"):
        patches.append(mock.patch.object(os, "ftruncate", no))
    with contextlib.ExitStack() as stack:
        for patch in patches:
            stack.enter_context(patch)
        yield


def act(session: Session, step: tuple, k: int) -> None:
    kind, row, label = step
    if kind == "answer":
        session.answer(f"answer-{k:04}", "ann", {"type": "FullLabel", "row": row, "about": None}, label)
    elif kind == "batch":
        session.accept(f"batch-{k:04}", "ann", [[row, label], [(row + 1) % 6, label]])
    elif kind == "undo":
        session.undo("ann")
    else:
        session.join(f"person {row}")


STEPS = st.tuples(st.sampled_from(["answer", "answer", "batch", "undo", "join"]), st.integers(0, 5), st.just("cat"))


@st.composite
def journals(draw: Any) -> Case:
    """Some answers, of which one meets a full disk, a disk without sync, or the end of the process."""
    steps = draw(st.lists(STEPS, min_size=1, max_size=6))
    at, fault = draw(st.integers(0, len(steps) - 1)), draw(st.sampled_from(FAULTS))
    after = draw(st.one_of(st.integers(0, 40), st.integers(0, 400)))

    def run() -> None:
        path = Path(tempfile.mkdtemp(dir=folder())) / "answers.jsonl"
        survive(path, steps, at, fault, after)

    return Case(run, note=f"{steps}, {fault} at step {at} after {after} bytes")


def survive(path: Path, steps: list[tuple], at: int, fault: str, after: int) -> dict[str, Any]:
    """Play the steps with a fault, open the journal again, and return the answers that were acknowledged and stored."""
    session = opened(path)
    unsure: list[dict[str, Any]] = []  # with complete lines that were never acknowledged
    for k, step in enumerate(steps):
        before = stored(session)
        try:
            with failing(fault, after) if k == at else contextlib.nullcontext():
                act(session, step, k)
        except Crash:
            unsure = possible(step, k, before)
            break
        except OSError:
            if stored(session) != before:
                raise Broken("wrong answer", "an answer that was not acknowledged counts") from None
            if fault == "no space, no truncation" and k == at:
                unsure = possible(step, k, before)
        except ValueError:  # a contradiction: nothing is written
            if stored(session) != before:
                raise Broken("wrong answer", "an answer that was rejected counts") from None
    kept = stored(session)
    os.close(session.journal._handle)
    again = opened(path)
    found = stored(again)
    again.close()
    if found != kept and found not in unsure:
        raise Broken("wrong answer", f"acknowledged {kept}, after a restart {found}")
    return found


def possible(step: tuple, k: int, before: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what may be stored after a step that was not acknowledged: some of its first lines may be complete."""
    kind, row, label = step
    if kind == "undo" and before:
        last = list(before)[-1].split(".")[0]
        return [{id: entry for id, entry in before.items() if id.split(".")[0] != last}]
    if kind == "answer":
        return [{**before, f"answer-{k:04}": (row, label)}]
    if kind == "batch":
        first = {**before, f"batch-{k:04}.0": (row, label)}
        return [first, {**first, f"batch-{k:04}.1": ((row + 1) % 6, label)}]
    return []


@st.composite
def files(draw: Any) -> Case:
    """A file that is replaced, with a failure at some byte, at its sync, or at its new name."""
    old, new = draw(st.one_of(st.none(), st.binary(max_size=50))), draw(st.binary(max_size=200))
    stop = draw(st.sampled_from(["write", "fsync", "replace", "chmod", "nothing"]))
    after = draw(st.integers(0, 200))
    kind: Callable[[], BaseException] = draw(
        st.sampled_from([lambda: OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt, MemoryError])
    )

    def run() -> None:
        home = Path(tempfile.mkdtemp(dir=folder()))
        path = home / "out.bin"
        if old is not None:
            path.write_bytes(old)
        stops = stop != "nothing" and not (stop == "chmod" and old is None)

        def fail(*_: Any) -> None:
            raise kind()

        patch = mock.patch.object(os, stop, fail) if stop in ("fsync", "replace", "chmod") else contextlib.nullcontext()
        failed = False
        try:
            with patch, atomic_write(path, "wb") as file:
                file.write(new[:after] if stop == "write" else new)
                if stop == "write":
                    raise kind()
        except (OSError, KeyboardInterrupt, MemoryError):
            failed = True
        want = old if stops else new
        found = path.read_bytes() if path.exists() else None
        if failed != stops or found != want or sorted(home.iterdir()) != ([path] if want is not None else []):
            raise Broken("wrong answer", f"{stop} failed; the file holds {found!r}, beside {sorted(home.iterdir())}")

    return Case(run, note=f"{old!r} -> {new!r}, {stop} fails after {after} bytes")
