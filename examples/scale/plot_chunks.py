"""
Data on disk: fit in chunks
===========================

The rows are in a file that does not fit into memory, and the labels are candidate sets. `Chunks` passes them to `fit`
in chunks. The result is the same model as from arrays.
"""

# %%
# A memory map of 20,000 rows. Only one chunk at a time is read from it.

import tempfile
import tracemalloc
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from infimum import CandidateLabels, Chunks, PartialClassifier, weights
from infimum.datasets import make_candidate_sets
from infimum.plotting import COLOURS

rng = np.random.default_rng(0)
n, d = 20_000, 40
folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "X.npy"
rows = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=(n, d))
truth = rng.integers(8, size=n)
centers = 0.55 * rng.standard_normal((8, d))
for start in range(0, n, 5000):
    rows[start : start + 5000] = centers[truth[start : start + 5000]] + rng.standard_normal((5000, d))
rows.flush()
sets = CandidateLabels(make_candidate_sets(truth, 0.3, random_state=0))
print(f"{path.name}: {path.stat().st_size / 2**20:.0f} MiB; {sets}")

# %%
# The same model from chunks of several sizes: its predictions, and the peak memory of the fit.

X_test = centers[truth[:2000]] + rng.standard_normal((2000, d))
sizes = (1000, 2500, 5000, 20_000)
peaks, predictions = [], []
for size in sizes:
    source = Chunks.of(np.load(path, mmap_mode="r"), sets, rows=size)
    tracemalloc.start()
    model = PartialClassifier.paper(weights=weights.LinearRidge(lam=1e-3)).fit(source)
    peaks.append(tracemalloc.get_traced_memory()[1] / 2**20)
    tracemalloc.stop()
    predictions.append(model.predict(X_test))
same = [np.mean(z == predictions[0]) for z in predictions]
print(f"accuracy on new rows: {np.mean(predictions[0] == truth[:2000]):.0%}; the same predictions: {np.round(same, 3)}")

# %%
# The memory depends on the size of a chunk, not on the size of the file.

figure, axis = plt.subplots(figsize=(7, 3.8), layout="constrained")
axis.plot(sizes, peaks, "o-", color=COLOURS[0], lw=2.5, label="peak memory of the fit")
axis.axhline(path.stat().st_size / 2**20, color=COLOURS[1], ls="--", label="size of the file")
axis.set(xscale="log", xlabel="rows per chunk", ylabel="MiB", title="Peak memory of one fit, by size of the chunks")
axis.set_xticks(sizes, [f"{size:,}" for size in sizes])
axis.minorticks_off()
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False)
plt.show()
folder.cleanup()
