"""Losses for neural networks: their time beside PyTorch's cross-entropy, and the accuracy of networks.

``python -m benchmarks.torch [speed] [digits] [MSRCv2]`` runs some of it; figures go to docs/_static. The speed is taken
with one thread, in turns, by the time that the processor spends. Accuracies are on a fifth of the rows, held out anew
for every seed, after the last epoch: nothing is chosen by true labels.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits
from torch import nn
from torch.nn import functional as F

from benchmarks._tools import Table
from infimum import PartialClassifier, datasets
from infimum.torch import SetCrossEntropy, SoftDisambiguation, TagLoss

PRINCIPLES = ("likelihood", "disambiguation", "infimum", "supremum", "average")
SEEDS = range(5)
STATIC = Path(__file__).resolve().parents[1] / "docs" / "_static"


def speed(b: int = 1024, m: int = 1000, repeats: int = 100) -> None:
    """Forward and backward of a batch, against cross_entropy on the same logits."""
    random = torch.Generator().manual_seed(0)
    logits = torch.randn(b, m, generator=random).requires_grad_(True)
    truth = torch.randint(m, (b,), generator=random)
    for density in (0.01, 0.5):
        mask = (torch.rand(b, m, generator=random) < density) | F.one_hot(truth, m).bool()
        signs = torch.where(mask, 1, -1).to(torch.int8) * (torch.rand(b, m, generator=random) < 0.5)
        runs: dict[str, Callable] = {"torch cross_entropy": lambda x: F.cross_entropy(x, truth)}
        runs |= {f"SetCrossEntropy {p}": _on(SetCrossEntropy(p), mask) for p in PRINCIPLES}
        rows = torch.randperm(b, generator=random)
        runs["SoftDisambiguation, loss alone"] = _on(SoftDisambiguation(mask).eval(), rows)
        runs["SoftDisambiguation, moving its weights"] = _on(SoftDisambiguation(mask), rows)
        runs["TagLoss"] = _on(TagLoss(), signs)
        theirs, *ours = _turns(logits, list(runs.values()), repeats)
        table = Table(f"{b} x {m} logits, {100 * density:g} % candidates: forward and backward, one thread")
        for what, spent in zip(list(runs)[1:], ours):
            table.ratio(what, spent, theirs, 1.3)
        bce, tags = _turns(logits, [_on(nn.BCEWithLogitsLoss(), (signs > 0).float()), _on(TagLoss(), signs)], 50)
        table.ratio("TagLoss, beside binary_cross_entropy_with_logits", tags, bce, 1.3)


def _on(loss: Callable, given: torch.Tensor) -> Callable:
    return lambda logits: loss(logits, given)


def _turns(logits: torch.Tensor, runs: list[Callable], repeats: int) -> list[float]:
    """The least processor time of every run, in seconds."""
    best = [float("inf")] * len(runs)
    for _ in range(repeats):
        for k, run in enumerate(runs):
            start = time.thread_time()
            _run(logits, run)
            best[k] = min(best[k], time.thread_time() - start)
    return best


def _run(logits: torch.Tensor, run: Callable) -> None:
    logits.grad = None
    run(logits).backward()


class Problem(NamedTuple):
    X: NDArray
    truth: NDArray
    candidates: NDArray
    net: Callable[[], nn.Sequential]
    epochs: int


def digits(seed: int) -> Problem:
    """8 x 8 images, where every wrong class joins the candidates with probability 0.7."""
    data = load_digits()
    X = (data.images / 16).astype(np.float32)[:, None]
    return Problem(X, data.target, datasets.make_candidate_sets(data.target, 0.7, random_state=seed), convolutional, 30)


def msrcv2(seed: int) -> Problem:
    """Regions of photographs, with the labels of the whole photograph as candidates."""
    data = datasets.load("partial-labels/MSRCv2", download=False)
    return Problem(np.asarray(data.data, np.float32), data.target, data.candidates, perceptron, 40)


PROBLEMS = {"digits": digits, "MSRCv2": msrcv2}


def convolutional() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(512, 64), nn.ReLU(), nn.Linear(64, 10),
    )  # fmt: skip


def perceptron() -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(48, 256), nn.ReLU(), nn.Dropout(0.2), nn.Linear(256, 256), nn.ReLU(), nn.Dropout(0.2),
        nn.Linear(256, 23),
    )  # fmt: skip


LOSSES: dict[str, Callable] = {
    "network, SoftDisambiguation()": lambda S, t: SoftDisambiguation(S),
    "network, PRODEN": lambda S, t: SoftDisambiguation(S, momentum=0.0),
    "network, CC (likelihood)": lambda S, t: _by_row(SetCrossEntropy("likelihood"), S),
    "network, average": lambda S, t: _by_row(SetCrossEntropy("average"), S),
    "network, infimum": lambda S, t: _by_row(SetCrossEntropy("infimum"), S),
    "network, true labels": lambda S, t: _by_row(nn.CrossEntropyLoss(), t),
}
TWO_STEPS = "network, then linear ridge on its features"


def _by_row(loss: Callable, given: torch.Tensor) -> Callable:
    return lambda logits, rows: loss(logits, given[rows])


def train(problem: Problem, X: torch.Tensor, loss: Callable, seed: int) -> nn.Sequential:
    torch.manual_seed(seed)
    net = problem.net()
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, problem.epochs)
    for _ in range(problem.epochs):
        for rows in torch.randperm(len(X)).split(64):
            optimiser.zero_grad()
            loss(net(X[rows]), rows).backward()
            optimiser.step()
        schedule.step()
    return net.eval()


@torch.no_grad()
def one_seed(name: str, seed: int) -> dict[str, float]:
    """Return the accuracy of each method on one split."""
    problem = PROBLEMS[name](seed)
    n = len(problem.X)
    order = np.random.default_rng(seed).permutation(n)
    train_rows, test_rows = order[: 4 * n // 5], order[4 * n // 5 :]
    X = problem.X
    if X.ndim == 2:
        X = StandardScaler().fit(X[train_rows]).transform(X).astype(np.float32)
    S, truth = problem.candidates[train_rows], problem.truth[test_rows]
    seen, asked = torch.from_numpy(X[train_rows]), torch.from_numpy(X[test_rows])
    out = {}
    for what, make in LOSSES.items():
        with torch.enable_grad():
            loss = make(torch.from_numpy(S), torch.from_numpy(problem.truth[train_rows]).long())
            net = train(problem, seen, loss, seed)
        out[what] = float(np.mean(net(asked).argmax(dim=1).numpy() == truth))
        if what == "network, SoftDisambiguation()":
            body = net[:-1]
            second = PartialClassifier.paper(weights="linear").fit(body(seen).double().numpy(), S)
            out[TWO_STEPS] = float(np.mean(second.predict(body(asked).double().numpy()) == truth))
    rows, queries = (x.flatten(1).double().numpy() for x in (seen, asked))
    out["kernel ridge, PartialClassifier.paper()"] = float(
        np.mean(PartialClassifier.paper().fit(rows, S).predict(queries) == truth)
    )
    out["default, PartialClassifier()"] = float(np.mean(PartialClassifier().fit(rows, S).predict(queries) == truth))
    return out


def accuracy(name: str) -> None:
    every = [one_seed(name, seed) for seed in SEEDS]
    scores = {what: np.array([one[what] for one in every]) for what in every[0]}
    table = Table(f"{name}: accuracy on held-out rows, mean ± standard deviation over {len(SEEDS)} seeds")
    for what, values in scores.items():
        table.row(what, f"{values.mean():.3f} ± {values.std(ddof=1):.3f}")
    draw(name, {what: (values.mean(), values.std(ddof=1)) for what, values in scores.items()})


def draw(name: str, scores: dict[str, tuple[float, float]]) -> None:
    """Draw the mean and standard deviation of each method, as docs/_static/torch-<name>.png."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 2.9), layout="constrained")
    axis = figure.subplots()
    for k, (what, (mean, deviation)) in enumerate(reversed(scores.items())):
        colour = "#777777" if "true" in what else "#E69F00" if what.startswith(("kernel", "default")) else "#0072B2"
        axis.errorbar(mean, k, xerr=deviation, fmt="o", color=colour, capsize=3)
    axis.set_yticks(range(len(scores)), list(reversed(scores)), fontsize=8)
    axis.set_xlabel(f"accuracy on {name}, {len(SEEDS)} seeds", fontsize=9)
    axis.grid(axis="x", color="#e6e6e6")
    axis.set_axisbelow(True)
    axis.spines[["top", "right"]].set_visible(False)
    STATIC.mkdir(exist_ok=True)
    figure.savefig(STATIC / f"torch-{name.lower()}.png", dpi=110)


def main(names: list[str] | None = None) -> None:
    torch.set_num_threads(1)
    with threadpool_limits(1):
        for name in names or ["speed", *PROBLEMS]:
            speed() if name == "speed" else accuracy(name)


if __name__ == "__main__":
    main(sys.argv[1:])
