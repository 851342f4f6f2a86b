"""Eight threads on one model give the answers of one; and so do several models that share one set of orders."""

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import joblib
import numpy as np
import pytest

from infimum import (
    HammingBalls,
    PartialClassifier,
    PartialMultilabelClassifier,
    PartialOrders,
    PartialRanker,
    PartialRegressor,
    weights,
)
from infimum.solvers import Alternate
from small_search import SMALL_SEARCH

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3))


def orders(n: int, m: int, share: float = 0.4) -> PartialOrders:
    codes = PartialOrders.from_orders([RNG.permutation(m) for _ in range(n)]).codes
    return PartialOrders(np.where(RNG.random(codes.shape) < share, codes, 0))


MODELS: dict[str, Any] = {
    "classifier": lambda: PartialClassifier(search_config=SMALL_SEARCH).fit(
        X, (RNG.random((60, 4)) < 0.5) | np.eye(4, dtype=bool)[RNG.integers(4, size=60)]
    ),
    "joint": lambda: PartialClassifier.paper(negative_weights="joint").fit(X, ["a", {"a", "b"}, "c"] * 20),
    "tags": lambda: PartialMultilabelClassifier(search_config=SMALL_SEARCH).fit(X, RNG.integers(-1, 2, (60, 4))),
    "balls": lambda: PartialMultilabelClassifier(search_config=SMALL_SEARCH).fit(
        X, HammingBalls(RNG.choice([-1, 1], (60, 5)), RNG.integers(0, 3, 60))
    ),
    "regressor": lambda: PartialRegressor(search_config=SMALL_SEARCH).fit(
        X, np.sort(RNG.standard_normal((60, 2)), axis=1)
    ),
    "ranker, enumerated": lambda: PartialRanker(search_config=SMALL_SEARCH).fit(X, orders(60, 4)),
    "ranker, alternated": lambda: PartialRanker.paper(solver=Alternate(n_starts=2)).fit(X, orders(60, 9)),
    "ranker, neighbours": lambda: PartialRanker.paper(weights=weights.Neighbors(5)).fit(X, orders(60, 9)),
    "forest": lambda: PartialClassifier.paper(weights=weights.Forest(random_state=0)).fit(
        X, ["a", {"a", "b"}, "c"] * 20
    ),
    "nystrom": lambda: PartialClassifier.paper(weights=weights.Nystrom(20)).fit(X, ["a", {"a", "b"}, "c"] * 20),
    "harmonic": lambda: PartialClassifier.paper(weights=weights.Laplacian(5)).fit(X, ["a", None, "c"] * 20),
}


def together(tasks: list) -> list:
    """All tasks at once, one a thread."""
    gate = Barrier(len(tasks))

    def run(task: Any) -> Any:
        gate.wait()
        return task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        return list(pool.map(run, tasks))


@pytest.mark.filterwarnings("ignore::infimum.InfimumWarning")
@pytest.mark.parametrize("name", MODELS)
def test_eight_threads_answer_as_one(name):
    model = MODELS[name]()
    queries = [np.random.default_rng(k).standard_normal((15, 3)) for k in range(8)]
    # threads first, while nothing is remembered yet
    rounds = [together([lambda Q=Q: model.predict(Q) for Q in queries]) for _ in range(3)]
    alone = [model.predict(Q) for Q in queries]
    for found in rounds:
        for got, want in zip(found, alone):
            np.testing.assert_array_equal(got, want)


@pytest.mark.filterwarnings("ignore::infimum.InfimumWarning")
def test_models_share_one_set_of_orders():
    """Nearest orders are remembered with the sets: threads of four rankers and of bare losses use one memory."""
    sets = orders(60, 10)
    queries = [np.random.default_rng(k).standard_normal((30, 3)) for k in range(2)]
    models = [
        PartialRanker.paper(weights=weights.Neighbors(k), solver=Alternate(n_starts=1)).fit(X, sets)
        for k in (3, 5, 8, 12)
    ]
    tasks = [lambda m=m, Q=Q: m.predict(Q) for m in models for Q in queries]
    alone = [
        PartialRanker.paper(weights=weights.Neighbors(k), solver=Alternate(n_starts=1))
        .fit(X, PartialOrders(sets.codes))
        .predict(Q)
        for k in (3, 5, 8, 12)
        for Q in queries
    ]
    for _ in range(3):
        for found, want in zip(together(tasks), alone):
            np.testing.assert_array_equal(found, want)


@pytest.mark.filterwarnings("ignore::infimum.InfimumWarning")
def test_queries_in_joblib_threads():
    model = PartialRanker(search_config=SMALL_SEARCH).fit(X, orders(60, 9))
    Q = np.random.default_rng(5).standard_normal((300, 3))
    alone = model.predict(Q)
    with joblib.parallel_config(backend="threading", n_jobs=4):
        np.testing.assert_array_equal(model.predict(Q), alone)


def test_threads_that_fit_do_not_meet():
    """Eight fits of eight models on one table, at once."""
    y = ["a", {"a", "b"}, None, "c"] * 15
    alone = PartialClassifier(search_config=SMALL_SEARCH).fit(X, y).predict(X)
    for found in together([lambda: PartialClassifier(search_config=SMALL_SEARCH).fit(X, y).predict(X)] * 8):
        np.testing.assert_array_equal(found, alone)


@pytest.mark.filterwarnings("ignore::infimum.InfimumWarning")
def test_more_orders_than_are_remembered():
    """Many rows of ten items: what one thread forgets another may be looking up. The review's size in the fuzz."""
    n = 2500 if "INFIMUM_CAMPAIGN" in os.environ else 250
    rows = np.random.default_rng(1).standard_normal((n, 3))
    model = PartialRanker.paper(weights=weights.Neighbors(n), solver=Alternate(n_starts=1)).fit(rows, orders(n, 10))
    queries = [np.random.default_rng(k).standard_normal((3, 3)) for k in range(8)]
    found = together([lambda Q=Q: model.predict(Q) for Q in queries])
    for got, Q in zip(found, queries):
        np.testing.assert_array_equal(got, model.predict(Q))
