"""Shared fixtures: a seeded generator, and the folder of real data."""

import os
from pathlib import Path

# Read when NumPy is imported, also by new processes: threads that wait on small tables cost more than they compute.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402
import pytest  # noqa: E402

LONG = ("test_the_wheel_runs", "test_estimator_checks")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first: no worker ends with one of them while the other has nothing left to do."""
    items.sort(key=lambda item: not any(name in item.nodeid for name in LONG))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def data_home() -> Path:
    """The folder of real data: INFIMUM_DATA, or shared/data beside the checkout."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    home = Path(os.environ.get("INFIMUM_DATA", beside))
    if not home.is_dir():
        pytest.skip(f"real data not found: set INFIMUM_DATA (looked in {home})")
    return home


@pytest.fixture
def undrawn(monkeypatch) -> None:
    """Reports without their figures, which take nine tenths of the time: for tests of all the rest."""
    from infimum.report import _figures
    from infimum.report._page import Markup

    monkeypatch.setattr(_figures, "svg", lambda draw, name: Markup("<svg></svg>"))
