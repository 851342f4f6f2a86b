"""Data sets as scikit-learn Bunches of NumPy arrays."""

import json
import os
from collections.abc import Callable
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

_CAR = {
    "buying": ["low", "med", "high", "vhigh"],
    "maint": ["low", "med", "high", "vhigh"],
    "doors": ["2", "3", "4", "5more"],
    "persons": ["2", "4", "more"],
    "lug_boot": ["small", "med", "big"],
    "safety": ["low", "med", "high"],
    "class": ["unacc", "acc", "good", "vgood"],
}
"""The values of each column of car, in their order."""


def load(
    name: str, *, subset: str | None = None, data_home: str | os.PathLike | None = None, download: bool = True
) -> Bunch:
    """Load a data set.

    Parameters
    ----------
    name : str
        ``"collection/name"``, one of `list_datasets()`.
    subset : {"train", "test", "all"}, optional
        For data sets with a test part, which are those of MULAN and dna of LIBSVM. By default the parts that the paper
        uses: all of MULAN, and the 2000 training rows of dna.
    data_home : path, optional
        The data folder; see `fetch`.
    download : bool, default True
        Whether to download missing files.

    Returns
    -------
    Bunch
        `DESCR`, its source and its terms, and arrays. `data` is (n, d), unscaled except for LIBSVM.

        - ``libsvm/…``: `target` (n,), integers as in the file.
        - ``mulan/…``: `target` (n, m) in {-1, 1}, `feature_names`, `target_names`.
        - ``partial-labels/…``: `candidates` (n, m), booleans that include the true class; `target` (n,), the true
          class, 0 … m - 1.
        - ``label-ranking/…``: `target` (n, m), the rank of each label, 1 = first.
        - ``intervals/…``: `target` (n, 2), lower and upper bounds with ±inf; `folds` (n,), the given folds 1 … 5;
          `feature_names`.
        - ``ordinal/car``: `data`, the rank of each value in the order of its feature; `target` (n,) in 0 … 3 for
          unacc < acc < good < vgood; `feature_names`, `target_names`.
        - ``linear-ordering/…``: `matrix` W (m, m) and `optimum`, the largest sum of W[i, j] over pairs with i before j.

    References
    ----------
    Chang and Lin (2011), LIBSVM: a library for support vector machines.
    Tsoumakas et al. (2011), MULAN: a Java library for multi-label learning.
    Cour, Sapp and Taskar (2011), Learning from partial labels.
    Liu and Dietterich (2012), A conditional multinomial mixture model for superset label learning.
    Cheng, Hühn and Hüllermeier (2009), Decision tree and instance-based learning for label ranking.
    Drouin, Hocking and Laviolette (2017), Maximum margin interval trees.
    Bohanec (1997), Car evaluation, UCI machine learning repository.
    Martí and Reinelt (2011), The linear ordering problem.

    Examples
    --------
    >>> from infimum.datasets import load
    >>> load("mulan/scene", data_home="/nowhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    FileNotFoundError: mulan/scene: the file scene-train.arff is not at /nowhere/mulan/scene-train.arff. ...
    """
    paths = fetch(name, data_home, download=download)
    collection, _, short = name.partition("/")
    if collection in ("libsvm", "mulan"):
        paths = _parts(collection, short, paths, subset)
    elif subset is not None:
        raise ValueError(f"{name} has no parts: subset must be None. Got {subset!r}.")
    entry = REGISTRY[name]
    about = f"{short} ({collection}). Home: {entry.home}. Terms: {entry.licence}."
    return Bunch(**_READERS[collection](short, *paths), DESCR=about)


def _parts(collection: str, name: str, paths: tuple[Path, ...], subset: str | None) -> tuple[Path, ...]:
    """Return the files of a subset, and those that belong to every subset."""
    parts = dict(zip(("train", "test"), paths))
    subset = subset or ("train" if collection == "libsvm" else "all")
    wanted = list(parts) if subset == "all" else [subset]
    if not set(wanted) <= set(parts):
        raise ValueError(f"subset of {name} must be one of {[*parts, 'all']}. Got {subset!r}.")
    return *(parts[part] for part in wanted), *paths[2:]


def _libsvm(name: str, *paths: Path) -> dict[str, Any]:
    X, y = zip(*(load_svmlight_file(path, dtype=np.float64) for path in paths))
    return {"data": np.vstack([x.toarray() for x in X]), "target": np.concatenate(y).astype(np.int64)}


def _mulan(name: str, *paths: Path) -> dict[str, Any]:
    *tables, labels = paths
    tags = [label.attrib["name"] for label in ElementTree.parse(labels).getroot()]
    rows, meta = zip(*(arff.loadarff(path) for path in tables))
    features = [column for column in meta[0].names() if column not in tags]
    table = np.concatenate(rows)
    X = np.column_stack([table[column] for column in features])
    Y = np.column_stack([np.where(table[tag] == b"1", 1, -1) for tag in tags])
    return {"data": X, "target": Y, "feature_names": features, "target_names": tags}


def _partial_labels(name: str, path: Path) -> dict[str, Any]:
    content = loadmat(path)
    # The files keep one column per example, sparse; csc_array takes dense matrices as well.
    candidates, truth = (csc_array(content[key]).toarray().T for key in ("partial_target", "target"))
    return {"data": content["data"], "candidates": candidates != 0, "target": truth.argmax(axis=1)}


def _label_ranking(name: str, path: Path) -> dict[str, Any]:
    columns, table = _read_csv(path)
    ranks = np.array([column.startswith("L") for column in columns])
    return {"data": table[:, ~ranks], "target": table[:, ranks].astype(np.int64)}


def _linear_ordering(name: str, path: Path, optima: Path) -> dict[str, Any]:
    size, *entries = path.read_text("ascii").split()
    matrix = np.array(entries, dtype=np.int64).reshape(int(size), int(size))
    return {"matrix": matrix, "optimum": json.loads(optima.read_text("utf-8"))[name]}


def _intervals(name: str, features: Path, targets: Path, folds: Path) -> dict[str, Any]:
    columns, X = _read_csv(features)
    fold = _read_csv(folds)[1][:, 0].astype(np.int64)
    return {"data": X, "target": _read_csv(targets)[1], "folds": fold, "feature_names": columns}


def _ordinal(name: str, path: Path) -> dict[str, Any]:
    table = np.loadtxt(path, dtype=str, delimiter=",")
    codes = OrdinalEncoder(categories=list(_CAR.values())).fit_transform(table)
    *features, target = _CAR
    names = {"feature_names": features, "target_names": _CAR[target]}
    return {"data": codes[:, :-1], "target": codes[:, -1].astype(np.int64), **names}


def _read_csv(path: Path) -> tuple[list[str], NDArray]:
    """Return the header and the (n, columns) numbers of a file with one header line."""
    with path.open(encoding="utf-8") as lines:
        header = next(lines).rstrip("\n").split(",")
        return header, np.loadtxt(lines, delimiter=",", comments=None, ndmin=2)


_READERS: dict[str, Callable[..., dict[str, Any]]] = {
    "libsvm": _libsvm, "mulan": _mulan, "partial-labels": _partial_labels, "label-ranking": _label_ranking,
    "linear-ordering": _linear_ordering, "intervals": _intervals, "ordinal": _ordinal,
}  # fmt: skip
"""How the files of a collection become arrays."""
