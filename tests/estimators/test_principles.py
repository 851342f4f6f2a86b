"""Principles as objects: parsing, and a principle of one's own in all parts of the library."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from infimum import PartialClassifier, PartialRanker, PartialSearch, SetLoss, outputs, weights
from infimum.loss import Average, Infimum, Principle, Supremum, as_principle, doubled
from infimum.recipe import Recipe
from infimum.selection import left_out_scores
from infimum.solvers import Alternate, Enumerate


class Hurwicz(Principle):
    """A compromise between the closest and the farthest member of the set."""

    name = "hurwicz"
    alternates = True

    def __init__(self, optimism=0.5):
        self.optimism = optimism

    def loss(self, sets, psi):
        return self.optimism * Infimum().loss(sets, psi) + (1 - self.optimism) * Supremum().loss(sets, psi)

    def attaining(self, sets, psi):
        return self.optimism * Infimum().attaining(sets, psi) + (1 - self.optimism) * Supremum().attaining(sets, psi)


class SignedHurwicz(Hurwicz):
    def opposite(self):
        return SignedHurwicz(1 - self.optimism)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    truth = np.arange(60) % 3
    X = 3 * np.eye(3)[truth] + 0.5 * rng.standard_normal((60, 3))
    return X, truth, np.eye(3, dtype=bool)[truth] | (rng.random((60, 3)) < 0.3)


def test_as_principle_parses_names_and_keeps_objects():
    assert [type(as_principle(name)) for name in ("infimum", "average", "supremum")] == [Infimum, Average, Supremum]
    own = Hurwicz(0.3)
    assert as_principle(own) is own
    with pytest.raises(ValueError, match="principle must be one of 'infimum', 'average', 'supremum', or a Principle"):
        as_principle("median")


def test_recipe_holds_objects():
    recipe = Recipe("disambiguation")
    assert recipe.disambiguation is recipe.principle
    assert isinstance(recipe.weights, weights.KernelRidge)
    assert Recipe("infimum").disambiguation is None
    assert not Recipe("auto").is_complete
    assert Recipe("infimum", "joint").is_joint
    assert not Recipe("average", "joint").is_joint


def test_own_principle_is_a_mean_of_the_closest_and_the_farthest_member():
    space = outputs.Labels("ordinal", classes=[0, 1, 2, 3]).fit([])
    sets = space.read([{0, 1}, {3}, {1, 2, 3}])
    z = space.outputs()
    best, worst = (SetLoss(space, sets, name)(z) for name in ("infimum", "supremum"))
    L = SetLoss(space, sets, Hurwicz(0.75))
    np.testing.assert_allclose(L(z), 0.75 * best + 0.25 * worst)
    np.testing.assert_allclose(L.rowwise_loss(z[:3]), np.diag(L(z[:3])))
    np.testing.assert_allclose(L.table(z), L(z).T)


def test_own_principle_is_selected_for_and_predicts(data):
    X, truth, mask = data
    model = PartialClassifier(principle=Hurwicz(0.9)).fit(X, mask)
    assert np.mean(model.predict(X) == truth) > 0.9
    assert {one.principle for one in model.selection_.results} == {"hurwicz"}
    assert {one.negative_weights for one in model.selection_.results} == {"inside"}
    assert isinstance(model.solver_, Enumerate)
    assert model.explain(X[0]).margin > 0
    assert left_out_scores(model, X, mask, cv=3)["covering_rate"] > 0.8
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert clone(model).principle.optimism == 0.9
    search = PartialSearch(PartialClassifier(principle=Hurwicz(0.9)), gammas=[1.0]).fit(X, mask)
    assert set(search.cv_results_["param_principle"]) == {"hurwicz"}


@pytest.mark.filterwarnings("ignore:.*did not converge")  # alternation over a largest loss may cycle
def test_own_principle_with_answers_alternates():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 2))
    y = ["a>b>c" if x < 0 else "c>a" for x in X[:, 0]]
    model = PartialRanker.paper(principle=Hurwicz(0.8), solver=Alternate()).fit(X, y)
    exact = PartialRanker.paper(principle=Hurwicz(0.8), solver=Enumerate()).fit(X, y)
    found = model.minimum(X)
    assert np.isneginf(found.bound).all()
    assert (found.value >= exact.minimum(X).value - 1e-9).all()
    assert np.median(found.value - exact.minimum(X).value) < 1e-9


def test_joint_loss_needs_an_opposite(data):
    X, _, mask = data
    with pytest.raises(ValueError, match=r"Hurwicz\(\) has no opposite, which negative_weights='joint' needs"):
        PartialClassifier(principle=Hurwicz(), negative_weights="joint", weights="kernel").fit(X, mask)
    model = PartialClassifier(principle=SignedHurwicz(0.8), negative_weights="joint", weights="kernel").fit(X, mask)
    assert len(model.predict(X)) == 60
    space = outputs.Labels().fit(mask)
    terms = doubled(SetLoss(space, space.read(mask), SignedHurwicz(0.8))).terms
    assert [term.principle.optimism for term in terms] == pytest.approx([0.8, 0.2])


@pytest.mark.parametrize("model", [PartialRanker, PartialClassifier])
def test_a_share_of_wrong_labels_is_estimated_whatever_is_selected(model, rng):
    X = rng.standard_normal((40, 2))
    y = ["a>b>c" if x > 0 else "c>b" for x in X[:, 0]] if model is PartialRanker else (X[:, 0] > 0).astype(int)
    fitted = model(noise="estimate").fit(X, y)
    assert {one.principle for one in fitted.selection_.results} == {"disambiguation"}
    assert 0 <= fitted.noise_.share < 0.2
    with pytest.raises(ValueError, match=r"noise requires disambiguation\. Got noise=0\.1 and principle='infimum'"):
        model(noise=0.1, principle="infimum").fit(X, y)
