"""The tables: properties of the data sets, and complexities with measured beside stated exponents."""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import numpy as np
import pandas as pd

from .. import PartialClassifier, PartialMultilabelClassifier
from ..datasets import load
from ..outputs import CandidateLabels, PartialTags
from . import style
from .base import Comparison, Experiment, Row, Task, row

PRINTED = {
    "dna": (2000, 3, 180, 52.6), "svmguide2": (391, 3, 20, 56.5), "segment": (2310, 7, 19, None),
    "vowel": (528, 11, 10, None),
}  # fmt: skip


class DataSets(Experiment):
    name = "data-sets"
    title = "Characteristics of the LIBSVM data sets"
    place = "App. B.1.3, Tab. cl:libsvm"
    caption = "Rows n, classes m, features d, and the share of the most frequent class, counted from the files."
    differs = "Nothing."

    def tasks(self, quick: bool) -> list[Task]:
        return [{"data": name} for name in PRINTED]

    def run(self, task: Task, data: str | None) -> list[Row]:
        bunch = load(f"libsvm/{task['data']}", data_home=data)
        counts = np.unique(bunch.target, return_counts=True)[1]
        values = {"n": len(bunch.target), "m": len(counts), "d": bunch.data.shape[1]}
        values["most frequent, %"] = 100 * counts.max() / counts.sum()
        return [
            row(task["data"], name, value, balanced=bool(counts.min() == counts.max()))
            for name, value in values.items()
        ]

    def draw(self, frame: pd.DataFrame):
        cells = []
        for name, part in frame.groupby("method", sort=False):
            value = part.set_index("parameter")["value"]
            balanced = bool(part["balanced"].iloc[0])
            share = "–" if balanced else f"{value['most frequent, %']:.2f} %"
            cells.append([name, *(f"{value[k]:.0f}" for k in "nmd"), "yes" if balanced else "no", share])
        return style.table(cells, ["data set", "data (n)", "classes (m)", "features (d)", "balanced", "most frequent"])

    def compare(self, frame: pd.DataFrame) -> list[Comparison]:
        ours = frame.set_index(["method", "parameter"])["value"]
        out = []
        for name, numbers in PRINTED.items():
            for key, value in zip(("n", "m", "d", "most frequent, %"), numbers):
                if value is not None:
                    out.append(Comparison(f"{name}: {key}", float(ours[name, key]), value, 0.06, "print"))
        return out


SIZES = {
    "training, n": (500, 1000, 2000, 4000), "training, m": (250, 500, 1000, 2000),
    "inference, n": (500, 1000, 2000, 4000), "inference, m": (250, 500, 1000, 2000),
    "training space, n": (500, 1000, 2000, 4000),
}  # fmt: skip
STATED = {"training, n": 3, "training, m": 1, "inference, n": 1, "inference, m": 1, "training space, n": 2}


class Complexity(Experiment):
    name = "complexity"
    title = "Complexities, stated and measured"
    place = "App. B.1.1 and B.3.2, Tabs. cl:complexity and ml:complexity"
    caption = (
        "Growth exponents: the slope of log CPU time (or of log peak memory) against log n at m = 10, or against log "
        "m at n = 1000, on one thread, for classification and for tags with and without top-k. The paper states "
        "O(n²(n + m)) in time and O(n(n + m)) in space for training, and O(nm) for inference."
    )
    differs = (
        "The paper states the complexities without measurements. The exponents are slopes over small sizes, for which "
        "lower-order terms still matter: the kernel matrix, n² d, beside the factor, n³/3, and at fixed n the parts "
        "that do not grow with m. Times differ from run to run."
    )
    timed = True

    def tasks(self, quick: bool) -> list[Task]:
        return [
            {"model": model, "what": what, "size": size, "repeats": 2 if quick else 5}
            for model in ("classification", "tags", "tags, top-k")
            for what, sizes in SIZES.items()
            for size in (sizes[:3] if quick else sizes)
        ]

    def run(self, task: Task, data: str | None) -> list[Row]:
        rng = np.random.default_rng(0)
        what, size = task["what"], task["size"]
        n, m = (size, 10) if what.endswith("n") else (1000, size)
        X, queries = rng.standard_normal((n, 10)), rng.standard_normal((500, 10))
        if task["model"] == "classification":
            sets = rng.uniform(size=(n, m)) < 2 / m
            sets[np.arange(n), rng.integers(m, size=n)] = True
            model: Any = PartialClassifier.paper()
            y: Any = CandidateLabels(sets)
        else:
            k = 3 if "top-k" in task["model"] else None
            model, y = PartialMultilabelClassifier.paper(n_tags=k), PartialTags(rng.integers(-1, 2, size=(n, m)))
        if "space" in what:
            tracemalloc.start()
            model.fit(X, y)
            best = float(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        elif "training" in what:
            best = min(_seconds(lambda: model.fit(X, y)) for _ in range(task["repeats"]))
        else:
            model.fit(X, y)
            best = min(_seconds(lambda: model.predict(queries)) for _ in range(task["repeats"]))
        return [row(task["model"], size, best, what=what)]

    def draw(self, frame: pd.DataFrame):
        slopes = self._slopes(frame)
        models = list(dict.fromkeys(frame["method"]))
        cells = [[what, f"{STATED[what]}", *(f"{slopes[model, what]:.2f}" for model in models)] for what in STATED]
        return style.table(cells, ["exponent of", "stated", *models], [1.7, 0.8, 1.3, 1.0, 1.2])

    @staticmethod
    def _slopes(frame: pd.DataFrame) -> dict:
        groups = frame.groupby(["method", "what"])
        return {key: np.polyfit(np.log(part["parameter"]), np.log(part["value"]), 1)[0] for key, part in groups}

    def compare(self, frame: pd.DataFrame) -> list[Comparison]:
        slopes = self._slopes(frame)
        return [
            Comparison(
                f"{model}: {what} grows at most as stated", bool(value <= STATED[what] + 0.3), True, None, "print"
            )
            for (model, what), value in slopes.items()
        ]


def _seconds(work) -> float:
    """Return the CPU time, which depends less on the load of the machine than the wall time."""
    start = time.process_time()
    work()
    return time.process_time() - start
