"""Names as people write them: blanks, exclusions, votes, and look-alike classes, tags and items."""

import warnings

import numpy as np
import pandas as pd
import pytest

from infimum import InfimumWarning, InputError, Not, PartialClassifier, PartialRanker, merge_classes
from infimum.data.lookalikes import look_alikes
from infimum.outputs import Labels, Rankings, Tags

MESSY = ["billing"] * 20 + ["refund"] * 12 + ["Billing", "biling", "billing;refund", "not refund", "refund?", None]


def messages(fit):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    return [str(w.message) for w in caught if w.category is InfimumWarning and "look" in str(w.message)]


def fitted(y, **settings):
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    return PartialClassifier(max_search_time=1, **settings).fit(X, y)


@pytest.mark.parametrize(
    "cell", ["cat ", " cat", "cat\u00a0", "\ufeffcat", "\u200bcat\u200b", {"cat "}, ["cat "], Not("dog ")]
)
def test_blanks_around_a_label_make_no_class(cell):
    y = [cell, "cat|dog", "cat", "dog"]
    space = Labels().fit(y)
    assert space.classes_.tolist() == ["cat", "dog"]
    assert space.read(y).mask[0].tolist() == [True, False]
    assert Labels(classes=["cat", "dog"]).fit(y).read(pd.Series(y)).mask[0].tolist() == [True, False]


def test_blanks_around_tags_and_items():
    assert Tags().fit(["+red\u200b -round", {"red "}, {"round\u00a0": False}]).tags_.tolist() == ["red", "round"]
    assert Rankings().fit(["a\u200b > b", [("a ", "b")], ["b ", "a"], {"a ": 1, "b": 2}]).items_.tolist() == ["a", "b"]
    assert Labels(classes=["a", "b"]).fit(["\ufeff", "a"]).read(["\ufeff"]).is_unlabelled.all()


def test_classes_that_are_declared_keep_their_blanks_and_signs():
    space = Labels(classes=["cat ", "!x", "a|b"]).fit(["cat ", "!x", "a|b"])
    assert space.read(["cat ", "!x", "a|b", {"!x", "cat "}]).mask.sum(axis=1).tolist() == [1, 1, 1, 2]


def test_exclusion_of_several_classes():
    y = ["!a|!b", "! a | b", Not("a", "b"), "a", "b", "c"]
    space = Labels().fit(y)
    assert space.classes_.tolist() == ["a", "b", "c"]
    assert space.read(y[:3]).mask.tolist() == [[False, False, True]] * 3


@pytest.mark.parametrize("cell", ["a|!b", "!!a", "!a|b|!c", {"!a"}, ["!a", "b"], Not("!a")])
def test_unclear_exclusions_raise(cell):
    y = ["a", "b", "c", cell]
    with pytest.raises(InputError, match=r"row 3: .*(exclusion|more than one '!')"):
        fitted(y)


def test_votes_are_no_classes():
    votes = [[("w1", "cat"), ("w2", "dog")], [("w1", "cat")], "cat"]
    with pytest.raises(InputError, match=r"(?s)2 rows .*infimum\.Votes"):
        fitted(votes)


def test_fit_warns_once_and_the_call_that_it_names_fixes_y():
    (message,) = messages(lambda: fitted(MESSY))
    assert message.startswith("5 classes of y look like variants of others:")
    for line in (
        "'Billing' (1) → 'billing': case",
        "'biling' (1) → 'billing': spelling",
        "'not refund' (1) → not 'refund'",
    ):
        assert line in message
    assert "y = infimum.merge_classes(y)" in message
    merged = merge_classes(MESSY)
    assert merged[32:] == ["billing", "billing", {"billing", "refund"}, Not("refund"), "refund", None]
    assert not messages(lambda: fitted(merged))
    assert Labels().fit(merged).classes_.tolist() == ["billing", "refund"]


def test_no_warning_for_declared_classes_digits_and_letters():
    assert not messages(lambda: fitted(MESSY, classes=sorted(set(MESSY[:-1]))))
    assert not messages(lambda: fitted(["class 1"] * 20 + ["class 2", "x", "X", "a", "b"]))


def test_the_warning_lists_ten_of_many():
    y = [
        name for k in range(12) for name in [f"animal{'abcdefghijkl'[k] * 5}"] * 3 + [f"Animal{'abcdefghijkl'[k] * 5}"]
    ]
    (message,) = messages(lambda: fitted(y))
    assert message.startswith("12 classes")
    assert message.count("→") == 10
    assert "(and 2 more)" in message


def test_merge_classes_in_every_form():
    assert merge_classes(pd.Series(["cat"] * 3 + ["Cat|dog", "dog", "!Cat"]))[3:] in (
        [{"cat", "dog"}, "dog", Not("cat")],
    )
    assert merge_classes(["kat", "Dog", "cat;dog"], classes=["cat", "dog"]) == ["kat", "dog", {"cat", "dog"}]
    assert merge_classes(["shiping", "ship/shiping", "ship"], classes=["shipping", "ship"])[0] == "shipping"
    assert merge_classes([1, 2, None]) == [1, 2, None]
    assert merge_classes([[True, False], [True, True]])[0] == 0, "rows of a mask are classes 0, 1, …"
    assert merge_classes(["cat", "not cat|dog", "dog", "!not cat"]) == ["cat", Not("cat"), "dog", "cat"]
    assert merge_classes(["+red", "+Red", "+red -round"], kind="tags")[1] == {"red": True}
    with pytest.raises(ValueError, match="kind must be one of 'labels', 'tags', 'ranking'"):
        merge_classes(["a"], kind="number")


def test_known_names_are_never_look_alikes():
    assert not look_alikes({"cat": 90, "Cat": 1}, known=["cat", "Cat"])
    assert [one.means for one in look_alikes({"shiping": 5}, known=["shipping"])] == [("shipping",)]


def test_orders_with_other_signs_and_ties():
    space = Rankings().fit(["a ≻ b ≻ c"])
    same = [("a ~ b > c", "{a,b}>c"), ("a = b ≻ c", "{a,b}>c"), ("a ≻ b, b > c", "a>b>c")]
    for text, plain in same:
        assert (space.read([text]).codes == space.read([plain]).codes).all()
    with pytest.raises(InputError, match="row 0: expected items between"):
        space.read(["a >= b"])


def test_look_alike_items_are_reported_and_merged():
    y = ["apple > pear > fig", "pear ~ apple > fig", "fig > pear", "Apple > fig"] * 3
    X = np.arange(24.0).reshape(12, 2)
    (message,) = messages(lambda: PartialRanker(max_search_time=1).fit(X, y))
    assert "'Apple' (3) → 'apple': case" in message
    assert "merge_classes(y, kind='ranking')" in message
    merged = merge_classes(y, kind="ranking")
    assert not messages(lambda: PartialRanker(max_search_time=1).fit(X, merged))
    assert merged[3] == [("apple", "fig")]
    assert merge_classes([*y, ["Apple"], {"Apple": 1, "fig": 2}], kind="ranking")[12:] == [
        ["apple"],
        {"apple": 1, "fig": 2},
    ]
