"""diagnostics.audit: planted faults are found, clean rows are not."""

import numpy as np
import pytest

from infimum import CandidateLabels, InfimumWarning, PartialRegressor, clean_labels, outputs
from infimum.diagnostics import audit
from infimum.diagnostics.conflicts import conflicts, unreadable
from small_search import SMALL_SEARCH


def blobs(n: int = 120, seed: int = 0):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n)
    X = np.array([[0, 0], [4, 0], [0, 4]])[y] + rng.normal(scale=0.6, size=(n, 2))
    return X, y, rng


def test_planted_wrong_sets_are_suspects():
    X, y, rng = blobs()
    names = np.array(["a", "b", "c"])
    cells = [{names[k], names[(k + 1) % 3]} if rng.random() < 0.4 else {names[k]} for k in y]
    wrong = [3, 50, 90]
    for row in wrong:
        cells[row] = {names[(y[row] + 1) % 3]}
    found = audit(X, cells)
    assert {s["row"] for s in found.suspects} == set(wrong)
    for s in found.suspects:
        assert s["predicted"] == names[y[s["row"]]]
        assert s["support"] < 0.3
    assert set(wrong) <= set(found.rows().tolist())


@pytest.mark.parametrize("seed", [3, 5, 18])
def test_the_others_never_confirm_the_set_of_a_suspect(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2))
    y = [name if rng.random() < 0.6 else "a|b" for name in np.where((X[:, 0] > 0) ^ (rng.random(60) < 0.2), "a", "b")]
    found = audit(X, y)
    assert found.suspects
    assert not any(s["predicted"] == s["set"] for s in found.suspects)
    given = audit(X, y, resolved=clean_labels(X, y))
    assert not any(f"{s['set']}; the others say {s['set']}" in line for s in given.suspects for line in given.lines())


def test_orders_against_all_others_are_suspects():
    X, kind, _ = blobs(80)
    y = [["a>b>c>d", "d>c>b>a", "b>a>d>c"][k] for k in kind]
    wrong = [int(np.flatnonzero(kind == 0)[3]), int(np.flatnonzero(kind == 1)[4])]
    y[wrong[0]], y[wrong[1]] = "d>c>b>a", "a>b>c>d"
    found = audit(X, y, outputs.Rankings())
    assert {s["row"] for s in found.suspects} == set(wrong)


def test_numbers_far_from_what_others_say_are_suspects():
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, size=100)
    y = [(v - 0.2 * rng.random() - 0.02, v + 0.2 * rng.random()) for v in x + 0.1 * rng.normal(size=100)]
    y[40] = (20.0, 21.0)
    found = audit(x[:, None], y, outputs.Reals())
    assert found.suspects[0]["row"] == 40
    model = PartialRegressor(search_config=SMALL_SEARCH).fit(x[:, None], y)
    suspects = audit(
        x[:, None], y, model.output_, resolved=model.disambiguation_
    ).suspects  # one rule, wherever it is asked
    assert sorted(row["row"] for row in suspects) == sorted(model.suspects_.tolist())


def test_duplicates_and_near_rows_with_disjoint_sets():
    X, y, _ = blobs()
    cells = [f"{'abc'[k]}" for k in y]
    X[7], cells[7] = X[8], "abc"[(y[8] + 1) % 3]
    found = audit(X, cells)
    first = found.conflicts[0]
    assert (first["row"], first["other"], first["distance"]) == (7, 8, 0.0)
    assert (first["set"], first["its set"]) == (cells[7], cells[8])
    assert repr(found).count("the same as row 8") == 1


def test_conflicts_against_brute_force():
    X, _, rng = blobs(60)
    mask = np.eye(3, dtype=bool)[rng.integers(3, size=60)] | (rng.random((60, 3)) < 0.2)
    D = np.sqrt(((X[:, None] - X) ** 2).sum(-1)) + np.where(np.eye(60), np.inf, 0)
    near = D.min(axis=1)
    limit = np.quantile(near, 0.25)
    order = np.argsort(D, axis=1)[:, :5]
    want = {
        (min(i, j), max(i, j))
        for i in range(60)
        for j in order[i]
        if D[i, j] <= limit and not (mask[i] & mask[j]).any()
    }
    assert {pair[:2] for pair in conflicts(X, CandidateLabels(mask))} == want
    assert want


def test_rows_that_no_output_satisfies_are_set_aside_all_of_them():
    y = [(k, k - 1) if k % 2 else (k, k + 1) for k in range(40)]
    cells, bad = unreadable(outputs.Reals(), y)
    assert list(bad) == list(range(1, 40, 2))  # more than one message holds
    assert cells[::2] == y[::2]
    assert cells[1::2] == [None] * 20
    found = audit(np.arange(40.0)[:, None], y, outputs.Reals())
    assert list(found.impossible) == list(bad)
    assert "impossible    row 1" in repr(found)


def test_other_errors_are_not_swallowed():
    with pytest.raises(ValueError, match="y contains no classes, because all rows are unlabelled"):
        unreadable(outputs.Labels(), [None, None])


def test_disagreements_are_those_of_the_held_out_predictions():
    from infimum import weights
    from infimum.recipe import Recipe
    from infimum.selection import out_of_fold

    X, y, rng = blobs(60)
    mask = np.eye(3, dtype=bool)[y] | (rng.random((60, 3)) < 0.5)
    found = audit(X, mask)
    space = outputs.Labels().fit(mask)
    sets = space.read(mask)
    z = [
        out_of_fold(Recipe(p, "inside", weights.Scaled(weights.KernelRidge(lam=1e-3))), X, space, sets).z
        for p in ("infimum", "average", "disambiguation")
    ]
    rows = np.flatnonzero((z[0] != z[1]) | (z[0] != z[2]))
    assert {d["row"] for d in found.disagreements} == set(rows.tolist())


def test_a_principle_that_has_no_value_is_said_to_be_left_out():
    x = np.linspace(0, 1, 30)
    with pytest.warns(InfimumWarning, match="only lower bounds"):
        found = audit(x[:, None], [(v, None) for v in x], outputs.Reals())
    assert "average" in found.not_evaluated
    assert "average" not in found.predictions


@pytest.mark.parametrize("seed", [0, 1])
def test_near_rows_of_overlapping_classes_are_no_contradiction(seed):
    """Near rows of overlapping classes differ; a wrong label among separated classes is still found."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 2))
    overlapping = np.where(X[:, 0] + rng.normal(scale=1.5, size=300) > 0, "yes", "no")
    assert len(conflicts(X, outputs.Labels().fit(overlapping).read(overlapping))) > 10
    assert len(audit(X, overlapping).conflicts) <= 3
    separated = np.where(X[:, 0] > 0, "yes", "no")
    row = int(np.argmax(X[:, 0] - np.abs(X[:, 1:]).sum(axis=1)))
    separated[row] = "no"
    assert row in audit(X, separated).rows()
