"""Distances to unions of intervals: the library's own numbers, gradients, bad batches."""

import numpy as np
import pytest

pytest.importorskip("torch.nn")  # the folder of these tests is a `torch` too, where PyTorch is missing

import torch

from infimum import Intervals, SetLoss
from infimum.outputs import Reals
from infimum.torch import IntervalLoss, tensors

INF = float("inf")
BOUNDED = [3.5, (1, 2), [(-2, -1), (1, 2)], [(0, 0), (4, 4)], [(-3, 1), (2, 2), (5, 6)], (-1, 4)]
OPEN = [*BOUNDED, (5, INF), (-INF, 0), None, [(-INF, -2), (2, INF)]]


@pytest.fixture(autouse=True)
def _double():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("principle", ["infimum", "average", "supremum"])
def test_the_losses_of_the_library(principle, loss):
    rows = OPEN if principle == "infimum" else BOUNDED
    space = Reals(loss).fit(rows)
    sets = space.read(rows)
    z = np.linspace(-2.9, 5.9, 23)
    L = SetLoss(space, sets, principle)(z)
    ours = IntervalLoss(principle, loss=loss, reduction="none")
    for k, value in enumerate(z):
        mine = ours(torch.full((len(rows),), value), sets)
        np.testing.assert_allclose(mine, L[k], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("principle", ["infimum", "average", "supremum"])
def test_gradcheck(rng, principle, loss):
    sets = tensors(Intervals(OPEN if principle == "infimum" else BOUNDED))
    z = torch.tensor(4 * rng.standard_normal(len(sets)) + 0.1, requires_grad=True)
    assert torch.autograd.gradcheck(IntervalLoss(principle, loss=loss), (z, sets))


def test_every_form_of_a_batch():
    z = torch.tensor([0.0, 5.0])
    values, ends = torch.tensor([1.0, 3.0]), torch.tensor([[1.0, 1.0], [3.0, 3.0]])
    loss = IntervalLoss()
    assert loss(z, values) == loss(z, ends) == loss(z, ends[:, None]) == loss(z[:, None], Intervals([1, 3])) == 2.5


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_unknown_rows_pull_nowhere(loss):
    z = torch.tensor([1e12, 3.0], requires_grad=True)
    value = IntervalLoss(loss=loss)(z, torch.tensor([[-INF, INF], [2.0, INF]]))
    value.backward()
    assert value == 0
    assert z.grad.tolist() == [0, 0]


@pytest.mark.parametrize("principle", ["average", "supremum"])
def test_a_half_line_is_named(principle):
    sets = torch.tensor([[[1.0, 2.0], [np.nan, np.nan]], [[-1.0, 0.0], [5.0, INF]]])
    with pytest.raises(ValueError, match=rf"row 1: \[-1, inf\] is unbounded\nThe {principle} is not finite there"):
        IntervalLoss(principle)(torch.zeros(2), sets)


def test_bad_batches():
    loss = IntervalLoss()
    with pytest.raises(ValueError, match=r"row 1: expected lower <= upper, got \[\[2\.0, 1\.0\]\]"):
        loss(torch.zeros(2), torch.tensor([[0.0, 1.0], [2.0, 1.0]]))
    with pytest.raises(ValueError, match="row 0: an empty set"):
        loss(torch.zeros(1), torch.tensor([[np.nan, np.nan]]))
    with pytest.raises(ValueError, match=r"row 0: expected lower <= upper, got \[\[nan, 1\.0\]\]"):
        loss(torch.zeros(1), torch.tensor([[np.nan, 1.0]]))
    with pytest.raises(ValueError, match="row 0: expected lower <= upper"):
        loss(torch.zeros(1), torch.tensor([[INF, INF]]))
    with pytest.raises(ValueError, match="row 1: prediction 0 is nan"):
        loss(torch.tensor([0.0, np.nan]), torch.tensor([0.0, 1.0]))
    with pytest.raises(ValueError, match=r"Row 0 has shape \(1, 3\)"):
        loss(torch.zeros(2), torch.zeros(2, 3))
    with pytest.raises(ValueError, match="must have the same number of rows"):
        loss(torch.zeros(3), torch.zeros(2, 2))
    with pytest.raises(ValueError, match=r"shape \(b,\) or \(b, 1\)"):
        loss(torch.zeros(2, 2), torch.zeros(2, 2))
