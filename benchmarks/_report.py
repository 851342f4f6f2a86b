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
    """The table: job, ours, against, ratio, asked for, met or missed."""
    asked = [line for line in lines if line.met is not None]
    versions = ", ".join(f"{name} {version}" for name, version in stated["versions"].items())
    out = [
        "# Benchmarks",
        "",
        f"{stated['date']}, {stated['machine']}, load at the start {stated['load']}; {versions}.",
        f"Threads: {'; '.join(stated['threads'])}. {seconds / 60:.1f} minutes.",
        f"{sum(bool(line.met) for line in asked)} of {len(asked)} goals met.",
        "",
        "| job | ours | against | ratio | asked for | |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    table = None
    for line in lines:
        if line.table != table:
            table = line.table
            out.append(f"| **{_cell(table)}** | | | | | |")
        ratio = "" if line.ratio is None else f"{line.ratio:.3g}"
        met = "" if line.met is None else "met" if line.met else "**missed**"
        cells = (line.job, line.ours, line.against, ratio, line.asked, met)
        out.append(f"| {' | '.join(map(_cell, cells))} |")
    return "\n".join(out) + "\n"


def compared(lines: list[Line], old: list[Line]) -> str:
    """Ratios then and now, for jobs of both runs; a ratio does not depend on the machine as seconds do."""
    then = {(line.benchmark, line.table, line.job): line for line in old}
    out = [
        "",
        "## Beside the earlier run",
        "",
        "| job | ratio then | ratio now | now / then | |",
        "| --- | --- | --- | --- | --- |",
    ]
    for line in lines:
        before = then.get((line.benchmark, line.table, line.job))
        if before is None:
            continue
        marks = []
        if before.met is not None and line.met is not None and before.met != line.met:
            marks.append("now met" if line.met else "**now missed**")
        if line.ratio is None or not before.ratio:
            if marks:
                out.append(f"| {_cell(line.job)} | {_cell(before.ours)} | {_cell(line.ours)} | | {marks[0]} |")
            continue
        change = line.ratio / before.ratio
        marks += ["**slower**"] if change > SLOWER else ["faster"] if change < 1 / SLOWER else []
        out.append(f"| {_cell(line.job)} | {before.ratio:.3g} | {line.ratio:.3g} | {change:.2f} | {', '.join(marks)} |")
    return "\n".join(out) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "/")


def save(path: Path, lines: list[Line], stated: dict[str, Any]) -> None:
    content = {"conditions": stated, "lines": [line._asdict() for line in lines]}
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def load(path: Path) -> list[Line]:
    """The lines of an earlier run."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return [Line(**line) for line in content["lines"]]
