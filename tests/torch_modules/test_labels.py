"""Cross-entropy and costs over sets of candidates: against the library, gradients, extreme logits, bad batches."""

import numpy as np
import pytest

pytest.importorskip("torch.nn")  # the folder of these tests is a `torch` too, where PyTorch is missing

import torch

from infimum import SetLoss
from infimum.outputs import Labels
from infimum.torch import SetCost, SetCrossEntropy, SoftDisambiguation, tensors

PRINCIPLES = ("infimum", "average", "supremum", "likelihood", "disambiguation")


def masks(rng, b, m, density=0.4):
    mask = rng.random((b, m)) < density
    mask[np.arange(b), rng.integers(m, size=b)] = True
    return mask


def definition(x, mask, principle, power=1.0):
    """The loss of one row, from the list of its candidates in double precision."""
    logp = torch.log_softmax(x.double(), dim=0)[mask]
    if principle == "likelihood":
        return -torch.logsumexp(logp, dim=0)
    if principle == "disambiguation":
        return -(torch.softmax(power * logp.detach(), dim=0) * logp).sum()
    return {"infimum": torch.min, "average": torch.mean, "supremum": torch.max}[principle](-logp)


@pytest.mark.parametrize("principle", PRINCIPLES[:3])
def test_cross_entropy_is_the_set_loss_of_minus_log_p(rng, principle):
    m, n = 6, 40
    logits = torch.tensor(3 * rng.standard_normal((m, m)))
    mask = masks(rng, n, m)
    cost = -torch.log_softmax(logits, dim=1).numpy()  # of prediction z if y is true; the library needs a zero diagonal
    over = {"infimum": np.nanmin, "average": np.nanmean, "supremum": np.nanmax}[principle]
    L = over(np.where(mask, cost[:, None, :], np.nan), axis=2)
    loss = SetCrossEntropy(principle, reduction="none")
    for z in range(m):
        ours = loss(logits[z].expand(n, m), torch.from_numpy(mask))
        np.testing.assert_allclose(ours.numpy(), L[z], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("cost", ["zero-one", "ordinal", "taxonomy", "random"])
@pytest.mark.parametrize("principle", PRINCIPLES[:3])
def test_a_net_that_is_sure_pays_the_cost_of_the_library(rng, cost, principle):
    m, n = 5, 30
    matrix = {
        "zero-one": 1 - np.eye(m),
        "ordinal": np.abs(np.subtract.outer(np.arange(m), np.arange(m))).astype(float),
        "taxonomy": np.array([[0, 1, 2, 2, 3], [1, 0, 2, 2, 3], [2, 2, 0, 1, 3], [2, 2, 1, 0, 3], [3, 3, 3, 3, 0.0]]),
        "random": rng.random((m, m)) * (1 - np.eye(m)),
    }[cost]
    mask = masks(rng, n, m)
    space = Labels(cost=matrix).fit(np.arange(m))
    L = SetLoss(space, space.read(mask), principle)(space.outputs())
    for z in range(m):
        logits = torch.full((n, m), -1e3, dtype=torch.float64)
        logits[:, z] = 1e3
        ours = SetCost(matrix, principle, reduction="none")(logits, torch.from_numpy(mask))
        np.testing.assert_allclose(ours.numpy(), L[z], atol=1e-12)


@pytest.mark.parametrize("power", [1.0, 2.5])
@pytest.mark.parametrize("scale", [1.0, 30.0, 1e4])
@pytest.mark.parametrize("principle", PRINCIPLES)
def test_losses_and_gradients_follow_the_definition(rng, principle, scale, power):
    x = torch.tensor(scale * rng.standard_normal((25, 8)), requires_grad=True)
    mask = torch.from_numpy(masks(rng, 25, 8))
    ours = SetCrossEntropy(principle, power=power, reduction="none")(x, mask)
    expected = torch.stack([definition(row, own, principle, power) for row, own in zip(x, mask)])
    torch.testing.assert_close(ours, expected, rtol=1e-9, atol=1e-9)
    weights = torch.tensor(rng.random(25))
    (gradient,) = torch.autograd.grad((weights * ours).sum(), x)
    (wanted,) = torch.autograd.grad((weights * expected).sum(), x)
    torch.testing.assert_close(gradient, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("principle", PRINCIPLES[:4])
def test_gradcheck(rng, principle):
    x = torch.tensor(rng.standard_normal((6, 5)), requires_grad=True)
    mask = torch.from_numpy(masks(rng, 6, 5))
    assert torch.autograd.gradcheck(SetCrossEntropy(principle, reduction="sum"), (x, mask))
    if principle != "likelihood":
        assert torch.autograd.gradcheck(SetCost(rng.random((5, 5)), principle), (x, mask))
    memory = SoftDisambiguation(mask).eval()
    assert torch.autograd.gradcheck(memory, (x, torch.arange(6)))


@pytest.mark.parametrize("principle", PRINCIPLES)
def test_one_candidate_is_plain_cross_entropy(rng, principle):
    x = torch.tensor(rng.standard_normal((10, 7)), dtype=torch.float32)
    y = torch.from_numpy(rng.integers(7, size=10))
    plain = torch.nn.functional.cross_entropy(x, y)
    torch.testing.assert_close(SetCrossEntropy(principle)(x, torch.nn.functional.one_hot(y, 7).bool()), plain)
    torch.testing.assert_close(SetCrossEntropy(principle)(x, y), plain)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("principle", PRINCIPLES)
def test_extreme_logits_have_finite_losses_and_gradients(principle, dtype):
    # all mass outside of S, by far; all of it inside; all logits equal and huge
    x = torch.tensor([[1e6, -1e6, 0, -1e6], [-1e6, 1e6, 0, 0], [1e6] * 4], dtype=dtype, requires_grad=True)
    mask = torch.tensor([[False, True, False, True], [False, True, True, False], [True] * 4])
    losses = SetCrossEntropy(principle, reduction="none")(x, mask)
    losses.sum().backward()
    expected = {"infimum": 0.0, "likelihood": 0.0, "disambiguation": 0.0, "average": 5e5, "supremum": 1e6}[principle]
    torch.testing.assert_close(losses[:2], torch.tensor([2e6, expected], dtype=dtype), rtol=1e-6, atol=0)
    assert torch.isfinite(x.grad).all()
    assert x.grad[0].tolist() == [1.0, -0.5, 0.0, -0.5]
    assert (losses >= 0).all()


@pytest.mark.parametrize("principle", PRINCIPLES)
def test_a_class_outside_of_the_set_may_be_ruled_out_by_minus_infinity(principle):
    x = torch.tensor([[1.0, 2.0, -torch.inf]], requires_grad=True)
    mask = torch.tensor([[True, True, False]])
    loss = SetCrossEntropy(principle)(x, mask)
    loss.backward()
    torch.testing.assert_close(loss, SetCrossEntropy(principle)(x[:, :2], mask[:, :2]))
    assert torch.isfinite(x.grad).all()
    row = torch.tensor([0])
    torch.testing.assert_close(SoftDisambiguation(mask)(x, row), SoftDisambiguation(mask[:, :2])(x[:, :2], row))


def test_subsets_are_taken_as_they_are(rng):
    x = torch.tensor(rng.standard_normal((4, 3)))
    sets = Labels().fit(["a", "b", "c"]).read(["a|b", "!a", None, "c"])
    mask = torch.tensor([[True, True, False], [False, True, True], [True, True, True], [False, False, True]])
    assert torch.equal(tensors(sets), mask)
    assert torch.equal(tensors(sets), mask)
    loss = SetCrossEntropy("average")
    assert loss(x, sets) == loss(x, mask)
    assert loss(x[1:3], sets[[1, 2]]) == loss(x[1:3], mask[1:3])


def test_reductions(rng):
    x, mask = torch.tensor(rng.standard_normal((5, 4))), torch.from_numpy(masks(rng, 5, 4))
    each = SetCrossEntropy(reduction="none")(x, mask)
    assert each.shape == (5,)
    torch.testing.assert_close(SetCrossEntropy(reduction="sum")(x, mask), each.sum())
    torch.testing.assert_close(SetCrossEntropy()(x, mask), each.mean())


LOSSES = [*(lambda p=p: SetCrossEntropy(p) for p in PRINCIPLES), lambda: SetCost(np.eye(3))]


class TestBadBatches:
    x = torch.zeros(4, 3)
    mask = torch.tensor([[True, False, False]] * 4)

    @pytest.mark.parametrize("make", LOSSES)
    def test_an_empty_set_is_named(self, make):
        mask = self.mask.clone()
        mask[2] = False
        with pytest.raises(ValueError, match=r"1 row of the batch cannot be used\.\n  row 2: an empty set"):
            make()(self.x, mask)

    @pytest.mark.parametrize("value", [torch.nan, torch.inf, -torch.inf])
    @pytest.mark.parametrize("make", LOSSES)
    def test_logits_that_are_no_numbers_are_named(self, make, value):
        x = self.x.clone()
        x[3, 0] = value
        if value == -torch.inf and isinstance(make(), SetCost):
            assert torch.isfinite(make()(x, self.mask))  # a cost is finite where a class is impossible
            return
        with pytest.raises(ValueError, match=f"row 3: logit 0 is {value}"):
            make()(x, self.mask)

    def test_ten_rows_are_shown(self):
        listed = r"12 rows of the batch.*\n  row 0: logit 0 is nan \(also row 1, .*\n  \(and 2 more"
        with pytest.raises(ValueError, match=listed):
            SetCrossEntropy()(torch.full((12, 3), torch.nan), torch.ones(12, 3, dtype=torch.bool))

    def test_widths_and_lengths(self):
        with pytest.raises(ValueError, match=r"one column for each of the 3 columns of the logits. Got 2"):
            SetCrossEntropy()(self.x, self.mask[:, :2])
        with pytest.raises(ValueError, match=r"The logits and the sets must have the same number of rows. Got 4 and 3"):
            SetCrossEntropy()(self.x, self.mask[:3])
        with pytest.raises(ValueError, match=r"The cost matrix must have one column for each of the 3 .* Got 4"):
            SetCost(np.eye(4))(self.x, self.mask)

    def test_masks_of_numbers_and_integer_logits_are_refused(self):
        with pytest.raises(ValueError, match="becomes boolean by `mask == 1`"):
            SetCrossEntropy()(self.x, torch.ones_like(self.x))
        with pytest.raises(ValueError, match=r"floating-point numbers. Got torch.int64"):
            SetCrossEntropy()(self.x.long(), self.mask)
        with pytest.raises(TypeError, match="Got list"):
            SetCrossEntropy()(self.x, [[0], [1], [0], [2]])

    def test_settings(self):
        with pytest.raises(ValueError, match=r"principle must be one of 'infimum'.*Got 'min' instead"):
            SetCrossEntropy("min")
        with pytest.raises(ValueError, match="reduction must be one of"):
            SetCrossEntropy(reduction="median")
        with pytest.raises(ValueError, match="power must be a number > 0"):
            SetCrossEntropy("disambiguation", power=0)
        with pytest.raises(ValueError, match="square matrix of finite numbers"):
            SetCost([[0.0, np.nan], [1.0, 0.0]])

    def test_no_look_where_none_is_wanted(self):
        assert torch.isnan(SetCrossEntropy(check=False)(torch.full((4, 3), torch.nan), self.mask))


class TestSoftDisambiguation:
    def test_weights_move_after_the_loss_was_taken(self, rng):
        mask = torch.from_numpy(masks(rng, 20, 6))
        loss = SoftDisambiguation(mask, momentum=0.8, reduction="none")
        q = mask / mask.sum(dim=1, keepdim=True)
        for _ in range(4):
            rows = torch.from_numpy(rng.permutation(20)[:8])
            x = torch.tensor(rng.standard_normal((8, 6)), dtype=torch.float32)
            torch.testing.assert_close(loss(x, rows), -(q[rows] * torch.log_softmax(x, dim=1)).sum(dim=1))
            seen = torch.softmax(x, dim=1) * mask[rows]
            q[rows] = 0.8 * q[rows] + 0.2 * seen / seen.sum(dim=1, keepdim=True)
            torch.testing.assert_close(loss.probabilities(), q)
        assert torch.equal(loss.labels(), q.argmax(dim=1))
        assert mask[torch.arange(20), loss.labels()].all()

    @pytest.mark.parametrize("momentum", [0.0, 0.5])
    @pytest.mark.parametrize("scale", [1.0, 40.0, 1e3])
    def test_lists_and_whole_rows_are_one_method(self, rng, scale, momentum):
        mask = torch.from_numpy(masks(rng, 12, 5))
        wide = torch.nn.functional.pad(mask, (0, 35))  # the same sets among forty classes
        whole, listed = SoftDisambiguation(mask, momentum=momentum), SoftDisambiguation(wide, momentum=momentum)
        assert whole.weights.shape == (12, 5)
        assert listed.weights.shape == (12, int(mask.sum(dim=1).max()))
        for _ in range(4):
            rows = torch.from_numpy(rng.permutation(12)[:7])
            x = torch.tensor(scale * rng.standard_normal((7, 5)), dtype=torch.float32, requires_grad=True)
            one = whole(x, rows)
            other = listed(torch.nn.functional.pad(x, (0, 35), value=-torch.inf), rows)
            torch.testing.assert_close(one, other)
            pair = [torch.autograd.grad(loss, x)[0] for loss in (one, other)]
            torch.testing.assert_close(*pair)
            torch.testing.assert_close(whole.probabilities(), listed.probabilities()[:, :5])
        assert torch.equal(whole.labels(), listed.labels())
        assert not listed.probabilities()[:, 5:].any()

    def test_a_batch_that_is_refused_moves_nothing(self, rng):
        loss = SoftDisambiguation(torch.ones(3, 4, dtype=torch.bool))
        before = loss.probabilities()
        x = torch.tensor(rng.standard_normal((3, 4)), dtype=torch.float32)
        x[1, 2] = torch.nan
        with pytest.raises(ValueError, match="row 1: logit 2 is nan"):
            loss(x, torch.arange(3))
        assert torch.equal(loss.probabilities(), before)

    def test_evaluation_moves_nothing(self, rng):
        loss = SoftDisambiguation(torch.from_numpy(masks(rng, 5, 4))).eval()
        before = loss.weights.clone()
        loss(torch.randn(5, 4), torch.arange(5))
        assert torch.equal(loss.weights, before)

    def test_the_state_is_saved(self, rng):
        mask = torch.from_numpy(masks(rng, 5, 4))
        loss = SoftDisambiguation(mask)
        loss(torch.randn(5, 4), torch.arange(5))
        other = SoftDisambiguation(mask)
        other.load_state_dict(loss.state_dict())
        assert torch.equal(other.probabilities(), loss.probabilities())

    def test_candidates_survive_extreme_logits(self):
        loss = SoftDisambiguation(torch.tensor([[True, True, False]]), momentum=0.0)
        loss(torch.tensor([[-1e4, 1e4, 3e4]]), torch.tensor([0]))
        loss(torch.tensor([[0.0, -50.0, 0.0]]), torch.tensor([0]))
        assert loss.labels().tolist() == [0]

    def test_bad_rows(self):
        mask = torch.tensor([[True, False], [True, True]])
        loss = SoftDisambiguation(mask)
        with pytest.raises(ValueError, match="row 1: 2 is not a training row"):
            loss(torch.zeros(2, 2), torch.tensor([0, 2]))
        with pytest.raises(ValueError, match="row 0: logit 1 is nan"):
            loss(torch.tensor([[0.0, torch.nan]]), torch.tensor([1]))
        with pytest.raises(ValueError, match="row 1: an empty set"):
            SoftDisambiguation(mask & torch.tensor([[True], [False]]))
        with pytest.raises(ValueError, match=r"one column for each of the 3 columns of the logits. Got 2"):
            loss(torch.zeros(1, 3), torch.tensor([0]))
        with pytest.raises(ValueError, match="momentum must be a number in"):
            SoftDisambiguation(mask, momentum=1.0)


def test_leak_and_soft_labels_are_their_definition(rng):
    """-log of the sum of p(y) R(y), and the cross-entropy with fixed q proportional to p R."""
    m, b, leak = 5, 20, 0.2
    x = torch.tensor(2 * rng.standard_normal((b, m)), requires_grad=True)
    mask = torch.from_numpy(masks(rng, b, m))
    mask[0] = True
    p = torch.softmax(x.detach(), dim=1)
    size = mask.sum(dim=1, keepdim=True)
    g = torch.where(size < m, leak / (1 - size / m).clamp(min=1e-9), 0.0).clamp(max=1)
    R = (1 - g) * mask + g * size / m
    expected = -(p * R).sum(dim=1).log()
    loss = SetCrossEntropy(leak=leak, reduction="none")(x, mask)
    torch.testing.assert_close(loss.detach(), expected.to(loss))
    loss.sum().backward()
    q = p * R / (p * R).sum(dim=1, keepdim=True)
    torch.testing.assert_close(x.grad, (p - q).to(x.grad))
    other = SetCrossEntropy("disambiguation", leak=leak, reduction="none")(x, mask)
    torch.testing.assert_close(other.detach(), -(q * p.log()).sum(dim=1).to(other))
    soft = torch.tensor(rng.dirichlet(np.ones(m), b))
    for principle in ("average", "infimum", "supremum"):
        found = SetCrossEntropy(principle, reduction="none")(x.detach(), soft)
        torch.testing.assert_close(found, -(soft * p.log()).sum(dim=1))
    likelihood = SetCrossEntropy(reduction="none")(x.detach(), soft)
    torch.testing.assert_close(likelihood, -(p * soft / soft.amax(dim=1, keepdim=True)).sum(dim=1).log())
    one_hot = SetCrossEntropy(reduction="none")(x.detach(), torch.eye(m, dtype=torch.double)[mask.int().argmax(dim=1)])
    torch.testing.assert_close(one_hot, -p.log().gather(1, mask.int().argmax(dim=1, keepdim=True))[:, 0])


def test_leak_and_soft_labels_raise_errors_that_name_the_row():
    with pytest.raises(ValueError, match=r"leak must be at least 0 and below 1. Got 1"):
        SetCrossEntropy(leak=1.0)
    with pytest.raises(ValueError, match=r"leak requires principle='likelihood' or 'disambiguation'. Got 'average'"):
        SetCrossEntropy("average", leak=0.1)
    with pytest.raises(ValueError, match=r"(?s)row 1: the sum is 2.*Divide each row"):
        SetCrossEntropy()(torch.zeros(2, 2), torch.tensor([[0.5, 0.5], [1.0, 1.0]]))
    with pytest.raises(ValueError, match=r"row 0: an empty set of candidates"):
        SetCrossEntropy(leak=0.1)(torch.zeros(1, 2), torch.tensor([[False, False]]))
