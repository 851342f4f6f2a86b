"""Annotators who err and sets that miss the true label, beside aggregation and other baselines.

The priors of the confusion matrices were compared on simulated crowds with other seeds and on LabelMe. Earlier
constants were adjusted with test results of digits, segment, vowel and LabelMe in sight. No method sees a true label
before errors are counted.

``python -m benchmarks people:noise people:crowds people:speed``; ``people:table`` then writes docs/_tables/people.md.
The real crowds need the folder INFIMUM_DATA, and the baselines crowd-kit, cleanlab and scikit-activeml. Those that are
not installed are skipped. Single results are kept in benchmarks/results/people.json, so a run that is stopped goes on
where it stopped. INFIMUM_ONLY selects problems by a part of their names.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from benchmarks._crowds import AGGREGATIONS, BASELINES, CROWD_KIT, CROWDS, SEED, Crowd, data, simulated_votes
from benchmarks._tools import Table, kept, peak_bytes, run_parts
from infimum import PartialClassifier, Votes

SHARES = (0.0, 0.1, 0.2, 0.4)


def wanted(name: str) -> bool:
    return os.environ.get("INFIMUM_ONLY", "") in name


def missing_sets(truth: NDArray, share: float, c: float = 0.2, seed: int = SEED) -> tuple[NDArray, NDArray]:
    """Return candidates with independent distractors of probability c; a share of the sets misses the true label."""
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
    """Return the precision of the first rows of an order that contain this share of the wrong sets."""
    needed = int(np.ceil(recall * miss.sum()))
    return float(needed / (np.searchsorted(np.cumsum(miss[order]), needed) + 1))


def noise_fold(name: str, share: float, fold: int, how: Any) -> dict[str, float]:
    """Return the test accuracy, and how well the wrong sets are found."""
    X, truth = data(name)
    mask, miss = missing_sets(truth, share)
    train, test = list(KFold(3, shuffle=True, random_state=SEED).split(X))[fold]
    model = PartialClassifier(noise=how).fit(X[train], mask[train])
    found = {"accuracy": float(np.mean(model.predict(X[test]) == truth[test])), "true": float(miss[train].mean())}
    if how is not None and model.disambiguation_ is not None:
        found["noise"] = float(model.noise_)
        if share:
            found["precision"] = precision_at(model.label_errors_, miss[train])
    return found


def noise() -> None:
    """Sets that miss the true label in 0, 10, 20 and 40 % of the rows; three folds."""
    table = Table("sets that miss the true label: accuracy; estimated share; precision of likely errors at recall .6")
    for name in ("digits", "segment", "vowel"):
        for share in SHARES:
            label = f"{name}, {100 * share:.0f} % miss"
            if not wanted(label):
                continue
            each = {
                how: [kept("people", f"noise/{label}/{how}/{k}", partial(noise_fold, name, share, k, how))
                      for k in range(3)]
                for how in ("auto", None)
            }  # fmt: skip
            mean = lambda how, key: np.mean([one.get(key, np.nan) for one in each[how]])  # noqa: E731, B023
            table.row(
                label, f"{mean('auto', 'accuracy'):.3f}; share {mean('auto', 'noise'):.3f} of"
                f" {mean('auto', 'true'):.3f}; precision {mean('auto', 'precision'):.2f}",
                f"noise=None {mean(None, 'accuracy'):.3f}",
            )  # fmt: skip


def fitted(crowd: Crowd) -> dict[str, float]:
    """Return what the default model reaches."""
    model = PartialClassifier().fit(crowd.X, crowd.votes)
    found = {
        "test": float(np.mean(model.predict(crowd.X_test) == crowd.truth_test)),
        "training": float(np.mean(model.labels_ == crowd.truth)),
    }
    if crowd.right is not None:
        true = crowd.right[[int(name) for name in model.sources_.names]]
        found["correlation"] = float(np.corrcoef(model.sources_.reliability, true)[0, 1])
    return found


def crowds() -> None:
    """Real and simulated crowds: accuracy on test rows and of the training labels, beside the baselines."""
    found = {}
    for name, load in CROWDS.items():
        if not wanted(name):
            continue
        crowd = cache(load)  # only if a result is missing

        def score(
            method: Callable[[Crowd], NDArray], key: str, truth: str, name: str = name,
            crowd: Callable[[], Crowd] = crowd,
        ) -> str:  # fmt: skip
            run = lambda: {"value": float(np.mean(method(crowd()) == getattr(crowd(), truth)))}  # noqa: E731
            try:
                return f"{kept('people', f'crowds/{name}/{key}', run)['value']:.3f}"
            except ModuleNotFoundError as error:
                return f"skipped, {error.name} is not installed"

        own = kept("people", f"crowds/{name}/infimum", lambda crowd=crowd: fitted(crowd()))
        tests = {key: score(method, key, "truth_test") for key, method in BASELINES.items()}
        labels = {key: score(method, f"labels/{key}", "truth") for key, method in AGGREGATIONS.items()}
        found[name] = own, tests, labels
    table = Table("crowds: accuracy on test rows")
    for name, (own, tests, _) in found.items():
        table.row(name, f"{own['test']:.3f}", ", ".join(f"{key} {value}" for key, value in tests.items()))
    table = Table("crowds: accuracy of the training labels")
    for name, (own, _, labels) in found.items():
        text = f", correlation of reliabilities {own['correlation']:.3f}" if "correlation" in own else ""
        table.row(
            name, f"{own['training']:.3f}{text}", ", ".join(f"{key} {value}" for key, value in labels.items())
        )


def speed() -> None:
    """The same fit with and without sources, 5,000 rows and 25,000 answers; a million answers."""
    table = Table("speed of fits to votes")
    one = kept("people", "speed/5000", _speed_5000)
    table.row(
        "5,000 rows, 25,000 answers (CPU)", f"{one['votes']:.1f} s",
        f"candidate sets {one['sets']:.1f} s, ratio {one['votes'] / one['sets']:.2f}; true labels {one['exact']:.1f} s",
    )  # fmt: skip
    big = kept("people", "speed/million", _million)
    table.row(
        "200,000 rows, 1,000,000 answers of 10,000 people (CPU)", f"{big['seconds']:.0f} s, {big['gib']:.1f} GiB",
        f"test accuracy {big['test']:.3f}; training labels {big['training']:.3f}, majority {big['majority']:.3f};"
        f" correlation of reliabilities {big['correlation']:.3f}",
    )  # fmt: skip


def _speed_5000() -> dict[str, float]:
    random = np.random.default_rng(SEED)
    n, m = 5000, 10
    truth = random.integers(m, size=n)
    X = random.standard_normal((n, 10)) + np.eye(m)[truth] * 3
    votes, _ = simulated_votes(truth, workers=100, per_row=5)
    mask = random.random((n, m)) < 0.2
    mask[np.arange(n), truth] = True
    found = {}
    for name, y in (("votes", votes), ("sets", mask), ("exact", truth)):
        start = time.process_time()
        PartialClassifier().fit(X, y)
        found[name] = time.process_time() - start
    return found


def _million() -> dict[str, float]:
    random = np.random.default_rng(SEED)
    n, k, a, m = 200_000, 10_000, 1_000_000, 10
    truth, who, right = random.integers(m, size=n), random.integers(k, size=a), random.uniform(0.3, 0.95, k)
    row = np.repeat(np.arange(n), a // n)
    answer = np.where(random.random(a) < right[who], truth[row], random.integers(m, size=a))
    X = random.standard_normal((n, 10)) + 2 * np.eye(m)[truth]
    columns = {"row": row.tolist(), "who": who.tolist(), "answer": answer.tolist()}
    models: list[PartialClassifier] = []

    def fit() -> None:
        votes = Votes.from_table(columns, row="row", annotator="who", answer="answer", rows=range(n), repeated="first")
        models.append(PartialClassifier().fit(X, votes))

    start = time.process_time()
    memory = peak_bytes(fit)
    seconds, model = time.process_time() - start, models[0]
    count = np.zeros((n, m))
    np.add.at(count, (row, answer), 1)
    test = random.integers(m, size=5000)
    z = model.predict(random.standard_normal((5000, 10)) + 2 * np.eye(m)[test])
    true = right[[int(name) for name in model.sources_.names]]
    return {
        "seconds": seconds, "gib": memory / 2**30, "test": float(np.mean(z == test)),
        "training": float(np.mean(model.labels_ == truth)), "majority": float(np.mean(count.argmax(axis=1) == truth)),
        "correlation": float(np.corrcoef(model.sources_.reliability, true)[0, 1]),
    }  # fmt: skip


def _stored(name: str) -> dict[str, Any]:
    """Return the stored results of a crowd by method, without their times."""
    path = Path(__file__).parent / "results" / "people.json"
    found = json.loads(path.read_text()) if path.exists() else {}
    start = f"crowds/{name}/"
    return {key.removeprefix(start): value[0] for key, value in found.items() if key.startswith(start)}


def table() -> None:
    """Write docs/_tables/people.md from the stored results of the crowds that are complete."""
    lines = [
        "| crowd | default | best baseline | difference | true labels | labels without X | best of crowd-kit |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name in CROWDS:
        found = _stored(name)
        if not {"infimum", *BASELINES, *(f"labels/{key}" for key in AGGREGATIONS)} <= set(found):
            continue
        rivals = {key: found[key]["value"] for key in BASELINES if key != "true labels + infimum"}
        others = {key: found[f"labels/{key}"]["value"] for key in CROWD_KIT}
        best, most = max(rivals, key=rivals.__getitem__), max(others, key=others.__getitem__)
        test = found["infimum"]["test"]
        lines.append(
            f"| {name} | {test:.3f} | {rivals[best]:.3f} {best} | {test - rivals[best]:+.3f} |"
            f" {found['true labels + infimum']['value']:.3f} | {found['labels/infimum without X']['value']:.3f} |"
            f" {others[most]:.3f} {most} |"
        )
    (Path(__file__).parents[1] / "docs" / "_tables" / "people.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


PARTS = {"noise": noise, "crowds": crowds, "speed": speed, "table": table}


def main(names: list[str] | None = None) -> None:
    run_parts(PARTS, names)


if __name__ == "__main__":
    main()
