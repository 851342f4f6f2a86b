"""Rows of comparisons that contradict themselves, against brute force; Bradley-Terry scores of items."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infimum import Chunks, InputError, PartialRanker, SetLoss, weights
from infimum.disambiguation import BradleyTerry
from infimum.io import TRUSTED_TYPES
from infimum.outputs import PartialOrders, Rankings
from infimum.outputs.rankings.codes import codes_of
from infimum.outputs.rankings.conformal import Kendall, Pairs
from infimum.selection import SearchConfig

ITEMS = ["a", "b", "c", "d"]
CYCLE = "a>b, b>c, c>a, a>d"
SMALL = SearchConfig(kernel_lams=(1e-2,), n_neighbors=(5,), n_steps=1, n_trees=10)


def orders_of(m):
    return np.array(list(itertools.permutations(range(m))))


def survey(rng, n=40):
    """Comparisons by people who err: triples, and each item against a fourth."""
    X = rng.standard_normal((n, 2))
    u = np.column_stack([X[:, 0], -X[:, 0], X[:, 1], np.zeros(n)])
    y = []
    for row in u:
        pairs = [(i, j) for i, j in itertools.combinations(range(4), 2) if rng.random() < 0.8]
        said = [(i, j) if row[i] + rng.gumbel() > row[j] + rng.gumbel() else (j, i) for i, j in pairs]
        y.append(", ".join(f"{ITEMS[i]}>{ITEMS[j]}" for i, j in said) or None)
    return X, y


def test_the_error_offers_the_other_settings():
    with pytest.raises(InputError, match=r"a > b > c > a(.|\n)*majority(.|\n)*weigh"):
        Rankings(ITEMS).fit([CYCLE]).read([CYCLE])
    with pytest.raises(ValueError, match=r"contradictions must be 'error', 'majority' or 'weigh'. Got 'drop'"):
        PartialRanker(contradictions="drop").fit([[0.0], [1.0]], ["a>b", "b>a"])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 5))
def test_majority_is_what_the_best_orders_agree_on(seed, m):
    counts = np.random.default_rng(seed).integers(0, 3, (1, m, m)) * ~np.eye(m, dtype=bool)
    sets = PartialOrders.from_counts(counts, contradictions="majority")
    orders = orders_of(m)
    place = np.argsort(orders, axis=1)
    violated = np.array([(counts[0] * (p[:, None] > p)).sum() for p in place])
    best = codes_of(orders[violated == violated.min()])
    agreed = np.where((best == best[0]).all(axis=0), best[0], 0)
    if sets.contradictory[0]:
        np.testing.assert_array_equal(sets.codes[0], agreed)
    else:  # all linear extensions violate nothing
        assert violated.min() == 0
        np.testing.assert_array_equal(sets.codes[0], agreed)


@pytest.mark.parametrize("principle", ["infimum", "average", "supremum"])
def test_weighed_rows_are_the_mean_of_their_comparisons(principle):
    said = ["a>b", "b>c", "c>a", "c>a", "d>a"]
    space = Rankings(ITEMS, contradictions="weigh").fit(said)
    row, each = space.read([", ".join(said)]), space.read(said)
    z = space.outputs()
    expected = SetLoss(space, each, principle)(z).mean(axis=1)
    np.testing.assert_allclose(SetLoss(space, row, principle)(z)[:, 0], expected)
    repeated = row[np.zeros(len(z), dtype=int)]
    np.testing.assert_allclose(SetLoss(space, repeated, principle).rowwise_loss(z), expected)
    share = np.mean([each[[k] * len(z)].contains(z) for k in range(len(said))], axis=0)
    np.testing.assert_allclose(repeated.agreement(z), share)
    assert not repeated.contains(z).any()
    assert not row.is_unlabelled[0]


@pytest.mark.parametrize("negative_weights", ["inside", "joint"])
@pytest.mark.parametrize("principle", ["infimum", "average"])
def test_a_weighed_row_is_one_row_per_comparison(principle, negative_weights, rng):
    """The model is the same as if each comparison were a row with its share of the weight."""
    X = rng.standard_normal((6, 2))
    y = ["a>b>c", CYCLE, "d>a", "c>d, d>b, b>c", None, "b>{a,c}"]
    rows, listed, w = [], [], []
    for k, cell in enumerate(y):
        said = cell.split(", ") if k in (1, 3) else [cell]
        rows, listed, w = rows + [k] * len(said), listed + said, w + [1 / len(said)] * len(said)
    settings = {"principle": principle, "negative_weights": negative_weights, "weights": weights.KernelRidge(0.05)}
    ours = PartialRanker(ITEMS, **settings, contradictions="weigh").fit(X, y).minimum(X)
    theirs = PartialRanker(ITEMS, **settings).fit(X[rows], listed, sample_weight=w).minimum(X)
    np.testing.assert_allclose(ours.value, theirs.value, atol=1e-9)
    assert (ours.gap < 1e-9).all()


def test_rows_without_contradictions_do_not_depend_on_the_setting(rng):
    X = rng.standard_normal((30, 2))
    y = ["a>b>c" if x > 0 else "d>a, c>b" for x in X[:, 0]]
    found = [PartialRanker(ITEMS, contradictions=rule, search_config=SMALL).fit(X, y) for rule in ("error", "weigh")]
    found.append(PartialRanker(ITEMS, contradictions="majority", search_config=SMALL).fit(X, y))
    for model in found[1:]:
        np.testing.assert_array_equal(model.predict(X), found[0].predict(X))
        assert model.selection_.best_params == found[0].selection_.best_params


def test_sets_keep_their_comparisons(rng):
    space = Rankings(ITEMS, contradictions="weigh").fit([CYCLE])
    sets = space.read([CYCLE, "a>b", CYCLE + ", d>b", None])
    assert sets.contradictory.tolist() == [True, False, True, False]
    assert sets.n_contradictory == 2
    z = space.outputs()[5:9]
    taken = sets[[2, 0, 2, 1]]
    np.testing.assert_allclose(taken.agreement(z), [sets[[k]].agreement(z[[i]])[0] for i, k in enumerate([2, 0, 2, 1])])
    np.testing.assert_allclose(sets.join(taken).start(), np.vstack([sets.start(), taken.start()]))
    turned = sets.arranged([3, 1, 0, 2])
    assert set(turned.format(0).split(", ")) == {"a > b", "a > d", "b > c", "c > a"}
    again = space.read(space.to_cells(sets))
    np.testing.assert_array_equal(again.start(), sets.start())
    np.testing.assert_array_equal(again.codes, sets.codes)


@pytest.mark.parametrize("rule", ["majority", "weigh"])
def test_default_models_of_people_who_err(rule, rng):
    X, y = survey(rng)
    model = PartialRanker(ITEMS, contradictions=rule, search_config=SMALL).fit(X, y)
    assert model.sets_.n_contradictory > 0
    assert model.score(X, y) > 0.6
    assert model.output_.summary(model.sets_).counts == [("contradict themselves", model.sets_.n_contradictory)]


def test_saved_models_and_chunks(rng):
    import skops.io

    X, y = survey(rng)
    model = PartialRanker(ITEMS, contradictions="weigh", search_config=SMALL).fit(X, y)
    loaded = skops.io.loads(skops.io.dumps(model), trusted=TRUSTED_TYPES)
    assert loaded.score(X, y) == model.score(X, y)
    settings = {"principle": "average", "weights": weights.LinearRidge(0.1), "contradictions": "weigh"}
    chunks = Chunks(lambda: ((X[k : k + 10], y[k : k + 10]) for k in range(0, 40, 10)))
    whole, parts = PartialRanker(ITEMS, **settings).fit(X, y), PartialRanker(ITEMS, **settings).fit(chunks)
    np.testing.assert_array_equal(parts.predict(X), whole.predict(X))


def test_a_step_of_the_scores_raises_the_likelihood(rng):
    _, y = survey(rng)
    space = Rankings(ITEMS, contradictions="weigh").fit(y)
    posterior = BradleyTerry(space.read(y))
    F = rng.standard_normal(posterior.shape)
    for _ in range(5):
        q = posterior.update(F, F, 1.0)
        assert posterior.mean_log_likelihood(q)[0] > posterior.mean_log_likelihood(F)[0]
        F = q


def test_disambiguation_of_full_rankings_is_supervised(rng):
    X, orders = rng.standard_normal((12, 2)), [rng.permutation(ITEMS).tolist() for _ in range(12)]
    settings = {"items": ITEMS, "weights": weights.KernelRidge(0.1)}
    soft, plain = (PartialRanker(principle=p, **settings).fit(X, orders) for p in ("disambiguation", "infimum"))
    np.testing.assert_array_equal(soft.predict(X), plain.predict(X))
    np.testing.assert_array_equal(soft.disambiguation_.labels, np.array(orders))
    assert (soft.disambiguation_.confidence == 1).all()


def test_members_of_soft_disambiguation_are_linear_extensions(rng):
    X, y = survey(rng)
    model = PartialRanker(ITEMS, principle="disambiguation", contradictions="majority", search_config=SMALL).fit(X, y)
    assert model.sets_.contains(model.disambiguation_.z).all()
    assert model.disambiguation_.support.min() >= 0


@pytest.mark.parametrize("score", [Pairs(), Kendall()], ids=["pairs", "kendall"])
def test_conformal_scores_of_contradictory_rows_allow_every_order(score, rng):
    """One of the comparisons is wrong, so the true order may violate any of them."""
    space = Rankings(ITEMS, contradictions="weigh").fit([CYCLE])
    orders, sets = orders_of(4), space.read([CYCLE, "a>b>c"])
    g = rng.uniform(-1, 1, 6)
    forecast = np.tile(g if score.name == "pairs" else orders[5], (2, 1))
    one_by_one = score.largest(np.tile(forecast[0], (24, 1)), PartialOrders.from_orders(orders), space)
    before = codes_of(orders)[:, [0, 1, 3]].min(axis=1) > 0  # a before b, a before c, b before c
    np.testing.assert_allclose(score.largest(forecast, sets, space), [one_by_one.max(), one_by_one[before].max()])
