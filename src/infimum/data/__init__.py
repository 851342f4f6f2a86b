"""Data: where rows lie, X as numbers, containers and names of y, and the errors about them."""

from .chunks import Block, Blocks
from .cluster import DaskBlocks, is_dask, map_rows
from .rows import InBlocks, Rows, Table, group_codes, is_chunked, rows_of

__all__ = [
    "Block",
    "Blocks",
    "DaskBlocks",
    "InBlocks",
    "Rows",
    "Table",
    "group_codes",
    "is_chunked",
    "is_dask",
    "map_rows",
    "rows_of",
]
