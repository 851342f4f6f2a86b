"""The core: fit and predict beside the bare work and beside scikit-learn's KernelRidge; the time to import."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
from scipy import linalg
from sklearn.kernel_ridge import KernelRidge as Reference
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils import gen_batches

from benchmarks._tools import Job, Table, peak_bytes, side_by_side, traced_bytes
from infimum import CandidateLabels, PartialClassifier, weights

N, D, M, Q = 6000, 50, 10, 50_000
LAM = 1e-3


def main() -> None:
    rng = np.random.default_rng(0)
    X, queries = rng.standard_normal((N, D)), rng.standard_normal((Q, D))
    mask = rng.random((N, M)) < 0.2
    mask[np.arange(N), rng.integers(M, size=N)] = True
    gamma = 1 / (D * X.var())
    sets, phi = CandidateLabels(mask), -mask.astype(float)
    model = PartialClassifier.paper(weights=weights.KernelRidge(lam=LAM, gamma=gamma))

    def bare_fit():
        K = rbf_kernel(X, gamma=gamma)
        K[np.diag_indices(N)] += N * LAM
        factor = linalg.cho_factor(K.T, lower=False, overwrite_a=True, check_finite=False)
        return linalg.cho_solve(factor, phi, check_finite=False)

    def reference_fit():
        return Reference(alpha=N * LAM, kernel="rbf", gamma=gamma).fit(X, phi)

    table = Table(f"Core: n = {N}, d = {D}, m = {M}")
    table.job(Job("fit / bare kernel, Cholesky, solve", lambda: model.fit(X, sets), bare_fit, 1.1, 3))
    table.job(Job("fit / scikit-learn's KernelRidge", lambda: model.fit(X, sets), reference_fit, 1.0, 3))
    ours, theirs = peak_bytes(lambda: model.fit(X, sets)), peak_bytes(reference_fit)
    table.ratio("peak memory of fit / 8 n² bytes", ours, 8 * N * N, 1.3)
    table.ratio("peak memory of fit / scikit-learn's KernelRidge", ours, theirs, 0.6)

    model.fit(X, sets)
    coef = bare_fit()

    def bare_predict():
        for rows in gen_batches(Q, 2**21 // N):
            np.argmin(rbf_kernel(queries[rows], X, gamma=gamma) @ coef, axis=1)

    table.job(Job(f"predict {Q} / bare kernel times matrix", lambda: model.predict(queries), bare_predict, 1.3, 3))
    few, all_ = (traced_bytes(lambda q=q: model.predict(queries[:q])) for q in (Q // 5, Q))
    table.ratio(f"peak memory of predict, {Q} / {Q // 5} queries", all_, few, 1.3)
    expected = reference_fit().predict(queries[:2000]).argmin(axis=1)
    same = np.mean(model.predict(queries[:2000]) == expected)
    table.row("predictions equal to scikit-learn's argmin", f"{100 * same:.2f} %", "100 %", same == 1)
    table.ratio("import infimum / import sklearn.kernel_ridge", *_imports(), 1.2)


def _imports() -> tuple[float, float]:
    """The best of several imports in fresh interpreters, which keep their bytecode, as after an installation."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def load(module: str):
        return lambda: subprocess.run([sys.executable, "-c", f"import {module}"], check=True, env=kept)

    return side_by_side(load("infimum"), load("sklearn.kernel_ridge"), 7)


if __name__ == "__main__":
    main()
