"""Reliability of the people who answer, by the method that models use for the answers of several annotators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...disambiguation.fallible import Fallible
from ...evidence.answers import Answers
from ...evidence.reliability import Prior, SourceModel
from ...evidence.sources import Sources
from .trainer import SUSPECT

if TYPE_CHECKING:
    from .session import Session

MIN_ANSWERS = 5  # of one person, below which an estimate says nothing


def reliabilities(session: Session) -> Sources | None:
    """Estimate how often the answers of each person contain the true label, corrected for chance.

    Answers are compared with those of other people, with decisions of a review, and with what the model predicts from
    the other rows. Returns None if nobody has given five answers, or if the output type has no list of outputs.
    """
    model, F = session.model, session.trainer.learner.without_row
    if not model.lists_outputs or F is None:
        return None
    with session.lock:
        sets, people = session.pool.sets, list(session.people)
        rows = sorted({entry.question.row for entry in session.pool.entries})
        given = [(row, who, one) for row in rows for who, one in session.pool.by_person(row).items()]
        decided = [(row, made) for row in rows if (made := session.pool.decision(row)) is not None]
    counts = [sum(who == name for _, who, _ in given) for name in people]
    if max(counts, default=0) < MIN_ANSWERS:
        return None
    place = {row: k for k, row in enumerate(rows)}
    number = {name: k for k, name in enumerate(people)}
    masks = [model.encode(one) for _, _, one in given]
    masks += [model.encode(made.question.consistent_set(made.answer)) for _, made in decided]
    item = [place[row] for row, *_ in given] + [place[row] for row, _ in decided]
    source = [number[who] for _, who, _ in given] + [len(people)] * len(decided)
    answers = Answers.of(np.vstack(masks), np.array(item), np.array(source), len(rows), len(people) + 1)
    fixed = np.append(np.full(len(people), np.nan), 0.0)  # decisions are taken as right
    estimated = SourceModel(answers, Prior(), True, fixed)
    found = Fallible(sets[rows], None, estimated, people, model.names)
    return found.label_errors(F[rows][:, None], SUSPECT).sources
