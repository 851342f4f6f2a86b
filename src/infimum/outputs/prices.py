"""What a question costs: seconds of a person's time, bits, or options shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..data.checks import is_number

PRICES = ("seconds", "bits", "shown")
MIN_TIMINGS = 40  # answers from which on seconds are fitted
PRIOR = 5.0  # answers that each of the four default values counts for in the fit
LISTED = 10  # options of a list with keys; a longer list is searched by typing
TYPED = 4.0  # keys that a search by typing takes


class Seconds(NamedTuple):
    """The time that a person needs to answer a question, as a sum of four parts.

    - `look`: look at the row and decide. All tags, a ranking or a number are several decisions;
    - `name`: read one of the names in the question. A list is read up to the answer. "Which of these?" begins with the
      most probable label. The list of a full label is the same for all rows, so that on average half of it is read, of
      at most ten names;
    - `bit`: choose among n answers, per log2 n;
    - `key`: press one key or button. A full label among more than ten is found by typing, with four keys more.

    The defaults are published means: 1.35 s for one mental act and 0.28 s for one key (Card, Moran and Newell 1980),
    0.25 s per word for silent reading (Brysbaert 2019), 0.15 s per bit of choice (Hick 1952). `fit` replaces them by
    measured times.

    Examples
    --------
    >>> round(Seconds()("Is", 2.0, 1), 2), round(Seconds()("FullLabel", 10.0, 10), 2)
    (2.03, 3.5)
    """

    look: float = 1.35
    name: float = 0.25
    bit: float = 0.15
    key: float = 0.28

    def __call__(self, kind: str, n_answers: Any, n_shown: Any, n_read: Any = None) -> Any:
        """Return the seconds, if the (expected) number of names read is `n_read`; arrays give an array."""
        found: Any = sum(value * part for value, part in zip(self, _parts(kind, n_answers, n_shown, n_read)))
        return found if np.ndim(found) else float(found)

    def fit(self, timings: Sequence[tuple[str, float, float, float]]) -> Seconds:
        """Return the seconds that fit measured times best, or these if there are fewer than 40 of them.

        Least squares with non-negative values. Each of these values counts for five answers, so that what was not
        measured (such as a type of question that was never asked) keeps its value. Times above four times the median
        are breaks, and are left out.

        Parameters
        ----------
        timings : list of (kind, n_answers, n_shown, seconds)
            Answers and their times.
        """
        from scipy.optimize import nnls

        if len(timings) < MIN_TIMINGS:
            return self
        limit = 4 * float(np.median([taken for *_, taken in timings]))
        kept = [(_parts(kind, n_answers, n_shown), t) for kind, n_answers, n_shown, t in timings if t <= limit]
        A = np.array([parts for parts, _ in kept], dtype=float)
        t = np.array([taken for _, taken in kept])
        scale = np.sqrt(PRIOR * (A**2).mean(axis=0) + 1e-12)  # pull of each part towards its old value
        return Seconds(*nnls(np.vstack([A, np.diag(scale)]), np.r_[t, scale * np.array(self)])[0].tolist())


def _parts(kind: str, n_answers: Any, n_shown: Any, n_read: Any = None) -> tuple[Any, ...]:
    """Return how many looks, names, bits and keys an answer takes."""
    bits = np.log2(np.maximum(n_answers, 2.0))
    if kind != "FullLabel":
        names = np.maximum(n_shown if n_read is None else n_read, 1.0)
        return np.ones_like(bits), names, bits, np.ones_like(bits)
    names = np.maximum(np.minimum(n_shown, LISTED), 1.0)
    # tags, rankings and numbers are several decisions, each among the names or among ten digits
    decisions = np.maximum(1.0, bits / np.log2(np.where(np.asarray(n_shown) > 1, n_shown, 10.0)))
    typed = np.where(np.asarray(n_shown) > LISTED, TYPED, 0.0)
    return decisions, (names + 1) / 2, bits, decisions + typed


class Price:
    """The cost of a question: how long a person takes to answer it, or another unit of your choice.

    Parameters
    ----------
    price : {"seconds", "bits", "shown"}, Seconds, mapping or callable, default "seconds"
        "seconds" is the expected time of a person, see :class:`Seconds`. "bits" is log2 of the number of different
        answers, so 1 for yes or no. "shown" is one per option to read. A mapping gives the seconds for
        each type of question, ``{"OneOf": 2, "FullLabel": 7}``. A function of (name, n_answers, n_shown), which may be
        arrays, returns any other cost.

    Examples
    --------
    >>> Price("bits")("Which", 4.0, 3), Price("shown")("Which", 4.0, 3), Price({"Which": 2.5})("Which", 4.0, 3)
    (2.0, 3.0, 2.5)
    """

    def __init__(self, price: Any = "seconds"):
        is_name = isinstance(price, str) and price in PRICES
        if not is_name and not isinstance(price, Mapping) and not callable(price):
            raise ValueError(
                "cost must be 'seconds', 'bits', 'shown', seconds by the name of a question, or a function."
                f" Got {price!r}."
            )
        self.price: Any = price.price if isinstance(price, Price) else Seconds() if price == "seconds" else price
        for name, seconds in self.price.items() if isinstance(self.price, Mapping) else ():
            if not is_number(seconds, 0, above=True):
                raise ValueError(f"cost of {name!r} must be a finite number > 0. Got {seconds!r}.")

    def __call__(self, name: str, n_answers: Any, n_shown: Any, n_read: Any = None) -> Any:
        """Return the cost; arrays give an array. Only seconds depend on the number of names that are read."""
        found: Any
        if isinstance(self.price, Mapping):
            if name not in self.price:
                raise ValueError(f"cost has no seconds for {name!r}. Got {', '.join(map(repr, self.price))}.")
            found = np.full(np.shape(n_answers), float(self.price[name]))
        elif self.price == "bits":
            found = np.log2(np.maximum(n_answers, 2.0))  # a question with one answer takes time to read, too
        elif self.price == "shown":
            found = np.maximum(n_shown, 1.0)
        else:
            read = (n_read,) if isinstance(self.price, Seconds) else ()
            found = np.asarray(self.price(name, n_answers, n_shown, *read))
        if found.dtype.kind not in "iuf" or not (np.isfinite(found) & (found > 0)).all():
            raise ValueError(f"cost must be a function that returns finite numbers > 0. It gives {found} for {name!r}.")
        return found if found.ndim else found.item()
