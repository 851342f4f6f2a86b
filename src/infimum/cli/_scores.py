"""Scores as the commands print them: each beside the best constant prediction."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..selection.scores import no_skill

ERRORS = {"rmse": "RMSE", "r2": "R²"}


def score_rows(found: dict[str, Any], how: str = "") -> list[tuple[str, str]]:
    """Return the lines of a summary for the scores that `compare_with_constant` returns; `how` follows their names."""
    if not found:
        return []
    constant = found["constant"]
    rows = [
        (f"Covering rate{how}", f"{found['covering_rate']:.1%} of {found['n_labelled']} labelled rows; best constant"
         f" ({constant['output']}) {constant['covering_rate']:.1%}; chance-corrected {found['chance_corrected']:z.3f}"),
        (f"Set risk{how}", f"{found['set_risk']:.4g}; best constant {constant['set_risk']:.4g}"),
    ]  # fmt: skip
    for key, ends in found["errors"].items():
        name, best = ERRORS.get(key, key), _range(*constant["errors"][key])
        rows.append((f"{name}{how}", f"{_range(*ends)}; best constant {best}"))
    return rows


def assessment(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the line of a summary about a model that is no better than a constant; none otherwise."""
    if not found or found["beats_constant"]:
        return []
    return [("Assessment", no_skill(found["constant"]["output"]))]


def _range(low: float, high: float) -> str:
    return f"{low:.4g}" if np.isclose(low, high, rtol=1e-6, atol=1e-12) else f"{low:.4g} to {high:.4g}"
