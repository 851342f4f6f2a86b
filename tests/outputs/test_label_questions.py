"""Questions about labels whose classes are objects, or have the name of an option."""

import datetime
from decimal import Decimal

import numpy as np
import pytest

from infimum.active import Is, OneOf, QuestionSelector, Which
from infimum.outputs import Labels

CLASSES = {
    "bytes": [b"a", b"b", b"c"],
    "tuples": [(0, 5), (1, 2), (3, 4)],
    "mixed": ["a", 1, (2, 3)],
    "large integers": [2**70, 3, 2**80],
    "dates": [datetime.date(2020, 1, day) for day in (1, 2, 3)],
    "decimals": [Decimal("1.5"), Decimal("2"), Decimal("3")],
}


@pytest.mark.parametrize("kind", CLASSES)
def test_questions_about_objects(kind):
    classes = CLASSES[kind]
    space = Labels(classes=classes).fit([])
    anything = space.read([None])
    assert Is(0, classes[1], space).about == space.classes_[1]
    assert Is(0, classes[1], space).apply_answer(anything, True).contains(np.array([1]))[0]
    assert not OneOf(0, classes[:2], space).apply_answer(anything, False).contains(np.array([1]))[0]
    question = Which(0, classes[:2], space)
    assert question.true_answer(0) == classes[0]
    assert question.apply_answer(anything, question.true_answer(2)).contains(np.array([2]))[0]


@pytest.mark.parametrize("kind", CLASSES)
def test_asker_chooses_among_objects(kind):
    X = np.arange(12.0)[:, None]
    space = Labels(classes=CLASSES[kind]).fit([])
    asked = QuestionSelector(random_state=0, questions=["Is"]).query(X, space.read([None] * 12), n=2, output=space)
    assert {question.label for question in asked} <= set(CLASSES[kind])


def test_a_class_with_the_name_of_the_option_is_another_answer():
    space = Labels(classes=["cat", "dog", "none of these", "owl"]).fit([])
    question = Which(0, ["cat", "none of these"], space)
    assert [option.value for option in question.options()] == ["cat", "none of these", "(none of these)"]
    assert question.apply_answer([None], "none of these").format(0) == "none of these"
    assert question.apply_answer([None], "(none of these)").format(0) == "dog | owl"
    assert Which(0, ["cat"], space).true_answer(2) == "(none of these)"
