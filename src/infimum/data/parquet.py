"""Chunks of Parquet files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .chunks import Block

INDEX = "__index_level_"  # prefix of a row index that pandas has saved


class ParquetSource:
    """A function that starts a new iteration over the rows of some files; a file that has changed raises an error."""

    def __init__(self, paths: Any, target: str | None, weight: str | None, rows: int, inputs_only: bool = False):
        given = list(paths) if isinstance(paths, list | tuple) else [paths]
        self.paths = [Path(path) for path in given]
        if not self.paths:
            raise ValueError("Blocks.parquet needs at least one path. Got an empty list.")
        missing = [str(path) for path in self.paths if not path.exists()]
        if missing:
            raise FileNotFoundError(f"There is no file {missing[0]} ({len(missing)} of {len(self.paths)} are missing).")
        self.target, self.weight, self.rows, self.inputs_only = target, weight, rows, inputs_only
        self._seen: dict[Path, tuple[int, int]] = {}

    def inputs(self) -> ParquetSource:
        """Return the same files for `predict`, without the columns of targets and weights, which may be missing."""
        return ParquetSource(self.paths, self.target, self.weight, self.rows, inputs_only=True)

    def __call__(self) -> Iterator[Block]:
        from pyarrow.parquet import ParquetFile

        for path in self.paths:
            self._same(path)
            first = 0
            for batch in ParquetFile(path).iter_batches(batch_size=self.rows):
                where = f"{path.name}, rows {first} to {first + len(batch) - 1}"
                first += len(batch)
                yield self._block(path, batch, where)

    def _same(self, path: Path) -> None:
        state = path.stat()
        found = (state.st_size, state.st_mtime_ns)
        if self._seen.setdefault(path, found) != found:
            raise ValueError(
                f"{path} changed during fit, which reads its rows more than once. Fit again, on a file"
                " that nothing writes to."
            )

    def _block(self, path: Path, batch: Any, where: str) -> Block:
        import pyarrow as pa

        names = [name for name in batch.schema.names if not name.startswith(INDEX)]
        inputs = [name for name in names if name not in (self.target, self.weight)]
        X = pa.Table.from_batches([batch.select(inputs)])
        if self.inputs_only:
            return Block(X, where=where)
        for role, name in (("target", self.target), ("weight", self.weight)):
            if name is not None and name not in names:
                raise ValueError(
                    f"{path} has no {role} column {name!r}. Its columns are {names}."
                    f"{' Leave target= out to predict.' if role == 'target' else ''}"
                )
        y = None if self.target is None else batch.column(self.target).to_pylist()
        w = None if self.weight is None else batch.column(self.weight).to_numpy(zero_copy_only=False)
        return Block(X, y, w, where)
