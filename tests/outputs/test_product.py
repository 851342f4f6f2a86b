"""Several outputs per row: importance, containers of y, coupled disambiguation and errors."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from infimum import Chunks, Disambiguation, InputError, PartialClassifier, PartialEstimator, PartialMultiOutput
from infimum.active import from_dict
from infimum.conformal import Conformal
from infimum.disambiguation import coupled
from infimum.io import read_table
from infimum.outputs import Labels, Product, Reals, Tags
from infimum.outputs.product.questions import OfOutput
from infimum.weights import KernelRidge, LinearRidge, Scaled

X = np.array([[0.0], [0.1], [0.2], [0.8], [0.9], [1.0]])
Y = {"species": ["cat", "cat|dog", None, "dog", "cat|dog", "dog"], "weight": [4, (3, 5), 4.0, 20, None, (18, 25)]}
KINDS = {"species": "labels", "weight": "number"}


def test_default_importance_is_one_over_the_mean_loss_between_rows():
    species, weight = ["a", "a", "b", "c"], [0.0, 1.0, 3.0, 7.0]
    space = Product(KINDS).fit({"species": species, "weight": weight})
    different = np.mean([a != b for a in species for b in species])
    apart = np.mean([(a - b) ** 2 for a in weight for b in weight])
    np.testing.assert_allclose(space.importance_, [1 / different, 1 / apart])
    rescaled = Product(KINDS).fit({"species": species, "weight": [1000 * value for value in weight]})
    np.testing.assert_allclose(rescaled.importance_, [1 / different, 1e-6 / apart])


def test_all_containers_give_the_same_sets():
    frame = pd.DataFrame({"weight": Y["weight"], "species": Y["species"]})
    records = [dict(zip(Y, row)) for row in zip(*Y.values())]
    texts = {"species": Y["species"], "weight": ["4", "[3,5]", "4.0", "20", None, "[18,25]"]}
    space = Product(KINDS).fit(Y)
    expected = space.format_sets(space.read(Y))
    array = np.array(list(zip(*Y.values())), dtype=object)
    as_text = PartialMultiOutput(KINDS, weights=KernelRidge()).fit(X, pd.DataFrame(texts)).predict(X)
    assert as_text["weight"].dtype == float
    for y in (frame, records, texts, pl.DataFrame(texts), array, space.read(Y)):
        own = Product(KINDS).fit(y)
        assert own.format_sets(own.read(y)) == expected
        np.testing.assert_allclose(own.importance_, space.importance_)
    cells = space.to_cells(space.read(Y))
    assert space.format_sets(space.read(space.from_cells(cells))) == expected
    assert space.format_sets(space.read(space.from_cells(space.text_to_cells(space.cells_to_text(cells))))) == expected


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ({"species": ["cat"]}, r"Missing: 'weight'"),
        ({"species": ["cat"], "weight": [1], "price": [2]}, r"Unknown: 'price'.*Drop them, or add"),
        ({"species": ["cat"], "weight": [1, 2]}, r"same number of rows. Got \{'species': 1, 'weight': 2\}"),
        ([{"species": "cat", "weigth": 3}], r"no output 'weigth'"),
        ([1, 2], r"one column per output \('species', 'weight'\)"),
    ],
)
def test_wrong_columns_are_named(y, message):
    with pytest.raises(InputError, match=message):
        Product(KINDS).fit(y)


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (Product(), r"PartialMultiOutput\(\{'species': 'labels', 'weight': 'number'\}\) or Product"),
        (Product(species="label"), r"The output 'species' must be an OutputSpace or one of 'labels', 'tags'"),
        (Product(KINDS, {"species": 0.0}), r"importance must map outputs \('species', 'weight'\) to positive numbers"),
        (Product(KINDS, {"wieght": 1.0}), r"importance must map outputs"),
    ],
)
def test_wrong_settings_are_named(space, message):
    with pytest.raises(ValueError, match=message):
        space.fit(Y)


def test_predicts_a_frame_with_the_types_of_y():
    frame = pd.DataFrame({
        "species": pd.Categorical(["cat", "cat", "cat", "dog", "dog", "dog"]),
        "tame": pd.array([True, True, None, False, False, False], dtype="boolean"),
        "weight": np.array([4, 3, 4, 20, 21, 19], dtype=np.float32),
    })  # fmt: skip
    spaces = {"species": Labels(), "tame": Labels(), "weight": Reals()}
    model = PartialMultiOutput(spaces, weights=KernelRidge()).fit(X, frame)
    found = model.predict(X)
    assert found.dtypes.astype(str).to_dict() == {"species": "category", "tame": "boolean", "weight": "float32"}
    assert found["species"].tolist() == ["cat"] * 3 + ["dog"] * 3
    assert isinstance(PartialMultiOutput(KINDS).fit(X, pl.DataFrame({"species": Y["species"]}).with_columns(
        weight=pl.Series([4.0, 3.0, 4.0, 20.0, 21.0, 19.0]))).predict(X), pl.DataFrame)  # fmt: skip
    assert model.scores(X, frame)["species"] == 1
    assert model.score(X, frame) == pytest.approx(np.mean(list(model.scores(X, frame).values())))


def test_labels_that_are_not_numbers_have_cells():
    tags = ["+red -round", "+red", None, "-red +round", "+round", "-red"]
    y = {"tags": tags, "order": ["a>b"] * 3 + ["b>a"] * 3}
    model = PartialMultiOutput({"tags": "tags", "order": "ranking"}, max_search_time=2).fit(X, y)
    found = model.predict(X[:1])
    assert found["tags"][0] == {"red": True, "round": False}
    assert found["order"][0] == ["a", "b"]
    sets = model.output_.read(y)
    again = Product({"tags": Tags(), "order": "ranking"}).fit(sets)  # parsed sets keep the names of tags
    assert again.format_sets(again.read(sets))[0] == "tags: +red −round, order: a > b"


def noisy_iris(seed):
    """Sepals as inputs, the petal length up to a little, and candidate sets that contain most wrong species."""
    features, species = load_iris(return_X_y=True)
    rng = np.random.default_rng(seed)
    mask = rng.random((150, 3)) < 0.6
    mask[np.arange(150), species] = True
    petal = features[:, 2]
    y = {"species": [set(np.flatnonzero(row).tolist()) for row in mask],
         "petal": [(p - a, p + b) for p, a, b in zip(petal, *rng.uniform(0, 0.3, (2, 150)))]}  # fmt: skip
    return features[:, :2], species, y


def recovered(y, features, species, kinds):
    parts = {"principle": Disambiguation(threshold=None), "weights": Scaled(KernelRidge(lam=1e-2))}
    model = PartialEstimator(Product(kinds), **parts)
    return np.mean(model.fit(features, y).labels_["species"].to_numpy() == species)


def test_a_known_output_helps_another(monkeypatch):
    """A known petal length makes the species of a row more certain; without coupling it does not."""
    kinds = {"species": "labels", "petal": "number"}
    coupled_share, alone = [], []
    for seed in range(3):
        features, species, y = noisy_iris(seed)
        coupled_share.append(recovered(y, features, species, kinds))
        with monkeypatch.context() as patch:
            patch.setattr(coupled, "PRIOR_ROWS", 1e12)
            alone.append(recovered(y, features, species, kinds))
    assert np.mean(coupled_share) > np.mean(alone) + 0.03


def test_independent_outputs_do_not_influence_each_other():
    """With noise as the second output, the labels of the first one are those without it."""
    features, species, y = noisy_iris(0)
    noise = np.random.default_rng(1).normal(size=150)
    alone = PartialClassifier(principle=Disambiguation(threshold=None), weights=Scaled(KernelRidge(lam=1e-2)))
    own = np.mean(alone.fit(features, y["species"]).labels_ == species)
    both = recovered({**y, "petal": noise}, features, species, {"species": "labels", "petal": "number"})
    assert abs(both - own) < 0.05


def test_chunks_give_the_same_model_as_arrays():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(60, 2))
    y = {"species": np.where(features[:, 0] > 0, "cat", "dog").tolist(), "weight": (features @ [1, 2]).tolist()}
    chunks = Chunks(lambda: (
        (features[k : k + 20], {name: column[k : k + 20] for name, column in y.items()}) for k in range(0, 60, 20)
    ))  # fmt: skip
    parts = {"principle": "infimum", "negative_weights": "inside", "weights": LinearRidge(lam=0.1)}
    model = PartialMultiOutput(KINDS, {"species": 1.0, "weight": 1.0}, **parts)
    a, b = clone(model).fit(features, y), clone(model).fit(chunks)
    pd.testing.assert_frame_equal(a.predict(features), b.predict(features))


def test_questions_are_about_one_output_and_survive_json():
    space = Product(KINDS).fit(Y)
    sets = space.read(Y)
    question = from_dict({"type": "OfOutput", "row": 1, "about": {
        "output": "species", "question": {"type": "Is", "row": 1, "about": "cat"}}}, space)  # fmt: skip
    assert isinstance(question, OfOutput)
    assert question.text() == "species: Is it cat?"
    answered = question.apply_answer(sets, False)
    assert space.format_sets(answered)[1] == "species: dog, weight: [3, 5]"
    assert from_dict(question.as_dict(), space) == question
    assert space.format_sets(question.consistent_set(True)) == ["species: cat, weight: anything"]


def test_prediction_sets_are_products():
    features, _, y = noisy_iris(2)
    model = PartialMultiOutput({"species": "labels", "petal": "number"}, weights=Scaled(KernelRidge()))
    found = Conformal(model, confidence_level=0.9, covers="set", random_state=0).fit(features, y)
    sets = pickle.loads(pickle.dumps(found)).predict_set(features)
    assert set(sets.parts) == {"species", "petal"}
    assert np.mean(sets.meets(model.output_space(y).read(y))) > 0.85
    assert np.isfinite(sets.parts["petal"].size).all()


def test_several_columns_of_a_file_are_the_outputs(tmp_path):
    path = tmp_path / "animals.csv"
    rows = zip(["4", "[3,5]", "", "20", ">=18", "25"], ["cat", "cat|dog", "", "dog", "", "!cat"])
    path.write_text("size,weight,species\n" + "".join(f"{k},\"{w}\",{s}\n" for k, (w, s) in enumerate(rows)))
    found = read_table(path, ["weight", "species"], kind="product")
    space = Product(weight="number", species="labels")
    y = space.from_cells(space.text_to_cells(found.y))
    assert found.y[2] is None
    assert space.fit(y).format_sets(space.read(y))[1:5] == [
        "weight: [3, 5], species: anything", "anything", "weight: 20, species: dog", "weight: ≥ 18, species: anything"
    ]  # fmt: skip
    guessed = Product.for_cells(found.y)
    assert {name: type(own).kind for name, own in guessed.parts.items()} == {"weight": "number", "species": "labels"}
