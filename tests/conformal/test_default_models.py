"""Conformal with the default model of masks, of vectors, and of an output type that defines only what is required."""

import numpy as np
import pytest

from infimum import PartialClassifier, PartialEstimator, PartialRegressor, outputs
from infimum.conformal import Conformal, LossBalls
from infimum.outputs.base import rows_of

from .problems import draw_masks, draw_vectors, inputs

ERROR = 1e-6  # probability that a test of coverage fails by chance
ANGLES = 2 * np.pi * np.arange(8) / 8


class Compass(outputs.OutputSpace):
    """Eight directions with the loss 1 - cos of the angle between them."""

    size = 8

    def read(self, y, strict=True):
        return y if isinstance(y, Directions) else Directions([np.atleast_1d(cell) for cell in y])

    def psi(self, z):
        angle = ANGLES[np.asarray(z)]
        return np.stack([np.ones_like(angle), -np.cos(angle), -np.sin(angle)], axis=-1)

    def decode(self, c):
        return np.argmin(c @ self.psi(np.arange(8)).T, axis=-1)

    def outputs(self):
        return np.arange(8)


class Directions(outputs.Sets):
    """Lists of possible directions."""

    def __init__(self, cells):
        self.cells = list(cells)
        self.shape = (len(self.cells),)
        self.mask = np.array([np.isin(np.arange(8), cell) for cell in self.cells]).reshape(-1, 8)

    def __len__(self):
        return len(self.cells)

    def __getitem__(self, rows):
        return Directions([self.cells[i] for i in np.arange(len(self))[rows_of(rows, len(self))]])

    def argmin(self, c):
        phi = np.stack([np.ones(8), np.cos(ANGLES), np.sin(ANGLES)], axis=-1)
        return phi[np.argmin(np.where(self.mask, c @ phi.T, np.inf), axis=-1)]

    def center(self):
        phi = np.stack([np.ones(8), np.cos(ANGLES), np.sin(ANGLES)], axis=-1)
        return self.mask @ phi / self.mask.sum(axis=1, keepdims=True)

    def contains(self, z):
        return self.mask[np.arange(len(self)), np.asarray(z, dtype=int)]


def draw_directions(rng, n):
    X = inputs(rng, n)
    angle = np.arctan2(X[:, 1], X[:, 0]) + 0.4 * rng.standard_normal(n)
    truth = np.rint(angle / (np.pi / 4)).astype(int) % 8
    other = (truth + rng.integers(-1, 2, n)) % 8
    return X, Directions([np.unique(pair) for pair in zip(truth, other)]), Directions(truth[:, None])


def draw_scribbles(rng, n):
    """Without smoothness term: with it, the predicted mask may differ from the signs of the margins."""
    X, sets, truth = draw_masks(rng, n)
    return X, sets.values, truth.values


MODELS = {
    "masks": (PartialEstimator(outputs.Masks((2, 2))), draw_scribbles),
    "vectors": (PartialRegressor(), draw_vectors),
    "own type": (PartialEstimator(Compass()), draw_directions),
}


@pytest.mark.parametrize(
    "name, covers, method",
    [
        ("masks", "set", "split"),
        ("vectors", "truth", "split"),
        ("own type", "set", "split"),
        ("own type", "truth", "cv+"),
    ],
)
def test_prediction_sets_cover_and_contain_the_prediction(name, covers, method):
    model, draw = MODELS[name]
    rng = np.random.default_rng(0)
    X, sets, _ = draw(rng, 60)
    new, new_sets, truth = draw(rng, 300)
    made = Conformal(model, 0.8, covers, method=method, cv=2).fit(X, sets)
    checked = made.check(new, truth if covers == "truth" else new_sets)
    assert checked.meets > 0.6  # 2 level - 1, and the usual coverage of a split
    assert method == "cv+" or checked.p_value > ERROR
    found = made.predict_set(new)
    z = made.predict(new)
    assert found.contains(z.reshape(len(z), -1) if name == "masks" else z).mean() > 0.95
    assert made.predict(new, reject=np.inf).mask.sum() == 0
    assert np.isfinite(made.risk_coverage(new, new_sets).high).all()


def test_an_own_type_gets_balls_of_its_loss():
    X, sets, truth = draw_directions(np.random.default_rng(0), 200)
    made = Conformal(MODELS["own type"][0], 0.8).fit(X[:150], sets[:150])
    found = made.predict_set(X[150:])
    assert isinstance(found, LossBalls)
    assert found.format(0) == f"loss at most {found.radius[0, 0]:.4g} from {found.centers[0, 0]}"
    inside = (
        1 - np.cos(ANGLES[found.centers[:, 0]] - ANGLES[truth.mask[150:].argmax(axis=1)]) <= found.radius[:, 0] + 1e-9
    )
    np.testing.assert_array_equal(found.contains(truth.mask[150:].argmax(axis=1)), inside)
    np.testing.assert_array_equal(found.join(found)[:50].radius, found.radius)
    everything = made.predict_set(X[150:], confidence_level=0.999)
    assert everything.is_unlabelled.all()
    with pytest.raises(ValueError, match=r"Add conformal_scores\(\) to Compass"):
        found.argmin(np.zeros((50, 3)))


def test_sets_of_class_names_are_compared_with_names(rng):
    """The true labels are names, as in y; a name that fit has not seen is in no set."""
    names = np.array(["low", "mid", "top"])
    x = rng.uniform(0, 3, (200, 1))
    truth = names[x[:, 0].astype(int)]
    found = Conformal(PartialClassifier(), confidence_level=0.8).fit(x[:120], truth[:120]).predict_set(x[120:])
    places = np.searchsorted(names, truth[120:])
    np.testing.assert_array_equal(found.contains(truth[120:]), found.contains(places))
    assert found.contains(truth[120:]).mean() > 0.6
    assert not found.contains(np.full(80, "other")).any()
