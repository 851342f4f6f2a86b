"""Orders of ten items, proved: the paper's lines, beside the paper's alternation; and twelve and fourteen items.

Times are of the processor, one thread, taken in turns: a noisy machine is noisy for both.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks._tools import Table
from benchmarks.rankings import PaperAlternation, lines
from infimum import PartialRanker
from infimum.datasets import lose_pairs
from infimum.outputs import PartialOrders
from infimum.outputs.rankings.forms import pairs_in_codes
from infimum.solvers._orders import certain, minimise_orders
from infimum.weights import KernelRidge

M, N, ASKED = 10, 50, 4
LEVELS = np.linspace(0.5, 1, 8)[:-1]
READINGS = ("inside", "joint")
SIGMA, LAM = 0.5, N**-0.5


def main(problems: int = 2) -> None:
    paper_setting(problems)
    beyond(12, problems=1)
    beyond(14, problems=1)


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    out = run()
    return time.process_time() - start, out


def objectives(codes: np.ndarray, alpha: np.ndarray, reading: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The distinct relations, and the weights on them, summed over equal rows."""
    unique, which = np.unique(PartialOrders(codes).codes, axis=0, return_inverse=True)
    sums = np.eye(len(unique))[which.ravel()]
    before = pairs_in_codes(unique.astype(float))
    if reading == "inside":
        return before, alpha @ sums, np.zeros((len(alpha), len(unique)))
    return before, np.maximum(alpha, 0) @ sums, np.minimum(alpha, 0) @ sums


def paper_setting(problems: int) -> None:
    title = f"m = {M}, n = {N}, 200 queries, {problems} problems: ms a prediction (quick, proved, alternation, paper's)"
    table = Table(title + ", share proved quickly, by proof")
    paper, quick, proved, shares = [], [], [], []
    for c in LEVELS:
        for reading in READINGS:
            rows = [one(c, reading, *problem) for problem in list(lines(M, problems))]
            a, b, d, p, share, all_share, worse = np.mean(rows, axis=0)
            quick, proved, paper, shares = quick + [a], proved + [b], paper + [p], shares + [share]
            times = f"{1e3 * a:.3f}  {1e3 * b:.2f}  {1e3 * d:.2f}  {1e3 * p:.1f}"
            table.row(
                f"c = {c:.3f}, {reading}", f"{times}  {share:.1%} {all_share:.1%}, alternation is {worse:.1%} above"
            )
    table.ratio("quick / the paper's, over all c", float(np.mean(quick)), float(np.mean(paper)), 1 / 50)
    table.ratio("all proved / the paper's, over all c", float(np.mean(proved)), float(np.mean(paper)), 3)
    worst = int(np.argmax(np.array(proved) / np.array(paper)))
    table.ratio("all proved / the paper's, at the worst c", proved[worst], paper[worst], 3)
    table.row("proved quickly", f"{np.mean(shares):.1%}", "at least 95 %", bool(np.mean(shares) >= 0.95))


def one(c: float, reading: str, X: np.ndarray, scores: np.ndarray, Xt: np.ndarray, _: np.ndarray) -> tuple:
    """Seconds a prediction of the quick search, the proof, our alternation and the paper's; shares; excess risk."""
    codes = lose_pairs(scores, c)
    alpha = np.asarray(KernelRidge(LAM, sigma=SIGMA).fit(X)(Xt))
    before, infimum, supremum = objectives(codes, alpha, reading)
    minimise_orders(before, infimum[:1], supremum[:1])  # compiles
    quick, (_, low, bound) = timed(lambda: minimise_orders(before, infimum, supremum, prove=False))
    share = certain(low, bound, infimum, supremum, M).mean()
    exact, (_, value, bound) = timed(lambda: minimise_orders(before, infimum, supremum))
    model = PartialRanker.paper(M, negative_weights=reading, weights=KernelRidge(LAM, sigma=SIGMA)).fit(X, codes)
    today, _ = timed(lambda: model.predict(Xt))
    found = model.minimum(Xt).value
    alternation = PaperAlternation(codes)
    paper, _ = timed(lambda: [alternation.predict(a) for a in alpha[:ASKED]])
    q = len(alpha)
    worse = (found - value).sum() / np.abs(value).sum()
    proved = certain(value, bound, infimum, supremum, M).mean()
    return quick / q, exact / q, today / q, paper / ASKED, share, proved, worse


def beyond(m: int, problems: int, queries: int = 5, nodes: int = 3000) -> None:
    table = Table(f"m = {m}, {queries} queries, at most {nodes} ends: ms a prediction, share proved, mean relative gap")
    for c in LEVELS[[1, 3, 5, 6]]:
        for reading in READINGS:
            rows = []
            for X, scores, Xt, _ in lines(m, problems):
                alpha = np.asarray(KernelRidge(LAM, sigma=SIGMA).fit(X)(Xt[:queries]))
                before, infimum, supremum = objectives(lose_pairs(scores, c), alpha, reading)
                search = partial(minimise_orders, before, infimum, supremum, nodes=nodes)
                seconds, (_, value, bound) = timed(search)
                proved = certain(value, bound, infimum, supremum, m)
                rows.append((1e3 * seconds / queries, proved.mean(), ((value - bound) / np.abs(value)).mean()))
            ms, share, gap = np.mean(rows, axis=0)
            table.row(f"c = {c:.3f}, {reading}", f"{ms:.1f} ms, {share:.0%} proved, gap {gap:.2%}")


if __name__ == "__main__":
    main()
