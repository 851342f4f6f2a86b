"""The report of a run: one Markdown table, a JSON file, and the comparison with the file of an earlier run."""

from __future__ import annotations

import json
import os
import platform
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn
from threadpoolctl import threadpool_info

from benchmarks._tools import Line

SLOWER = 1.25  # a ratio that has grown by more than this is named: less is noise


def conditions() -> dict[str, Any]:
    """The machine, the threads of every BLAS and OpenMP pool as they are now, the load and the versions."""
    pools = [
        f"{p.get('internal_api', p['user_api'])} {p.get('version') or ''}: {p['num_threads']}"
        for p in threadpool_info()
    ]
    return {
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "threads": sorted({" ".join(pool.split()) for pool in pools}),
        "load": [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else [],
        "versions": {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__,
                     "scikit-learn": sklearn.__version__},
    }  # fmt: skip


def markdown(lines: list[Line], stated: dict[str, Any], seconds: float) -> str:
    """Return the table: job, ours, against, ratio."""
    versions = ", ".join(f"{name} {version}" for name, version in stated["versions"].items())
    out = [
        "# Benchmarks",
        "",
        f"{stated['date']}, {stated['machine']}, load at the start {stated['load']}; {versions}.",
        f"Threads: {'; '.join(stated['threads'])}. {seconds / 60:.1f} minutes.",
        "",
        "| job | ours | against | ratio |",
        "| --- | --- | --- | --- |",
    ]
    table = None
    for line in lines:
        if line.table != table:
            table = line.table
            out.append(f"| **{_cell(table)}** | | | |")
        ratio = "" if line.ratio is None else f"{line.ratio:.3g}"
        out.append(f"| {' | '.join(map(_cell, (line.job, line.ours, line.against, ratio)))} |")
    return "\n".join(out) + "\n"


def compared(lines: list[Line], old: list[Line]) -> str:
    """Return the ratios then and now, for jobs of both runs; a ratio depends less on the machine than seconds do."""
    then = {(line.benchmark, line.table, line.job): line.ratio for line in old}
    out = [
        "",
        "## Beside the earlier run",
        "",
        "| job | ratio then | ratio now | now / then | |",
        "| --- | --- | --- | --- | --- |",
    ]
    for line in lines:
        before = then.get((line.benchmark, line.table, line.job))
        if line.ratio is None or not before:
            continue
        change = line.ratio / before
        mark = "**slower**" if change > SLOWER else "faster" if change < 1 / SLOWER else ""
        out.append(f"| {_cell(line.job)} | {before:.3g} | {line.ratio:.3g} | {change:.2f} | {mark} |")
    return "\n".join(out) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "/")


def save(path: Path, lines: list[Line], stated: dict[str, Any]) -> None:
    content = {"conditions": stated, "lines": [_plain(line) for line in lines]}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _plain(line: Line) -> dict[str, Any]:
    """Return what was measured, without the limit that the console shows."""
    return {name: value for name, value in line._asdict().items() if name not in ("asked", "met")}


def load(path: Path) -> list[Line]:
    """The lines of an earlier run."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return [Line(**line) for line in content["lines"]]
