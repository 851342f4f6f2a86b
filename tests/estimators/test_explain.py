"""model.explain: contributions of training rows that sum to the margin, for every composition."""

import numpy as np
import pytest

from infimum import (
    Chunks,
    PartialClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
    PartialRegressor,
    SetLoss,
    weights,
)

MODELS = {
    "labels": PartialClassifier,
    "tags": PartialMultilabelClassifier,
    "order": PartialRanker,
    "number": PartialRegressor,
}
ROWS = {
    "labels": lambda a, b, rng: f"{'abc'[int(a) % 3]}|{'abc'[rng.integers(3)]}",
    "tags": lambda a, b, rng: [np.sign(a), 0] if a > b else [0, np.sign(b)],
    "order": lambda a, b, rng: "a>b" if a > 0 else "b>a, c>d" if b > 0 else "d>c>b",
    "number": lambda a, b, rng: (a - rng.random(), a + rng.random()),
}
FAMILIES = {
    "kernel": weights.KernelRidge(), "nystrom": weights.Nystrom(12, random_state=0), "linear": weights.LinearRidge(),
    "neighbors": weights.Neighbors(5), "forest": weights.Forest(10, random_state=0), "scaled": weights.Scaled(),
    "laplacian": weights.Laplacian(5),
}  # fmt: skip


def data(kind: str, n: int = 40):
    rng = np.random.default_rng(0)
    X = rng.normal(scale=3, size=(n, 3))
    return MODELS[kind], X, [ROWS[kind](a, b, rng) for a, b in X[:, :2]]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", MODELS)
def test_contributions_sum_to_the_margin_and_risks_are_those_of_the_model(kind, family):
    model, X, y = data(kind)
    readings = [("infimum", "inside"), ("infimum", "joint"), ("average", "inside"), ("supremum", "joint")]
    readings += [("disambiguation", "inside")] if family != "laplacian" else []
    for principle, reading in readings:
        made = model(principle=principle, negative_weights=reading, weights=FAMILIES[family]).fit(X, y)
        found = made.explain(X[3])
        assert np.isclose(found.risk, made.minimum(X[3:4]).value[0], atol=1e-9), (principle, reading)
        assert np.isclose(found.contribution.sum(), found.margin, atol=1e-9)
        assert np.allclose(found.alpha * (found.loss_against - found.loss), found.contribution, atol=1e-9)
        assert (np.diff(np.abs(found.contribution[found.rows])) <= 1e-15).all()


def test_losses_are_those_of_the_sets():
    _, X, y = data("labels")
    model = PartialClassifier.paper().fit(X, y)
    found = model.explain(X[:1])
    sets = model.output_.read(y)
    assert np.array_equal(np.stack([found.loss, found.loss_against]), SetLoss(model.output_, sets)(found.z))
    assert np.allclose(found.alpha, np.asarray(model.weights_(X[:1]))[0])


def test_the_rival_of_a_label_is_the_second_best_class():
    _, X, y = data("labels")
    model = PartialClassifier().fit(X, y)
    for x in X[:8]:
        scores = model.decision_function(x[None])[0]
        second = model.classes_[np.argsort(-scores, kind="stable")[1]]
        assert model.explain(x).against == second
        assert np.isclose(model.explain(x).margin, np.diff(np.sort(-scores))[0])


@pytest.mark.parametrize("kind", ["tags", "order"])
def test_the_rival_is_the_best_of_the_outputs_next_to_the_prediction(kind):
    model, X, y = data(kind)
    made = model.paper().fit(X, y)
    alpha, L = np.asarray(made.weights_(X[:1]))[0], SetLoss(made.output_, made.sets_)
    found = made.explain(X[:1])
    z = made.outputs(X[:1])[0]
    near = []
    for k in range(len(z) - (kind == "order")):
        other = z.copy()
        if kind == "tags":
            other[k] *= -1
        else:
            other[[k, k + 1]] = other[[k + 1, k]]
        near.append(other)
    risks = L(np.array(near)) @ alpha
    assert np.isclose(found.risk_against, risks.min())


def test_the_rival_of_a_number_fits_all_rows_best():
    model, X, y = data("number")
    made = model().fit(X, y)
    rival = float(made.explain(X[0]).against)
    grid = np.linspace(-9, 9, 2001)
    total = SetLoss(made.output_, made.sets_)(grid).sum(axis=1)
    assert abs(rival - grid[total.argmin()]) < 0.02


def test_against_is_what_the_user_names():
    _, X, y = data("labels")
    model = PartialClassifier().fit(X, y)
    prediction = model.predict(X[:1])[0]
    for name in model.classes_:
        found = model.explain(X[:1], against=name)
        assert found.against == name
        assert (found.margin == 0) == (name == prediction)
    with pytest.raises(ValueError, match="against must be one output, not a set of several"):
        model.explain(X[:1], against="a|b")
    with pytest.raises(ValueError, match="unknown label"):
        model.explain(X[:1], against="z")


def test_what_is_shown_is_what_there_is():
    X = [[0.0], [0.1], [1.0], [1.1]]
    found = PartialClassifier().fit(X, ["<b>cat</b>", "<b>cat</b>|dog", "dog", "dog"]).explain([0.05])
    text, html = repr(found), found._repr_html_()
    assert text.startswith("<b>cat</b>, not dog: set risk")
    assert "<b>" not in html
    assert "&lt;b&gt;cat&lt;/b&gt;" in html
    assert [row["row"] for row in found.table(2)] == found.rows[:2].tolist()
    rest = found.contribution[found.rows[2:]].sum()
    assert np.isclose(sum(row["contribution"] for row in found.table(2)) + rest, found.margin)


def test_rows_in_blocks_and_several_rows_are_refused():
    _, X, y = data("labels")
    model = PartialClassifier().fit(Chunks.of(X, y))
    with pytest.raises(ValueError, match="Fit it on arrays"):
        model.explain(X[0])
    with pytest.raises(ValueError, match=r"explain requires one row, such as .* Got 2 rows"):
        PartialClassifier().fit(X, y).explain(X[:2])


def test_the_picture_shows_every_row_or_their_rest():
    pytest.importorskip("matplotlib").use("agg")
    _, X, y = data("labels")
    display = PartialClassifier().fit(X, y).explain(X[0]).plot(k=4)
    lengths = [bar.get_width() for bar in display.axes_.patches]
    assert len(lengths) == 5
    assert np.isclose(sum(lengths), PartialClassifier().fit(X, y).explain(X[0]).margin)
