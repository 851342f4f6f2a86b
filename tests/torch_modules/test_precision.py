"""Half precision, autocast, torch.compile, and what importing costs."""

import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("torch.nn")  # the folder of these tests is a `torch` too, where PyTorch is missing

import torch

from infimum.torch import IntervalLoss, PartialOrderLoss, SetCost, SetCrossEntropy, SoftDisambiguation, TagLoss

MASK = torch.tensor([[True, True, False, False], [False, True, False, True], [True] * 4])
SIGNS = torch.tensor([[1, 0, -1, 0], [0, 0, 0, 0], [1, 1, 1, 1]])
CODES = torch.tensor([[1, 0, 0, 0, 0, -1], [0] * 6, [1] * 6])
ENDS = torch.tensor([[1.0, 2.0], [-3.0, 4.0], [300.0, 301.0]])
CASES = [
    *((f"cross-entropy {p}", SetCrossEntropy(p), MASK) for p in
      ("infimum", "average", "supremum", "likelihood", "disambiguation")),
    *((f"cost {p}", SetCost(1 - np.eye(4), p), MASK) for p in ("infimum", "average", "supremum")),
    *((f"{kind.__name__} {p}", kind(p), given) for kind, given in ((TagLoss, SIGNS), (PartialOrderLoss, CODES))
      for p in ("infimum", "average", "supremum", "likelihood", "disambiguation")),
    ("memory", SoftDisambiguation(MASK).eval(), torch.arange(3)),
]  # fmt: skip
NUMBERS = [IntervalLoss(p, loss=loss) for p in ("infimum", "average", "supremum") for loss in ("squared", "absolute")]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("loss, given", [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_half_precision(loss, given, dtype):
    x = (30 * torch.randn(3, 4, generator=torch.Generator().manual_seed(0))).to(dtype).requires_grad_(True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = loss(x, given)
    value.backward()
    assert value.dtype == torch.float32
    torch.testing.assert_close(value, loss(x.float(), given))
    assert x.grad.dtype == dtype
    assert torch.isfinite(x.grad).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("loss", NUMBERS, ids=str)
def test_half_precision_of_numbers(loss, dtype):
    z = torch.tensor([0.0, 1.0, -200.0], dtype=dtype, requires_grad=True)  # 500² is beyond float16
    with torch.autocast("cpu", dtype=torch.bfloat16):
        value = loss(z, ENDS)
    value.backward()
    torch.testing.assert_close(value, loss(z.float(), ENDS))
    assert torch.isfinite(z.grad).all()


def test_a_net_under_autocast_learns_without_nan():
    torch.manual_seed(0)
    net = torch.nn.Linear(5, 4)
    X = torch.randn(3, 5)
    optimiser = torch.optim.SGD(net.parameters(), lr=0.5)
    values = []
    for _ in range(20):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = SetCrossEntropy("likelihood")(net(X), MASK)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        values.append(loss.item())
    assert values[-1] < values[0] / 2


@pytest.mark.slow
@pytest.mark.parametrize("loss, given", [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_compiled_in_one_graph(loss, given):
    torch._dynamo.reset()
    x = 5 * torch.randn(3, 4, generator=torch.Generator().manual_seed(0))
    a, b = x.clone().requires_grad_(True), x.clone().requires_grad_(True)
    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
    one, other = compiled(a, given), loss(b, given)
    torch.testing.assert_close(one, other)
    one.backward()
    other.backward()
    torch.testing.assert_close(a.grad, b.grad)


@pytest.mark.slow
@pytest.mark.parametrize("loss", NUMBERS, ids=str)
def test_compiled_numbers(loss):
    torch._dynamo.reset()
    z = torch.tensor([0.0, 1.0, -200.0])
    torch.testing.assert_close(torch.compile(loss, fullgraph=True, backend="aot_eager")(z, ENDS), loss(z, ENDS))


@pytest.mark.slow
def test_memory_moves_in_compiled_code():
    torch._dynamo.reset()
    one, other = SoftDisambiguation(MASK), SoftDisambiguation(MASK)
    compiled = torch.compile(one, fullgraph=True, backend="aot_eager")
    for seed in range(3):
        x = torch.randn(2, 4, generator=torch.Generator().manual_seed(seed))
        rows = torch.tensor([seed, (seed + 1) % 3])
        torch.testing.assert_close(compiled(x, rows), other(x, rows))
    torch.testing.assert_close(one.weights, other.weights)


def test_torch_is_imported_only_when_asked():
    code = "import sys, infimum; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_torch_the_error_says_what_to_install():
    code = "import sys, infimum; sys.modules['torch'] = None; import infimum.torch"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert "ImportError: infimum.torch requires PyTorch" in done.stderr
    assert "pip install 'infimum[torch]'" in done.stderr
