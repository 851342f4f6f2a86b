"""Merged cells are the sets that they claim to be, by brute force over all truths."""

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infimum import Not
from infimum.io import _cells

CLASSES = ["a", "b", "c", "d"]
subsets = st.sets(st.sampled_from(CLASSES), min_size=1)
label_cells = st.one_of(subsets, subsets.filter(lambda s: len(s) < 4).map(lambda s: Not(*sorted(s))))


def truths(cell):
    """All labels that a cell allows."""
    if cell is None:
        return set(CLASSES)
    if isinstance(cell, Not):
        return set(CLASSES) - set(cell.labels)
    return {cell} if isinstance(cell, str) else set(cell)


@given(st.lists(label_cells, min_size=2, max_size=4))
def test_labels_are_intersected_united_and_voted_on(cells):
    labels = _cells.Labels(CLASSES)
    allowed = [truths(cell) for cell in cells]
    both = set.intersection(*allowed)
    if both:
        assert truths(labels.intersect(cells)) == both
    else:
        with pytest.raises(_cells.Conflict):
            labels.intersect(cells)
    assert truths(labels.union(cells)) == set.union(*allowed)
    counts = {label: sum(label in s for s in allowed) for label in CLASSES}
    assert truths(labels.vote(cells)) == {label for label in CLASSES if counts[label] == max(counts.values())}


TAGS = ["x", "y", "z"]
tag_cells = st.dictionaries(st.sampled_from(TAGS), st.booleans(), min_size=1)


def tag_truths(cell):
    every = [dict(zip(TAGS, values)) for values in product([True, False], repeat=3)]
    return [y for y in every if all(y[tag] == there for tag, there in (cell or {}).items())]


@given(st.lists(tag_cells, min_size=2, max_size=4))
def test_tags_are_intersected_united_and_voted_on(cells):
    tags = _cells.Tags()
    allowed = [tag_truths(cell) for cell in cells]
    both = [y for y in allowed[0] if all(y in other for other in allowed)]
    if both:
        assert tag_truths(tags.intersect(cells)) == both
    else:
        with pytest.raises(_cells.Conflict):
            tags.intersect(cells)
    # the smallest set of known tags around the union
    some = [y for y in tag_truths(None) if any(y in other for other in allowed)]
    fixed = {tag: some[0][tag] for tag in TAGS if len({y[tag] for y in some}) == 1}
    assert (tags.union(cells) or {}) == fixed
    for tag in TAGS:
        yes, no = (sum(cell.get(tag) is there for cell in cells) for there in (True, False))
        assert (tags.vote(cells) or {}).get(tag) == (None if yes == no else yes > no)


ITEMS = "abcd"
pairs = st.tuples(st.sampled_from(ITEMS), st.sampled_from(ITEMS)).filter(lambda pair: pair[0] != pair[1])


def acyclic(cell):
    return bool(order_truths(cell))


def order_truths(cell):
    return {order for order in permutations(ITEMS) if all(order.index(a) < order.index(b) for a, b in cell or [])}


order_cells = st.lists(pairs, min_size=1, max_size=4).filter(acyclic)


@given(st.lists(order_cells, min_size=2, max_size=3))
def test_orders_are_intersected_and_united(cells):
    orders = _cells.Orders()
    allowed = [order_truths(cell) for cell in cells]
    both = set.intersection(*allowed)
    if both:
        assert order_truths(orders.intersect(cells)) == both
    else:
        with pytest.raises(_cells.Conflict, match=r"in a circle: "):
            orders.intersect(cells)
    # the pairs that hold in every order of every cell
    some = set.union(*allowed)
    held = [(a, b) for a in ITEMS for b in ITEMS if a != b and all(o.index(a) < o.index(b) for o in some)]
    assert order_truths(orders.union(cells)) == order_truths(held)


@given(order_cells)
def test_a_cell_of_an_order_says_it_all_and_no_more(cell):
    short = _cells.order_cell(cell)
    assert order_truths(short) == order_truths(cell)
    for k in range(len(short)):
        assert order_truths(short[:k] + short[k + 1 :]) > order_truths(cell)


def test_votes_on_orders_may_run_in_a_circle():
    cells = [[("a", "b"), ("b", "c")], [("b", "c"), ("c", "a")], [("c", "a"), ("a", "b")]]
    with pytest.raises(_cells.Conflict, match=r"in a circle: a > b > c > a"):
        _cells.Orders().vote(cells)
    assert _cells.Orders().vote([[("a", "b")], [("a", "b")], [("b", "a")]]) == [("a", "b")]
    assert _cells.Orders().vote([[("a", "b")], [("b", "a")]]) is None


def test_numbers():
    numbers = _cells.Numbers()
    assert numbers.intersect([{1, 2, 3}, (2, None)]) == {2, 3}
    assert numbers.intersect([(1, 4), 3]) == 3
    with pytest.raises(_cells.Conflict):
        numbers.intersect([3, 4])
    assert numbers.union([3, (5, 6)]) == [(3, 3), (5, 6)]
    assert numbers.vote([3, 4, 3, 4, 9]) == {3, 4}


def test_names_that_text_cannot_hold_are_refused():
    with pytest.raises(ValueError, match=r"the label 'a\|b' cannot be written as text"):
        _cells.Labels([]).text({"a|b"})
    with pytest.raises(ValueError, match=r"the label '!a'"):
        _cells.Labels([]).text({"!a"})
    with pytest.raises(ValueError, match=r"the tag 'two words'"):
        _cells.Tags().text({"two words": True})
    with pytest.raises(ValueError, match=r"the item 'a>b'"):
        _cells.Orders().text([("a>b", "c")])
