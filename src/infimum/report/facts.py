"""Facts: what a report says, as plain values, from which the page, the Markdown text and the JSON file are made."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.errors import is_missing, shortened
from ..data.images import are_images, image_file
from ..diagnostics import Audit, Identifiability
from ..disambiguation import DisambiguationResult
from ..evidence.calibration import with_unit_sum
from .training import Training

SCHEMA = 1  # version of the JSON file
MOST_REVIEWED = 200  # rows to review that are listed
EXPLAINED = 20  # of these rows, how many have the training rows that explain them
BECAUSE = 3  # training rows of an explanation
MIN_PROPOSED = 0.1  # probability below which an output is not proposed
MAX_TEXT = 300  # characters of a cell


@dataclass
class Reviewed:
    """A row to review.

    Attributes
    ----------
    row : int
        Its number, from 0.
    name : str
        Its name: an id, or a line of the file.
    reasons : list of str
        Why it should be reviewed.
    set : str
        Its candidate set.
    proposed : str
        The output that the other rows suggest; empty if there is none, or if its probability is below 0.1.
    probability : float or None
        The probability of the proposed output, computed from the other rows.
    support : float or None
        The probability of its candidate set, computed from the other rows.
    cells : dict
        Its columns, as text.
    images : dict
        Column -> path, for columns that are images.
    because : list of dict
        Similar training rows with the proposed output: name, set, weight and text.
    """

    row: int
    name: str
    reasons: list[str]
    set: str
    proposed: str = ""
    probability: float | None = None
    support: float | None = None
    cells: dict[str, str] = field(default_factory=dict)
    images: dict[str, str] = field(default_factory=dict)
    because: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class ReportFacts:
    """What a report says.

    Attributes
    ----------
    title, version, kind : str
        The title, the version of the library, and the output type.
    summary : list of str
        Three sentences: what is there, how well it can be learned, what to do next.
    counts : dict
        Rows, and how many of them are exact, partial and unlabelled; sequences, if rows are tokens.
    names : list of str
        Classes, tags or items.
    scores : list of dict
        Name, covering rate, chance-corrected covering rate, set risk and errors of each model; the first is the best
        constant.
    beats_constant : bool
        Whether the model is better than the best constant.
    review : list of Reviewed
        The rows to review, at most 200.
    n_review : int
        The number of rows to review.
    merge : list of dict
        Names that look like variants of others: name, count, means, reason.
    inseparable : list of dict
        Options that no row separates: options, reason, rows, question.
    verdict : str
        Whether the sets can separate all outputs.
    degree : float or None
        The ambiguity degree.
    annotators : list of dict
        Annotator, reliability with its interval (low, high), accuracy, answers and set_size; empty without annotators.
    tables : list of dict
        Further scores, each with title, columns and rows: those of each label, if rows are tokens of sequences.
    """

    title: str
    version: str
    kind: str
    summary: list[str]
    counts: dict[str, int]
    names: list[str]
    scores: list[dict[str, Any]]
    beats_constant: bool
    review: list[Reviewed]
    n_review: int
    merge: list[dict[str, Any]]
    inseparable: list[dict[str, Any]]
    verdict: str
    degree: float | None
    annotators: list[dict[str, Any]] = field(default_factory=list)
    tables: list[dict[str, Any]] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return the facts as plain values; numbers that are not finite become None."""
        found = plain({"schema": SCHEMA, **asdict(self)})
        assert isinstance(found, dict)
        return found


def plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def chance(p: float) -> str:
    """Return a probability as text.

    >>> chance(0.42), chance(0.001)
    ('42%', 'below 1%')
    """
    return "below 1%" if p < 0.01 else f"{p:.0%}"


def percent(p: float) -> str:
    """Return a share as text; only 0 and 1 are 0% and 100%.

    >>> percent(0.987), percent(0.9985), percent(1.0)
    ('99%', '99.9%', '100%')
    """
    text = f"{p:.0%}"
    return f"{p:.1%}" if text in ("0%", "100%") and p not in (0, 1) else text


class Contents:
    """The cells of the rows of a table, as text and as images.

    Parameters
    ----------
    rows : list of dict, optional
        The rows with all their columns.
    folder : path, optional
        The folder of the table, in which images are looked for.
    hidden : list of str
        Columns that are not shown: the target, ids.
    target : list of str
        The columns of the label, which are shown for rows that no output satisfies.
    """

    def __init__(
        self, rows: Sequence[dict] | None, folder: Any = None, hidden: Sequence[str] = (), target: Sequence[str] = ()
    ):
        self.rows, self.target = rows or [], target
        self.folder = None if folder is None else Path(folder)
        names = [name for name in (self.rows[0] if self.rows else {}) if name not in hidden]
        columns = {name: [row.get(name) for row in self.rows] for name in names}
        self.images = [name for name in names if self.folder is not None and are_images(columns[name])]
        self.texts = [name for name in names if name not in self.images]

    def cells(self, row: int) -> dict[str, str]:
        """Return the columns of a row that are not images, as text; empty cells are left out."""
        if not self.rows:
            return {}
        found = self.rows[row]
        return {name: _short(found[name]) for name in self.texts if not is_missing(found.get(name))}

    def label(self, row: int) -> str:
        """Return the label of a row as it is written in the table; an empty text if it is unknown."""
        found = self.rows[row] if self.rows else {}
        return _short(" · ".join(str(found[name]) for name in self.target if not is_missing(found.get(name))))

    def paths(self, row: int) -> dict[str, str]:
        """Return the images of a row."""
        if not self.rows or self.folder is None:
            return {}
        found = {name: image_file(self.folder, self.rows[row].get(name)) for name in self.images}
        return {name: str(one[0]) for name, one in found.items() if one is not None}

    def text(self, row: int) -> str:
        """Return the cells of a row in one line."""
        return _short(" · ".join(self.cells(row).values()))


def _short(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return shortened(text, MAX_TEXT)


def reviewed(
    training: Training, audit: Audit, name: Callable[[int], str], contents: Contents, proposes: bool = True
) -> list[Reviewed]:
    """Return the rows to review: impossible rows, then suspects, then rows in conflicts; each row once.

    Suspects with the most probable proposal come first. A model without skill proposes nothing (`proposes` is False).
    """
    output, sets, resolved = training.output, training.sets, training.resolved
    z = next((audit.predictions[p] for p in ("disambiguation", "infimum", "average") if p in audit.predictions), None)
    reasons: dict[int, list[str]] = {row: [why] for row, why in audit.impossible.items()}
    supports = {s["row"]: s["support"] for s in audit.suspects}
    for s in sorted(audit.suspects, key=lambda s: -(_probability(resolved, z, s["row"]) or 0.0)):
        reasons.setdefault(s["row"], []).append("The other rows contradict its label.")
    for pair in audit.conflicts:
        near = "the same features as" if pair["distance"] == 0 else "features similar to those of"
        for row, other in ((pair["row"], pair["other"]), (pair["other"], pair["row"])):
            listed = reasons.setdefault(row, [])
            if not any(text.startswith("It has") for text in listed):
                listed.append(f"It has {near} {name(other)}, and a label that is not compatible.")
    rows = list(reasons)[:MOST_REVIEWED]
    texts = output.format_sets(sets, rows) if rows else []
    proposals = [""] * len(rows) if z is None or not rows or not proposes else output.format(z[rows])
    found: list[Reviewed] = []
    for row, text, proposed in zip(rows, texts, proposals):
        probability = _probability(resolved, z, row)
        if probability is not None and probability < MIN_PROPOSED:
            proposed, probability = "", None
        if row in audit.impossible:  # it has no set, and counts as unlabelled
            text = contents.label(row) or text
        one = Reviewed(
            row, name(row), reasons[row], text, proposed, probability, supports.get(row),
            contents.cells(row), contents.paths(row),
        )  # fmt: skip
        explained = training.held_out is None and proposed and row in supports
        if z is not None and explained and len(found) < EXPLAINED:
            one.because = _because(training, row, z[row], name, contents)
        found.append(one)
    return found


def _probability(resolved: DisambiguationResult | None, z: NDArray | None, row: int) -> float | None:
    """Return the held-out probability of a predicted label; None if the outputs are not one choice among options."""
    if resolved is None or resolved.out_of_fold is None or resolved.calibrator is None or z is None:
        return None
    F = resolved.out_of_fold
    if F.ndim != 3 or F.shape[1] != 1 or z.ndim != 1 or z.dtype.kind not in "iu":
        return None
    return float(resolved.calibrator(with_unit_sum(F[[row]]))[0, 0, int(z[row])])


def _because(
    training: Training, row: int, z: NDArray, name: Callable[[int], str], contents: Contents
) -> list[dict[str, Any]]:
    """Return the training rows of the largest weight at a row whose sets contain the proposed output."""
    sets = training.sets
    try:
        alpha = np.array(training.model.explain(training.X[[row]]).alpha)
    except ValueError:  # a model without training sets
        return []
    alpha[row] = 0.0
    alpha[~np.asarray(sets.contains(np.repeat(z[None], len(sets), axis=0)))] = 0.0
    alpha[np.asarray(sets.is_unlabelled)] = 0.0
    best = [int(k) for k in np.argsort(-alpha, kind="stable")[:BECAUSE] if alpha[k] > 0]
    texts = training.output.format_sets(sets, best) if best else []
    return [
        {"row": k, "name": name(k), "set": text, "weight": float(alpha[k]), "text": contents.text(k)}
        for k, text in zip(best, texts)
    ]


def inseparable(found: Identifiability | None, name: Callable[[int], str]) -> list[dict[str, Any]]:
    """Return the options that no row separates, and the question that would."""
    if found is None:
        return []
    return [
        {
            "options": list(asked.options), "reason": blind.format(asked.options), "rows": blind.rows,
            "question": asked.format(name), "answers": asked.answers,
        }
        for blind, asked in zip(found.blind, found.questions)
    ]  # fmt: skip
