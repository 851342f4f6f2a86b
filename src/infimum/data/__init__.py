"""Data: where rows lie, X as numbers, containers and names of y, and the errors about them."""

from .chunks import Chunk, Chunks
from .cluster import DaskChunks, is_dask, map_rows
from .rows import InChunks, Rows, Table, group_codes, is_chunked, rows_in_chunks

__all__ = [
    "Chunk",
    "Chunks",
    "DaskChunks",
    "InChunks",
    "Rows",
    "Table",
    "group_codes",
    "is_chunked",
    "is_dask",
    "map_rows",
    "rows_in_chunks",
]
