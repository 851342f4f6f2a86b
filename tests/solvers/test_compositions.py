"""Every composition of output type, loss, weights, solver and kind of rows is right, or raises its own error.

Brute force goes through the definition: the members of every set are listed, and losses are those of cases.py.
docs/compositions.md lists which solvers support which loss; the tests assert it. Every output type comes with every
loss and every solver, with one family of weights of both signs and one of non-negative weights, taken in turn: each
pair of output type, loss, family and solver occurs. The same holds for chunks and the families that support them; other
kinds of rows meet all families. The whole product is run where INFIMUM_CAMPAIGN is set (`make campaign`).
"""

import os
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
from infimum import Chunks, InfimumWarning, PartialEstimator
from infimum.disambiguation import Disambiguation, supports_soft
from infimum.selection import left_out_scores
from infimum.solvers import IN_ORDER
from infimum.weights import (
    Forest,
    KernelRidge,
    Laplacian,
    LinearRidge,
    Neighbors,
    Nystrom,
    Scaled,
)

N, Q = 14, 4
CAMPAIGN = "INFIMUM_CAMPAIGN" in os.environ
PRINCIPLES = ("infimum", "average", "supremum", "disambiguation")
RULES = ("inside", "joint")
FAMILIES = {
    "kernel": KernelRidge(lam=0.05),
    "nystrom": Nystrom(6, lam=0.05),
    "linear": LinearRidge(lam=0.05),
    "neighbors": Neighbors(4),
    "forest": Forest(16, min_samples_leaf=2, random_state=0),
    "laplacian": Laplacian(3),
    "scaled": Scaled(KernelRidge(lam=0.05)),
}
SOLVERS = {"auto": "auto", **{cls.__name__: cls() for cls in IN_ORDER}}
WORDS = {
    "solver": r"cannot minimise the <.*it needs .*Solvers that can: ",
    "nobody": r"No solver can minimise the <.*Fit on arrays instead of chunks",
    "bilinear": r"Disambiguation needs a bilinear loss",
    "laplacian": r"Soft disambiguation leaves each row out of its own update, but Laplacian.* has no closed form",
    "chunks": r"Chunked data requires weights\.Nystrom or weights\.LinearRidge, and negative_weights='inside'",
    "together": r"Disambiguation compares all rows with each other, which is not supported for these chunks",
    "left out": r"Laplacian has no closed-form leave-one-out predictions\. Use folds instead",
    "kept": r"Leaving rows out compares them with each other: give arrays instead of rows in chunks",
}
"""What a composition may say instead of working."""

quiet = pytest.mark.filterwarnings("ignore::infimum.InfimumWarning", "ignore:.*valid feature names")


@cache
def rows(name):
    """Inputs, queries and sets of an output type."""
    case = next(case for case in CASES if case.name == name)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 3))
    X -= X.mean(axis=0)  # sparse rows are not centred
    return X, rng.standard_normal((Q, 3)), case.sets(rng, N)


def error_word(function, *names):
    """The word for the sentence that `function` raises an error with; None if it works."""
    text = ""
    try:
        function()
    except ValueError as error:
        text = str(error)
    expected = [word for word in names if re.search(WORDS[word], text, re.DOTALL)]
    assert expected or not text, f"an error of another part: {text}"
    return expected[0] if expected else None


@cache
def listed_losses(name, principle):
    """L(z, S_i) of every output that brute force goes through, from the definition, (n_z, n)."""
    case = next(case for case in CASES if case.name == name)
    Z = case.dense if case.dense is not None else case.all() if case.outputs is None else case.outputs
    if case.outputs is not None and case.space.size < np.inf:
        Z = case.space.outputs()
    brute = {"infimum": min, "average": lambda v: sum(v) / len(v), "supremum": max}[principle]
    return np.array([[brute([case.loss(z, y) for y in S]) for S in case.members(rows(name)[2])] for z in Z])


def brute_minimum(case, model, principle, rule, X):
    """The smallest objective over the outputs that are listed, and the weights of the rows."""
    alpha = np.asarray(model.weights_(X))
    if alpha.shape[1] == 2 * N:
        alpha = alpha[:, :N] + alpha[:, N:]
    if principle == "disambiguation":
        Z = case.dense if case.dense is not None else case.space.outputs()
        return (case.space.psi(Z) @ (alpha @ model.disambiguation_.phi).T).min(axis=0)
    opposite = {"infimum": "supremum", "average": "average", "supremum": "infimum"}[principle]
    same, other = listed_losses(case.name, principle), listed_losses(case.name, opposite)
    if rule == "inside":
        return (alpha @ same.T).min(axis=1)
    return (np.maximum(alpha, 0) @ same.T + np.minimum(alpha, 0) @ other.T).min(axis=1)


def check(case, model, principle, rule, X):
    """The minimum that is found against brute force."""
    found = model.minimum(X)
    least = brute_minimum(case, model, principle, rule, X)
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
    labelled = int(np.argmax(~model.output_.is_unlabelled(y)))
    assert model.score(X[[0]], y[[labelled]]) <= 1
    saved = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(saved.predict(X), z)
    return "exact" if model.solver_.exact else "bounds" if np.isfinite(found.bound).all() else "search"


def made(case, principle, rule, family, solver="auto"):
    if principle == "disambiguation" and solver != "auto":  # what rows say of each other does not ask for a solver
        principle = Disambiguation(threshold=None)
    return PartialEstimator(
        case.space, principle=principle, negative_weights=rule, weights=FAMILIES[family], solver=SOLVERS[solver]
    )


@cache
def table():
    """docs/compositions.md: (output type, principle, rule) -> the solvers that support it, empty if there are none."""
    page = Path(__file__).resolve().parents[2] / "docs" / "compositions.md"
    found = {}
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5 and cells[1] in PRINCIPLES:
            for rule in RULES if cells[2] in ("", "either") else (cells[2],):
                found[cells[0], cells[1], rule] = {"auto", *cells[4].split(", ")} if cells[4] else set()
    return found


def expected_word(case, principle, rule, family, solver):
    """The word that a composition on arrays raises an error with; None if it is supported."""
    supported = table()[case.name, principle, rule]
    if not supported:
        return "bilinear"
    if principle == "disambiguation" and family == "laplacian" and supports_soft(rows(case.name)[2]):
        return "laplacian"
    return None if solver in supported else "solver"


def chunks_support(case, principle, rule, family, solver):
    """Whether rows that come in chunks can be learned from: sums over chunks need a primal form and a linear loss."""
    sets = rows(case.name)[2]
    resolves = principle == "disambiguation"  # a subsample labels the other rows, if members can have probabilities
    if family not in ("nystrom", "linear") or (resolves and not supports_soft(sets)):
        return False
    if rule == "joint" and principle != "average" and not resolves:
        return False
    able = {"ClosedForm": resolves or sets.embed(principle) is not None, "Enumerate": case.space.size < np.inf}
    return any(able.values()) if solver == "auto" else able.get(solver, False)


SIGNED, POSITIVE = ("kernel", "nystrom", "linear", "scaled"), ("neighbors", "forest", "laplacian")
PRIMAL, OTHERS = ("nystrom", "linear"), ("kernel", "scaled", "neighbors", "forest", "laplacian")
ONE_PER_SOLVER = ("labels, 0-1", "partial tags, n_tags", "partial orders", "reals, squared", "vectors")


def losses(k):
    """Principles and rules for output type k: disambiguation learns points, for which the two rules are one."""
    either = RULES if CAMPAIGN else RULES[k % 2 :][:1]
    return [(p, r) for p in PRINCIPLES for r in (either if p == "disambiguation" else RULES)]


def covering(*groups, names=None):
    """Every output type with every loss, each with one family per group in turn; for a campaign with all of them.

    There are more losses than families in a group, so that every output type also meets every family.
    """
    return [
        pytest.param(case, *loss, family, id="-".join([case.name, *loss, family]))
        for i, case in enumerate(CASES)
        for j, loss in enumerate(losses(i))
        for group in groups
        for family in (group if CAMPAIGN else [group[(i + j) % len(group)]])
        if CAMPAIGN or names is None or case.name in names
    ]


@quiet
@pytest.mark.parametrize("case, principle, rule, family", covering(SIGNED, POSITIVE))
def test_arrays(case, principle, rule, family):
    """Every solver: fit, predict, minimum, score, pickle; and with "auto" rows left out one by one and in chunks."""
    X, queries, sets = rows(case.name)
    # whether a solver supports a loss does not depend on the family
    supported = {"auto", *table()[case.name, principle, rule]}
    for solver in SOLVERS if family in SIGNED or CAMPAIGN else sorted(supported):
        model = made(case, principle, rule, family, solver)
        word = error_word(partial(model.fit, X, sets), "bilinear", "laplacian", "solver")
        assert word == expected_word(case, principle, rule, family, solver), solver
        if word is None:
            check(case, model, principle, rule, queries)
        if word is None and solver == "auto":
            scores = left_out_scores(model, X, sets, cv=3)
            assert 0 <= scores["covering_rate"] <= 1
            assert scores["neg_set_risk"] <= 1e-12
            word = error_word(partial(left_out_scores, model, X, sets), "left out")
            assert (word == "left out") == (family == "laplacian")


def on_a_cluster(X, sets):
    """Dask collections of three partitions; the sets stay sets."""
    dask, da = pytest.importorskip("dask"), pytest.importorskip("dask.array")
    cut = [slice(0, 5), slice(5, 10), slice(10, N)]
    parts = [da.from_delayed(dask.delayed(sets[s]), (len(X[s]),), dtype=object) for s in cut]
    return da.from_array(X, chunks=((5, 5, N - 10), 3)), da.concatenate(parts)


def kinds_of_rows(X, queries, sets):
    """Kind -> what fit takes, and the queries."""
    import pandas as pd

    def frame(A):
        return pd.DataFrame(A, columns=list("uvw"))

    return {
        "sparse": ((sparse.csr_matrix(X), sets), sparse.csr_matrix(queries)),
        "frame": ((frame(X), sets), frame(queries)),
        "chunks": ((Chunks([(X[:5], sets[:5]), (X[5:], sets[5:])]),), queries),
        "Dask": (on_a_cluster(X, sets), queries),
    }


@quiet
@pytest.mark.parametrize(
    "case, principle, rule, family", covering(PRIMAL) + covering(OTHERS, names=ONE_PER_SOLVER)
)
def test_kinds_of_rows(case, principle, rule, family):
    """Sparse rows, frames, chunks and a cluster give what arrays give, or say why not."""
    import dask

    X, queries, sets = rows(case.name)
    kinds = kinds_of_rows(X, queries, sets)
    # solvers by name see neither how X is stored nor where chunks come from
    for solver in SOLVERS if family in PRIMAL or CAMPAIGN else ["auto"]:
        asked_for = kinds if solver == "auto" or CAMPAIGN else ["chunks"]
        plain = made(case, principle, rule, family, solver)
        expected = expected_word(case, principle, rule, family, solver)
        value = plain.fit(X, sets).minimum(queries).value if expected is None else None
        for kind in asked_for:
            given, asked = kinds[kind]
            model = clone(plain)
            in_chunks = kind in ("chunks", "Dask")
            with dask.config.set(scheduler="synchronous"):
                word = error_word(
                    partial(model.fit, *given), *(WORDS if in_chunks else ("bilinear", "laplacian", "solver"))
                )
            if not in_chunks:
                assert word == expected, (kind, solver)
            else:
                assert (word is None) == chunks_support(case, principle, rule, family, solver), (kind, solver, word)
            if word is not None:
                continue
            found, near = model.minimum(asked), 1e-6 * (1 + np.abs(value).max())
            if model.solver_.exact:
                np.testing.assert_allclose(found.value, value, atol=near)
            else:
                least = brute_minimum(case, plain, principle, rule, queries)
                assert np.all(found.bound <= least + near)
                assert case.dense is not None or np.all(found.value >= least - near)


def supported_combinations() -> str:
    """The table of docs/compositions.md: by which solver a prediction is found, and how sure it is."""
    lines = ["| output type | principle | negative weights | auto | supported solvers |", "| --- " * 5 + "|"]
    for case in CASES:
        X, queries, sets = rows(case.name)
        for principle in PRINCIPLES:
            for rule in RULES if principle in ("infimum", "supremum") else ("inside",):
                model = made(case, principle, rule, "kernel")
                if error_word(partial(model.fit, X, sets), "bilinear") is not None:
                    lines.append(f"| {case.name} | {principle} | | not supported: the loss is not bilinear | |")
                    continue
                sure = check(case, model, principle, rule, queries)
                able = []
                for solver in list(SOLVERS)[1:]:
                    named = made(case, principle, rule, "kernel", solver)
                    if error_word(partial(named.fit, X, sets), "solver") is None:
                        able.append(solver)
                auto = f"{type(model.solver_).__name__}, {sure}"
                shown = rule if principle in ("infimum", "supremum") else "either"
                lines.append(f"| {case.name} | {principle} | {shown} | {auto} | {', '.join(able)} |")
    return "\n".join(lines) + "\n"


def in_short(full: str) -> str:
    """The same, with one line for all output types and losses that are minimised alike."""
    losses: dict[str, dict[str, list[str]]] = {}
    for line in full.splitlines()[2:]:
        name, principle, _, auto, _ = (cell.strip() for cell in line.strip("|").split("|"))
        of_auto = losses.setdefault(name, {}).setdefault(auto, [])
        of_auto += [principle] * (principle not in of_auto)
    alike: dict[tuple, list[str]] = {}
    for name, found in losses.items():
        alike.setdefault(tuple((auto, ", ".join(some)) for auto, some in found.items()), []).append(name)
    lines = ["| output types | loss | solver by default | result |", "| --- " * 4 + "|"]
    for found, names in alike.items():
        for k, (auto, some) in enumerate(found):
            solver, _, sure = auto.partition(", ")
            every = "all four" if len(found) == 1 else some
            lines.append(f"| {'; '.join(names) if k == 0 else ''} | {every} | {solver} | {sure} |")
    return "\n".join(lines) + "\n"


HEAD = """# Supported combinations

This page is for developers. It lists which [solver](glossary.md#solver) minimises which loss, and whether the result is
provably optimal. Users do not need it, because `solver="auto"` selects the solver.

```python
from infimum import PartialRanker

model = PartialRanker().fit([[0.0], [1.0], [2.0]], ["a>b>c", "a>b", "c>b"])
print(type(model.solver_).__name__, model.solver_.exact)
```
```text
Enumerate True
```

The four losses are those of the [principles](glossary.md#principle) infimum, average, supremum and disambiguation. A
row without an output type continues the row above. The result is one of

- *exact*: provably optimal;
- *bounds*: with a lower bound, which may leave a gap;
- *search*: without a certificate.

"""
MIDDLE = """
The complete table has one line for each output type, loss and rule for
[negative weights](glossary.md#negative-weights). It is generated, and compared with brute force, by
`tests/solvers/test_compositions.py`.

<details>
<summary>All combinations</summary>

"""
TAIL = "\n</details>\n"


def page_text() -> str:
    full = supported_combinations()
    return HEAD + in_short(full) + MIDDLE + full + TAIL


@quiet
def test_the_table_of_the_docs_is_true():
    page = Path(__file__).resolve().parents[2] / "docs" / "compositions.md"
    assert page.read_text() == page_text(), "run PYTHONPATH=tests python tests/solvers/test_compositions.py"


if __name__ == "__main__":
    warnings.simplefilter("ignore", InfimumWarning)
    Path("docs/compositions.md").write_text(page_text())
