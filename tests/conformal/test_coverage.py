"""Coverage, for every structure and score. One run each: n calibration rows and q new ones.

Given calibration rows, the number of covered new rows is Beta-binomial or more; where scores have no ties, it is that.
A test fails by chance with probability at most ERROR, and there are fewer than a hundred of them. At these sizes a
coverage below .845 fails with probability above .9.
"""

from functools import cache

import numpy as np
import pytest
from scipy.stats import betabinom, binom

from infimum import CandidateLabels, PartialClassifier, PartialRanker, PartialRegressor
from infimum.conformal import Conformal
from small_search import SMALL_SEARCH

from .problems import CASES, NAMES, PROBLEMS, RIDGE, draw_labels, inputs, labels, named

pytestmark = pytest.mark.filterwarnings("ignore:.* of the prediction sets contain all outputs")
ERROR = 1e-6
LEVEL = 0.9
N, Q = 1500, 4000


@cache
def drawn(name):
    rng = np.random.default_rng(1)
    problem = PROBLEMS[name]
    X, sets, _ = problem.draw(rng, 150)
    return problem.model.fit(X, sets), problem.draw(rng, N), problem.draw(rng, Q)


@cache
def calibrated(name, score, covers):
    """Return the calibrated model, and its coverage of the sets of new rows."""
    model, (X, sets, _), (new, new_sets, _) = drawn(name)
    made = Conformal(model, LEVEL, covers, score, prefit=True).conformalize(X, sets)
    return made, made.check(new, new_sets)


@pytest.mark.parametrize("case", CASES, ids=named)
def test_covers_truth(case):
    name, score = case
    _, _, (new, _, truth) = drawn(name)
    made, wide = calibrated(name, score, "truth")
    found = made.check(new, truth)
    assert found.p_value > ERROR
    assert found.meets == found.holds  # exact rows
    assert wide.holds <= found.meets <= wide.meets
    assert "contains the true value" in made.guarantee_


@pytest.mark.parametrize("case", CASES, ids=named)
def test_covers_set(case):
    """Checked without any truth; the sets are no larger than those that cover the truth."""
    made, found = calibrated(*case, "set")
    assert found.p_value > ERROR
    assert found.size <= calibrated(*case, "truth")[1].size + 1e-12
    assert "shares a member with the set" in made.guarantee_


@pytest.mark.parametrize("case", [(n, s) for n, p in PROBLEMS.items() for s in p.continuous], ids=named)
def test_coverage_of_exact_rows_equals_the_level(case):
    """With exact rows and scores without ties, the coverage is that of the Beta-binomial, from both sides."""
    name, score = case
    model, (X, _, truth), (new, _, new_truth) = drawn(name)
    made = Conformal(model, LEVEL, "truth", score, prefit=True).conformalize(X, truth)
    n = made.n_calibration_
    assert n == (N - N // 2 if made.score_.learns else N)  # a score that learns takes half of the rows
    rank = np.ceil((n + 1) * LEVEL)
    hits = round(made.check(new, new_truth).meets * Q)
    assert ERROR < betabinom.cdf(hits, Q, rank, n + 1 - rank) < 1 - ERROR


def test_check_detects_a_shift():
    """New rows of another distribution have a tiny p-value, without true values."""
    model, (X, sets, _), (new, new_sets, _) = drawn("numbers")
    made = Conformal(model, LEVEL, "set", "distance", prefit=True).conformalize(X, sets)
    assert made.check(new[:, ::-1], new_sets).p_value < 1e-12


def test_real_candidates_are_met(data_home):
    """Lost, one split: sets of names from captions."""
    from infimum import datasets

    data = datasets.load("partial-labels/lost", data_home=data_home, download=False)
    order = np.random.default_rng(0).permutation(len(data.data))
    fit, held, new = np.split(order, [500, 800])
    X = (data.data - data.data.mean(axis=0)) / data.data.std(axis=0)
    model = PartialClassifier(
        principle="average",
        negative_weights="inside",
        weights=RIDGE,
        classes=list(range(16)),
        probabilities="temperature",
    ).set_params(weights__gamma=1 / 108)
    model.fit(X[fit], data.candidates[fit])
    for covers in ("truth", "set"):
        made = Conformal(model, 0.9, covers, "lac", prefit=True).conformalize(X[held], data.candidates[held])
        goal = data.target if covers == "truth" else data.candidates
        assert made.check(X[new], goal[new]).p_value > ERROR


def test_groups_by_class_cover_every_class():
    """groups="class": in each class with enough exact rows, of the rows that have it."""
    model, (X, sets, _), (new, _, truth) = drawn("labels")
    made = Conformal(model, 0.8, score="lac", prefit=True, groups="class").conformalize(X, sets)
    found = made.predict_set(new)
    assert found.sizes.mean() < 4
    for y in range(4):
        rows = np.flatnonzero(truth.mask[:, y])
        exact = (sets.sizes == 1) & sets.mask[:, y]
        rank = np.ceil((exact.sum() + 1) * 0.8)
        assert betabinom.cdf(found.mask[rows, y].sum(), len(rows), rank, exact.sum() + 1 - rank) > ERROR


def test_groups_cover_every_group():
    """A rare and hard group is covered by its own radius, and is not without it."""
    rng = np.random.default_rng(2)

    def draw(n):
        X = inputs(rng, n)
        hard = X[:, 1] > 0.8
        return X, X[:, 0] + np.where(hard, 1.0, 0.05) * rng.standard_normal(n), hard

    from infimum import PartialRegressor

    X, y, _ = draw(100)
    model = PartialRegressor(search_config=SMALL_SEARCH).fit(X, y)
    (X, y, hard), (new, truth, new_hard) = draw(3000), draw(3000)
    by_group = Conformal(model, 0.9, prefit=True, groups=lambda X: X[:, 1] > 0.8).conformalize(X, y)
    plain = Conformal(model, 0.9, prefit=True).conformalize(X, y)
    for group in (hard, ~hard):
        inside = new_hard == (group is hard)
        n = group.sum()
        rank = np.ceil((n + 1) * 0.9)
        found = by_group.predict_set(new)[inside].contains(truth[inside])
        assert betabinom.cdf(found.sum(), len(found), rank, n + 1 - rank) > ERROR
    assert plain.predict_set(new)[new_hard].contains(truth[new_hard]).mean() < 0.6
    unseen = Conformal(model, 0.9, prefit=True, groups=lambda X: np.ones(len(X))).conformalize(X, y)
    unseen.groups_ = np.zeros(len(X))
    assert unseen.predict_set(new[:2]).is_unlabelled.all()


def blurred(rng, truth, share, always=None):
    mask = np.eye(4, dtype=bool)[truth] | (rng.random((len(truth), 4)) < share)
    if always is not None:
        mask[np.arange(len(truth)), always] = True
    return CandidateLabels(mask, NAMES)


def test_ambiguity_covers_with_smaller_sets():
    """P(z in S | y) = .2: sets are larger than those that meet S and far smaller than the largest score gives."""
    model, (X, sets, _), (new, _, truth) = drawn("labels")
    made = Conformal(model, LEVEL, score="lac", prefit=True, ambiguity=0.2).conformalize(X, sets)
    found = made.predict_set(new)
    # calibration rows move the coverage by about .01, one standard deviation
    assert binom.cdf(truth.mask[found.mask].sum(), Q, LEVEL - 0.04) > ERROR
    sizes = {
        covers: Conformal(model, LEVEL, covers, "lac", prefit=True).conformalize(X, sets).check(new, truth).size
        for covers in ("truth", "set")
    }
    assert sizes["set"] < found.sizes.mean() < 0.6 * sizes["truth"]
    assert "probability at most 0.2" in made.guarantee_
    few = Conformal(model, 0.999, score="lac", prefit=True, ambiguity=0.2).conformalize(X[:50], sets[:50])
    assert (few.predict_set(new[:3]).sizes == 4).all()  # too few rows to guarantee less than everything


def test_guarantees_fail_with_their_assumptions():
    """A wrong bound on ambiguity, and exact rows that are the easy ones: the truth is covered less than asked."""
    rng = np.random.default_rng(3)
    model, _, (new, _, truth) = drawn("labels")
    X, y = labels(rng, N)
    P = model.predict_proba(X)
    rival = np.argsort(np.where(np.eye(4, dtype=bool)[y], -1, P), axis=1)[:, -1]  # the most probable wrong class
    wrong = Conformal(model, LEVEL, score="lac", prefit=True, ambiguity=0.05).conformalize(X, blurred(rng, y, 0, rival))
    assert truth.mask[wrong.predict_set(new).mask].sum() / Q < 0.8
    easy = P[np.arange(N), y] > 0.8
    sets = CandidateLabels(np.eye(4, dtype=bool)[y] | ~easy[:, None], NAMES)
    chosen = Conformal(model, LEVEL, score="lac", prefit=True, exact_only=True).conformalize(X, sets)
    assert chosen.check(new, truth).p_value < ERROR
    at_random = CandidateLabels(np.eye(4, dtype=bool)[y] | (rng.random(N) < 0.7)[:, None], NAMES)
    right = Conformal(model, LEVEL, score="lac", prefit=True, exact_only=True).conformalize(X, at_random)
    assert right.n_calibration_ < N / 2
    assert right.check(new, truth).p_value > ERROR
    assert "chosen at random" in right.guarantee_
    # the smallest score guarantees nothing about the true value
    met = Conformal(model, LEVEL, "set", "lac", prefit=True).conformalize(X, blurred(rng, y, 0, rival))
    assert truth.mask[met.predict_set(new).mask].sum() / Q < 0.8


LINEAR = {
    "labels": PartialClassifier(principle="average", negative_weights="inside", weights=RIDGE),
    "numbers": PartialRegressor(principle="infimum", negative_weights="inside", weights=RIDGE),
    "rankings": PartialRanker(principle="average", negative_weights="inside", weights=RIDGE),
}
"""Models that are fitted quickly, with scores that CV+ uses."""


@pytest.mark.parametrize("name", ["labels", "numbers", "rankings"])
def test_cv_covers(name):
    """Draws of 60 rows and 60 new ones at .8: at least .6 is guaranteed, about .8 is usual.

    Coverages of single draws have a standard deviation of about .07: their mean is below .7 by chance with a
    probability of less than 1e-4 over 8 draws; below .6 it would violate the guarantee.
    """
    rng = np.random.default_rng(4)
    problem = PROBLEMS[name]
    score = {"labels": "regret", "numbers": "distance", "rankings": "pairs"}[name]
    covered, met = [], []
    for _ in range(8):
        X, sets, _ = problem.draw(rng, 60)
        new, new_sets, truth = problem.draw(rng, 60)
        model = LINEAR[name]
        made = Conformal(model, 0.8, "truth", score, "cv+", random_state=0).fit(X, sets)
        covered.append(made.check(new, truth).meets)
        made = Conformal(model, 0.8, "set", score, "cv+", random_state=0).fit(X, sets)
        met.append(made.check(new, new_sets).meets)
    assert np.mean(covered) > 0.7
    assert np.mean(met) > 0.7
    assert "at least 0.6" in made.guarantee_


def test_draws_contain_the_true_values():
    for problem in PROBLEMS.values():
        _, sets, truth = problem.draw(np.random.default_rng(0), 200)
        assert sets.contains_set(truth).all()
    assert draw_labels(np.random.default_rng(0), 5)[1].sizes.min() >= 1


def test_sets_that_miss_the_truth():
    """Sets miss in 8 % of the rows: level + noise covers the truth, whatever the sets are that miss."""
    rng = np.random.default_rng(3)
    problem = PROBLEMS["labels"]
    X, sets, truth = problem.draw(rng, N)
    new, _, new_truth = problem.draw(rng, Q)
    model = problem.model.fit(*problem.draw(rng, 150)[:2])
    mask, miss = sets.mask.copy(), rng.random(N) < 0.08
    true = truth.mask.argmax(axis=1)
    best = np.asarray(model.predict_proba(X)).argsort(axis=1)[:, ::-1]
    for row in np.flatnonzero(miss):  # the worst case: the most probable wrong class alone, which has a small score
        mask[row] = np.arange(mask.shape[1]) == next(k for k in best[row] if k != true[row])
    fallible = CandidateLabels(mask, sets.classes)
    made = Conformal(model, LEVEL, noise=0.08, prefit=True).conformalize(X, fallible)
    assert made.check(new, new_truth).meets >= LEVEL - 5 * np.sqrt(LEVEL * (1 - LEVEL) * (1 / N + 1 / Q))
    assert "misses the true value with probability at most 0.08" in made.guarantee_.replace("\n", " ")
    with pytest.raises(ValueError, match=r"confidence_level \+ noise must be below 1"):
        Conformal(model, 0.95, noise=0.08, prefit=True).conformalize(X, fallible)
    with pytest.raises(ValueError, match=r"noise requires covers='truth'"):
        Conformal(model, covers="set", noise=0.08, prefit=True).conformalize(X, fallible)
