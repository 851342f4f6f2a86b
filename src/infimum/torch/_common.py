"""What the losses share: precision, reduction, and one error for the bad rows of a batch."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from ..data.errors import SHOWN, BadRows

REDUCTIONS = ("mean", "sum", "none")


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """Return the value of a parameter; raise ValueError if it is not allowed."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}. Got {value!r} instead.")
    return value


def at_least_float32(x: torch.Tensor, name: str) -> torch.Tensor:
    """Return x in float32 or better, because half precision is too coarse for a sum of a thousand exponentials."""
    if not torch.is_tensor(x) or not x.is_floating_point():
        kind = x.dtype if torch.is_tensor(x) else type(x).__name__
        raise ValueError(f"{name} must be a tensor of floating-point numbers. Got {kind}.")
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


def reduced(losses: torch.Tensor, reduction: str) -> torch.Tensor:
    """Return the mean of losses (b,), their sum, or the losses themselves."""
    return losses.mean() if reduction == "mean" else losses.sum() if reduction == "sum" else losses


def compiling() -> bool:
    """Return whether torch.compile is tracing; values are not available then."""
    return torch.compiler.is_compiling()


def all_finite(losses: torch.Tensor) -> bool:
    """Return whether every loss is finite; this is the only check of values for a valid batch."""
    return bool(torch.isfinite(losses.detach().sum()))


def same_rows(b: int, n: int, what: str, given: str) -> None:
    """Raise ValueError unless a batch has one set for each row."""
    if n != b:
        raise ValueError(f"The {given} and the {what} must have the same number of rows. Got {b} and {n}.")


def same_width(width: int, expected: int, what: str, given: str) -> None:
    """Raise ValueError unless rows have the width of the prediction."""
    if width != expected:
        raise ValueError(f"{what} must have one column for each of the {expected} columns of the {given}. Got {width}.")


def raise_for_rows(rows: torch.Tensor, messages: Iterable[str], remedy: str) -> None:
    """Raise one error for the rows (k,) of a batch that cannot be used, unless there are none."""
    bad = BadRows("the batch")
    for row, message in zip(rows[:SHOWN].tolist(), messages):
        bad.add(row, message)
    bad.more = len(rows) - len(bad.found)
    bad.raise_if_any(remedy)


def raise_if_not_finite(x: torch.Tensor, name: str) -> None:
    """Raise ValueError if a prediction (b, …) is NaN or infinite."""
    flat = x.detach().reshape(len(x), -1)
    bad = torch.where(torch.isfinite(flat), 0, 1)
    rows = bad.any(dim=1).nonzero().flatten()
    at = bad.argmax(dim=1)
    raise_for_rows(
        rows,
        (f"{name} {at[r]} is {flat[r, at[r]].item()}" for r in rows.tolist()),
        f"Every {name} must be finite. Check for a division by zero or too large a step before this loss.",
    )
