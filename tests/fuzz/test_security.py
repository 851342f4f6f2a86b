"""What is trusted and what is not: saved models, pages of HTML, files of others, downloads."""

import ast
import html.parser
import importlib
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import infimum
from infimum import (
    Boxes,
    Disambiguation,
    HammingBalls,
    PartialClassifier,
    PartialEstimator,
    PartialMultilabelClassifier,
    PartialRanker,
    PartialRegressor,
    PartialSearch,
    Taxonomy,
    outputs,
    solvers,
    weights,
)
from infimum.io import TRUSTED_TYPES
from small_search import SMALL_SEARCH

SOURCE = Path(infimum.__file__).parent
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"

RNG = np.random.default_rng(0)
X = RNG.standard_normal((24, 3))
LABELS: list = ["a", {"a", "b"}, None, "c"] * 6
MODELS: dict[str, Any] = {
    "labels, default": lambda: PartialClassifier().fit(X, LABELS),
    "booleans, default": lambda: PartialClassifier().fit(X, [True, {True, False}, None, False] * 6),
    "tags, default": lambda: PartialMultilabelClassifier().fit(X, ["+r -s", "-r", "+s", None] * 6),
    "orders, default": lambda: PartialRanker().fit(X, ["a>b>c", ["b"], None, "c>{a,b}"] * 6),
    "numbers, default": lambda: PartialRegressor().fit(X, [1.0, (2, 3), None, "<4"] * 6),
    "vectors, default": lambda: PartialRegressor().fit(X, Boxes(X - 1, X + 1)),
    "masks, default": lambda: PartialEstimator(outputs.Masks((2, 2))).fit(X, RNG.choice([-1, 0, 1], (24, 2, 2))),
    "labels": lambda: PartialClassifier(search_config=SMALL_SEARCH).fit(X, LABELS),
    "labels, joint": lambda: PartialClassifier.paper(negative_weights="joint").fit(X, LABELS),
    "labels, neighbours": lambda: PartialClassifier.paper(weights=weights.Neighbors(3)).fit(X, LABELS),
    "labels, forest": lambda: PartialClassifier.paper(weights=weights.Forest(10, random_state=0)).fit(X, LABELS),
    "labels, Nystrom": lambda: PartialClassifier.paper(weights=weights.Nystrom(8)).fit(X, LABELS),
    "labels, Laplacian": lambda: PartialClassifier.paper(weights=weights.Laplacian(4)).fit(X, LABELS),
    "tags": lambda: PartialMultilabelClassifier(search_config=SMALL_SEARCH).fit(X, ["+r -s", "-r", "+s", None] * 6),
    "balls": lambda: PartialMultilabelClassifier(search_config=SMALL_SEARCH).fit(
        X, HammingBalls(RNG.choice([-1, 1], (24, 4)), 1)
    ),
    "orders": lambda: PartialRanker(search_config=SMALL_SEARCH).fit(X, ["a>b>c", ["b"], None, "c>{a,b}"] * 6),
    "numbers": lambda: PartialRegressor(search_config=SMALL_SEARCH).fit(X, [1.0, (2, 3), None, "<4"] * 6),
    "labels, hard": lambda: PartialClassifier.paper(principle=Disambiguation("hard")).fit(X, LABELS),
    "labels, costs": lambda: PartialClassifier(cost=np.ones((3, 3)) - np.eye(3), search_config=SMALL_SEARCH).fit(
        X, LABELS
    ),
    "labels, taxonomy": lambda: PartialClassifier(
        cost=Taxonomy({"r": {"s": ["a", "b"], "c": []}}), search_config=SMALL_SEARCH
    ).fit(X, LABELS),
    "orders, joint": lambda: PartialRanker.paper(negative_weights="joint").fit(X, ["a>b>c", ["b"], "c>{a,b}"] * 8),
    "orders, searched": lambda: PartialRanker.paper(solver=solvers.OrderSearch()).fit(
        X, ["a>b>c", ["b"], "c>{a,b}"] * 8
    ),
    "orders, alternated": lambda: PartialRanker.paper(solver=solvers.Alternate()).fit(
        X, ["a>b>c", ["b"], "c>{a,b}"] * 8
    ),
    "vectors": lambda: PartialRegressor(search_config=SMALL_SEARCH).fit(X, Boxes(X - 1, X + 1)),
    "search": lambda: PartialSearch(gammas=[1.0]).fit(X, LABELS),
}


@pytest.mark.filterwarnings("ignore::infimum.InfimumWarning")
@pytest.mark.parametrize("name", MODELS)
def test_models_load_by_skops_with_the_trusted_types(name):
    skops = pytest.importorskip("skops.io")
    model = MODELS[name]()
    blob = skops.dumps(model)
    assert set(skops.get_untrusted_types(data=blob)) <= set(TRUSTED_TYPES)
    loaded = skops.loads(blob, trusted=TRUSTED_TYPES)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_the_record_of_the_search_holds_plain_values_only():
    choice = PartialClassifier().fit(X, LABELS).selection_
    types = {type(value) for result in choice.results for value in vars(result).values()}
    assert choice.results
    assert types <= {str, int, float}, types


def test_trusted_types_are_classes_that_exist():
    for name in TRUSTED_TYPES:
        module, _, cls = name.rpartition(".")
        assert isinstance(getattr(importlib.import_module(module), cls), type), name


def test_foreign_types_are_not_trusted():
    """A function that somebody put into a file is refused before anything is loaded."""
    skops = pytest.importorskip("skops.io")
    model = PartialClassifier().fit(X, LABELS)
    model.classes = subprocess.run
    with pytest.raises(TypeError, match=r"subprocess\.run"):
        skops.loads(skops.dumps(model), trusted=TRUSTED_TYPES)


def calls(tree: ast.AST) -> list[tuple[str, ast.Call]]:
    """Every call, by its dotted name."""
    return [(ast.unparse(node.func), node) for node in ast.walk(tree) if isinstance(node, ast.Call)]


UNSAFE = ("pickle.load", "pickle.loads", "pickle.Unpickler", "cPickle.load", "dill.load", "cloudpickle.load",
          "joblib.load", "shelve.open", "marshal.loads", "marshal.load", "pd.read_pickle", "pandas.read_pickle",
          "yaml.load", "eval", "exec", "os.system")  # fmt: skip


def unsafe(tree: ast.AST) -> list[str]:
    """Calls by which a file of others could run code."""
    found = []
    for name, call in calls(tree):
        given = {word.arg: ast.unparse(word.value) for word in call.keywords}
        if name in UNSAFE or (name.endswith("torch.load") and given.get("weights_only") != "True"):
            found.append(name)
        if name.endswith("np.load") and given.get("allow_pickle", "False") != "False":
            found.append(name)
        if given.get("shell") == "True":
            found.append(f"{name}(shell=True)")
    return found


def test_no_file_of_others_is_unpickled_or_run():
    files = sorted(SOURCE.rglob("*.py"))
    assert len(files) > 100
    found = {path.relative_to(SOURCE).as_posix(): unsafe(ast.parse(path.read_text())) for path in files}
    assert {path: calls for path, calls in found.items() if calls} == {}


@pytest.mark.parametrize(
    "line",
    ["pickle.load(f)", "torch.load(f)", "torch.load(f, weights_only=False)", "np.load(f, allow_pickle=True)",
     "joblib.load(f)", "subprocess.run(c, shell=True)"],
)  # fmt: skip
def test_the_search_finds_what_it_looks_for(line):
    assert unsafe(ast.parse(line))


class Tags(html.parser.HTMLParser):
    """The elements and handlers that a browser would see."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.found.add(tag)
        self.found |= {name for name, _ in attrs if name.startswith("on")}


def test_choice_tables_escape_names():
    from infimum.selection import Candidate, Result, SelectionResult

    scores = {"neg_set_risk": -0.5, "log_likelihood": -0.1, "covering_rate": 0.9}
    for kind in (HOSTILE, "kernel"):
        one = Candidate(kind, HOSTILE, HOSTILE, 1.0, 1.0, principle=HOSTILE, negative_weights=HOSTILE)
        result = Result.of(one, 3, scores, 0.0)
        page = SelectionResult([result], result)._repr_html_()
        assert Tags(page).found == {"table", "thead", "tbody", "tr", "th", "td"}
        assert "&lt;script&gt;" in page


def test_reports_escape_names(tmp_path):
    """A hostile name in every text of an experiment and of its numbers."""
    from infimum.paper.base import Comparison
    from infimum.paper.report import _entry
    from infimum.paper.store import place

    class Hostile:
        name, title, caption, differs = "plain", HOSTILE, HOSTILE, HOSTILE
        place = HOSTILE

    place(tmp_path, "plain", ".png").write_bytes(b"\x89PNG")
    numbers = [Comparison(what=HOSTILE, ours=HOSTILE, reference=HOSTILE, tolerance=None, source=HOSTILE)]  # type: ignore[arg-type]
    page = _entry(Hostile(), numbers, tmp_path)  # type: ignore[arg-type]
    assert not Tags(page).found & {"script", "onerror"}
    assert page.count("<img") == 1


def test_models_as_html_escape_names():
    """What notebooks show of an estimator is scikit-learn's page, which escapes its parameters."""
    page = PartialClassifier(classes=[HOSTILE, "b"]).fit(X[:2], [HOSTILE, "b"])._repr_html_()
    assert "<img src=x" not in page
    assert "<script>alert(1)" not in page
