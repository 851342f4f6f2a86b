"""Where rows lie: in memory, in blocks, in files, on a cluster."""

from .blocks import Block, Blocks, apply, is_blocked, is_dask, joined, read

__all__ = ["Block", "Blocks", "apply", "is_blocked", "is_dask", "joined", "read"]
