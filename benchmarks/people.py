"""Annotators who err and sets that miss the true label, beside aggregation and other baselines.

The constants of the library were adjusted with test results of digits, segment, vowel and LabelMe in sight, so these
figures are optimistic; sentiment and CIFAR-10H were not used for this, except that a prior was computed on the answers
of sentiment. No method sees a true label before errors are counted.
Baselines: majority vote and Dawid–Skene, each followed by a forest and by our own model on its labels; Raykar's joint
model (a logistic regression with one confusion matrix per annotator, fitted by expectation maximisation); the union of
the answers as candidate sets; the true labels. Dawid–Skene and Raykar's model are written here from their papers
(Dawid and Skene 1979; Raykar et al. 2010).

``python -m benchmarks people:noise people:simulated people:real people:speed``. `real` needs the folder of crowd data
in the environment variable INFIMUM_CROWD.
"""

from __future__ import annotations

import importlib.util
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

from benchmarks._tools import Table, run_parts
from infimum import PartialClassifier, Votes, datasets

SEED = 2026


def data(name: str) -> tuple[NDArray, NDArray]:
    if name == "digits":
        return load_digits(return_X_y=True)
    found = datasets.load_libsvm(name, download=False)
    return found.data, np.unique(found.target, return_inverse=True)[1]


def missing_sets(truth: NDArray, share: float, c: float = 0.2, seed: int = SEED) -> tuple[NDArray, NDArray]:
    """Candidates with independent distractors of probability c; a share of the sets misses the true label."""
    random = np.random.default_rng(seed)
    n, m = len(truth), truth.max() + 1
    mask = random.random((n, m)) < c
    mask[np.arange(n), truth] = True
    miss = random.random(n) < share
    mask[miss, truth[miss]] = False
    for row in np.flatnonzero(~mask.any(axis=1)):
        mask[row, (truth[row] + random.integers(1, m)) % m] = True
    return mask, miss


def precision_at(order: NDArray, miss: NDArray, recall: float = 0.6) -> float:
    """The precision of the first rows of an order that contain this share of the wrong sets."""
    needed = int(np.ceil(recall * miss.sum()))
    return float(needed / (np.searchsorted(np.cumsum(miss[order]), needed) + 1))


def noise() -> None:
    """Sets that miss the true label in 0, 10, 20 and 40 % of the rows; three folds."""
    table = Table("sets that miss the true label: accuracy; estimated share; precision of likely errors at recall .6")
    for name in ("digits", "segment", "vowel"):
        X, truth = data(name)
        for share in (0.0, 0.1, 0.2, 0.4):
            mask, miss = missing_sets(truth, share)
            found: dict[Any, list] = {None: [], "auto": []}
            about = []
            for train, test in KFold(3, shuffle=True, random_state=SEED).split(X):
                for how, scores in found.items():
                    model = PartialClassifier(noise=how).fit(X[train], mask[train])
                    scores.append(np.mean(model.predict(X[test]) == truth[test]))
                if model.disambiguation_ is not None and share:
                    precision = precision_at(model.label_errors_, miss[train])
                    about.append((abs(float(model.noise_) - miss[train].mean()), float(model.noise_), precision))
            text = "" if not about else "; share {1:.3f} (off by {0:.3f}), precision {2:.2f}".format(*np.mean(about, 0))
            table.row(f"{name}, {100 * share:.0f} % miss", f"{np.mean(found['auto']):.3f}{text}",
                      f"noise=None {np.mean(found[None]):.3f}")  # fmt: skip


def crowd(truth: NDArray, sets: bool, seed: int = SEED, workers: int = 30, per_row: int = 3) -> tuple[Votes, NDArray]:
    """Answers of 30 workers of accuracy .3 to .95, one of whom guesses and one avoids the truth; 3 per row."""
    random = np.random.default_rng(seed)
    n, m = len(truth), int(truth.max()) + 1
    right = random.uniform(0.3, 0.95, workers)
    right[:2] = 1 / m, 0.02
    row = np.repeat(np.arange(n), per_row)
    who = np.concatenate([random.choice(workers, per_row, replace=False) for _ in range(n)])
    wrong = (truth[row] + random.integers(1, m, len(row))) % m
    label = np.where(random.random(len(row)) < right[who], truth[row], wrong)
    answers: list = label.tolist()
    if sets:  # half of the answers name a second class
        more = random.integers(0, m, len(row))
        answers = [{a, int(b)} if random.random() < 0.5 else a for a, b in zip(answers, more)]
    table = {"row": row.tolist(), "who": who.tolist(), "answer": answers}
    return Votes.from_table(table, row="row", annotator="who", answer="answer", rows=range(n)), right


def counts_of(votes: Votes, m: int) -> NDArray:
    """One-hot answers, (a, m); the candidates of a set share one answer."""
    out = np.zeros((len(votes.answers), m))
    for k, answer in enumerate(votes.answers.tolist()):
        labels = list(answer) if isinstance(answer, set | frozenset) else [answer]
        out[k, labels] = 1 / len(labels)
    return out


def majority(votes: Votes, m: int) -> NDArray:
    total = np.zeros((len(votes), m))
    np.add.at(total, votes.row, counts_of(votes, m))
    return total / np.maximum(total.sum(axis=1, keepdims=True), 1e-9)


def dawid_skene(votes: Votes, m: int, prior: NDArray | None = None, q: NDArray | None = None) -> NDArray:
    """Posteriors of the labels: 50 rounds, or one round from q with a prior for each row."""
    one_hot, k = counts_of(votes, m), len(votes.annotators)
    rounds = 50 if q is None else 1
    q = majority(votes, m) if q is None else q
    for _ in range(rounds):
        confusion = np.full((k, m, m), 0.01)
        np.add.at(confusion, votes.source, q[votes.row][:, :, None] * one_hot[:, None, :])
        confusion /= confusion.sum(axis=2, keepdims=True)
        log = np.log(np.maximum(q.mean(axis=0) if prior is None else prior, 1e-9)) + np.zeros_like(q)
        np.add.at(log, votes.row, np.log(np.einsum("aym,am->ay", confusion[votes.source], one_hot) + 1e-12))
        q = np.exp(log - log.max(axis=1, keepdims=True))
        q /= q.sum(axis=1, keepdims=True)
    return q


def raykar(X: NDArray, votes: Votes, m: int, test: NDArray) -> NDArray:
    """Predictions of a logistic regression that is fitted jointly with the confusion matrices; ten rounds."""
    q = majority(votes, m)
    mean, deviation = X.mean(axis=0), np.maximum(X.std(axis=0), 1e-9)
    X, test = (X - mean) / deviation, (test - mean) / deviation
    for _ in range(10):
        rows, labels = np.nonzero(q > 0.01)
        model = LogisticRegression(C=0.1, max_iter=200).fit(X[rows], labels, q[rows, labels])
        prior = np.full((len(X), m), 1e-6)
        prior[:, model.classes_] += model.predict_proba(X)
        q = dawid_skene(votes, m, prior, q)
    return model.predict(test)


def compare(table: Table, name: str, X: Any, votes: Votes, truth: NDArray, X_test: Any, test: NDArray) -> None:
    """One line: our model beside all baselines."""
    m = int(max(truth.max(), test.max())) + 1
    start = time.process_time()
    model = PartialClassifier().fit(X, votes)
    seconds = time.process_time() - start
    forest = lambda y: RandomForestClassifier(300, random_state=0, n_jobs=1).fit(X, y).predict(X_test)  # noqa: E731
    ours = lambda y: PartialClassifier(noise=None).fit(X, y).predict(X_test)  # noqa: E731
    vote, ds = majority(votes, m).argmax(axis=1), dawid_skene(votes, m).argmax(axis=1)
    union = [set(np.flatnonzero(row).tolist()) or None for row in majority(votes, m) > 0]
    others = {
        "majority + forest": forest(vote), "majority + ours": ours(vote), "Dawid-Skene + forest": forest(ds),
        "Dawid-Skene + ours": ours(ds), "union + ours": ours(union), "truth + ours": ours(truth),
    }  # fmt: skip
    if not hasattr(X, "tocsr"):
        others["Raykar"] = raykar(X, votes, m, X_test)
    text = ", ".join(f"{key} {np.mean(z == test):.3f}" for key, z in others.items())
    alone = PartialClassifier().fit(None, votes)
    table.row(
        f"{name}: test accuracy", f"{np.mean(model.predict(X_test) == test):.3f} ({seconds:.0f} s)", text
    )
    table.row(
        f"{name}: accuracy of the training labels",
        f"{np.mean(model.labels_ == truth):.3f}, without X {np.mean(alone.labels_ == truth):.3f}",
        f"majority {np.mean(vote == truth):.3f}, Dawid-Skene {np.mean(ds == truth):.3f}",
    )


def simulated() -> None:
    """Crowds on digits, segment and vowel."""
    table = Table("simulated crowds")
    for name in ("digits", "segment", "vowel"):
        X, truth = data(name)
        train, test = next(KFold(3, shuffle=True, random_state=SEED).split(X))
        for sets in (False, True):
            votes, right = crowd(truth[train], sets)
            label = f"{name}, {'sets' if sets else 'labels'}"
            compare(table, label, X[train], votes, truth[train], X[test], truth[test])
            found = PartialClassifier().fit(X[train], votes).sources_
            true = right[[int(k) for k in found.names]]
            table.row(f"{label}: correlation of reliabilities", f"{np.corrcoef(found.reliability, true)[0, 1]:.3f}")


def real() -> None:
    """LabelMe, sentiment and CIFAR-10H, if their folder is given."""
    table = Table("real crowds")
    home = os.environ.get("INFIMUM_CROWD")
    if not home:
        table.row("INFIMUM_CROWD is not set", "not run")
        return
    spec = importlib.util.spec_from_file_location("real", Path(home) / "real.py")
    assert spec is not None
    assert spec.loader is not None
    load = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(load)
    for name in ("labelme", "sentiment"):
        found = getattr(load, name)()
        X, X_test = found["X"], found["X_test"]
        if name == "sentiment":
            words = TfidfVectorizer(min_df=5, max_features=2000, sublinear_tf=True).fit(X["text"])
            X, X_test = words.transform(X["text"]), words.transform(X_test["text"])
        lines = [(i, w, a) for i, row in enumerate(found["votes"]) for w, a in row]
        columns = dict(zip(("row", "who", "answer"), map(list, zip(*lines))))
        votes = Votes.from_table(columns, row="row", annotator="who", answer="answer", rows=range(X.shape[0]))
        compare(table, name, X, votes, found["truth"], X_test, found["truth_test"])
    found = load.cifar10h()
    random = np.random.default_rng(SEED)
    rows = random.permutation(len(found["truth"]))[:4000]
    some, rest = rows[:2000], rows[2000:]
    P = found["counts"] / found["counts"].sum(axis=1, keepdims=True)
    three = [random.choice(10, 3, p=P[i]) for i in some]  # three people per image, anonymous
    soft = np.stack([np.bincount(x, minlength=10) / 3 for x in three])
    X, truth = found["X"], found["truth"]
    score = lambda y: np.mean(PartialClassifier().fit(X[some], y).predict(X[rest]) == truth[rest])  # noqa: E731
    table.row(
        "cifar10h, 3 answers per image as soft labels", f"{score(soft):.3f}",
        f"majority {score(soft.argmax(axis=1)):.3f}, union {score(soft > 0):.3f}, truth {score(truth[some]):.3f}",
    )  # fmt: skip


def speed() -> None:
    """The same fit with and without sources, 5,000 rows and 25,000 answers; a million answers."""
    table = Table("speed of fits to votes")
    random = np.random.default_rng(SEED)
    n, m = 5000, 10
    truth = random.integers(m, size=n)
    X = random.standard_normal((n, 10)) + np.eye(m)[truth] * 3
    votes, _ = crowd(truth, False, workers=100, per_row=5)
    times = []
    for y in (votes, truth):
        start = time.process_time()
        PartialClassifier().fit(X, y)
        times.append(time.process_time() - start)
    table.row("5,000 rows, 25,000 answers (CPU)", f"{times[0]:.1f} s", f"true labels {times[1]:.1f} s")
    n, k, a = 200_000, 10_000, 1_000_000
    truth, who, right = random.integers(m, size=n), random.integers(k, size=a), random.uniform(0.3, 0.95, k)
    row = np.repeat(np.arange(n), a // n)
    answer = np.where(random.random(a) < right[who], truth[row], random.integers(m, size=a))
    X = random.standard_normal((n, 5)) + 2 * np.eye(m)[truth][:, :5] + np.eye(m)[truth][:, 5:]
    start = time.process_time()
    columns = {"row": row.tolist(), "who": who.tolist(), "answer": answer.tolist()}
    votes = Votes.from_table(columns, row="row", annotator="who", answer="answer", rows=range(n), repeated="first")
    model = PartialClassifier().fit(X, votes)
    table.row(
        "200,000 rows, 1,000,000 answers of 10,000 people (CPU)", f"{time.process_time() - start:.0f} s",
        f"accuracy of the training labels {np.mean(model.labels_ == truth):.3f}",
    )  # fmt: skip


PARTS = {"noise": noise, "simulated": simulated, "real": real, "speed": speed}


def main(names: list[str] | None = None) -> None:
    run_parts(PARTS, names)


if __name__ == "__main__":
    main()
