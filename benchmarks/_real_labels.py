"""Candidate sets that were met in practice: the default beside simple models, full supervision and a forest's time."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from benchmarks._tools import Table, kept
from benchmarks.defaults import _methods as m
from benchmarks.defaults.labels import accuracy, classifier, every_candidate, one_of, steps_off, voting
from infimum import PartialClassifier

SEED = 2026
EXACT_ROWS = 20
"""Exact rows from which on a model is fitted to them alone."""


class Data(NamedTuple):
    X: NDArray
    sets: NDArray
    """(n, m) candidates."""
    truth: NDArray
    n_test: int = 0
    """The last rows are the test set; 0 if there are folds."""


class Source(NamedTuple):
    load: Callable[[Path], Data]
    n_folds: int
    published: str
    """The best figure that was read; empty if there is none for these folds."""
    chosen: bool
    """Whether constants of the default were chosen on these rows."""
    cost: Any = None


def matlab(name: str, n_rows: int | None = None) -> Callable[[Path], Data]:
    """Return a loader of a file of the partial-label literature; of some of its rows, drawn at random."""

    def load(root: Path) -> Data:
        from scipy import io, sparse

        found = io.loadmat(root / "partial-labels" / f"{name}.mat")
        X, sets, truth = (
            np.asarray(one.toarray() if sparse.issparse(one) else one, dtype=float)
            for one in (found[key] for key in ("data", "partial_target", "target"))
        )
        rows = np.random.RandomState(SEED).permutation(len(X))[:n_rows] if n_rows else np.arange(len(X))
        return Data(X[rows], sets.T[rows] > 0, truth.T[rows].argmax(axis=1))

    return load


def labelme(root: Path) -> Data:
    """Union of the workers' answers about 1,000 images; the test set has true labels."""
    folder = root / "crowd" / "labelme"
    answers = np.loadtxt(folder / "answers.txt").astype(int)
    X, truth = [], []
    for part in ("train", "test"):
        X.append(np.load(folder / f"LabelMe_VGG_avg_{part}.npy").reshape(-1, 512))
        truth.append(np.loadtxt(folder / f"LabelMe_Z_{part}.txt").astype(int))
    sets = np.stack([(answers == k).any(axis=1) for k in range(8)], axis=1)
    given = np.vstack([sets, np.ones((len(X[1]), 8), dtype=bool)])
    return Data(np.vstack(X), given, np.concatenate(truth), len(X[1]))


def cifar10h(root: Path, n_rows: int = 3000) -> Data:
    """The classes that at least one of about 51 people named; features are log-probabilities of a network."""
    folder = root / "crowd" / "cifar10h"
    net = np.loadtxt(folder / "resnet-110.csv", delimiter=",")
    rows = np.random.RandomState(SEED).permutation(len(net))[:n_rows]
    sets = np.load(folder / "cifar10h-counts.npy") > 0
    X = np.log(np.maximum(net[:, 11:], 1e-9))
    return Data(X[rows], sets[rows], net[rows, 0].astype(int))


SOURCES = {
    "Lost": Source(matlab("lost"), 10, "", True),
    "MSRCv2": Source(matlab("MSRCv2"), 10, ".599", True),
    "labelme": Source(labelme, 1, "", False),
    "FG-NET, years off": Source(matlab("FG-NET"), 10, "", False, "ordinal"),
    "Italian POS, 3,000 rows": Source(matlab("italian", 3000), 3, "", False),
    "cifar10h, 3,000 rows": Source(cifar10h, 3, "", False),
    "BirdSong": Source(matlab("BirdSong"), 10, "", True),
}


def exact_rows(make: Callable[[], Any]) -> m.Method:
    """A classifier of the exact rows alone."""

    def method(X: NDArray, sets: NDArray) -> m.Fitted:
        rows = np.flatnonzero(sets.sum(axis=1) == 1)
        if len(rows) < EXACT_ROWS:
            return m.Fitted(lambda queries: np.zeros(len(queries), dtype=int))
        return classifier(make(), X[rows], sets[rows].argmax(axis=1), np.ones(len(rows)), sets.shape[1])

    return method


SIMPLE: dict[str, m.Method] = {
    "forest, exact rows": exact_rows(m.forest),
    "linear, exact rows": exact_rows(m.logistic),
    "forest, every candidate": every_candidate(m.forest),
    "linear, every candidate": every_candidate(m.logistic),
    "neighbours": voting,
}
"""The models that people would take instead; the last one is PL-kNN."""


def one_fold(source: Source, data: Data, train: NDArray, test: NDArray) -> dict[str, float]:
    """Return the score of each method on the test rows, and our CPU time as a multiple of a forest's."""
    score = accuracy if source.cost is None else steps_off
    X, sets, truth = data.X[train], data.sets[train], data.truth[train]
    start = time.process_time()
    ours = m.fitted(PartialClassifier(cost=source.cost), X, sets)
    taken = time.process_time() - start
    start = time.process_time()
    m.forest().fit(X, one_of(sets))
    found = {"CPU ratio": taken / (time.process_time() - start)}
    methods = {"default": ours} | {name: method(X, sets) for name, method in SIMPLE.items()}
    methods["forest, true labels"] = every_candidate(m.forest)(X, np.eye(sets.shape[1], dtype=bool)[truth])
    return found | {name: score(data.truth[test], one.predict(data.X[test])) for name, one in methods.items()}


def splits(source: Source, data: Data, n: int | None) -> list[tuple[NDArray, NDArray]]:
    if data.n_test:
        rows = np.arange(len(data.X))
        return [(rows[: -data.n_test], rows[-data.n_test :])]
    return list(KFold(source.n_folds, shuffle=True, random_state=SEED).split(data.X))[:n]


def labels(folds: int | None = None, only: str | None = None, docs: bool = False) -> None:
    """Compare the default with simple models on each data set, the first `folds` folds of each."""
    root = Path(os.environ.get("INFIMUM_DATA", ""))
    if not (root / "partial-labels").is_dir():
        raise SystemExit(f"{root} does not contain partial-labels. Set INFIMUM_DATA to the folder that does.")
    table, lines = Table("Candidate sets met in practice: accuracy, or years off"), [HEAD]
    for name, source in SOURCES.items():
        if only is not None and only not in name:
            continue
        data = source.load(root)
        each = []
        for k, (train, test) in enumerate(splits(source, data, folds)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                each.append(kept("real", f"labels/{name}/{k}", partial(one_fold, source, data, train, test)))
        means = {key: float(np.mean([one[key] for one in each])) for key in each[0]}
        best = (max if source.cost is None else min)(SIMPLE, key=means.__getitem__)
        table.row(name, f"{means['default']:.3f}", f"{best} {means[best]:.3f}, CPU ratio {means['CPU ratio']:.1f}")
        lines.append(
            f"| {name} | {'yes' if source.chosen else 'no'} | {len(each)} | {means['default']:.3f} | {means[best]:.3f}"
            f" ({best}) | {means['forest, true labels']:.3f} | {source.published} | {means['CPU ratio']:.1f} |"
        )
    if docs:
        path = Path(__file__).parent.parent / "docs" / "_tables" / "real_labels.md"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


HEAD = """\
| data | constants chosen on it | folds | default | best simple model | forest, true labels | published | CPU ratio |
| --- | --- | --- | --- | --- | --- | --- | --- |"""
