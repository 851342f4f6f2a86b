"""Crowds and their baselines for `people`: real and simulated answers, and what other libraries make of them."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import KFold, cross_val_predict

from infimum import PartialClassifier, Votes, datasets

SEED = 2026
GENRES = 10


class Crowd(NamedTuple):
    """Answers about the training rows, and test rows with true labels."""

    X: Any
    votes: Votes
    truth: NDArray
    X_test: Any
    truth_test: NDArray
    right: NDArray | None = None
    """The true share of right answers of each annotator, for simulations."""

    @property
    def n_classes(self) -> int:
        return int(max(self.truth.max(), self.truth_test.max())) + 1


def data(name: str) -> tuple[NDArray, NDArray]:
    """Return the features and the classes 0, 1, … of a table."""
    if name == "digits":
        return load_digits(return_X_y=True)
    found = datasets.load(f"libsvm/{name}", download=False)
    return found.data, np.unique(found.target, return_inverse=True)[1]


def simulated_votes(
    truth: NDArray, sets: bool = False, seed: int = SEED, workers: int = 30, per_row: int = 3
) -> tuple[Votes, NDArray]:
    """Return answers of workers of accuracy .3 to .95, one of whom guesses and one avoids the true label.

    With `sets`, half of the answers contain a second class.
    """
    random = np.random.default_rng(seed)
    n, m = len(truth), int(truth.max()) + 1
    right = random.uniform(0.3, 0.95, workers)
    right[:2] = 1 / m, 0.02
    row = np.repeat(np.arange(n), per_row)
    who = np.concatenate([random.choice(workers, per_row, replace=False) for _ in range(n)])
    wrong = (truth[row] + random.integers(1, m, len(row))) % m
    label = np.where(random.random(len(row)) < right[who], truth[row], wrong)
    answers: list = label.tolist()
    if sets:
        more = random.integers(0, m, len(row))
        answers = [{a, int(b)} if random.random() < 0.5 else a for a, b in zip(answers, more)]
    return as_votes(row, who, answers, n), right


def genre_votes(truth: NDArray, distance: NDArray, seed: int, per_row: tuple[int, int]) -> tuple[Votes, NDArray]:
    """Return answers of 44 biased people about few rows, who confuse classes at a small distance.

    People differ in skill and in how many rows they answer. Each has classes that they overuse. Rows differ in
    difficulty, so errors of several people are not independent.
    """
    random = np.random.default_rng(seed)
    n, k, m = len(truth), 44, len(distance)
    skill, bias = random.beta(3, 1.5, k), random.dirichlet(np.full(m, 0.5), k)
    ease = random.uniform(0.2, 1.1, n)
    activity = random.pareto(1.2, k) + 0.1
    near = np.exp(-distance / np.median(distance) * 3) * (1 - np.eye(m))
    near /= near.sum(axis=1, keepdims=True)
    row, who, answer = [], [], []
    for i, number in enumerate(random.integers(*per_row, n)):
        for w in random.choice(k, number, replace=False, p=activity / activity.sum()):
            knows = min(skill[w] * ease[i], 1.0)
            p = knows * np.eye(m)[truth[i]] + (1 - knows) * (0.6 * near[truth[i]] + 0.4 * bias[w])
            row.append(i), who.append(int(w)), answer.append(int(random.choice(m, p=p)))
    right = skill * ease.mean()
    return as_votes(np.array(row), np.array(who), answer, n), right


def as_votes(row: NDArray, who: NDArray, answers: list, n: int) -> Votes:
    table = {"row": row.tolist(), "who": who.tolist(), "answer": answers}
    return Votes.from_table(table, row="row", annotator="who", answer="answer", rows=range(n))


def simulated_crowd(name: str, sets: bool = False) -> Crowd:
    X, truth = data(name)
    train, test = next(KFold(3, shuffle=True, random_state=SEED).split(X))
    votes, right = simulated_votes(truth[train], sets)
    return Crowd(X[train], votes, truth[train], X[test], truth[test], right)


def genre_crowd(seed: int, per_row: tuple[int, int]) -> Crowd:
    """Return 700 rows of ten overlapping Gaussian classes with `genre_votes`, and 700 test rows."""
    random = np.random.default_rng(seed)
    mean = 1.15 * random.standard_normal((GENRES, 8))
    truth = random.integers(GENRES, size=1400)
    X = np.column_stack([mean[truth] + random.standard_normal((1400, 8)), random.standard_normal((1400, 12))])
    distance = np.linalg.norm(mean[:, None] - mean, axis=-1)
    votes, right = genre_votes(truth[:700], distance, seed + 1, per_row)
    return Crowd(X[:700], votes, truth[:700], X[700:], truth[700:], right)


def real_tables() -> Any:
    """Return the module real.py of the folder INFIMUM_DATA, which reads the real crowds."""
    path = Path(os.environ.get("INFIMUM_DATA", "")) / "real.py"
    if not path.exists():
        raise SystemExit(f"{path} does not exist. Set INFIMUM_DATA to the folder that contains real.py.")
    spec = importlib.util.spec_from_file_location("real", path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def real_crowd(name: str) -> Crowd:
    found = getattr(real_tables(), name)()
    X, X_test = found["X"], found["X_test"]
    if name == "sentiment":
        words = TfidfVectorizer(min_df=5, max_features=2000, sublinear_tf=True).fit(X["text"])
        X, X_test = words.transform(X["text"]), words.transform(X_test["text"])
    lines = [(i, w, a) for i, row in enumerate(found["votes"]) for w, a in row]
    row, who, answer = map(list, zip(*lines))
    votes = as_votes(np.array(row), np.array(who), answer, X.shape[0])
    return Crowd(X, votes, found["truth"], X_test, found["truth_test"])


def cifar_crowd() -> Crowd:
    """Return 2,000 images with three answers each; nobody is known by name, so the k-th answer is annotator k."""
    found = real_tables().cifar10h()
    random = np.random.default_rng(SEED)
    rows = random.permutation(len(found["truth"]))[:4000]
    some, rest = rows[:2000], rows[2000:]
    P = found["counts"] / found["counts"].sum(axis=1, keepdims=True)
    answers = np.array([random.choice(10, 3, p=P[i]) for i in some])
    X, truth = found["X"], found["truth"]
    return Crowd(X[some], Votes(answers), truth[some], X[rest], truth[rest])


CROWDS: dict[str, Callable[[], Crowd]] = {
    "labelme": lambda: real_crowd("labelme"),
    "sentiment": lambda: real_crowd("sentiment"),
    "cifar10h": cifar_crowd,
    **{f"{name}, {'sets' if sets else 'labels'}": lambda name=name, sets=sets: simulated_crowd(name, sets)
       for name in ("digits", "segment", "vowel") for sets in (False, True)},
    **{f"genres {seed}, {each[0]} to {each[1] - 1} answers": lambda seed=seed, each=each: genre_crowd(seed, each)
       for seed, each in enumerate([(2, 7), (2, 7), (5, 16), (5, 16)])},
}  # fmt: skip


def long_table(votes: Votes) -> pd.DataFrame:
    """Return one line per answer for crowd-kit; a set of several labels is one line per label."""
    lines = [
        (i, w, label)
        for i, w, answer in zip(votes.row.tolist(), votes.source.tolist(), votes.answers.tolist())
        for label in (sorted(answer) if isinstance(answer, set | frozenset) else [answer])
    ]
    return pd.DataFrame(lines, columns=["task", "worker", "label"])


def wide_table(votes: Votes) -> NDArray:
    """Return (n, annotators) labels with NaN, the first label of each set, for cleanlab and scikit-activeml."""
    table = long_table(votes).drop_duplicates(["task", "worker"])
    out = np.full((len(votes), len(votes.annotators)), np.nan)
    out[table["task"], table["worker"]] = table["label"]
    return out


def counts(crowd: Crowd) -> NDArray:
    """Return how often each label was given about each row, (n, m)."""
    table, out = long_table(crowd.votes), np.zeros((len(crowd.votes), crowd.n_classes))
    np.add.at(out, (table["task"], table["label"]), 1)
    return out


def aggregated(method: str, crowd: Crowd) -> NDArray:
    """Return the labels of the training rows that crowd-kit estimates without X."""
    from crowdkit.aggregation import GLAD, MACE, DawidSkene, MajorityVote, OneCoinDawidSkene

    models = {
        "majority": MajorityVote, "Dawid-Skene": DawidSkene, "one-coin": OneCoinDawidSkene, "GLAD": GLAD, "MACE": MACE,
    }  # fmt: skip
    found = models[method]().fit_predict(long_table(crowd.votes))
    return found.reindex(range(len(crowd.votes))).fillna(0).astype(int).to_numpy()


def cleanlab_consensus(crowd: Crowd) -> NDArray:
    """Return cleanlab's consensus labels; the probabilities are those of a forest on majority votes."""
    from cleanlab.multiannotator import get_label_quality_multiannotator

    forest = RandomForestClassifier(300, random_state=0)
    P = np.full((len(crowd.votes), crowd.n_classes), 1e-6)
    y = aggregated("majority", crowd)
    P[:, np.unique(y)] += cross_val_predict(forest, crowd.X, y, method="predict_proba", cv=5)
    P /= P.sum(axis=1, keepdims=True)
    wide = pd.DataFrame(wide_table(crowd.votes)).dropna(axis=1, how="all")
    found = get_label_quality_multiannotator(wide, P, verbose=False)
    return found["label_quality"]["consensus_label"].to_numpy()


def annotator_logistic(crowd: Crowd) -> NDArray:
    """Return test predictions of Raykar's model as scikit-activeml fits it, on standardised features."""
    from skactiveml.classifier.multiannotator import AnnotatorLogisticRegression

    X, X_test = ((x.toarray() if hasattr(x, "toarray") else x) for x in (crowd.X, crowd.X_test))
    mean, deviation = X.mean(axis=0), np.maximum(X.std(axis=0), 1e-9)
    y = wide_table(crowd.votes)
    y = y[:, ~np.isnan(y).all(axis=0)]
    model = AnnotatorLogisticRegression(
        n_annotators=y.shape[1], classes=list(range(crowd.n_classes)), solver="L-BFGS-B", random_state=0,
        annot_prior_diag=1,
    )  # fmt: skip
    return model.fit((X - mean) / deviation, y).predict((X_test - mean) / deviation)


def forest(crowd: Crowd, y: NDArray) -> NDArray:
    return RandomForestClassifier(300, random_state=0, n_jobs=1).fit(crowd.X, y).predict(crowd.X_test)


def ours(crowd: Crowd, y: Any) -> NDArray:
    return PartialClassifier(noise=None).fit(crowd.X, y).predict(crowd.X_test)


def union(crowd: Crowd) -> list:
    return [set(np.flatnonzero(row).tolist()) or None for row in counts(crowd) > 0]


def shares(crowd: Crowd) -> NDArray:
    """Return the share of each label among the answers about each row, as a soft label."""
    number = counts(crowd) + 1e-9
    return number / number.sum(axis=1, keepdims=True)


def tied(crowd: Crowd) -> list:
    """Return the labels with the most answers, all of them if there are several."""
    number = counts(crowd)
    best = number == np.maximum(number.max(axis=1, keepdims=True), 1)
    return [set(np.flatnonzero(row).tolist()) or None for row in best]


BASELINES: dict[str, Callable[[Crowd], NDArray]] = {
    **{f"{name} + forest": lambda crowd, name=name: forest(crowd, aggregated(name, crowd))
       for name in ("majority", "Dawid-Skene", "GLAD")},
    **{f"{name} + infimum": lambda crowd, name=name: ours(crowd, aggregated(name, crowd))
       for name in ("majority", "Dawid-Skene", "GLAD")},
    "AnnotatorLogisticRegression": annotator_logistic,
    "union + infimum": lambda crowd: ours(crowd, union(crowd)),
    "most votes + infimum": lambda crowd: ours(crowd, tied(crowd)),
    "shares of answers + infimum": lambda crowd: ours(crowd, shares(crowd)),
    "true labels + infimum": lambda crowd: ours(crowd, crowd.truth),
}  # fmt: skip

CROWD_KIT = ("majority", "Dawid-Skene", "one-coin", "GLAD", "MACE")
AGGREGATIONS: dict[str, Callable[[Crowd], NDArray]] = {
    **{name: lambda crowd, name=name: aggregated(name, crowd) for name in CROWD_KIT},
    "cleanlab": cleanlab_consensus,
    "infimum without X": lambda crowd: PartialClassifier().fit(None, crowd.votes).labels_,
}
