"""Timing side by side, peak memory, and a table of figures beside their targets."""

from __future__ import annotations

import gc
import os
import sys
import time
import tracemalloc
from collections.abc import Callable


def side_by_side(ours: Callable[[], object], theirs: Callable[[], object], repeats: int = 5) -> tuple[float, float]:
    """The best time of each, in seconds, taken in turns so that a noisy machine is noisy for both."""
    best = [float("inf"), float("inf")]
    for _ in range(repeats):
        for k, run in enumerate((ours, theirs)):
            start = time.perf_counter()
            run()
            best[k] = min(best[k], time.perf_counter() - start)
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
    before = _status("VmRSS")
    run()
    return _status("VmHWM") - before


def _status(key: str) -> int:
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(key))


class Table:
    """Rows of (what, measured, target), printed as they come."""

    def __init__(self, title: str):
        self.out = sys.stdout
        self.out.write(f"\n{title}\n{'-' * len(title)}\n")

    def row(self, what: str, measured: str, target: str = "", ok: bool | None = None) -> None:
        mark = "" if ok is None else "  ok" if ok else "  MISSED"
        self.out.write(f"{what:<58} {measured:>28}   {target:<22}{mark}\n")
        self.out.flush()

    def ratio(self, what: str, ours: float, theirs: float, at_most: float) -> None:
        """ours / theirs, in seconds or bytes, beside the largest ratio that was asked for."""
        ratio = ours / theirs
        most = max(ours, theirs)
        unit = (1e-3, "ms") if most < 10 else (1, "s") if most < 2**20 else (2**20, "MiB")
        shown = f"{ours / unit[0]:.4g} / {theirs / unit[0]:.4g} {unit[1]} = {ratio:.2f}"
        self.row(what, shown, f"at most {at_most:g}", ratio <= at_most)
