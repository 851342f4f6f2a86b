"""Strategies, the learner that is updated, batches, and the simulation."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from infimum import PartialClassifier, PartialRegressor, Taxonomy
from infimum.active import STRATEGIES, Asker, Is, OneOf, Price, Whole, simulate, structure_of
from infimum.active.ahead import Ahead
from infimum.active.learner import Growing, Learner, Setting
from infimum.active.numbers import cut_normal
from infimum.active.settling import huffman
from infimum.conformal import Conformal
from infimum.outputs import Labels, Rankings, Reals, Tags
from infimum.weights import KernelRidge, Scaled


@pytest.fixture(scope="module")
def blobs():
    """60 rows around three centers, and their labels."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 20)
    X = np.array([[0, 0], [4, 0], [0, 4]])[truth] + rng.normal(size=(60, 2))
    return X, truth


def spaces(n):
    """A space of every structure, true outputs, and the sets of rows of which some are known."""
    rng = np.random.default_rng(1)
    return [
        (Labels(classes=list("abcd")).fit([]), rng.integers(4, size=n)),
        (Tags(tags=list("abc")).fit([]), rng.choice([-1, 1], (n, 3))),
        (Rankings(items=list("abcd")).fit(None), np.array([rng.permutation(4) for _ in range(n)])),
        (Reals(bounds=(0, 10)).fit([]), rng.uniform(0, 10, n)),
    ]


def test_updates_are_refits(blobs):
    """Rows that are added one by one, or in twos, give what all at once give; the inverse is that of K + ridge."""
    X, _ = blobs
    rows = np.array([3, 50, 21, 40, 7, 59])
    reference = np.arange(0, 60, 2)
    once, steps = (Growing(X, 0.3, 0.05, reference) for _ in range(2))
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
    np.testing.assert_allclose(once.left_out(D), refitted, atol=1e-8)
    # the influence of a row is the squared change of predictions per change of its target
    step = np.zeros((6, 1))
    step[2] = 1
    np.testing.assert_allclose(once.influence()[rows[2]], np.square(once.predict(step)[reference]).mean(), atol=1e-10)
    fresh = Growing(X, 0.3, 0.05, reference)
    fresh.add(np.append(rows, 30))
    last = np.zeros((7, 1))
    last[6] = 1
    np.testing.assert_allclose(once.influence()[30], np.square(fresh.predict(last)[reference]).mean(), rtol=1e-6)


def test_looking_ahead_is_adding(blobs):
    """Rows that are taken for granted leave what they leave once they are added."""
    X, _ = blobs
    reference, weights = np.arange(0, 60, 3), np.random.default_rng(0).random(20)
    ridge = Growing(X, 0.3, 0.05, reference)
    ridge.add(np.array([3, 50, 21]))
    ahead, before = Ahead(ridge, weights), ridge.covariance.copy()
    more = [4, 22, 5, 40]  # two of them near one another
    for row in more:
        ahead.add(row)
    np.testing.assert_array_equal(ridge.covariance, before)
    ridge.add(np.array(more))
    np.testing.assert_allclose(ahead.variance, ridge.variance, atol=1e-8)
    np.testing.assert_allclose(ahead.said, np.square(ridge.covariance) @ weights / 20, atol=1e-8)


def test_chances_under_all_powers_at_once():
    """P(S' | S) = Σ_{S'} P / Σ_S P, with P as `narrow` has it."""
    structure = structure_of(Labels(classes=list("abcd")).fit([]))
    rng = np.random.default_rng(0)
    F = rng.normal(0.2, 0.3, (7, 4))
    before = rng.random((7, 4)) < 0.7
    before[:, 2] = True
    after = before & (rng.random((7, 4)) < 0.5)
    after[:, 2] = True
    one_by_one = [np.log((structure.narrow(before, F, None, p) * after).sum(axis=1)).sum() for p in structure.powers]
    np.testing.assert_allclose(structure.surprises(before, after, F), one_by_one)
    everything = np.ones_like(after)
    alone = [np.log((structure.narrow(everything, F, None, p) * after).sum(axis=1)).mean() for p in structure.powers]
    np.testing.assert_allclose(structure.likelihoods(after, F), alone)
    assert structure.likelihood(after, F, structure.powers[5]) == pytest.approx(alone[5])


def test_a_setting_is_chosen_by_its_evidence(blobs):
    """The log density of the centred targets under N(0, c (K + ridge)), at the best c, up to a constant."""
    X, truth = blobs
    space = Labels(classes=[0, 1, 2]).fit([])
    learner = Learner(X, structure_of(space))
    rows = np.arange(0, 60, 4)
    E = np.eye(3, dtype=bool)[truth[rows]]
    A = np.exp(-0.2 * ((X[rows][:, None] - X[rows]) ** 2).sum(axis=-1)) + 0.1 * np.eye(15)
    D = E - E.mean(axis=0)
    c = np.geomspace(1e-3, 1e2, 4001)
    square, _, volume = (D * np.linalg.solve(A, D)).mean(), *np.linalg.slogdet(A)
    density = -np.log(2 * np.pi * c) / 2 - volume / 30 - square / (2 * c)  # a number of D
    found = learner._evidence(*np.linalg.eigh(A), E)
    assert found == pytest.approx(density.max() + (1 + np.log(2 * np.pi)) / 2, abs=1e-5)


def test_what_was_begun_is_ended_first(blobs):
    """A label that is half settled says little: the next question is about the same row."""
    X, _ = blobs
    space = Labels(classes=list("abcdef")).fit([])
    y = OneOf(17, list("abc"), space).told([None] * 60, True)
    found, utilities = Asker(random_state=0).query(X, y, n=3, output=space, return_utilities=True)
    assert found[0].row == 17 == np.nanargmax(utilities)
    assert len({question.row for question in found}) == 3


@pytest.mark.parametrize("number", range(4))
def test_a_learner_does_not_depend_on_the_way(number):
    """Answers one by one, taken back and given again, end where all at once end."""
    n = 30
    space, truth = spaces(n)[number]
    structure = structure_of(space)
    X = np.random.default_rng(2).normal(size=(n, 3))
    way = Learner(X, structure, Setting("none", 1.0, 0.1))
    sets = space.read([None] * n)
    way.update(sets)
    for row in range(12):
        sets = Whole(row, space).told(sets, Whole(row, space).truth(truth[row]))
        way.update(sets)
    less = sets.replace_rows([11], space.read([None]))
    way.update(less)
    belief = way.update(sets)
    once = Learner(X, structure, Setting("none", 1.0, 0.1)).update(sets)
    np.testing.assert_allclose(belief.F, once.F, atol=1e-6)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("number", range(4))
def test_every_strategy_asks_every_structure(strategy, number):
    n = 40
    space, truth = spaces(n)[number]
    if strategy == "conformal" and number:
        with pytest.raises(ValueError, match="'conformal' is for labels"):
            Asker(strategy).query(np.zeros((n, 2)), [None] * n, output=space)
        return
    X = np.random.default_rng(0).normal(size=(n, 3))
    asker = Asker(strategy, random_state=0)
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
            sets = question.told(sets, question.truth(truth[question.row]))
            now = structure_of(space).encode(sets[[question.row]])
            assert (structure_of(space).encode(before) != now).any()  # no question whose answer is known
            assert sets[[question.row]].contains(np.asarray(truth[question.row])[None])[0]


def test_nothing_is_asked_where_everything_is_known(blobs):
    X, truth = blobs
    names = np.array(["a", "b", "c"])[truth]
    assert Asker().query(X, names, n=5) == []
    y = [None, *names[1:]]
    found = Asker().query(X, y, batch_size=5)
    assert [question.row for question in found] == [0]


def test_batches_are_not_five_times_the_same():
    """Rows in tight groups: a batch takes one of each group, not five of the best."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(6), 10)
    X = rng.normal(size=(6, 4))[group] * 3 + 1e-3 * rng.normal(size=(60, 4))
    space = Labels(classes=["a", "b"]).fit([])
    for strategy in ("information", "median", "uncertain"):
        found = Asker(strategy, random_state=0).query(X, [None] * 60, n=6, output=space)
        assert {int(group[question.row]) for question in found} == set(range(6))


def test_the_cheapest_way_is_chosen():
    assert huffman([0.4, 0.3, 0.2, 0.1])[0] == pytest.approx(1.9)
    space = Labels(classes=list("abcdefgh")).fit([])
    structure = structure_of(space)
    E = np.ones((1, 8), dtype=bool)
    sure = np.full((1, 8), 0.1 / 7)
    sure[0, 3] = 0.9
    ask = dict(spread=None, measure="squares")
    everything = structure.kinds
    assert repr(structure.plan(5, everything, E, sure, price=Price(), **ask)) == "Is(row=5, 'd')"
    even = np.full((1, 8), 1 / 8)
    half = structure.plan(0, ["Is", "OneOf"], E, even, price=Price(), **ask)
    assert (type(half).__name__, len(half.about), half.cost) == ("OneOf", 4, 1.0)
    quick = Price({"Is": 3, "OneOf": 3, "Which": 5, "Whole": 4})  # seconds: one look is enough
    assert isinstance(structure.plan(0, everything, E, even, price=quick, **ask), Whole)
    two = np.array([[0.5, 0.5, 0, 0, 0, 0, 0, 0]])
    assert structure.plan(0, ["Which"], E, two, price=Price("shown"), **ask).about == ["a", "b"]
    # a node of the taxonomy, where it cuts as well
    tree = Labels(Taxonomy({"pet": ["cat", "dog"], "wild": ["owl", "fox"]})).fit([])
    node = structure_of(tree).plan(0, everything, E[:, :4], even[:, :4] * 2, price=Price(), **ask)
    assert node.about in ("pet", "wild")
    assert isinstance(node, Is)


def test_a_model_says_what_is_asked_about(blobs):
    X, truth = blobs
    y = [int(t) if k % 10 == 0 else None for k, t in enumerate(truth)]
    model = PartialClassifier(principle="infimum", weights=Scaled(KernelRidge(1e-3, gamma=0.5)), classes=[0, 1, 2, 3])
    asker = Asker(random_state=0)
    found = asker.query(X, y, model, n=3)
    assert found[0].space.classes_.tolist() == [0, 1, 2, 3]
    assert asker.learner_.setting.scaling == "standard"
    assert asker.learner_.fixed
    regressor = PartialRegressor(principle="infimum", weights="kernel", bounds=(0, 5))
    numbers = Asker().query(X, [float(t) if k % 10 == 0 else None for k, t in enumerate(truth)], regressor)
    assert type(numbers[0]).__name__ in ("Below", "Whole")


def test_conformal_sets_of_a_model_are_the_candidates(blobs):
    X, truth = blobs
    names = np.array(["a", "b", "c"])[truth]
    base = PartialClassifier(principle="disambiguation", weights=KernelRidge(1e-3, gamma=0.5))
    model = Conformal(base, level=0.9).fit(X[::2], names[::2])
    y = [name if k % 2 == 0 else None for k, name in enumerate(names)]
    sets = model.predict_set(X)
    for question in Asker("conformal").query(X, y, model, n=4, output=Labels(classes=["a", "b", "c"])):
        about = question.about if isinstance(question.about, list) else [question.about]
        inside = [str(name) for name, there in zip("abc", sets.mask[question.row]) if there]
        assert about == inside or not inside or isinstance(question, Whole)


def test_truncated_normals():
    """Moments against the numbers of a fine grid, also far in the tails."""
    low, high = np.array([-1.0, 6.0, -np.inf, 2.0, -9.0]), np.array([0.5, 7.0, -5.0, 2.0001, np.inf])
    mean, variance = cut_normal(np.zeros(5), np.full(5, 1.3), low, high)
    for k in range(5):
        t = np.linspace(max(low[k], -14), min(high[k], 14), 400_001)
        log_density = -((t / 1.3) ** 2) / 2
        w = np.exp(log_density - log_density.max())
        expected = (w * t).sum() / w.sum()
        assert mean[k] == pytest.approx(expected, rel=1e-3, abs=1e-6)
        assert variance[k] == pytest.approx((w * (t - expected) ** 2).sum() / w.sum(), rel=2e-2, abs=1e-9)


def test_simulation_learns_and_stays_in_its_budget():
    data = load_iris()
    curve = simulate(data.data, data.target, "information", budget=40.0, every=2.0, random_state=1)
    assert curve.cost[-1] <= 40 + 2
    assert sum(q.cost for q in curve.questions) == pytest.approx(curve.cost[-1], abs=2)
    assert curve.score[-1] > 0.9 * curve.full
    assert curve.reaches(0.9) <= 40
    assert curve.reaches(2.0) == np.inf
    again = simulate(data.data, data.target, "information", budget=40.0, every=2.0, random_state=1)
    np.testing.assert_array_equal(curve.score, again.score)
    told = simulate(data.data, data.target, "whole", budget=4.0, full=0.5, random_state=1)
    assert told.full == 0.5
    with pytest.raises(ValueError, match="exactly known"):
        simulate([[0.0], [1.0]], ["a|b", "b"], "random")


@pytest.mark.slow
def test_partial_questions_cost_less_than_whole_labels():
    """Digits, two seeds: at most three quarters of the cost of the better whole-label strategy (docs: about a half)."""
    data = load_digits()
    X, truth = data.data[:600], data.target[:600]
    costs = {}
    for strategy in ("information", "uncertain"):
        runs = [simulate(X, truth, strategy, 500.0, every=5.0, stop_at=0.92, random_state=s) for s in (0, 1)]
        costs[strategy] = np.mean([min(run.reaches(0.9), 500) for run in runs])
    assert costs["information"] <= 0.75 * costs["uncertain"]
