"""Rows that go wrong while they are read: workers that die, files that change, memory that is not there."""

import os
import resource

import numpy as np
import pytest

from infimum import Chunks, PartialClassifier
from infimum.data import memory as _memory
from infimum.weights import KernelRidge, Nystrom
from small_search import SMALL_SEARCH

from .faults import python

RNG = np.random.default_rng(0)
X = RNG.standard_normal((240, 3))
MASK = (RNG.random((240, 3)) < 0.4) | np.eye(3, dtype=bool)[X.argmax(axis=1)]
BLOCKS = 4


@pytest.fixture
def cluster():
    """Two workers of its own for every test: what becomes of the one that died does not matter to the next."""
    distributed = pytest.importorskip("distributed", reason="needs infimum[dask]")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
        ) as local,
        distributed.Client(local) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def alone() -> PartialClassifier:
    # chunks do not allow for mixtures, which rows in memory may select
    return PartialClassifier(weights="kernel", search_config=SMALL_SEARCH).fit(X, MASK)


# three passes (classes, centres, sums) over four chunks are twelve reads: in the last, which loses most, and in all
MOMENTS = range(1, 13) if "INFIMUM_CAMPAIGN" in os.environ else [12]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_worker_that_dies_at_any_moment_costs_time_not_the_model(moment, cluster, alone, tmp_path):
    import dask.array as da

    home = str(tmp_path)

    def read(part, block_info=None):
        """The worker at the so-manieth read dies; what it had computed is lost with it."""
        if block_info:
            while True:
                reads = len(os.listdir(home)) + 1
                try:
                    with open(f"{home}/{reads}", "x"):
                        break
                except FileExistsError:
                    continue
            if reads == moment:
                os._exit(1)
        return part

    cluster.wait_for_workers(2, timeout=60)
    rows = 240 // BLOCKS
    targets = da.from_array(MASK, chunks=(rows, 3)).map_blocks(read, meta=MASK[:0])
    far = PartialClassifier(weights="kernel", search_config=SMALL_SEARCH)
    far.fit(da.from_array(X, chunks=(rows, 3)), targets)
    # the chunk that was lost with the worker was read again
    assert len(os.listdir(home)) > moment, "no worker died"
    np.testing.assert_array_equal(far.predict(X), alone.predict(X))
    np.testing.assert_allclose(far.decision_function(X), alone.decision_function(X), atol=1e-8)


def parquet(path, rows: slice, labels: list) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = {name: X[rows, k] for k, name in enumerate("uvw")}
    pq.write_table(pa.table({**table, "label": labels}), path)


@pytest.mark.parametrize("reads", [2, 3])
@pytest.mark.parametrize("change", ["rows", "touched", "cut"])
def test_a_parquet_file_that_changes_between_passes_is_noticed(change, reads, tmp_path, monkeypatch):
    """The second file is written to before its second or third reading."""
    from infimum.data.chunks import ParquetSource

    paths = [tmp_path / "first.parquet", tmp_path / "second.parquet"]
    for path in paths:
        parquet(path, slice(0, 40), list("abca") * 10)
    seen, whole = [], ParquetSource._same

    def same(self, path):
        if path == paths[1]:
            seen.append(path)
            if len(seen) == reads:
                if change == "rows":
                    parquet(path, slice(0, 40), list("abcc") * 10)
                elif change == "cut":
                    parquet(path, slice(0, 30), list("abcab") * 6)
                else:
                    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 1))
        whole(self, path)

    monkeypatch.setattr(ParquetSource, "_same", same)
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(X, MASK)
    before = model.predict(X)
    with pytest.raises(ValueError, match=r"second\.parquet changed during fit.*Fit again"):
        model.set_params(weights=Nystrom(8)).fit(Chunks.parquet(paths, "label"))
    assert len(seen) == reads, "the file was not read so often"
    np.testing.assert_array_equal(model.predict(X), before)


@pytest.mark.parametrize("version", [1, 2])
def test_memory_is_refused_by_the_limit_of_a_container(version, tmp_path, monkeypatch):
    """Files as the kernel writes them: 64 MiB, of which 60 are taken; the kernel matrix of 2,000 rows needs 62."""
    limit, usage = tmp_path / "limit", tmp_path / "usage"
    limit.write_text(f"{64 * 2**20}\n")
    usage.write_text(f"{60 * 2**20}\n")
    monkeypatch.setattr(_memory, "CGROUPS", (("/nowhere", "/nowhere"),) * (2 - version) + ((str(limit), str(usage)),))
    big = np.arange(2000.0)[:, None]
    with pytest.raises(MemoryError, match=r"2000 rows needs 0\.0603 GiB; 0\.00391 GiB are available.*Nystrom"):
        KernelRidge().fit(big)
    limit.write_text("max\n" if version == 2 else f"{2**63 - 4096}\n")
    KernelRidge().fit(big)


def test_memory_is_refused_by_the_limit_of_the_process():
    """In a process whose addresses end 1 GiB above what it has: the matrix is refused, and a smaller fit works."""
    code = """
import resource
import numpy as np
from infimum.data import memory as _memory
from infimum import PartialClassifier
PartialClassifier.paper().fit(np.arange(20.0)[:, None], list("ab") * 10)
import os
taken = int(open("/proc/self/statm").read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
resource.setrlimit(resource.RLIMIT_AS, (taken + 2**30, taken + 2**30))
assert 0.8 * 2**30 < _memory.available() <= 2**30, _memory.available()
try:
    PartialClassifier.paper().fit(np.arange(14_000.0)[:, None], list("ab") * 7_000)
except MemoryError as error:
    print(error)
print(PartialClassifier.paper().fit(np.arange(20.0)[:, None], list("ab") * 10).predict([[0.0]]))
"""
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("what a process has mapped is known on Linux only")
    run = python(code, timeout=120)
    assert run.returncode == 0, run.stderr[-1500:]
    assert "The kernel matrix of 14000 rows needs 1.67 GiB" in run.stdout
    assert "Nystrom" in run.stdout
    assert run.stdout.rstrip().endswith("['a']")


def test_no_limit_is_no_limit(monkeypatch):
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        pytest.skip("this process has a limit")
    assert _memory._process() == float("inf")
    monkeypatch.setattr(_memory, "CGROUPS", (("/nowhere", "/nowhere"),))
    assert _memory._container() == float("inf")
