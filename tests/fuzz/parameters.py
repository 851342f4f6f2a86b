"""Parameters of every part, valid and hostile: refused by name, or a model without NaN that ends."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from infimum import (
    PartialClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
    PartialRegressor,
    PartialSearch,
    Taxonomy,
    solvers,
    weights,
)
from infimum.active import QuestionSelector as Asker
from infimum.conformal import Conformal
from infimum.outputs import Labels, Rankings, Tags

from .contract import Broken, Case
from .tables import finite

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [4.0, 1.0]])
LABELS: list = ["a", {"a", "b"}, "c", None]


def classifier(**given: Any) -> Any:
    return finite(PartialClassifier.paper(**given).fit(X, LABELS), X)


def regressor(**given: Any) -> Any:
    return finite(PartialRegressor.paper(**given).fit(X, [1.0, (2, 3), None, (4, 9)]), X)


def tagger(**given: Any) -> Any:
    return finite(PartialMultilabelClassifier.paper(**given).fit(X, ["+r -s", "-r", "+s", None]), X)


def ranker(**given: Any) -> Any:
    return finite(PartialRanker.paper(**given).fit(X, ["a>b>c", ["b"], None, "c>a"]), X)


def weighed(make: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **given: classifier(weights=make(**given))


def solved(make: Callable[..., Any], model: Callable[..., Any]) -> Callable[..., Any]:
    return lambda **given: model(solver=make(**given))


def searched(**given: Any) -> Any:
    grid = {"gammas": [1.0], "kernels": ["rbf"], "scalings": ["none"], **given}
    return finite(PartialSearch(**grid).fit(X, LABELS).best_estimator_, X)


def calibrated(**given: Any) -> Any:
    rows = np.arange(20.0)[:, None]
    model = Conformal(**{"estimator": PartialClassifier.paper(), "confidence_level": 0.5, "score": "regret", **given})
    return model.fit(rows, ["a", "b", "a|b", "a"] * 5).predict_set(rows[:3])


def asked(**given: Any) -> Any:
    query = {name: given.pop(name) for name in ("n", "candidates", "batch_size") if name in given}
    return Asker(**{"random_state": 0, **given}).query(X, ["a", None, "b", None], **query)


NOT_NUMBERS: list = [float("nan"), float("inf"), -float("inf"), "abc", [1.0], {}, 1j, object()]
NEGATIVE: list = [-1, -1e-9]
ODD: list = [0, 0.0, True, None, 1e300, 1e-300, 5e-324, Decimal("0.1"), np.float32(0.1), np.array(0.1), "0.1", 10**30]
PARAMETERS: dict[str, tuple[Callable[..., Any], list]] = {
    "KernelRidge lam": (weighed(weights.KernelRidge), NOT_NUMBERS + NEGATIVE),
    "KernelRidge gamma": (weighed(weights.KernelRidge), NOT_NUMBERS + NEGATIVE),
    "KernelRidge sigma": (weighed(weights.KernelRidge), [*NOT_NUMBERS, *NEGATIVE, 0]),
    "KernelRidge kernel": (weighed(weights.KernelRidge), ["nothing", 3, [], b"rbf"]),
    "Nystrom lam": (weighed(weights.Nystrom), NOT_NUMBERS + NEGATIVE),
    "Nystrom gamma": (weighed(weights.Nystrom), NOT_NUMBERS + NEGATIVE),
    "LinearRidge lam": (weighed(weights.LinearRidge), NOT_NUMBERS + NEGATIVE),
    "Neighbors n_neighbors": (weighed(weights.Neighbors), [*NOT_NUMBERS, *NEGATIVE, 0, 2.5]),
    "Neighbors weights": (weighed(weights.Neighbors), ["nothing", 3, []]),
    "PartialClassifier n_jobs": (classifier, [0, 1.5, float("nan"), "abc", [1], object()]),
    "PartialClassifier random_state": (classifier, [-1, 1.5, float("nan"), "abc", [1], 2**40, object()]),
    "PartialClassifier verbose": (classifier, [-1, 1.5, float("nan"), "abc", [1], None, object()]),
    "PartialClassifier max_search_time": (classifier, [0, -1, float("nan"), "abc", [1], object()]),
    "PartialClassifier search_config": (classifier, [3, "abc", {}, object()]),
    "PartialSearch scalings": (searched, [3, "none", None, [], [[]], ["abc"], float("nan"), {}]),
    "PartialSearch kernels": (searched, [3, "rbf", None, [], [[]], ["abc"], float("nan"), {}]),
    "PartialSearch gammas": (searched, [3, "abc", None, [], [[]], [float("nan")], [-1], [float("inf")]]),
    "PartialSearch principles": (searched, [3, "infimum", [], [[]], ["abc"], float("nan"), {}]),
    "PartialSearch scoring": (searched, [3, "abc", None, [], float("nan"), object()]),
    "PartialSearch cv": (searched, [1, 0, -1, 2.5, float("nan"), "abc", [], [[]], object(), [([0], [1])]]),
    "PartialSearch verbose": (searched, [-1, 1.5, "abc", [1], None]),
    "PartialSearch estimator": (searched, [3, "abc", object(), PartialClassifier]),
    "Conformal model": (calibrated, [None, 3, "abc", object(), PartialClassifier, []]),
    "Conformal confidence_level": (calibrated, [*NOT_NUMBERS, 0, 1, -1, 2, None]),
    "Conformal covers": (calibrated, ["nothing", 3, None, [], object()]),
    "Conformal method": (calibrated, ["nothing", 3, None, [], object()]),
    "Conformal score": (calibrated, ["nothing", 3, None, [], object(), "margin"]),
    "Conformal groups": (calibrated, [5, "abc", [0, 1], 1.5, {}, object(), lambda rows: [1], lambda rows: 3]),
    "Conformal ambiguity": (calibrated, [float("nan"), -1, 1, 2, "abc", [1]]),
    "Conformal holdout": (calibrated, [float("nan"), 0, 1, -1, "abc", [1], None]),
    "Conformal cv": (calibrated, [0, 1, 2.5, "abc", [1], None]),
    "Conformal random_state": (calibrated, [-1, 1.5, "abc", [1], object()]),
    "Asker strategy": (asked, ["nothing", 3, None, [], object()]),
    "Asker cost": (asked, [float("nan"), 3, "abc", [], {"Is": -1}, {"Is": float("nan")}, lambda *_: 0, lambda *_: "x"]),
    "Asker questions": (asked, ["Is", 3, [], [[]], ["abc"], [3], object()]),
    "Asker level": (asked, [*NOT_NUMBERS, 0, 1, -1, None]),
    "Asker random_state": (asked, [-1, 1.5, "abc", [1], object()]),
    "Asker n": (asked, [0, -1, 1.5, "abc", None, [1], float("nan"), True]),
    "Asker batch_size": (asked, [0, -1, 1.5, "abc", [1], float("nan")]),
    "Asker candidates": (asked, [[4], [-1], [1.5], "abc", [[1]], 3, [float("nan")], [None], {}, object()]),
    "PartialClassifier principle": (classifier, ["nothing", 3, None, [], b"infimum"]),
    "PartialClassifier negative_weights": (classifier, ["nothing", 3, None, []]),
    "PartialClassifier weights": (classifier, ["nothing", 3, [], object()]),
    "PartialClassifier solver": (classifier, ["nothing", 3, [], object()]),
    "PartialRegressor loss": (regressor, ["nothing", 3, None, []]),
    "PartialRegressor bounds": (
        regressor, [(2, 1), (np.nan, 1), 3, "abc", (1,), (1, 2, 3), ("a", "b"), (0, 0.5), (100, 200), (np.inf, np.inf)],
    ),
    "PartialMultilabelClassifier n_tags": (tagger, [float("nan"), -1, 3, 2.5, "abc", [1]]),
    "PartialMultilabelClassifier tag_cost": (tagger, NOT_NUMBERS),
    "PartialRanker time_limit": (ranker, [float("nan"), -1, "abc", [1]]),
    "Enumerate max_outputs": (solved(solvers.Enumerate, classifier), [float("nan"), -1, "abc", [1]]),
    "Alternate max_iter": (solved(solvers.Alternate, ranker), [float("nan"), -1, "abc", 2.5]),
    "Alternate n_starts": (solved(solvers.Alternate, ranker), [float("nan"), -1, 0, "abc", 2.5]),
    "Alternate tol": (solved(solvers.Alternate, ranker), [float("nan"), "abc", [1]]),
}  # fmt: skip


@st.composite
def hostile(draw: Any) -> Case:
    """One parameter out of its range, or of another type; and odd values that may pass."""
    name = draw(st.sampled_from([p for p in sorted(PARAMETERS) if PARAMETERS[p][1]]))
    make, bad = PARAMETERS[name]
    wrong = draw(st.booleans())
    value = draw(st.sampled_from(bad if wrong else ODD))
    parameter = name.split()[-1]

    def run() -> None:
        make(**{parameter: value})

    def shown(value: Any) -> str:
        return "object()" if type(value) is object else repr(value)

    # infinity may mean a limit that is none
    fine = name.split()[0] in ("PartialRanker",) and value == float("inf")
    case = Case(run, "refuse" if wrong and not fine else "either", note=f"{name}={shown(value)}")
    case.what = case.note
    return case


NAME_LISTS: list = [
    {"a", "b", "c"}, "abc", (c for c in "abc"), ["a", "b", None], ["a", "b", "b", "c"], ["a", "b", float("nan"),
    "c"], [["a"], "b", "c"],
    [], 0, -1, 2.5, float("nan"), b"abc", {"a": 1, "b": 2, "c": 3}, np.array(["a", "b", "c"]), pd.Index(["a", "b",
    "c"]), ("a", "b", "c"),
    ["a", "b", "c", 1], [1, "a"], pd.Series(["a", "b", "c"]), iter(["a", "b", "c"]), np.array([["a", "b"], ["c",
    "d"]]), object(), range(3),
    pd.Categorical(["a", "b", "c"]), ["a", "b", "c", ""], ["a", "b", "c", "a|b"], True,
]  # fmt: skip
WRONG = (3, 4, 6, 9)
"""With None, twice the same name, an unhashable name, a number below zero: never a list of names."""


@st.composite
def names(draw: Any) -> Case:
    """`classes=`, `tags=`, `items=` in every container: the names in that order, or refused by name."""
    k = draw(st.integers(0, len(NAME_LISTS) - 1))
    kind = draw(st.sampled_from(["classes", "tags", "items"]))
    value = list("abc") if k in (2, 20) else NAME_LISTS[k]

    def run() -> None:
        given = (c for c in "abc") if k == 2 else iter("abc") if k == 20 else value
        if kind == "classes":
            space: Any = Labels(classes=given).fit(["a", "b|c"])
            found, sets = space.classes_, space.read(["a", "b|c"])
            inside = [sets.contains(np.full(2, j)) for j in range(len(found))]
            want = {"a": [True, False], "b": [False, True], "c": [False, True]}
            for j, c in enumerate(found):
                if inside[j].tolist() != want.get(c, [False, False]):
                    raise Broken("wrong answer", f"class {c!r} of classes={value!r}")
        elif kind == "tags":
            found = Tags(tags=given).fit(["+a -b", "+c"]).tags_
        else:
            found = Rankings(items=given).fit(["a>b", "b>c"]).items_
        if isinstance(value, list) and [str(f) for f in found] != [str(v) for v in value]:
            raise Broken("wrong answer", f"{kind}={value!r} became {list(found)}")
        if len(set(map(str, found))) != len(found):
            raise Broken("wrong answer", f"{kind}={value!r} became {list(found)}")

    wrong = k in WRONG
    note = f"{kind}={'a generator' if k in (2, 20) else value!r}"[:120]
    return Case(run, "refuse" if wrong else "either", note=note, what=note)


COSTS: dict[str, Any] = {
    "NaN": [[0, 1, 1], [1, 0, float("nan")], [1, 1, 0]],
    "infinite": [[0, 1, 1], [1, 0, float("inf")], [1, 1, 0]],
    "negative": [[0, -1, 1], [1, 0, 1], [1, 1, 0]],
    "not square": [[0, 1, 1], [1, 0, 1]],
    "too small": [[0, 1], [1, 0]],
    "too large": np.ones((4, 4)) - np.eye(4),
    "text": [["a", "b", "c"]] * 3,
    "1d": [0, 1, 2],
    "a word": "nothing",
    "huge": (np.ones((3, 3)) - np.eye(3)) * 1e300,
    "tiny": (np.ones((3, 3)) - np.eye(3)) * 1e-300,
    "frame": pd.DataFrame([[0, 1, 2], [3, 0, 4], [5, 6, 0]], columns=list("cab"), index=list("cab")),
    "frame, rows in another order": pd.DataFrame(
        [[0, 1, 2], [3, 0, 4], [5, 6, 0]], columns=list("cab"), index=list("cab")
    ).loc[list("abc")],
    "frame, other names": pd.DataFrame(np.ones((3, 3)) - np.eye(3), columns=list("xyz"), index=list("xyz")),
    "number": 3,
    "list": [],
}
MUST = {
    "NaN",
    "infinite",
    "not square",
    "too small",
    "too large",
    "text",
    "1d",
    "a word",
    "frame, other names",
    "number",
}
TREES: dict[str, tuple] = {
    "child -> parent": ({"cat": "mammal", "dog": "mammal", "mammal": "animal", "owl": "animal"}, {"cat", "dog", "owl"}),
    "nested": ({"animal": {"mammal": ["cat", "dog"], "owl": []}}, {"cat", "dog", "owl"}),
    "nested dicts": ({"animal": {"mammal": {"cat": {}, "dog": {}}, "owl": {}}}, {"cat", "dog", "owl"}),
    "one child as text": ({"animal": {"mammal": "cat", "owl": []}}, {"cat", "owl"}),
    "tuple of children": ({"animal": ("cat", "dog")}, {"cat", "dog"}),
    "set of children": ({"animal": {"mammal": {"cat", "dog"}, "owl": []}}, {"cat", "dog", "owl"}),
    "paths": (["animal/mammal/cat", "animal/mammal/dog", "animal/owl"], {"cat", "dog", "owl"}),
    "tuples": ([("animal", "mammal", "cat"), ("animal", "owl")], {"cat", "owl"}),
    "cycle": ({"a": "b", "b": "a"}, None),
    "two parents": ([("r", "a", "x"), ("r", "b", "x")], None),
    "empty": ({}, None),
    "None": (None, None),
    "number": (3, None),
    "own parent": ({"a": "a"}, None),
}


@st.composite
def costs(draw: Any) -> Case:
    """Cost matrices by name and taxonomies in every form."""
    if draw(st.booleans()):
        name = draw(st.sampled_from(sorted(COSTS)))
        principle = draw(st.sampled_from(["infimum", "average", "supremum"]))

        def run() -> None:
            model = PartialClassifier.paper(cost=COSTS[name], principle=principle).fit(X, LABELS)
            finite(model, X)
            if "frame" in name:
                want = pd.DataFrame(COSTS["frame"]).loc[list("abc"), list("abc")].to_numpy()
                other = PartialClassifier.paper(cost=want, principle=principle).fit(X, LABELS)
                if (other.predict(X) != model.predict(X)).any():
                    raise Broken("wrong answer", "names of a cost frame are not matched")

        return Case(run, "refuse" if name in MUST else "either", note=f"cost {name}, {principle}", what=f"cost {name}")
    name = draw(st.sampled_from(sorted(TREES)))
    tree, leaves = TREES[name]

    def grow() -> None:
        found = set(Taxonomy(tree).classes())
        if leaves is not None and found != leaves:
            raise Broken("wrong answer", f"Taxonomy({tree}) has the leaves {sorted(found)}")

    return Case(grow, "refuse" if leaves is None else "answer", note=f"Taxonomy {name}", what=f"Taxonomy {name}")
