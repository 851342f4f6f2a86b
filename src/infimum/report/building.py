"""Build the report from a fitted model and its table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.metadata import version
from typing import Any

from sklearn.pipeline import Pipeline

from ..data.containers import frame_of
from ..data.inputs import is_frame
from ..data.progress import track
from ..diagnostics import Audit, Identifiability
from ..disambiguation import DisambiguationResult
from ..outputs.summary import SummaryTable
from ..selection.scores import no_skill
from . import _page as h
from . import actions, identifiability, overview, results, review
from .annotators import facts_of as annotators_of
from .annotators import section as annotators_section
from .facts import Contents, ReportFacts, inseparable, reviewed
from .markdown import Section, markdown
from .scores import Compared, beats_constant
from .summary import summary
from .training import Training, training_of

IN_SEQUENCE = "in its sequence"
"""The column that shows a token with the words around it."""

STEPS = ("labels", "identifiability", "audit", "held-out rows", "explanations", "figures")

ENOUGH = 20  # labelled rows from which on the 5 % with the largest error are reported


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """An HTML report, and the results that it shows.

    Attributes
    ----------
    html : str
        The report, one file that needs no network.
    facts : ReportFacts
        What the report says, as plain values: the summary, the rows to review, names to merge, scores.
    identifiability : Identifiability or None
        None if it is not available for the output type.
    audit : Audit
        The rows to review; None if it was not computed.
    compared : list
        Held-out scores of the best constant, of nearest neighbours and of the model.
    beats_constant : bool
        Whether the model is better than the best constant prediction. If not, the report lists no suspects and does not
        assess the labels.
    resolved : DisambiguationResult or None
        The labels that disambiguation estimates.
    names : list or None
        The names of the rows.
    reason : str
        Why there is no identifiability; empty otherwise.
    """

    html: str
    facts: ReportFacts
    identifiability: Identifiability | None
    audit: Audit
    compared: list[Compared]
    beats_constant: bool = True
    resolved: DisambiguationResult | None = None
    names: list | None = None
    reason: str = ""

    @property
    def verdict(self) -> str:
        """Whether the sets can distinguish all outputs, in one sentence."""
        return self.reason if self.identifiability is None else self.identifiability.verdict_for(_namer(self.names))

    @property
    def questions(self) -> list[str]:
        """The cheapest questions, with the names of the rows."""
        found = self.identifiability
        return [] if found is None else [asked.format(_namer(self.names)) for asked in found.questions]

    @property
    def markdown(self) -> str:
        """The report as Markdown."""
        facts = self.facts
        sections = [
            *actions.sections(facts),
            Section("Scores on held-out rows", "scores", actions.scores(facts.scores)),
        ]
        sections += [Section(one["title"], "", SummaryTable(**one)) for one in facts.tables]
        return markdown(facts.title, facts.summary, sections, f"Made by infimum {facts.version}.")

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain values, in the schema that the page on the command line describes."""
        return self.facts.to_json()

    def __repr__(self) -> str:
        return f"<Report of {len(self.html)} characters: {self.verdict}>"

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html)}" width="100%" height="600"></iframe>'


def build(
    model: Any,
    X: Any,
    *,
    title: str = "Partial labels",
    names: list | None = None,
    annotators: list | None = None,
    truth: list | None = None,
    impossible: dict[int, str] | None = None,
    unused: dict[str, str] | None = None,
    rows: list[dict] | None = None,
    folder: Any = None,
    hidden: Sequence[str] = (),
    look_alikes: Sequence[Any] = (),
    target: Sequence[str] = (),
) -> Report:
    """Build a report about a fitted model and its training rows.

    Parameters
    ----------
    model : fitted estimator of the library
        A fitted model of this library, or a pipeline that ends with one.
    X : (n, d), or sequences
        The inputs on which it was fitted. The rows of the report about a `PartialSequenceTagger` are tokens.
    title : str
        The title of the report.
    names : list, optional
        The names of the n rows; a repeated id marks several answers for one example. By default, row numbers, or
        the numbers of the sequence and the token.
    annotators : list, optional
        The annotator of each row.
    truth : list, optional
        The true output of each row, None if it is unknown.
    impossible : dict, optional
        Rows that no output satisfies, which count as unlabelled, and why.
    unused : dict, optional
        Columns that are not features, and why.
    rows : list of dict, optional
        The cells of each row, which are shown with the rows to review. By default the cells of the DataFrame X if
        the model is a pipeline.
    folder : path, optional
        The folder of the table; cells that are paths of images in it are shown as images.
    hidden : list of str
        Columns of `rows` that are not shown, such as the target.
    look_alikes : list of LookAlike
        Names that are probably variants of others.
    target : list of str
        The columns of `rows` with the label. They are shown for rows that no output satisfies.

    Examples
    --------
    >>> import numpy as np
    >>> from infimum import PartialClassifier
    >>> from infimum.report import build
    >>> X = np.arange(24.)[:, None]
    >>> y = ["cat|dog", "cat"] * 6 + ["dog|owl", "dog"] * 6
    >>> build(PartialClassifier().fit(X, y), X)
    <Report of ... characters: ...>
    """
    steps = iter(track(STEPS, "report"))
    next(steps)
    if isinstance(model, Pipeline):
        rows = list(frame_of(X, "X").iter_rows(named=True)) if rows is None and is_frame(X) else rows
        X, model = model[:-1].transform(X) if len(model) > 1 else X, model[-1]
    training = training_of(model, X)
    held_out, resolved = training.held_out, training.resolved
    if held_out is not None:
        names = held_out.names if names is None else names
        if held_out.contexts is not None:
            own = [{} for _ in held_out.contexts] if rows is None else rows
            rows = [{IN_SEQUENCE: text, **row} for text, row in zip(held_out.contexts, own)]
    name = _namer(names)
    next(steps)
    found, reason = training.identifiability()
    next(steps)
    audit = training.audit(impossible)
    next(steps)
    compared = training.compared()
    skill = beats_constant(model, compared)
    warning = "" if skill else no_skill(compared[0].text)
    if not skill:  # near rows need not have equal labels then
        audit.suspects = []
        audit.conflicts = [pair for pair in audit.conflicts if pair["distance"] == 0]
    next(steps)
    cases = review.cases_of(model, training.X, audit) if held_out is None else []
    listed = reviewed(training, audit, name, Contents(rows, folder, hidden, target), skill)
    facts = _facts(title, training, audit, compared, skill, listed, found, reason, name, look_alikes)
    next(steps)
    acts = []
    for one in actions.sections(facts):
        content = h.table(one.table.columns, one.table.rows, one.table.title)
        if one.name == "annotators" and resolved is not None:
            content = annotators_section(resolved, one)
        if one.name != "review":
            acts.append((one.title, one.name, content))
    details = [
        ("Labels", "overview", overview.section(training.output, training.sets, annotators, names, unused)),
        ("Identifiability", "identifiability", identifiability.section(found, reason, name)),
        ("Audit and explanations", "audit", review.section(audit, cases, name, warning)),
        ("Model and scores", "results", results.section(training, compared, found, truth, name, warning)),
    ]
    for _ in steps:
        pass
    lead = h.markup(h.summary(facts.summary), h.soft(f"Made by infimum {facts.version}."))
    page = h.page(title, lead, [("Rows to review", "review", actions.cards(facts, warning)), *acts], details)
    return Report(page, facts, found, audit, compared, skill, resolved, names, reason)


def _facts(
    title: str, training: Training, audit: Audit, compared: list[Compared], skill: bool, listed: list[Any],
    found: Identifiability | None, reason: str, name: Callable[[int], str], look_alikes: Sequence[Any],
) -> ReportFacts:  # fmt: skip
    """Return what the report says, with the three sentences of the summary."""
    output, sets, held_out = training.output, training.sets, training.held_out
    groups = {} if held_out is None else {"sequences": held_out.n_groups}
    described = output.describe(sets)
    n, exact, unlabelled = len(sets), int(described.is_exact.sum()), int(described.is_unlabelled.sum())
    facts = ReportFacts(
        title=title,
        version=version("infimum"),
        kind=output.kind,
        summary=[],
        counts={"rows": n, "exact": exact, "partial": n - exact - unlabelled, "unlabelled": unlabelled, **groups},
        names=[str(each) for each in output.questions().names] if output.name_words else [],
        scores=[one.as_dict() for one in compared],
        beats_constant=skill,
        review=listed,
        n_review=len(audit.rows()),
        merge=[{"name": o.name, "count": o.count, "means": o.meaning, "reason": o.reason} for o in look_alikes],
        inseparable=inseparable(found, name),
        verdict=reason if found is None else found.verdict_for(name),
        degree=None if found is None else found.degree,
        annotators=annotators_of(training.resolved),
        tables=[table._asdict() for table in training.tables],
    )
    worst = compared[0].worst_share if compared[0].n_labelled >= ENOUGH else 0.0
    countable = math.isfinite(output.size)
    return replace(facts, summary=summary(facts, len(audit.suspects), len(audit.impossible), countable, worst))


def _namer(names: list | None) -> Callable[[int], str]:
    return lambda row: f"row {row}" if names is None else str(names[row])
