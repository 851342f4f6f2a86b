"""The report of the benchmarks, and the comparison of a later run with an earlier one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import _registry, _report, _tools

STATED = {
    "date": "today",
    "machine": "two cores",
    "load": [0.0],
    "threads": ["openblas: 2"],
    "versions": {"numpy": "2"},
}


@pytest.fixture
def lines(monkeypatch):
    kept: list[_tools.Line] = []
    monkeypatch.setattr(_tools, "LINES", kept)
    return kept


def measured(lines, ratio):
    lines.clear()
    table = _tools.Table("Some jobs")
    table.ratio("fit / bare", ratio, 1.0, 0.5)
    table.limit("proved", 0.5, 1.0, proved=ratio < 1)
    table.row("accuracy", "0.9", "0.8")
    return list(lines)


@pytest.mark.parametrize("name", [one.name for one in _registry.BENCHMARKS if ":" in one.name])
def test_every_registered_part_is_one_of_its_module(name):
    module, _, part = name.partition(":")
    home = Path(_registry.__file__).parent
    files = [*home.glob(f"{module}.py"), *home.glob(f"{module}/*.py")]
    assert any(f'"{part}' in file.read_text("utf-8") for file in files)


def test_a_ratio_is_met_up_to_what_was_asked_for(lines):
    assert [line.met for line in measured(lines, 0.5)] == [True, True, None]
    assert [line.met for line in measured(lines, 0.51)] == [False, True, None]
    assert [line.met for line in measured(lines, 1.5)] == [False, False, None]
    text = _report.markdown(measured(lines, 0.51), STATED, 60.0)
    assert "| fit / bare | 510 ms | 1000 ms | 0.51 |" in text
    assert "at most" not in text  # limits are for the console


def test_a_later_run_names_what_has_become_slower(lines, tmp_path):
    _report.save(tmp_path / "old.json", measured(lines, 0.4), STATED)
    old = _report.load(tmp_path / "old.json")
    assert [line.ratio for line in old] == [line.ratio for line in measured(lines, 0.4)]
    text = _report.compared(measured(lines, 0.6), old)
    assert "| fit / bare | 0.4 | 0.6 | 1.50 | **slower** |" in text
    assert "slower" not in _report.compared(measured(lines, 0.45), old)
    assert "| 0.50 | faster |" in _report.compared(measured(lines, 0.2), old)


def test_runs_are_taken_in_turns_and_the_best_is_kept():
    order, now = [], iter([0.0, 3.0, 0.0, 5.0, 0.0, 2.0, 0.0, 7.0])
    best = _tools.side_by_side(lambda: order.append("a"), lambda: order.append("b"), 2, lambda: next(now))
    assert (order, best) == (["a", "b", "a", "b"], (2.0, 5.0))


def test_every_benchmark_is_in_the_registry_and_named_by_it():
    folder = Path(_registry.__file__).parent
    modules = [*folder.glob("*.py"), *(package.parent for package in folder.glob("*/__init__.py"))]
    files = {path.stem for path in modules if not path.stem.startswith("_")}
    assert files == {benchmark.name.partition(":")[0] for benchmark in _registry.BENCHMARKS}
    assert [b.name for b in _registry.named(["core", "torch:speed"])] == ["core", "torch:speed"]
    assert len(_registry.named(["regression"])) == 6
    with pytest.raises(SystemExit, match=r"no benchmark 'corr'.*There are: core, "):
        _registry.named(["corr"])
    absent = _registry.Benchmark("core", 1.0, "a_package_that_is_missing")
    assert absent.missing()
