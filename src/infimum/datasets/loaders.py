"""Loaders of data sets, which return scikit-learn Bunches of NumPy arrays."""

import json
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
from scipy.io import arff, loadmat
from scipy.sparse import csc_array
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import OrdinalEncoder
from sklearn.utils import Bunch

from ._fetch import fetch
from ._registry import REGISTRY

PathLike = str | os.PathLike | None


def load_libsvm(name: str, *, subset: str = "train", data_home: PathLike = None, download: bool = True) -> Bunch:
    """Load a scaled classification data set of LIBSVM: ``dna``, ``svmguide2``, ``segment`` or ``vowel``.

    Parameters
    ----------
    name : str
        Name of the data set.
    subset : {"train", "test", "all"}, default="train"
        Only dna has a test part. The paper uses the training part, 2000 rows.
    data_home : path, optional
        The data folder; see `fetch`.
    download : bool, default True
        Whether to download missing files.

    Returns
    -------
    Bunch
        `data` (n, d), `target` (n,) integers as in the file.

    References
    ----------
    Chang and Lin (2011), LIBSVM: a library for support vector machines; App. B.1.3 of the paper.
    """
    paths = _paths("libsvm", name, data_home, download)
    parts = dict(zip(("train", "test"), paths))
    wanted = list(parts) if subset == "all" else [subset]
    if not set(wanted) <= set(parts):
        raise ValueError(f"subset of {name} must be one of {[*parts, 'all']}, got {subset!r}")
    arrays = [load_svmlight_file(parts[part], dtype=np.float64) for part in wanted]
    X = np.vstack([x.toarray() for x, _ in arrays])
    y = np.concatenate([y for _, y in arrays]).astype(np.int64)
    return _bunch("libsvm", name, data=X, target=y)


def load_mulan(name: str, *, subset: str = "all", data_home: PathLike = None, download: bool = True) -> Bunch:
    """Load a multi-label data set of MULAN: ``scene`` (2407 × 294, 6 tags) or ``emotions`` (593 × 72, 6 tags).

    Parameters
    ----------
    name : str
        Name of the data set.
    subset : {"train", "test", "all"}, default="all"
        The paper's figure takes both parts of scene together.
    data_home : path, optional
        The data folder; see `fetch`.
    download : bool, default True
        Whether to download missing files.

    Returns
    -------
    Bunch
        `data` (n, d), `target` (n, m) in {-1, 1}, `feature_names`, `target_names`.

    References
    ----------
    Tsoumakas et al. (2011), MULAN: a Java library for multi-label learning; App. B.3.3 of the paper.
    """
    train, test, labels = _paths("mulan", name, data_home, download)
    parts = {"train": [train], "test": [test], "all": [train, test]}
    if subset not in parts:
        raise ValueError(f"subset of {name} must be one of {list(parts)}, got {subset!r}")
    tags = [label.attrib["name"] for label in ElementTree.parse(labels).getroot()]
    rows, meta = zip(*(arff.loadarff(part) for part in parts[subset]))
    features = [column for column in meta[0].names() if column not in tags]
    table = np.concatenate(rows)
    X = np.column_stack([table[column] for column in features])
    Y = np.column_stack([np.where(table[tag] == b"1", 1, -1) for tag in tags])
    return _bunch("mulan", name, data=X, target=Y, feature_names=features, target_names=tags)


def load_partial_labels(name: str, *, data_home: PathLike = None, download: bool = True) -> Bunch:
    """Load real candidate labels: ``lost`` (1122 × 108, 16 classes) or ``MSRCv2`` (1758 × 48, 23 classes).

    Parameters
    ----------
    name : str
        Name of the data set.
    data_home : path, optional
        The data folder; see `fetch`.
    download : bool, default True
        Whether to download missing files.

    Returns
    -------
    Bunch
        `data` (n, d), unscaled; `candidates` (n, m) booleans, which contain the true class; `target` (n,), the true
        class, 0 … m - 1.

    References
    ----------
    Cour, Sapp and Taskar (2011), Learning from partial labels; Liu and Dietterich (2012), A conditional multinomial
    mixture model for superset label learning.
    """
    (path,) = _paths("partial-labels", name, data_home, download)
    content = loadmat(path)
    # The files keep one column per example, sparse; csc_array takes dense matrices as well.
    candidates = csc_array(content["partial_target"]).toarray().T != 0
    target = csc_array(content["target"]).toarray().T.argmax(axis=1)
    return _bunch("partial-labels", name, data=content["data"], candidates=candidates, target=target)


def load_label_ranking(name: str, *, data_home: PathLike = None, download: bool = True) -> Bunch:
    """Load rankings of m labels: ``bodyfat``, ``glass``, ``housing``, ``iris``, ``vehicle``, ``vowel`` or ``wine``.

    Parameters
    ----------
    name : str
        Name of the data set.
    data_home : path, optional
        The data folder; see `fetch`.
    download : bool, default True
        Whether to download missing files.

    Returns
    -------
    Bunch
        `data` (n, d); `target` (n, m), the rank of each label, 1 = first.

    References
    ----------
    Cheng, Hühn and Hüllermeier (2009), Decision tree and instance-based learning for label ranking; files of scikit-lr.
    """
    (path,) = _paths("label-ranking", name, data_home, download)
    columns, table = _read_csv(path)
    ranks = np.array([column.startswith("L") for column in columns])
    return _bunch("label-ranking", name, data=table[:, ~ranks], target=table[:, ranks].astype(np.int64))


def load_linear_ordering(name: str, *, data_home: PathLike = None, download: bool = True) -> Bunch:
    """Load an input-output table of LOLIB and its optimum.

    The optimum is the largest sum of W[i, j] over the pairs with i before j, over all orders.

    Parameters
    ----------
    name : str
        Name of the data set.
    data_home : path, optional
        The data folder; see `fetch`.
    download : bool, default True
        Whether to download missing files.

    Returns
    -------
    Bunch
        `matrix` (m, m) integers; `optimum` int.

    References
    ----------
    Martí and Reinelt (2011), The linear ordering problem: exact and heuristic methods in combinatorial optimization.
    """
    path, optima = _paths("linear-ordering", name, data_home, download)
    size, *entries = path.read_text("ascii").split()
    matrix = np.array(entries, dtype=np.int64).reshape(int(size), int(size))
    return _bunch("linear-ordering", name, matrix=matrix, optimum=json.loads(optima.read_text("utf-8"))[name])


def load_intervals(name: str, *, data_home: PathLike = None, download: bool = True) -> Bunch:
    """Load interval targets: ``neuroblastoma.bac`` (324 × 252) or ``H3K4me3_TDH_immune_FPOP`` (378 × 28).

    Parameters
    ----------
    name : str
        Name of the data set.
    data_home : path, optional
        The data folder; see `fetch`.
    download : bool, default True
        Whether to download missing files.

    Returns
    -------
    Bunch
        `data` (n, d), unscaled; `target` (n, 2), lower and upper bounds with ±inf; `folds` (n,), the given folds 1 … 5;
        `feature_names`.

    References
    ----------
    Drouin, Hocking and Laviolette (2017), Maximum margin interval trees.
    """
    features, targets, folds = _paths("intervals", name, data_home, download)
    columns, X = _read_csv(features)
    return _bunch(
        "intervals", name, data=X, target=_read_csv(targets)[1], folds=_read_csv(folds)[1][:, 0].astype(np.int64),
        feature_names=columns,
    )  # fmt: skip


_CAR = {
    "buying": ["low", "med", "high", "vhigh"],
    "maint": ["low", "med", "high", "vhigh"],
    "doors": ["2", "3", "4", "5more"],
    "persons": ["2", "4", "more"],
    "lug_boot": ["small", "med", "big"],
    "safety": ["low", "med", "high"],
    "class": ["unacc", "acc", "good", "vgood"],
}


def load_ordinal(name: str = "car", *, data_home: PathLike = None, download: bool = True) -> Bunch:
    """Load a data set with ordered classes: ``car`` (1728 × 6), with unacc < acc < good < vgood.

    Parameters
    ----------
    name : str
        Name of the data set.
    data_home : path, optional
        The data folder; see `fetch`.
    download : bool, default True
        Whether to download missing files.

    Returns
    -------
    Bunch
        `data` (n, 6), the rank of each value in the order of its feature; `target` (n,) in 0 … 3; `feature_names`,
        `target_names`.

    References
    ----------
    Bohanec (1997), Car evaluation, UCI machine learning repository.
    """
    (path,) = _paths("ordinal", name, data_home, download)
    table = np.loadtxt(path, dtype=str, delimiter=",")
    codes = OrdinalEncoder(categories=list(_CAR.values())).fit_transform(table)
    return _bunch(
        "ordinal", name, data=codes[:, :-1], target=codes[:, -1].astype(np.int64), feature_names=list(_CAR)[:-1],
        target_names=_CAR["class"],
    )  # fmt: skip


def _paths(collection: str, name: str, data_home: PathLike, download: bool) -> tuple[Path, ...]:
    return fetch(f"{collection}/{name}", data_home, download=download)


def _read_csv(path: Path) -> tuple[list[str], NDArray]:
    """Return the header and the (n, columns) numbers of a file with one header line."""
    with path.open(encoding="utf-8") as lines:
        header = next(lines).rstrip("\n").split(",")
        return header, np.loadtxt(lines, delimiter=",", comments=None, ndmin=2)


def _bunch(collection: str, name: str, **arrays: Any) -> Bunch:
    entry = REGISTRY[f"{collection}/{name}"]
    return Bunch(**arrays, DESCR=f"{name} ({collection}). Home: {entry.home}. Terms: {entry.licence}.")
