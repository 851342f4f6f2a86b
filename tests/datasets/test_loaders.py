"""Loaders on tiny files in the format of each collection: what needs no data folder."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_matrix

from infimum import datasets
from infimum.datasets import _fetch
from infimum.datasets._registry import REGISTRY


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A data folder whose files are the registered ones, whatever is written there."""

    class AsWritten(dict):
        def __missing__(self, file: str) -> str:
            return hashlib.sha256((tmp_path / file).read_bytes()).hexdigest()

    monkeypatch.setattr(_fetch, "checksums", AsWritten)
    for folder in {Path(file).parent for entry in REGISTRY.values() for file in entry.files}:
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    return tmp_path


def test_libsvm(home):
    (home / "libsvm" / "dna.scale").write_text("3 1:0.5 3:-1\n1 2:2\n")
    (home / "libsvm" / "dna.scale.t").write_text("2 3:4\n")
    bunch = datasets.load("libsvm/dna", data_home=home)
    assert bunch.data.tolist() == [[0.5, 0, -1], [0, 2, 0]]
    assert bunch.target.tolist() == [3, 1]
    assert bunch.DESCR.startswith("dna (libsvm). Home: https://www.csie.ntu.edu.tw/")
    assert datasets.load("libsvm/dna", subset="test", data_home=home).data.tolist() == [[0, 0, 4]]
    assert datasets.load("libsvm/dna", subset="all", data_home=home).target.tolist() == [3, 1, 2]


def test_mulan(home):
    columns = ("a numeric", "Beach {0,1}", "b numeric", "Sea {0,1}")
    head = "@relation r\n" + "".join(f"@attribute {column}\n" for column in columns) + "@data\n"
    (home / "mulan" / "scene-train.arff").write_text(head + "0.5,1,-2,0\n")
    (home / "mulan" / "scene-test.arff").write_text(head + "7,0,8,1\n")
    (home / "mulan" / "scene.xml").write_text('<labels><label name="Sea"/><label name="Beach"/></labels>')
    bunch = datasets.load("mulan/scene", data_home=home)
    assert bunch.data.tolist() == [[0.5, -2], [7, 8]]
    assert bunch.target.tolist() == [[-1, 1], [1, -1]]  # the tags in the order of the labels file
    assert bunch.feature_names == ["a", "b"]
    assert bunch.target_names == ["Sea", "Beach"]
    assert datasets.load("mulan/scene", subset="test", data_home=home).data.tolist() == [[7, 8]]
    with pytest.raises(ValueError, match=r"subset of scene must be one of \['train', 'test', 'all'\]. Got 'dev'"):
        datasets.load("mulan/scene", subset="dev", data_home=home)


@pytest.mark.parametrize("kind", [np.asarray, csc_matrix])
def test_partial_labels(home, kind):
    content = {"partial_target": kind([[1.0, 0], [1, 1], [0, 1]]), "target": kind([[1.0, 0], [0, 0], [0, 1]])}
    savemat(home / "partial-labels" / "lost.mat", content | {"data": [[1.0, 2], [3, 4]]})
    bunch = datasets.load("partial-labels/lost", data_home=home)
    assert bunch.data.tolist() == [[1, 2], [3, 4]]
    assert bunch.candidates.tolist() == [[True, True, False], [False, True, True]]
    assert bunch.target.tolist() == [0, 2]


def test_label_ranking(home):
    (home / "label-ranking" / "iris.csv").write_text("A1,A2,L1,L2,L3\n0.1,0.2,3,1,2\n-1,5,1,2,3\n")
    bunch = datasets.load("label-ranking/iris", data_home=home)
    assert bunch.data.tolist() == [[0.1, 0.2], [-1, 5]]
    assert bunch.target.tolist() == [[3, 1, 2], [1, 2, 3]]


def test_linear_ordering(home):
    (home / "linear-ordering" / "usa79").write_text("2\n0 5\n3 0\n")
    (home / "linear-ordering" / "optima.json").write_text(json.dumps({"usa79": 5}))
    bunch = datasets.load("linear-ordering/usa79", data_home=home)
    assert bunch.matrix.tolist() == [[0, 5], [3, 0]]
    assert bunch.optimum == 5


def test_intervals(home):
    folder = home / "intervals" / "neuroblastoma.bac"
    (folder / "features.csv").write_text("u,v#2\n1,2\n3,4\n")
    (folder / "targets.csv").write_text("lower,upper\n-inf,1.5\n2,Inf\n")
    (folder / "folds.csv").write_text("fold\n1\n5\n")
    bunch = datasets.load("intervals/neuroblastoma.bac", data_home=home)
    assert bunch.data.tolist() == [[1, 2], [3, 4]]
    assert bunch.target.tolist() == [[-np.inf, 1.5], [2, np.inf]]
    assert bunch.folds.tolist() == [1, 5]
    assert bunch.feature_names == ["u", "v#2"]


def test_ordinal(home):
    (home / "ordinal" / "car.data").write_text("vhigh,low,2,more,big,low,unacc\nlow,med,5more,4,small,high,vgood\n")
    bunch = datasets.load("ordinal/car", data_home=home)
    assert bunch.data.tolist() == [[3, 0, 0, 2, 2, 0], [0, 1, 3, 1, 0, 2]]
    assert bunch.target.tolist() == [0, 3]
    assert bunch.target_names == ["unacc", "acc", "good", "vgood"]
