"""Single precision where it is safe: what it changes of the predictions, estimated from the normal equations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from ...data.chunks import ROWS

if TYPE_CHECKING:
    from .primal import Sums

EPS = float(np.finfo(np.float32).eps)
PAYS = 32  # rows a centre from which on half the time is worth a look at the kernel of the centres
HOPELESS = 2.0**13  # times 1 / EPS: the condition of the normal equations that single precision never bears
SUMMED = 3.0  # times EPS: the error of an entry that is summed over a piece, by how processors sum
LOST = 2.0**-7  # of the deviation of the sums over the rows: how much of it rounding may be


def hopeless(P: NDArray, lam: float) -> bool:
    """Whether the normal equations, as the centres alone foretell them, P²/m + lam P, are near singular.

    >>> hopeless(np.eye(3), 1e-3), hopeless(np.ones((3, 3)), 1e-3)
    (False, True)
    """
    size = float(np.abs(P).max(initial=0.0))
    if not 2.0**-20 < size < 2.0**20:  # products of such features are near the ends of the range
        return True
    M = P @ P / len(P) + lam * P
    try:
        factor = linalg.cholesky(M, lower=True, check_finite=False)
    except linalg.LinAlgError:
        return True
    return bool(linalg.lapack.dpocon(factor, linalg.norm(M, 1), uplo=b"L")[0] < EPS / HOPELESS)


def lost(sums: Sums, factor: NDArray) -> float:
    """What rounding changes of sum_i alpha_i(x) phi_i, beside what they differ by from row to row; root mean squares.

    Let G = B'WB, c = B'W phi and s = B'W 1 be summed in single precision over pieces of `ROWS` rows. An entry of a
    piece has a relative error of about 3 EPS at worst, independent of those of other pieces. A constant a in phi is
    left aside: with theta = M^{-1} (c - a s) the sums change by B d, where M d = e has independent entries of variance
    v_i = (3 EPS)² / pieces (sum_j G_ij² theta_j² + c_i² + a² s_i²), and |B d|² = e'M^{-1} G M^{-1} e <= e'M^{-1} e is
    sum_i v_i (M^{-1})_ii in the mean. The features of a query are rounded, too: EPS² sum_j G_jj (M^{-1} c)_j².
    """
    assert sums.gram is not None
    c, s = sums.cross[0], sums.ones[:, None]
    constant = s.T @ c / max(float(np.sum(s * s)), 1e-300)
    whole, one = (linalg.cho_solve((factor, True), column, check_finite=False) for column in (c, s))
    theta = whole - one * constant
    G = sums.gram + np.tril(sums.gram, -1).T
    entries = np.square(G) @ np.square(theta) + np.square(c) + np.square(s * constant)
    inverse = np.diagonal(linalg.lapack.dpotri(factor, lower=1)[0])
    pieces = max(sums.n / ROWS, 1)
    error = EPS**2 * (SUMMED**2 * np.sum(inverse @ entries) / pieces + np.sum(np.diagonal(G) @ np.square(whole)))
    mean = sums.ones @ theta / sums.total
    variance = np.sum(theta * (G @ theta)) - sums.total * np.sum(np.square(mean))
    return float(np.sqrt(error / variance)) if variance > 0 and np.isfinite(error) else np.inf
