"""Available memory, which is checked before a large matrix is allocated."""

from __future__ import annotations

import math
import os
from pathlib import Path

GIB = 2**30
OWN = 2**27  # bytes reserved for BLAS, which ends the process if it cannot allocate its buffers

# (limit, usage) of the control group, version 2 and version 1 (kernel.org: admin-guide/cgroup-v2, cgroup-v1/memory)
CGROUPS = (
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def available() -> float:
    """Return the number of bytes that can be allocated, inf if unknown.

    It is the least of what the machine, the container and the process (RLIMIT_AS) allow.
    """
    return min(_machine(), _container(), _process())


def require(needed: float, what: str, remedy: str) -> None:
    """Raise an error if `needed` bytes are not available.

    >>> require(8e18, "the kernel matrix of 1000000000 rows", "Use weights.Nystrom(n_centers=1000).")
    Traceback (most recent call last):
    ...
    MemoryError: the kernel matrix of 1000000000 rows needs 7.45e+09 GiB; ... GiB are available. Use weights.Nystrom...
    """
    free = available()
    if needed > free:
        raise MemoryError(f"{what} needs {needed / GIB:.3g} GiB; {free / GIB:.3g} GiB are available. {remedy}")


def _machine() -> float:
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        for line in meminfo.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return float(line.split()[1]) * 1024
    names = getattr(os, "sysconf_names", {})
    for pages in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"):  # macOS has only the second: all the memory, used or not
        if pages in names and "SC_PAGE_SIZE" in names:
            return float(os.sysconf(pages)) * os.sysconf("SC_PAGE_SIZE")
    return math.inf


def _container() -> float:
    for limit, usage in CGROUPS:
        if Path(limit).exists() and Path(usage).exists():
            text = Path(limit).read_text().strip()
            if text != "max":
                return max(float(text) - float(Path(usage).read_text()), 0.0)
    return math.inf


def _process() -> float:
    """Return what the limit on the address space leaves (`ulimit -v`)."""
    try:
        import resource
    except ImportError:  # there is no such limit on Windows
        return math.inf
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    statm = Path("/proc/self/statm")
    if limit == resource.RLIM_INFINITY:
        return math.inf
    used = float(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 0.0
    return max(limit - used - OWN, 0.0)
