"""Constraints on groups of rows: projections and assignments by brute force, contradictions, and what they teach."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
import skops.io
from scipy.optimize import minimize
from sklearn.datasets import load_iris, load_wine

from infimum import Chunks, Disambiguation, InputError, PartialClassifier, PartialRegressor, PartialSearch, clean_labels
from infimum.active import QuestionSelector
from infimum.conformal import Conformal
from infimum.disambiguation.hard import hard
from infimum.io import TRUSTED_TYPES
from infimum.outputs import AtLeast, Balanced, Constraint, Exactly, Labels, Share
from infimum.outputs.constraints import Bound, GroupConstraints
from infimum.report import build
from infimum.weights import KernelRidge, LinearRidge, Scaled

RIDGE = Scaled(KernelRidge(lam=1e-2))
CLASSES = ["a", "b", "c"]


def collected(constraints, n):
    return GroupConstraints.of(constraints, n, CLASSES, CLASSES.index)


def random_problem(rng, n=6):
    mask = rng.random((n, 3)) < 0.7
    mask[np.arange(n), rng.integers(3, size=n)] = True
    q = np.where(mask, rng.random((n, 3)), 0)
    return q / q.sum(axis=1, keepdims=True), mask


def test_projection_is_the_closest_distribution(rng):
    """Against a general solver of the same convex problem; groups overlap."""
    constraints = [Share([0, 1, 2], {"a": 0.4}), Share([2, 3, 4, 5], {"b": (0.1, 0.3)}), AtLeast([1, 4], "c")]
    done = 0
    for _ in range(20):
        q, mask = random_problem(rng)
        found = collected(constraints, 6)
        try:
            found.check(mask)
        except InputError:
            continue
        done += 1
        p = found.project(q, mask)
        assert not found.missed(p)
        assert not p[~mask].any()
        np.testing.assert_allclose(p.sum(axis=1), 1)
        at = np.flatnonzero(mask)

        def full(x, at=at):
            out = np.zeros(18)
            out[at] = x
            return out.reshape(6, 3)

        limits = [{"type": "eq", "fun": lambda x, full=full: full(x).sum(axis=1) - 1},
                  {"type": "eq", "fun": lambda x, full=full: full(x)[:3, 0].sum() - 1.2},
                  {"type": "ineq", "fun": lambda x, full=full: full(x)[2:, 1].sum() - 0.4},
                  {"type": "ineq", "fun": lambda x, full=full: 1.2 - full(x)[2:, 1].sum()},
                  {"type": "ineq", "fun": lambda x, full=full: full(x)[[1, 4], 2].sum() - 1}]  # fmt: skip

        def divergence(x, q=q, at=at):
            return float(np.sum(x * np.log(np.maximum(x, 1e-12) / q.ravel()[at])))

        best = minimize(divergence, p.ravel()[at], method="SLSQP", bounds=[(1e-9, 1)] * len(at), constraints=limits)
        assert divergence(p.ravel()[at]) <= best.fun + 5e-3
    assert done >= 5


def test_assignment_is_brute_force(rng):
    constraints = [Exactly([0, 1, 2], "a", 1), AtLeast([2, 3, 4], "b", 2), Share([0, 4], {"c": (0.0, 0.5)})]
    done = 0
    for _ in range(20):
        _, mask = random_problem(rng, 5)
        cost = rng.standard_normal((5, 3))
        values = []
        for y in itertools.product(range(3), repeat=5):
            a = np.array(y)
            right = (a[:3] == 0).sum() == 1 and (a[2:] == 1).sum() >= 2 and (a[[0, 4]] == 2).sum() <= 1
            if right and mask[np.arange(5), a].all():
                values.append(cost[np.arange(5), a].sum())
        found = collected(constraints, 5)
        if not values:
            with pytest.raises(InputError, match="contradict"):
                found.assign(cost, mask)
            continue
        done += 1
        z = found.assign(cost, mask)
        assert mask[np.arange(5), z].all()
        assert cost[np.arange(5), z].sum() == pytest.approx(min(values))
    assert done >= 5


def test_subsets_of_rows_keep_the_shares():
    found = collected([Share([0, 1, 2, 3], {"a": 0.5}), Balanced()], 6)
    some = found[np.array([3, 0, 5])]
    assert some.sizes.tolist() == [2, 3, 3, 3]
    p = some.project(np.full((3, 3), 1 / 3), np.ones((3, 3), bool))
    assert p[:2, 0].sum() == pytest.approx(1, abs=0.01)
    np.testing.assert_allclose(p.sum(axis=0), 1, atol=0.01)


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ([Share([0, 1], {"a": 0.9, "b": 0.9})], r"contradict each other.*Share\(2 rows"),
        ([AtLeast([0, 1], "a", 2)], r"2 rows, of which 1 can have the label"),
        ([Share([1, 2], {"b": (0, 0.2)})], r"must"),
        ([Share([0, 1], {"d": 0.5})], r"name the classes 'd', which are not among 'a', 'b', 'c'"),
        ([Share([0, 9], {"a": 0.5})], r"row numbers from 0 to 3"),
        ([Share([0, 1], {"a": 1.5})], r"a number in \[0, 1\]"),
        ([AtLeast([0, 1], "a", 3)], r"count must be between 1 and the 2 rows"),
        (["half"], r"constraints must be Share, AtLeast"),
    ],
)
def test_contradictory_and_wrong_constraints_raise(constraints, message):
    y = [None, {"b", "c"}, "b", None]
    model = PartialClassifier(classes=CLASSES, principle=Disambiguation(constraints=constraints), weights=RIDGE)
    with pytest.raises(ValueError, match=f"(?s){message}"):
        model.fit(np.arange(4.0)[:, None], y)


def test_constraints_are_for_labels_in_memory():
    X = np.arange(4.0)[:, None]
    how = Disambiguation(constraints=[Balanced()])
    with pytest.raises(ValueError, match="Constraints on groups of rows are for labels, not for Reals"):
        PartialRegressor(principle=how).fit(X, [1.0, 2.0, 3.0, 4.0])
    chunks = Chunks([(X, ["a", "b", "a", "b"])])
    with pytest.raises(ValueError, match="need all rows at once"):
        PartialClassifier(principle=how, negative_weights="inside", weights=LinearRidge()).fit(chunks)


def test_constraints_do_not_combine_with_noise():
    how = Disambiguation(constraints=[Balanced()], noise="estimate")
    with pytest.raises(ValueError, match="not supported together with noise"):
        PartialClassifier(principle=how, weights=RIDGE).fit(np.arange(4.0)[:, None], ["a", "b", "a", None])


def wine(seed=0):
    """Wine in 20 groups with different shares, none of which contains one class only; no row has a label."""
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    fit, new = order[:120], order[120:]
    lean = rng.dirichlet(np.full(3, 2.0), 20)
    groups = np.array([rng.choice(20, p=lean[:, k] / lean[:, k].sum()) for k in y[fit]])
    shares = {g: {k: float(np.mean(y[fit][groups == g] == k)) for k in range(3)} for g in np.unique(groups).tolist()}
    return X[fit], y[fit], X[new], y[new], Share.of_groups(groups, shares)


def test_shares_of_groups_teach_a_classifier_without_labelled_rows():
    X, y, X_new, y_new, constraints = wine()
    how = Disambiguation(threshold=None, constraints=constraints)
    model = PartialClassifier(classes=range(3), principle=how, weights=RIDGE).fit(X, [None] * len(X))
    supervised = PartialClassifier(weights=RIDGE).fit(X, y)  # the same base learner
    assert np.mean(model.predict(X_new) == y_new) > np.mean(supervised.predict(X_new) == y_new) - 0.03
    q = model.disambiguation_.q[:, 0]
    for one in constraints:
        for label, share in one.shares.items():
            assert q[one.rows, label].mean() == pytest.approx(share, abs=0.01)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X_new), model.predict(X_new))


def test_hyperparameters_are_selected_by_the_constraints():
    """The default search and PartialSearch compare models by held-out predictions and the shares."""
    X, _, X_new, y_new, constraints = wine(1)
    how = Disambiguation(constraints=constraints)
    unlabelled = [None] * len(X)
    model = PartialClassifier(classes=range(3), principle=how, weights="kernel").fit(X, unlabelled)
    assert model.selection_.best_params["principle"] == f"disambiguation with {len(constraints)} constraints"
    assert np.mean(model.predict(X_new) == y_new) > 0.85
    grid = {"kernels": ["rbf"], "gammas": [0.1, 10.0], "lams": [1e-3], "scalings": ["standard"]}
    search = PartialSearch(PartialClassifier(classes=range(3), principle=how), **grid).fit(X, unlabelled)
    narrow, wide = search.cv_results_["mean_test_log_likelihood"][[1, 0]]
    assert wide > narrow
    cleaned = clean_labels(X, unlabelled, RIDGE, Labels(classes=range(3)), how)
    assert cleaned.confidence.mean() > 0.8


def test_hard_disambiguation_satisfies_constraints_exactly(rng):
    X, y, _, _, constraints = wine(2)
    how = Disambiguation("hard", threshold=None, constraints=constraints)
    model = PartialClassifier(classes=range(3), principle=how, weights=RIDGE).fit(X, [None] * len(X))
    for one in constraints:
        for label, share in one.shares.items():
            assert np.sum(model.labels_[one.rows] == label) == pytest.approx(share * len(one.rows))
    assert np.mean(model.labels_ == y) > 0.8
    space = Labels(classes=range(3)).fit([])
    sets = space.constrain(space.read([None] * len(X)), constraints)
    start = rng.random((len(X), 3))
    found = hard(space, sets, np.asarray(RIDGE.fit(X)(X)), start)
    assert (np.diff(found.objective) <= 1e-9).all()


def test_bags_with_one_positive_row():
    """Multiple-instance learning: each bag is negative, or contains at least one positive row."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    positive = np.zeros(120, bool)
    bags = np.arange(120).reshape(30, 4)
    positive[bags[::2, 0]] = True
    X[positive] += 4
    y = [None if k in bags[::2] else "no" for k in range(120)]
    how = Disambiguation(constraints=[AtLeast(bag, "yes") for bag in bags[::2]])
    model = PartialClassifier(classes=["no", "yes"], principle=how, weights=RIDGE).fit(X, y)
    assert np.mean((model.labels_ == "yes") == positive) > 0.95


def test_a_constraint_of_your_own():
    class First(Constraint):
        def bounds(self, n, classes):
            return [Bound([0], classes[0], 1.0, 1.0)]

    model = PartialClassifier(classes=["a", "b"], principle=Disambiguation(constraints=[First()]), weights=RIDGE)
    assert model.fit([[0.0], [1.0], [2.0]], [None, "b", "b"]).labels_[0] == "a"


def test_everything_that_users_do_with_shares_of_groups():
    """No row has a label: save, explain, report, prediction sets and questions of the fitted model."""
    X, true = load_iris(return_X_y=True)
    groups = (true + np.random.default_rng(0).integers(0, 2, len(true))) % 3
    shares = {g: {k: float(np.mean(true[groups == g] == k)) for k in range(3)} for g in range(3)}
    how = Disambiguation(constraints=Share.of_groups(groups, shares))
    model = PartialClassifier(classes=[0, 1, 2], principle=how, weights="kernel").fit(X, [None] * 150)
    assert model.score(X, true) > 0.9
    for copy in (pickle.loads(pickle.dumps(model)), skops.io.loads(skops.io.dumps(model), trusted=TRUSTED_TYPES)):
        np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    assert model.explain(X[0]).margin > 0
    assert "No row has a label" in build(model, X).facts.summary[1]
    sets = Conformal(model, 0.8, prefit=True).conformalize(X[::2], true[::2]).predict_set(X[1::2])
    assert np.mean(sets.contains(true[1::2])) > 0.7
    question = QuestionSelector(random_state=0).query(X, [None] * 150, model)[0]
    assert question.apply_answer([None] * 150, question.true_answer(true[question.row])).is_exact[question.row]
    with pytest.raises(InputError, match="Constraints are about the rows of one fit"):
        Conformal(model, 0.8).fit(X, [None] * 150)


@pytest.mark.parametrize(
    ("constraints", "text"),
    [
        (Share([0], {0: 0.5}), "must be a list"),
        ([Share(np.zeros(4, dtype=bool), {0: 0.5})], "has no rows"),
        ([Balanced(slack=-1)], "slack must be a number"),
        ([Share([7], {0: 0.5})], "row numbers from 0 to 3"),
    ],
)
def test_wrong_constraints(constraints, text):
    model = PartialClassifier(classes=[0, 1], principle=Disambiguation(constraints=constraints), weights="kernel")
    with pytest.raises(ValueError, match=text):
        model.fit(np.arange(4.0)[:, None], [None] * 4)


def test_shares_in_a_dataframe_are_those_of_a_mapping():
    table = pd.DataFrame({"yes": [0.5, 1.0], "no": [0.5, np.nan]}, index=["b", "a"])
    found = Share.of_groups(["a", "b", "b"], table)
    known = [(one.rows.tolist(), dict(one.shares)) for one in found]
    assert known == [([1, 2], {"yes": 0.5, "no": 0.5}), ([0], {"yes": 1.0})]


def test_shares_of_groups_without_rows():
    with pytest.raises(InputError, match="groups without rows: 'c'"):
        Share.of_groups(["a", "b"], {"a": {}, "b": {}, "c": {}})
