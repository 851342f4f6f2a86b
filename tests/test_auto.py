"""What is left "auto" is chosen from the sets; what is named is kept."""

import numpy as np
import pytest

from infimum import Blocks, PartialClassifier, PartialRanker, PartialRegressor, weights
from infimum.judging import Composition, Judge, choose
from infimum.outputs import Labels
from infimum.rows import Table

AUTO = {"principle": "auto", "negative_weights": "auto", "weights": "auto"}


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 20)
    X = 3 * np.eye(3)[truth] + rng.standard_normal((60, 3))
    return X, truth, np.eye(3, dtype=bool)[truth] | (rng.random((60, 3)) < 0.3)


@pytest.fixture(scope="module")
def chosen(blobs):
    return PartialClassifier(**AUTO).fit(blobs[0], blobs[2])


def test_the_choice_can_be_looked_at(chosen, blobs):
    X, truth, mask = blobs
    choice = chosen.choice_
    assert np.mean(chosen.predict(X) == truth) > 0.9
    assert choice.best["neg_set_risk"] == max(row["neg_set_risk"] for row in choice.rows if row["n"] == 60)
    assert repr(choice).splitlines()[0] == f"Chosen from {len(choice.rows)} by sets that were held out: the first line"
    assert choice._repr_html_().count("<tr>") == 13
    assert {row["weights"] for row in choice.rows} == {"kernel", "forest", "neighbors"}
    assert {row["principle"] for row in choice.rows} == {"disambiguation", "infimum", "average"}
    assert set(choice.frame().columns) >= {"weights", "principle", "reading", "neg_set_risk", "covering_rate"}
    # the judge agrees with the table
    space = Labels().fit(mask)
    judge = Judge(choice.composition, space, space.read(mask))
    risk = -judge.scores(judge.left_out(X, 5))["neg_set_risk"]
    assert risk == pytest.approx(-choice.best["neg_set_risk"], abs=2 / 60)


def test_the_order_of_rows_does_not_matter(chosen, blobs):
    X, _, mask = blobs
    order = np.random.default_rng(1).permutation(60)
    again = PartialClassifier(**AUTO).fit(X[order], mask[order])
    assert again.choice_.best["setting"] == chosen.choice_.best["setting"]
    assert again.choice_.best["principle"] == chosen.choice_.best["principle"]


def test_units_do_not_matter(chosen, blobs):
    X, _, mask = blobs
    units = np.array([1000.0, 1.0, 1e-3])
    again = PartialClassifier(**AUTO).fit(X * units, mask)
    np.testing.assert_array_equal(again.predict(X * units), chosen.predict(X))


def test_what_is_named_is_kept(blobs):
    X, _, mask = blobs
    family = weights.KernelRidge(lam=1e-3)
    model = PartialClassifier(principle="auto", weights=family).fit(X, mask)
    assert model.weights_.lam_ == 1e-3
    assert {row["reading"] for row in model.choice_.rows} == {"inside"}
    model = PartialClassifier(principle="average", weights="auto").fit(X, mask)
    assert {row["principle"] for row in model.choice_.rows} == {"average"}
    assert PartialClassifier(weights="kernel").fit(X, mask).choice_ is None


def test_orders_and_numbers_too():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (40, 1))
    bounds = np.column_stack([np.sin(3 * X[:, 0]) - 0.1, np.sin(3 * X[:, 0]) + 0.3])
    model = PartialRegressor(**AUTO).fit(X, bounds)
    assert model.score(X, bounds) > 0.9
    y = [[("a", "b"), ("b", "c")] if x < 0 else [("c", "a")] for x in X[:, 0]]
    ranker = PartialRanker(**AUTO).fit(X, y)
    assert ranker.score(X, y) > 0.9
    assert {row["principle"] for row in ranker.choice_.rows} == {"disambiguation", "infimum", "average"}


def test_what_is_refused(blobs):
    X, _, mask = blobs
    with pytest.raises(ValueError, match="'auto' compares rows in memory: for rows in blocks, name principle and"):
        PartialClassifier(**AUTO).fit(Blocks([(X, mask)]))
    with pytest.raises(ValueError, match="negative_weights must be 'inside', 'joint' or 'auto'"):
        PartialClassifier(negative_weights="both").fit(X, mask)


def test_an_interrupt_keeps_the_best_so_far(blobs, monkeypatch):
    from infimum import InfimumWarning
    from infimum.judging.choice import Comparison

    X, _, mask = blobs
    original, calls = Comparison._judge, []

    def interrupted(self, setting):
        calls.append(setting)
        if len(calls) == 4:
            raise KeyboardInterrupt
        original(self, setting)

    monkeypatch.setattr(Comparison, "_judge", interrupted)
    space = Labels().fit(mask)
    with pytest.warns(InfimumWarning, match="The comparison ended early, after 12 settings"):
        choice = choose(Composition("auto", "auto", "auto"), Table(X, None), space, space.read(mask))
    assert not choice.complete
    assert len(choice.rows) == 12


def test_a_picture(chosen):
    pytest.importorskip("matplotlib").use("Agg")
    display = chosen.choice_.plot()
    assert next(text.get_text() for text in display.axes_.get_yticklabels()).split(",")[0] in (
        "disambiguation", "infimum", "average",
    )  # fmt: skip
    assert display.axes_.get_legend_handles_labels()[1][-1] == "chosen"
