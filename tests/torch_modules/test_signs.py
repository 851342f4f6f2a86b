"""Tags and partial orders: against brute force, the library, gradients, bad batches."""

import itertools

import numpy as np
import pytest

pytest.importorskip("torch.nn")  # the folder of these tests is a `torch` too, where PyTorch is missing

import torch

from infimum import PartialOrders, PartialTags, SetLoss
from infimum.outputs import Rankings, Tags
from infimum.torch import PartialOrderLoss, TagLoss

PRINCIPLES = ("infimum", "average", "supremum", "likelihood", "disambiguation")
THREE = PRINCIPLES[:3]
REDUCE = {"infimum": np.min, "average": np.mean, "supremum": np.max}


def logistic(x, y):
    return np.logaddexp(0, -x * y).sum(axis=-1)


@pytest.mark.parametrize("principle", THREE)
def test_tags_are_brute_force_over_the_members(rng, principle):
    values = rng.integers(-1, 2, size=(20, 4))
    x = 3 * rng.standard_normal((20, 4))
    every = np.array(list(itertools.product((-1, 1), repeat=4)))
    ours = TagLoss(principle, reduction="none")(torch.tensor(x), torch.from_numpy(values))
    for row in range(20):
        members = every[((values[row] == 0) | (every == values[row])).all(axis=1)]
        np.testing.assert_allclose(ours[row], REDUCE[principle](logistic(x[row], members)), rtol=1e-12)


@pytest.mark.parametrize("principle", THREE)
def test_a_net_that_is_sure_of_tags_pays_the_hamming_loss(rng, principle):
    sets = PartialTags(rng.integers(-1, 2, size=(30, 3)))
    space = Tags(3).fit(sets.values)
    z = space.outputs()
    L = SetLoss(space, sets, principle)(z)
    for k in range(len(z)):
        x = torch.tensor(1e3 * z[k]).double().expand(30, 3)
        np.testing.assert_allclose(TagLoss(principle, cost="hamming", reduction="none")(x, sets), L[k], atol=1e-12)


def test_masked_tags_are_the_likelihood_of_the_set(rng):
    values = torch.from_numpy(rng.integers(-1, 2, size=(6, 5)))
    x = torch.tensor(rng.standard_normal((6, 5)))
    plain = torch.nn.functional.binary_cross_entropy_with_logits(
        x, (values > 0).double(), weight=(values != 0).double(), reduction="sum"
    )
    torch.testing.assert_close(TagLoss(reduction="sum")(x, values), plain)


@pytest.mark.parametrize("principle", THREE)
@pytest.mark.parametrize("weak", [True, False])
def test_orders_against_every_linear_extension(rng, principle, weak):
    """Exact on buckets; otherwise a bound from the right side, and the average exact all the same."""
    n, m = 25, 4
    if weak:
        sets = PartialOrders.from_ranks(rng.integers(3, size=(n, m)))
    else:
        sets = PartialOrders(np.where(rng.random((n, 6)) < 0.4, 1, 0))
    scores = 2 * rng.standard_normal((n, m))
    i, j = np.triu_indices(m, 1)
    x = scores[:, i] - scores[:, j]
    orders = np.array(list(itertools.permutations(range(m))))
    codes = PartialOrders.from_orders(orders).codes
    ours = PartialOrderLoss(principle, reduction="none")(torch.tensor(scores), sets).numpy()
    wanted = np.array(
        [
            REDUCE[principle](logistic(x[row], codes[((own == 0) | (codes == own)).all(axis=1)]))
            for row, own in enumerate(sets.codes)
        ]
    )
    if weak or principle == "average":
        np.testing.assert_allclose(ours, wanted, rtol=1e-6)
    else:
        sign = 1 if principle == "infimum" else -1
        assert (sign * (wanted - ours) > -1e-12).all()
        assert np.isclose(ours, wanted).mean() > 0.3


@pytest.mark.parametrize("principle", THREE)
def test_scores_far_apart_pay_kendalls_loss(rng, principle):
    sets = PartialOrders.from_ranks(rng.integers(3, size=(15, 4)))
    space = Rankings(4).fit(sets)
    z = space.outputs()
    L = SetLoss(space, sets, principle)(z)
    loss = PartialOrderLoss(principle, cost="kendall", reduction="none")
    for k, order in enumerate(z):
        scores = torch.zeros(4, dtype=torch.float64)
        scores[torch.from_numpy(order.copy())] = torch.arange(4, 0, -1).double() * 1e3
        np.testing.assert_allclose(loss(scores.expand(15, 4), sets), L[k], atol=1e-6)


@pytest.mark.parametrize("principle", PRINCIPLES[:4])
@pytest.mark.parametrize("make, cost", [(TagLoss, "logistic"), (TagLoss, "hamming"), (PartialOrderLoss, "logistic"),
                                        (PartialOrderLoss, "kendall")])  # fmt: skip
def test_gradcheck(rng, make, cost, principle):
    x = torch.tensor(rng.standard_normal((5, 3)), requires_grad=True)
    values = torch.from_numpy(rng.integers(-1, 2, size=(5, 3)))
    assert torch.autograd.gradcheck(make(principle, cost=cost), (x, values))


def test_disambiguated_tags_hold_their_weights_fixed():
    x = torch.tensor([[1.5]], requires_grad=True)
    TagLoss("disambiguation")(x, torch.tensor([[0]])).backward()
    assert x.grad.abs() < 1e-6  # q is sigmoid(x): the cross-entropy against it is at its minimum
    TagLoss("infimum")(x, torch.tensor([[0]])).backward()
    torch.testing.assert_close(x.grad, -torch.sigmoid(-x.detach()))


@pytest.mark.parametrize("principle", PRINCIPLES)
@pytest.mark.parametrize("make", [TagLoss, PartialOrderLoss])
def test_extreme_numbers(make, principle):
    x = torch.tensor([[1e30, -1e30, 0.0]], requires_grad=True)
    loss = make(principle)(x, torch.tensor([[-1, 0, 1]]))
    loss.backward()
    assert torch.isfinite(loss)
    assert torch.isfinite(x.grad).all()


def definition(x, values, principle):
    """The losses (b,), one softplus a sign."""
    known = torch.nn.functional.softplus(-x * values)
    away = {"infimum": -x.abs(), "supremum": x.abs(), "likelihood": torch.full_like(x, -torch.inf)}[principle]
    return torch.where(values != 0, known, torch.nn.functional.softplus(away)).sum(dim=1)


@pytest.mark.parametrize("scale", [1.0, 30.0, 1e4])
@pytest.mark.parametrize("m", [1, 2, 7, 8, 9, 23, 40])
@pytest.mark.parametrize("principle", ["likelihood", "infimum", "supremum"])
def test_products_of_any_width_and_size_follow_the_definition(rng, principle, m, scale):
    x = torch.tensor(scale * rng.standard_normal((30, m)), requires_grad=True)
    values = torch.from_numpy(rng.integers(-1, 2, size=(30, m)))
    values[0], values[1:4] = 0, values[1:4].abs()
    with torch.no_grad():
        x[4] = x[4] / scale  # a row whose products are not small among those that are
    ours = TagLoss(principle, reduction="none")(x, values)
    expected = definition(x, values, principle)
    torch.testing.assert_close(ours, expected, rtol=1e-9, atol=1e-9)
    weights = torch.tensor(rng.random(30))
    (gradient,) = torch.autograd.grad((weights * ours).sum(), x, retain_graph=True)
    (again,) = torch.autograd.grad((weights * ours).sum(), x)
    (wanted,) = torch.autograd.grad((weights * expected).sum(), x)
    torch.testing.assert_close(gradient, wanted, rtol=1e-9, atol=1e-9)
    assert torch.equal(again, gradient)
    if principle == "likelihood":
        assert ours[0] == 0  # nothing is known


def test_a_row_that_is_no_number_leaves_the_others_alone():
    x = torch.full((2, 8), -80.0)
    x[0, 0] = torch.nan
    losses = TagLoss(reduction="none", check=False)(x, torch.ones(2, 8))
    assert losses[0].isnan()
    assert losses[1] == 640


@pytest.mark.parametrize("dtype", [torch.int8, torch.int64, torch.float32])
@pytest.mark.parametrize("principle", PRINCIPLES)
def test_signs_of_every_type_cost_the_same_and_stay_as_they_are(rng, principle, dtype):
    x = torch.tensor(rng.standard_normal((6, 9)), dtype=torch.float32, requires_grad=True)
    values = torch.from_numpy(rng.integers(-1, 2, size=(6, 9)))
    given, logits = values.to(dtype), x.detach().clone()
    loss = TagLoss(principle)(x, given)
    loss.backward()
    assert torch.equal(given, values.to(dtype))
    assert torch.equal(x, logits)
    torch.testing.assert_close(loss, TagLoss(principle)(x.double(), values).float())


@pytest.mark.parametrize("principle", ["likelihood", "average"])
def test_integers_that_are_no_signs_are_named(principle):
    values = torch.zeros(3, 3, dtype=torch.int8)
    values[1, 2] = -2
    with pytest.raises(ValueError, match="row 1: expected signs 1, -1 or 0 for unknown, got -2"):
        TagLoss(principle)(torch.zeros(3, 3), values)


@pytest.mark.parametrize("make, name", [(TagLoss, "logit"), (PartialOrderLoss, "score")])
def test_bad_batches(make, name):
    x, values = torch.zeros(3, 3), torch.zeros(3, 3)
    bad = x.clone()
    bad[1, 2] = torch.nan
    with pytest.raises(ValueError, match=f"row 1: {name} 2 is nan"):
        make("infimum")(bad, values)
    wrong = values.clone()
    wrong[2, 0] = 0.5
    with pytest.raises(ValueError, match=r"row 2: expected signs 1, -1 or 0 for unknown, got 0\.5"):
        make()(x, wrong)
    wrong[2, 0] = torch.nan
    with pytest.raises(ValueError, match="row 2: expected signs 1, -1 or 0 for unknown, got nan"):
        make("average")(x, wrong)
    with pytest.raises(ValueError, match=r"must have one column for each of the .* Got 2"):
        make()(x, values[:, :2])
    with pytest.raises(ValueError, match="must have the same number of rows"):
        make()(x, values[:2])
    with pytest.raises(ValueError, match="cost must be one of"):
        make(cost="brier")
