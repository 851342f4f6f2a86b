"""What is left "auto" is chosen from the sets; what is named is kept."""

import numpy as np
import pytest

from infimum import (
    Blocks,
    Disambiguation,
    InfimumWarning,
    PartialClassifier,
    PartialEstimator,
    PartialMultilabelClassifier,
    PartialRanker,
    PartialRegressor,
    outputs,
    weights,
)
from infimum.data import Table
from infimum.outputs import Labels
from infimum.recipe import Recipe
from infimum.selection import Judge, choose
from infimum.selection import search as comparison
from infimum.selection.candidates import Kernel, Linear
from infimum.selection.evaluate import Each
from infimum.selection.rank import Ranking
from infimum.selection.search import FEW, Comparison
from infimum.solvers import OrderSearch


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 20)
    X = 3 * np.eye(3)[truth] + rng.standard_normal((60, 3))
    return X, truth, np.eye(3, dtype=bool)[truth] | (rng.random((60, 3)) < 0.3)


def selected(model):
    """The selected weights, as text."""
    return [str(model.selection_.best[name]) for name in ("weights", "scaling", "kernel", "gamma", "lam")]


@pytest.fixture(scope="module")
def chosen(blobs):
    return PartialClassifier().fit(blobs[0], blobs[2])


def test_the_choice_can_be_looked_at(chosen, blobs):
    X, truth, mask = blobs
    choice = chosen.selection_
    assert np.mean(chosen.predict(X) == truth) > 0.9
    assert choice.best["neg_set_risk"] == max(row["neg_set_risk"] for row in choice.rows if row["n"] == 60)
    assert repr(choice).splitlines()[0] == f"Chosen from {len(choice.rows)} by sets that were held out: the first line"
    assert choice._repr_html_().count("<tr>") == 13
    assert {row["weights"] for row in choice.rows} == {"kernel", "linear", "forest", "neighbors"}
    assert {row["principle"] for row in choice.rows} == {"disambiguation", "infimum", "average"}
    assert set(choice.frame().columns) >= {"weights", "principle", "negative_weights", "neg_set_risk", "covering_rate"}
    # the judge agrees with the table
    space = Labels().fit(mask)
    judge = Judge(choice.recipe, space, space.read(mask))
    risk = -judge.scores(judge.left_out(X, 10))["neg_set_risk"]
    assert risk == pytest.approx(-choice.best["neg_set_risk"], abs=2 / 60)


def test_the_order_of_rows_does_not_matter(chosen, blobs):
    X, _, mask = blobs
    order = np.random.default_rng(1).permutation(60)
    again = PartialClassifier().fit(X[order], mask[order])
    assert selected(again) == selected(chosen)
    assert again.selection_.best["principle"] == chosen.selection_.best["principle"]


def test_units_do_not_matter(chosen, blobs):
    X, _, mask = blobs
    units = np.array([1000.0, 1.0, 1e-3])
    again = PartialClassifier().fit(X * units, mask)
    np.testing.assert_array_equal(again.predict(X * units), chosen.predict(X))


def test_units_do_not_matter_beyond_exact_kernels(blobs, monkeypatch):
    """Centres, and the rows that teach the others, are the same ones in any units and any order."""
    monkeypatch.setattr("infimum.selection.candidates.FOREST_ROWS", (50, 0))
    monkeypatch.setattr("infimum.selection.candidates.LINEAR_COLUMNS", 0)
    monkeypatch.setattr("infimum.selection.kernel_cache.EXACT_ROWS", 40)
    monkeypatch.setattr("infimum.selection.kernel_cache.n_centers", lambda n: 25)
    monkeypatch.setattr("infimum.disambiguation.principle.MANY", 40)
    monkeypatch.setattr("infimum.disambiguation.principle.SETTLED", 30)
    X, truth, mask = blobs
    one = PartialClassifier().fit(X, mask)
    assert one.weights_.weights_.centers_.shape == (25, 3)
    assert one.selection_.recipe.principle == "disambiguation"
    assert np.mean(one.labels_ == truth) > 0.85
    assert len(one.confidence_) == 60
    order = np.random.default_rng(1).permutation(60)
    units = np.array([1000.0, 1.0, 1e-3])
    other = PartialClassifier().fit((X * units)[order], mask[order])
    np.testing.assert_allclose(other.weights_.weights_.centers_, one.weights_.weights_.centers_, atol=1e-5)
    np.testing.assert_array_equal(other.predict(X * units), one.predict(X))
    np.testing.assert_array_equal(other.labels_, one.labels_[order])


def test_what_is_named_is_kept(blobs):
    X, _, mask = blobs
    family = weights.KernelRidge(lam=1e-3)
    model = PartialClassifier(principle="auto", weights=family).fit(X, mask)
    assert model.weights_.lam_ == 1e-3
    assert {row["weights"] for row in model.selection_.rows} == {"KernelRidge"}
    model = PartialClassifier(principle="auto", negative_weights="joint", weights=family).fit(X, mask)
    assert {row["negative_weights"] for row in model.selection_.rows} == {"joint"}
    model = PartialClassifier(principle="average").fit(X, mask)
    assert {row["principle"] for row in model.selection_.rows} == {"average"}
    assert PartialClassifier.paper().fit(X, mask).selection_ is None
    cap = Disambiguation(cap=1.5)
    model = PartialClassifier(principle=cap).fit(X, mask)
    assert all(row["principle"] == str(cap) for row in model.selection_.rows)
    # where one thing is left, there is nothing to compare
    assert PartialClassifier(principle="disambiguation", weights=family).fit(X, mask).selection_.rows == []


@pytest.mark.parametrize(
    "make", [PartialClassifier, PartialMultilabelClassifier, PartialRanker, PartialRegressor, PartialEstimator]
)
def test_everything_is_auto_by_default_and_the_paper_is_one_word_away(make):
    given = (outputs.Labels(),) if make is PartialEstimator else ()
    open_ = ("principle", "negative_weights", "weights")
    assert [make(*given).get_params()[name] for name in open_] == ["auto"] * 3
    assert [make.paper(*given).get_params()[name] for name in open_] == ["infimum", "inside", "kernel"]
    assert make.paper(*given, weights="forest").weights == "forest"
    if make is PartialEstimator:
        assert make.paper(*given, "average").principle == "average"


def test_with_few_rows_nothing_is_compared(blobs):
    X, _, mask = blobs
    model = PartialClassifier().fit(X[: FEW - 1], mask[: FEW - 1])
    assert model.selection_.rows == []
    assert "fewer than 20 distinct rows" in repr(model.selection_)
    assert "fewer than 20 distinct rows" in model.selection_._repr_html_()
    assert model.selection_.recipe.principle == "infimum"
    again = PartialClassifier().fit(np.repeat(X[:2], 30, axis=0), np.repeat(mask[:2], 30, axis=0))
    assert again.selection_.rows == []
    assert PartialClassifier().fit(X[:FEW], mask[:FEW]).selection_.rows


def test_orders_and_numbers_too():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (40, 1))
    bounds = np.column_stack([np.sin(3 * X[:, 0]) - 0.1, np.sin(3 * X[:, 0]) + 0.3])
    model = PartialRegressor().fit(X, bounds)
    assert model.score(X, bounds) > 0.9
    y = [[("a", "b"), ("b", "c")] if x < 0 else [("c", "a")] for x in X[:, 0]]
    ranker = PartialRanker().fit(X, y)
    assert ranker.score(X, y) > 0.9
    assert {row["principle"] for row in ranker.selection_.rows} == {"disambiguation", "infimum", "average"}


def test_what_is_refused(blobs):
    X, _, mask = blobs
    space = Labels().fit(mask)
    with pytest.raises(ValueError, match="block 0: sets that are read already cannot be put together from blocks"):
        PartialClassifier().fit(Blocks([(X, space.read(mask))]))
    with pytest.raises(ValueError, match="'budget' parameter of PartialClassifier must be"):
        PartialClassifier(budget=-1).fit(X, mask)
    with pytest.raises(ValueError, match="negative_weights must be 'inside', 'joint' or 'auto'"):
        PartialClassifier(negative_weights="both").fit(X, mask)


def test_an_interrupt_keeps_the_best_so_far(blobs, monkeypatch):
    X, _, mask = blobs
    original, calls = Comparison._judge, []

    def interrupted(self, setting, pairs):
        calls.append(setting)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return original(self, setting, pairs)

    monkeypatch.setattr(Comparison, "_judge", interrupted)
    space = Labels().fit(mask)
    with pytest.warns(InfimumWarning, match="The comparison ended early, after 12 settings"):
        choice = choose(Recipe("auto", "auto", "auto"), Table(X, None), space, space.read(mask))
    assert not choice.complete
    assert len(choice.rows) == 12


def test_an_exhausted_budget_keeps_the_best_so_far(blobs):
    X, truth, mask = blobs
    with pytest.warns(InfimumWarning, match="The comparison ended early, after [1-9]"):
        model = PartialClassifier(budget=1e-9).fit(X, mask)
    assert not model.selection_.complete
    assert np.mean(model.predict(X) == truth) > 0.9


def test_progress_is_shown_and_threads_change_nothing(blobs, chosen, capsys):
    X, _, mask = blobs
    model = PartialClassifier(verbose=1, n_jobs=2).fit(X, mask)
    assert "settings on 60 rows" in capsys.readouterr().err
    assert [row["neg_set_risk"] for row in model.selection_.rows] == [
        row["neg_set_risk"] for row in chosen.selection_.rows
    ]


@pytest.mark.parametrize("threads, n_jobs, used", [(3, None, 3), (1, None, 1), (3, 1, 1)])
def test_settings_are_judged_in_the_threads_of_blas_unless_a_number_is_named(
    blobs, chosen, monkeypatch, threads, n_jobs, used
):
    asked = []
    parallel = comparison.Parallel
    monkeypatch.setattr(comparison, "WORTH_THREADS", 50)
    monkeypatch.setattr(comparison, "Parallel", lambda n_jobs, **rest: asked.append(n_jobs) or parallel(n_jobs, **rest))
    monkeypatch.setattr(comparison.threadpool_limits, "get_original_num_threads", lambda self: {"blas": threads})
    X, _, mask = blobs
    model = PartialClassifier(n_jobs=n_jobs).fit(X, mask)
    assert {n or 1 for n in asked} == {used}
    assert [row["neg_set_risk"] for row in model.selection_.rows] == [
        row["neg_set_risk"] for row in chosen.selection_.rows
    ]


def test_rows_in_blocks_are_chosen_from_a_sample(blobs):
    X, truth, mask = blobs
    cut = [(X[:25], mask[:25]), (X[25:], mask[25:])]
    model = PartialClassifier().fit(Blocks(cut))
    assert np.mean(model.predict(X) == truth) > 0.85
    assert model.selection_.best["n"] == 60
    again = PartialClassifier().fit(Blocks([(X[::-1], mask[::-1])]))
    assert selected(again) == selected(model)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_files_and_dask_collections_are_chosen_for_as_blocks_are(blobs, tmp_path):
    da, pd = pytest.importorskip("dask.array"), pytest.importorskip("pandas")
    X, _, mask = blobs
    here = PartialClassifier(principle="disambiguation").fit(Blocks([(X[:30], mask[:30]), (X[30:], mask[30:])]))
    cluster = PartialClassifier(principle="disambiguation").fit(
        da.from_array(X, chunks=(40, 3)), da.from_array(mask, chunks=(40, 3))
    )
    np.testing.assert_array_equal(cluster.predict(X), here.predict(X))
    text = ["|".join("abc"[k] for k in np.flatnonzero(row)) for row in mask]
    pd.DataFrame(X, columns=list("uvw")).assign(y=text).to_parquet(tmp_path / "rows.parquet")
    files = Blocks.parquet(tmp_path / "rows.parquet", "y", rows=25)
    named = PartialClassifier(principle="disambiguation").fit(files)
    np.testing.assert_array_equal(
        named.predict(pd.DataFrame(X, columns=list("uvw"))), np.array(list("abc"))[here.predict(X)]
    )
    with pytest.raises(AttributeError, match="once principle='disambiguation' is fitted, or chosen, on rows"):
        named.labels_  # noqa: B018


def test_likelihoods_decide_alone_only_where_any_prediction_has_one():
    """Of labels, families of a named disambiguation are still held to the set risk."""

    def row(weights, losses, likely):
        each = Each(np.asarray(losses, float), np.asarray(likely, float), None)
        scores = {"neg_set_risk": -np.mean(losses), "log_likelihood": np.mean(likely)}
        none = {"scaling": "", "kernel": "", "gamma": np.nan, "lam": np.nan}
        return {
            "principle": "disambiguation",
            "negative_weights": "inside",
            "weights": weights,
            "each": each,
            **scores,
            **none,
        }

    rows = [row("kernel", [0] * 9 + [1], [-1.0] * 10), row("forest", [0] * 5 + [1] * 5, [-0.9] * 10)]
    assert Ranking(rows).best()["weights"] == "kernel"
    assert Ranking(rows, has_laws=True).best()["weights"] == "forest"


def test_a_picture(chosen):
    pytest.importorskip("matplotlib").use("Agg")
    display = chosen.selection_.plot()
    assert next(text.get_text() for text in display.axes_.get_yticklabels()).split(",")[0] in (
        "disambiguation", "infimum", "average",
    )  # fmt: skip
    assert display.axes_.get_legend_handles_labels()[1][-1] == "chosen"
    assert display.axes_.get_xlabel().startswith("held-out set risk")


def test_settings_of_orders_are_compared_without_proofs(monkeypatch):
    """A proof for every held-out row of every setting took a quarter of an hour at eleven items."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2))
    ranks = np.argsort(np.argsort(X @ rng.standard_normal((2, 9)), axis=1), axis=1) + 1.0
    ranks[rng.random(ranks.shape) < 0.3] = np.nan

    def proved(self, alpha):
        raise AssertionError("a proof was asked for")

    monkeypatch.setattr(OrderSearch, "minimise", proved)
    model = PartialRanker().fit(X, ranks)
    assert {row["principle"] for row in model.selection_.rows} == {"disambiguation", "infimum", "average"}
    assert not model.selection_.refused


def test_ways_that_lead_to_one_setting_lead_to_the_same_number():
    start = Kernel("standard", "rbf", 1.0, 1e-5)
    down = next(one for one in start.near() if one.lam < start.lam)
    assert start in down.near()
    lams = [1e-5]
    while len(lams) < 9 and (lower := [one.lam for one in Linear(lams[-1]).near() if one.lam < lams[-1]]):
        lams += lower
    assert lams == [1e-5, 1e-6, 1e-7]


@pytest.mark.parametrize("n", [60, 1000])
def test_where_all_is_refused_the_reasons_are_told(n, rng, monkeypatch):
    def refuse(self, operator):
        raise ValueError("no such thing here")

    monkeypatch.setattr(Judge, "outputs", refuse)
    with pytest.raises(ValueError, match=r"Nothing could be chosen from. disambiguation.*no such thing here"):
        PartialClassifier().fit(rng.standard_normal((n, 3)), rng.integers(3, size=n))
