"""Targets that take several columns: one column per annotator, a time with its event, and what others may contain."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..data.errors import InputError, is_missing
from ..data.numerals import parse_number
from ..io._files import BadRecords, FileRecord
from ..io._load import Loaded
from ._options import TableOptions

OBSERVED, CENSORED = ("1", "true", "yes"), ("0", "false", "no")
ROUNDING = 0.05
"""Allowed difference between the sum of the shares of a row and 1: shares in per cent are often rounded."""


def one_line_per_answer(loaded: Loaded, options: TableOptions) -> tuple[Loaded, TableOptions, list[int]]:
    """Return a table with one target column per annotator as a table with one line per answer.

    The last value contains the row of the file of each line. Other tables stay as they are.
    """
    if len(options.target) < 2 or options.kind != "labels" or options.soft:
        return loaded, options, list(range(len(loaded.rows)))
    taken = set(loaded.columns)
    row, annotator, answer = (
        f"{name} of {loaded.name}" if name in taken else name for name in ("row", "annotator", "answer")
    )
    others = [name for name in loaded.columns if name not in options.target]
    lines: list[FileRecord] = []
    for k, found in enumerate(loaded.rows, start=1):
        shared = {name: found.value.get(name) for name in others}
        for name in options.target:
            own = {row: str(k), annotator: name, answer: found.value.get(name)}
            lines.append(found._replace(value=shared | own))
    columns = [*others, row, annotator, answer]
    new = replace(options, target=[answer], id=options.id or row, annotator=annotator)
    origin = [k for k in range(len(loaded.rows)) for _ in options.target]
    return loaded._replace(rows=lines, columns=columns), new, origin


def with_events(loaded: Loaded, options: TableOptions) -> tuple[Loaded, TableOptions]:
    """Return a table in which times without an observed event are lower bounds, such as >=5."""
    if options.event is None:
        return loaded, options
    if len(options.target) > 1 or options.kind not in (None, "number"):
        raise ValueError(f"{loaded.name}: --event requires one target column of times, of kind number.")
    target, rows, bad = options.target[0], [], BadRecords(loaded.name)
    for found in loaded.rows:
        time, event = found.value.get(target), found.value.get(options.event)
        text = str(event).strip().lower().removesuffix(".0")
        if not is_missing(time) and text not in (*OBSERVED, *CENSORED):
            bad.add(found.place, f"expected 1, 0, true, false, yes or no in {options.event!r}, got {event!r}")
        if not is_missing(time) and text in CENSORED:
            found = found._replace(value=found.value | {target: f">={time}"})
        rows.append(found)
    bad.raise_if_any("--event says whether the time of a row is observed (1) or only a lower bound (0).")
    return loaded._replace(rows=rows), replace(options, kind="number")


def check_annotator(loaded: Loaded, options: TableOptions) -> None:
    """Raise ValueError if answers of annotators have no ids, so that it is unknown which are about the same row."""
    if options.annotator is None or options.id is not None:
        return
    own = {*options.target, options.annotator, options.gold, options.truth}
    counts = {
        name: len({str(row.value.get(name)) for row in loaded.rows}) for name in loaded.columns if name not in own
    }
    repeated = [name for name, count in counts.items() if count < len(loaded.rows)]
    best = max(repeated, key=lambda name: counts[name], default="COLUMN")
    raise ValueError(
        f"{loaded.name}: --annotator requires the column of row ids, which all answers about a row share. Pass, for"
        f" example, --id {_quoted(best)}."
    )


def shares(rows: list[dict[str, Any]], places: list[str]) -> list[dict[str, float] | None]:
    """Return probabilities that sum to 1, from shares in [0, 1] or in per cent; rounded shares are rescaled."""
    totals = sorted(total for total in (sum(row.values()) for row in rows) if total)
    whole = 100.0 if totals and totals[len(totals) // 2] > 50 else 1.0
    cells: list[dict[str, float] | None] = []
    for place, row in zip(places, rows):
        total = sum(row.values()) / whole
        wrong = [name for name, value in row.items() if not 0 <= value <= whole]
        if row and (wrong or abs(total - 1) > ROUNDING):
            raise InputError(
                f"{place}: the probabilities of a row must be in [0, 1] and sum to 1, or in per cent and sum to 100."
                f" Got {', '.join(f'{name} {value:g}' for name, value in row.items())}."
            )
        cells.append({name: value / whole / total for name, value in row.items()} if row else None)
    return cells


def meanings_of(loaded: Loaded, target: list[str]) -> str:
    """Return the options that may describe several target columns, one per line, by their cells."""
    table = [[row.value.get(name) for name in target] for row in loaded.rows]
    cells = [[cell for cell in row if not is_missing(cell)] for row in table]
    numbers = [[parse_number(str(cell)) for cell in row] for row in cells]
    values = {value for row in numbers for value in row}
    found = []
    if None in values:
        found += [("--kind labels", "the answers of one annotator per column")]
        found += [("--kind ranking", "items, best first")]
    else:
        pairs = [row for row in numbers if len(row) == 2]
        first = _quoted(target[0])
        if len(target) == 2 and {value for _, value in pairs} <= {0, 1}:
            found += [(f"--target {first} --event {_quoted(target[1])}", "times, and whether the event was observed")]
        elif len(target) == 2 and all(low <= high for low, high in pairs):  # type: ignore[operator]
            found += [("--kind number", "lower and upper bounds")]
        totals = [sum(row) for row in numbers if row]  # type: ignore[arg-type]
        if totals and all(min(abs(t - 1), abs(t / 100 - 1)) <= ROUNDING for t in totals):
            found += [("--soft", "probabilities of the classes that the columns are named after")]
        if values <= {-1, 0, 1}:
            found += [("--kind tags --unticked no", "tags, 1 if present and 0 if absent")]
            found += [("--kind tags --unticked unknown", "tags, 1 if present and 0 if unknown")]
        elif all(value == int(value) and 0 < value <= len(target) for value in values if value is not None):
            found += [("--kind ranking", "ranks of the items that the columns are named after, 1 is best")]
        found += [("--kind vector", "coordinates of vectors")]
    found += [("--kind product", "separate targets")]
    width = max(len(option) for option, _ in found)
    lines = "\n".join(f"  {option:{width}}  {meaning}" for option, meaning in found)
    return (
        f"{loaded.name}: pass what the {len(target)} target columns contain. Options that fit their cells:"
        f"\n{lines}"
    )


def _quoted(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() else f'"{name}"'
