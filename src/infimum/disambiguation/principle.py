"""Disambiguation: the principle that estimates the label of each row, then trains on these labels."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state

from ..data import Table
from ..data.checks import check_number
from ..data.chunks import sample, single_blas
from ..data.memory import require
from ..loss import SetLoss
from ..outputs.base import OutputSpace, Points, Sets
from ..outputs.chunked import as_sets
from ..weights.base import Target, Weights
from ..weights.holdout import Holdout, folds_of, rounded
from .hard import best_of_starts
from .posterior import Members, SetPosterior
from .result import DisambiguationResult
from .soft import Schedule, SoftResult, fit_growing, held_out_sums, posterior_of, run, supports_soft
from .subsample import SoftLabelsInChunks, fit_subset, propagate

SINGLE_THREAD_ROWS = 3000  # rows up to which one BLAS thread is faster than two
HELD_OUT_ROUNDS = 10  # rounds of hard disambiguation for held-out rows; ranks models as well as 100 rounds
COPIES = 6  # arrays of the size of the soft labels that are in memory at once


class Disambiguation(BaseEstimator):
    """Principle that estimates which member of its set is the label of each row, and trains on these labels.

    The string ``principle="disambiguation"`` of an estimator stands for ``Disambiguation()``.

    Parameters
    ----------
    kind : {"auto", "soft", "hard"}, default "auto"
        "soft" assigns probabilities to the members of each set, for labels, tags, masks, rankings, numbers and boxes
        (see `disambiguation.soft`). "hard" selects one member per set, for every output type (see
        `disambiguation.hard`); it starts from the soft labels if there are any. "auto" is "soft" if the output type
        supports it.
    ramp, cap : float, default 20 and 2
        The exponent of the soft update grows from 1 to `cap`, by 1 / ramp per round. A larger `cap` gives sharper soft
        labels. Forests use the exponent 1, because their leave-one-out predictions are means of few trees.
    max_iter : int, default 50
        The largest number of rounds. Increase it if the result has not converged.
    tol : float, default 2e-3
        The loop ends when soft labels change by less than this on average.
    n_starts : int, default 1
        The number of starts of hard disambiguation; those after the first are random. The lowest objective wins.
    threshold : float or None, default 0.1
        Rows with held-out probability P_i(S_i) below this are suspects if other sets of the same size are more
        probable by the same factor. For numbers, a row is a suspect if the expected number of correct
        intervals that are as far from their predictions from all other rows is below this (Chauvenet's criterion).
        None skips the search for suspects, which saves time.
    n_folds : int, default 5
        The number of folds for the held-out probabilities P_i(S_i). For numbers, only if rows have groups.
    subset_size : int, default 10000
        Data with more than twice as many rows, and chunked data, are disambiguated on a subset of this size; the
        labels of the other rows are predicted from the subset. Only for weights that support chunked data.
    random_state : int, default 0
        Seed of the random starts.
    noise : None, "estimate" or float, default None
        The share of sets that do not contain the true label. None assumes that there are none, and "estimate"
        estimates the share. For labels, tags and numbers. The reliability of several annotators (`Votes`) is always
        estimated.
    decision : {"labels", "sets", "scores"}, default "labels"
        What a prediction minimises: the mean loss to the estimated labels, or the infimum loss to the sets, with
        weights that were fitted to the labels. "sets" has a smaller set risk if many intervals are one-sided and
        predictions are uncertain. "scores" is for rankings: items are sorted by scores that are functions of x, fitted
        by maximum penalised likelihood if the weights are a ridge regression (see `disambiguation.BradleyTerry`). With
        other weights it is "labels" after fewer rounds. It is what ``principle="auto"`` uses for rankings.
    constraints : list of Constraint, optional
        What is known about groups of rows, for labels: `Share`, `AtLeast`, `Exactly`, `Balanced`. Soft labels are
        projected on them in each round; selected members satisfy them exactly. Contradictory ones raise an error.

    Examples
    --------
    >>> from infimum import Disambiguation, PartialClassifier
    >>> X = [[0.], [.1], [.2], [.8], [.9], [1.]]
    >>> y = ["a", "a|b", "a", "b|c", "b", "b|a"]
    >>> model = PartialClassifier(principle=Disambiguation(threshold=None)).fit(X, y)
    >>> model.labels_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']
    """

    def __init__(
        self,
        kind: str = "auto",
        ramp: float = 20,
        cap: float = 2.0,
        max_iter: int = 50,
        tol: float = 2e-3,
        n_starts: int = 1,
        threshold: float | None = 0.1,
        n_folds: int = 5,
        subset_size: int = 10_000,
        random_state: Any = 0,
        noise: Any = None,
        decision: str = "labels",
        constraints: Any = None,
    ) -> None:
        self.kind = kind
        self.ramp = ramp
        self.cap = cap
        self.max_iter = max_iter
        self.tol = tol
        self.n_starts = n_starts
        self.threshold = threshold
        self.n_folds = n_folds
        self.subset_size = subset_size
        self.random_state = random_state
        self.noise = noise
        self.decision = decision
        self.constraints = constraints

    @property
    def name(self) -> str:
        """The name in tables of results: "disambiguation", or the parameters if they are not the defaults."""
        text = " ".join(repr(clone(self).set_params(constraints=None)).split())
        name = "disambiguation" if text == "Disambiguation()" else text
        return f"{name} with {len(self.constraints)} constraints" if self.constraints else name

    def check(self, output: OutputSpace, sets: Sets) -> None:
        """Raise an error if a parameter is invalid, or if these sets cannot be disambiguated."""
        if self.kind not in ("auto", "soft", "hard"):
            raise ValueError(f"kind must be 'auto', 'soft' or 'hard'. Got {self.kind!r} instead.")
        if self.decision not in ("labels", "sets", "scores"):
            raise ValueError(f"decision must be 'labels', 'sets' or 'scores'. Got {self.decision!r} instead.")
        if self.decision == "scores" and (self.kind == "hard" or sets.comparisons() is None):
            raise ValueError(
                f"decision='scores' supports soft labels of rankings. Got kind={self.kind!r} and {sets!r}."
            )
        check_number(self, "ramp", 0, above=True)
        check_number(self, "cap", 1)
        check_number(self, "max_iter", 1, 10**6, integer=True)
        check_number(self, "tol", 0)
        check_number(self, "n_starts", 1, 10**6, integer=True)
        check_number(self, "threshold", 0, 1, optional=True)
        check_number(self, "n_folds", 2, integer=True)
        check_number(self, "subset_size", 1, integer=True)
        if self.noise != "estimate":
            check_number(self, "noise", 0, 1, optional=True)
        if self.kind == "soft" and not supports_soft(sets):
            raise ValueError(
                f"Soft disambiguation supports labels, tags, masks, rankings, numbers and boxes, but not {sets!r}. Use"
                " Disambiguation(kind='hard')."
            )
        if not output.bilinear:
            raise ValueError(f"Disambiguation needs a bilinear loss, not that of {output!r}. Use principle='infimum'.")

    def constrain(self, output: OutputSpace, sets: Sets) -> Sets:
        """Return the sets with the constraints on groups of rows, if there are any."""
        if not self.constraints:
            return sets
        if self.noise or sets.likelihood() is not None or sets.answers_of_sources() is not None:
            raise ValueError(
                "Constraints on groups of rows are not supported together with noise, soft labels or votes. Use one of"
                " them."
            )
        return output.constrain(sets, self.constraints)

    def is_soft(self, sets: Sets) -> bool:
        """Whether these sets get soft labels, not one selected member."""
        return self.kind != "hard" and supports_soft(sets)

    def posterior(self, sets: Sets, sample_weight: NDArray | None = None) -> SetPosterior | None:
        """Return the posterior of the labels on these sets; None if they do not support soft labels."""
        return posterior_of(sets, sample_weight, self.noise)

    def _posterior(self, sets: Sets, w: NDArray | None, weights: Weights) -> SetPosterior:
        found = self.posterior(sets, w)
        assert found is not None
        _check_memory(found)
        return self._for(found, weights.is_ridge)

    def _for(self, posterior: SetPosterior, is_ridge: bool) -> SetPosterior:
        """Return the posterior for the decision, and for weights that are a ridge regression or not."""
        return posterior.for_scores(is_ridge) if self.decision == "scores" else posterior

    @property
    def schedule(self) -> Schedule:
        """The rounds of soft disambiguation."""
        return Schedule(self.ramp, self.cap, self.max_iter, self.tol)

    def replace_sets(
        self, rows: Any, loss: SetLoss, weights: Weights, target: Target
    ) -> tuple[SetLoss, Weights, DisambiguationResult | None]:
        """Replace the sets of a loss by estimated labels; return the new loss, fitted weights and the result.

        Supervised weights are fitted to `target` first, and to the labels once these are estimated. For chunked rows,
        the labels are not kept and the weights are still to be fitted.
        """
        output, sets = loss.output, loss.sets
        if not rows.in_memory:
            return self._in_chunks(rows, output, sets, weights), weights, None
        self.check(output, sets)
        if len(sets) > 2 * self.subset_size and weights.supports_chunks and self.is_soft(sets):
            return self._from_subset(rows, output, sets, weights, target)
        # BLAS threads wait for each other between many small products
        with single_blas() if len(sets) <= SINGLE_THREAD_ROWS else nullcontext():
            noise = None if sets.options() is None else self.noise  # numbers are inside of their intervals
            posterior = posterior_of(sets, rows.w, noise) if weights.supervised and self.is_soft(sets) else None
            n_growths = 0 if posterior is None else posterior.n_growths
            fitted, q = fit_growing(weights, rows.X, target, posterior, rows.w, n_growths)
            output, result = self._estimate(rows, output, sets, fitted, target, q)
            if fitted.supervised and q is None:
                phi = output.reduced(result.phi) if posterior is None else posterior.growth_target(result.phi)
                fitted = fitted.refit(rows.X, target.with_phi(phi), rows.w)
        return self.loss(output, loss.sets, result), fitted, result

    def loss(self, output: OutputSpace, sets: Sets, result: DisambiguationResult) -> SetLoss:
        """Return the loss that predictions minimise: to the estimated labels, or to the sets."""
        if self.decision == "sets":
            return SetLoss(output, sets)
        return SetLoss(output, Points(result.phi), "average")

    def outputs(
        self,
        output: OutputSpace,
        sets: Sets,
        operator: Holdout,
        posterior: SetPosterior | None,
        sample_weight: Any = None,
        rounds: int | None = None,
    ) -> tuple[NDArray, NDArray | None, float, NDArray | None]:
        """Predict held-out rows; return outputs (n, *z), log-likelihoods (n,), how many sets may miss, and F (n, *e).

        `posterior` is that of all rows, by :func:`posterior_of`. Soft labels are updated in `rounds`, by default those
        of the posterior. Hard disambiguation has neither log-likelihoods nor F.
        """
        self.check(output, sets)
        if posterior is not None and self.kind != "hard":
            posterior = self._for(posterior, operator.is_ridge)
            F = held_out_sums(operator, posterior, rounds)
            return *posterior.outputs(F, output), posterior.miss_share(F), F
        c = None
        for block, rest, inside, outside in operator.folds():
            w = None if sample_weight is None else sample_weight[rest]
            starts = self._starts(output, sets[rest], None)
            phi = best_of_starts(output, sets[rest], inside, starts, min(2 * self.max_iter, HELD_OUT_ROUNDS), w).phi
            c = np.empty((len(sets), phi.shape[1])) if c is None else c
            c[block] = outside @ phi
        assert c is not None
        return output.decode(c), None, 0.0, None

    def _from_subset(
        self, rows: Any, output: OutputSpace, sets: Sets, weights: Weights, target: Target
    ) -> tuple[SetLoss, Weights, DisambiguationResult]:
        """Estimate the labels of a subset from each other, and those of the other rows from the subset."""
        assert isinstance(rows, Table)
        at = rows.first(self.subset_size)
        w = None if rows.w is None else rows.w[at]
        model, q_subset, F_subset = fit_subset(
            weights, rows.X[at], w, target[at], self._posterior(sets[at], w, weights), self.schedule
        )
        posterior = model.posterior.with_sets(sets, rows.w)
        _check_memory(posterior)
        q, F = propagate(model, rows.X, sets)
        q[at], F[at] = q_subset, F_subset
        q = posterior.refine(F, q, self.cap)
        members = posterior.members(posterior.label_probabilities(q, F), lambda: F, output)
        result = DisambiguationResult.of_members(output, members, posterior.phi(q), True, True)
        result = replace(self._with_suspects(result, F, posterior), out_of_fold=None)
        fitted = clone(weights).fit(rows.X, target, rows.w)
        return self.loss(posterior.expand(output), sets, result), fitted, result

    def _in_chunks(self, rows: Any, output: OutputSpace, sets: Any, weights: Weights) -> SetLoss:
        """Do the same for chunked rows; the estimated labels are not kept."""
        self.check(output, sets.sample)
        if not self.is_soft(sets.sample) or not weights.supports_chunks:
            raise ValueError(
                "Disambiguation compares all rows with each other, which is not supported for these chunks."
                " Pass arrays, or use labels, tags or numbers with weights.Nystrom or weights.LinearRidge."
            )
        if self.decision == "sets":
            raise ValueError("decision='sets' needs all rows at once. Fit on arrays, or use decision='labels'.")
        some = sample(rows.X.map(partial(as_sets, output)), self.subset_size)
        posterior = self._posterior(some.y, some.w, weights)
        model = fit_subset(weights, some.X, some.w, None, posterior, self.schedule).model
        return SetLoss(posterior.expand(output), SoftLabelsInChunks(output, rows.X, model), "average")

    def _estimate(
        self, rows: Any, output: OutputSpace, sets: Sets, weights: Weights, target: Target, q: NDArray | None = None
    ) -> tuple[OutputSpace, DisambiguationResult]:
        """Estimate the labels, unless `q` is given; return the output space that contains them, and the result."""
        loo_operator = weights.loo_operator() if supports_soft(sets) else None
        if loo_operator is None:
            if self.is_soft(sets):
                raise ValueError(
                    "Soft disambiguation leaves each row out of its own update, but"
                    f" {weights!r} has no closed form for it. Use weights.KernelRidge, Nystrom,"
                    " LinearRidge, Neighbors or Forest; Disambiguation(kind='hard'); or another principle than"
                    " disambiguation."
                )
            return output, self._hard(output, sets, np.asarray(weights(rows.X)), rows.w)
        posterior = self._posterior(sets, rows.w, weights)
        schedule = self.schedule.capped(weights.largest_power)
        found = run(weights, rows.X, posterior, schedule, rows.w) if q is None else SoftResult(q, 0, True)
        q = posterior.dense(found.q)
        F = leave_one_out = None
        finds_errors, in_folds = self.threshold is not None, posterior.holds_out_folds or rows.groups is not None
        if finds_errors and in_folds:
            F = self._held_out(posterior, weights, rows, target)
        if posterior.is_fallible or (finds_errors and not in_folds) or (posterior.ranks_errors and F is not None):
            leave_one_out = loo_operator(q.reshape(len(q), -1)).reshape(q.shape)
        if F is None and finds_errors:
            F = leave_one_out  # equal rows cannot be held out
        if not self.is_soft(sets):
            result = self._hard(output, sets, np.asarray(weights(rows.X)), rows.w, posterior, q)
            return output, self._with_suspects(result, F, posterior, leave_one_out)
        probabilities = posterior.label_probabilities(q, leave_one_out)
        members = posterior.members(probabilities, lambda: loo_operator(q.reshape(len(q), -1)), output)
        result = DisambiguationResult.of_members(output, members, posterior.phi(q), found.converged, True)
        return posterior.expand(output), self._with_suspects(result, F, posterior, leave_one_out)

    def _with_suspects(
        self, result: DisambiguationResult, F: NDArray | None, posterior: SetPosterior,
        leave_one_out: NDArray | None = None,
    ) -> DisambiguationResult:  # fmt: skip
        """Add supports and suspects to a result, if there are held-out predictions F."""
        if F is None or self.threshold is None:
            return result
        found = posterior.label_errors(F, self.threshold, leave_one_out)
        return replace(result, out_of_fold=F, **found._asdict())

    def _hard(
        self,
        output: OutputSpace,
        sets: Sets,
        alpha: NDArray,
        w: Any,
        posterior: SetPosterior | None = None,
        q: Any = None,
    ) -> DisambiguationResult:
        """Select one member per set, starting from soft labels q if there are any."""
        start = None if posterior is None else posterior.phi(q)
        found = best_of_starts(output, sets, alpha, self._starts(output, sets, start), 2 * self.max_iter, w)
        z = sets.member(found.phi, output)
        members = Members(z) if posterior is None else posterior.describe(z, q)
        return DisambiguationResult.of_members(output, members, found.phi, found.converged, False)

    def _starts(self, output: OutputSpace, sets: Sets, start: NDArray | None) -> list[NDArray]:
        n = len(sets)
        require(2 * 8 * n**2, f"The weights of {n} rows at {n} rows", "Use soft disambiguation, or fewer rows.")
        first = sets.start() if start is None else start
        random = check_random_state(self.random_state)
        probes = [output.probe(random, first.shape[1]) for _ in range(self.n_starts - 1)]
        return [first, *(sets.argmin_shared(c)[0] for c in probes)]

    def _held_out(self, posterior: SetPosterior, weights: Weights, rows: Any, target: Target) -> NDArray | None:
        """Predict F_i without the fold of row i; None if all rows are equal, so that there is one fold only."""
        folds = folds_of(rounded(rows.X), self.n_folds, sample_weight=rows.w, groups=rows.groups)
        if len(folds) < 2:
            return None
        return held_out_sums(weights.held_out(rows.X, target, rows.w, folds), posterior)


def _check_memory(posterior: SetPosterior) -> None:
    size = posterior.size
    require(8 * COPIES * size, f"The soft labels of {size} options", "Pass fewer rows, or fewer classes.")
