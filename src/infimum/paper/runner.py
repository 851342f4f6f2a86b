"""Runs an experiment: every task once, kept on disk, so that a run that was stopped goes on where it stopped.

A task's rows are written under a temporary name and then renamed: a file in the cache is a finished task, whatever
happened. The table and the figures are made from the cache alone, in the order of the tasks; a run that was killed
and started again therefore leaves the same files as one that was not.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import inspect
import io
import json
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from .. import __version__
from .base import COLUMNS, Experiment, Row, Task
from .style import SETTINGS

PACKAGE = Path(__file__).resolve().parents[1]
SHARED = ("base.py", "grid.py", "masks.py", "problems.py", "ranking.py")
TEXTS = {"title", "place", "caption", "differs"}
Progress = Callable[[int, int], None]


def reproduce(
    experiment: Experiment,
    out: str | os.PathLike,
    *,
    quick: bool = False,
    jobs: int = 1,
    data: str | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Run what is not in the cache, then write NAME.csv, NAME.png and NAME.pdf to the folder `out`.

    Parameters
    ----------
    experiment : Experiment
    out : path
    quick : bool
        Fewer and smaller tasks.
    jobs : int
        Tasks at a time; the rows do not depend on it, for every task runs on one thread with its own seed.
    data : path, optional
        The folder of the data sets, see `infimum.datasets.data_folder`.
    progress : callable, optional
        Called with the number of finished tasks and of all tasks.

    Returns
    -------
    DataFrame
        The rows, as in NAME.csv.
    """
    folder = Path(out)
    tasks = experiment.tasks(quick)
    files = [_file(folder, experiment, task) for task in tasks]
    todo = [(task, file) for task, file in zip(tasks, files) if _read(file) is None]
    done = len(tasks) - len(todo)
    (folder / ".cache").mkdir(parents=True, exist_ok=True)
    report = progress or (lambda finished, total: None)
    report(done, len(tasks))
    pool = Parallel(n_jobs=max(1, min(jobs, len(todo))), return_as="generator_unordered", batch_size=1)
    for _ in pool(delayed(_compute)(experiment, task, data, file) for task, file in todo):
        done += 1
        report(done, len(tasks))
    frame = collect(experiment, folder, quick)
    assert frame is not None
    write(folder / f"{experiment.name}.csv", frame.to_csv(index=False).encode())
    draw(experiment, frame, folder)
    return frame


def collect(experiment: Experiment, out: str | os.PathLike, quick: bool) -> pd.DataFrame | None:
    """The rows of a finished run, from the cache; None where a task is missing."""
    kept = [_read(_file(Path(out), experiment, task)) for task in experiment.tasks(quick)]
    if any(rows is None for rows in kept):
        return None
    frame = pd.DataFrame([row for rows in kept for row in rows or ()])
    frame = frame[[*COLUMNS, *(column for column in frame if column not in COLUMNS)]]
    return frame.assign(size="quick" if quick else "full", versions=versions())


def draw(experiment: Experiment, frame: pd.DataFrame, out: Path) -> None:
    """NAME.png and NAME.pdf; without dates, so that the same rows give the same bytes."""
    from matplotlib import rc_context

    with rc_context(SETTINGS):
        fig = experiment.draw(frame)
        for suffix, metadata in (("png", {"Software": None}), ("pdf", {"CreationDate": None, "Producer": None})):
            buffer = io.BytesIO()
            fig.savefig(buffer, format=suffix, metadata=metadata)
            write(out / f"{experiment.name}.{suffix}", buffer.getvalue())


def write(path: Path, content: bytes) -> None:
    """All of the content or nothing."""
    temporary = path.with_name(path.name + ".part")
    temporary.write_bytes(content)
    os.replace(temporary, path)


@cache
def versions() -> str:
    """What the numbers were made with."""
    used = [f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "scipy", "scikit-learn", "highspy")]
    return "; ".join([f"infimum {__version__}", *used])


@cache
def code_version(experiment: type[Experiment]) -> str:
    """A digest of the code that the rows depend on: the library, and the experiment without its texts and drawing."""
    here = PACKAGE / "paper"
    own = Path(inspect.getfile(experiment)).resolve()
    library = [path for path in PACKAGE.rglob("*.py") if here not in path.parents and path.name != "cli.py"]
    digest = hashlib.sha256()
    for path in sorted(library):
        digest.update(path.read_bytes())
    for path in sorted({own, *(here / name for name in SHARED if (here / name).exists())}):
        digest.update(ast.dump(_Measuring().visit(ast.parse(path.read_bytes()))).encode())
    return digest.hexdigest()[:16]


class _Measuring(ast.NodeTransformer):
    """Drops what is said and drawn about the rows, which does not change them."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef | None:
        if node.name.startswith(("draw", "compare", "_draw", "_panel")):
            return None
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.Assign | None:
        names = {target.id for target in node.targets if isinstance(target, ast.Name)}
        return None if names & TEXTS else node


def _file(folder: Path, experiment: Experiment, task: Task) -> Path:
    key = json.dumps([experiment.name, task, code_version(type(experiment))], sort_keys=True)
    return folder / ".cache" / f"{experiment.name}-{hashlib.sha256(key.encode()).hexdigest()[:20]}.json"


def _compute(experiment: Experiment, task: Task, data: str | None, file: Path) -> None:
    with threadpool_limits(1):
        rows = experiment.run(task, data)
    write(file, json.dumps(rows, default=lambda number: number.item()).encode())


def _read(file: Path) -> list[Row] | None:
    try:
        return json.loads(file.read_bytes())
    except FileNotFoundError:
        return None
