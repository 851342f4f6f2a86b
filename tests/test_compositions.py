"""Every composition of structure, principle, reading, weights, solver and kind of rows is right, or refused in words.

Brute force goes through the definition: the members of every set are listed, and losses are those of cases.py. What
serves what is a table; it is asserted, and docs/compositions.md prints it.
"""

import pickle
import re
import warnings
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from cases import CASES
from infimum import Blocks, InfimumWarning, PartialEstimator
from infimum.model_selection import left_out_scores
from infimum.solvers import IN_ORDER
from infimum.weights import (
    Forest,
    KernelRidge,
    Laplacian,
    LinearRidge,
    Neighbors,
    Nystrom,
    RidgeCV,
    Scaled,
)

N, Q = 14, 4
PRINCIPLES = ("infimum", "average", "supremum", "disambiguation")
READINGS = ("inside", "joint")
FAMILIES = {
    "kernel": KernelRidge(lam=0.05),
    "nystrom": Nystrom(6, lam=0.05),
    "linear": LinearRidge(lam=0.05),
    "neighbors": Neighbors(4),
    "forest": Forest(20, min_samples_leaf=2, random_state=0),
    "laplacian": Laplacian(3),
    "ridge-cv": RidgeCV(lams=[1e-3, 1e-1]),
    "scaled": Scaled(KernelRidge(lam=0.05)),
}
SOLVERS = {"auto": "auto", **{cls.__name__: cls() for cls in IN_ORDER}}
WORDS = {
    "solver": r"cannot minimise the <.*it needs .*Solvers that can: ",
    "nobody": r"No solver can minimise the <.*Fit on arrays instead of rows in blocks",
    "bilinear": r"Disambiguation needs a bilinear loss",
    "laplacian": r"Soft disambiguation leaves every row out of its own update, for which Laplacian has no closed form",
    "blocks": r"Rows in blocks need weights\.Nystrom or weights\.LinearRidge, and negative_weights='inside'",
    "together": r"Disambiguation compares all rows with each other: give arrays instead of rows in blocks",
    "left out": r"Laplacian has no closed-form leave-one-out predictions\. Hold out blocks of rows instead",
    "kept": r"Leaving rows out compares them with each other: give arrays instead of rows in blocks",
}
"""What a composition may say instead of working."""

quiet = pytest.mark.filterwarnings("ignore::infimum.InfimumWarning", "ignore:.*valid feature names")
structures = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@cache
def rows(name):
    """Inputs, queries and sets of a structure."""
    case = next(case for case in CASES if case.name == name)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 3))
    return X, rng.standard_normal((Q, 3)), case.sets(rng, N)


def refused(function, *names):
    """The word for the sentence that `function` is refused with; None where it works."""
    text = ""
    try:
        function()
    except ValueError as error:
        text = str(error)
    said = [word for word in names if re.search(WORDS[word], text, re.DOTALL)]
    assert said or not text, f"an error of another part: {text}"
    return said[0] if said else None


@cache
def listed_losses(name, principle):
    """L(z, S_i) of every output that brute force goes through, from the definition, (n_z, n)."""
    case = next(case for case in CASES if case.name == name)
    Z = case.dense if case.dense is not None else case.all() if case.outputs is None else case.outputs
    if case.outputs is not None and case.space.size < np.inf:
        Z = case.space.outputs()
    brute = {"infimum": min, "average": lambda v: sum(v) / len(v), "supremum": max}[principle]
    return np.array([[brute([case.loss(z, y) for y in S]) for S in case.members(rows(name)[2])] for z in Z])


def brute_minimum(case, model, principle, reading, X):
    """The smallest objective over the outputs that are listed, and the weights of the rows."""
    alpha = np.asarray(model.weights_(X))
    if alpha.shape[1] == 2 * N:
        alpha = alpha[:, :N] + alpha[:, N:]
    if principle == "disambiguation":
        Z = case.dense if case.dense is not None else case.space.outputs()
        return (case.space.psi(Z) @ (alpha @ model.resolved_.phi).T).min(axis=0)
    opposite = {"infimum": "supremum", "average": "average", "supremum": "infimum"}[principle]
    same, other = listed_losses(case.name, principle), listed_losses(case.name, opposite)
    if reading == "inside":
        return (alpha @ same.T).min(axis=1)
    return (np.maximum(alpha, 0) @ same.T + np.minimum(alpha, 0) @ other.T).min(axis=1)


def check(case, model, principle, reading, X):
    """The minimum that is found against brute force."""
    found = model.minimum(X)
    least = brute_minimum(case, model, principle, reading, X)
    assert np.isfinite(found.value).all()
    scale = 1e-8 * (1 + np.abs(least).max())
    assert np.all(found.bound <= least + scale)
    if case.dense is None:
        assert np.all(found.value >= least - scale)
    if model.solver_.exact:
        assert np.all(found.value <= least + scale)
    z = model.predict(X)
    assert len(z) == len(X)
    y = rows(case.name)[2]
    assert model.score(X[[0]], y[[0]]) <= 1
    saved = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(saved.predict(X), z)
    return "exact" if model.solver_.exact else "bounds" if np.isfinite(found.bound).all() else "search"


def made(case, principle, reading, family, solver="auto"):
    return PartialEstimator(case.space, principle, reading, FAMILIES[family], SOLVERS[solver])


@quiet
@structures
@pytest.mark.parametrize("principle", PRINCIPLES)
@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("family", FAMILIES)
def test_arrays(case, principle, reading, family):
    """Fit, predict, minimum, score, pickle; then the same rows left out one by one and in blocks."""
    X, queries, sets = rows(case.name)
    model = made(case, principle, reading, family)
    word = refused(lambda: model.fit(X, sets), "bilinear", "laplacian")
    assert (word == "bilinear") == (principle == "disambiguation" and not case.bilinear)
    weighed = sets.options() is not None
    assert (word == "laplacian") == (principle == "disambiguation" and family == "laplacian" and weighed)
    if word is not None:
        return
    check(case, model, principle, reading, queries)
    scores = left_out_scores(model, X, sets, n_blocks=3)
    assert 0 <= scores["covering_rate"] <= 1
    assert scores["neg_set_risk"] <= 1e-12
    word = refused(lambda: left_out_scores(model, X, sets), "left out")
    assert (word == "left out") == (family == "laplacian")


@quiet
@structures
@pytest.mark.parametrize("principle", PRINCIPLES)
@pytest.mark.parametrize("reading", READINGS)
def test_named_solvers(case, principle, reading):
    """A named solver serves as the table says, or says who can."""
    X, queries, sets = rows(case.name)
    for solver in list(SOLVERS)[1:]:
        model = made(case, principle, reading, "kernel", solver)
        word = refused(lambda model=model: model.fit(X, sets), "solver", "bilinear")
        if word is None:
            check(case, model, principle, reading, queries)


def _is_linear(sets, principle):
    return principle == "disambiguation" or sets.embed(principle) is not None


@quiet
@structures
@pytest.mark.parametrize("principle", PRINCIPLES)
@pytest.mark.parametrize("reading", READINGS)
def test_kinds_of_rows(case, principle, reading):
    """Sparse rows, frames, blocks and a cluster give what arrays give."""
    import pandas as pd

    X, queries, sets = rows(case.name)
    names = list("uvw")
    parts = [(X[:5], sets[:5]), (X[5:], sets[5:])]
    kinds = {
        "sparse": lambda m: m.fit(sparse.csr_matrix(X), sets),
        "frame": lambda m: m.fit(pd.DataFrame(X, columns=names), sets),
        "blocks": lambda m: m.fit(Blocks(parts)),
    }
    for family in ("nystrom", "linear", "kernel"):
        plain = made(case, principle, reading, family)
        if refused(lambda plain=plain: plain.fit(X, sets), "bilinear") is not None:
            continue
        value = plain.minimum(queries).value
        for kind, fit in kinds.items():
            model = clone(plain)
            blocks = ("nobody", "blocks", "together", "bilinear") if kind == "blocks" else ()
            word = refused(lambda fit=fit, model=model: fit(model), *blocks)
            if kind == "blocks":
                serves = family != "kernel" and (principle != "disambiguation" or sets.options() is not None)
                serves = serves and (reading == "inside" or principle in ("average", "disambiguation"))
                linear = model.solver == "auto" and serves and _is_linear(sets, principle)
                assert (word is None) == (serves and (linear or case.space.size < np.inf)), (family, word)
            if word is None:
                found = model.minimum(queries if kind != "frame" else pd.DataFrame(queries, columns=names))
                np.testing.assert_allclose(found.value, value, atol=1e-6 * (1 + np.abs(value).max()))


@quiet
@pytest.mark.parametrize("case", [case for case in CASES if case.name in ("labels, 0-1", "partial tags", "masks")])
def test_clusters(case):
    da = pytest.importorskip("dask.array")
    X, queries, sets = rows(case.name)
    y = np.asarray(sets)
    for family in ("nystrom", "linear"):
        plain = made(case, "infimum", "inside", family).fit(X, sets)
        if y.dtype == object:
            continue
        model = clone(plain).fit(da.from_array(X, chunks=(5, 3)), da.from_array(y, chunks=(5, y.shape[1])))
        np.testing.assert_allclose(model.minimum(queries).value, plain.minimum(queries).value, atol=1e-6)


def who_serves() -> str:
    """The table of docs/compositions.md: by which solver a prediction is found, and how sure it is."""
    lines = ["| structure | principle | negative weights | auto | named solvers that serve |", "| --- " * 5 + "|"]
    for case in CASES:
        X, queries, sets = rows(case.name)
        for principle in PRINCIPLES:
            for reading in READINGS if principle in ("infimum", "supremum") else ("inside",):
                model = made(case, principle, reading, "kernel")
                if refused(partial(model.fit, X, sets), "bilinear") is not None:
                    lines.append(f"| {case.name} | {principle} | | refused: the loss is not bilinear | |")
                    continue
                sure = check(case, model, principle, reading, queries)
                able = []
                for solver in list(SOLVERS)[1:]:
                    named = made(case, principle, reading, "kernel", solver)
                    if refused(partial(named.fit, X, sets), "solver") is None:
                        able.append(solver)
                auto = f"{type(model.solver_).__name__}, {sure}"
                shown = reading if principle in ("infimum", "supremum") else "either"
                lines.append(f"| {case.name} | {principle} | {shown} | {auto} | {', '.join(able)} |")
    return "\n".join(lines) + "\n"


HEAD = """# Who serves what

Every composition of structure, principle and reading of negative weights, with the solver that "auto" takes. "exact" is
the minimiser, proved; "bounds" comes with a certificate that may leave a gap; "search" with none. The table is written
and checked by `tests/test_compositions.py`, against brute force.

"""


@quiet
def test_the_table_of_the_docs_is_true():
    page = Path(__file__).resolve().parents[1] / "docs" / "compositions.md"
    assert page.read_text() == HEAD + who_serves(), "run python tests/test_compositions.py"


if __name__ == "__main__":
    warnings.simplefilter("ignore", InfimumWarning)
    Path("docs/compositions.md").write_text(HEAD + who_serves())
