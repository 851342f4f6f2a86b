"""What a search carries from query to query, and the arrays it works in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .bits import bit_count
from .minorants import answer
from .terms import Relations, later_items, open_distance


class State(NamedTuple):
    """Minorants hold for any weights, so they are carried on."""

    nu: NDArray[np.int32]
    """(T, P): the slopes of the minorants, in units of 1/UNIT, 0 on known pairs."""
    h: NDArray[np.int64]
    """(T,): their levels."""
    mean: NDArray[np.float64]
    """(T, P): means of linear extensions, for the majorants."""
    kept_nu: NDArray[np.int32]
    kept_mean: NDArray[np.float64]
    """Those of the best bound of this query."""
    move: NDArray[np.float64]
    """(T, P): where they would go."""
    known_cost: NDArray[np.float64]
    cost: NDArray[np.float64]
    """(m, m): what an order pays for i before j, from the known pairs, and with the minorants."""
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    f: NDArray[np.float64]
    """The sums and values of the dynamic programme over x, and below of those over y."""
    y_cost: NDArray[np.int32]
    y_lower: NDArray[np.int32]
    y_upper: NDArray[np.int32]
    y_f: NDArray[np.int32]
    back: NDArray[np.int8]
    place: NDArray[np.int64]
    found: NDArray[np.int64]
    """(m,): the order x that costs least."""
    x: NDArray[np.int32]
    y: NDArray[np.int32]
    """(P,): codes."""
    decided: NDArray[np.bool_]
    """(P,): which pairs the end of an order decides."""
    zero: NDArray[np.int32]
    """(P,): no slope at all."""


def new_state(rel: Relations) -> State:
    """Return a state without slopes, in which the mean of each relation is one linear extension."""
    count, m = rel.unknown.shape
    pairs, half = m * (m - 1) // 2, m // 2
    slopes, means = np.zeros((count, pairs), dtype=np.int32), np.zeros((count, pairs))
    lower, upper, square = np.zeros((1 << half, m)), np.zeros((1 << (m - half), m)), np.zeros((m, m))
    items, code = np.zeros(m, dtype=np.int64), np.zeros(pairs, dtype=np.int32)
    state = State(
        slopes, np.zeros(count, dtype=np.int64), means, slopes.copy(), means.copy(), means.copy(),
        square, square.copy(), lower, upper, np.zeros(1 << m),
        square.astype(np.int32), lower.astype(np.int32), upper.astype(np.int32), np.zeros(1 << m, dtype=np.int32),
        np.zeros(1 << m, dtype=np.int8), items, items.copy(), code, code.copy(), code.astype(bool), code.copy(),
    )  # fmt: skip
    for t in range(count):
        respond(rel, t, state.zero, state)
        state.mean[t] = state.y * rel.open[t]
    return state


@njit(cache=True, nogil=True)
def respond(rel, t, nu, state):
    """Return h(nu) of relation t in units of 1/UNIT; state.y gets the extension that attains it, nearest to state.x."""
    part = slice(rel.start[t], rel.start[t + 1])
    return answer(
        rel.ideals[part], rel.last[part], nu, state.x, state.y_cost, state.y_lower, state.y_upper, state.y_f,
        state.back, state.place, state.y,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def objective(rel, v, order, state):
    """Return sum_t v_t d_t of an order."""
    later = np.zeros(len(order), dtype=np.int64)
    later_items(order, later)
    total = 0.0
    for t in range(len(v)):
        if v[t] != 0:
            wrong = 0
            for i in range(len(later)):
                wrong += bit_count(rel.above[t, i] & ~later[i])
            if rel.hard[t]:
                part = slice(rel.start[t], rel.start[t + 1])
                wrong += open_distance(rel.ideals[part], rel.last[part], rel.unknown[t], later, state.y_f)
            total += v[t] * wrong
    return total
