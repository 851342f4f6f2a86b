"""Makers of small files in the documented shape of each tool."""

import json

import pytest


@pytest.fixture
def write(tmp_path):
    """write("a.jsonl", [..]) -> path; lists become JSON, or JSON Lines by the name."""

    def write(name, content):
        path = tmp_path / name
        if isinstance(content, str):
            path.write_text(content)
        elif name.endswith(".jsonl"):
            path.write_text("".join(json.dumps(line) + "\n" for line in content))
        else:
            path.write_text(json.dumps(content))
        return path

    return write
