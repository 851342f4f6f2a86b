"""Ten million rows in Parquet files, two workers, and one of them killed in the middle of the fit."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._tools import Table, peak_bytes, status
from infimum import PartialClassifier, weights

D, CLASSES, CENTERS, LAM, GAMMA = 10, 10, 300, 1e-6, 0.05
FILE = 100_000  # rows of a file, which is a partition
LIMIT = 2**31  # bytes that a worker may hold
GIB = 2**30
INPUTS = [f"x{k}" for k in range(D)]


def cluster(n: int) -> None:
    """Fit with a worker killed, fit again undisturbed, predict every row."""
    from distributed import Client, LocalCluster

    table = Table(f"Cluster: n = {n} in Parquet, d = {D}, {CENTERS} centres, {CLASSES} classes, two workers")
    with tempfile.TemporaryDirectory() as home:
        seconds, size = timed(lambda: write(Path(home), n))
        table.row(f"{-(-n // FILE)} files, written in", f"{seconds:.0f} s, {size / GIB:.2f} GiB")
        settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
        with LocalCluster(**settings, memory_limit=LIMIT) as local, Client(local) as client:
            measure(table, home, n, local, client)


def measure(table: Table, home: str, n: int, local: Any, client: Any) -> None:
    import dask.dataframe as dd

    rows = dd.read_parquet(home)
    X, y = rows[INPUTS], rows["label"]
    family = weights.Nystrom(CENTERS, lam=LAM, gamma=GAMMA)
    model, calm = (PartialClassifier.paper(weights=family) for _ in range(2))
    killer = Killer(client, local, rows.npartitions)
    seconds, client_peak = timed(lambda: peak_bytes(lambda: killer.during(lambda: model.fit(X, y))))
    table.row("fit, a worker killed in the middle", f"{seconds:.0f} s", f"{n / seconds:.0f} rows a second")
    table.row("partial sums that were there when it was killed", f"{killer.done} of {rows.npartitions}")
    client.wait_for_workers(2, timeout=60)
    pids = set(client.run(os.getpid).values())
    table.row("a new worker in its place", f"{len(pids)} workers", "2", len(pids) == 2 and killer.pid not in pids)
    undisturbed, _ = timed(lambda: calm.fit(X, y))
    table.row("fit, undisturbed", f"{undisturbed:.0f} s", f"{n / undisturbed:.0f} rows a second")
    ours, theirs = model.solver_.risk_.phi, calm.solver_.risk_.phi
    apart = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
    same = np.array_equal(model.weights_.centers_, calm.weights_.centers_)
    table.row("coefficients apart, beside the largest", f"{apart:.1e}", "at most 1e-9", same and apart <= 1e-9)
    table.row("precision of the sums", model.weights_.dtype_)

    seconds, right = timed(lambda: rightly(model.predict(X), rows["truth"]))
    table.row(f"predict {n} rows", f"{seconds:.0f} s", f"{n / seconds:.0f} rows a second")
    table.row("accuracy on the labels behind the sets", f"{right / n:.4f}")
    peaks = [killer.peak, *client.run(lambda: status("VmHWM")).values()]
    table.row("peak memory of the client, beyond what it held", f"{client_peak / GIB:.2f} GiB")
    most = max(peaks)
    table.row("peak memory of a worker", f"{most / GIB:.2f} GiB", f"limit {LIMIT / GIB:g} GiB", most < LIMIT)


def rightly(predicted: Any, truth: Any) -> int:
    """Return the number of correct predictions, counted on the workers."""
    import dask

    parts = zip(predicted.to_delayed().ravel(), truth.simplify().to_delayed(optimize_graph=False))
    return sum(dask.compute(*(dask.delayed(_equal)(p, t) for p, t in parts)))


def _equal(predicted: Any, truth: Any) -> int:
    return int(np.sum(predicted == np.asarray(truth, dtype=object)))


def write(home: Path, n: int) -> int:
    """Rows of ten classes in four clouds each: 30 % have a second candidate, 20 % are unknown. Their bytes."""
    import pyarrow as pa
    from pyarrow import parquet

    names = np.array([f"class {k}" for k in range(CLASSES)])
    centers = np.random.default_rng(1).standard_normal((4 * CLASSES, D)) * 1.8
    for k, start in enumerate(range(0, n, FILE)):
        rng = np.random.default_rng([2, k])
        size = min(FILE, n - start)
        cloud = rng.integers(4 * CLASSES, size=size)
        X = (centers[cloud] + rng.standard_normal((size, D))).astype(np.float32)
        truth, kind = cloud % CLASSES, rng.random(size)
        other = (truth + rng.integers(1, CLASSES, size=size)) % CLASSES
        two = np.char.add(np.char.add(names[truth], "|"), names[other])
        label = np.where(kind < 0.3, two, names[truth])
        columns = {name: X[:, j] for j, name in enumerate(INPUTS)}
        columns["label"] = pa.array(label, mask=kind > 0.8)
        columns["truth"] = names[truth]
        parquet.write_table(pa.table(columns), home / f"{k:05d}.parquet")
    return sum(path.stat().st_size for path in home.iterdir())


class Killer:
    """Kills a worker with SIGKILL once half of the partial sums of a fit are there."""

    def __init__(self, client: Any, local: Any, parts: int):
        self.scheduler, self.parts = local.scheduler, parts
        self.pid = min(client.run(os.getpid).values())
        self.done, self.peak = 0, 0

    def during(self, run: Callable[[], object]) -> None:
        over = threading.Event()
        watch = threading.Thread(target=self._watch, args=(over,))
        watch.start()
        try:
            run()
        finally:
            over.set()
            watch.join()

    def _watch(self, over: threading.Event) -> None:
        while not over.wait(0.02):
            sums = self.scheduler.task_prefixes.get("sums")  # the tasks that sum over a partition
            self.done = 0 if sums is None else sums.state_counts["memory"]
            if self.done >= self.parts / 2:
                self.peak = status("VmHWM", self.pid)
                os.kill(self.pid, signal.SIGKILL)
                return


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = run()
    return time.perf_counter() - start, found
