"""The command, in this process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from infimum.cli import app


@pytest.fixture
def infimum(tmp_path, monkeypatch):
    """infimum("fit", "a.csv", …) in a folder of its own; fails the test where the exit code is another one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: object, code: int = 0) -> str:
        done = CliRunner().invoke(app, [str(a) for a in arguments])
        assert done.exit_code == code, (arguments, done.exit_code, done.output, done.exception)
        return done.output

    return run


@pytest.fixture
def as_json(infimum):
    """The same with --json, as an object."""
    return lambda *arguments, code=0: json.loads(infimum(*arguments, "--json", code=code).splitlines()[-1])


@pytest.fixture
def here(tmp_path) -> Path:
    return tmp_path
