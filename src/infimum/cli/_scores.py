"""Scores as the commands print them: each beside the best constant prediction."""

from __future__ import annotations

from typing import Any

from ..selection.scores import error_name, no_skill, shown_range


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
        name, best = error_name(key), shown_range(*constant["errors"][key])
        rows.append((f"{name}{how}", f"{shown_range(*ends)}; best constant {best}"))
    return rows


def assessment(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the line of a summary about a model that is no better than a constant; none otherwise."""
    if not found or found["beats_constant"]:
        return []
    return [("Assessment", no_skill(found["constant"]["output"]))]
