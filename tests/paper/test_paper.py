"""The paper's figures at reduced size: key numbers against the reference."""

from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from infimum import PartialEstimator, SetLoss
from infimum.outputs import masks
from infimum.paper import base, grid, runner
from infimum.paper import registry as paper
from infimum.solvers import ClosedForm, Enumerate
from infimum.weights import KernelRidge

NEEDS_DATA = {
    "classification-skewed", "classification-uniform", "data-sets", "multilabel-balls", "partial-tags", "positive-tags",
}  # fmt: skip


def reduced(name: str) -> list[dict]:
    """Few enough tasks for a test, at the sizes of the paper where numbers are compared with the reference."""
    experiment = paper.by_name(name)
    full, quick = experiment.tasks(False), experiment.tasks(True)
    if name == "classification-skewed":
        few = [t for t in full if t["c_sigma"] == 0.1 and (t["fold"] < 2 or t["data"] == "svmguide2")]
        return [t | {"c_lambdas": (0.1, 0.01), "c": (0.2, 0.5, 0.8)} for t in few]
    if name == "classification-uniform":
        few = [t for t in full if t["c_sigma"] == 0.1 and t["data"] == "vowel"]
        return [t | {"c_lambdas": (10, 1e-3), "c": (0.2, 0.4, 0.6)} for t in few]
    if name == "multilabel-balls":
        return [t | {"c": (0.6, 1)} for t in quick if t["fold"] < 3]
    if name in ("ranking-corruption", "ranking-exact"):
        few = [t for t in full if t["c"] in (0.5, 0.7143, 0.8571) and t["problem"] < 5 and t["m"] != 7]
        few = [t for t in few if t["m"] == 5 or tuple(t["methods"]) != ("IL, exact",)]
        return [t | {"test": 100, "methods": [m for m in t["methods"] if m != "SP, alternation"]} for t in few]
    if name == "ranking-reconstruction":
        return full[:4]
    if name == "rates":
        return [t | {"seeds": [0, 1]} for t in full if t["n"] in (32, 512)]
    if name == "complexity":
        return [t | {"size": t["size"] // 4, "repeats": 1} for t in quick]
    if name == "segmentation":
        return [quick[0] | {"n": 150, "stride": 10, "ties": (0.0, 0.02)}]
    if name == "interval-regression":
        return [quick[0] | {"sigmas": (0.1, 0.05, 0.01), "lams": (1e3, 1)}]
    if name in ("partial-tags", "positive-tags", "recovery"):
        return quick[:1]
    if name == "ilp-relaxation":
        return [t for t in quick if t["m"] in (5, 10, 15)]
    return quick


@pytest.fixture(scope="module")
def out(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("results")


def run_reduced(name: str, out: Path, request) -> tuple[base.Experiment, pd.DataFrame]:
    data = str(request.getfixturevalue("data_home")) if name in NEEDS_DATA else None
    experiment = paper.by_name(name)
    tasks = reduced(name)
    experiment.tasks = lambda quick: tasks
    return experiment, runner.reproduce(experiment, out, data=data)


@pytest.mark.parametrize("name", paper.NAMES)
def test_key_numbers(name, out, request):
    """Every number that is claimed to agree does, within a tolerance that comes from the reference's deviations."""
    experiment, frame = run_reduced(name, out, request)
    assert list(frame.columns[:5]) == list(base.COLUMNS)
    assert {"size", "versions"} <= set(frame.columns)
    assert pd.read_csv(out / f"{name}.csv").shape == frame.shape
    assert (out / f"{name}.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert (out / f"{name}.pdf").read_bytes()[:5] == b"%PDF-"
    if not experiment.timed:
        apart = [c for c in experiment.compare(frame) if c.claimed and not c.agrees]
        assert not apart, apart


@pytest.mark.parametrize(
    "name, expected",
    [
        ("pointwise", {"rho(a), average": "13/48", "rho(c), average": "11/24", "R(c), supremum": "13/8"}),
        ("calibration", {"C": "8", "refined C": "16/3", "eta": "1/4", "R_S(b)/R(b)": "3/16"}),
        ("signed", {"rho-hat(a)": "1/2", "rho-hat(b)": "-1/4", "rho-hat(c)": "3/4"}),
        ("bad-calibration", {"C": "inf", "R_S(b)": "0"}),
    ],
)
def test_printed_identities_are_exact(name, expected, out, request):
    experiment, frame = run_reduced(name, out, request)
    ours = {c.what: c.ours for c in experiment.compare(frame)}
    assert {what: ours[what] for what in expected} == expected


def test_the_average_fails_where_the_corrected_bound_says():
    from infimum.paper.recovery import _average_fails, bounds

    for near in (0.1, 0.5, 0.9):
        corrected, printed = (float(b[0]) for b in bounds(np.array([near])))
        assert _average_fails(near, corrected - 1e-6)
        assert not _average_fails(near, corrected + 1e-6)
        assert (printed > corrected) == (near == 0.1 or near == 0.5)


def test_weights_of_a_grid_are_kernel_ridge_and_leave_rows_out(rng):
    X = rng.standard_normal((40, 3))
    part = grid.fold(X, 1, folds=4)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    for at in islice(grid.path(part, 0.5), 7):
        n = len(part.train)
        lam = at.c_lambda / n**0.5
        weights = KernelRidge(lam=lam, sigma=0.5 * 3).fit(scaled[part.train])
        np.testing.assert_allclose(at.alpha, np.asarray(weights(scaled[part.test])), atol=1e-10)
        row = part.held_out[0]
        others = np.delete(part.train, row)
        # the ridge n lam stays that of all rows
        refit = KernelRidge(lam=lam * n / (n - 1), sigma=0.5 * 3).fit(scaled[others])
        alpha = np.asarray(refit(scaled[part.train[[row]]]))[0]
        np.testing.assert_allclose(np.delete(at.left_out[0], row), alpha, atol=1e-8)
        assert at.left_out[0, row] == 0


def test_selection_is_by_test_folds_or_by_sets():
    rows = [
        {"method": "a", "fold": fold, "s": s, "value": value, "chosen_by": score}
        for fold, s, value, score in [(0, 1, 0.1, 5), (1, 1, 0.3, 5), (0, 2, 0.4, 1), (1, 2, 0.2, 9)]
    ]
    table = pd.DataFrame(rows)
    best = base.best_on_test(table, ["method"], ["s"])
    assert best[["mean", "s"]].values.tolist() == [[pytest.approx(0.2), 1]]
    # fold 0 prefers s = 2 by its sets, fold 1 prefers s = 1
    assert base.best_in_training(table, ["method"], ["s"])["mean"].item() == pytest.approx((0.4 + 0.3) / 2)


@pytest.mark.parametrize("tie", [0.0, 0.3, 1.0])
def test_masks_are_minimised_exactly(tie, rng):
    space = masks.Masks((2, 4), tie).fit(None)
    sets = space.read(rng.integers(-1, 2, size=(12, 8)))
    # sums of either sign: a negative one rewards contours
    alpha = rng.standard_normal((30, 12))
    assert (alpha.sum(axis=1) < 0).any()
    L = SetLoss(space, sets)
    exact, found = Enumerate().fit(L).minimise(alpha), ClosedForm().fit(L).minimise(alpha)
    np.testing.assert_allclose(found.value, exact.value, atol=1e-5)


@pytest.mark.parametrize("principle", ["infimum", "average", "supremum"])
def test_scribbles_lose_what_brute_force_says(principle, rng):
    space = masks.Masks((2, 3), 0.4).fit(None)
    sets = space.read(rng.integers(-1, 2, size=(7, 6)))
    outputs = space.outputs()
    cut = (outputs[:, space.edges_[0]] != outputs[:, space.edges_[1]]).sum(axis=1)
    plain = (outputs[:, None, :] != outputs).sum(axis=-1) + 0.4 * cut[:, None]
    reduce = {"infimum": np.min, "average": np.mean, "supremum": np.max}[principle]
    brute = np.array([reduce(plain[:, sets[i].contains(outputs)], axis=1) for i in range(7)]).T
    np.testing.assert_allclose(SetLoss(space, sets, principle)(outputs), brute)


def test_masks_fit_an_estimator(rng):
    X = rng.standard_normal((20, 2))
    y = rng.integers(-1, 2, size=(20, 6))
    model = PartialEstimator.paper(masks.Masks((2, 3), 0.1)).fit(X, y)
    z = model.predict(X)
    assert z.shape == (20, 6)
    known = (y != 0)[(y != 0).any(axis=1)]  # unlabelled rows do not count
    right = (z == y)[(y != 0).any(axis=1)] & known
    assert model.score(X, y) == pytest.approx(np.mean(right.sum(axis=1) / known.sum(axis=1)))
    with pytest.raises(ValueError, match="Scores require labelled rows"):
        model.score(X, np.zeros((20, 6), dtype=int))


def test_comparisons():
    within = base.Comparison("x", 0.1, 0.12, 0.03)
    assert within.agrees
    assert not within._replace(tolerance=0.01).agrees
    assert base.Comparison("x", "1/2", "1/2").agrees
    assert base.fold_error(0.02, 8) == pytest.approx(0.03)
