"""Data sets with partial labels, and functions that make partial labels from exact ones."""

from ._fetch import data_folder, fetch
from ._registry import list_datasets
from .corruptions import (
    drop_items,
    drop_pairs,
    drop_pairs_at_random,
    drop_tags,
    make_candidate_sets,
    make_hamming_balls,
    make_lost_sign,
)
from .loaders import load
from .tables import example_file

__all__ = [
    "data_folder",
    "drop_items",
    "drop_pairs",
    "drop_pairs_at_random",
    "drop_tags",
    "example_file",
    "fetch",
    "list_datasets",
    "load",
    "make_candidate_sets",
    "make_hamming_balls",
    "make_lost_sign",
]
