"""Sequences of fit, failed fit, refit, predict and pickle: a model always answers as its last good fit."""

import os
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sklearn.base import clone

from infimum import (
    Chunks,
    PartialClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
    PartialRegressor,
    weights,
)

COLUMNS: dict[str, list] = {
    "labels": ["a", {"a", "b"}, None, "c", "b", "a|c"],
    "tags": ["+r -s", {"r": False}, None, "+s", "-s +r", "-r -s"],
    "orders": ["a>b>c", ["b"], None, [("c", "a")], "c>{a,b}", "b>a"],
    "numbers": [1.0, (2, 3), None, "<4", {5, 7}, (0, 9)],
}
MODELS = {
    "labels": PartialClassifier,
    "tags": PartialMultilabelClassifier,
    "orders": PartialRanker,
    "numbers": PartialRegressor,
}
BAD = {"labels": [], "tags": 1j, "orders": "a>b>a", "numbers": (3, 1)}
WEIGHTS = {"kernel": weights.KernelRidge, "neighbors": lambda: weights.Neighbors(2), "linear": weights.LinearRidge}


def table(seed: int, names: tuple[str, ...] | None) -> Any:
    X = np.random.default_rng(seed).standard_normal((6, 3 if names is None else len(names)))
    return X if names is None else pd.DataFrame(X, columns=list(names))


NAMES = st.sampled_from([None, ("u", "v"), ("v", "u"), ("u", "v", "w"), ("w", "v", "u")])
ORDERS = st.permutations(range(6))


class Sequences(RuleBasedStateMachine):
    """Beside the model, what its last good fit was made of; a fresh model of that is the oracle."""

    @initialize(
        kind=st.sampled_from(sorted(MODELS)),
        family=st.sampled_from(sorted(WEIGHTS)),
        seed=st.integers(0, 99),
        names=NAMES,
    )
    def start(self, kind: str, family: str, seed: int, names: Any) -> None:
        self.kind, self.family = kind, family
        self.model = self.fresh()
        self.refit(seed, names, list(range(6)))

    def fresh(self) -> Any:
        return MODELS[self.kind](weights=WEIGHTS[self.family]())

    @rule(seed=st.integers(0, 99), names=NAMES, order=ORDERS)
    def refit(self, seed: int, names: Any, order: list[int]) -> None:
        X, y = table(seed, names), [COLUMNS[self.kind][i] for i in order]
        self.model.fit(X, y)
        self.last = (X, y)
        self.keep()

    def keep(self) -> None:
        X, y = self.last
        oracle = self.fresh().fit(X, y)
        self.answers = oracle.predict(X)
        self.width = oracle.n_features_in_
        self.names = getattr(oracle, "feature_names_in_", None)

    @rule(seed=st.integers(0, 99), names=NAMES, row=st.integers(0, 5))
    def fit_of_a_bad_row(self, seed: int, names: Any, row: int) -> None:
        y = list(COLUMNS[self.kind])
        y[row] = BAD[self.kind]
        with pytest.raises((ValueError, TypeError)):
            self.model.fit(table(seed, names), y)

    @rule(names=NAMES, how=st.sampled_from(["nan", "short", "weight", "text"]))
    def fit_of_bad_rows(self, names: Any, how: str) -> None:
        X: Any = table(0, names)
        y, given = COLUMNS[self.kind], {}
        if how == "nan":
            X = X * np.nan
        elif how == "short":
            y = y[:4]
        elif how == "weight":
            given = {"sample_weight": [-1.0] * 6}
        else:
            X = np.full((6, 2), "text")
        with pytest.raises((ValueError, TypeError)):
            self.model.fit(X, y, **given)

    @rule(value=st.sampled_from(["nothing", 3]))
    def fit_with_a_bad_parameter(self, value: Any) -> None:
        self.model.set_params(principle=value)
        with pytest.raises((ValueError, TypeError)):
            self.model.fit(table(1, ("p", "q", "r")), COLUMNS[self.kind])
        self.model.set_params(principle="infimum")

    @precondition(lambda self: self.family == "linear" and self.kind in ("labels", "tags"))
    @rule(seed=st.integers(0, 99))
    def refit_on_blocks(self, seed: int) -> None:
        """Chunks without names leave none behind."""
        X, y = table(seed, None), COLUMNS[self.kind]
        self.model.fit(Chunks([(X[:4], y[:4]), (X[4:], y[4:])]))
        self.last = (X, y)
        self.answers = self.fresh().fit(Chunks([(X[:4], y[:4]), (X[4:], y[4:])])).predict(X)
        self.width, self.names = 3, None

    @rule()
    def pickled(self) -> None:
        self.model = pickle.loads(pickle.dumps(self.model))

    @rule()
    def bad_queries(self) -> None:
        for X in (np.zeros((2, 9)), np.full((2, self.width), np.nan)):
            with pytest.raises((ValueError, TypeError)):
                self.model.predict(X)

    @rule()
    def cloned(self) -> None:
        """A clone knows nothing, and making it changes nothing."""
        assert not hasattr(clone(self.model), "output_")

    @invariant()
    def answers_as_its_last_good_fit(self) -> None:
        if not hasattr(self, "last"):
            return
        X, _ = self.last
        np.testing.assert_array_equal(self.model.predict(X), self.answers)
        assert self.model.n_features_in_ == self.width
        found = getattr(self.model, "feature_names_in_", None)
        assert (found is None) == (self.names is None)
        if found is not None:
            assert list(found) == list(self.names)


budget = int(os.environ.get("INFIMUM_CAMPAIGN", "40"))
TestSequences = Sequences.TestCase
TestSequences.settings = settings(
    max_examples=max(5, budget // 4), stateful_step_count=12, deadline=None, derandomize=True, database=None,
    suppress_health_check=list(HealthCheck), phases=[Phase.generate] + [Phase.shrink] * (budget > 100),
)  # fmt: skip
