"""The corruptions keep the truth inside the set and follow the laws that the paper states."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infimum import datasets

levels = st.floats(0, 1)
seeds = st.integers(0, 2**32 - 1)


def labels(seed, n=40, m=5):
    return np.random.default_rng(seed).integers(m, size=n)


@settings(deadline=None)
@given(levels, levels, seeds, st.sampled_from(["uniform", "skewed"]))
def test_candidates_contain_the_truth_and_grow_with_the_level(c, c2, seed, kind):
    y = labels(seed)
    small, large = (
        datasets.make_candidate_sets(y, level, kind=kind, classes=range(6), random_state=seed)
        for level in sorted([c, c2])
    )
    assert small[np.arange(len(y)), y].all()
    assert small.shape == (len(y), 6)
    assert (small <= large).all()


@pytest.mark.slow
def test_uniform_adds_each_wrong_class_with_probability_c():
    y = labels(0, n=20_000)
    candidates = datasets.make_candidate_sets(y, 0.3, random_state=0)
    wrong = candidates[y[:, None] != np.arange(5)]
    assert wrong.mean() == pytest.approx(0.3, abs=6 * np.sqrt(0.21 / wrong.size))  # fails with probability 2e-9


def test_skewed_at_one_leaves_other_classes_as_singletons():
    y = np.array(["a", "b", "b", "c"])
    sizes = datasets.make_candidate_sets(y, 1.0, random_state=0, kind="skewed").sum(axis=1)
    assert sizes.tolist() == [1, 3, 3, 1]
    assert datasets.make_candidate_sets(y, 1.0, frequent="c", kind="skewed").sum(axis=1).tolist() == [1, 1, 1, 3]


@settings(deadline=None)
@given(seeds, levels)
def test_skewed_is_uniform_on_the_frequent_class(seed, c):
    y = labels(seed)
    frequent = y == np.bincount(y).argmax()
    blurred = datasets.make_candidate_sets(y, c, random_state=seed)
    np.testing.assert_array_equal(
        datasets.make_candidate_sets(y, c, random_state=seed, kind="skewed")[frequent], blurred[frequent]
    )


@settings(deadline=None)
@given(seeds, levels, levels)
def test_dropped_pairs_are_those_far_apart(seed, c, c2):
    scores = np.random.default_rng(seed).normal(size=(10, 5))
    little, much = (datasets.drop_pairs(scores, level) for level in sorted([c, c2]))
    for row, code in zip(scores, little):
        spread = row.max() - row.min()
        for (i, j), got in zip(zip(*np.triu_indices(5, 1)), code):
            kept = abs(row[i] - row[j]) / spread <= 1 - min(c, c2)
            assert got == (np.sign(row[i] - row[j]) if kept else 0)
    assert (np.abs(much) <= np.abs(little)).all()


def test_drop_pairs_ends():
    scores = np.random.default_rng(0).normal(size=(20, 6))
    assert (datasets.drop_pairs(scores, 0.0) != 0).all()
    assert (datasets.drop_pairs(scores, 1.0) == 0).all()
    assert (datasets.drop_pairs(np.ones((2, 3)), 0.0) == 0).all()


@pytest.mark.slow
def test_pairs_at_random_are_lost_in_the_stated_share():
    scores = np.random.default_rng(0).normal(size=(2000, 6))
    whole = datasets.drop_pairs(scores, 0.0)
    codes = datasets.drop_pairs_at_random(scores, 0.3, random_state=0)
    assert ((codes == whole) | (codes == 0)).all()
    assert (codes == 0).mean() == pytest.approx(0.3, abs=6 * np.sqrt(0.21 / codes.size))  # fails with probability 2e-9


@settings(deadline=None)
@given(seeds, levels)
def test_lost_labels_are_nan_and_the_rest_is_unchanged(seed, share):
    ranks = np.random.default_rng(seed).permuted(np.tile(np.arange(1, 6), (8, 1)), axis=1)
    partial = datasets.drop_items(ranks, share, random_state=seed)
    known = ~np.isnan(partial)
    np.testing.assert_array_equal(partial[known], ranks[known])
    if share in (0, 1):
        assert (known == (share == 0)).all()


@settings(deadline=None)
@given(seeds, st.floats(0, 10))
def test_hamming_balls_contain_the_truth(seed, c):
    Y = np.random.default_rng(seed).choice([-1, 1], size=(30, 6))
    centers, radii = datasets.make_hamming_balls(Y, c, random_state=seed)
    flips = (centers != Y).sum(axis=1)
    assert (flips <= radii).all()
    assert (np.abs(centers) == 1).all()
    assert (radii <= c * 7).all()
    assert (flips[radii > 0] > 0).all()


@pytest.mark.slow
def test_hamming_radius_is_uniform_at_one_and_repeats_flip_once():
    Y = np.ones((14_000, 6), dtype=int)
    centers, radii = datasets.make_hamming_balls(Y, 1.0, random_state=0)
    counts = np.bincount(radii, minlength=7)
    assert counts.size == 7
    np.testing.assert_allclose(counts, 2000, atol=6 * np.sqrt(2000))  # fails with probability 1e-8
    # r draws with replacement leave a coordinate alone with probability (5/6)^r
    for r in range(7):
        kept = (centers[radii == r] == 1).mean()
        assert kept == pytest.approx((5 / 6) ** r, abs=0.03)


@settings(deadline=None)
@given(seeds, levels, st.booleans())
def test_lost_tags(seed, share, positive_only):
    Y = np.random.default_rng(seed).choice([-1, 1], size=(10, 4))
    tags = datasets.drop_tags(Y, share, positive_only=positive_only, random_state=seed)
    assert ((tags == Y) | (tags == 0)).all()
    assert not (positive_only and (tags < 0).any())
    if share == 0:
        assert (tags[Y > 0] == 1).all()


@settings(deadline=None)
@given(seeds)
def test_lost_signs_give_unions_that_contain_the_truth(seed):
    problem = datasets.make_lost_sign(30, random_state=seed)
    y, pieces = problem.target, problem.pieces
    assert pieces.shape == (30, 2, 2)
    first, second = pieces[:, 0], pieces[:, 1]
    assert ((first[:, 0] - 1e-9 <= y) & (y <= first[:, 1] + 1e-9)).all()
    assert (first[:, 1] - first[:, 0] >= 1 - 1e-9).all()
    known = np.isnan(second).all(axis=1)
    np.testing.assert_array_equal(second[~known], -first[~known, ::-1])
    assert not np.isnan(second[~known]).any()


def test_lost_sign_problem_is_the_one_of_the_reference_numbers():
    # On these rows, the infimum loss on a grid with a Laplacian kernel has test error .018025, the average 5.249488.
    problem = datasets.make_lost_sign(random_state=0)
    x, pieces, n = problem.data[:, 0], problem.pieces, len(problem.data)
    t, grid = np.linspace(0, 1, 200), np.linspace(-6, 6, 1000)

    def error(loss, sigma):
        K, v = (np.exp(-np.abs(a[:, None] - x) / sigma) for a in (x, t))
        alpha = np.linalg.solve(K + 1000 * n * np.eye(n), v.T).T
        return np.mean((grid[(alpha @ loss).argmin(axis=1)] - 3 - np.sin(10 * t)) ** 2)

    outside = np.maximum(pieces[:, :, :1] - grid, grid - pieces[:, :, 1:])
    assert error(np.nanmin(np.maximum(outside, 0), axis=1) ** 2, 0.01) == pytest.approx(0.018025, abs=5e-6)
    center = np.where(np.isnan(pieces[:, 1]).any(axis=1), pieces[:, 0].mean(axis=1), 0)
    assert error((center[:, None] - grid) ** 2, 0.1) == pytest.approx(5.249488, abs=5e-6)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: datasets.make_candidate_sets([0, 1], 1.5), r"p must be a number in \[0, 1\]. Got 1.5"),
        (
            lambda: datasets.make_candidate_sets([0, 1], 0.5, kind="even"),
            r"kind must be 'uniform' or 'skewed'. Got 'even'",
        ),
        (lambda: datasets.make_candidate_sets([0, 1], 0.5, frequent=1), r"Pass kind='skewed'"),
        (
            lambda: datasets.make_candidate_sets(["a", "z"], 0.5, classes=["a", "b"]),
            r"Row 1 has the label 'z', which is not one of the classes",
        ),
        (lambda: datasets.make_hamming_balls([[0, 1]], 0.5), r"Tags must be -1 or 1. Row 0 is \[0, 1\].*2 \* Y - 1"),
        (lambda: datasets.make_hamming_balls([[1, 1]], -1.0), r"c must be a number >= 0. Got -1.0"),
        (lambda: datasets.drop_pairs([[1.0, 2.0]], np.nan), r"c must be .* Got nan"),
    ],
)
def test_errors_name_the_row_and_the_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()
