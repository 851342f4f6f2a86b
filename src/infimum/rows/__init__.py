"""Where rows lie: in memory, in blocks, in files, on a cluster."""

from .blocks import Block, Blocks
from .cluster import DaskBlocks, is_dask, map_rows
from .in_blocks import SetsInBlocks
from .rows import InBlocks, Rows, Table, rows_of

__all__ = [
    "Block", "Blocks", "DaskBlocks", "InBlocks", "Rows", "SetsInBlocks", "Table", "is_dask", "map_rows", "rows_of",
]  # fmt: skip
