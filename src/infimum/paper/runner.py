"""Run experiments: finished tasks are stored on disk, so an interrupted run can be continued.

The table and the figures are made from the kept rows alone, in the order of the tasks; a run that was killed and
started again therefore leaves the same files as one that was not.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from ..data.errors import InfimumWarning
from . import store
from .base import COLUMNS, Experiment, Row, Task
from .style import SETTINGS

Progress = Callable[[int, int], None]


def reproduce(
    experiment: Experiment,
    out: str | os.PathLike,
    *,
    quick: bool = False,
    jobs: int = 1,
    data: str | None = None,
    fresh: bool = False,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Run the tasks that are not in the cache, then write NAME.csv, NAME.png and NAME.pdf to the folder `out`.

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
    fresh : bool
        Compute every task, also those in the cache: for those who work on the library itself.
    progress : callable, optional
        Called with the number of finished tasks and of all tasks.

    Returns
    -------
    DataFrame
        The rows, as in NAME.csv.

    Raises
    ------
    CannotWrite
        The folder cannot be written, or the disk is full. Finished tasks stay.
    """
    folder = Path(out)
    tasks = experiment.tasks(quick)
    files = [store.file_of(folder, experiment, task) for task in tasks]
    left = store.prepare(folder)
    todo = []
    for task, file in zip(tasks, files):
        if fresh or not _finished(file, experiment, task):
            todo.append((task, file))
    done = len(tasks) - len(todo)
    report = progress or (lambda finished, total: None)
    report(done, len(tasks))
    pool = Parallel(n_jobs=max(1, min(jobs, len(todo))), return_as="generator_unordered", batch_size=1)
    for _ in pool(delayed(_compute)(experiment, task, data, file) for task, file in todo):
        done += 1
        report(done, len(tasks))
    frame = collect(experiment, folder, quick)
    if frame is None:
        raise FileNotFoundError(f"{folder / '.cache'} no longer contains the tasks of {experiment.name}. Run it again.")
    # all are made before the first is written
    made = {".csv": frame.to_csv(index=False).encode(), **draw(experiment, frame)}
    for end, content in made.items():
        store.write(store.place(folder, experiment.name, end), content)
    store.sweep(left)
    return frame


def collect(experiment: Experiment, out: str | os.PathLike, quick: bool) -> pd.DataFrame | None:
    """Return the rows of a finished run from the cache; None if a task is missing or its file is damaged."""
    rows: list[Row] = []
    for task in experiment.tasks(quick):
        try:
            rows += store.load(store.file_of(out, experiment, task), experiment, task)
        except (FileNotFoundError, store.Damaged):
            return None
    frame = pd.DataFrame(rows)
    made_with = frame.pop("versions")
    frame = frame[[*COLUMNS, *(column for column in frame if column not in COLUMNS)]]
    return frame.assign(size="quick" if quick else "full", versions=made_with)


def draw(experiment: Experiment, frame: pd.DataFrame) -> dict[str, bytes]:
    """Write the figure as .png and .pdf, without dates: the same rows give the same bytes."""
    from matplotlib import rc_context

    pictures = {}
    with rc_context(SETTINGS):
        fig = experiment.draw(frame)
        for suffix, metadata in (("png", {"Software": None}), ("pdf", {"CreationDate": None, "Producer": None})):
            buffer = io.BytesIO()
            fig.savefig(buffer, format=suffix, metadata=metadata)
            pictures[f".{suffix}"] = buffer.getvalue()
    return pictures


def _finished(file: Path, experiment: Experiment, task: Task) -> bool:
    try:
        store.load(file, experiment, task)
    except FileNotFoundError:
        return False
    except store.Damaged as damaged:
        warnings.warn(f"{damaged}. The task is computed again.", InfimumWarning, stacklevel=3)
        return False
    return True


def _compute(experiment: Experiment, task: Task, data: str | None, file: Path) -> None:
    with threadpool_limits(1):
        rows = experiment.run(task, data)
    store.keep(file, experiment, task, rows)
