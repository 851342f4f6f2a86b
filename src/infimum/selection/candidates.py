"""Candidates: the models that are compared, as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from ..disambiguation import Disambiguation
from ..loss import PRINCIPLES, Infimum, Principle
from ..outputs.base import Sets
from ..recipe import AUTO, Recipe, is_auto, sets_noise, with_noise
from ..weights import (
    Boosting,
    Constant,
    Forest,
    KernelRidge,
    LabelledRowsOnly,
    Laplacian,
    LinearRidge,
    Logistic,
    Mixture,
    Neighbors,
    Nystrom,
    Scaled,
    Weights,
    by_name,
)
from ..weights.wrappers import is_relevant
from .config import SearchConfig

WITH_RELEVANCE = {"standard": "relevant", "unit": "relevant unit"}


@dataclass(frozen=True)
class Candidate:
    """A model that is evaluated: a base learner with its hyperparameters, a principle, a rule for negative weights."""

    weights: str
    """The family, such as "kernel" or "forest"; or the class of the weights that the user has set."""
    scaling: str = ""
    """How features are scaled; see `infimum.weights.Scaled`."""
    kernel: str = ""
    gamma: float | None = None
    """The kernel width, in units of 1 / (median distance between rows)."""
    lam: float | None = None
    """The regularisation strength."""
    penalty: float | None = None
    """The penalty of logistic regression."""
    n_neighbors: int | None = None
    min_samples_leaf: int | None = None
    max_features: float | None = None
    """Share of the features that a forest considers for a split; None is the root of their number."""
    splits: str = ""
    """Splits of a forest: "random" (the best thresholds) or "extra" (the best of random thresholds)."""
    parts: tuple[tuple[Candidate, float], ...] = ()
    """The base learners of a mixture, with their shares."""
    rows: str = ""
    """The rows that the base learner is fitted to: all, or those with an "exact" label."""
    principle: str = "infimum"
    negative_weights: str = "inside"

    @property
    def learner(self) -> Candidate:
        """The base learner alone: candidates with the same one share its held-out weights."""
        return replace(self, principle="", negative_weights="")

    @property
    def is_tuned(self) -> bool:
        """Whether the base learner has a regularisation strength, a penalty or a number of neighbours."""
        return any(one is not None for one in (self.lam, self.penalty, self.n_neighbors))

    @property
    def has_relevance(self) -> bool:
        """Whether features are multiplied by their relevance."""
        return is_relevant(self.scaling)

    def with_relevance(self) -> Candidate:
        """Return the same candidate on features that are multiplied by their relevance."""
        return replace(self, scaling=WITH_RELEVANCE.get(self.scaling, self.scaling))

    def neighbours(self, config: SearchConfig, rougher: bool = False) -> list[Candidate]:
        """Return the candidates that differ by one step in the kernel width or in the regularisation strength.

        With `rougher`, only those that follow the labels more closely, as more rows allow. The neighbours of a forest
        are the other forests of the configuration.
        """
        if self.lam is None:
            others = [forest_of(*one, self) for one in config.forests] if self.weights == "forest" else []
            return [one for one in others if one != self] if self in others else []
        # six digits, so that a step up and a step down lead back to the same number
        lams = [float(f"{lam:.6g}") for lam in (self.lam * config.lam_step, self.lam / config.lam_step)][rougher:]
        if self.gamma is None:
            return [replace(self, lam=lam) for lam in lams if config.min_lam <= lam <= config.max_linear_lam]
        gammas = [self.gamma * config.gamma_step, *([] if rougher else [self.gamma / config.gamma_step])]
        found = [*(replace(self, gamma=gamma) for gamma in gammas), *(replace(self, lam=lam) for lam in lams)]
        return [one for one in found if config.min_lam <= (one.lam or 0) <= config.max_kernel_lam]

    def build(
        self, n: int, config: SearchConfig, *, lam_ratio: float = 1.0, median: float = 1.0,
        relevance: NDArray | None = None, centers: NDArray | None = None, chunked: bool = False, n_features: int = 0,
    ) -> Weights:  # fmt: skip
        """Return the weights, to be fitted to n rows; see `is_approximated` for kernel ridge.

        The regularisation strength is multiplied by `lam_ratio`, and `median` is the median distance between rows. The
        `relevance` of features and the Nyström `centers` are those that the search has found, if any.
        """
        if self.rows:
            found: dict[str, Any] = {"median": median, "relevance": relevance}
            return LabelledRowsOnly(replace(self, rows="").build(n, config, lam_ratio=lam_ratio, **found), exact=True)
        if self.weights == "forest":
            return Forest(
                config.n_trees, self.splits or "random", self.min_samples_leaf or 1, self.max_features or "sqrt",
                bootstrap=True, random_state=config.random_state, n_jobs=config.n_jobs,
            )  # fmt: skip
        if self.weights == "boosting":
            return Boosting(max_features=self.max_features, random_state=config.random_state, n_jobs=config.n_jobs)
        if self.parts:
            return Mixture([part.build(n, config) for part, _ in self.parts], [share for _, share in self.parts])
        if self.weights == "constant":
            return Constant()
        if self.weights == "logistic":
            return Scaled(Logistic(self.penalty or 1.0), margin=config.margin)
        if self.weights == "laplacian":
            return Scaled(Laplacian(self.n_neighbors or 1, n_jobs=config.n_jobs))
        if self.weights == "neighbors":
            return Scaled(Neighbors(self.n_neighbors, weights="distance", n_jobs=config.n_jobs))
        lam = (self.lam or 0.0) * lam_ratio
        if self.weights == "linear" and n < n_features <= config.linear_columns_regression:
            dual = KernelRidge(lam, "polynomial", gamma=1.0, degree=1, coef0=config.intercept_weight * n_features)
            return Scaled(dual, margin=config.margin)
        if self.weights == "linear":
            return Scaled(LinearRidge(lam), margin=config.margin)
        shape: dict[str, Any] = {"lam": lam, "kernel": self.kernel, "gamma": (self.gamma or 0.0) / median}
        family: Weights = KernelRidge(**shape)
        if self.is_approximated(n, config, chunked):
            shape |= {} if centers is None else {"centers": centers}
            family = Nystrom(config.n_centers(n), **shape, random_state=config.random_state)
        return family if self.scaling == "none" else Scaled(family, self.scaling, relevance, config.margin)

    def is_approximated(self, n: int, config: SearchConfig, chunked: bool = False) -> bool:
        """Whether n rows have the Nyström approximation: if it is named, or if rows are many or in chunks."""
        return self.weights == "nystrom" or n > config.exact_rows or chunked


def forest_of(splits: str, leaf: int, share: float | None, like: Candidate | None = None) -> Candidate:
    """Return a forest, with the principle of another candidate if there is one."""
    forest = Candidate("forest", splits=splits, min_samples_leaf=leaf, max_features=share)
    return forest if like is None else replace(forest, principle=like.principle, negative_weights=like.negative_weights)


Pair = tuple[str, str]
"""The name of a principle, and a rule for negative weights."""


def first_candidates(
    n: int, X: Any, pairs: list[Pair], config: SearchConfig, chunked: bool = False,
    family: str = AUTO, regression: bool = False, linear: str = "linear",
) -> list[Candidate]:  # fmt: skip
    """Return the candidates with which a search begins, of all families ("auto") or of one `family`.

    X are some of the n rows. Each base learner is combined with all `pairs`. For rows in chunks there are no forests
    and no neighbours. The `linear` family is that of "auto". For regression, forests are grown on the labels that
    disambiguation estimates, so they are not combined with other principles unless these are set.
    """
    if family == AUTO:
        learners = _first_learners(n, X, config, chunked, regression, linear)
    else:
        learners = iter(_learners_of(family, n, X, config, regression))
    soft = [pair for pair in pairs if pair[0] == "disambiguation"] if regression else []
    return [one for learner in learners for one in combined(learner, soft if _grows(learner) and soft else pairs)]


def _grows(learner: Candidate) -> bool:
    """Whether a base learner is grown on labels, or ignores the features."""
    return learner.weights in ("forest", "boosting", "constant")


def _learners_of(family: str, n: int, X: Any, config: SearchConfig, regression: bool = False) -> list[Candidate]:
    """Return the first base learners of one family."""
    if family == "constant":
        return [Candidate("constant")]
    if family == "linear":
        return [Candidate("linear", "standard", lam=lam) for lam in config.linear_lams]
    if family == "logistic":
        return [Candidate("logistic", "standard", penalty=one) for one in config.logistic_penalties]
    if family == "forest":
        # for classification, the others are tried if the first one is good
        forests = _forests(X.shape[1], config, regression)
        return [forest_of(*one) for one in (forests if regression else forests[:1])]
    if family == "boosting":
        share = config.forest_share(X.shape[1])
        return [Candidate("boosting", max_features=one * share) for one in config.boosting_shares]
    if family == "neighbors":
        return [Candidate("neighbors", n_neighbors=k) for k in config.n_neighbors]
    if family == "laplacian":
        return [Candidate("laplacian", n_neighbors=k) for k in config.graph_neighbors]
    most = config.laplacian_rows_sparse if sparse.issparse(X) else config.laplacian_rows
    kernels = ("rbf",) if n > most else ("rbf", "laplacian")
    gammas = config.gammas_regression if regression else config.gammas
    shapes = list(product(("standard", "unit"), kernels, gammas))
    return [Candidate(family, *shape, lam) for lam in config.kernel_lams for shape in shapes]


def _forests(n_features: int, config: SearchConfig, regression: bool) -> list[tuple[str, int, float | None]]:
    """Return the forests that are tried; for regression on many features, with a smaller share of them per split."""
    if not regression:
        return list(config.forests)
    most = config.forest_share(n_features)
    return [(splits, leaf, min(share or 1.0, most)) for splits, leaf, share in config.forests_regression]


def _first_learners(
    n: int, X: Any, config: SearchConfig, chunked: bool, regression: bool = False, linear: str = "linear"
) -> Iterator[Candidate]:
    """Yield the kernels of the first lam, the other families, then the other kernels.

    Forests hold the interpreter's lock for much of their time; kernels are evaluated meanwhile.
    """

    def learners(family: str) -> list[Candidate]:
        return _learners_of(family, n, X, config, regression)

    kernels = learners("kernel")
    n_first = len(kernels) // len(config.kernel_lams)
    yield from kernels[:n_first]
    if X.shape[1] <= (config.linear_columns_regression if regression else config.linear_columns):
        yield from learners(linear)
    low, high = config.forest_rows
    if low <= n <= high and not sparse.issparse(X) and not chunked:
        yield from learners("forest")
        yield from learners("boosting")[:1] if regression and X.shape[1] > config.wide_columns else []
    if n <= high and not chunked:
        yield from learners("neighbors")
    yield from kernels[n_first:]
    yield from [] if chunked else learners("constant")


def default_weights(family: str, n: int, config: SearchConfig, chunked: bool = False) -> Weights:
    """Return a family with its default hyperparameters, on standardised features; kernel ridge for "auto".

    For rows in chunks, "auto" is the Nyström approximation, which is exact if the rows are few.
    """
    if family == "forest":  # its splits do not depend on the scale of features
        return Candidate("forest").build(n, config)
    if family == AUTO:
        return Scaled(Nystrom() if chunked else KernelRidge())
    return Scaled(by_name(family))


def combined(learner: Candidate, pairs: Iterable[Pair], signed: bool | None = None) -> list[Candidate]:
    """Return a base learner with each principle; weights that are never negative need one rule per principle."""
    pairs = list(pairs)
    if not (learner.lam is not None if signed is None else signed):
        pairs = list({principle: (principle, rule) for principle, rule in reversed(pairs)}.values())[::-1]
    return [replace(learner, principle=principle, negative_weights=rule) for principle, rule in pairs]


def with_exact_rows(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return the forests and linear models under disambiguation, fitted to the rows with an exact label alone."""
    simple = [one for one in candidates if one.weights in ("forest", "linear") and one.principle == "disambiguation"]
    return [replace(one, rows="exact") for one in simple]


def by_learner(candidates: Iterable[Candidate]) -> list[list[Candidate]]:
    """Group candidates by their base learner, in the order in which it first appears."""
    groups: dict[Candidate, list[Candidate]] = {}
    for one in candidates:
        groups.setdefault(one.learner, []).append(one)
    return list(groups.values())


NOISY = "disambiguation, sets may miss"
"""The name of disambiguation with an estimated share of sets that miss the true label."""

NEAREST = "disambiguation, infimum loss"
"""The name of disambiguation whose predictions minimise the infimum loss to the sets."""


def principles_of(
    recipe: Recipe, sets: Sets, signed: bool = True
) -> tuple[dict[str, Principle | Disambiguation], list[Pair]]:
    """Return the principles that are compared by name, and the pairs (principle, negative_weights) in order.

    Parts of the recipe that are not "auto" are kept. Weights that are not `signed` need one rule per principle.
    Rankings are predicted by scores of the items.
    """
    soft = Disambiguation(decision="labels" if sets.comparisons() is None else "scores")
    noisy = {NOISY: clone(soft).set_params(noise="estimate")}
    rule = recipe.negative_weights
    rules = [rule] if rule != AUTO else ["inside", "joint"] if signed else ["inside"]
    if is_auto(recipe.principle):
        others = [*(("infimum", one) for one in rules), ("average", rules[0])]
        pairs = [("disambiguation", rules[0]), *([] if sets_noise(recipe.noise) else others)]  # only it has noise
        plain = with_noise(soft, recipe.noise)
        nearest = clone(plain).set_params(decision="sets")
        return {"disambiguation": plain, **PRINCIPLES, **noisy, NEAREST: nearest}, pairs
    principle = recipe.principle
    depends = recipe.disambiguation is None and principle.opposite() not in (None, principle)
    if recipe.disambiguation is not None:
        noisy = {NOISY: clone(principle).set_params(noise="estimate")}
    return {principle.name: principle, **noisy}, [(principle.name, one) for one in (rules if depends else rules[:1])]


def is_costly(sets: Sets) -> bool:
    """Whether each prediction is a search, as for sets under which only the average loss is linear."""
    infimum = Infimum()
    return infimum.embed(sets) is None and infimum.curves(sets) is None and sets.coordinates() is None
