"""The library's sets as tensors: every kind, by the function and by the method."""

import numpy as np
import pytest

pytest.importorskip("torch.nn")  # the folder of these tests is a `torch` too, where PyTorch is missing

import torch

from infimum import CandidateLabels, HammingBalls, Intervals, PartialOrders, PartialTags
from infimum.torch import IntervalLoss, PartialOrderLoss, SetCrossEntropy, TagLoss, tensors

INF, NAN = float("inf"), float("nan")
KINDS = {
    "subsets": (
        CandidateLabels([[True, False, True], [True, False, False]], negated=[False, True]),
        torch.tensor([[True, False, True], [False, True, True]]),
        SetCrossEntropy(),
    ),
    "tags": (
        PartialTags([[1, 0, -1], [0, 0, 0]]),
        torch.tensor([[1, 0, -1], [0, 0, 0]], dtype=torch.int8),
        TagLoss(),
    ),
    "orders": (
        PartialOrders([[1, 0, -1], [0, 0, 1]]),
        torch.tensor([[1, 0, -1], [0, 0, 1]], dtype=torch.int8),
        PartialOrderLoss(),
    ),
    "intervals": (
        Intervals([[(-2, -1), (3, INF)], 4]),
        torch.tensor([[[-2.0, -1.0], [3.0, INF]], [[4.0, 4.0], [NAN, NAN]]]),
        IntervalLoss(),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(kind):
    sets, wanted, loss = KINDS[kind]
    for given in (tensors(sets),):
        assert given.dtype == wanted.dtype
        torch.testing.assert_close(given, wanted, rtol=0, atol=0, equal_nan=True)
    x = torch.tensor([0.5, 1.0]) if kind == "intervals" else torch.tensor([[0.5, 1.0, -1.0], [2.0, 0.0, 1.0]])
    assert loss(x, sets) == loss(x, tensors(sets))
    assert loss(x[1:], sets[1:]) == loss(x[1:], tensors(sets)[1:])


def test_tensors_are_copies():
    values = np.array([[1, 0, -1]])
    sets = PartialTags(values)
    tensors(sets)[0, 0] = -1
    assert sets.values[0, 0] == 1


def test_codes_in_the_mean():
    given = tensors(PartialOrders([[1, 0, 0]]), center=True)
    torch.testing.assert_close(given, torch.tensor([[1.0, 1 / 3, -1 / 3]]))


def test_sets_without_a_tensor_are_refused():
    for turn in (tensors,):
        with pytest.raises(
            TypeError, match=r"Only CandidateLabels, PartialTags, Intervals or PartialOrders.*HammingBalls"
        ):
            turn(HammingBalls([[1, -1]], 1))
