"""SearchConfig: every constant of the automatic model selection."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, repr=False)
class SearchConfig:
    """Constants of the automatic model selection.

    Pass an instance as ``search_config`` of an estimator to change them. The result of the selection shows the values
    that were used. "Costly" means that each prediction is a search, as for partial orders.

    Examples
    --------
    >>> SearchConfig(n_folds=3, n_neighbors=())  # values that differ from the default
    SearchConfig(n_folds=3, n_neighbors=())
    """

    # How long the search runs, and how

    max_search_time: float | None = None
    """Seconds. The best candidate so far is fitted when they are over; None sets no limit."""
    n_jobs: int | None = None
    """Candidates evaluated in parallel. None is the number of BLAS threads from `parallel_rows` rows on, else one."""
    parallel_rows: int = 300
    """Rows. Below, evaluating one candidate after the other takes less time than several at once."""
    single_precision_rows: int = 300
    """Rows from which on kernels for labels are compared in single precision. Below, this saves no time."""
    random_state: Any = 0
    """Seed of the trees and of the Nyström centres."""
    verbose: int = 0
    """Whether a progress bar is shown."""

    # How many rows are used, and in how many folds

    min_distinct_rows: int = 20
    """Distinct rows. With fewer, cross-validation is too noisy and the paper's estimator is fitted."""
    min_distinct_rows_regression: int = 10
    """`min_distinct_rows` for regression, whose rule prefers forests and constants unless others are clearly better."""
    first_rows: int = 250
    """Rows of the first comparison, which for classification ranks kernels, linear models and neighbours under one
    principle. More rows rank them more reliably and cost a cubic time."""
    first_rows_regression: int = 300
    """`first_rows` for regression."""
    second_rows: int = 750
    """Rows on which the best candidates are compared again. Twice as many take four times as long per kernel."""
    second_rows_noisy: int = 1500
    """`second_rows` if it is likelier on few rows that sets miss the true label, which makes scores less certain."""
    last_rows: int = 1500
    """Rows on which the best candidate of each family is compared once more, for labels, if they are
    `skip_first_ratio` times `second_rows`. Kernels profit more from rows than forests do, so few favour forests."""
    second_rows_regression: int = 1000
    """`second_rows` for regression."""
    chunk_rows: int = 1500
    """Rows of chunked data on which candidates are compared."""
    first_rows_costly: int = 200
    """`first_rows` for costly predictions."""
    skip_first_ratio: float = 1.5
    """The first comparison is skipped up to this multiple of `first_rows`: it would save less than it costs. Likewise
    the last one, up to this multiple of the rows of the second."""
    min_exact_rows: int = 20
    """Rows with an exact label, from which on forests and linear models are also fitted to them alone."""
    n_folds: int = 5
    """Folds of the cross-validation."""
    n_folds_few: int = 10
    """Folds up to `few_rows` rows if sets have a likelihood: smaller training folds would bias the scores."""
    few_rows: int = 600
    """Rows; see `n_folds_few`."""
    mixture_rows: int = 300
    """Rows up to which the mixture of labels is also tried under the average principle."""
    few_items: int = 64
    """Items of rankings up to which there are `n_folds_few` folds; more items take twice as long per fold."""

    # The first candidates

    gammas: tuple[float, ...] = (1.0,)
    """Kernel widths, in units of 1 / (median distance between rows)."""
    gammas_regression: tuple[float, ...] = (0.5, 1.0, 2.0)
    """`gammas` for regression."""
    kernel_lams: tuple[float, ...] = (1e-5, 1e-3)
    """Regularisation strengths of kernel ridge; the ridge is n lam."""
    linear_lams: tuple[float, ...] = (1e-3, 1e-1)
    """Regularisation strengths of linear ridge."""
    logistic_penalties: tuple[float, ...] = (1.0, 10.0)
    """Penalties of logistic regression, for features of variance 1."""
    n_trees: int = 100
    """Trees per forest."""
    n_trees_compared: int = 50
    """Trees per forest while models of labels are compared. Their scores are extrapolated to `n_trees`."""
    forests: tuple[tuple[str, int, float | None], ...] = (("random", 1, None), ("random", 5, None))
    """Forests: the kind of splits, `min_samples_leaf`, and the share of features per split (None: their root)."""
    forests_regression: tuple[tuple[str, int, float | None], ...] = (
        ("extra", 1, 1.0), ("random", 3, 1 / 3)
    )  # fmt: skip
    """`forests` for regression, where few features are relevant more often, and splits need to see them all."""
    wide_columns: int = 100
    """Features beyond which regression forests consider at most `forest_share_wide` of them for a split."""
    forest_share_wide: float = 1 / 3
    """Share of features. Splits that see all of a thousand features take three times as long and are no better."""
    boosting_shares: tuple[float, ...] = (1.0, 1 / 3)
    """Shares of features that boosted trees consider for a split, in units of those of forests."""
    n_neighbors: tuple[int, ...] = (5, 20)
    """Numbers of nearest neighbours."""
    graph_neighbors: tuple[int, ...] = (5, 10, 20)
    """Neighbours per row in the graphs of ``weights="laplacian"``, which "auto" does not try."""
    forest_rows: tuple[int, int] = (10, 20_000)
    """Rows between which forests are tried. Neighbours are tried up to the larger number."""
    laplacian_rows: int = 200_000
    """Rows up to which the Laplacian kernel is tried; the Gaussian kernel is one matrix product and scales further."""
    laplacian_rows_sparse: int = 5_000
    """`laplacian_rows` for sparse X, whose city-block distances take forty times as long."""
    linear_columns: int = 300
    """Features up to which linear ridge or logistic regression is tried; beyond, they take longer than the kernels."""
    linear_columns_regression: int = 5_000
    """`linear_columns` for regression, where many small effects often add up. With more features than rows, linear
    ridge is fitted as a kernel."""
    margin: float = 3.0
    """Standard deviations beyond the range of the training rows to which features of new rows are clipped, for kernels
    and linear ridge. Their predictions are arbitrary far from all training rows."""
    relevance_columns: int = 300
    """Features up to which feature relevances are tried; beyond, the slopes take longer than everything else."""

    # The neighbours of a candidate

    n_steps: int = 4
    """Rounds in which neighbours of the best candidates are tried; one if predictions are costly."""
    n_steps_second: int = 3
    """`n_steps` of the second comparison, which has more rows and begins near the best."""
    gamma_step: float = 2.0
    """Factor between neighbouring kernel widths."""
    lam_step: float = 10.0
    """Factor between neighbouring regularisation strengths."""
    min_lam: float = 1e-7
    """The smallest regularisation strength; below, only rounding changes."""
    max_kernel_lam: float = 1.0
    """The largest regularisation strength of kernel ridge."""
    max_linear_lam: float = 10.0
    """The largest regularisation strength of linear ridge."""

    # The selection rule

    n_se_different: float = 1.5
    """Standard errors of a difference. A candidate that is worse by less may be as good as the best."""
    n_se_more_rows: float = 4.0
    """`n_se_different` for candidates that go on to more rows, from which kernels profit more than forests."""
    n_se_different_regression: float = 2.0
    """`n_se_different` for regression. Few rows with large errors decide, so differences are less certain."""
    n_se_constant: float = 2.0
    """Standard errors by which a candidate for rankings must be better than the best constant, which is selected
    otherwise."""
    n_se_constant_both: float = 4.0
    """Standard errors by which a candidate must be better than the best constant, otherwise: the sum of those of the
    likelihood, of the set risk, and of a permutation test of whether candidate sets depend on X. The smallest number
    that leaves 95 % of 56 tables of independent labels to the constant."""
    n_permutations: int = 99
    """Permutations of that test. Fewer take less time, and the smallest p-value is larger."""
    permuted_gammas: tuple[float, ...] = (1.0, 4.0)
    """Kernel widths of that test, in units of 1 / (median distance between rows): smooth and local dependence."""
    permuted_rows: int = 300
    """Rows of that test. More rows rarely need it."""
    n_se_dependent: float = 2.0
    """Standard errors by which a model must predict the comparisons of a row better than those of other rows. Otherwise
    the constant is selected for rankings."""
    n_se_constant_mixture: float = 1.0
    """Standard errors, the sum of those of the likelihood and of the set risk, by which that model must also be better
    than the constant."""
    n_se_family: float = 3.0
    """Standard errors, the sum of those of the likelihood and of the set risk, by which a candidate for rankings must
    be better than one of a preferred family."""
    n_se_mixture: float = 2.0
    """Standard errors of both scores by which a mixture under disambiguation may be worse than the best candidate, for
    classification."""
    n_se_constant_regression: float = 0.0
    """`n_se_constant` for regression, where the constant is a part of the mixture as well."""
    n_se_nearest: float = 2.0
    """Standard errors of a difference of set risks. If minimising the infimum loss to the sets gains more than this
    over predicting the mean of the estimated values, it is selected, for regression."""
    min_gain_nearest: float = 0.05
    """Set risk that it must gain, in units of the mean squared difference of the two predictions. Otherwise it trades
    accuracy inside of wide intervals for tiny errors at their ends."""
    min_kept_nearest: float = 0.5
    """Share that it must keep of the log-likelihood that the best candidate gains over the constant. It is .6 and more
    for concentrations between two limits, and below .3 for censored times, whose order would be lost."""
    min_noise: float = 0.03
    """Share of sets that miss the true label. Below, all sets are assumed to contain it; smaller shares do no harm."""
    n_se_noise: float = 2.0
    """Standard errors of a difference of log-likelihoods that the assumption of sets that miss must gain."""
    n_se_likelier_noise: float = 0.5
    """Standard errors by which few rows must be likelier under that assumption for a search on `second_rows_noisy`.
    Clean sets rarely gain as much, and more rows take four times as long."""
    n_se_tie: float = 0.5
    """Standard errors of a difference of log-likelihoods. Candidates that are worse by less count as equal."""
    prune_ratio: float = 1.3
    """Multiple of the least set risk. Principles beyond it are not followed."""
    min_gain: float = 1e-3
    """Nats per row that feature relevances must gain."""
    n_kept: int = 1
    """Candidates per principle and family that go on to more rows, with and without feature relevances and with each
    kind of kernel."""
    search_cells: float = 5e7
    """Rows times rows times numbers of an embedded set up to which principles with costly predictions are compared."""
    family_order: tuple[str, ...] = ("kernel", "linear", "logistic", "forest", "neighbors")
    """The family that is preferred among candidates that may be equally good."""
    family_order_rankings: tuple[str, ...] = ("linear", "kernel", "forest", "neighbors")
    """`family_order` for rankings. If people compare only items that are almost equal, many models agree with held-out
    comparisons, and scores that are linear in x are more often right about all other pairs."""
    family_order_regression: tuple[str, ...] = (
        "mixture", "forest", "boosting", "linear", "kernel", "neighbors"
    )  # fmt: skip
    """`family_order` for regression."""
    mixture_power: float = 0.1
    """Exponent of the likelihood of all sets in the shares of a mixture. 0 gives equal shares, 1 almost the best
    candidate alone. Chosen among 0.02 to 1 on every other of 20 tables with intervals, in alphabetical order."""
    min_share: float = 0.05
    """The smallest share of a part of a mixture; smaller ones cost more time than they contribute."""
    min_share_forest: float = 0.1
    """`min_share` of forests, which are grown twice, for classification from `mixture_rows` rows on."""

    # The final fit

    exact_rows: int = 8_000
    """Rows up to which kernel ridge is exact; beyond, the Nyström approximation is used. Hard disambiguation, which
    compares all rows with each other, is not tried beyond either."""
    centers_per_sqrt_row: float = 8.0
    """Nyström centres, in units of the square root of the number of rows."""
    center_bounds: tuple[int, int] = (500, 2000)
    """The smallest and the largest number of Nyström centres."""
    intercept_weight: float = 100.0
    """Variance of the constant feature, in units of the number of features, that stands for the unpenalised intercept
    of linear ridge during the search."""

    # Sequences

    chain_lams: tuple[float, ...] = (10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01)
    """Regularisation strengths of `PartialSequenceTagger`, compared in this order until the likelihood falls."""
    n_sequences: int = 1000
    """Labelled sequences that are compared at most. More make the search slower and hardly change its result."""
    n_sequences_held_out: int = 100
    """Held-out sequences after which no further fold is evaluated. Small data use all folds."""
    chain_max_iter: int = 60
    """Iterations of a fit that is only compared. It starts at the solution for the previous strength."""
    chain_tol: float = 1e-4
    """Relative change of the objective at which such a fit ends."""

    def __repr__(self) -> str:
        changed = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if getattr(self, f.name) != f.default]
        return f"SearchConfig({', '.join(changed)})"

    def forest_share(self, n_features: int) -> float:
        """Return the largest share of the features that trees consider for a split, for regression."""
        return self.forest_share_wide if n_features > self.wide_columns else 1.0

    def n_centers(self, n: int) -> int:
        """Return the number of Nyström centres for n rows."""
        low, high = self.center_bounds
        return int(min(max(self.centers_per_sqrt_row * n**0.5, low), high))

    def rows(self, costly: bool, classifies: bool) -> tuple[int, int]:
        """Return the numbers of rows of the two comparisons."""
        if costly:
            return self.first_rows_costly, self.second_rows
        if classifies:
            return self.first_rows, self.second_rows
        return self.first_rows_regression, self.second_rows_regression
