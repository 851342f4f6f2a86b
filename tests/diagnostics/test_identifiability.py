"""diagnostics.identifiability: counts against brute force, degrees against known ones, questions that separate."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binomtest

from infimum import InfimumWarning, PartialClassifier, outputs
from infimum.diagnostics import identifiability
from infimum.diagnostics.counts import at_least, at_most


def grid(n: int, c: float, seed: int = 0, m: int = 4):
    """Classes by quadrant, every wrong one in the set with probability c."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 2))
    X += 0.3 * np.sign(X)
    y = (X[:, 0] > 0) * 2 + (X[:, 1] > 0)
    return X, y, np.eye(m, dtype=bool)[y] | (rng.random((n, m)) < c)


def test_pairs_are_counted():
    X, _, mask = grid(60, 0.3)
    found = identifiability(X, mask)
    assert len(found.pairs) == 6
    for row in found.pairs:
        a, b = mask[:, int(row["a"])], mask[:, int(row["b"])]
        assert row["together"] == (a & b).sum()
        assert row["a without b"] == (a & ~b).sum()
        assert row["b without a"] == (b & ~a).sum()
    assert [tuple(sorted((row["a"], row["b"]))) for row in found.pairs] != []
    hardest = [min(row["a without b"], row["b without a"]) for row in found.pairs]
    assert hardest == sorted(hardest)


@pytest.mark.parametrize("c", [0.1, 0.5])
def test_the_degree_is_that_of_the_law_of_the_sets(c):
    """Sets drawn with P(z in S | y) = c: the interval holds c for every pair; the estimate is near the real share."""
    X, y, mask = grid(500, c)
    found = identifiability(X, mask)
    real = np.array([[mask[y == a, b].mean() for b in range(4)] for a in range(4)])
    off = ~np.eye(4, dtype=bool)
    assert np.abs(found.degrees.value[0] - real)[off].max() < 0.06
    assert ((found.degrees.low[0] <= c) & (c <= found.degrees.high[0]))[off].all()
    assert found.degree == found.degrees.value[0][off].max()
    low, high = found.degree_interval
    assert low < found.degree < high
    assert found.is_identifiable is True
    assert found.verdict.startswith("Yes")


def test_intervals_are_those_of_clopper_and_pearson():
    for count, n in ((0, 10), (3, 10), (10, 10), (7, 40)):
        known = binomtest(count, n).proportion_ci(0.9, "exact")
        assert np.isclose(at_most(count, n, 0.95), known.high)
        assert np.isclose(at_least(count, n, 0.95), known.low)


def never_apart():
    X, y, mask = grid(200, 0.2)
    names = np.array(["a", "b", "c", "d"])
    mask[:, 1] = mask[:, 0] = mask[:, 0] | mask[:, 1]
    return X, y, outputs.CandidateLabels(mask, names)


def test_classes_that_are_never_apart_are_named_and_no_model_tells_them_apart():
    X, _, sets = never_apart()
    found = identifiability(X, sets)
    assert found.inseparable == [("a", "b")]
    assert found.is_identifiable is False
    assert found.verdict.startswith("No. a and b always appear together")
    scores = PartialClassifier().fit(X, sets).decision_function(X)
    assert np.array_equal(scores[:, 0], scores[:, 1])
    swapped = outputs.CandidateLabels(sets.mask[:, [1, 0, 2, 3]], sets.classes)
    assert np.array_equal(swapped.mask, sets.mask)


def test_the_question_separates_them():
    """The answer to the question makes the pair apart, and the row is one that holds both and little else."""
    X, _, sets = never_apart()
    found = identifiability(X, sets)
    asked = found.questions[0]
    assert asked.options == ("a", "b")
    assert asked.answers == 1
    assert asked.rows == (sets.mask[:, 0] & sets.mask[:, 1]).sum() == found.blind[0].rows
    assert sets.mask[asked.row, :2].all()
    assert sets.mask[asked.row].sum() == sets.mask[sets.mask[:, 0]].sum(axis=1).min()
    assert str(asked) == f"Row {asked.row}: is it a or b?"
    mask = sets.mask.copy()
    mask[asked.row] = [True, False, False, False]
    assert identifiability(X, outputs.CandidateLabels(mask, sets.classes)).inseparable == []


def test_a_group_of_five_needs_three_answers():
    rng = np.random.default_rng(0)
    mask = np.repeat(rng.random((60, 2)) < 0.5, [5, 1], axis=1)
    mask[~mask.any(axis=1)] = True
    found = identifiability(rng.normal(size=(60, 2)), mask)
    assert found.inseparable == [("0", "1", "2", "3", "4")]
    assert found.questions[0].answers == 3
    assert "is it 0 or 1 or 2, rather than 3 or 4?" in found.questions[0].text
    codes = {tuple(int(i in half) for half in ((0, 1, 2), (0, 1, 3), (0, 2, 4))) for i in range(5)}
    assert len(codes) == 5  # three questions by halves tell five apart; two cannot, 2² < 5


def test_a_class_that_never_comes_without_another_is_shadowed():
    X, _, mask = grid(200, 0.2)
    mask[:, 1] |= mask[:, 0]
    found = identifiability(X, outputs.CandidateLabels(mask, ["a", "b", "c", "d"]))
    assert found.shadowed == [("a", "b")]
    assert found.inseparable == []
    assert found.is_identifiable is False
    assert "a never appears without b" in found.verdict
    risks = -PartialClassifier.paper(weights="neighbors").fit(X, outputs.CandidateLabels(mask)).decision_function(X)
    assert (risks[:, 1] <= risks[:, 0]).all()  # where weights are not negative, b always fits where a does


def test_what_is_never_ruled_out_is_named_once():
    X, _, mask = grid(100, 0.2)
    mask[:, 2] = True
    found = identifiability(X, outputs.CandidateLabels(mask, ["a", "b", "c", "d"]))
    assert (found.everywhere, found.shadowed) == (["c"], [])
    assert "c is never excluded" in found.verdict


def test_the_bound_says_what_so_many_rows_would_have_shown():
    X, _, sets = never_apart()
    (blind,) = identifiability(X, sets).blind
    assert np.isclose((1 - blind.bound) ** blind.rows, 0.05)


def test_eta_is_that_of_the_neighbours():
    from sklearn.neighbors import NearestNeighbors
    from sklearn.preprocessing import StandardScaler

    X, _, mask = grid(80, 0.4)
    found = identifiability(X * [1, 1000], mask, n_neighbors=12)
    Z = StandardScaler().fit_transform(X)
    graph = NearestNeighbors(n_neighbors=12).fit(Z).kneighbors_graph(Z)
    share = graph @ mask / 12
    assert np.allclose(found.eta[:, 0], 1 - np.sort(share, axis=1)[:, -2])
    assert (found.eta_low <= found.eta).all()
    assert (found.eta <= found.eta_high).all()
    one = binomtest(round((1 - found.eta[0, 0]) * 12), 12).proportion_ci(0.95, "exact")
    assert np.allclose([found.eta_low[0, 0], found.eta_high[0, 0]], [1 - one.high, 1 - one.low])


def test_tags_that_are_never_denied():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = [{"red": bool(a > 0)} if rng.random() < 0.5 else {"big": True} for a, _ in X]
    found = identifiability(X, y, outputs.Tags())
    assert found.everywhere == ["big present"]
    assert found.is_identifiable is False
    row = found.questions[0].row
    assert found.questions[0].text == f"Row {row}: is it big?"
    assert "big" not in y[row]
    red = next(r for r in found.pairs if r["choice"] == "red")
    assert red["together"] == sum("red" not in cell for cell in y)


def test_items_that_are_never_compared():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = [[("a", "b")] if a > 0 else [("b", "a")] for a in X[:, 0]]
    y[0] = [("a", "b"), ("c", "d")]
    found = identifiability(X, y, outputs.Rankings())
    never = {frozenset(pair) for pair in combinations("abcd", 2)} - {frozenset("ab"), frozenset("cd")}
    named = {frozenset(name.split(" before ")) for pair in found.inseparable for name in pair[:1]}
    assert named == never
    assert "which comes first of" in found.questions[0].text


def test_numbers_without_an_upper_bound():
    rng = np.random.default_rng(0)
    x = rng.normal(size=100)
    with pytest.warns(InfimumWarning, match="only lower bounds"):
        half = identifiability(x[:, None], [(v - rng.random(), None) for v in x], outputs.Reals())
    assert half.is_identifiable is False
    assert "and above is never excluded" in half.verdict
    both = identifiability(x[:, None], [(v - rng.random(), v + rng.random()) for v in x], outputs.Reals())
    assert both.blind == []
    assert both.is_identifiable is not False


def test_rows_that_say_nothing_and_classes_that_are_rare():
    X = np.arange(12.0)[:, None]
    found = identifiability(X, np.ones((12, 3), dtype=bool))
    assert found.verdict == "No. None of the 12 rows excludes any output."
    few = identifiability(X, ["a", "b"] * 6)
    assert few.degree == 0
    assert set(few.rare) == {"a", "b"}


def test_it_is_shown_and_drawn():
    X, _, sets = never_apart()
    found = identifiability(X, outputs.CandidateLabels(sets.mask, ["<i>a</i>", "b", "c", "$d$"]))
    assert "never separated: <i>a</i>, b" in repr(found)
    assert "<i>a" not in found._repr_html_()
    assert list(found.frame().columns)[:3] == ["choice", "a", "b"]
    pytest.importorskip("matplotlib").use("agg")
    display = found.plot()
    assert display.axes_[0].images[0].get_array().shape == (4, 4)
    y = [{"red": True}, {"red": False, "big": True}, {"big": False}] * 10
    assert len(identifiability(np.arange(30.0)[:, None], y, outputs.Tags()).plot().axes_) == 2


def test_settings_are_checked():
    X, _, mask = grid(20, 0.3)
    with pytest.raises(ValueError, match=r"level must be between 0.5 and 1. Got 95"):
        identifiability(X, mask, level=95)
    with pytest.raises(ValueError, match="X has 19 rows and y has 20"):
        identifiability(X[:-1], mask)
    with pytest.raises(ValueError, match="does not describe its sets as choices"):
        identifiability(X, [[0.0, 1.0]] * 20, outputs.Vectors())
