"""Every Python block of docs/torch.md runs, and the nets in it learn."""

import re
from pathlib import Path

import pytest

pytest.importorskip("torch.nn")  # the folder of these tests is a `torch` too, where PyTorch is missing

PAGE = Path(__file__).resolve().parents[2] / "docs" / "torch.md"
# marked `py`: blocks marked `python` run in the suite that has no PyTorch
BLOCKS = re.findall(r"^```py\n(.*?)^```", PAGE.read_text(), flags=re.M | re.S)


def test_blocks_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(BLOCKS) >= 4
    if any("skorch" in block for block in BLOCKS):
        pytest.importorskip("skorch")
    namespace: dict = {}
    for block in BLOCKS:
        exec(compile(block, str(PAGE), "exec"), namespace)
    assert namespace["accuracy"] > 0.85
    assert namespace["two_steps"] > 0.85
    assert namespace["recipe_accuracy"] > 0.85
