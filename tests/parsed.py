"""Functions that parse y and return the result in a form that can be compared."""

import datetime

import numpy as np

from infimum.outputs import Labels, Rankings, Reals, Tags

NAN, INF = float("nan"), float("inf")
DAY = datetime.date(2020, 1, 1)
DATE = np.array(["2020-01-01", "2021-01-01"], dtype="M8[ns]")


def labels(y, **settings):
    space = Labels(**settings).fit(y)
    return space.classes_.tolist(), space.read(y).mask.astype(int).tolist()


def tags(y, **settings):
    space = Tags(**settings).fit(y)
    return space.tags_.tolist(), space.read(y).values.tolist()


def codes(y, **settings):
    space = Rankings(**settings).fit(y)
    return space.items_.tolist(), space.read(y).codes.tolist()


def numbers(y, **settings):
    space = Reals(**settings).fit(y)
    sets = space.read(y)
    return [sets.format(row) for row in range(len(sets))]


def parts(y):
    """y cut in two."""
    k = len(y) // 2
    cut = (lambda rows: y.iloc[rows]) if hasattr(y, "iloc") else (lambda rows: y[rows])
    return cut(slice(None, k)), cut(slice(k, None))
