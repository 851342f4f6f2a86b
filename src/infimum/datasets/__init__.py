"""Data sets with partial labels, and functions that make partial labels from exact ones."""

from ._fetch import data_folder, fetch
from ._registry import list_datasets
from .corruptions import (
    hamming_ball,
    lose_labels,
    lose_pairs,
    lose_pairs_at_random,
    lose_tags,
    make_lost_sign,
    skewed,
    uniform,
)
from .loaders import load
from .tables import example_file

__all__ = [
    "data_folder",
    "example_file",
    "fetch",
    "hamming_ball",
    "list_datasets",
    "load",
    "lose_labels",
    "lose_pairs",
    "lose_pairs_at_random",
    "lose_tags",
    "make_lost_sign",
    "skewed",
    "uniform",
]
