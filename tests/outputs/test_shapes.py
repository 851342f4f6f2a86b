"""A wrong shape or kind from a user's own output type names the class and the method."""

import numpy as np
import pytest

from infimum import PartialEstimator
from infimum.outputs import OutputSpace, Sets
from infimum.outputs.base import rows_of

X = np.arange(8.0)[:, None]
Y = np.repeat(np.eye(4, dtype=bool), 2, axis=0)


class Corners(OutputSpace):
    """One of four corners, with the 0-1 loss."""

    size = 4

    def read(self, y, strict=True):
        return CornerSets(np.asarray(y, dtype=bool))

    def psi(self, z):
        return 1.0 - np.eye(4)[np.asarray(z, dtype=int)]

    def decode(self, c):
        return np.argmax(c, axis=-1)

    def outputs(self):
        return np.arange(4)


class CornerSets(Sets):
    """Some of the corners."""

    def __init__(self, mask):
        self.mask, self.shape = mask, (len(mask),)

    def __len__(self):
        return len(self.mask)

    def __getitem__(self, rows):
        return type(self)(self.mask[rows_of(rows, len(self))])

    def argmin(self, c):
        return np.eye(4)[np.where(self.mask, c, np.inf).argmin(axis=-1)]

    def contains(self, z):
        return self.mask[np.arange(len(self)), np.asarray(z, dtype=int)]

    def start(self):
        return self.mask / self.mask.sum(axis=1, keepdims=True)


def test_right_shapes_are_accepted():
    assert (PartialEstimator(Corners()).fit(X, Y).predict(X) == np.repeat(np.arange(4), 2)).all()


@pytest.mark.parametrize(
    "method, wrong, message",
    [
        ("psi", lambda self, z: np.ones((*np.shape(z), 3)), r"shape \(3, 4\), .*CornerSets.start.*Got shape \(3, 3\)"),
        ("decode", lambda self, c: np.argmax(c, axis=-1)[:1], r"shape \(3, ...\), one output.*Got shape \(1,\)"),
        ("read", lambda self, y, strict=True: np.asarray(y), "Sets.*Got ndarray"),
        ("read", lambda self, y, strict=True: None, "Sets.*Got NoneType"),
    ],
)
def test_methods_of_the_space_are_named(method, wrong, message):
    space = type("Wrong", (Corners,), {method: wrong})
    with pytest.raises(ValueError, match=rf"Wrong\.{method} must return .*{message}"):
        PartialEstimator(space()).fit(X, Y)


@pytest.mark.parametrize(
    "method, wrong, message",
    [
        ("argmin", lambda self, c: np.ones(len(self)), r"shape \(3, 4\), .*Got shape \(3,\)"),
        ("contains", lambda self, z: self.mask, r"shape \(3,\), one boolean per row. Got shape \(3, 4\)"),
        ("start", lambda self: np.ones(4), r"shape \(3, d\), one embedded point per row. Got shape \(4,\)"),
        ("__getitem__", lambda self, rows: self.mask[rows], "Sets.*Got ndarray"),
        ("__getitem__", lambda self, rows: self, "one set per index. Got 8 for 3"),
    ],
)
def test_methods_of_the_sets_are_named(method, wrong, message):
    sets = type("WrongSets", (CornerSets,), {method: wrong})
    space = type("Space", (Corners,), {"read": lambda self, y, strict=True: sets(np.asarray(y, dtype=bool))})
    with pytest.raises(ValueError, match=rf"WrongSets\.{method} must return .*{message}"):
        PartialEstimator(space()).fit(X, Y)
