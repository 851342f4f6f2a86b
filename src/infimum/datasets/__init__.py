"""Data sets with partial labels, and functions that make partial labels from exact ones."""

from ._fetch import data_folder, fetch
from ._registry import names
from .corruptions import (
    hamming_ball,
    lose_labels,
    lose_pairs,
    lose_pairs_at_random,
    lose_sign,
    lose_tags,
    make_lost_sign,
    skewed,
    uniform,
)
from .loaders import (
    load_intervals,
    load_label_ranking,
    load_libsvm,
    load_linear_ordering,
    load_mulan,
    load_ordinal,
    load_partial_labels,
)
from .tables import example_file

__all__ = [
    "data_folder",
    "example_file",
    "fetch",
    "hamming_ball",
    "load_intervals",
    "load_label_ranking",
    "load_libsvm",
    "load_linear_ordering",
    "load_mulan",
    "load_ordinal",
    "load_partial_labels",
    "lose_labels",
    "lose_pairs",
    "lose_pairs_at_random",
    "lose_sign",
    "lose_tags",
    "make_lost_sign",
    "names",
    "skewed",
    "uniform",
]
