"""HeldOut: what a report shows about a model that predicts its own held-out rows, and the same for tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from ..data.tokens import in_rows, read_tokens
from ..disambiguation import Disambiguation, DisambiguationResult
from ..outputs import CandidateLabels, Labels, OutputSpace, Sets
from ..outputs.summary import SummaryTable
from ..selection.chains import Fold, held_out

FOLDS = 5


class HeldOut(NamedTuple):
    """Predictions of the training rows by models that were fitted without them.

    A model with a method ``held_out(X)`` that returns this has a report, see `infimum.report.build`.
    """

    output: OutputSpace
    """The fitted output space of one row."""
    sets: Sets
    """The candidate set of each row."""
    X: NDArray
    """(n, d): numbers that describe the rows, such as predicted probabilities."""
    predictions: dict[str, NDArray]
    """Name -> held-out outputs, (n, *z), of simple models; the last one is the model itself."""
    resolved: DisambiguationResult
    """The estimated labels and likely label errors."""
    names: list[str] | None
    """The names of the rows; None if they are those of the table."""
    contexts: list[str] | None
    """What a person needs to see of each row, beside its cells."""
    n_groups: int
    """The number of sequences that the rows belong to."""
    tables: list[SummaryTable]
    """Further scores."""


def held_out_tokens(tagger: Any, X: Any) -> HeldOut:
    """Return the held-out predictions of the training tokens of a fitted `PartialSequenceTagger`.

    Whole sequences are held out, in five folds. Features and regularisation are those of the model.
    """
    tokens, lattices = read_tokens(X, tagger.sequence), tagger.lattices_
    if not np.array_equal(tokens.lengths, lattices.lengths):
        raise ValueError("X must contain the sequences of fit, with the same lengths.")
    if len(lattices) < 2:
        raise ValueError("Held-out predictions require at least two sequences. Got one.")
    folds = [Fold(*split) for split in KFold(min(FOLDS, len(lattices)), shuffle=True, random_state=0).split(lattices)]
    design, w = tagger.features_.design(tokens), np.ones(len(lattices))
    P, z = held_out(design, lattices, w, tagger.lam_, folds)
    single = held_out(design, lattices, w, tagger.lam_, folds, single=True)[1]
    order = np.arange(len(z)) if tokens.order is None else tokens.order
    P, z, single, mask = (in_rows(part, order) for part in (P, z, single, lattices.mask))
    output = Labels(classes=tagger.classes_).fit([])
    sets = CandidateLabels(mask, tagger.classes_)
    principle = Disambiguation()
    posterior = principle.posterior(sets)
    assert posterior is not None
    assert principle.threshold is not None
    errors = posterior.label_errors(P[:, None], principle.threshold)
    resolved = replace(tagger.disambiguation_, out_of_fold=P[:, None], **errors._asdict())
    names, contexts = None, tokens.contexts()
    if tokens.order is None:
        names = [f"sequence {k}, token {t}" for k, n in enumerate(tokens.lengths) for t in range(n)]
    if contexts is not None:
        flat = np.array([text for row in contexts for text in row], dtype=object)
        contexts = in_rows(flat, order).tolist()
    return HeldOut(
        output, sets, P, {"each token alone": single, "the model": z}, resolved, names,
        contexts, len(lattices), [scores_per_label(mask, z, tagger.classes_)],
    )  # fmt: skip


def scores_per_label(mask: NDArray, z: NDArray, classes: NDArray) -> SummaryTable:
    """Return precision, recall and their harmonic mean for each label, on tokens with an exact label.

    >>> scores_per_label(np.eye(2, dtype=bool)[[0, 0, 1]], np.array([0, 1, 1]), np.array(["LOC", "O"])).rows[0]
    ['LOC', 2, 1.0, 0.5, 0.6666666666666666]
    """
    exact = mask.sum(axis=1) == 1
    true, found = np.argmax(mask[exact], axis=1), z[exact]
    rows = []
    for k, name in enumerate(classes):
        both, n, predicted = (int(np.sum(part)) for part in ((true == k) & (found == k), true == k, found == k))
        share = [both / total if total else float("nan") for total in (predicted, n)]
        rows.append([str(name), n, *share, 2 * both / (n + predicted) if n + predicted else float("nan")])
    title = "Scores per label on held-out tokens with an exact label"
    return SummaryTable(title, ["label", "tokens", "precision", "recall", "F1"], rows)
