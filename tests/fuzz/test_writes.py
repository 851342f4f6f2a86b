"""The journal of the studio after every cut and every failed write."""

import os

import numpy as np
import pytest

from infimum import InputError
from infimum.active.studio import Journal

from . import writes

STEPS = [("join", 1, ""), ("answer", 0, "cat"), ("answer", 2, "dog"), ("batch", 4, "owl"), ("undo", 0, ""),
         ("answer", 4, "cat")]  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A journal, and what was acknowledged when it had each of its lengths."""
    path = tmp_path_factory.mktemp("journal") / "answers.jsonl"
    session = writes.opened(path)
    kept = [(path.stat().st_size, {})]
    for k, step in enumerate(STEPS):
        writes.act(session, step, k)
        kept.append((path.stat().st_size, writes.stored(session)))
    session.close()
    return path.read_bytes(), kept


def test_journal_opens_after_every_cut_with_all_complete_lines(written, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # thousands of them take long
    data, _ = written
    lines = data.splitlines(keepends=True)
    ends = np.cumsum([len(line) for line in lines])
    path = tmp_path / "cut.jsonl"
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        journal = Journal(path, writes.task().header())
        journal.close()
        # a line whose end alone is missing is complete, and was written
        complete = int((ends <= cut + 1).sum()) if cut + 1 in ends else int((ends <= cut).sum())
        assert len(journal.lines) == max(complete - 1, 0), cut
        assert path.read_bytes() == (data[: ends[complete - 1]] if complete else lines[0]), cut


def test_acknowledged_answers_survive_cuts(written, tmp_path):
    data, kept = written
    rng = np.random.default_rng(0)
    ends = [size for size, _ in kept]
    cuts = {*ends, *(end - 1 for end in ends), *rng.integers(0, len(data), 30).tolist()}
    for cut in sorted(cuts):
        path = tmp_path / f"{cut}.jsonl"
        path.write_bytes(data[:cut])
        session = writes.opened(path)
        found = writes.stored(session)
        session.close()
        last = max((k for k, end in enumerate(ends) if end <= cut), default=0)
        possible = [kept[last][1]]
        if last < len(STEPS):
            possible += writes.possible(STEPS[last], last, kept[last][1])
        assert found in possible, cut


@pytest.mark.parametrize("fault", writes.FAULTS)
def test_a_write_that_fails_at_any_byte_loses_nothing(fault, tmp_path):
    for after in range(0, 300, 37):
        home = tmp_path / str(after)
        home.mkdir()
        found = writes.survive(home / "answers.jsonl", STEPS, 2, fault, after)
        assert found["answer-0001"] == (0, "cat")  # acknowledged before the fault


def test_a_file_that_is_no_journal_is_not_changed(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("a line without an end")
    with pytest.raises(InputError, match="not a journal"):
        Journal(path, writes.task().header())
    assert path.read_text() == "a line without an end"
