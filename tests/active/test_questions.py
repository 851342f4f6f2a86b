"""Questions: the set that each answer leaves, texts, costs, contradictions, JSON."""

import json

import numpy as np
import pytest

from infimum import InputError, Not, Taxonomy
from infimum.active import (
    NONE_OF_THESE,
    Before,
    Belief,
    Below,
    Contradiction,
    First,
    FullLabel,
    Has,
    Is,
    OneOf,
    Price,
    QuestionSelector,
    Seconds,
    Which,
    from_dict,
)
from infimum.outputs import Labels, Rankings, Reals, Tags

LABELS = Labels(classes=["cat", "dog", "owl", "cow"]).fit([])
TREE = Labels(Taxonomy({"cat": "mammal", "dog": "mammal", "mammal": "animal", "owl": "animal"})).fit([])
TAGS = Tags(tags=["red", "round", "big"]).fit([])
ORDERS = Rankings(items=["a", "b", "c"]).fit(None)
NUMBERS = Reals(bounds=(0, 8)).fit([])
GRID = np.arange(9.0)

EVERY = [
    OneOf(0, {"cat", "owl"}, LABELS), Is(0, "dog", LABELS), Which(0, ["owl", "cat"], LABELS),
    Which(0, ["owl", "cat", "dog", "cow"], LABELS), FullLabel(0, LABELS), Is(0, "mammal", TREE), Is(0, "owl", TREE),
    Has(0, "round", TAGS), FullLabel(0, TAGS), Before(0, ["c", "a"], ORDERS), First(0, ["a", "c"], ORDERS),
    First(0, ["a", "b", "c"], ORDERS), FullLabel(0, ORDERS), Below(0, 3.0, NUMBERS), FullLabel(0, NUMBERS),
]  # fmt: skip
every = pytest.mark.parametrize("question", EVERY, ids=repr)


def outputs(space):
    return GRID if isinstance(space, Reals) else space.outputs()


def members(space, sets):
    if isinstance(space, Reals):  # `contains` allows for rounding
        return [k for k, z in enumerate(GRID) if sets.lowest[0] <= z <= sets.highest[0]]
    return [k for k, z in enumerate(outputs(space)) if sets.contains(np.asarray(z)[None])[0]]


@every
def test_apply_answer_leaves_exactly_the_outputs_with_this_answer(question):
    """An answer leaves z if and only if it is the true answer for z."""
    space = question.space
    answers = [question.true_answer(z) for z in outputs(space)]
    for answer in {repr(a): a for a in answers}.values():
        left = members(space, question.apply_answer([None], answer))
        assert left == [k for k, other in enumerate(answers) if other == answer]
    assert len(members(space, question.apply_answer([None], None))) == len(outputs(space))  # don't know
    if question.options():
        offered = [option.value for option in question.options()]
        assert all(answer in offered for answer in answers)
        assert question.answer_text(offered[0]) == question.options()[0].text


@every
def test_from_dict_inverts_as_dict(question):
    again = from_dict(json.loads(json.dumps(question.as_dict())), question.space)
    assert again == question
    assert hash(again) == hash(question)
    assert (again.text(), again.cost, repr(again)) == (question.text(), question.cost, repr(question))
    assert question.text().endswith("?")
    assert question != FullLabel(7, question.space)


@every
def test_apply_answer_changes_one_row(question):
    moved = from_dict({**question.as_dict(), "row": 1}, question.space)
    sets = question.space.read([None, None, None])
    after = moved.apply_answer(sets, moved.true_answer(outputs(question.space)[0]))
    assert after[[0, 2]].is_unlabelled.all() or isinstance(question.space, Reals)
    assert members(question.space, after[[0]]) == members(question.space, sets[[0]])
    assert members(question.space, after[[1]]) != members(question.space, sets[[1]])


def test_cost_is_the_price_of_a_question():
    def bits(question):
        return Price("bits")(type(question).__name__, question.n_answers, question.n_shown)

    assert bits(OneOf(0, {"cat", "owl"}, LABELS)) == 1
    assert bits(Which(0, ["owl", "cat"], LABELS)) == pytest.approx(np.log2(3))
    assert bits(Which(0, ["owl", "cat", "dog", "cow"], LABELS)) == 2  # all of them: nothing else is possible
    assert bits(FullLabel(0, LABELS)) == 2
    assert bits(FullLabel(0, TAGS)) == 3
    assert bits(FullLabel(0, ORDERS)) == pytest.approx(np.log2(6))
    assert OneOf(0, ["cat"], LABELS, cost=7.5).cost == 7.5
    assert Price("shown")("Which", 4.0, 3) == 3
    np.testing.assert_allclose(Price({"Which": 4})("Which", np.ones(2), np.ones(2)), [4, 4])
    assert Price(lambda name, choices, shown: choices + shown)("Is", 2, 1) == 3
    with pytest.raises(ValueError, match="cost must be 'seconds', 'bits'"):
        Price("minutes")
    with pytest.raises(ValueError, match="no seconds for 'Is'"):
        Price({"Which": 4})("Is", 2, 1)


def test_apply_answer_restricts_sets_step_by_step():
    y = [None, {"cat", "dog", "owl"}, Not("cow")]
    y = OneOf(1, {"cat", "cow"}, LABELS).apply_answer(y, False)
    assert y.format(1) == "dog | owl"
    y = Which(2, ["owl", "cat"], LABELS).apply_answer(y, NONE_OF_THESE)
    assert members(LABELS, y[[2]]) == [1]
    y = Is(0, "cat", LABELS).apply_answer(y, True)
    assert y.sizes.tolist() == [1, 2, 1]
    orders = Before(0, ["b", "c"], ORDERS).apply_answer(["a>b"], True)
    assert orders.format(0) == "a > b > c"
    numbers = Below(0, 5.0, NUMBERS).apply_answer(Below(0, 2.0, NUMBERS).apply_answer([None], False), True)
    assert numbers.lowest[0] == 2
    assert numbers.highest[0] < 5


def test_contradiction_shows_both_sets():
    y = Is(0, "cat", LABELS).apply_answer([None], True)
    with pytest.raises(Contradiction, match=r"row 0: Is it dog or owl\? was answered 'yes'.*dog \| owl.* cat\."):
        OneOf(0, {"dog", "owl"}, LABELS).apply_answer(y, True)
    with pytest.raises(Contradiction, match=r"Is it below 3\?"):
        Below(0, 3.0, NUMBERS).apply_answer(Below(0, 3.0, NUMBERS).apply_answer([None], False), True)
    with pytest.raises(Contradiction, match=r"Is c before a\?"):
        Before(0, ["c", "a"], ORDERS).apply_answer(["a>b, b>c"], True)
    with pytest.raises(Contradiction):
        Has(0, "red", TAGS).apply_answer(["+red"], False)


def test_answers_that_contradict_the_set_of_a_row_name_it():
    with pytest.raises(Contradiction, match="known to be in"):
        Is(0, "dog", LABELS).apply_answer(["cat"], True)
    assert members(LABELS, Is(1, "cat", LABELS).apply_answer([None, {"cat", "dog"}], None)[[1]]) == [0, 1]


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: OneOf(0, {"cat", "cot"}, LABELS), "There is no class 'cot'"),
        (lambda: OneOf(-1, {"cat"}, LABELS), "a number >= 0. Got -1"),
        (lambda: Is(0, "fish", LABELS), "fish"),
        (lambda: Has(0, "flat", TAGS), "There is no tag 'flat'"),
        (lambda: Before(0, ["a", "b", "c"], ORDERS), "two items"),
        (lambda: First(0, ["a"], ORDERS), "two items or more"),
        (lambda: Below(0, float("nan"), NUMBERS), "finite number"),
        (lambda: Is(5, "cat", LABELS).apply_answer([None], True), "y has 1 rows"),
        (lambda: Is(0, "cat", LABELS).apply_answer([None], "yes"), "answered by True, False or None"),
        (lambda: Which(0, ["cat"], LABELS).apply_answer([None], "dog"), "answered by 'cat', 'none of these'"),
        (lambda: First(0, ["a", "b"], ORDERS).apply_answer([None], "c"), "answered by 'a', 'b'"),
        (lambda: from_dict({"type": "Guess"}, LABELS), "A question has a type"),
        (lambda: QuestionSelector("best").query([[0.0]], ["a"]), "'strategy' parameter of QuestionSelector must be"),
        (lambda: QuestionSelector(level=2).query([[0.0]], ["a"]), "'level' parameter of QuestionSelector must be"),
        (lambda: QuestionSelector().query([[0.0]], ["a", "b"]), "X has 1 rows and y has 2"),
        (
            lambda: QuestionSelector(questions=["Has"]).query([[0.0]], [None], output=Labels(classes=["a", "b"])),
            "'questions' par",
        ),
    ],
)
def test_invalid_questions_raise_errors(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_halving_questions_end_at_one_output():
    for space, z in [(LABELS, 2), (TAGS, np.array([1, -1, 1])), (ORDERS, np.array([2, 0, 1]))]:
        model = space.questions()
        sets = space.read([None])
        steps = 0
        while True:
            E = model.encode(sets)
            if not model.is_open(E)[0]:
                break
            T = model.posterior_mean(E, model.prior[None], None, model.calibrations[0])
            question = model.halving_question(0, Belief(E, T, T, None), Price())
            sets = question.apply_answer(sets, question.true_answer(z))
            steps += 1
            assert sets.contains(np.asarray(z)[None])[0]
        assert len(members(space, sets)) == 1
        assert steps <= 4


def test_contradiction_is_an_input_error():
    assert issubclass(Contradiction, InputError)


def test_seconds_are_the_default_and_grow_with_what_is_read():
    seconds = Seconds()
    one, two = OneOf(0, ["cat"], LABELS).cost, OneOf(0, ["cat", "owl"], LABELS).cost
    assert one == pytest.approx(seconds.look + seconds.name + seconds.bit + seconds.key)
    assert two - one == pytest.approx(seconds.name)
    long, short = (seconds("FullLabel", n, n) for n in (11.0, 10.0))
    assert long - short > 3 * seconds.key  # eleven names are searched by typing
    several = seconds("FullLabel", np.array([4.0, 8.0]), np.array([4.0, 3.0]))
    assert several.shape == (2,)
    assert several[1] > seconds("FullLabel", 3.0, 3.0)  # three tags are several decisions
    for wrong in (-1.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="cost of a question"):
            OneOf(0, ["cat"], LABELS, cost=wrong)


def test_seconds_are_fitted_to_measured_times():
    rng = np.random.default_rng(0)
    true = Seconds(look=0.6, name=0.5, bit=0.1, key=0.2)
    kinds = [("Is", 2.0, 1.0), ("OneOf", 2.0, 4.0), ("Which", 10.0, 9.0), ("FullLabel", 10.0, 10.0)]
    timings = [(*kind, true(*kind) * rng.lognormal(sigma=0.2)) for kind in kinds * 60]
    assert Seconds().fit(timings[:39]) == Seconds()  # too few
    timings += [("Is", 2.0, 1.0, 900.0)]  # a break
    found = Seconds().fit(timings)
    assert all(abs(found(*kind) - true(*kind)) < 0.15 * true(*kind) for kind in kinds)
    assert min(found) >= 0


def test_a_list_is_read_up_to_the_answer():
    """The list of `Which` costs less if the answer is listed first, and all names are read for "none of these"."""
    space = Labels(classes=list("abcd")).fit([])
    question, price = Which(0, ["c", "a", "b"], space), Price()
    assert [question.n_read(answer) for answer in ("c", "a", "b", question.none)] == [1, 2, 3, 3]
    costs = [question.answer_cost(answer, price) for answer in ("c", "a", "b", question.none)]
    np.testing.assert_allclose(np.diff(costs), [0.25, 0.25, 0.0])
    assert question.answer_cost("c", Price("bits")) == question.answer_cost("b", Price("bits")) == 2.0


def test_expected_cost_of_a_list_is_the_mean_over_answers():
    """Under the probabilities of the belief, the cost of `Which` is the mean of what its answers cost."""
    model, price = Labels(classes=list("abcd")).fit([]).questions(), Price()
    q = np.array([[0.1, 0.5, 0.15, 0.25]])
    belief = Belief(np.ones((1, 4), dtype=bool), q, q, None)
    group = next(group for group in model.groups(belief) if group.kind == "Which")
    for at in range(group.gain.shape[1]):
        question = group.question(0, at, 0, price)
        costs = [question.answer_cost(question.true_answer(z), price) for z in range(4)]
        assert question.cost == pytest.approx(float(q[0] @ costs))
