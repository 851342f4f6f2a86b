"""Parsing of vectors and masks, and metrics."""

import numpy as np
import pandas as pd
import pytest

from infimum import (
    metrics,
)
from infimum.data.errors import InputError
from infimum.outputs import Annuli, Balls, Boxes, CandidatePoints, Masks, Vectors
from parsed import INF, NAN


def test_bounds_end_vectors():
    boxes = Boxes([[0.0, 1.0]], [[INF, 1.0]])
    with pytest.raises(InputError, match=r"limit the range of y with bounds=\(low, high\)"):
        boxes.center()
    sets = Vectors(bounds=(0, 10)).fit(boxes).read(boxes)
    assert np.asarray(sets).tolist() == [[[0, 10], [1, 1]]]
    assert np.isfinite(sets.center()).all()
    for y in (boxes, Balls([[0.0, 0.0]], 1.0), CandidatePoints([[[0.0, 0.0], [1.0, 1.0]]]), [[0.0, 1.0]]):
        with pytest.raises(InputError, match=r"row 0: .*outside of bounds \[100.0, 100.0\] to \[200.0, 200.0\]"):
            Vectors(bounds=(100, 200)).fit(y)
    points = CandidatePoints([[[0.0, 0.0], [5.0, 5.0]], [[1.0, 1.0]]])
    assert len(Vectors(bounds=(0, 2)).fit(points).read(points).points) == 2
    space = Vectors(bounds=([0, 1], None)).fit(boxes)
    assert (space.low_.tolist(), space.high_.tolist()) == ([0, 1], [0, 1])
    with pytest.raises(InputError, match="overflow or underflow"):
        Vectors().fit([[0.0], [1e-200]])


def test_vector_frames_go_by_name():
    F = pd.DataFrame({"u": [0.0, 1.0], "v": [2.0, None]})
    space = Vectors().fit(F)
    np.testing.assert_array_equal(np.asarray(space.read(F[["v", "u"]])), np.asarray(space.read(F)))
    blocks = Vectors()
    blocks.fit_summary(blocks.merge(blocks.summarise(F[["v", "u"]]), blocks.summarise(F)))
    assert (blocks.low_.tolist(), blocks.high_.tolist()) == ([2, 0], [2, 1])
    with pytest.raises(InputError, match="Missing: 'v'"):
        space.read(F[["u"]])
    y = [[[0, 1], [2, 3]], [[1, 2], [3, 4]]]
    with pytest.raises(InputError, match=r"bounds of 2 coordinates or 2 points in the plane"):
        Vectors().fit(y)
    assert Vectors().fit(Boxes(*np.moveaxis(np.array(y), -1, 0))).high_.tolist() == [2, 4]
    assert Vectors().fit(CandidatePoints(y)).high_.tolist() == [3, 4]


@pytest.mark.parametrize(
    "build, message",
    [
        (lambda: Boxes([["a"]], [[1]]), "lower must be an array of numbers"),
        (lambda: Balls([0.0, 1.0], 1), r"\(n, m\) centers"),
        (lambda: Balls([[0.0]], [1, 2]), "one radius for all rows or one per row"),
        (lambda: Annuli([1.0, 1.0], [2.0, 2.0], center=[[0.0, 0.0]] * 3), "inner and outer have shape"),
        (lambda: CandidatePoints([[[0, 1], [1]], [[0, 1]]]), "row 0: expected points of equally many coordinates"),
        (lambda: Masks((1, 2)).fit(None).read([[1, 0, 1]]), "have 2 pixels. Got 3"),
        (lambda: Masks((1, 2)).fit(None).read([[1, 5]]), "row 0: expected 1, -1 or 0 for every pixel, got 5"),
    ],
)
def test_constructors_of_vectors_and_masks(build, message):
    with pytest.raises(InputError, match=message):
        build()


def test_one_phase_for_one_amplitude():
    """Inner and outer may be numbers."""
    assert Annuli(1.0, 2.0, phase=(6, 2)).shape == (1,)
    assert Annuli([1.0, 1.0], 2.0, phase=(6, 2)).shape == (2,)


def test_r2_forgives_rounding_and_checks_weights():
    assert metrics.r2([(0, 0.3)], [0.1 + 0.2]) == 1
    assert metrics.r2([(0, 0.3)], [0.31]) == 0
    for weights, message in [
        ([-1, 1, 1], "row 0: expected a number >= 0, got -1"),
        ([0, 0, 0], "nothing to score"),
        ([1, 1], r"one number for each of the 3 rows. Got shape \(2,\)"),
        ([1, NAN, 1], "row 1"),
        (["a", 1, 1], "must be numbers"),
    ]:
        for score in (metrics.r2, metrics.covering_rate, metrics.mean_squared_distance):
            with pytest.raises(InputError, match=message):
                score([1.0, 2.0, 4.0], [1.0, 2.0, 3.0], weights)
    with pytest.raises(InputError, match="have weight 0"):
        metrics.wrong_pairs(["a>b", None], [["a", "b"], ["b", "a"]], sample_weight=[0, 1])
    with pytest.raises(InputError, match="row 0: expected finite numbers"):
        metrics.r2([1.0], [NAN])
