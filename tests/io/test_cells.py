"""Combined cells against brute force over all outputs."""

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infimum import Not
from infimum.outputs import OUTPUT_TYPES, Labels, Masks, Rankings, Reals, Tags, Vectors
from infimum.outputs.cells import Conflict
from infimum.outputs.rankings.cells import order_cell

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
def test_label_cells_intersection_union_vote(cells):
    labels = Labels(classes=CLASSES)
    allowed = [truths(cell) for cell in cells]
    both = set.intersection(*allowed)
    if both:
        assert truths(labels.intersect_cells(cells)) == both
    else:
        with pytest.raises(Conflict):
            labels.intersect_cells(cells)
    assert truths(labels.union_cells(cells)) == set.union(*allowed)
    counts = {label: sum(label in s for s in allowed) for label in CLASSES}
    assert truths(labels.vote_cells(cells)) == {label for label in CLASSES if counts[label] == max(counts.values())}


TAGS = ["x", "y", "z"]
tag_cells = st.dictionaries(st.sampled_from(TAGS), st.booleans(), min_size=1)


def tag_truths(cell):
    every = [dict(zip(TAGS, values)) for values in product([True, False], repeat=3)]
    return [y for y in every if all(y[tag] == there for tag, there in (cell or {}).items())]


@given(st.lists(tag_cells, min_size=2, max_size=4))
def test_tag_cells_intersection_union_vote(cells):
    tags = Tags()
    allowed = [tag_truths(cell) for cell in cells]
    both = [y for y in allowed[0] if all(y in other for other in allowed)]
    if both:
        assert tag_truths(tags.intersect_cells(cells)) == both
    else:
        with pytest.raises(Conflict):
            tags.intersect_cells(cells)
    # the smallest set of known tags around the union
    some = [y for y in tag_truths(None) if any(y in other for other in allowed)]
    fixed = {tag: some[0][tag] for tag in TAGS if len({y[tag] for y in some}) == 1}
    assert (tags.union_cells(cells) or {}) == fixed
    for tag in TAGS:
        yes, no = (sum(cell.get(tag) is there for cell in cells) for there in (True, False))
        assert (tags.vote_cells(cells) or {}).get(tag) == (None if yes == no else yes > no)


ITEMS = "abcd"
pairs = st.tuples(st.sampled_from(ITEMS), st.sampled_from(ITEMS)).filter(lambda pair: pair[0] != pair[1])


def acyclic(cell):
    return bool(order_truths(cell))


def order_truths(cell):
    return {order for order in permutations(ITEMS) if all(order.index(a) < order.index(b) for a, b in cell or [])}


order_cells = st.lists(pairs, min_size=1, max_size=4).filter(acyclic)


@given(st.lists(order_cells, min_size=2, max_size=3))
def test_ranking_cells_intersection_union(cells):
    orders = Rankings()
    allowed = [order_truths(cell) for cell in cells]
    both = set.intersection(*allowed)
    if both:
        assert order_truths(orders.intersect_cells(cells)) == both
    else:
        with pytest.raises(Conflict, match=r"has a cycle: "):
            orders.intersect_cells(cells)
    # the pairs that hold in every order of every cell
    some = set.union(*allowed)
    held = [(a, b) for a in ITEMS for b in ITEMS if a != b and all(o.index(a) < o.index(b) for o in some)]
    assert order_truths(orders.union_cells(cells)) == order_truths(held)


@given(order_cells)
def test_order_cell_is_transitive_reduction(cell):
    short = order_cell(cell)
    assert order_truths(short) == order_truths(cell)
    for k in range(len(short)):
        assert order_truths(short[:k] + short[k + 1 :]) > order_truths(cell)


def test_ranking_cells_vote_raises_on_cycle():
    cells = [[("a", "b"), ("b", "c")], [("b", "c"), ("c", "a")], [("c", "a"), ("a", "b")]]
    with pytest.raises(Conflict, match=r"has a cycle: a > b > c > a"):
        Rankings().vote_cells(cells)
    assert Rankings().vote_cells([[("a", "b")], [("a", "b")], [("b", "a")]]) == [("a", "b")]
    assert Rankings().vote_cells([[("a", "b")], [("b", "a")]]) is None


def test_number_cells_intersection_union_vote():
    numbers = Reals()
    assert numbers.intersect_cells([{1, 2, 3}, (2, None)]) == {2, 3}
    assert numbers.intersect_cells([(1, 4), 3]) == 3
    with pytest.raises(Conflict):
        numbers.intersect_cells([3, 4])
    assert numbers.union_cells([3, (5, 6)]) == [(3, 3), (5, 6)]
    assert numbers.vote_cells([3, 4, 3, 4, 9]) == {3, 4}


def test_cells_to_text_raises_on_reserved_characters():
    with pytest.raises(ValueError, match=r"the label 'a\|b' cannot be written as text"):
        Labels().cells_to_text([{"a|b"}])
    with pytest.raises(ValueError, match=r"the label '!a'"):
        Labels().cells_to_text([{"!a"}])
    with pytest.raises(ValueError, match=r"the tag .* cannot be written as text"):
        Tags().cells_to_text([{'two "words"': True}])
    assert Tags().cells_to_text([{"two words": True}]) == ['+"two words"']
    with pytest.raises(ValueError, match=r"the item 'a>b'"):
        Rankings().cells_to_text([[("a>b", "c")]])


CELLS = {
    "labels": ["cat", {"cat", "dog"}, Not("cat"), None],
    "tags": [{"red": True, "round": False}, {"round": True}, None],
    "ranking": [[("a", "b"), ("b", "c")], [("c", "a")], None],
    "number": [1.5, (1.0, 2.0), {1.0, 3.0}, [(0.0, 1.0), (2.0, 3.0)], None],
    "vector": [[1.0, 2.0], [(0.0, 1.0), 2.0], [None, 3.0], None],
    "mask": [[[1, 0], [0, -1]], [[1, 1], [1, 1]], None],
    "product": [{"species": {"cat", "dog"}, "weight": (3.0, 5.0)}, {"species": "owl", "weight": None}, None],
    "sequence": [["O", {"O", "B"}, None], [{"B", "I"}, "I", "O"], None],
}


@pytest.mark.parametrize("kind", OUTPUT_TYPES)
def test_cells_to_text_and_back(kind):
    cells = CELLS[kind]
    space = OUTPUT_TYPES[kind].for_cells(cells)
    texts = space.cells_to_text(cells)
    y = space.from_cells(space.text_to_cells(texts))
    assert space.to_cells(space.fit(y).read(y)) == cells


def test_vector_cells_of_candidate_points():
    space = Vectors()
    y = space.from_cells(space.text_to_cells(["[[1, 2], [4, 3]]", "[[0, 1]]"]))
    assert space.to_cells(space.fit(y).read(y)) == [[[1.0, 2.0], [4.0, 3.0]], [0.0, 1.0]]
    y = space.from_cells(space.text_to_cells(['{"center": [1, 2], "radius": 0.5}']))
    assert space.cells_to_text(space.to_cells(space.fit(y).read(y))) == ['{"center": [1.0, 2.0], "radius": 0.5}']
    with pytest.raises(ValueError, match=r"row 0: expected JSON, such as \[1, 2\], got 'one'"):
        space.text_to_cells(["one"])


def test_default_cells_intersection_uses_sets():
    masks = Masks((1, 3))
    assert masks.intersect_cells([[[1, 0, 0]], [[0, -1, 0]]]) == [[1, -1, 0]]
    with pytest.raises(Conflict, match="no output is left"):
        masks.intersect_cells([[[1, 0, 0]], [[-1, 0, 0]]])
    with pytest.raises(ValueError, match="Masks have no union of answers"):
        masks.union_cells([[[1, 0, 0]], [[-1, 0, 0]]])
