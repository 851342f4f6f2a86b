"""Scores of predictions, from candidate sets and without true labels."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _check_sample_weight

from ..data.errors import InfimumWarning
from ..loss import SetLoss
from ..outputs.base import OutputSpace, Sets
from ..solvers import choose

Scores = dict[str, float]
NAMES = ("covering_rate", "chance_corrected", "neg_set_risk", "log_likelihood")

MANY_OUTPUTS = 500
"""Distinct predictions beyond which chance is estimated from `N_SHIFTS` permutations instead of all pairs of rows."""
N_SHIFTS = 200

WEIGHT_RANGE = (2.0**-100, 2.0**100)
"""The largest sample weight lies in this range after scaling, so that products and sums of weights stay finite."""

N_SE_SKILL = 2.0
"""Standard errors by which the set risk of a model must be below that of the best constant.

The selected model is the best of many candidates, so one standard error is often reached by chance.
"""


def is_labelled(output: OutputSpace, sets: Sets) -> NDArray:
    """Return which rows count in scores, (n,) boolean: all except those for which every output is possible."""
    return np.asarray(~output.is_unlabelled(sets) | sets.is_exact)  # with a single class, each row is exact


def labelled_weight(output: OutputSpace, sets: Sets, sample_weight: Any = None) -> NDArray | None:
    """Return the weights of the rows in scores: those given, and 0 for unlabelled rows.

    An error is raised if no labelled row has a positive weight.
    """
    labelled = is_labelled(output, sets)
    if labelled.all():
        return sample_weight
    w = labelled.astype(float) if sample_weight is None else np.where(labelled, sample_weight, 0.0)
    if not w.any():
        raise ValueError(
            f"Scores require labelled rows. Got {len(sets)} rows of y, and every output is possible for each of them."
            " Pass rows with labels."
        )
    return w


def best_constant(output: OutputSpace, sets: Sets, sample_weight: Any = None) -> NDArray:
    """Return the best constant prediction, the output of least mean set loss, (1, *z)."""
    w = np.ones(len(sets)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    L = SetLoss(output, sets)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InfimumWarning)  # a baseline need not be optimal
        return choose("auto", L).cheap(L).fit(L).argmin((w / w.sum())[None])


def compare_with_constant(
    output: OutputSpace, sets: Sets, z: NDArray, sample_weight: Any = None, constant: NDArray | None = None
) -> dict[str, Any]:
    """Return the scores of predictions beside those of a constant, as text and numbers.

    Parameters
    ----------
    output, sets
        The output space and the candidate sets of the rows.
    z : (n, *z)
        The predictions.
    sample_weight : (n,), optional
        How much rows count, 0 for unlabelled rows; see `labelled_weight`.
    constant : (1, *z), optional
        The constant prediction; by default the best one for these rows.

    Returns
    -------
    dict
        "covering_rate", "chance_corrected", "set_risk" and "errors" (see `OutputSpace.error_ranges`) of the
        predictions; "n_labelled"; "constant", with the same scores and the "output" as text; and "beats_constant".
        Empty if no row has a label, as with constraints on groups of rows.
    """
    if not is_labelled(output, sets).any():
        return {}
    constant = best_constant(output, sets, sample_weight) if constant is None else constant
    same = np.repeat(constant, len(sets), axis=0)
    each, others = losses(output, sets, z), losses(output, sets, same)
    return {
        "covering_rate": covered(sets, z, sample_weight),
        "chance_corrected": beyond_chance(sets, z, sample_weight),
        "set_risk": float(np.average(each, weights=sample_weight)),
        "errors": output.error_ranges(sets, z, sample_weight),
        "n_labelled": int(is_labelled(output, sets).sum()),
        "constant": {
            "output": output.format(constant)[0],
            "covering_rate": covered(sets, same, sample_weight),
            "set_risk": float(np.average(others, weights=sample_weight)),
            "errors": output.error_ranges(sets, same, sample_weight),
        },
        "beats_constant": is_below(*_compared(output, sets, z, same, each, others), sample_weight),
    }


def _compared(
    output: OutputSpace, sets: Sets, z: NDArray, same: NDArray, each: NDArray, others: NDArray
) -> tuple[NDArray, NDArray]:
    """Return the losses of two predictions by which model selection compares them, by default the given ones."""
    first, second = output.compared_losses(sets, z), output.compared_losses(sets, same)
    return each if first is None else first, others if second is None else second


def is_below(losses: NDArray, others: NDArray, sample_weight: Any = None, n_se: float = N_SE_SKILL) -> bool:
    """Whether the mean loss is smaller than another by more than `n_se` standard errors of the difference."""
    w = np.ones(len(losses)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    gain = others - losses
    mean = np.average(gain, weights=w)
    error = np.sqrt(np.sum(w * (gain - mean) ** 2)) / w.sum()
    return bool(mean > n_se * error + 1e-12)


def no_skill(constant: str) -> str:
    """Return the sentence about a model that is no better than a constant."""
    return (
        f"The model is not better than the best constant prediction ({constant}) by more than {N_SE_SKILL:g} standard"
        " errors, so the quality of the labels cannot be assessed."
    )


def covered(sets: Sets, z: NDArray, sample_weight: Any = None) -> float:
    """Return the share of outputs that are in their set."""
    return float(np.average(sets.contains(z), weights=sample_weight))


def beyond_chance(sets: Sets, z: NDArray, sample_weight: Any = None) -> float:
    """Return the chance-corrected covering rate, (c - e) / (1 - e).

    c is the covering rate, and e = (1/n²) sum_ij 1[z_i in S_j] that of the same outputs for random rows. An output that
    is in nearly every set has a high covering rate, and 0 here.
    """
    distinct, which = np.unique(z.reshape(len(z), -1), axis=0, return_inverse=True)
    if len(distinct) > MANY_OUTPUTS:
        return _corrected(covered(sets, z, sample_weight), _chance_of_shifts(sets, z, sample_weight))
    each = [covered(sets, np.broadcast_to(y.reshape(z.shape[1:]), z.shape), sample_weight) for y in distinct]
    chance = float(np.average(np.array(each)[which.ravel()], weights=sample_weight))
    return _corrected(covered(sets, z, sample_weight), chance)


def _corrected(rate: float, chance: float) -> float:
    return (rate - chance) / (1 - chance) if chance < 1 else 0.0


def _chance_of_shifts(sets: Sets, z: NDArray, sample_weight: Any) -> float:
    """Estimate the covering rate of the same outputs for random rows, by evenly spaced cyclic shifts."""
    rows = np.arange(len(z)) if sample_weight is None else np.flatnonzero(sample_weight)
    w = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight, dtype=float)[rows]
    some, z = sets[rows], z[rows]
    total = inside = 0.0
    for shift in np.unique(np.linspace(0, len(rows) - 1, N_SHIFTS).astype(int)):
        both = w * np.roll(w, shift)
        total += both.sum()
        inside += both @ some.contains(np.roll(z, shift, axis=0))
    return inside / total


def losses(output: OutputSpace, sets: Sets, z: NDArray) -> NDArray:
    """Return inf over y in S_i of l(z_i, y), (n,)."""
    return SetLoss(output, sets).rowwise_loss(z)


def risk(output: OutputSpace, sets: Sets, z: NDArray, sample_weight: Any = None) -> float:
    """Return the mean infimum loss; for the 0-1 loss, this is 1 - covering rate."""
    return float(np.average(losses(output, sets, z), weights=sample_weight))


def scored_by(sample_weight: Any, n: int) -> NDArray | None:
    """Check the sample weights of a score: n finite numbers >= 0, not all 0."""
    if sample_weight is None:
        return None
    w = weight_array(sample_weight)
    if w.shape != (n,) or not (np.isfinite(w) & (w >= 0)).all() or not w.any():
        raise ValueError(f"sample_weight must be {n} finite numbers >= 0, not all of them 0. Got shape {w.shape}.")
    return w / w.max()  # so that no sum of them overflows


def weight_array(sample_weight: Any) -> NDArray:
    try:
        return np.asarray(sample_weight, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must contain one number >= 0 per row. Got {sample_weight!r:.200}.") from error


def counted(sample_weight: Any, X: Any) -> NDArray:
    """Check the sample weights of a fit: one finite number >= 0 per row, or one for all rows; not all of them 0."""
    found = weight_array(sample_weight)
    w = _check_sample_weight(found if found.ndim else float(found), X, ensure_non_negative=True)
    largest = w.max(initial=0.0)
    if not 0 < largest < np.inf:
        raise ValueError(f"sample_weight must be finite numbers >= 0, not all of them 0. The largest is {largest:g}.")
    low, high = WEIGHT_RANGE
    # by a power of two, which rounds nothing; beyond this range only ratios of weights matter
    return w if low <= largest <= high else np.ldexp(w, int(np.log2(low if largest < low else high) - np.log2(largest)))


def error_name(key: str) -> str:
    """Return the name of an error, such as RMSE; that of one of several outputs has the output in front of it.

    >>> error_name("rmse"), error_name("price: r2")
    ('RMSE', 'price: R²')
    """
    first, mark, last = key.rpartition(": ")
    return first + mark + {"rmse": "RMSE", "r2": "R²"}.get(last, last)


def shown_range(low: float, high: float) -> str:
    """Return a range as text, a single number if both ends are the same.

    >>> shown_range(2, 3), shown_range(2, np.inf), shown_range(-1, 1e-16)
    ('2 to 3', 'at least 2', '-1 to 0')
    """
    low, high = (0.0 if abs(end) < 1e-9 else end for end in (low, high))  # rounding errors of R²
    if np.isclose(low, high, rtol=1e-6):
        return f"{low:.4g}"
    return f"at least {low:.4g}" if high == np.inf else f"{low:.4g} to {high:.4g}"
