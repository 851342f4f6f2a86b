"""Rankings: our alternation beside the paper's, on the paper's lines; label ranking with missing labels."""

from __future__ import annotations

import time
import warnings
from itertools import combinations

import highspy
import numpy as np
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from benchmarks._tools import Table, run_parts, side_by_side
from infimum import InfimumWarning, PartialRanker, SetLoss
from infimum.datasets import drop_items, drop_pairs, load
from infimum.loss import doubled
from infimum.metrics import kendall_tau, wrong_pairs
from infimum.outputs import Rankings
from infimum.solvers import Alternate
from infimum.weights import KernelRidge

M, N, Q = 10, 50, 200
DATA = ["iris", "wine", "glass", "vehicle", "vowel", "housing", "bodyfat"]
MISSING = [0.0, 0.3, 0.6]
PRINCIPLES = ["infimum", "average", "disambiguation"]


def main(names: list[str] | None = None) -> None:
    parts = {"speed": speed, "errors": errors, "reached": reached, "wide": wide, "real_data": real_data}
    run_parts(parts, names)


def lines(m: int, problems: int = 8):
    """Sec. 5.2: inputs in [-1, 1] and the heights of m lines at them, for training and for testing."""
    rng = np.random.RandomState(0)  # the draws behind the published reference numbers
    for _ in range(problems):
        a, b = rng.randn(m), rng.randn(m)
        X, Xt = 2 * rng.rand(N, 1) - 1, 2 * rng.rand(Q, 1) - 1
        yield X, X * a + b, Xt, Xt * a + b


class PaperAlternation:
    """App. B.2: one linear program for z, one for each training row, 0 on unstated pairs at the start, warm starts.

    The transitivity polytope of App. C, 0 <= x_ij + x_jk - x_ik <= 1 with x in [0, 1]; a row fixes its stated pairs.
    """

    def __init__(self, codes: np.ndarray, max_iter: int = 20):
        self.codes, self.max_iter = codes.astype(float), max_iter
        m = (1 + int((1 + 8 * codes.shape[1]) ** 0.5)) // 2
        pair = {p: k for k, p in enumerate(combinations(range(m), 2))}
        self.n = len(pair)
        self.columns = np.arange(self.n, dtype=np.int32)
        empty = np.empty(0, dtype=np.int32)
        self.lp = highspy.Highs()
        self.lp.setOptionValue("output_flag", False)
        zero, one = np.zeros(self.n), np.ones(self.n)
        self.lp.addCols(self.n, zero, zero, one, 0, empty, empty, np.empty(0))
        triples = combinations(range(m), 3)
        index = np.array([(pair[i, j], pair[j, k], pair[i, k]) for i, j, k in triples], dtype=np.int32)
        rows = len(index)
        starts, values = np.arange(0, 3 * rows, 3, dtype=np.int32), np.tile([1.0, 1.0, -1.0], rows)
        self.lp.addRows(rows, np.zeros(rows), np.ones(rows), 3 * rows, starts, index.ravel(), values)

    def argmax(self, c: np.ndarray, fixed: np.ndarray) -> np.ndarray:
        """The code that maximises <c, .> and agrees with `fixed` where that is not 0."""
        self.lp.changeColsCost(self.n, self.columns, -c)
        lower, upper = (fixed == 1).astype(float), (fixed != -1).astype(float)
        self.lp.changeColsBounds(self.n, self.columns, lower, upper)
        self.lp.run()
        return np.where(np.array(self.lp.getSolution().col_value) > 0.5, 1.0, -1.0)

    def predict(self, alpha: np.ndarray) -> np.ndarray:
        """The code predicted from the weights of one query."""
        y, z = self.codes, np.zeros(self.n)
        for _ in range(self.max_iter):
            new = self.argmax(alpha @ y, np.zeros(self.n))
            if np.array_equal(new, z):
                break
            z = new
            y = np.array([self.argmax(a * z, fixed) for a, fixed in zip(alpha, self.codes)])
        return z


def speed() -> None:
    table = Table(f"m = {M}, n = {N}, {Q} queries, skewed corruption 0.7, negative weights joint")
    X, scores, Xt, _ = next(lines(M))
    codes, queries = drop_pairs(scores, 0.7), 20
    model = PartialRanker.paper(M, negative_weights="joint", weights=KernelRidge(N**-0.5, sigma=0.5)).fit(X, codes)
    found = model.minimum(Xt)  # compiles
    alpha = np.asarray(KernelRidge(N**-0.5, sigma=0.5).fit(X)(Xt[:queries]))
    paper = PaperAlternation(codes)
    theirs_z = np.array([paper.predict(a) for a in alpha])
    ours, theirs = side_by_side(lambda: model.predict(Xt), lambda: [paper.predict(a) for a in alpha], 3)
    table.ratio("a prediction, ours / the paper's", ours / Q, theirs / queries, 1 / 50)
    i, j = np.triu_indices(M, 1)
    wins = np.array([np.bincount(np.where(z > 0, i, j), minlength=M) for z in theirs_z])
    space = Rankings(M).fit(codes)
    losses = doubled(SetLoss(space, space.read(codes)))(np.argsort(-wins, axis=1, kind="stable"))
    signed = np.hstack([np.maximum(alpha, 0), np.minimum(alpha, 0)])
    value = np.einsum("qn,qn->q", signed, losses)
    table.row("mean objective, ours and the paper's", f"{found.value[:queries].mean():.4f}, {value.mean():.4f}")
    table.row("mean gap to the lower bound", f"{found.gap.mean():.4f}")


def errors() -> None:
    table = Table("Share of wrong pairs, eight problems, m = 10, best of six settings: ours <= the paper's alternation")
    for c in np.linspace(0.5, 1, 8)[:-1]:
        ours, theirs = {}, {}
        for X, scores, Xt, scores_t in lines(M):
            truth = drop_pairs(scores_t, 0)
            codes = drop_pairs(scores, c)
            for sigma, lam in [(s, k) for s in (1.0, 0.5) for k in (1e3, 1.0, 1e-3)]:
                family = KernelRidge(lam / N**0.5, sigma=sigma)
                model = PartialRanker.paper(M, negative_weights="joint", weights=family).fit(X, codes)
                ours.setdefault((sigma, lam), []).append(wrong_pairs(truth, model.predict(Xt)))
                zero = PartialRanker.paper(M, negative_weights="joint", weights=family, solver=FromZero(codes)).fit(
                    X, codes
                )
                theirs.setdefault((sigma, lam), []).append(wrong_pairs(truth, zero.predict(Xt)))
        best, other = (min(np.mean(e) for e in errors.values()) for errors in (ours, theirs))
        table.row(f"c = {c:.4f}", f"{best:.4f}", f"{other:.4f}", best <= other + 1e-12)


class FromZero(Alternate):
    """The paper's start: the stated pairs, without their closure."""

    def __init__(self, codes=None):
        super().__init__(n_starts=1)
        self.codes = codes

    def fit(self, L, weights=None):
        super().fit(L, weights)
        pairs = np.full((len(self.codes), 1), self.codes.shape[1])
        self.starts_ = [np.vstack([np.hstack([self.codes, pairs])] * len(L.terms))]
        return self


def reached() -> None:
    table = Table("How often alternation reaches the exact optimum, m = 6, from 1 and from 4 starts")
    X, scores, Xt, _ = next(lines(6))
    codes = drop_pairs(scores, 0.7)
    for reading in ("inside", "joint"):
        settings = {"items": 6, "negative_weights": reading, "weights": KernelRidge(N**-0.5, sigma=0.5)}
        exact = PartialRanker.paper(**settings).fit(X, codes).minimum(Xt).value
        shares = []
        for starts in (1, 4):
            found = PartialRanker.paper(**settings, solver=Alternate(n_starts=starts)).fit(X, codes).minimum(Xt)
            shares.append(np.mean(found.value <= exact + 1e-9 * np.abs(exact)))
        table.row(f"{reading} reading", ", ".join(f"{share:.0%}" for share in shares))


def wide() -> None:
    table = Table("m = 100 items, n = 200 rows, seconds for 10 predictions with their certificates")
    rng = np.random.default_rng(0)
    X, Xt = rng.uniform(-1, 1, (200, 2)), rng.uniform(-1, 1, (10, 2))
    slopes = rng.standard_normal((2, 100))
    scores, truth = X @ slopes, drop_pairs(Xt @ slopes, 0)
    tops = [order[:30].tolist() for order in np.argsort(-scores, axis=1)]
    for what, y in [("full orders", -scores), ("the first 30 items", tops)]:
        start = time.perf_counter()
        model = PartialRanker.paper(100, weights=KernelRidge(1e-4, gamma=0.5), time_limit=1.0).fit(X, y)
        found = model.minimum(Xt)
        seconds = time.perf_counter() - start
        table.row(what, f"{seconds:.2f} s, tau {kendall_tau(truth, found.z):.3f}, gap {found.gap.max():.2g}")


def tuned(X: np.ndarray, sets, principle: str) -> KernelRidge:
    """Return lam and gamma of the smallest leave-one-out error on the embedded training sets."""
    phi = sets.center() if principle == "average" else sets.start()
    grid = [KernelRidge(lam, gamma=k / X.shape[1]) for lam in np.logspace(-6, 0, 13) for k in (0.1, 0.3, 1, 3, 10)]
    return min(grid, key=lambda ridge: np.square(ridge.fit(X).leave_one_out(phi) - phi).sum())


def ten_fold_tau(X: np.ndarray, ranks: np.ndarray, share: float, principle: str) -> float:
    """Kendall's tau on full rankings, learned from rankings where each label is missing with probability `share`."""
    m, taus = ranks.shape[1], []
    for train, test in KFold(10, shuffle=True, random_state=0).split(X):
        scaler = StandardScaler().fit(X[train])
        inside, outside = scaler.transform(X[train]), scaler.transform(X[test])
        given = drop_items(ranks[train], share, random_state=0)
        sets = Rankings(m).fit(given).read(given)
        solver = "auto" if m <= 8 or principle == "average" or not share else Alternate(n_starts=1)
        model = PartialRanker.paper(m, principle, weights=tuned(inside, sets, principle), solver=solver)
        taus.append(kendall_tau(ranks[test], model.fit(inside, sets).predict(outside)))
    return float(np.mean(taus))


def real_data(names: list[str] = DATA) -> None:
    table = Table(f"Label ranking, ten-fold mean Kendall's tau, labels missing at random: {', '.join(PRINCIPLES)}")
    for name in names:
        data = load(f"label-ranking/{name}", download=False)
        for share in MISSING:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", InfimumWarning)  # of singular kernels, where lam is tiny
                taus = [ten_fold_tau(data.data, data.target.astype(float), share, p) for p in PRINCIPLES]
            table.row(f"{name}, m = {data.target.shape[1]}, {share:.0%} missing", "  ".join(f"{t:.3f}" for t in taus))


if __name__ == "__main__":
    main()
