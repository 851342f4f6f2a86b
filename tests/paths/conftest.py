"""Default models that are fitted once, and one new process that loads all of them."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import warnings
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import joblib
import pytest
import skops.io
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits
from typer.testing import CliRunner

import infimum
from infimum import Features, InfimumWarning
from infimum.cli import app
from paths.matrix import FORMATS
from paths.tables import FRAME, INPUTS, LEVEL, TABLES, TRAINING

TESTS = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="package", autouse=True)
def one_thread():
    """Limit linear algebra to one thread: on tables of 48 rows, threads that wait cost more than they compute."""
    with threadpool_limits(1):
        yield


class Fitted:
    """A default model of one output type, fitted to the training rows."""

    def __init__(self, name: str, container: str):
        self.table, self.inputs = TABLES[name], INPUTS[container]
        model = self.table.model()
        self.whole = model if container == "array" else Pipeline([("features", Features()), ("model", model)])
        with warnings.catch_warnings():
            # the search time may end the comparison
            warnings.filterwarnings("ignore", "The search stopped", InfimumWarning)
            self.whole.fit(self.inputs[:TRAINING], self.table.labels[:TRAINING])

    @property
    def last(self) -> Any:
        """The model without the features step."""
        return self.whole[-1] if isinstance(self.whole, Pipeline) else self.whole

    @property
    def features(self) -> Any:
        """All rows as numbers."""
        return self.whole[:-1].transform(self.inputs) if isinstance(self.whole, Pipeline) else self.inputs

    @property
    def new(self) -> Any:
        """The new rows, as the whole model takes them."""
        return self.inputs[TRAINING:]


@pytest.fixture(scope="session")
def fitted():
    """Return the fitted default model of an output type, for an array or a DataFrame."""
    return cache(Fitted)


def save(model: Any, path: Path) -> None:
    """Save a model by the tool that the suffix names."""
    if path.suffix == ".pickle":
        path.write_bytes(pickle.dumps(model))
    elif path.suffix == ".joblib":
        joblib.dump(model, path)
    else:
        skops.io.dump(model, path)


def run_new_process(folder: Path, jobs: list[dict]) -> dict:
    """Run jobs in one new process that imports the same library; see new_process.py."""
    (folder / "jobs.pickle").write_bytes(pickle.dumps(jobs))
    source = Path(infimum.__file__).resolve().parents[1]
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment = {**os.environ, **threads, "PYTHONPATH": os.pathsep.join([str(source), str(TESTS)])}
    command = [sys.executable, str(TESTS / "paths" / "new_process.py"), str(folder)]
    subprocess.run(command, check=True, env=environment, cwd=folder, timeout=300)
    results = pickle.loads((folder / "results.pickle").read_bytes())
    assert Path(results["library"]).resolve() == Path(infimum.__file__).resolve()
    return results


@pytest.fixture(scope="session")
def predicted_in_new_process(fitted, tmp_path_factory) -> dict:
    """Predictions of all saved models for the new rows, by (output type, container, format)."""
    folder = tmp_path_factory.mktemp("saved")
    for container, inputs in INPUTS.items():
        (folder / f"{container}.rows").write_bytes(pickle.dumps(inputs[TRAINING:]))
    jobs, failed = [], {}
    for name in TABLES:
        for container in INPUTS:
            for suffix in FORMATS:
                path = folder / f"{name}-{container}.{suffix}"
                try:
                    save(fitted(name, container).whole, path)
                except Exception as error:  # reported by the test of this model, not by those of all others
                    failed[name, container, suffix] = f"cannot be saved: {error!r}"
                else:
                    rows = folder / f"{container}.rows"
                    jobs.append({"name": (name, container, suffix), "model": path, "rows": rows})
    return {**run_new_process(folder, jobs), **failed}


class CommandLine:
    """The commands of one output type, each run once in a folder of its own, with no option that names a part."""

    def __init__(self, name: str, folder: Path):
        self.table, self.folder = TABLES[name], folder
        self.target = ("--target", "answer", *self.table.options)
        for file, rows, cells in (
            ("training.csv", slice(TRAINING), self.table.cells),
            ("new.csv", slice(TRAINING, None), self.table.exact_cells),
        ):
            FRAME[rows].assign(answer=cells[rows]).to_csv(folder / file, index=False)

    def run(self, *arguments: str) -> dict:
        """Run a command with --json, and return what it prints."""
        done = CliRunner().invoke(app, [*arguments, "--json"])
        assert done.exit_code == 0, (arguments, done.exit_code, done.output, done.exception)
        return json.loads(done.output.splitlines()[-1])

    def path(self, file: str) -> str:
        return str(self.folder / file)

    @cached_property
    def fit(self) -> dict:
        options = ("--level", str(LEVEL), "--covers", "set", "--out", self.path("model.skops"))
        return self.run("fit", self.path("training.csv"), *self.target, *options)

    @cached_property
    def score(self) -> dict:
        assert self.fit["complete"]
        return self.run("score", self.path("model.skops"), self.path("new.csv"), *self.table.model_options)

    @cached_property
    def clean(self) -> dict:
        return self.run("clean", self.path("training.csv"), *self.target, "--out", self.path("clean.csv"))

    @cached_property
    def report(self) -> dict:
        return self.run("report", self.path("training.csv"), *self.target, "--out", self.path("report.html"))


@pytest.fixture(scope="session")
def command_line(tmp_path_factory):
    """Return the commands of an output type."""
    return cache(lambda name: CommandLine(name, tmp_path_factory.mktemp(name)))


@pytest.fixture(scope="session")
def predicted_by_command(command_line, tmp_path_factory) -> dict:
    """Outcomes of `infimum predict` in one new process, by output type; each writes FOLDER/predictions.csv."""
    jobs, failed = [], {}
    for name in TABLES:
        one = command_line(name)
        try:
            assert one.fit["complete"]
        except AssertionError as error:  # reported by the test of this output type
            failed[name] = f"cannot be fitted: {error}"
        else:
            files = [one.path(file) for file in ("model.skops", "new.csv", "predictions.csv")]
            options = ["--out", files[2], "--quiet", *one.table.model_options]
            jobs.append({"name": name, "arguments": ["predict", *files[:2], *options]})
    return {**run_new_process(tmp_path_factory.mktemp("commands"), jobs), **failed}
