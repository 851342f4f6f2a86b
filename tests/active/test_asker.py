"""Query strategies, the incremental learner, batches, and the simulation."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from infimum import PartialClassifier, PartialRegressor, Taxonomy
from infimum.active import STRATEGIES, Belief, FullLabel, Is, OneOf, Price, QuestionSelector, Which, from_dict, simulate
from infimum.active.learner import Learner, Setting
from infimum.active.ridge import IncrementalRidge, Lookahead
from infimum.conformal import Conformal
from infimum.outputs import Labels, Masks, Rankings, Reals, Sets, Tags, Vectors
from infimum.weights import KernelRidge, Scaled
from paths.circle import Angles, Arcs


@pytest.fixture(scope="module")
def blobs():
    """60 rows around three centers, and their labels."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 20)
    X = np.array([[0, 0], [4, 0], [0, 4]])[truth] + rng.normal(size=(60, 2))
    return X, truth


def spaces(n):
    """A space of each output type with questions of its own, and true outputs."""
    rng = np.random.default_rng(1)
    return [
        (Labels(classes=list("abcd")).fit([]), rng.integers(4, size=n)),
        (Tags(tags=list("abc")).fit([]), rng.choice([-1, 1], (n, 3))),
        (Rankings(items=list("abcd")).fit(None), np.array([rng.permutation(4) for _ in range(n)])),
        (Reals(bounds=(0, 10)).fit([]), rng.uniform(0, 10, n)),
    ]


def test_incremental_ridge_equals_refits(blobs):
    """Rows added in steps give the same as all at once; C is the inverse of K + ridge."""
    X, _ = blobs
    rows = np.array([3, 50, 21, 40, 7, 59])
    reference = np.arange(0, 60, 2)
    once, steps = (IncrementalRidge(X, 0.3, 0.05, reference) for _ in range(2))
    once.add(rows)
    for part in np.split(rows, 3):
        steps.add(part)
    K = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=-1))
    inverse = np.linalg.inv(K[np.ix_(rows, rows)] + 0.05 * np.eye(6))
    left = K - K[:, rows] @ inverse @ K[rows]
    for one in (once, steps):
        np.testing.assert_allclose(one.C, inverse, atol=1e-8)
        np.testing.assert_allclose(one.variance, np.diagonal(left), atol=1e-7)
        np.testing.assert_allclose(one.covariance, left[:, reference], atol=1e-7)
    D = np.random.default_rng(0).normal(size=(6, 2))
    refitted = []
    for i in range(6):
        rest = np.delete(rows, i)
        A = np.linalg.inv(K[np.ix_(rest, rest)] + 0.05 * np.eye(5))
        refitted.append(K[rows[i], rest] @ A @ np.delete(D, i, axis=0))
    np.testing.assert_allclose(once.leave_one_out(D), refitted, atol=1e-8)
    # the influence of a row is the squared change of predictions per change of its target, times its variance
    step = np.zeros((6, 1))
    step[2] = 1
    expected = np.square(once.predict(step)[reference]).mean() * (once.variance[rows[2]] + 0.05)
    np.testing.assert_allclose(once.labelled_influence(np.ones(len(once.rows), dtype=bool))[2], expected, atol=1e-10)
    fresh = IncrementalRidge(X, 0.3, 0.05, reference)
    fresh.add(np.append(rows, 30))
    last = np.zeros((7, 1))
    last[6] = 1
    expected = np.square(fresh.predict(last)[reference]).mean() * (once.variance[30] + 0.05)
    np.testing.assert_allclose(Lookahead(once, np.ones(30)).influence[30], expected, rtol=1e-6)


def test_lookahead_equals_adding_rows(blobs):
    """Rows that count as labelled leave the same variance and influence as rows that are added."""
    X, _ = blobs
    reference, weights = np.arange(0, 60, 3), np.random.default_rng(0).random(20)
    ridge = IncrementalRidge(X, 0.3, 0.05, reference)
    ridge.add(np.array([3, 50, 21]))
    ahead, before = Lookahead(ridge, weights), ridge.covariance.copy()
    more = [4, 22, 5, 40]  # two of them near one another
    for row in more:
        ahead.add(row)
    np.testing.assert_array_equal(ridge.covariance, before)
    ridge.add(np.array(more))
    np.testing.assert_allclose(ahead.variance, ridge.variance, atol=1e-8)
    np.testing.assert_allclose(ahead.influence, Lookahead(ridge, weights).influence, atol=1e-7)


def test_log_likelihoods_under_all_calibrations():
    """P(S' | S) = Σ_{S'} P / Σ_S P, with P from `posterior_mean`."""
    model = Labels(classes=list("abcd")).fit([]).questions()
    rng = np.random.default_rng(0)
    F = rng.normal(0.2, 0.3, (7, 4))
    before = rng.random((7, 4)) < 0.7
    before[:, 2] = True
    after = before & (rng.random((7, 4)) < 0.5)
    after[:, 2] = True
    for old in (before, np.ones_like(after)):
        P = [model.posterior_mean(old, F, None, calibration) for calibration in model.calibrations]
        expected = [np.log((p * after).sum(axis=1)).sum() for p in P]
        np.testing.assert_allclose(model.log_likelihoods(old, after, F), expected)


def test_evidence_is_a_gaussian_log_density(blobs):
    """The log density of the centred targets under N(0, c (K + ridge)), at the best c, up to a constant."""
    X, truth = blobs
    space = Labels(classes=[0, 1, 2]).fit([])
    learner = Learner(X, space.questions())
    rows = np.arange(0, 60, 4)
    E = np.eye(3, dtype=bool)[truth[rows]]
    A = np.exp(-0.2 * ((X[rows][:, None] - X[rows]) ** 2).sum(axis=-1)) + 0.1 * np.eye(15)
    D = E - E.mean(axis=0)
    c = np.geomspace(1e-3, 1e2, 4001)
    square, _, volume = (D * np.linalg.solve(A, D)).mean(), *np.linalg.slogdet(A)
    density = -np.log(2 * np.pi * c) / 2 - volume / 30 - square / (2 * c)  # a number of D
    found = learner._evidence(*np.linalg.eigh(A), E)
    assert found == pytest.approx(density.max() + (1 + np.log(2 * np.pi)) / 2, abs=1e-5)


def test_information_completes_a_started_label_first(blobs):
    X, _ = blobs
    space = Labels(classes=list("abcdef")).fit([])
    y = OneOf(17, list("abc"), space).apply_answer([None] * 60, True)
    found, utilities = QuestionSelector(random_state=0).query(X, y, n=3, output=space, return_utilities=True)
    assert found[0].row == 17 == np.nanargmax(utilities)
    assert len({question.row for question in found}) == 3


@pytest.mark.parametrize("number", range(4))
def test_learner_does_not_depend_on_the_order_of_answers(number):
    """Answers one by one, taken back and given again, give the same predictions as all at once."""
    n = 30
    space, truth = spaces(n)[number]
    model = space.questions()
    X = np.random.default_rng(2).normal(size=(n, 3))
    steps = Learner(X, model, Setting("none", 1.0, 0.1))
    sets = space.read([None] * n)
    steps.update(sets)
    for row in range(12):
        sets = FullLabel(row, space).apply_answer(sets, FullLabel(row, space).true_answer(truth[row]))
        steps.update(sets)
    less = sets.replace_rows([11], space.read([None]))
    steps.update(less)
    belief = steps.update(sets)
    once = Learner(X, model, Setting("none", 1.0, 0.1)).update(sets)
    np.testing.assert_allclose(belief.F, once.F, atol=1e-6)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("number", range(4))
def test_every_strategy_asks_about_every_output_type(strategy, number):
    n = 40
    space, truth = spaces(n)[number]
    if strategy == "conformal" and number:
        with pytest.raises(ValueError, match="'conformal' is for labels"):
            QuestionSelector(strategy).query(np.zeros((n, 2)), [None] * n, output=space)
        return
    X = np.random.default_rng(0).normal(size=(n, 3))
    asker = QuestionSelector(strategy, random_state=0)
    sets = space.read([None] * n)
    for _ in range(6):
        found, utilities = asker.query(X, sets, n=5, output=space, candidates=range(30), return_utilities=True)
        assert len({question.row for question in found}) == 5
        assert all(question.row < 30 for question in found)
        assert np.isnan(utilities[30:]).all()
        assert utilities.shape == (n,)
        for question in found:
            assert question.cost > 0
            before = sets[[question.row]]
            sets = question.apply_answer(sets, question.true_answer(truth[question.row]))
            now = space.questions().encode(sets[[question.row]])
            assert (space.questions().encode(before) != now).any()  # no question whose answer is known
            assert sets[[question.row]].contains(np.asarray(truth[question.row])[None])[0]


def test_query_returns_nothing_if_all_rows_are_exact(blobs):
    X, truth = blobs
    names = np.array(["a", "b", "c"])[truth]
    assert QuestionSelector().query(X, names, n=5) == []
    y = [None, *names[1:]]
    found = QuestionSelector().query(X, y, batch_size=5)
    assert [question.row for question in found] == [0]


def test_batches_contain_different_groups():
    """A batch asks about one row of each tight group."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(6), 10)
    X = rng.normal(size=(6, 4))[group] * 3 + 1e-3 * rng.normal(size=(60, 4))
    space = Labels(classes=["a", "b"]).fit([])
    for strategy in ("information", "median", "uncertain"):
        found = QuestionSelector(strategy, random_state=0).query(X, [None] * 60, n=6, output=space)
        assert {int(group[question.row]) for question in found} == set(range(6))


def test_best_questions_of_labels_are_cheapest_until_the_label_is_known():
    model = Labels(classes=list("abcdefgh")).fit([]).questions()
    E, even = np.ones((1, 8), dtype=bool), np.full((1, 8), 1 / 8)

    def best(model, kinds, q, price="bits"):
        belief = Belief(E[:, : q.shape[1]], q, q, None)
        return model.best_questions([5], kinds, belief, Price(price))[0]

    sure = np.full((1, 8), 0.1 / 7)
    sure[0, 3] = 0.9
    assert repr(best(model, model.kinds, sure)) == "Is(row=5, 'd')"
    assert repr(best(model, model.kinds, sure, "seconds")) == "Is(row=5, 'd')"
    half = best(model, ["Is", "OneOf"], even)
    assert (type(half).__name__, len(half.about), half.cost) == ("OneOf", 4, 1.0)
    quick = {"Is": 3, "OneOf": 3, "Which": 5, "FullLabel": 4}  # seconds
    assert isinstance(best(model, model.kinds, even, quick), FullLabel)
    two = np.array([[0.5, 0.5, 0, 0, 0, 0, 0, 0]])
    assert best(model, ["Which"], two, "shown").about == ["a", "b"]
    tree = Labels(Taxonomy({"pet": ["cat", "dog"], "wild": ["owl", "fox"]})).fit([])
    node = best(tree.questions(), ["Is", "OneOf"], even[:, :4] * 2)
    assert node.about in ("pet", "wild")  # a node is easier to read than its members
    assert isinstance(node, Is)


def test_questions_name_few_classes():
    """With 40 classes, yes-or-no questions have at most four names and lists nine, for every strategy."""
    rng = np.random.default_rng(0)
    truth = rng.integers(40, size=200)
    X = rng.normal(size=(40, 3))[truth] + 0.3 * rng.normal(size=(200, 3))
    space = Labels(classes=[f"category {k}" for k in range(40)]).fit([])
    y = [f"category {t}" if k < 60 else None for k, t in enumerate(truth)]
    for strategy in STRATEGIES:
        for cost in ("seconds", "bits"):
            for question in QuestionSelector(strategy, cost=cost, random_state=0).query(X, y, n=30, output=space):
                if not isinstance(question, FullLabel):
                    names = question.about if isinstance(question.about, list) else [question.about]
                    assert len(names) <= (9 if isinstance(question, Which) else 4), question


@pytest.mark.parametrize("change", [lambda X: X[::-1].copy(), lambda X: X + 1e-9, lambda X: -X])
def test_asker_notices_that_X_changed(change):
    """A learner is kept only for the same rows in the same order."""
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = list("abc") * 3 + [None] * 21
    asker = QuestionSelector(random_state=0)
    asker.query(X, y, n=2)
    kept = asker.learner_
    asker.query(X.copy(), y, n=2)
    assert asker.learner_ is kept
    other = change(X)
    found = [question.row for question in asker.query(other, y, n=2)]
    assert asker.learner_ is not kept
    assert found == [question.row for question in QuestionSelector(random_state=0).query(other, y, n=2)]


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "conformal"])
def test_every_strategy_asks_for_full_labels_of_any_output_type(strategy):
    X = np.random.default_rng(0).normal(size=(12, 2))
    asker, space = QuestionSelector(strategy, random_state=0), Angles()
    y = space.read([0.1, *[None] * 11])
    for step in range(4):
        found = asker.query(X, y, n=3, output=space)
        assert len(found) == min(3, 11 - 3 * step)
        for question in found:
            assert from_dict(question.as_dict(), space) == question == FullLabel(question.row, space)
            y = question.apply_answer(y, question.true_answer(0.5))
    assert asker.query(X, y, output=space) == []
    assert y.middle.tolist() == [0.1, *[0.5] * 11]


class Unordered(Arcs):
    """Arcs without the methods that tell whether a row is exact or join rows."""

    start, join = Sets.start, Sets.join

    def __getitem__(self, rows):
        return Unordered(self.middle[rows], self.width[rows])


def test_output_types_without_a_method_raise_its_name():
    X = np.zeros((3, 1))
    sets = Unordered(np.zeros(3), np.ones(3))
    with pytest.raises(ValueError, match=r"Unordered does not define .* Add .*start\(\) or the property is_exact"):
        QuestionSelector().query(X, sets, output=Angles())
    with pytest.raises(ValueError, match=r"Unordered cannot be joined .* Define join\(other\)"):
        FullLabel(0, Angles()).apply_answer(sets, 0.5)
    with pytest.raises(ValueError, match=r"Angles cannot be predicted .* Add a method questions"):
        simulate(X, [0.0, 1.0, 2.0], output=Angles())
    with pytest.raises(ValueError, match="is for labels"):
        QuestionSelector("conformal").query(X, [None] * 3, output=Angles())


@pytest.mark.parametrize(
    "space, y, z",
    [
        (Masks((2, 2)), np.zeros((8, 2, 2)), np.array([1, -1, 1, 1])),
        (Vectors(), [[0.0, 3.0], [3.0, 0.0], *[None] * 6], np.array([1.0, 2.0])),
    ],
)
def test_masks_and_vectors_are_asked_for_full_labels(space, y, z):
    X = np.random.default_rng(0).normal(size=(8, 2))
    space = space.fit(space.from_cells(y))
    sets = space.read(space.from_cells(y))
    question = QuestionSelector(random_state=0).query(X, sets, output=space)[0]
    assert isinstance(question, FullLabel)
    answered = question.apply_answer(sets, question.true_answer(z))
    assert answered[[question.row]].contains(z[None])[0]
    assert not answered[[question.row]].contains(-z[None])[0]


def test_query_takes_space_and_kernel_of_a_model(blobs):
    X, truth = blobs
    y = [int(t) if k % 10 == 0 else None for k, t in enumerate(truth)]
    model = PartialClassifier(principle="infimum", weights=Scaled(KernelRidge(1e-3, gamma=0.5)), classes=[0, 1, 2, 3])
    asker = QuestionSelector(random_state=0)
    found = asker.query(X, y, model, n=3)
    assert found[0].space.classes_.tolist() == [0, 1, 2, 3]
    assert asker.learner_.setting.scaling == "standard"
    assert asker.learner_.fixed
    regressor = PartialRegressor(principle="infimum", weights="kernel", bounds=(0, 5))
    numbers = QuestionSelector().query(X, [float(t) if k % 10 == 0 else None for k, t in enumerate(truth)], regressor)
    assert type(numbers[0]).__name__ in ("Below", "FullLabel")


def test_conformal_strategy_uses_the_sets_of_a_model(blobs):
    X, truth = blobs
    names = np.array(["a", "b", "c"])[truth]
    base = PartialClassifier()
    model = Conformal(base, confidence_level=0.9).fit(X[::2], names[::2])
    y = [name if k % 2 == 0 else None for k, name in enumerate(names)]
    sets = model.predict_set(X)
    for question in QuestionSelector("conformal").query(X, y, model, n=4, output=Labels(classes=["a", "b", "c"])):
        about = question.about if isinstance(question.about, list) else [question.about]
        inside = [str(name) for name, there in zip("abc", sets.mask[question.row]) if there]
        assert about == inside or not inside or isinstance(question, FullLabel)


def test_simulate_learns_within_its_budget():
    data = load_iris()
    curve = simulate(data.data, data.target, "information", budget=40.0, every=2.0, random_state=1)
    assert curve.cost[-1] <= 40 + 2
    assert sum(q.cost for q in curve.questions) == pytest.approx(curve.cost[-1], abs=2)
    assert curve.score[-1] > 0.9 * curve.full
    assert curve.reaches(0.9) <= 40
    assert curve.reaches(2.0) == np.inf
    again = simulate(data.data, data.target, "information", budget=40.0, every=2.0, random_state=1)
    np.testing.assert_array_equal(curve.score, again.score)
    given = simulate(data.data, data.target, "whole", budget=4.0, full=0.5, random_state=1)
    assert given.full == 0.5
    with pytest.raises(ValueError, match="truth must contain one exact label per row"):
        simulate([[0.0], [1.0]], ["a|b", "b"], "random")


@pytest.mark.slow
def test_information_costs_less_than_full_labels():
    """Digits, two seeds: at most three quarters of the cost of full labels for the least certain rows."""
    data = load_digits()
    X, truth = data.data[:600], data.target[:600]
    costs = {}
    for strategy in ("information", "uncertain"):
        runs = [simulate(X, truth, strategy, 500.0, every=5.0, stop_at=0.92, random_state=s) for s in (0, 1)]
        costs[strategy] = np.mean([min(run.reaches(0.9), 500) for run in runs])
    assert costs["information"] <= 0.75 * costs["uncertain"]
