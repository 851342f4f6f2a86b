"""Scripts that the fault tests run in a process of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import infimum

TESTS = Path(__file__).resolve().parents[1]
SOURCE = Path(infimum.__file__).resolve().parents[1]


def python(code: str, *args: object, timeout: float = 300, **given: object) -> subprocess.CompletedProcess:
    """Run `code` with this interpreter and this library; `sys.argv[1:]` are `args`."""
    path = os.pathsep.join([str(SOURCE), str(TESTS)])
    env = {**os.environ, "PYTHONPATH": path, "MPLBACKEND": "Agg", "OPENBLAS_NUM_THREADS": "1", "COLUMNS": "200"}
    command = [sys.executable, "-c", code, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=env,
    **given)  # type: ignore[call-overload]


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Fail if the block takes more than that much CPU time, so that a parser that hangs ends as a failed test."""
    if not hasattr(signal, "setitimer"):  # Windows
        yield
        return

    def end(*_: object) -> None:
        raise AssertionError(f"The block took more than {seconds:g} s of CPU time.")

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


INTERRUPTS = """
import os, pickle, signal, sys, threading, time, timeit
import numpy as np, pandas as pd
import warnings
from infimum import InfimumWarning, PartialClassifier, PartialMultilabelClassifier, PartialRanker, PartialRegressor
from infimum import PartialSearch

warnings.simplefilter("ignore", InfimumWarning)  # of a search that fits the best setting so far
kind, moments, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(seed)
n = {"search": 120, "default": 60}.get(kind, 400)
old = pd.DataFrame(rng.standard_normal((n, 3)), columns=["u", "v", "w"])
new = pd.DataFrame(rng.standard_normal((n, 4)), columns=["w", "v", "u", "z"])
y = {
    "labels": lambda: [["a", {"a", "b"}, None, "c"][k] for k in rng.integers(4, size=n)],
    "default": lambda: [["a", {"a", "b"}, None, "c"][k] for k in rng.integers(4, size=n)],
    "search": lambda: [["a", {"a", "b"}, None, "c"][k] for k in rng.integers(4, size=n)],
    "tags": lambda: rng.integers(-1, 2, (n, 4)),
    "orders": lambda: [["a>b>c", ["b"], "c>{a,b}"][k] for k in rng.integers(3, size=n)],
    "numbers": lambda: np.sort(rng.standard_normal((n, 2)), axis=1),
}[kind]
make = {"labels": PartialClassifier.paper, "tags": PartialMultilabelClassifier.paper, "orders": PartialRanker.paper}
make = {**make, "numbers": PartialRegressor.paper, "search": PartialSearch, "default": PartialClassifier}[kind]
first, second = y(), y()
model = make().fit(old, first)
kept = pickle.dumps(model)
queries = old[:20]
answers, names = np.array(model.predict(queries)), list(model.feature_names_in_)
whole = min(timeit.repeat(lambda: make().fit(new, second), number=1, repeat=3 if kind == "numbers" else 1))
other = make().fit(new, second)
interrupted = 0
signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background ignores it
for k in range(5 * moments):
    if k >= moments and interrupted:
        break
    timer = threading.Timer(rng.random() * whole, os.kill, (os.getpid(), signal.SIGINT))
    finished = False
    try:
        timer.start()
        model.fit(new, second)
        finished = True
        timer.join()
        time.sleep(0.01)
    except KeyboardInterrupt:
        interrupted += not finished
    # as before; or as after, where the interrupt came once all was kept
    if model.n_features_in_ == 3:
        assert list(model.feature_names_in_) == names, f"feature_names_in_ is {list(model.feature_names_in_)}"
        assert (np.array(model.predict(queries)) == answers).all(), "other predictions than before"
    else:
        assert list(model.feature_names_in_) == list(new.columns), "feature_names_in_ is of neither fit"
        same = (np.array(model.predict(new[:20])) == np.array(other.predict(new[:20]))).all()
        # a choice that is interrupted takes the best so far
        fewer = kind == "search" and len(model.cv_results_["params"]) < len(other.cv_results_["params"])
        early = fewer or (kind == "default" and not model.selection_.complete)
        interrupted += early and finished
        assert same or early, "half a fit was kept"
    pickle.loads(pickle.dumps(model)).predict(queries if model.n_features_in_ == 3 else new[:20])
    model = pickle.loads(kept)
print("interrupted", interrupted)
"""

KILLS = """
import os, random, signal, sys, time
from pathlib import Path
from slow_experiment import Slow
from infimum.data.files import PART
from infimum.paper import registry as paper
from infimum.paper import report, runner
import infimum.cli

out, moments, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
experiment = Slow()

def work(folder):
    runner.reproduce(experiment, folder)
    report.index([experiment], folder, False)

def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}

begin = time.perf_counter()
work(out / "whole")
took = time.perf_counter() - begin
whole = contents(out / "whole")
draw = random.Random(seed)
for k in range(moments):
    folder = out / f"killed{k % 4}"  # several kills in one folder, too
    child = os.fork()
    if child == 0:
        try:
            work(folder)
        finally:
            os._exit(0)
    time.sleep(draw.random() * took * 1.1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    for name, data in (contents(folder) if folder.exists() else {}).items():
        if name.endswith(PART):
            continue
        assert data == whole.get(name), f"{name} is half written after a kill"
for k in range(min(moments, 4)):
    folder = out / f"killed{k}"
    work(folder)
    left = contents(folder)
    assert left == whole, f"other files than those of a run that was left alone: {sorted(set(left) ^ set(whole))}"
print("killed", moments)
"""
