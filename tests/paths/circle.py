"""An output type that a user adds: points of a circle, known up to an arc.

The two classes are those of docs/adding_an_output_type.md. They are in a module of their own because a saved model is
loaded in a new process, which imports them.
"""

import numpy as np

from infimum.outputs import OutputSpace, Sets


class Angles(OutputSpace):
    """Angles with the squared chord as loss, 2 - 2 cos(z - y)."""

    def read(self, y, strict=True):
        if isinstance(y, Arcs):
            return y
        rows = [(0, np.pi) if row is None else row if np.ndim(row) else (row, 0) for row in y]
        return Arcs(*np.reshape(rows, (len(rows), 2)).T)

    def psi(self, z):
        return np.stack([np.full(np.shape(z), 2.0), -2 * np.cos(z), -2 * np.sin(z)], axis=-1)

    def decode(self, c):
        return np.arctan2(c[..., 2], c[..., 1])


class Arcs(Sets):
    """All angles within `width` of `middle`."""

    def __init__(self, middle, width):
        self.middle, self.width = np.asarray(middle, float), np.asarray(width, float)
        self.shape = self.middle.shape

    def __len__(self):
        return len(self.middle)

    def __getitem__(self, rows):
        return Arcs(self.middle[rows], self.width[rows])

    def phi(self, y):
        return np.stack([np.ones_like(y), np.cos(y), np.sin(y)], axis=-1)

    def argmin(self, c):
        free = np.arctan2(-c[..., 2], -c[..., 1])
        off = (free - self.middle + np.pi) % (2 * np.pi) - np.pi
        return self.phi(self.middle + np.clip(off, -self.width, self.width))

    def start(self):
        return self.phi(self.middle)

    def contains(self, z):
        return np.abs((z - self.middle + np.pi) % (2 * np.pi) - np.pi) <= self.width + 1e-12

    @property
    def is_unlabelled(self):
        return self.width >= np.pi

    def join(self, other):
        return Arcs(np.append(self.middle, other.middle), np.append(self.width, other.width))
