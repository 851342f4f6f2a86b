"""Models whose classes, tags or items are of any type are saved with skops, and loaded with TRUSTED_TYPES."""

import datetime
import uuid
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from sklearn.base import clone

from infimum import PartialClassifier, PartialMultilabelClassifier, PartialRanker, Taxonomy
from infimum.io import TRUSTED_TYPES
from small_search import SMALL_SEARCH

UTC = datetime.UTC
NAMES = {
    "booleans": (False, True), "bytes": (b"a", b"b"), "decimals": (Decimal("1.5"), Decimal(2)),
    "dates": (datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)),
    "times": (datetime.datetime(2020, 1, 1), datetime.datetime(2021, 1, 1)),
    "times in a zone": (datetime.datetime(2020, 1, 1, tzinfo=UTC), datetime.datetime(2021, 1, 1, tzinfo=UTC)),
    "durations": (datetime.timedelta(1), datetime.timedelta(2)), "large integers": (2**70, 2**71),
    "times of NumPy": (np.datetime64("2020-01-01"), np.datetime64("2021-01-01")),
    "times of pandas": (pd.Timestamp("2020"), pd.Timestamp("2021")),
    "times of pandas in a zone": (pd.Timestamp("2020", tz="UTC"), pd.Timestamp("2021", tz="UTC")),
    "durations of pandas": (pd.Timedelta(1, "D"), pd.Timedelta(2, "D")),
    "intervals of pandas": (pd.Interval(0, 1), pd.Interval(1, 2)), "tuples": ((1, 2), (3, "a")), "mixed": (1, "a"),
    "UUIDs": (uuid.UUID(int=1), uuid.UUID(int=2)), "fractions": (Fraction(1, 2), Fraction(1, 3)),
}  # fmt: skip
X = np.linspace(-1, 1, 24)[:, None]
WHICH = (X[:, 0] > 0).astype(int)


def loaded(model):
    return skops.io.loads(skops.io.dumps(model), trusted=TRUSTED_TYPES)


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@pytest.mark.filterwarnings("ignore::infimum.InfimumWarning")
def test_names_of_any_type_can_be_saved(names):
    labels = [names[k] for k in WHICH]
    tags = [{names[k]: True, names[1 - k]: False} for k in WHICH]
    orders = [[(names[k], names[1 - k])] for k in WHICH]
    for model, y in (
        (PartialClassifier(classes=list(names), search_config=SMALL_SEARCH), labels),
        (PartialMultilabelClassifier(search_config=SMALL_SEARCH), tags),
        (PartialRanker(search_config=SMALL_SEARCH), orders),
    ):
        before = model.fit(X, y)
        np.testing.assert_array_equal(loaded(before).predict(X), before.predict(X))
        if y is labels:
            expected = {getattr(name, "tolist", lambda name=name: name)() for name in names}
            assert set(before.predict(X).tolist()) <= expected


def test_default_model_of_decimals_can_be_saved():
    model = PartialClassifier(random_state=0).fit(X, [NAMES["decimals"][k] for k in WHICH])
    np.testing.assert_array_equal(loaded(model).predict(X), model.predict(X))


@pytest.mark.parametrize("cost", [
    pd.DataFrame([[0, 1.0], [2, 0]], index=["b", "a"], columns=["b", "a"]),
    pl.DataFrame({"a": [0.0, 1], "b": [1.0, 0]}), Taxonomy({("root", 1): {"a": {}, "b": {}}, 5: {"c": {}}}),
], ids=["pandas", "polars", "taxonomy"])  # fmt: skip
def test_costs_with_names_can_be_saved_and_fitted_again(cost):
    y = np.where(WHICH, "a", "b")
    model = PartialClassifier(cost=cost, search_config=SMALL_SEARCH).fit(X, y)
    again = loaded(model)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.output_.cost_, model.output_.cost_)
    np.testing.assert_array_equal(clone(again).fit(X, y).predict(X), model.predict(X))


@pytest.mark.parametrize("classes", [pd.Index(["a", "b"]), pd.Series(["a", "b"]), pl.Series(["a", "b"]), {"a", "b"}])
def test_declared_classes_of_any_container_can_be_saved(classes):
    model = PartialClassifier(classes=classes, search_config=SMALL_SEARCH).fit(X, np.where(WHICH, "a", "b"))
    np.testing.assert_array_equal(loaded(model).predict(X), model.predict(X))
