"""The benchmark of the defaults on a few rows: who sees what, what is kept, and what the table says of it."""

from __future__ import annotations

import json
from importlib.util import find_spec
from itertools import permutations, product

import numpy as np
import pytest
from benchmarks.defaults import _methods as m
from benchmarks.defaults import _table, _work, intervals, numbers, rankings, tags, timing
from benchmarks.defaults.problems import PARTS, Data, Problem, candidates
from sklearn.datasets import load_iris

from benchmarks import _tools, defaults, regression
from infimum import datasets
from infimum.weights import KernelRidge

N = 45


@pytest.fixture(autouse=True)
def cheap(monkeypatch):
    """The parts of a default are named, so that nothing is searched for; small forests and grids."""
    named = {"principle": "infimum", "negative_weights": "inside", "weights": KernelRidge(1e-2, gamma=0.1)}
    monkeypatch.setattr(m, "default", lambda estimator, **settings: estimator(**{**named, **settings}))
    monkeypatch.setattr(m, "TREES", 10)
    monkeypatch.setattr(regression, "BOOSTED", regression.BOOSTED[:1])
    monkeypatch.setattr(intervals, "LAMS", (1e-2,))


def few(kind: str) -> Data:
    X, y = load_iris(return_X_y=True)
    rows = np.random.RandomState(0).permutation(len(X))[:N]
    X, y = X[rows], y[rows]
    if kind in ("labels", "ordinal"):
        return candidates(X, y, "uniform", 0.3)
    if kind == "intervals":
        bounds = np.column_stack([y - 1.0, np.where(y == 2, np.inf, y + 0.5)])
        return Data(X, bounds, bounds, np.arange(N) % 3 + 1)
    if kind == "numbers":
        truth = X[:, 0] - X[:, 1]
        return Data(X, numbers.brackets(truth, np.random.RandomState(0)), truth)
    if kind == "rankings":
        ranks = 1.0 + np.argsort(np.argsort(-X, axis=1), axis=1)
        return Data(X, datasets.drop_items(ranks, 0.4, random_state=0), ranks)
    truth = np.where(X[:, :3] > X[:, :3].mean(axis=0), 1, -1)
    if kind == "tags":
        return Data(X, datasets.drop_tags(truth, 0.4, random_state=0), truth)
    return Data(X, np.column_stack(datasets.make_hamming_balls(truth, 0.5, random_state=0)), truth)


def problem(kind: str, goal: float | None = None) -> Problem:
    return Problem(f"few-{kind}", kind, lambda: few(kind), 3, goal)


def runnable(methods) -> list[str]:
    return [name for name in methods if name != m.BOOSTED or find_spec("xgboost")]


@pytest.mark.parametrize("kind", list(_work.ROOMS))
def test_only_ceilings_learn_from_true_answers(kind):
    data, room = few(kind), _work.ROOMS[kind]
    train, test = next(problem(kind).splits(data))
    scrambled = data.truth.copy()
    scrambled[train] = np.roll(data.truth[train], 7, axis=0)
    other = data._replace(truth=scrambled)
    for method in runnable([*room.methods, *room.principles]):
        value = _work.measured(room, data, (train, test), method)["value"]
        assert np.isfinite(value)
        assert value == _work.measured(room, other, (train, test), method)["value"], method
    for method in room.ceilings:
        true, false = (_work.measured(room, d, (train, test), method)["value"] for d in (data, other))
        assert true > false if room.larger else true < false, method


def test_methods_learn_what_there_is_to_learn():
    data, room = few("labels"), _work.ROOMS["labels"]
    split = next(problem("labels").splits(data))
    for method in runnable([*room.methods, *room.ceilings]):
        assert _work.measured(room, data, split, method)["value"] > 0.6, method


def test_places_are_means_over_the_orders_that_agree():
    rows = np.array([[2.0, np.nan, 1.0, np.nan], [4.0, 1.0, np.nan, 3.0]])
    for row, found in zip(rows, rankings.places(rows)):
        known = np.flatnonzero(~np.isnan(row))
        orders = [
            p for p in permutations(range(1, 5)) if (np.argsort(row[known]) == np.argsort(np.array(p)[known])).all()
        ]
        np.testing.assert_allclose(found[known], np.mean(orders, axis=0)[known])
        assert np.isnan(found).sum() == 4 - len(known)
    assert rankings.last(rows).tolist() == [[2, 3, 1, 4], [3, 1, 4, 2]]


def test_mean_signs_are_means_over_the_ball():
    for radius in range(4):
        center = np.array([1, -1, 1])
        members = [y for y in product((-1, 1), repeat=3) if np.sum(center != y) <= radius]
        found = tags.over_balls(np.array([[*center, radius]]))[0]
        np.testing.assert_allclose(found, np.mean(members, axis=0), atol=1e-12)


def test_what_is_done_is_not_done_again(tmp_path, monkeypatch):
    calls = []
    once = _work.measured
    monkeypatch.setattr(_work, "measured", lambda *a: calls.append(a[-1]) or once(*a))
    _work.store.prepare(tmp_path)
    methods = [m.OURS, m.ONE_FOREST]
    assert _work.run(problem("labels"), tmp_path, 1, methods) == []
    _work.run(problem("labels"), tmp_path, 2, methods)
    assert calls == 2 * methods
    monkeypatch.setattr(_work, "source", lambda: "changed")
    _work.run(problem("labels"), tmp_path, 1, methods)
    assert calls[4:] == [m.OURS]  # of the changed library, and of nobody else
    file = _work.store.file_of(tmp_path, _work.Kept(), _work.task_of("few-labels", m.ONE_FOREST, 0))
    file.write_bytes(file.read_bytes()[:-9])
    _work.run(problem("labels"), tmp_path, 1, methods)
    assert calls[5:] == [m.ONE_FOREST]


def test_a_model_that_refuses_is_named_and_not_kept(tmp_path, monkeypatch):
    def refuses(*_):
        raise MemoryError("too large")

    monkeypatch.setattr(_work, "measured", refuses)
    _work.store.prepare(tmp_path)
    assert _work.run(problem("labels"), tmp_path, 1, [m.OURS]) == ["few-labels, fold 0, ours: too large"]
    assert _table.summary(problem("labels"), tmp_path) is None


def stored(out, one: Problem, values: dict[str, list[float]]) -> None:
    _work.store.prepare(out)
    for method in _work.all_methods(_work.ROOMS[one.kind]):
        for fold, value in enumerate(values.get(method, [0.5, 0.5, 0.5])):
            row = {
                "value": value,
                "rows": 10,
                "seconds": 1.0,
                "processor": 6.0 if method == m.OURS else 2.0,
                "said": "",
                "commit": "abc",
            }
            _work.keep(out, _work.task_of(one.name, method, fold), row)


@pytest.mark.parametrize("kind, sign", [("labels", 1), ("ordinal", -1)])
def test_a_line_is_missed_one_standard_error_below(tmp_path, kind, sign):
    better = [0.5 + sign * k for k in (0.1, 0.3, 0.2)]
    one = problem(kind, goal=0.5)
    stored(tmp_path, one, {m.OURS: [0.5] * 3, m.BOOSTED: better})
    line = _table.summary(one, tmp_path)
    assert line.best == m.BOOSTED
    np.testing.assert_allclose(line.ahead, [-0.2, 0.1 / 3**0.5])
    assert (line.keeps_up, line.goal_met, line.met, line.ratio) == (False, True, False, 3.0)
    near = [0.5 + sign * k for k in (-0.1, 0.3, 0.0)]  # ahead by -0.067 ± 0.12
    stored(tmp_path, one, {m.OURS: [0.5] * 3, m.BOOSTED: near})
    assert _table.summary(one, tmp_path).met
    assert not _table.summary(one._replace(goal=0.5 + sign * 0.1), tmp_path).met


def test_the_gap_is_to_the_best_principle(tmp_path):
    one = problem("rankings")
    stored(
        tmp_path,
        one,
        {m.OURS: [0.8] * 3, "principle: average": [0.7, 0.9, 0.83], "principle: infimum": [0.9, 0.1, 0.1]},
    )
    assert _table.summary(one, tmp_path).gap == pytest.approx(0.01)


def test_the_whole_run_writes_a_table_a_file_for_programs_and_a_picture(tmp_path, monkeypatch):
    kept: list[_tools.Line] = []
    monkeypatch.setattr(_tools, "LINES", kept)
    room = _work.ROOMS["labels"]
    monkeypatch.setitem(
        _work.ROOMS, "labels", room._replace(methods={k: room.methods[k] for k in (m.OURS, m.ONE_FOREST)})
    )
    monkeypatch.setattr(timing, "SIZES", {"timing": [timing.Size(200, 4, 3, 100.0, trees=2)]})
    for name, problems in {**PARTS, "labels": [problem("labels", 0.99)]}.items():
        monkeypatch.setitem(PARTS, name, problems)
    defaults.main(["labels", "timing"], folds=2, out=tmp_path)
    text = (tmp_path / "defaults.md").read_text()
    assert "| few-labels | **" in text
    assert "| few-labels | 2 of 3 | " in text
    assert "missed" not in text  # what is expected of a run is for the console
    assert "| 200 × 4, 3 classes | " in text
    content = json.loads((tmp_path / "defaults.json").read_text())
    assert [line["folds"] for line in content["problems"]] == [2]
    assert content["timing"][0]["met"]
    assert content["timing"][0]["accuracy"] > 0.5
    assert (tmp_path / "defaults.png").read_bytes()[:4] == b"\x89PNG"
    assert [line.met for line in kept][1:] == [False, True]
    (tmp_path / "docs" / "_static").mkdir(parents=True)
    defaults.publish(tmp_path, tmp_path / "docs")
    assert (tmp_path / "docs" / "_tables" / "defaults.md").read_text() == text


def test_the_problems_are_those_that_were_asked_for(data_home, monkeypatch):
    monkeypatch.setenv("INFIMUM_DATA", str(data_home))
    every = {one.name: one for part in PARTS.values() for one in part}
    assert (len(every), sum(not one.looked_at for one in every.values())) == (75, 6)
    assert {name: one.n_folds for name, one in every.items() if one.goal} == {
        "wine-uniform-0.3": 3, "digits-uniform-0.3": 3, "vowel-uniform-0.5": 8, "segment-uniform-0.5": 8,
        "dna-skewed-0.5": 8, "dna-skewed-0.8": 8, "lost": 10, "MSRCv2": 10, "neuroblastoma.bac": 5,
        "H3K4me3_TDH_immune_FPOP": 5,
    }  # fmt: skip
    for name in ("lost", "rank-vehicle-0.6", "emotions-balls", "car-uniform-0.3"):
        data = every[name].load()
        tests = np.concatenate([test for _, test in every[name].splits(data)])
        assert sorted(tests.tolist()) == list(range(len(data.X)))
    assert len(every["rank-vehicle-0.6"].load().X) == 600


@pytest.mark.parametrize("how", list(numbers.TOLD))
def test_what_is_told_of_a_number_holds_it(how):
    y = np.random.RandomState(1).standard_normal(200)
    bounds = numbers.TOLD[how](y, np.random.RandomState(0))
    assert (bounds[:, 0] <= y).all()
    assert (y <= bounds[:, 1]).all()
    assert (np.ptp(bounds, axis=1) > 0).mean() > 0.2
    for load in numbers.SOURCES.values():
        X, target = load()
        assert len(X) == len(target) > 100
        assert max(abs(np.corrcoef(column, target)[0, 1]) for column in X.T) < 0.999  # it is not among the features
