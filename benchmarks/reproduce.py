"""The paper's grids: shared factors beside solving every system anew, and the whole quick run."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time

from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks._tools import Table, run_parts, side_by_side
from infimum import CandidateLabels, PartialClassifier
from infimum.datasets import load, make_candidate_sets
from infimum.paper import grid
from infimum.paper.registry import by_name
from infimum.weights import KernelRidge


def main(names: list[str] | None = None) -> None:
    run_parts({"grid": shared_factors, "quick": quick}, names)


def shared_factors() -> None:
    """One of the 48 parts (fold, sigma) of dna's grid: 7 lambdas x 11 corruptions x 4 methods."""
    experiment = by_name("classification-skewed")
    task = next(t for t in experiment.tasks(False) if t["data"] == "dna" and t["c_sigma"] == 0.1)
    dna = load("libsvm/dna")
    X, (train, test, *_) = StandardScaler().fit_transform(dna.data), grid.fold(dna.data, task["fold"])
    readings = [("infimum", "inside"), ("infimum", "joint"), ("average", "inside"), ("supremum", "inside")]

    def anew() -> None:
        # one lambda of seven, every system on its own
        weights = KernelRidge(lam=0.1 / len(train) ** 0.5, sigma=0.1 * X.shape[1])
        for c in task["c"]:
            sets = CandidateLabels(make_candidate_sets(dna.target, c, kind="skewed", random_state=0)[train])
            for principle, reading in readings:
                model = PartialClassifier.paper(principle=principle, negative_weights=reading, weights=weights)
                model.fit(X[train], sets).predict(X[test])

    table = Table("Reproducing the paper: dna's grid on one thread")
    with threadpool_limits(1):
        ours, theirs = side_by_side(lambda: experiment.run(task, None), anew, repeats=2)
    table.ratio("shared factors / every system anew", ours, len(task["c_lambdas"]) * theirs, 1 / 5)
    table.row("dna's whole grid, shared, on one thread", f"{48 * ours:.0f} s")


def quick() -> None:
    """`infimum reproduce all --quick --jobs 2`, from nothing."""
    table = Table("Reproducing the paper: the quick run")
    with tempfile.TemporaryDirectory() as out:
        start = time.perf_counter()
        call = "from infimum.cli import app; app()"
        options = ["reproduce", "all", "--quick", "--jobs", "2", "--out", out]
        subprocess.run([sys.executable, "-c", call, *options], check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - start
    table.limit("infimum reproduce all --quick --jobs 2", seconds, 180)


if __name__ == "__main__":
    main()
