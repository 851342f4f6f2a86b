"""All benchmarks, or those given: ``python -m benchmarks [core regression:speed …] [--against old.json]``.

Writes benchmarks/results/bench.md, one table, and bench.json, which a later run compares itself with. A whole run
leaves out benchmarks that take longer than --minutes, and lists them; benchmarks that are given are always run.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks._registry import BENCHMARKS, Benchmark, named
from benchmarks._report import compared, conditions, load, markdown, save
from benchmarks._tools import LINES, Table


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="; ".join(b.name for b in BENCHMARKS))
    parser.add_argument("--against", type=Path, metavar="OLD.json", help="the JSON file of an earlier run")
    parser.add_argument("--minutes", type=float, default=18.0, help="the time of a whole run (default 18)")
    parser.add_argument(
        "--threads", type=int, default=min(2, os.cpu_count() or 1), help="of BLAS and OpenMP (default 2)"
    )
    parser.add_argument("--folds", type=int, metavar="K", help="defaults: the first K folds of every problem")
    parser.add_argument("--only", metavar="TEXT", help="defaults: the problems with this text in their names")
    parser.add_argument("--docs", action="store_true", help="defaults: write the table and its picture into docs")
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parent / "results", help="where bench.md and bench.json go"
    )
    return parser.parse_args()


def main() -> None:
    asked = arguments()
    old = load(asked.against) if asked.against else None
    start = time.perf_counter()
    with threadpool_limits(asked.threads):
        stated = conditions()
        sys.stdout.write(f"{stated['machine']}, load {stated['load']}; threads: {'; '.join(stated['threads'])}\n")
        for benchmark in named(asked.names) or BENCHMARKS:
            left = 60 * asked.minutes - (time.perf_counter() - start)
            settings = {"folds": asked.folds, "only": asked.only, "docs": asked.docs} if benchmark.partial else {}
            one(benchmark, None if asked.names else left, **settings)
            write(asked.out, stated, time.perf_counter() - start, old)
    sys.stdout.write(f"\n{asked.out / 'bench.md'}, {asked.out / 'bench.json'}\n")


def one(benchmark: Benchmark, left: float | None, **settings: Any) -> None:
    """Run a benchmark, or say why not; `left` is the rest of the time, in seconds."""
    Table.benchmark = benchmark.name
    if benchmark.missing():
        Table(benchmark.name).row(f"{benchmark.needs} is not installed", "not run")
        return
    if left is not None and 60 * benchmark.minutes > left:
        Table(benchmark.name).row(f"takes about {benchmark.minutes:g} minutes: run it by its name", "not run")
        return
    start = time.perf_counter()
    benchmark.run(**settings)
    sys.stdout.write(f"({benchmark.name}: {time.perf_counter() - start:.0f} s)\n")


def write(out: Path, stated: dict, seconds: float, old: list | None) -> None:
    """After every benchmark, so that an interrupted run leaves what it has."""
    out.mkdir(parents=True, exist_ok=True)
    text = markdown(LINES, stated, seconds)
    (out / "bench.md").write_text(text if old is None else text + compared(LINES, old), encoding="utf-8")
    save(out / "bench.json", LINES, stated)


if __name__ == "__main__":
    main()
