"""Factors, inverses and solutions by LAPACK without the interpreter's lock, and by SciPy where that cannot be had."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import LinAlgError

from infimum.weights import cholesky

SIZES = [1, 2, 5, 127, 128, 129, 300]


@pytest.fixture(params=["direct", "scipy"])
def way(request, monkeypatch):
    if request.param == "scipy":
        monkeypatch.setattr(cholesky, "_routine", lambda name: None)
    return request.param


def definite(rng, n: int) -> np.ndarray:
    B = rng.standard_normal((n, n + 3))
    return B @ B.T + np.eye(n)


@pytest.mark.parametrize("n", SIZES)
def test_factor_inverse_and_solution(way, rng, n):
    A, b = definite(rng, n), rng.standard_normal((n, 4))
    L = cholesky.factor(A.copy())
    np.testing.assert_allclose(np.tril(L), np.linalg.cholesky(A), atol=1e-10)
    whole = cholesky.inverse(L)
    np.testing.assert_array_equal(whole, whole.T)
    np.testing.assert_allclose(whole @ A, np.eye(n), atol=1e-8)
    np.testing.assert_allclose(A @ cholesky.solve(L, b.copy()), b, atol=1e-8)


def test_what_is_above_the_diagonal_is_not_read(way, rng):
    A = definite(rng, 200)
    damaged = np.where(np.tri(200, dtype=bool), A, np.nan)
    L = cholesky.factor(damaged)
    assert L is damaged
    np.testing.assert_allclose(cholesky.inverse(L), np.linalg.inv(A), atol=1e-8)
    np.testing.assert_allclose(cholesky.solve(L, np.eye(200)), np.linalg.inv(A), atol=1e-8)


def test_only_columns_that_lie_one_after_the_other_are_overwritten(way, rng):
    A, b = definite(rng, 6), rng.standard_normal((6, 3))
    L, kept, columns = cholesky.factor(A.copy()), b.copy(), np.asfortranarray(b)
    cholesky.solve(L, b)
    np.testing.assert_array_equal(b, kept)
    assert np.shares_memory(cholesky.solve(L, columns), columns)


def test_what_has_no_factor_is_refused(way):
    with pytest.raises(LinAlgError, match="not positive definite"):
        cholesky.factor(np.array([[1.0, 0.0], [2.0, 1.0]]))
    with pytest.raises(LinAlgError, match="singular"):
        cholesky.inverse(np.array([[1.0, 0.0], [2.0, 0.0]]))


@pytest.mark.parametrize("name", cholesky.SIGNATURES)
def test_the_routines_are_found_and_others_are_not_taken_for_them(name, monkeypatch):
    find = cholesky._routine.__wrapped__
    assert find(name) is not None
    wide = cholesky.SIGNATURES[name].replace("int", "int64_t")
    monkeypatch.setitem(cholesky.SIGNATURES, name, wide)
    assert find(name) is None


@pytest.mark.parametrize("A", [np.eye(3, dtype=np.float32), np.arange(9.0).reshape(3, 3).T, np.ones(3)])
def test_other_memory_is_refused_not_overwritten(A):
    with pytest.raises(TypeError, match="a matrix of doubles, row by row"):
        cholesky.factor(A)
