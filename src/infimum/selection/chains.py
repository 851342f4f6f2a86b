"""Model selection for sequences: features and regularisation, compared by held-out set log-likelihood."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import chain
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state

from ..data.progress import track
from ..data.tokens import Design, TokenFeatures, Tokens
from ..disambiguation.chain import Chain, fit_chain
from ..outputs import Labels
from ..outputs.sequences import Lattices
from .config import SearchConfig
from .result import Result, SelectionResult
from .scores import compare_with_constant


class Choice(NamedTuple):
    """What was selected."""

    kernel: bool
    lam: float
    selection: SelectionResult | None


class Fold(NamedTuple):
    """Sequences that are fitted and sequences that are held out."""

    fit: NDArray
    held_out: NDArray


def select_chain(
    tokens: Tokens, sets: Lattices, w: NDArray, kernels: list[bool], lams: list[float], random_state: Any,
    verbose: int = 0, on_result: Callable[[Result], bool] | None = None, config: SearchConfig | None = None,
) -> Choice:  # fmt: skip
    """Return the features and the regularisation of the largest held-out log-likelihood.

    Parameters
    ----------
    tokens, sets, w
        The tokens, candidate sets and sample weights of all sequences.
    kernels : list of bool
        Whether kernel features are added.
    lams : list of float
        Strengths of the regularisation, in descending order.
    random_state : int or RandomState
        The choice of sequences and folds.
    verbose : int
        Whether progress is shown.
    on_result : callable, optional
        Is called with each result; if it returns True, nothing further is compared.
    config : SearchConfig, optional
        The constants of the comparison.
    """
    config = SearchConfig() if config is None else config
    random = check_random_state(random_state)
    labelled = np.flatnonzero((w > 0) & ~sets.is_unlabelled)
    if len(kernels) * len(lams) == 1 or len(labelled) < 4:
        return Choice(kernels[0], 1.0 if len(lams) > 1 else lams[0], None)
    some = random.permutation(labelled)[: config.n_sequences]
    tokens, sets, w = tokens.take(some), sets[some], w[some]
    folds = [Fold(*split) for split in KFold(min(config.n_folds, len(some) // 2)).split(some)]
    folds = folds[: max(1, -(-config.n_sequences_held_out // len(folds[0].held_out)))]
    results: list[tuple[Result, bool, float, NDArray]] = []
    stopped = False
    each = (_compare(tokens, sets, w, kernel, lams, folds, random, verbose, config) for kernel in kernels)
    for one in chain.from_iterable(each):
        results.append(one)
        stopped = on_result is not None and on_result(one[0])
        if stopped:
            break
    best = max(range(len(results)), key=lambda k: results[k][0].log_likelihood)
    found, kernel, lam, z = results[best]
    held_out = np.concatenate([fold.held_out for fold in folds])
    scores = token_scores(sets[held_out], z)
    params = {"features": "kernel" if kernel else "linear", "lam": lam}
    selection = SelectionResult([one[0] for one in results], found, params, complete=not stopped, scores=scores)
    return Choice(kernel, lam, selection)


def _compare(
    tokens: Tokens, sets: Lattices, w: NDArray, kernel: bool, lams: list[float], folds: list[Fold], random: Any,
    verbose: int, config: SearchConfig,
) -> Iterator[tuple[Result, bool, float, NDArray]]:  # fmt: skip
    """Yield the results of the strengths of regularisation up to the first that is worse than the one before."""
    seed = int(random.randint(2**31 - 1))
    design = TokenFeatures(kernel, seed).fit(tokens).design(tokens)
    chains: list[Chain | None] = [None] * len(folds)
    best = -np.inf
    for lam in track(lams, "kernel features" if kernel else "linear features") if verbose else lams:
        began = time.perf_counter()
        likelihoods, labels = [], []
        for k, fold in enumerate(folds):
            fit = design[sets.tokens(fold.fit)], sets[fold.fit], lam, w[fold.fit]
            own = fit_chain(*fit, chains[k], config.chain_max_iter, config.chain_tol)
            test = sets[fold.held_out]
            new = design[sets.tokens(fold.held_out)]
            likelihoods.append(own.log_likelihoods(new, test))
            labels.append(own.predict(new, test)[0])
            chains[k] = own
        held_out = np.concatenate([fold.held_out for fold in folds])
        z, mean = np.concatenate(labels), float(np.average(np.concatenate(likelihoods), weights=w[held_out]))
        mask = sets[held_out].mask
        known = ~mask.all(axis=1)
        rate = float(np.mean(mask[np.arange(len(z)), z][known]))
        name = f"{'kernel' if kernel else 'linear'} chain, lam {lam:g}"
        yield (
            Result(name, "", "", nan, lam, nan, nan, nan, nan, "", "", "", "disambiguation", "", int(known.sum()), rate,
                   rate - 1, mean, nan, time.perf_counter() - began), kernel, lam, z,
        )  # fmt: skip
        if mean < best:
            break
        best = mean


def held_out(
    design: Design, sets: Lattices, w: NDArray, lam: float, folds: list[Fold], single: bool = False
) -> tuple[NDArray, NDArray]:
    """Return the probabilities of all labels, (N, m), and labels, (N,), from models without the fold of the sequence.

    Parameters
    ----------
    design, sets, w
        The features of all tokens, their candidate sets, and the sample weights of the sequences.
    lam : float
        The strength of the regularisation.
    folds : list of Fold
        Every sequence is held out once.
    single : bool
        Whether each token is a sequence of its own, so that labels do not depend on each other.
    """
    config = SearchConfig()
    P, z = np.empty(sets.mask.shape), np.empty(len(sets.mask), dtype=int)
    for fold in folds:
        fit, test = sets.tokens(fold.fit), sets.tokens(fold.held_out)
        own, new, weight = sets[fold.fit], sets[fold.held_out], w[fold.fit]
        if single:
            weight = np.repeat(weight, own.lengths)
            own, new = (Lattices(part.mask, np.ones(len(part.mask), dtype=int)) for part in (own, new))
        model = fit_chain(design[fit], own, lam, weight, None, config.chain_max_iter, config.chain_tol)
        P[test], z[test] = model.marginals(design[test], new), model.predict(design[test], new)[0]
    return P, z


def token_scores(sets: Lattices, z: NDArray) -> dict[str, Any]:
    """Return the scores of predicted labels of tokens beside those of the most frequent label."""
    labels = Labels(classes=np.arange(sets.mask.shape[1]) if sets.classes is None else sets.classes).fit([])
    known = np.flatnonzero(~sets.mask.all(axis=1))
    if not len(known):
        return {}
    return compare_with_constant(labels, labels.read(sets.mask[known]), z[known])
