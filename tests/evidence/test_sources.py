"""Sources of unknown reliability, sets that miss the true label, and soft labels."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_classification

from infimum import Disambiguation, PartialClassifier, PartialSearch, Taxonomy, Votes, clean_labels
from infimum.data import Table
from infimum.disambiguation import posterior_of, soft
from infimum.disambiguation.fallible import Fallible
from infimum.evidence import Prior, SourceModel
from infimum.evidence.calibration import PRIOR_MASS, fit_temperature, with_unit_sum
from infimum.outputs import Labels
from infimum.selection import SearchConfig
from infimum.selection.candidates import NOISY, Candidate
from infimum.selection.kernel_cache import KernelCache
from infimum.weights import Forest, KernelRidge, LinearRidge
from infimum.weights.holdout import folds_of
from small_search import SMALL_SEARCH


def blobs(n=150, m=3, seed=0, spread=0.5):
    random = np.random.default_rng(seed)
    truth = np.arange(n) % m
    angle = 2 * np.pi * truth / m
    return np.column_stack([np.cos(angle), np.sin(angle)]) + spread * random.standard_normal((n, 2)), truth


def crowd(truth, right, per_row=3, seed=0, m=3):
    """Return answers (n, k) of annotators with these accuracies, -1 if there is none."""
    random = np.random.default_rng(seed)
    n, k = len(truth), len(right)
    wrong = (truth[:, None] + random.integers(1, m, (n, k))) % m
    answers = np.where(random.random((n, k)) < right, truth[:, None], wrong)
    asked = random.random((n, k)).argsort(axis=1) < per_row
    return np.where(asked, answers, -1)


def model_of(votes, fixed):
    sets = Labels().fit(votes).read(votes)
    found = sets.answers_of_sources()
    model = SourceModel(found.answers, Prior(), fixed=np.array([*fixed, 0.0]))
    return sets, Fallible(sets, None, model, found.names)


def test_posterior_is_that_over_all_label_vectors():
    votes = Votes([["a", "a|b", "c"], ["!a", None, "b"], ["c", "b", None]])
    guessing, c = (0.2, 0.5, 1.2), 3
    sets, posterior = model_of(votes, guessing)
    F = np.random.default_rng(0).dirichlet(np.ones(c), len(votes))
    found = posterior.update(F[:, None], posterior.prior(), 1.0)[:, 0]
    answers = sets.answers_.mask
    P = (F + PRIOR_MASS / c) / (1 + PRIOR_MASS)
    total = np.zeros((3, c))
    for y in itertools.product(range(c), repeat=3):
        p = np.prod(P[range(3), y])
        for allowed, row, source in zip(answers, sets.row, sets.source):
            g = guessing[source]
            p *= (1 - g) * allowed[y[row]] + g * allowed.sum() / c
        total[range(3), y] += p
    np.testing.assert_allclose(found, total / total.sum(axis=1, keepdims=True), atol=1e-12)


def test_a_perfect_source_excludes_and_a_useless_one_changes_nothing():
    votes = [["a|b", "c"], ["b|c", "a"], ["a", "b"]]
    F = np.random.default_rng(1).dirichlet(np.ones(3), 3)[:, None]
    sets, posterior = model_of(Votes(votes), (0.0, 1.0))
    both = posterior.update(F, posterior.prior(), 1.0)
    first = model_of(Votes([row[:1] for row in votes]), (0.0,))[1]
    np.testing.assert_allclose(both, first.update(F, first.prior(), 1.0), atol=1e-9)
    assert (both[~sets.answers_.mask[::2][:, None]] < 1e-9).all()


def test_reliabilities_are_recovered_and_names_do_not_matter():
    X, truth = blobs(400)
    right = np.array([0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 1 / 3, 0.03])  # the last two guess, and avoid the truth
    answers = crowd(truth, right, per_row=4)
    names = [f"person {k}" for k in range(8)]
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(X, Votes(answers, names, missing=-1))
    found, true = model.sources_, (right - 1 / 3) / (2 / 3)
    assert np.corrcoef(found.reliability, true)[0, 1] > 0.98
    assert abs(found.reliability[6]) < 0.2
    assert found.reliability[7] < -0.2
    # 200 answers each: four standard errors of a share, divided by 1 - 1 / 3, are at most .21
    assert np.abs(found.reliability - true).max() < 0.21
    assert ((found.low < true + 0.1) & (true - 0.1 < found.high)).all()
    assert np.mean(model.labels_ == truth) > 0.9
    order = np.random.default_rng(0).permutation(8)
    other = PartialClassifier(search_config=SMALL_SEARCH)
    other.fit(X, Votes(answers[:, order], [f"x{k}" for k in order], missing=-1))
    np.testing.assert_allclose(other.sources_.reliability, found.reliability[order])
    np.testing.assert_array_equal(other.predict(X), model.predict(X))
    frame = found.to_frame()
    assert frame.index[0] == "person 7"
    assert frame.answers.sum() == 1600
    np.testing.assert_allclose(found.confusion.sum(axis=2), 1)


def test_three_answers_are_harmless():
    X, truth = blobs(120)
    answers = crowd(truth, np.array([0.9, 0.85, 0.8]), per_row=2).astype(float)
    answers[answers < 0] = np.nan
    one = np.full((120, 1), np.nan)
    one[:3, 0] = (truth[:3] + 1) % 3
    make = PartialClassifier.paper
    with_one = make(principle="disambiguation").fit(X, Votes(np.hstack([answers, one])))
    without = make(principle="disambiguation").fit(X, Votes(answers))
    assert np.mean(with_one.predict(X) == without.predict(X)) > 0.97
    found = with_one.sources_
    assert found.high[3] - found.low[3] > 2 * (found.high[0] - found.low[0])


def test_annotators_without_answers_change_nothing():
    X, truth = blobs(90)
    answers = crowd(truth, np.array([0.9, 0.8, 0.6]), per_row=2)
    silent = np.full((90, 2), -1)
    found = [
        PartialClassifier.paper(principle="disambiguation").fit(X, Votes(some, missing=-1))
        for some in (answers, np.hstack([silent[:, :1], answers, silent[:, 1:]]))
    ]
    np.testing.assert_allclose(found[1].disambiguation_.q, found[0].disambiguation_.q, atol=1e-9)
    np.testing.assert_allclose(found[1].sources_.confusion[1:4], found[0].sources_.confusion, atol=1e-9)
    np.testing.assert_array_equal(found[1].sources_.answers[[0, 4]], 0)
    np.testing.assert_allclose(found[1].sources_.confusion.sum(axis=2), 1)


def test_known_labels_calibrate_a_crowd_that_is_mostly_wrong():
    X, truth = blobs(200, m=2, spread=0.3)
    answers = crowd(truth, np.array([0.1, 0.15, 0.2]), m=2)
    wrong = PartialClassifier(search_config=SMALL_SEARCH).fit(X, Votes(answers, missing=-1))
    assert np.mean(wrong.labels_ == truth) < 0.3
    gold = [int(t) if i % 5 == 0 else None for i, t in enumerate(truth)]
    right = PartialClassifier(search_config=SMALL_SEARCH).fit(X, Votes(answers, missing=-1, gold=gold))
    assert np.mean(right.labels_ == truth) > 0.9
    assert (right.sources_.reliability < 0).all()


def test_answers_without_features_are_aggregated():
    _, truth = blobs(300)
    votes = Votes(crowd(truth, np.array([0.95, 0.9, 0.4, 0.4, 0.4]), per_row=4), missing=-1)
    model = PartialClassifier().fit(None, votes)
    counts = np.zeros((300, 3))
    np.add.at(counts, (votes.row, votes.answers), 1)
    assert np.mean(model.labels_ == truth) > np.mean(counts.argmax(axis=1) == truth) + 0.02
    assert model.sources_.reliability[:2].min() > model.sources_.reliability[2:].max()


def missing_sets(truth, share, m=3, seed=0):
    random = np.random.default_rng(seed)
    mask = random.random((len(truth), m)) < 0.2
    mask[np.arange(len(truth)), truth] = True
    miss = random.random(len(truth)) < share
    mask[miss] = np.eye(m, dtype=bool)[(truth[miss] + random.integers(1, m, miss.sum())) % m]
    return mask, miss


def independent_sets(truth, share, m, seed=2):
    """Return sets with independent wrong labels; a share of them does not contain the true label."""
    random = np.random.default_rng(seed)
    n = len(truth)
    mask = random.random((n, m)) < 0.2
    mask[np.arange(n), truth] = True
    miss = random.random(n) < share
    mask[miss, truth[miss]] = False
    empty = ~mask.any(axis=1)
    mask[empty, (truth[empty] + random.integers(1, m, empty.sum())) % m] = True
    return mask, miss


def digits_rows(n=400):
    """Return rows of digits with their true labels."""
    X, truth = load_digits(return_X_y=True)
    rows = np.random.default_rng(2).permutation(len(X))[:n]
    return X[rows], truth[rows]


def test_rows_are_ranked_by_leave_one_out_probabilities_if_no_share_is_assumed():
    X, truth = blobs(300, spread=0.35)
    mask, miss = missing_sets(truth, 0.25)
    model = PartialClassifier(weights=KernelRidge(), principle="disambiguation", noise=None).fit(X, mask)
    found = model.disambiguation_
    scores = with_unit_sum(model.weights_.fit(X).loo_operator()(found.q[:, 0])[:, None])
    P = fit_temperature(scores, mask[:, None])(scores)[:, 0]
    np.testing.assert_allclose(found.miss, 1 - (P * mask).sum(axis=1), atol=1e-6)
    assert np.array_equal(model.label_errors_, np.argsort(-found.miss, kind="stable"))
    assert miss[model.label_errors_[: miss.sum() // 2]].mean() > 0.9


def test_the_default_estimates_the_share_of_sets_that_miss_the_truth():
    X, truth = blobs(300, spread=0.35)
    mask, miss = missing_sets(truth, 0.25)
    model = PartialClassifier().fit(X, mask)
    assert abs(float(model.noise_) - miss.mean()) < 0.05
    assert model.noise_.low < miss.mean() < model.noise_.high
    assert miss[model.label_errors_[: miss.sum() // 2]].mean() > 0.9
    assert np.mean(model.labels_ == truth) > 0.9  # outside of the sets that miss
    given = PartialClassifier(noise=0.25).fit(X, mask)
    assert np.mean(given.labels_ == truth) > 0.9


def test_the_default_does_not_change_on_sets_that_contain_the_truth():
    X, truth = blobs(200)
    mask, _ = missing_sets(truth, 0.0)
    auto, none = PartialClassifier().fit(X, mask), PartialClassifier(noise=None).fit(X, mask)
    np.testing.assert_array_equal(auto.predict(X), none.predict(X))
    assert float(auto.noise_) == 0
    noisy = [one for one in auto.selection_.results if one.principle == NOISY]
    assert len(noisy) < len(auto.selection_.results) / 8  # the assumption costs little if it gains nothing


def test_many_sets_that_miss_are_found_although_few_rows_do_not_show_them():
    """On few rows, the best candidate of plain sets smooths so much that errors look like hard rows."""
    X, truth = make_classification(
        900, 10, n_informative=5, n_redundant=0, n_classes=6, n_clusters_per_class=1, class_sep=1.5, flip_y=0,
        random_state=2,
    )  # fmt: skip
    mask, miss = independent_sets(truth[:500], 0.4, 6)
    model = PartialClassifier().fit(X[:500], mask)
    assert abs(float(model.noise_) - miss.mean()) < 0.05
    assert np.mean(model.predict(X[500:]) == truth[500:]) > 0.77


def test_many_sets_that_miss_are_found_by_a_kernel_with_less_regularisation():
    """Neighbours predict plain sets best on these rows, and explain no sets that miss the true label."""
    X, truth = digits_rows()
    mask, miss = independent_sets(truth, 0.4, 10)
    model = PartialClassifier().fit(X, mask)
    assert abs(float(model.noise_) - miss.mean()) < 0.05
    assert model.noise_.low < miss.mean() < model.noise_.high
    assert np.mean(model.labels_ == truth) > 0.8


def test_labels_of_a_forest_are_not_flat():
    """Means over trees are flat, so rows would keep a candidate of their set although trees agree on another label."""
    X, truth = digits_rows()
    mask, miss = independent_sets(truth, 0.2, 10)
    model = PartialClassifier(weights=Forest(random_state=0), principle="disambiguation", noise="estimate")
    model.fit(X, mask)
    assert np.mean(model.labels_ == truth) > 0.8
    assert abs(float(model.noise_) - miss.mean()) < 0.05
    assert type(model.noise_.low) is float


def test_noise_is_selected_for_forests():
    """They are grown again on the labels that they estimate, which may be outside of the sets."""
    X, truth = digits_rows(1000)
    mask, miss = independent_sets(truth[:500], 0.4, 10)
    model, plain = (PartialClassifier(weights="forest", noise=one).fit(X[:500], mask) for one in ("auto", None))
    assert abs(float(model.noise_) - miss.mean()) < 0.1
    score, without = (np.mean(one.predict(X[500:]) == truth[500:]) for one in (model, plain))
    assert score > without + 0.03


def test_forests_are_compared_by_fits_without_the_held_out_sets():
    """Out-of-bag predictions confirm labels outside of the sets, which other trees have learned from the same row."""
    X, truth = digits_rows(120)
    mask, _ = independent_sets(truth, 0.3, 10)
    folds, config = folds_of(X, 3), SearchConfig(n_trees=30)
    other = mask.copy()
    other[folds[0]] = other[folds[0]][:, ::-1]
    parts = (Candidate("kernel", "standard", "rbf", 1.0, 1e-3), 0.5), (Candidate("forest"), 0.5)
    for candidate in Candidate("forest"), Candidate("mixture", parts=parts):
        F = []
        for one in mask, other:
            output = Labels().fit(mask)
            sets = output.read(one)
            cache = KernelCache(Table(X, None), output, sets, folds, config)
            F.append(cache.predict_grown(candidate, posterior_of(sets, noise="estimate")))
        np.testing.assert_allclose(F[0][folds[0]], F[1][folds[0]])
        assert not np.allclose(F[0][folds[1]], F[1][folds[1]])
    assert cache.predict_grown(candidate, posterior_of(sets)) is None  # without errors, out-of-bag predictions are fine


@pytest.mark.parametrize("noise", [1.5, -0.1, "yes", True])
def test_noise_is_a_share_or_a_word(noise):
    X, truth = blobs(60)
    with pytest.raises(ValueError, match="'noise' parameter of PartialClassifier must be a number >= 0 and <= 1"):
        PartialClassifier(noise=noise).fit(X, truth)


def test_parts_that_are_set_are_used_with_a_share():
    X, truth = blobs(150, spread=0.35)
    mask, miss = missing_sets(truth, 0.2)
    model = PartialClassifier(weights=KernelRidge(1e-3), principle=Disambiguation(noise="estimate")).fit(X, mask)
    assert model.selection_.results == []
    assert abs(float(model.noise_) - miss.mean()) < 0.07
    with pytest.raises(ValueError, match="noise"):
        PartialClassifier(principle=Disambiguation(noise=2.0), weights=KernelRidge()).fit(X, mask)


def test_a_soft_label_is_a_row_per_class_with_the_probability_as_weight():
    X = np.random.default_rng(0).standard_normal((6, 2))
    y = [{"a": 0.7, "b": 0.3}, "c", {"b": 0.4, "c": 0.6}, "a|b", {"a": 1.0}, "b"]
    X_long = X[[0, 0, 1, 2, 2, 3, 4, 5]]
    y_long = ["a", "b", "c", "b", "c", "a|b", "a", "b"]
    w = [0.7, 0.3, 1, 0.4, 0.6, 1, 1, 1]
    for principle in ("infimum", "average", "supremum"):
        make = PartialClassifier.paper
        # the ridge is n lam, and both problems have six rows by weight
        short = make(principle=principle).fit(X, y).decision_function(X)
        np.testing.assert_allclose(short, make(principle=principle).fit(X_long, y_long, w).decision_function(X))


def test_soft_labels_are_likelihoods_of_disambiguation():
    P = np.array([[0.8, 0.2, 0.0], [0.1, 0.3, 0.6], [np.nan] * 3])
    sets = Labels().fit(P).read(P)
    F = np.random.default_rng(0).dirichlet(np.ones(3), 3)
    q = posterior_of(sets).update(F[:, None], np.zeros((3, 1, 3)), 1.0)[:, 0]
    expected = F * np.nan_to_num(P, nan=1.0)
    np.testing.assert_allclose(q, expected / expected.sum(axis=1, keepdims=True))
    assert sets.is_unlabelled.tolist() == [False, False, True]
    assert sets.agreement(np.array([0, 2, 1])).tolist() == [0.8, 0.6, 1.0]
    assert sets.format(0) == "0 0.8 | 1 0.2"
    names = Labels(classes=["z", "x", "y"]).fit([{"x": 0.5, "y": 0.5}]).read([{"x": 0.5, "y": 0.5}])
    assert names.p.toarray().tolist() == [[0, 0.5, 0.5]]


def test_sample_weight_two_is_a_row_given_twice():
    _X, truth = blobs(60)
    answers = crowd(truth, np.array([0.9, 0.7, 0.5]), per_row=2)
    w = 1 + (np.arange(60) % 3 == 0)
    twice = np.repeat(np.arange(60), w)
    votes = Votes(answers, missing=-1)
    posterior = posterior_of(Labels().fit(votes).read(votes), w)
    other = posterior_of(Labels().fit(votes).read(votes[twice]))
    F = np.random.default_rng(0).dirichlet(np.ones(3), 60)[:, None]
    for _ in range(3):
        a = posterior.update(F, posterior.prior(), 1.5)
        b = other.update(F[twice], other.prior(), 1.5)
    np.testing.assert_allclose(a[twice], b)
    np.testing.assert_allclose(posterior.sources.guessing, other.sources.guessing)


def test_a_saved_model_keeps_its_sources(tmp_path):
    import skops.io as skops

    X, truth = blobs(60)
    votes = Votes(crowd(truth, np.array([0.9, 0.8, 0.6])), missing=-1)
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(X, votes)
    skops.dump(model, tmp_path / "model.skops")
    np.save(tmp_path / "X.npy", X)
    code = (
        "import sys, numpy as np, skops.io as s; from infimum.io import TRUSTED_TYPES;"
        "m = s.load(sys.argv[1] + '/model.skops', trusted=TRUSTED_TYPES); X = np.load(sys.argv[1] + '/X.npy');"
        "print(''.join(map(str, m.predict(X))), round(m.sources_.reliability.sum(), 9), m.sources_.names)"
    )
    run = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    labels = "".join(map(str, model.predict(X)))
    assert run.stdout.split(maxsplit=2)[:2] == [labels, str(round(model.sources_.reliability.sum(), 9))]


def test_votes_compose_with_families_searches_and_cleaning():
    X, truth = blobs(90, spread=0.3)
    votes = Votes(crowd(truth, np.array([0.9, 0.8, 0.6])), missing=-1)
    for weights in ("forest", "neighbors", "linear"):
        model = PartialClassifier(weights=weights).fit(X, votes)
        assert np.mean(model.labels_ == truth) > 0.85
        assert len(model.sources_) == 3
    search = PartialSearch(PartialClassifier()).fit(X, votes)
    assert np.mean(search.predict(X) == truth) > 0.85
    assert len(clean_labels(X, votes).sources) == 3
    for principle in ("infimum", "average", "supremum"):
        assert np.mean(PartialClassifier(principle=principle).fit(X, votes).predict(X) == truth) > 0.85
    with pytest.raises(AttributeError, match=r"infimum\.Votes"):
        PartialClassifier(search_config=SMALL_SEARCH).fit(X, truth).sources_  # noqa: B018


def test_labels_are_those_of_calibrated_predictions():
    """With much regularisation, scores of all classes are similar although the largest one is right."""
    X, truth = blobs(300, spread=0.3)
    votes = Votes(crowd(truth, np.full(12, 0.55)), missing=-1)
    weights = KernelRidge(lam=3.0, gamma=0.2)
    model = PartialClassifier(principle="disambiguation", weights=weights).fit(X, votes)
    trained_on = model.disambiguation_.phi.argmin(axis=1)
    assert np.mean(model.labels_ == truth) > max(0.97, np.mean(trained_on == truth) + 0.05)
    again = PartialClassifier(principle=Disambiguation(threshold=None), weights=weights).fit(X, votes)
    np.testing.assert_array_equal(again.labels_, model.labels_)  # with and without a search for suspects


def test_forests_are_compared_after_a_fit_to_estimated_labels():
    """Four of ten annotators avoid the true label, so the mean answer is a poor target for splits."""
    random = np.random.default_rng(0)
    X = random.standard_normal((300, 9))
    truth = np.array([0, 1, 2, 1, 2, 0, 0, 2])[(X[:, :3] > 0) @ [1, 2, 4]]
    votes = Votes(crowd(truth, np.array([0.9] * 6 + [0.05] * 4)), missing=-1)
    output = Labels().fit(votes)
    sets = output.read(votes)
    kernels = KernelCache(Table(X, None, None), output, sets, folds_of(X, 5), SearchConfig())
    forest = Candidate("forest", splits="random", min_samples_leaf=1)
    each = [kernels.holdout(forest, posterior=one) for one in (None, posterior_of(sets))]
    right = [np.mean(one.predict(np.eye(3)[truth]).argmax(axis=1) == truth) for one in each]
    assert right[1] > right[0] + 0.02


def test_costs_of_errors_and_taxonomies_apply_to_votes():
    X, truth = blobs(90)
    names = np.array(["cat", "dog", "owl"])
    answers = names[crowd(truth, np.full(6, 0.85), per_row=6)].astype(object)
    answers[::9, 0] = "pet"
    tree = Taxonomy({"pet": ["cat", "dog"], "bird": ["owl"]})
    votes = Votes(answers, gold={0: names[truth[0]]})
    model = PartialClassifier(tree).fit(X, votes)
    assert np.mean(model.predict(X) == names[truth]) > 0.85
    cost = 1 - np.eye(3)
    cost[0, 2] = 5.0  # of predicting cat for an owl
    sets = Labels(cost, classes=names.tolist()).fit(votes).read(Votes([["cat", "owl"], ["owl", None], [None, None]]))
    assert np.allclose(sets.center(), [[2.5, 1.0, 0.5], [5.0, 1.0, 0.0], [2.0, 2 / 3, 2 / 3]])


def test_known_labels_are_kept():
    X, truth = blobs(60, spread=1.5)
    known = {0: 1, 1: 2, 2: 0}  # not the classes of these rows
    answers = crowd(truth, np.array([0.9, 0.8, 0.6]))
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(X, Votes(answers, missing=-1, gold=known))
    assert model.labels_[:3].tolist() == [1, 2, 0]
    np.testing.assert_allclose(model.confidence_[:3], 1.0)


def test_many_rows_are_estimated_from_a_subset():
    X, truth = blobs(600, spread=0.3)
    votes = Votes(crowd(truth, np.array([0.9, 0.8, 0.4, 0.35])), missing=-1)
    how = Disambiguation(subset_size=150)
    model = PartialClassifier(principle=how, weights=LinearRidge(1e-3)).fit(X, votes)
    assert np.mean(model.labels_ == truth) > 0.95
    assert model.sources_.answers.sum() == 1800


def test_soft_result_of_votes_converges():
    X, truth = blobs(90)
    votes = Votes(crowd(truth, np.array([0.9, 0.8, 0.6])), missing=-1)
    posterior = posterior_of(Labels().fit(votes).read(votes))
    found = soft(KernelRidge(1e-2).fit(X).loo_operator(), posterior)
    assert found.converged
    np.testing.assert_allclose(found.q.sum(axis=(1, 2)), 1)
