"""Benchmarks: every figure beside what it is compared with, in one process. Run with ``python -m benchmarks``.

Real data are read from the folder INFIMUM_DATA; without it, from shared/data beside the checkout if that is there.
"""

import os
from pathlib import Path

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
if _BESIDE.is_dir():
    os.environ.setdefault("INFIMUM_DATA", str(_BESIDE))
