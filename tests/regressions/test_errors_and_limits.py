"""Input at the limits: an error that explains itself, or a result; no crash and no endless loop."""

import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from infimum import (
    Boxes,
    CandidateLabels,
    Chunks,
    DisambiguationClassifier,
    HammingBalls,
    InfimumWarning,
    PartialClassifier,
    PartialEstimator,
    PartialMultilabelClassifier,
    PartialRanker,
    PartialRegressor,
    PartialSearch,
    outputs,
    solvers,
    weights,
)
from infimum.selection import left_out_scores
from infimum.weights import cholesky
from infimum.weights.families import kernel
from small_search import SMALL_SEARCH


@pytest.fixture
def X(rng):
    return rng.random((12, 2))


LABELS = list("abababababab")


def test_more_rows_than_lapack_supports_raise(monkeypatch):
    """47,000 rows end in words, before any kernel is computed; the process lives."""
    monkeypatch.setattr(cholesky, "factor", lambda *a, **k: pytest.fail("a factorisation was tried"))
    monkeypatch.setattr(kernel, "pairwise_kernels", lambda *a, **k: pytest.fail("a kernel was computed"))
    with pytest.raises(MemoryError, match=r"47000 rows has more entries than LAPACK can count.*Nystrom\(n_centers"):
        PartialClassifier.paper().fit(np.arange(47_000.0)[:, None], np.arange(47_000) % 2)


GIVEN = {
    "regressor": (
        PartialRegressor(search_config=SMALL_SEARCH),
        [0.1 * k for k in range(6)] + [(0, 1)] * 6,
        ["infimum", "average", "joint"],
        "disambiguation",
    ),
    "ranker": (
        PartialRanker(search_config=SMALL_SEARCH),
        ["a>b>c"] * 6 + ["c>a"] * 6,
        ["infimum", "average", "disambiguation"],
        "disambiguation",
    ),
}


@pytest.mark.parametrize("kind", GIVEN)
def test_search_and_held_out_scores_for_numbers_and_rankings(X, kind):
    """PartialSearch and left_out_scores support every estimator."""
    model, y, principles, plain = GIVEN[kind]
    search = PartialSearch(model, gammas=[1.0], kernels=["rbf"], lams=[1e-3]).fit(X, y)
    assert search.predict(X).shape[0] == 12
    assert np.isfinite(search.cv_results_["mean_test_neg_set_risk"]).all()
    search = PartialSearch(model, gammas=[1.0], kernels=["rbf"], scalings=["standard"]).fit(X, y)
    assert search.best_params_["principle"] == plain
    compared = PartialSearch(model, gammas=[1.0], scalings=["none"], kernels=["rbf"], principles=principles).fit(X, y)
    pairs = zip(compared.cv_results_["param_principle"], compared.cv_results_["param_negative_weights"])
    assert {"joint" if rule == "joint" else name for name, rule in pairs} == set(principles)
    scores = left_out_scores(model, X, y)
    assert 0 <= scores["covering_rate"] <= 1
    assert scores["neg_set_risk"] <= 0
    assert left_out_scores(model, X, y, cv=3)["neg_set_risk"] <= 0


@pytest.mark.parametrize("solver", [solvers.Alternate(), solvers.Enumerate(), solvers.ClosedForm()], ids=repr)
def test_solvers_support_disambiguation(X, solver):
    """The points that take the place of sets are a loss like any other."""
    expected = PartialClassifier.paper(principle="disambiguation").fit(X, LABELS).predict(X)
    found = PartialClassifier.paper(principle="disambiguation", solver=solver).fit(X, LABELS).predict(X)
    np.testing.assert_array_equal(found, expected)


def test_unsupported_solver_of_points_lists_the_others(X):
    """Refused in its own words, not by a missing attribute."""
    with pytest.raises(ValueError, match=r"cannot minimise the .*: it needs .*Solvers that can: ClosedForm"):
        PartialClassifier.paper(principle="disambiguation", solver=solvers.Piecewise()).fit(X, LABELS)


def test_chunks_are_enumerated_and_other_solvers_raise(X):
    """Enumerate folds tables chunk by chunk; Piecewise needs single rows and says so."""
    chunks = Chunks([(X[:5], LABELS[:5]), (X[5:], LABELS[5:])])
    nystrom = weights.Nystrom(6)
    whole = PartialClassifier.paper(weights=nystrom, solver=solvers.Enumerate()).fit(X, LABELS)
    parts = clone(whole).fit(chunks)
    np.testing.assert_array_equal(parts.predict(X), whole.predict(X))
    y = X[:, 0]
    with pytest.raises(ValueError, match=r"Piecewise cannot minimise .*in chunks.*Solvers that can: ClosedForm"):
        PartialRegressor.paper(weights=nystrom, solver=solvers.Piecewise()).fit(
            Chunks([(X[:5], y[:5]), (X[5:], y[5:])])
        )


NOT_FINITE = {
    "far rows": (
        PartialClassifier(search_config=SMALL_SEARCH),
        [[0.0], [1.0], [1e200]] * 4,
        {},
        r"Got 1e\+200 in row 2, column 0. Scale X",
    ),
    "a high degree": (
        PartialClassifier.paper(weights=weights.KernelRidge(kernel="polynomial", degree=300, gamma=1.0)),
        [[0.0], [1.0], [100.0]] * 4,
        {},
        "is not finite",
    ),
    "lam=inf": (
        PartialClassifier.paper(weights=weights.KernelRidge(lam=np.inf)),
        None,
        {},
        "'lam' parameter of KernelRidge",
    ),
    "gamma=nan": (PartialClassifier.paper(weights=weights.KernelRidge(gamma=np.nan)), None, {}, "'gamma' parameter"),
    "gamma=inf": (PartialClassifier.paper(weights=weights.KernelRidge(gamma=np.inf)), None, {}, "'gamma' parameter"),
    "gamma=-inf": (PartialClassifier.paper(weights=weights.KernelRidge(gamma=-np.inf)), None, {}, "'gamma' parameter"),
    "no weights": (PartialClassifier(), None, {"sample_weight": np.zeros(12)}, "not all of them 0|one non-zero"),
    "weights of NaN": (PartialClassifier(), None, {"sample_weight": np.nan}, "sample_weight must be finite"),
    "search": (PartialSearch(lams=[np.inf]), None, {}, "'lams' parameter of PartialSearch"),
}


@pytest.mark.parametrize("case", NOT_FINITE)
def test_kernel_that_is_not_finite_raises(X, case):
    """The search for a ridge that is large enough never goes on for ever."""
    model, rows, extra, message = NOT_FINITE[case]
    with pytest.raises(ValueError, match=message):
        model.fit(X if rows is None else np.array(rows), LABELS, **extra)


def test_kernel_that_is_not_positive_definite_raises():
    """Neither does it for a matrix that is no kernel."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InfimumWarning)
        ridge = weights.KernelRidge(kernel="precomputed", lam=1e-3).fit(np.array([[0.0, 5.0], [5.0, 0.0]]))
        assert ridge.ridge_ > 5
        with pytest.raises(ValueError, match="NaN or infinity"):
            weights.KernelRidge(kernel="precomputed").fit(np.array([[1.0, np.nan], [np.nan, 1.0]]))


def test_ranker_predicts_the_same_in_four_threads(rng):
    """Predictions in four threads are those of one."""
    rows = rng.random((40, 2))
    y = [[tuple(rng.permutation(6)[:2].tolist())] for _ in rows]
    model = PartialRanker.paper(items=6, solver=solvers.Alternate(n_starts=2), weights=weights.Neighbors(8)).fit(
        rows, y
    )
    queries = rng.random((60, 2))
    expected = model.predict(queries)
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: model.predict(queries), range(8)):
            np.testing.assert_array_equal(found, expected)


def test_masks_with_declared_classes(X, rng):
    """A mask with as many columns as classes is read, and is scored after classes were lost."""
    mask = np.column_stack([np.arange(12) % 2 == 0, np.arange(12) % 2 == 1])
    named = PartialClassifier(classes=["cat", "dog"]).fit(X, mask)
    same = PartialClassifier().fit(X, CandidateLabels(mask, ["cat", "dog"]))
    np.testing.assert_array_equal(named.predict(X), same.predict(X))
    wide = np.column_stack([mask, np.zeros(12, bool)])
    wide[3, 2] = True  # a class that is only ever a candidate
    model = DisambiguationClassifier(weights=weights.KernelRidge()).fit(X, wide)
    assert model.classes_.tolist() == [0, 1]
    assert model.score(X, wide) == np.mean(wide[np.arange(12), model.predict(X)])


def test_hamming_balls_in_chunks(X, rng):
    """The radius is not taken for a tag."""
    balls = HammingBalls(rng.choice([-1, 1], (12, 3)), rng.integers(0, 2, 12))
    model = PartialMultilabelClassifier.paper(weights=weights.Nystrom(6), solver=solvers.Enumerate())
    whole = model.fit(X, balls).predict(X)
    np.testing.assert_array_equal(model.fit(Chunks([(X[:5], balls[:5]), (X[5:], balls[5:])])).predict(X), whole)


def test_empty_chunk_is_accepted(X):
    """Partitions of a cluster are often empty."""
    whole = PartialClassifier().fit(X, LABELS).predict(X)
    for at in range(3):
        chunks = [(X[:5], LABELS[:5]), (X[5:], LABELS[5:])]
        chunks.insert(at, (X[:0], []))
        np.testing.assert_array_equal(PartialClassifier().fit(Chunks(chunks)).predict(X), whole)


def test_chunks_give_the_warnings_of_arrays(X):
    """Tags that are only ever confirmed, and orders that say nothing, over all chunks together."""
    model = PartialMultilabelClassifier()
    with pytest.warns(InfimumWarning, match="No tag of y is ever absent"):
        model.fit(Chunks([(X[:5], ["+red"] * 5), (X[5:], ["+blue"] * 7)]))
    with pytest.warns(InfimumWarning, match="No tag of y is ever present"):
        model.fit(Chunks([(X[:5], ["-red"] * 5), (X[5:], [None] * 7)]))
    model.fit(Chunks([(X[:5], ["+red"] * 5), (X[5:], ["-red"] * 7)]))  # a warning would be an error here
    with pytest.warns(InfimumWarning, match="No row of y contains a comparison"):
        PartialRanker(items=["a", "b"]).fit(Chunks([(X[:5], [None] * 5), (X[5:], [None] * 7)]))


@pytest.mark.parametrize("solver", [solvers.Alternate(), solvers.Piecewise()], ids=repr)
def test_hasattr_of_risks_depends_on_the_solver(solver):
    """Hasattr tells before the call fails."""
    assert not hasattr(PartialClassifier.paper(solver=solver), "decision_function")
    assert hasattr(PartialClassifier.paper(solver=solvers.Enumerate()), "decision_function")


@pytest.mark.parametrize("bad", [["a"] * 11, [{}] * 12], ids=["a row too few", "no labels"])
def test_failed_fit_leaves_the_model_unchanged(X, bad):
    """The number of columns and their names included."""
    frame = pd.DataFrame(X, columns=["u", "v"])
    model = PartialClassifier().fit(frame, LABELS)
    expected = model.predict(frame)
    with pytest.raises(ValueError):
        model.fit(frame[["v"]], bad)
    np.testing.assert_array_equal(model.predict(frame), expected)
    assert model.feature_names_in_.tolist() == ["u", "v"]
    assert model.n_features_in_ == 2


def test_bounds_limit_boxes(X):
    """The advice of the error helps."""
    boxes = Boxes(np.zeros((12, 2)), np.full((12, 2), np.inf))
    with pytest.raises(ValueError, match=r"with bounds=\(low, high\)"):
        PartialEstimator.paper(outputs.Vectors(), principle="average").fit(X, Boxes(X, np.where(X < 0.5, 1.0, np.inf)))
    found = PartialEstimator.paper(outputs.Vectors(bounds=(0, 4)), principle="average").fit(X, boxes).predict(X)
    np.testing.assert_allclose(found, 2)


def test_text_in_X_raises_with_the_column_and_a_fix(X):
    """A frame with a text column."""
    frame = pd.DataFrame({"size": X[:, 0], "colour": ["red"] * 12})
    way_out = r"Encode it, with infimum.Features\(\) or scikit-learn's OneHot"
    with pytest.raises(ValueError, match=rf"The column 'colour' contains 'red'.*{way_out}"):
        PartialClassifier().fit(frame, LABELS)


LIMITED = """
import resource
import numpy as np
from infimum import PartialClassifier
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**29, used + 2**29))
try:
    PartialClassifier.paper().fit(np.random.default_rng(0).random((12_000, 2)), np.arange(12_000) % 2)
except MemoryError as error:
    print(error)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits on addresses are read from /proc")
def test_limit_of_address_space_is_respected():
    """`ulimit -v` is memory that is not there, told with the way out before anything is allocated."""
    done = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "The kernel matrix of 12000 rows needs 1.26 GiB" in done.stdout
    assert "Use weights.Nystrom(n_centers=1000)" in done.stdout


def test_rankings_of_too_many_items_raise_before_allocation(X):
    """The memory for all pairs is checked first."""
    with pytest.raises(MemoryError, match=r"pairs of 100000 items needs 8.*GiB are available. Pass fewer items"):
        PartialRanker(items=100_000).fit(X, [[1, 2]] * 12)


@pytest.mark.parametrize("make", [PartialClassifier, PartialMultilabelClassifier])
@pytest.mark.parametrize("weight", [1e308, 5e-324])
@pytest.mark.filterwarnings("ignore::infimum.InfimumWarning")
def test_sample_weights_may_have_any_magnitude(make, weight):
    X = np.linspace(-1, 1, 24)[:, None]
    y = np.where(X > 0, 1, -1) if make is PartialMultilabelClassifier else ["a" if x > 0 else "b" for x in X[:, 0]]
    model = make(max_search_time=1).fit(X, y, np.full(24, weight))
    assert model.score(X, y, np.full(24, weight)) > 0.8


@pytest.mark.parametrize("unit", [2.0**-490, 2.0**460])
@pytest.mark.filterwarnings("ignore::infimum.InfimumWarning")
def test_predictions_do_not_depend_on_the_unit_of_features(unit, rng):
    """Deviations beyond single precision were taken for constants."""
    X = rng.uniform(-1, 1, (40, 2))
    y = ["a" if x > 0 else "b" for x in X[:, 0]]
    assert PartialClassifier(weights="kernel").fit(X * unit, y).score(X * unit, y) > 0.9


@pytest.mark.parametrize("model", [PartialClassifier, PartialRegressor])
@pytest.mark.parametrize("as_frame", [False, True])
def test_columns_whose_squares_underflow(model, as_frame, rng):
    """The default model: an error about the column, and none about the trees of a forest."""
    X = rng.normal(size=(40, 2)) * [1.0, 1e-200]
    y = (X[:, 0] > 0).astype(float)
    table = pd.DataFrame(X, columns=["a", "b"]) if as_frame else X
    column = "'b'" if as_frame else "1"
    with pytest.raises(ValueError, match=rf"squares of smaller ones underflow\. The values of column {column} differ"):
        model(search_config=SMALL_SEARCH).fit(table, y)
    made = model(search_config=SMALL_SEARCH).fit(X * [1.0, 1e200], y)
    assert np.isfinite(np.asarray(made.predict(X), dtype=float)).all()  # rows to predict may be close to 0


def test_one_class_only_warns(rng):
    X = rng.normal(size=(20, 2))
    with pytest.warns(InfimumWarning, match="y contains only one class, 'a', so every prediction is this class"):
        model = PartialClassifier(search_config=SMALL_SEARCH).fit(X, ["a"] * 20)
    assert (model.predict(X) == "a").all()
