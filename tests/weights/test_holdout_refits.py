"""Held-out predictions of all families equal those of models that are fitted without the rows."""

import numpy as np
import pytest
from sklearn.base import clone

from blobs import FAMILIES, blobs
from infimum import weights
from infimum.weights.holdout import Refitted, folds_of
from infimum.weights.mixture import MixedHoldout


def stack(phi, blocks):
    q = np.repeat(phi[None], len(blocks), axis=0)
    for b, block in enumerate(blocks):
        q[b, block] = 0
    return q


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: type(f).__name__)
def test_left_out_operator_equals_leave_one_out(family, rng):
    X, _, mask = blobs(rng, 40)
    phi = mask.astype(float)
    fitted = clone(family).fit(X, phi)
    operator = fitted.loo_operator()
    for target in (phi, rng.standard_normal(phi.shape)):  # the operator can be applied twice
        np.testing.assert_allclose(operator(target), fitted.leave_one_out(target), atol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_kernel_ridge_holdout_equals_refits(weighted, rng):
    X, _, mask = blobs(rng, 30)
    phi = rng.standard_normal(mask.shape)
    w = rng.integers(0, 3, 30).astype(float) if weighted else None
    family = weights.KernelRidge(lam=1e-2, gamma=0.3).fit(X, None, w)
    total = 30.0 if w is None else w.sum()

    def refit(rest, at):
        inner = None if w is None else w[rest]
        if w is not None and w[at[0]] > 1:  # one copy is left out
            rest = np.append(rest, at[0])
            inner = np.append(inner, w[at[0]] - 1)
        lam = family.lam_ * total / (len(rest) if inner is None else inner.sum())  # n lam is kept
        return weights.KernelRidge(lam=lam, gamma=0.3).fit(X[rest], None, inner)(X[at]) @ phi[rest]

    F = family.loo_operator()(phi)
    for i in range(0, 30, 3):
        np.testing.assert_allclose(F[[i]], refit(np.delete(np.arange(30), i), [i]), atol=1e-8)
    if weighted:
        return
    blocks = folds_of(X, 4)
    operator = family.held_out(X, None, None, blocks)
    G = operator(stack(phi, blocks))
    for b, block in enumerate(blocks):
        rest = np.delete(np.arange(30), block)
        np.testing.assert_allclose(G[b, block], refit(rest, block), atol=1e-8)
        for i in rest[:4]:
            np.testing.assert_allclose(G[b, [i]], refit(np.setdiff1d(rest, i), [i]), atol=1e-8)
    np.testing.assert_allclose(operator.weights() @ phi, operator.out_of_fold(stack(phi, blocks)), atol=1e-8)


REFITTED = [family for family in FAMILIES[1:5] if not isinstance(family, weights.Forest)]


@pytest.mark.parametrize("family", REFITTED, ids=lambda f: type(f).__name__)
def test_holdout_of_other_families_equals_refits(family, rng):
    X, _, mask = blobs(rng, 40)
    phi = mask.astype(float)
    blocks = folds_of(X, 3)
    operator = clone(family).fit(X, phi).held_out(X, phi, None, blocks)
    assert isinstance(operator, Refitted)
    rest = np.delete(np.arange(40), blocks[1])
    alone = clone(family).fit(X[rest], phi[rest])
    out = operator(stack(phi, blocks))[1]
    np.testing.assert_allclose(out[blocks[1]], alone(X[blocks[1]]) @ phi[rest], atol=1e-9)
    np.testing.assert_allclose(out[rest], alone.leave_one_out(phi[rest]), atol=1e-9)
    np.testing.assert_allclose(operator.weights()[np.ix_(blocks[1], rest)], np.asarray(alone(X[blocks[1]])), atol=1e-9)


def test_forest_holdout_uses_out_of_bag_trees(rng):
    """Row i through the trees that did not draw it, means over the rows outside the block: from the definition."""
    X, _, mask = blobs(rng, 40)
    phi, w = mask.astype(float), 1.0 + (np.arange(40) % 3)
    blocks = folds_of(X, 3)
    forest = weights.Forest(30, random_state=0).fit(X, phi, w)
    operator = forest.held_out(X, phi, w, blocks)
    out = operator(stack(phi, blocks))
    leaves, mass = forest._leaves_of(X), forest._masses().T
    for b, block in enumerate(blocks):
        rest = np.delete(np.arange(40), block)
        for i in (block[0], rest[0]):
            means = []
            for t in np.flatnonzero(mass[i] == 0):
                share = mass[rest, t] * (leaves[rest, t] == leaves[i, t])
                if share.any():
                    means.append(share @ phi[rest] / share.sum())
            np.testing.assert_allclose(out[b, i], np.mean(means, axis=0))
    np.testing.assert_allclose(operator.predict(phi), operator.out_of_fold(stack(phi, blocks)))
    np.testing.assert_allclose(operator.weights() @ phi, operator.out_of_fold(stack(phi, blocks)))
    block, rest, inside, outside = next(operator.folds())
    np.testing.assert_allclose(inside @ phi[rest], out[0, rest])
    np.testing.assert_allclose(outside @ phi[rest], out[0, block])


def test_folds_of_keeps_equal_rows_together_in_any_order(rng):
    X = np.repeat(rng.standard_normal((20, 2)), 2, axis=0)
    order = rng.permutation(40)
    number = np.empty(40, int)
    for b, block in enumerate(folds_of(X, 5)):
        number[block] = b
    again = np.empty(40, int)
    for b, block in enumerate(folds_of(X[order], 5)):
        again[block] = b
    np.testing.assert_array_equal(number[order], again)
    np.testing.assert_array_equal(number[::2], number[1::2])
    assert set(np.bincount(number)) == {8}
    assert len(folds_of(np.ones((4, 2)), 5)) == 1
    with pytest.raises(ValueError, match="at least 2 folds"):
        folds_of(X, 1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("refitted", [False, True])
def test_predictions_without_the_own_fold_are_those_of_the_whole_operator(rng, weighted, refitted):
    """Also with another phi for each fold, and in single precision to its accuracy."""
    X, w = rng.standard_normal((40, 3)), rng.choice([0.0, 1.0, 2.5], 40) if weighted else None
    blocks = folds_of(X, 4)
    q = rng.standard_normal((len(blocks), 40, 2))
    for part, block in zip(q, blocks):
        part[block] = 0
    ridge = weights.KernelRidge(1e-3)
    parts = Refitted.of(ridge, X, None, w, blocks) if refitted else ridge.fit(X, None, w).held_out(X, None, w, blocks)
    operator = MixedHoldout([parts, parts], [0.5, 0.5])
    out = operator(q)
    own = np.empty((40, 2))
    for F, block in zip(out, blocks):
        own[block] = F[block]
    np.testing.assert_allclose(operator.out_of_fold(q), own, atol=1e-9)
    single = operator.in_single_precision()
    np.testing.assert_allclose(single.out_of_fold(q), own, atol=2e-3)
    np.testing.assert_allclose(single(q), out, atol=2e-3)


@pytest.mark.parametrize("weighted", [False, True])
def test_exact_rows_are_held_out_in_closed_form(rng, weighted):
    """The predictions equal those of the same weights on a table that consists of the exact rows."""
    X, phi = rng.standard_normal((40, 3)), rng.standard_normal((40, 2))
    w = rng.choice([0.5, 1.0, 2.5], 40) if weighted else None
    exact = rng.random(40) < 0.5
    target, rows = weights.Target(phi, exact=exact), np.flatnonzero(exact)
    blocks = folds_of(X, 4)
    inside = [np.flatnonzero(np.isin(rows, block)) for block in blocks]
    for family in (weights.KernelRidge(1e-2), weights.LinearRidge(1e-2)):
        only = weights.LabelledRowsOnly(family, exact=True)
        found = only.fit(X, target, w).held_out(X, target, w, blocks).predict(phi)
        own = None if w is None else w[exact]
        alone = family.fit(X[exact], None, own).held_out(X[exact], None, own, inside).predict(phi[exact])
        np.testing.assert_allclose(found[exact], alone, atol=1e-8)


def test_forests_of_exact_rows_are_grown_again_only_if_labels_change(rng):
    X, phi = rng.standard_normal((40, 3)), np.eye(2)[rng.integers(0, 2, 40)]
    exact = np.arange(40) < 20
    only = weights.LabelledRowsOnly(weights.Forest(5, random_state=0), exact=True)
    fitted = only.fit(X, weights.Target(phi, exact=exact))
    forest, trees = fitted.weights_, fitted.weights_.trees_
    other = phi.copy()
    other[30] = other[30, ::-1]
    fitted.refit(X, weights.Target(other, exact=exact))
    assert fitted.weights_ is forest
    assert forest.trees_ is trees
    other[3] = other[3, ::-1]
    assert fitted.refit(X, weights.Target(other, exact=exact)).weights_.trees_ is not trees
