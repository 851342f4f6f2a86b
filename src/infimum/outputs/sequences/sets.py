"""Lattices: candidate labels for each token of a sequence, and the transitions between them that are allowed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.errors import raise_for_rows
from ..base import Embedding, OutputSpace, Sets, rows_of
from ..sets import same_names
from .paths import Edges, Packed, path_probabilities, shortest_path

PADDING = -1
"""Stands for the missing tokens of the shorter sequences in an array of outputs."""

FREE = "?"  # a token whose label is unknown, in text


class Lattices(Sets):
    """Sets of label sequences, as `Sequences.read` returns them.

    S_i contains the sequences whose labels are candidates, token by token, and whose steps are allowed. Candidates that
    no allowed sequence uses are removed.

    Parameters
    ----------
    mask : (N, m) boolean
        The candidates of all tokens, sequence after sequence.
    lengths : (n,)
        The number of tokens of each sequence.
    allowed : Edges, optional
        The allowed steps; all by default.
    classes : (m,), optional
        The names of the labels.
    width : int, optional
        The number of tokens for which embeddings have room; by default that of the longest sequence.
    strict : bool, default True
        Whether a set without members raises an error.

    Examples
    --------
    >>> sets = Lattices(np.array([[True, True], [False, True], [True, False]]), np.array([2, 1]), classes=["O", "B"])
    >>> sets.format(0), sets.contains(np.array([[0, 1], [1, -1]])).tolist()
    ('? B', [True, False])
    """

    kind = "sequence"
    size_unit = "unknown tokens"

    def __init__(
        self, mask: NDArray, lengths: NDArray, allowed: Edges | None = None, classes: Any = None,
        width: int | None = None, strict: bool = True,
    ):  # fmt: skip
        self.lengths, self.allowed = np.asarray(lengths, dtype=int), allowed
        self.classes = None if classes is None else np.asarray(classes)
        self.width = max(int(self.lengths.max(initial=0)), width or 0)
        self.starts = np.cumsum(self.lengths) - self.lengths
        self.shape = (len(self.lengths),)
        mask = np.asarray(mask, dtype=bool)
        self.mask, self.is_empty = pruned(mask, self.lengths, allowed)
        if strict:
            raise_for_rows(
                self.is_empty, lambda row: f"no allowed sequence of labels agrees with {self.format(row)}",
                "Correct the labels, or allow more transitions.",
            )  # fmt: skip

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Lattices:
        index = np.arange(len(self))[rows_of(rows, len(self))]
        return self.with_mask(self.mask[self.tokens(index)], self.lengths[index])

    def with_mask(self, mask: NDArray, lengths: NDArray) -> Lattices:
        """Return other candidates with the same labels and allowed steps; sets may be empty."""
        return Lattices(mask, lengths, self.allowed, self.classes, self.width, strict=False)

    def tokens(self, rows: NDArray) -> NDArray:
        """Return the numbers of the tokens of some sequences."""
        parts = [np.arange(start, start + n) for start, n in zip(self.starts[rows], self.lengths[rows])]
        return np.concatenate(parts) if parts else np.empty(0, dtype=int)

    @property
    def _place(self) -> NDArray:
        """(n, width) boolean: the places of tokens in arrays of outputs."""
        return np.arange(self.width) < self.lengths[:, None]

    def embedded(self, tokens: NDArray) -> NDArray:
        """Return one row of numbers per token, (N, m), as one row per sequence, (n, width m), 0 beyond its end."""
        return self.padded(tokens, 0.0).reshape(len(self), self.width * tokens.shape[1])

    def argmin(self, c: NDArray) -> NDArray:
        found = np.empty(c.shape)
        for k in np.ndindex(c.shape[:-2]):
            labels = self._best(-c[k])  # phi is 1 for all labels except y
            found[k] = self.embedded(1.0 - np.eye(self.mask.shape[1])[labels])
        return found

    def _best(self, cost: NDArray) -> NDArray:
        """Return the labels (N,) of the member of each set that has the least cost, from that of each label (n, d)."""
        m = self.mask.shape[1]
        own = cost.reshape(len(self), self.width, m)[self._place]
        return shortest_path(np.where(self.mask, own, np.inf), costs_of(self.allowed, m), self.lengths)[0]

    def center(self) -> NDArray:
        """Return the mean over all sequences of the set, (n, d)."""
        return self.embedded(1.0 - self._uniform()[1])

    def _uniform(self) -> tuple[NDArray, NDArray]:
        """Return log2 of the number of members, (n,), and the share of each label at each token, (N, m)."""
        packed, m = Packed(self.lengths), self.mask.shape[1]
        scores = np.where(self.mask, 0.0, -np.inf)[packed.order]
        found = path_probabilities(scores, factors_of(self.allowed, m), packed)
        return found.log_sum / np.log(2), packed.unpack(found.tokens)

    def embed(self, principle: str) -> Embedding | None:
        none = np.zeros(len(self))
        if principle == "average":
            return Embedding(self.center(), none)
        if self.allowed is not None:
            return None
        certain = self.mask & (self.mask.sum(axis=1, keepdims=True) == 1)
        return Embedding(self.embedded(1.0 - (self.mask if principle == "infimum" else certain)), none)

    def member(self, phi: NDArray, space: OutputSpace) -> NDArray:
        return self.padded(self._best(phi))

    def padded(self, tokens: NDArray, fill: float = PADDING) -> NDArray:
        """Return labels or numbers of tokens, (N, …), as one row per sequence, (n, width, …)."""
        out = np.full((len(self), self.width, *tokens.shape[1:]), fill)
        out[self._place] = tokens
        return out

    def _matches(self, z: Any) -> NDArray:
        """Return whether the label of each token is a candidate, (N,)."""
        z, out = np.asarray(z, dtype=int), np.full((len(self), self.width), PADDING)
        out[:, : z.shape[1]] = z[:, : self.width]
        labels = out[self._place]
        return np.asarray(self.mask[np.arange(len(labels)), labels] & (labels != PADDING))

    def _count(self, tokens: Any) -> NDArray:
        """Return for how many tokens of each sequence a condition holds, (N,) -> (n,)."""
        return np.bincount(np.repeat(np.arange(len(self)), self.lengths), tokens, minlength=len(self))

    def _all(self, tokens: NDArray) -> NDArray:
        """Return whether a condition holds for all tokens of each sequence, (N,) or (N, m) -> (n,)."""
        return self._count(~(tokens if tokens.ndim == 1 else tokens.all(axis=1))) == 0

    def contains(self, z: NDArray) -> NDArray:
        same_length = (np.asarray(z) != PADDING).sum(axis=1) == self.lengths
        return self._all(self._matches(z)) & same_length & obeys(np.asarray(z, dtype=int), self.allowed)

    def agreement(self, z: NDArray) -> NDArray:
        """Return the share of right labels among the tokens with partial or exact labels, (n,)."""
        counts = ~self.mask.all(axis=1)
        right, total = self._count(self._matches(z) & counts), self._count(counts)
        return np.where(total > 0, right / np.maximum(total, 1), 1.0)

    def _pair(self, other: Any) -> None:
        self._check_pair(other, Lattices)
        same_names(self.classes, other.classes, "labels")

    def meets(self, other: Any) -> NDArray:
        self._pair(other)
        same = self.lengths == other.lengths
        rows = np.flatnonzero(same)
        same[rows] = ~self[rows].with_mask(self[rows].mask & other[rows].mask, self.lengths[rows]).is_empty
        return same

    def contains_set(self, other: Any) -> NDArray:
        self._pair(other)
        same = self.lengths == other.lengths
        rows = np.flatnonzero(same)
        a, b = self[rows], other[rows]
        same[rows] = a._all(a.mask | ~b.mask)
        return same

    def intersect(self, other: Any) -> Lattices:
        self._check_not_empty(other, ~self.meets(other))
        return self.with_mask(self.mask & other.mask, self.lengths)

    def join(self, other: Any) -> Lattices:
        same_names(self.classes, other.classes, "labels")
        mask, lengths = (np.concatenate([getattr(s, name) for s in (self, other)]) for name in ("mask", "lengths"))
        width = max(self.width, other.width)
        return Lattices(mask, lengths, self.allowed, self.classes, width, strict=False)

    @property
    def is_exact(self) -> NDArray:
        return self._all(self.mask.sum(axis=1) == 1)

    def _whole(self) -> Lattices:
        return self.with_mask(np.ones_like(self.mask), self.lengths)

    @property
    def is_unlabelled(self) -> NDArray:
        return self._all(self.mask | ~self._whole().mask)

    @property
    def size(self) -> NDArray:
        """The number of tokens that are not exact."""
        return self._count(self.mask.sum(axis=1) != 1).astype(float)

    def bits(self) -> NDArray:
        return self._whole()._uniform()[0] - self._uniform()[0]

    def to_list(self) -> list:
        """Return the candidates of each token: a name, a list of names, or None for an unknown label."""
        names = np.arange(self.mask.shape[1]) if self.classes is None else self.classes
        flat: list = []
        for row in self.mask:
            some = names[row].tolist()
            flat.append(None if row.all() else some[0] if len(some) == 1 else some)
        return [flat[start : start + n] for start, n in zip(self.starts.tolist(), self.lengths.tolist())]

    def format(self, row: int) -> str:
        return " ".join(map(_token_text, self[[row]].to_list()[0]))

    def __repr__(self) -> str:
        known = float(np.mean(self.mask.sum(axis=1) == 1)) if len(self.mask) else 0.0
        return f"<Lattices of {self.mask.shape[1]} labels: {len(self)} sequences, {known:.0%} of the tokens exact>"


def _token_text(cell: Any) -> str:
    if cell is None:
        return FREE
    return "|".join(map(str, cell)) if isinstance(cell, list) else str(cell)


def factors_of(allowed: Edges | None, m: int) -> Edges:
    """Return 1 for allowed steps and 0 for others."""
    return Edges(np.ones(m), np.ones((m, m)), np.ones(m)) if allowed is None else Edges(*(e * 1.0 for e in allowed))


def costs_of(allowed: Edges | None, m: int) -> Edges:
    """Return the cost 0 for allowed steps and an infinite one for others."""
    return Edges(*(np.where(e > 0, 0.0, np.inf) for e in factors_of(allowed, m)))


def obeys(z: NDArray, allowed: Edges | None) -> NDArray:
    """Return whether all steps of each output are allowed, (n, width) -> (n,)."""
    if allowed is None:
        return np.ones(len(z), dtype=bool)
    before, after = z[:, :-1], z[:, 1:]
    last = np.take_along_axis(z, np.maximum((z != PADDING).sum(axis=1) - 1, 0)[:, None], axis=1)[:, 0]
    steps = allowed.follow[before, after] | (after == PADDING)
    return np.asarray(steps.all(axis=1) & allowed.first[z[:, 0]] & allowed.last[last])


def pruned(mask: NDArray, lengths: NDArray, allowed: Edges | None) -> tuple[NDArray, NDArray]:
    """Return the candidates that some allowed sequence uses, and which sequences have none, (n,).

    The candidates of sequences without members are returned unchanged.
    """
    of = np.repeat(np.arange(len(lengths)), lengths)
    if allowed is None:
        return mask, np.bincount(of, ~mask.any(axis=1), minlength=len(lengths)) > 0
    packed = Packed(lengths)
    on = mask[packed.order]
    on[: packed.n] &= allowed.first
    on[packed.final] &= allowed.last
    for now, before in packed.blocks():
        on[now] &= (on[before].astype(np.float32) @ allowed.follow) > 0
    for now, before in reversed(packed.blocks()):
        on[before] &= (on[now].astype(np.float32) @ allowed.follow.T) > 0
    used = packed.unpack(on)
    empty = np.bincount(of, ~used.any(axis=1), minlength=len(lengths)) > 0
    return np.where(empty[of][:, None], mask, used), empty
