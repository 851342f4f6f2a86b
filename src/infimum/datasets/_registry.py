"""The data sets: their files in the data folder, their public addresses and their licences.

The checksums are in ``registry.sha256`` beside this file, in the format of the coreutils, so that a data folder can
also be checked without Python, from inside it: ``sha256sum -c --ignore-missing <this folder>/registry.sha256``.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath


@dataclass(frozen=True)
class DatasetEntry:
    """One data set.

    Attributes
    ----------
    files : tuple of str
        Paths relative to the data folder.
    home : str
        The page where people find the data.
    licence : str
    base : str or None
        Public folder that contains the files under their own names. None if there is no stable address or only an
        archive, so the files must be downloaded by hand.
    """

    files: tuple[str, ...]
    home: str
    licence: str
    base: str | None = None

    def url(self, file: str) -> str | None:
        return None if self.base is None else self.base + PurePosixPath(file).name


def _libsvm(*names: str, licence: str) -> DatasetEntry:
    root = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/"
    return DatasetEntry(tuple(f"libsvm/{name}" for name in names), root, licence, root + "multiclass/")


def _mulan(name: str) -> DatasetEntry:
    parts = tuple(f"mulan/{name}{end}" for end in ("-train.arff", "-test.arff", ".xml"))
    home = "https://mulan.sourceforge.net/datasets-mlc.html"
    return DatasetEntry(parts, home, "MULAN; for research, cite Tsoumakas et al. (2011)")


def _partial_labels(name: str, cite: str) -> DatasetEntry:
    home = "https://palm.seu.edu.cn/zhangml/Resources.htm#partial_data"
    return DatasetEntry((f"partial-labels/{name}.mat",), home, f"academic use; cite {cite}")


def _label_ranking(name: str, folder: str) -> DatasetEntry:
    home = "https://github.com/alfaro96/scikit-lr"
    base = f"https://raw.githubusercontent.com/alfaro96/scikit-lr/{folder}/datasets/data/label_ranking/ranks/"
    return DatasetEntry((f"label-ranking/{name}.csv",), home, "MIT (scikit-lr)", base)


def _intervals(name: str) -> DatasetEntry:
    parts = tuple(f"intervals/{name}/{part}.csv" for part in ("features", "targets", "folds"))
    return DatasetEntry(parts, "https://github.com/aldro61/mmit-data", "cite Drouin, Hocking and Laviolette (2017)")


def _linear_ordering(name: str) -> DatasetEntry:
    home = "http://www.optsicom.es/lolib"
    parts = (f"linear-ordering/{name}", "linear-ordering/optima.json")
    return DatasetEntry(parts, home, "LOLIB; cite Martí and Reinelt (2011)")


_UCI = "CC BY 4.0 (UCI)"
# The two commits of scikit-lr at which the ranks were last kept as plain columns A1, ..., L1, ...
_OLD, _NEW = "e6110c5e09317cfb035b01b594aa44d917a594f4/plr", "7ae59de9712bb1cafea1e9fc221fbbc47d94eb28/sklr"
_LOLIB = [
    "be75eec", "be75np", "stabu70", "stabu74", "t59b11xx", "t65b11xx", "t65d11xx", "t69r11xx", "t70b11xx", "t74d11xx",
    "t75d11xx", "tiw56n54", "tiw56r54", "usa79",
]  # fmt: skip

REGISTRY: dict[str, DatasetEntry] = {
    "libsvm/dna": _libsvm("dna.scale", "dna.scale.t", licence=_UCI),
    "libsvm/svmguide2": _libsvm("svmguide2", licence="LIBSVM; cite Hsu, Chang and Lin (2003)"),
    "libsvm/segment": _libsvm("segment.scale", licence=_UCI),
    "libsvm/vowel": _libsvm("vowel.scale", licence=_UCI),
    "mulan/scene": _mulan("scene"),
    "mulan/emotions": _mulan("emotions"),
    "partial-labels/lost": _partial_labels("lost", "Cour, Sapp and Taskar (2011)"),
    "partial-labels/MSRCv2": _partial_labels("MSRCv2", "Liu and Dietterich (2012)"),
    **{f"label-ranking/{name}": _label_ranking(name, _OLD) for name in ("bodyfat", "glass", "housing", "wine")},
    **{f"label-ranking/{name}": _label_ranking(name, _NEW) for name in ("iris", "vehicle", "vowel")},
    **{f"linear-ordering/{name}": _linear_ordering(name) for name in _LOLIB},
    "intervals/H3K4me3_TDH_immune_FPOP": _intervals("H3K4me3_TDH_immune_FPOP"),
    "intervals/neuroblastoma.bac": _intervals("neuroblastoma.bac"),
    "ordinal/car": DatasetEntry(
        ("ordinal/car.data",),
        "https://archive.ics.uci.edu/dataset/19/car+evaluation",
        _UCI,
        "https://archive.ics.uci.edu/ml/machine-learning-databases/car/",
    ),
}


@cache
def checksums() -> dict[str, str]:
    """Return the SHA-256 of each file, by its path in the data folder."""
    lines = (files(__package__) / "registry.sha256").read_text("ascii").splitlines()
    return {path: digest for digest, path in (line.split(maxsplit=1) for line in lines)}


def list_datasets(collection: str | None = None) -> list[str]:
    """Return the names of all data sets, or of one collection.

    Parameters
    ----------
    collection : str, optional
        The part of the names before the slash.

    Examples
    --------
    >>> from infimum.datasets import list_datasets
    >>> list_datasets("mulan")
    ['mulan/emotions', 'mulan/scene']
    """
    return sorted(name for name in REGISTRY if collection is None or name.split("/")[0] == collection)
