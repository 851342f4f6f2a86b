"""Files as people have them: exports of annotation tools and tables, small and drawn from a seed."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np

from infimum.io import not_vote

NAMES = ["cat", "dog", "owl"]
WORDS = {"cat": "it purrs and naps", "dog": "it barks and runs", "owl": "it hoots at night"}


def animals(n: int, seed: int = 0) -> tuple[np.ndarray, list[str], list[list[str]]]:
    """Weights of n animals, their kinds, and candidates: another kind joins with probability 0.3."""
    rng = np.random.default_rng(seed)
    kinds = rng.integers(3, size=n)
    weight = kinds * 2.0 + rng.normal(scale=0.5, size=n)
    sets = [sorted({k, *np.flatnonzero(rng.random(3) < 0.3).tolist()}) for k in kinds.tolist()]
    return weight, [NAMES[k] for k in kinds], [[NAMES[k] for k in row] for row in sets]


def label_studio(path: Path, n: int = 40) -> None:
    """A full export: texts and a number, one or two annotators, a skipped task, one nobody was asked about."""
    weight, truth, sets = animals(n)
    tasks = []
    for i in range(n):
        answers = [(1, sets[i])] + ([(2, [truth[i]])] if i % 3 == 0 else [])
        annotations = [
            {
                "completed_by": who,
                "was_cancelled": i == 5,
                "result": [] if i == 5 else [
                    {"type": "choices", "from_name": "kind", "to_name": "text", "value": {"choices": names}}
                ],
            }
            for who, names in (answers if i != 7 else [])
        ]  # fmt: skip
        data = {"text": f"{WORDS[truth[i]]}, number {i}", "weight": round(float(weight[i]), 3)}
        tasks.append({"id": i + 100, "data": data, "annotations": annotations})
    path.write_text(json.dumps(tasks))


def prodigy(path: Path, n: int = 40) -> None:
    """Decisions, accept, reject, ignore, on one label each."""
    weight, truth, _ = animals(n, 1)
    rng = np.random.default_rng(1)
    lines = []
    for i in range(n):
        asked = NAMES[int(rng.integers(3))]
        answer = "ignore" if i % 17 == 0 else "accept" if asked == truth[i] else "reject"
        text = f"{WORDS[truth[i]]}, number {i}"
        lines.append({"text": text, "weight": float(weight[i]), "label": asked, "answer": answer, "_input_hash": i})
    path.write_text("\n".join(map(json.dumps, lines)))


def snorkel(path: Path, data: Path, n: int = 40) -> None:
    """A label matrix of four functions, some of which vote "not class k"; the features lie in a table beside it."""
    weight, truth, _ = animals(n, 2)
    rng = np.random.default_rng(2)
    L = np.full((n, 4), -1)
    for i, kind in enumerate(truth):
        k = NAMES.index(kind)
        wrong = [other for other in range(3) if other != k]
        L[i, 0] = k if rng.random() < 0.3 else -1
        L[i, 1] = not_vote(wrong[int(rng.integers(2))]) if rng.random() < 0.6 else -1
        L[i, 2] = not_vote(0) if k != 0 and rng.random() < 0.6 else -1
    np.save(path, L)
    with open(data, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["weight", "colour"])
        writer.writerows([[f"{w:.3f}", rng.choice(["red", "grey", ""])] for w in weight])


def write(path: Path, columns: list[str], rows: list) -> None:
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)


def partial_labels(path: Path, home: Path, n: int = 90) -> None:
    """The first classes of the faces in `lost`, eight features, the truth beside."""
    from infimum.datasets import load

    lost = load("partial-labels/lost", data_home=home, download=False)
    few = np.random.default_rng(0).permutation(np.flatnonzero(lost.target < 5))[:n]
    rows = []
    for i in few:
        names = [f"c{k}" for k in np.flatnonzero(lost.candidates[i])]
        rows.append([*(f"{v:.4f}" for v in lost.data[i, :8]), f"c{lost.target[i]}", "|".join(names)])
    write(path, [*(f"f{k}" for k in range(8)), "truth", "label"], rows)


def rankings(path: Path, home: Path, n: int = 60) -> None:
    """Orders of the labels of `iris`, of which some pairs are told."""
    from infimum.datasets import load

    iris = load("label-ranking/iris", data_home=home, download=False)
    rng = np.random.default_rng(0)
    at = rng.permutation(len(iris.data))[:n]
    rows = []
    for i in at:
        order = [f"i{k}" for k in np.argsort(iris.target[i])]
        keep = sorted(rng.choice(len(order), int(rng.integers(2, len(order) + 1)), replace=False))
        rows.append([*iris.data[i], ">".join(order[k] for k in keep)])
    write(path, [*(f"f{k}" for k in range(iris.data.shape[1])), "order"], rows)


def intervals(path: Path, n: int = 60) -> None:
    """Bounds in two columns, some of them open, one of them the wrong way round, and a third with text."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    y = 2 * x + rng.normal(scale=0.2, size=n)
    rows = []
    for i in range(n):
        low, high = y[i] - rng.random(), y[i] + rng.random()
        cells = ["" if i % 9 == 0 else f"{low:.3f}", "" if i % 7 == 0 else f"{high:.3f}"]
        rows.append([f"{x[i]:.3f}", rng.choice(["a", "b"]), *cells])
    rows[10][2:] = ["3", "1"]
    write(path, ["x", "site", "low", "high"], rows)


def tags(path: Path, n: int = 60) -> None:
    """Two tags, known here and there."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    rows = []
    for x in X:
        said = [f"{'+' if x[k] > 0 else '-'}{name}" for k, name in enumerate(("red", "round")) if rng.random() < 0.6]
        rows.append([*(f"{v:.3f}" for v in x), " ".join(said)])
    write(path, ["u", "v", "tags"], rows)
