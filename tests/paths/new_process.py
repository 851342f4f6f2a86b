"""Load saved models and predict, in a process that has not fitted them.

Run as `python new_process.py FOLDER`. FOLDER/jobs.pickle holds a list of jobs; FOLDER/results.pickle is written, with
the predictions of each job or the text of its error.
"""

from __future__ import annotations

import pickle
import sys
import traceback
from pathlib import Path
from typing import Any

OWN_TYPES = ["paths.circle.Angles", "paths.circle.Arcs"]
"""Types of the user, which skops is told to trust in addition to those of the library."""


def load(path: Path) -> Any:
    """Load a model by the tool that its suffix names."""
    if path.suffix == ".pickle":
        return pickle.loads(path.read_bytes())
    if path.suffix == ".joblib":
        import joblib

        return joblib.load(path)
    import skops.io

    from infimum.io import TRUSTED_TYPES

    return skops.io.load(path, trusted=[*TRUSTED_TYPES, *OWN_TYPES])


def run(job: dict[str, Any]) -> Any:
    """Predict with a saved model, or run a command of the command line."""
    if "arguments" in job:
        from infimum.cli import app

        return app(job["arguments"], standalone_mode=False)
    return load(job["model"]).predict(pickle.loads(job["rows"].read_bytes()))


def main(folder: Path) -> None:
    import infimum

    results: dict[Any, Any] = {"library": infimum.__file__}
    for job in pickle.loads((folder / "jobs.pickle").read_bytes()):
        try:
            results[job["name"]] = run(job)
        except (Exception, SystemExit):
            results[job["name"]] = traceback.format_exc()
    (folder / "results.pickle").write_bytes(pickle.dumps(results))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
