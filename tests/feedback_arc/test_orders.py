"""Orders against brute force over all m! of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from feedback_arc.brute_force import extends, gaussian, optimum, problems, random_order
from infimum.feedback_arc import (
    cutting_planes,
    linear_extensions,
    minimum_feedback_arc,
    minimum_feedback_arcs,
)
from infimum.feedback_arc.components import components
from infimum.feedback_arc.cutting_planes import Branching
from infimum.feedback_arc.local_search import insertion_search
from infimum.feedback_arc.relations import borda, order_value
from infimum.feedback_arc.subset_dp import subset_orders
from infimum.paper.relaxation import relaxed

DATA = Path(os.environ.get("INFIMUM_DATA", Path(__file__).parents[3] / "shared" / "data")) / "linear-ordering"


@settings(max_examples=80, deadline=None)
@given(problems())
@pytest.mark.parametrize("method", ["auto", "dp", "cutting_planes"])
def test_exact_methods_attain_brute_force(method, problem):
    cost, before = problem
    result = minimum_feedback_arc(cost, before, method)
    assert extends(result.order, before)
    assert result.value == pytest.approx(order_value(cost, result.order), abs=1e-9)
    assert result.value == pytest.approx(optimum(cost, before), abs=1e-9)
    assert result.proved
    assert result.bound == result.value


@settings(max_examples=80, deadline=None)
@given(problems())
def test_subset_dp_and_branch_and_bound_need_no_reduction(problem):
    cost, before = problem
    zero = np.zeros(1, dtype=int)
    (order,), (value,) = subset_orders(cost[None], before[None], zero, zero)
    search = Branching(cost, before).run()
    assert extends(order, before)
    assert extends(search.order, before)
    assert value == pytest.approx(optimum(cost, before), abs=1e-9)
    assert search.value == pytest.approx(value, abs=1e-9)
    assert search.proved


@settings(max_examples=80, deadline=None)
@given(problems())
def test_sorting_respects_the_order_and_its_bound_holds(problem):
    cost, before = problem
    best = optimum(cost, before)
    order = borda(cost, before)
    better = insertion_search(cost, order, before, rounds=2)
    assert extends(order, before)
    assert extends(better, before)
    assert best - 1e-9 <= order_value(cost, better) <= order_value(cost, order) + 1e-9
    result = minimum_feedback_arc(cost, before, "cutting_planes", max_steps=0)
    assert extends(result.order, before)
    assert result.bound <= best + 1e-9 <= result.value + 2e-9
    assert not result.proved or result.value == pytest.approx(best, abs=1e-9)


@settings(max_examples=80, deadline=None)
@given(problems())
def test_components_lose_nothing(problem):
    cost, before = problem
    blocks = components(cost, before)
    assert sorted(i for block in blocks for i in block) == list(range(len(cost)))
    inner = sum(optimum(cost[np.ix_(b, b)], before[np.ix_(b, b)]) for b in blocks)
    between = sum(cost[np.ix_(a, b)].sum() for k, a in enumerate(blocks) for b in blocks[k + 1 :])
    assert inner + between == pytest.approx(optimum(cost, before), abs=1e-9)


def test_a_total_order_leaves_single_items():
    before = np.triu(np.ones((5, 5), dtype=bool), 1)
    assert [b.tolist() for b in components(before.astype(float), before)] == [[0], [1], [2], [3], [4]]


@pytest.mark.parametrize("pairs, bound", [([], 3), ([(0, 2)], 5)])
def test_sorting_does_not_prove_a_cycle(pairs, bound):
    cost, before = np.array([[0.0, 1, 3], [2, 0, 1], [1, 4, 0]]), np.zeros((3, 3), dtype=bool)
    for i, j in pairs:
        before[i, j] = True
    result = minimum_feedback_arc(cost, before, "cutting_planes", max_steps=0)
    assert (result.bound, result.proved) == (bound, result.value == bound)


def test_insertion_search_leaves_no_improving_insertion():
    rng = np.random.default_rng(0)
    cost, before = gaussian(rng, 12, 12), random_order(rng, 12, 0.1)
    order = insertion_search(cost, borda(cost, before), before)
    for p in range(12):
        for q in range(12):
            moved = np.insert(np.delete(order, p), q, order[p])
            assert not extends(moved, before) or order_value(cost, moved) >= order_value(cost, order) - 1e-9


@pytest.mark.parametrize("density", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(5))
def test_dp_agrees_with_cutting_planes_on_twelve_items(seed, density):
    rng = np.random.default_rng(seed)
    cost, before = gaussian(rng, 12, 12), random_order(rng, 12, density)
    dp, cuts = (minimum_feedback_arc(cost, before, method) for method in ("dp", "cutting_planes"))
    assert cuts.proved
    assert cuts.value == pytest.approx(dp.value, abs=1e-9)


@pytest.mark.parametrize("integral", [False, True])
def test_branching_where_the_relaxation_is_fractional(integral):
    rng, fractional = np.random.default_rng(0), 0
    for _ in range(12):
        cost = np.round(10 * gaussian(rng, 20, 20)) if integral else gaussian(rng, 20, 20)
        fractional += not relaxed(cost).integral
        cuts, dp = minimum_feedback_arc(cost, method="cutting_planes"), minimum_feedback_arc(cost, method="dp")
        assert cuts.proved
        assert cuts.value == pytest.approx(dp.value, abs=1e-8)
    assert fractional >= 2


@pytest.mark.parametrize("scale", [None, 3])
@pytest.mark.parametrize("density", [0.0, 0.03])
def test_branch_and_bound_finds_the_optimum_without_its_heuristics(monkeypatch, scale, density):
    worst = lambda cost, before: minimum_feedback_arc(-cost, before, "dp").order  # noqa: E731
    monkeypatch.setattr(cutting_planes, "borda", worst)
    monkeypatch.setattr(cutting_planes, "insertion_search", lambda cost, order, *_: order)
    rng = np.random.default_rng(4)
    for _ in range(6):
        cost, before = gaussian(rng, 20, 20), random_order(rng, 20, density)
        cost = cost if scale is None else np.round(scale * cost)
        search = Branching(cost, before).run()
        assert search.proved
        assert search.value == pytest.approx(minimum_feedback_arc(cost, before, "dp").value, abs=1e-8)


def test_batches_broadcast_and_equal_single_problems():
    rng = np.random.default_rng(0)
    costs, orders = gaussian(rng, 3, 1, 6, 6), np.array([random_order(rng, 6, 0.2) for _ in range(4)])
    batch = minimum_feedback_arcs(costs, orders)
    looped = minimum_feedback_arcs(costs, orders, method="cutting_planes")
    assert batch.order.shape == (3, 4, 6)
    assert batch.proved.all()
    assert looped.proved.all()
    np.testing.assert_allclose(batch.value, looped.value)
    for q, i in np.ndindex(3, 4):
        assert extends(batch.order[q, i], orders[i])
        assert batch.value[q, i] == pytest.approx(optimum(costs[q, 0], orders[i]))
        assert order_value(costs[q, 0], batch.order[q, i]) == pytest.approx(batch.value[q, i])
    assert minimum_feedback_arcs(costs[:, 0]).order.shape == (3, 6)
    assert minimum_feedback_arcs(costs[0, 0], orders).value.shape == (4,)
    assert minimum_feedback_arcs(costs[:0, 0], method="cutting_planes").order.shape == (0, 6)


@pytest.mark.parametrize("m", [0, 1, 2])
@pytest.mark.parametrize("method", ["auto", "dp", "cutting_planes"])
def test_few_items(m, method):
    cost = np.arange(m * m, dtype=float).reshape(m, m)[::-1]
    result = minimum_feedback_arc(cost, method=method)
    assert sorted(result.order) == list(range(m))
    assert result.value == optimum(cost * (1 - np.eye(m)), np.zeros((m, m), dtype=bool))
    assert result.proved
    assert minimum_feedback_arcs(np.array([cost]), method=method).order.shape == (1, m)
    assert relaxed(cost).integral


@pytest.mark.parametrize("method", ["auto", "dp", "cutting_planes"])
def test_equal_costs_are_broken_by_index_and_proved(method):
    result = minimum_feedback_arc(np.full((20, 20), 3), method=method)
    assert result.order.tolist() == list(range(20))
    assert (result.value, result.bound, result.proved) == (570.0, 570.0, True)


def test_equal_costs_under_a_partial_order():
    before = np.zeros((5, 5), dtype=bool)
    before[4, 0] = before[0, 2] = True
    assert extends(minimum_feedback_arc(np.ones((5, 5)), before).order, before)
    (order,) = minimum_feedback_arcs(np.ones((1, 5, 5)), before).order
    assert extends(order, before)


def test_the_time_limit_returns_a_valid_certificate():
    rng = np.random.default_rng(1)
    cost, free = gaussian(rng, 40, 40), np.zeros((40, 40), dtype=bool)
    sorts = order_value(cost, borda(cost, free))
    cheaper_directions = np.triu(np.minimum(cost, cost.T), 1).sum()
    none, some = (minimum_feedback_arc(cost, time_limit=seconds) for seconds in (0.0, 0.5))
    assert none.bound == pytest.approx(cheaper_directions)
    assert cheaper_directions < some.bound <= some.value <= none.value + 1e-9 <= sorts + 1e-9
    assert not some.proved
    assert order_value(cost, some.order) == pytest.approx(some.value)


def cyclic(*pairs, m=4):
    precedes = np.zeros((m, m), dtype=bool)
    precedes[tuple(np.transpose(pairs))] = True
    return precedes


@pytest.mark.parametrize("pairs, cycle", [([(0, 1), (1, 3), (3, 0)], "0 > 1 > 3 > 0"), ([(2, 2)], "2 > 2")])
def test_cycles_are_spelled_out(pairs, cycle):
    with pytest.raises(ValueError, match=f"^precedes contains the cycle {cycle}, which no order satisfies"):
        minimum_feedback_arc(np.zeros((4, 4)), cyclic(*pairs))
    with pytest.raises(ValueError, match=rf"^precedes\[1\] contains the cycle {cycle}"):
        linear_extensions([cyclic((0, 1)), cyclic(*pairs)])


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"cost": np.zeros((2, 3))}, r"cost must have shape \(\.\.\., m, m\).*Got shape \(2, 3\)"),
        ({"cost": [[0, np.nan], [0, 0]]}, r"cost must be finite off the diagonal. Got nan at \(0, 1\)"),
        ({"cost": np.zeros((1, 2, 2))}, "use minimum_feedback_arcs"),
        ({"cost": np.zeros((2, 2)), "precedes": np.zeros((3, 3))}, r"precedes must have shape \(\.\.\., 2, 2\)"),
        ({"cost": np.zeros((2, 2)), "precedes": [[0, 2], [0, 0]]}, "precedes must be boolean"),
        ({"cost": np.zeros((2, 2)), "precedes": np.zeros((1, 2, 2))}, "use minimum_feedback_arcs"),
        ({"cost": np.zeros((2, 2)), "method": "magic"}, "method must be one of 'auto', 'dp'.*Got 'magic' instead"),
        ({"cost": np.zeros((2, 2)), "time_limit": -1}, "time_limit must be a number of seconds >= 0"),
        (
            {"cost": gaussian(np.random.default_rng(0), 40, 40), "method": "dp"},
            "at most 24 items per component. Got 40. Use method='cutting_planes'",
        ),
    ],
)
def test_errors_name_the_way_out(arguments, message):
    with pytest.raises(ValueError, match=message):
        minimum_feedback_arc(**arguments)


def test_the_diagonal_is_ignored():
    cost = gaussian(np.random.default_rng(0), 6, 6)
    assert minimum_feedback_arc(cost + np.diag([np.nan] * 6)).value == minimum_feedback_arc(cost).value


@pytest.mark.parametrize("name", ["t59b11xx", "t65b11xx"])
def test_linear_ordering_library(name):
    if not (DATA / name).exists():
        pytest.skip(f"no {name} in {DATA}: set INFIMUM_DATA to the folder that holds linear-ordering")
    m, *entries = (DATA / name).read_text().split()
    gain = np.array(entries[: int(m) ** 2], dtype=float).reshape(int(m), int(m))
    np.fill_diagonal(gain, 0.0)
    # maximising the sum above the diagonal is minimising the sum below it
    result = minimum_feedback_arc(gain.T)
    assert result.proved
    assert gain.sum() - result.value == json.loads((DATA / "optima.json").read_text())[name]


def test_import_is_light():
    code = "import sys, infimum.feedback_arc; print({'numba'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
