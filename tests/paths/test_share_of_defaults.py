"""At most a given share of the models in the test suite name their parts.

Users call `PartialClassifier()`. A suite that mostly tests `PartialClassifier.paper()` or
`PartialClassifier(weights="kernel")` does not see when the default fails. This module counts the models that are
written in the source of the tests: a call counts once, also when a test runs it for many parameters. A model names its
parts if it is made by `.paper(...)`, or if `principle`, `negative_weights`, `weights` or `solver` is passed.

When the count was introduced, 504 of 571 models named their parts, a share of 0.883. On tables of 20
rows and more, `PartialClassifier(search_config=SMALL_SEARCH)` of small_search.py takes 20 ms. Classes that a test
receives as a parameter or under another name are not counted.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

CEILING = 0.49
"""Largest share of models that name their parts. Lower it when the share falls; do not raise it."""

TESTS = Path(__file__).resolve().parents[1]
ESTIMATORS = (
    "PartialClassifier", "PartialMultilabelClassifier", "PartialRanker", "PartialRegressor", "PartialEstimator",
)  # fmt: skip
PARTS = {"principle", "negative_weights", "weights", "solver"}


def models(source: str) -> Iterator[bool]:
    """Yield for each model that is constructed in a source text whether it names its parts.

    Settings passed as `**settings` count as parts, because in the tests they mostly are.
    """
    for call in ast.walk(ast.parse(source)):
        if not isinstance(call, ast.Call):
            continue
        if isinstance(call.func, ast.Attribute) and call.func.attr == "paper":
            yield True
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
        if name in ESTIMATORS:
            named = any(keyword.arg is None or keyword.arg in PARTS for keyword in call.keywords)
            yield named or len(call.args) > 1  # only the first argument describes the outputs


def counts() -> tuple[int, int]:
    """Count the models of the test suite that name their parts, and all models."""
    found = [named for path in sorted(TESTS.rglob("*.py")) for named in models(path.read_text("utf-8"))]
    return sum(found), len(found)


def test_counting_tells_default_models_from_models_with_parts():
    default = "PartialClassifier().fit(X, y); PartialEstimator(output=Angles(), n_jobs=1); PartialRegressor('absolute')"
    named = "PartialClassifier.paper(); infimum.PartialRanker(weights='kernel'); PartialRegressor(**settings)"
    assert list(models(default)) == [False] * 3
    assert list(models(named)) == [True] * 3
    assert list(models("PartialEstimator(Angles(), 'infimum')")) == [True]
    assert list(models("clone(model).fit(X, y)")) == []


def test_share_of_models_that_name_their_parts_does_not_rise():
    named, total = counts()
    share = named / total
    assert share <= CEILING, f"{named} of {total} models in the tests name their parts: use the default model instead."
