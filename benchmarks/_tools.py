"""Timing side by side, peak memory, and the table of figures beside their limits."""

from __future__ import annotations

import gc
import json
import os
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


def side_by_side(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    repeats: int = 5,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[float, float]:
    """The best time of each, in seconds, taken in turns so that a noisy machine is noisy for both."""
    best = [float("inf"), float("inf")]
    for _ in range(repeats):
        for k, run in enumerate((ours, theirs)):
            start = clock()
            run()
            best[k] = min(best[k], clock() - start)
    return best[0], best[1]


def traced_bytes(run: Callable[[], object]) -> int:
    """The peak of what Python and NumPy allocate while it runs."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def peak_bytes(run: Callable[[], object]) -> int:
    """The most memory the process held while it ran, beyond what it held before; LAPACK's own copies count.

    Linux tells; elsewhere, what Python and NumPy allocate.
    """
    if not os.path.exists("/proc/self/clear_refs"):
        return traced_bytes(run)
    gc.collect()
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak starts again from here
    before = status("VmRSS")
    run()
    return status("VmHWM") - before


def status(key: str, pid: int | str = "self") -> int:
    """A number of bytes that Linux tells about a process: VmRSS is what it holds, VmHWM the most it held."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(key))


def kept(name: str, key: str, compute: Callable[[], Any]) -> Any:
    """Return a result that is stored in results/NAME.json, or compute and store it with its CPU time in seconds.

    A run that is stopped goes on where it stopped. Several runs may write to the same file.
    """
    path = Path(__file__).parent / "results" / f"{name}.json"

    def stored() -> dict[str, list]:
        return json.loads(path.read_text()) if path.exists() else {}

    if key in (found := stored()):
        return found[key][0]
    start = time.process_time()
    value = [compute(), round(time.process_time() - start, 2)]
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps(stored() | {key: value}, indent=0))
    new.replace(path)
    return value[0]


def run_parts(parts: dict[str, Callable[[], None]], names: list[str] | None) -> None:
    """Those named, or all of them."""
    for name in names or parts:
        parts[name]()


class Line(NamedTuple):
    """A line of the report: a job, what it took, what its anchor took, and its limit."""

    benchmark: str
    table: str
    job: str
    ours: str
    against: str = ""
    ratio: float | None = None
    """ours / against: below 1 where ours takes less."""
    asked: str = ""
    met: bool | None = None


class Job(NamedTuple):
    """Something to time beside its anchor: the best of `repeats` runs of each, in turns."""

    name: str
    ours: Callable[[], object]
    anchor: Callable[[], object]
    at_most: float
    """The largest ours / anchor that is allowed."""
    repeats: int = 5
    clock: Callable[[], float] = time.perf_counter
    """time.process_time or time.thread_time where the machine is shared."""


LINES: list[Line] = []
"""All that was measured in this process, in order."""


class Table:
    """Figures under one title: printed as they come, and kept in `LINES`."""

    benchmark = ""
    """Which benchmark runs."""

    def __init__(self, title: str):
        self.title = title
        sys.stdout.write(f"\n{title}\n{'-' * len(title)}\n")

    def job(self, job: Job) -> tuple[float, float]:
        """Run a job; its two times, in seconds."""
        ours, theirs = side_by_side(job.ours, job.anchor, job.repeats, job.clock)
        self.ratio(job.name, ours, theirs, job.at_most)
        return ours, theirs

    def ratio(self, what: str, ours: float, theirs: float, at_most: float) -> None:
        """Add ours / theirs, in seconds or bytes, beside the largest ratio that is allowed."""
        most = max(ours, theirs)
        unit = (
            (1e-6, "µs") if most < 1e-3 else (1e-3, "ms") if most < 10 else (1, "s") if most < 2**20 else (2**20, "MiB")
        )
        shown = [f"{value / unit[0]:.4g} {unit[1]}" for value in (ours, theirs)]
        ratio = ours / theirs
        self._add(what, shown[0], shown[1], ratio, f"ratio at most {at_most:.3g}", ratio <= at_most)

    def limit(self, what: str, seconds: float, at_most: float | None, note: str = "", proved: bool = True) -> None:
        """Add seconds beside a limit; `proved` is whether the result itself is right."""
        scale, unit = (1e6, "µs") if seconds < 1e-3 else (1e3, "ms") if seconds < 1 else (1.0, "s")
        shown = f"{seconds * scale:.4g} {unit}" + (f", {note}" if note else "")
        if at_most is None:
            self._add(what, shown)
        else:
            self._add(what, shown, "", None, f"at most {at_most * scale:g} {unit}", proved and seconds <= at_most)

    def row(self, what: str, measured: str, target: str = "", ok: bool | None = None) -> None:
        """Add a figure that is not a time: `target` is its limit, or what it is compared with."""
        self._add(what, measured, "" if ok is not None else target, None, target if ok is not None else "", ok)

    def _add(self, what: str, ours: str, against: str = "", ratio: float | None = None, asked: str = "",
             met: bool | None = None) -> None:  # fmt: skip
        LINES.append(
            Line(self.benchmark, self.title, what, ours, against, ratio, asked, None if met is None else bool(met))
        )
        shown = ours if not against else f"{ours} | {against}" + ("" if ratio is None else f" = {ratio:.3g}")
        mark = "" if met is None else "  ok" if met else "  MISSED"
        sys.stdout.write(f"{what:<58} {shown:>32}   {asked:<22}{mark}\n")
        sys.stdout.flush()
