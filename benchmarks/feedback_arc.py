"""Minimum feedback arc sets: measured times beside their targets, and beside plain HiGHS.

Run with ``python -m benchmarks.feedback_arc``; the linear ordering tables are read from the folder INFIMUM_DATA.
"""

import json
import os
import time
from itertools import combinations
from pathlib import Path

import highspy
import numpy as np

from benchmarks._tools import Job, Table
from infimum.feedback_arc import linear_extensions, minimum_feedback_arc, minimum_feedback_arcs
from infimum.feedback_arc.relations import borda, order_value
from infimum.paper.relaxation import relaxed

DATA = Path(os.environ.get("INFIMUM_DATA", Path(__file__).parents[2] / "shared" / "data")) / "linear-ordering"


def timed(function, *args, **kwargs):
    start = time.perf_counter()
    result = function(*args, **kwargs)
    return result, time.perf_counter() - start


def consensus(m, voters, noise, seed):
    """cost[i, j] = how many of the voters rank j before i; a voter sorts 1, ..., m plus Gaussian noise of noise * m."""
    score = np.arange(m) + noise * m * np.random.default_rng(seed).standard_normal((voters, m))
    return (score[:, :, None] > score[:, None, :]).sum(axis=0).astype(float)


def read_table(path):
    """A linear ordering table as costs: what lies below the diagonal of the reordered table is lost."""
    m, *entries = path.read_text().split()
    gain = np.array(entries[: int(m) ** 2], dtype=float).reshape(int(m), int(m))
    np.fill_diagonal(gain, 0.0)
    return gain.T


def plain_milp(cost, time_limit):
    """HiGHS branch and bound on all 3-cycle rows at once."""
    m = len(cost)
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("time_limit", float(time_limit))
    rows, cols = np.triu_indices(m, 1)
    pair = np.zeros((m, m), dtype=np.int32)
    pair[rows, cols] = np.arange(len(rows))
    n, empty = len(rows), np.empty(0, dtype=np.int32)
    highs.addCols(n, (cost - cost.T)[rows, cols], np.zeros(n), np.ones(n), 0, empty, empty, np.empty(0))
    highs.changeColsIntegrality(n, np.arange(n, dtype=np.int32), np.full(n, highspy.HighsVarType.kInteger))
    i, j, k = np.array(list(combinations(range(m), 3))).T
    index = np.stack([pair[i, j], pair[j, k], pair[i, k]], axis=1).ravel()
    t = len(i)
    starts, values = np.arange(0, 3 * t, 3, dtype=np.int32), np.tile([1.0, 1.0, -1.0], t)
    highs.addRows(t, np.zeros(t), np.ones(t), 3 * t, starts, index, values)
    highs.run()
    return highs.getObjectiveValue() + cost.T[rows, cols].sum()


def bench_batches(rng):
    table = Table("Feedback arcs: many small ones")
    costs = rng.standard_normal((2000, 10, 10))
    orders = np.triu(rng.random((50, 10, 10)) < 0.2, 1)
    _, seconds = timed(minimum_feedback_arcs, costs)
    table.limit("subset DP, m = 10, 2000 objectives, each", seconds / 2000, 50e-6)
    _, seconds = timed(minimum_feedback_arcs, costs[:200, None], orders)
    table.limit("subset DP, m = 10, 200 objectives x 50 orders, each", seconds / 10_000, 50e-6)
    _, seconds = timed(minimum_feedback_arc, rng.standard_normal((18, 18)), method="dp")
    table.limit("subset DP, m = 18", seconds, 1.0)
    many = np.triu(rng.random((1000, 10, 10)) < 0.1, 1)
    _, seconds = timed(linear_extensions, many)
    table.limit("linear extensions, m = 10, 1000 orders, each", seconds / 1000, 100e-6)


def bench_relaxation(rng):
    table = Table("Feedback arcs: the relaxation")
    for m, repeats in ((10, 50), (20, 20), (30, 10)):
        solutions, seconds = timed(lambda m=m, n=repeats: [relaxed(c) for c in rng.standard_normal((n, m, m))])
        exact = sum(s.integral for s in solutions)
        table.limit(f"LP relaxation, m = {m}, each", seconds / repeats, 1.0, f"{exact} of {repeats} integral")


def bench_tables():
    table = Table("Feedback arcs: linear ordering tables")
    for name, best in json.loads((DATA / "optima.json").read_text()).items():
        cost = read_table(DATA / name)
        result, seconds = timed(minimum_feedback_arc, cost, time_limit=60)
        right = result.proved and cost.sum() - result.value == best
        table.limit(
            f"linear ordering {name}, m = {len(cost)}",
            seconds,
            2.0,
            "proved, optimum" if right else "NOT PROVED",
            right,
        )
    cost = read_table(DATA / "t59b11xx")
    job = Job(
        "t59b11xx / HiGHS with all 3-cycles", lambda: minimum_feedback_arc(cost), lambda: plain_milp(cost, 60), 0.1, 2
    )
    table.job(job)


def bench_large(rng):
    table = Table("Feedback arcs: consensus of many items")
    targets = {(100, 0.1): 1.0, (100, 0.3): 1.0, (100, 1.0): 1.0, (200, 0.3): 5.0, (200, 1.0): 10.0, (300, 0.3): 5.0}
    for (m, noise), target in targets.items():
        result, seconds = timed(minimum_feedback_arc, consensus(m, 50, noise, 0), time_limit=4 * target)
        gap = (result.value - result.bound) / result.value
        note = "proved" if result.proved else f"NOT PROVED, gap {gap:.4%}"
        table.limit(f"consensus of 50, m = {m}, noise {noise}", seconds, target, note, result.proved)
    cost = rng.standard_normal((40, 40))
    np.fill_diagonal(cost, 0.0)
    sorts = order_value(cost, borda(cost, np.zeros((40, 40), dtype=bool)))
    result, seconds = timed(minimum_feedback_arc, cost, time_limit=10)
    note = f"gap {(result.value - result.bound) / abs(result.value):.2%}, value {result.value:.2f}, sorts {sorts:.2f}"
    table.limit("Gaussian, m = 40, 10 s limit", seconds, None, note)


def main():
    rng = np.random.default_rng(0)
    # compile, or load what was compiled before
    for method in ("dp", "cutting_planes"):
        minimum_feedback_arc(rng.standard_normal((8, 8)), method=method)
    minimum_feedback_arc(rng.standard_normal((32, 32)), method="cutting_planes")
    minimum_feedback_arcs(rng.standard_normal((2, 4, 4)))
    linear_extensions(np.zeros((3, 3), dtype=bool))
    bench_batches(rng)
    bench_relaxation(rng)
    if DATA.exists():
        bench_tables()
    else:
        Table("Feedback arcs: linear ordering tables").row("set INFIMUM_DATA to the data folder", "not run")
    bench_large(rng)


if __name__ == "__main__":
    main()
