"""What the losses share: precision, reduction, and bad rows of a batch in one error."""

from __future__ import annotations

from collections.abc import Iterable

import torch

SHOWN = 10
REDUCTIONS = ("mean", "sum", "none")


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """`value`, where it is one of those that are allowed."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}. Got {value!r} instead.")
    return value


def full(x: torch.Tensor, name: str) -> torch.Tensor:
    """x in float32 or better: half precision holds a prediction, not the sum of a thousand exponentials."""
    if not torch.is_tensor(x) or not x.is_floating_point():
        kind = x.dtype if torch.is_tensor(x) else type(x).__name__
        raise ValueError(f"{name} must be a tensor of floating-point numbers. Got {kind}.")
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


def reduced(losses: torch.Tensor, reduction: str) -> torch.Tensor:
    """(b,) -> their mean, their sum, or themselves."""
    return losses.mean() if reduction == "mean" else losses.sum() if reduction == "sum" else losses


def compiling() -> bool:
    """Whether torch.compile is looking: values cannot be asked for then."""
    return torch.compiler.is_compiling()


def finite(losses: torch.Tensor) -> bool:
    """Whether every loss is a number: the one look at values that a good batch costs."""
    return bool(torch.isfinite(losses.detach().sum()))


def same_rows(b: int, n: int, what: str, given: str) -> None:
    """Refuse a batch that has not one set for each row."""
    if n != b:
        raise ValueError(
            f"The batch has {b} rows of {given} and {n} rows of {what}: row {min(b, n)} has only one of the two."
        )


def same_width(width: int, expected: int, what: str, given: str) -> None:
    """Refuse rows of another width than the prediction has."""
    if width != expected:
        raise ValueError(
            f"{what}: row 0, as every row of the batch, has {width} columns, and the {given} have {expected}. Give one"
            " column for each."
        )


def refuse(rows: torch.Tensor, messages: Iterable[str], remedy: str) -> None:
    """Raise one error for the rows (k,) of a batch that cannot be used, unless there are none."""
    n = len(rows)
    if not n:
        return
    lines = [f"  row {row}: {message}" for row, message in zip(rows[:SHOWN].tolist(), messages)]
    if n > SHOWN:
        lines.append(f"  (and {n - SHOWN} more rows)")
    head = f"{n} row{'s' if n > 1 else ''} of the batch cannot be used."
    raise ValueError("\n".join([head, *lines, remedy]))


def refuse_unreal(x: torch.Tensor, name: str) -> None:
    """Raise where a prediction (b, …) is NaN or infinite."""
    flat = x.detach().reshape(len(x), -1)
    bad = torch.where(torch.isfinite(flat), 0, 1)
    rows = bad.any(dim=1).nonzero().flatten()
    at = bad.argmax(dim=1)
    refuse(
        rows,
        (f"{name} {at[r]} is {flat[r, at[r]].item()}" for r in rows.tolist()),
        f"Every {name} must be finite: look for a division by zero, or a step that was too long, before this loss.",
    )
