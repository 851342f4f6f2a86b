"""Build the report from a fitted model and its table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from sklearn.base import clone

from ..data.progress import track
from ..diagnostics import Audit, Identifiability
from ..diagnostics.audit import of_predictions as audit_of_predictions
from ..diagnostics.audit import of_sets as audit_of
from ..diagnostics.identifiability import of_sets as identifiability_of
from ..disambiguation import Disambiguation, DisambiguationResult, supports_soft
from ..estimators.base import validated
from ..estimators.generic import PartialEstimator
from ..estimators.held_out import HeldOut
from ..outputs import OutputSpace, Sets
from ..outputs.merging import WORDS
from ..selection import out_of_fold
from ..selection.scores import no_skill
from . import _page as h
from . import actions, identifiability, overview, results, review
from .annotators import facts_of as annotators_of
from .annotators import section as annotators_section
from .facts import Contents, Facts, inseparable, reviewed
from .markdown import markdown
from .summary import summary

ONLY_GROUPS = "Not available, because no row has a label."
IN_SEQUENCE = "in its sequence"
"""The column that shows a token with the words around it."""

STEPS = ("labels", "identifiability", "audit", "held-out rows", "explanations", "figures")


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """An HTML report, and the results that it shows.

    Attributes
    ----------
    html : str
        The report, one file that needs no network.
    facts : Facts
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
    facts: Facts
    identifiability: Identifiability | None
    audit: Audit
    compared: list[results.Compared]
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
        return markdown(self.facts)

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
) -> Report:
    """Build a report about a fitted model and its training rows.

    Parameters
    ----------
    model : fitted estimator of the library
        A fitted model of this library.
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
        The cells of each row, which are shown with the rows to review.
    folder : path, optional
        The folder of the table; cells that are paths of images in it are shown as images.
    hidden : list of str
        Columns of `rows` that are not shown, such as the target.
    look_alikes : list of LookAlike
        Names that are probably variants of others.

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
    held_out, weights = None, None
    if hasattr(model, "held_out"):  # rows without features of their own: the model has predicted them itself
        held_out = model.held_out(X)
        output, sets, X, resolved = held_out.output, held_out.sets, held_out.X, held_out.resolved
        names, rows = _of_tokens(held_out, names, rows)
    else:
        output, sets, X = _rows_of(model, X)
        weights, resolved = model.recipe_.weights, _disambiguated(model, X, output, sets)
    name = _namer(names)
    next(steps)
    only_groups = held_out is None and bool(sets.is_unlabelled.all()) and resolved is not None
    found, reason = (None, ONLY_GROUPS) if only_groups else _identifiability(X, output, sets, weights, resolved)
    next(steps)
    if only_groups:
        assert resolved is not None
        z = out_of_fold(model.recipe_, X, output, sets, cv=results.FOLDS).z
        audit = audit_of_predictions(output, sets, z, resolved, impossible)
        next(steps)
        compared = results.scored(output, output.read(np.asarray(resolved.labels)), {"the model": z})
    elif held_out is None:
        audit = audit_of(X, output, sets, weights, resolved, impossible)
        next(steps)
        compared = results.compared(model, X, output, sets)
    else:
        audit = audit_of_predictions(output, sets, held_out.predictions["the model"], held_out.resolved, impossible)
        next(steps)
        compared = results.scored(output, sets, held_out.predictions)
    skill = results.beats_constant(model, compared)
    warning = "" if skill else no_skill(compared[0].text)
    if not skill:  # near rows need not have equal labels then
        audit.suspects = []
        audit.conflicts = [pair for pair in audit.conflicts if pair["distance"] == 0]
    next(steps)
    cases = review.cases_of(model, X, audit) if held_out is None else []
    contents = Contents(rows, folder, hidden)
    listed = reviewed(model, X, output, sets, audit, resolved, name, contents, skill)
    people = annotators_of(resolved)
    groups = {} if held_out is None else {"sequences": held_out.n_groups}
    facts = _facts(
        title, output, sets, audit, compared, skill, listed, found, reason, name, look_alikes, people, groups
    )  # fmt: skip
    tables = [] if held_out is None else held_out.tables
    facts.tables = [table._asdict() for table in tables]
    next(steps)
    details = [
        ("Labels", "overview", overview.section(output, sets, annotators, names, unused)),
        ("Identifiability", "identifiability", identifiability.section(found, reason, name)),
        ("Audit and explanations", "audit", review.section(audit, cases, name, warning)),
        ("Model and scores", "results", results.section(
            model, output, sets, resolved, compared, found, truth, name, warning, tables)),
    ]  # fmt: skip
    for _ in steps:
        pass
    lead = h.markup(actions.summary(facts), h.soft(f"Made by infimum {_version()}."))
    acts = actions.sections(facts, warning)
    if people and resolved is not None:
        acts.append(("Annotators", "annotators", annotators_section(resolved)))
    page = h.page(title, lead, acts, details)
    return Report(page, facts, found, audit, compared, skill, resolved, names, reason)


def _rows_of(model: Any, X: Any) -> tuple[OutputSpace, Sets, Any]:
    """Return the output space, the training sets and X as numbers; raise an error if they do not fit together."""
    sets = vars(model).get("sets_")
    if sets is None:
        raise ValueError("A report requires the training sets. Fit the model on arrays instead of chunks.")
    X = validated(model, X)
    if X.shape[0] != len(sets):
        raise ValueError(f"X has {X.shape[0]} rows; the model was fitted on {len(sets)}.")
    return model.output_, sets, X


def _of_tokens(held_out: HeldOut, names: list | None, rows: list[dict] | None) -> tuple[list | None, list[dict] | None]:
    """Return the names and the cells of tokens, with each token in its sequence as the first cell."""
    names = held_out.names if names is None else names
    if held_out.contexts is None:
        return names, rows
    own = [{} for _ in held_out.contexts] if rows is None else rows
    return names, [{IN_SEQUENCE: text, **row} for text, row in zip(held_out.contexts, own)]


def _facts(
    title: str, output: OutputSpace, sets: Sets, audit: Audit, compared: list[results.Compared], skill: bool,
    listed: list[Any], found: Identifiability | None, reason: str, name: Callable[[int], str],
    look_alikes: Sequence[Any], people: list[dict[str, Any]], groups: dict[str, int],
) -> Facts:  # fmt: skip
    described = output.describe(sets)
    n, exact, unlabelled = len(sets), int(described.is_exact.sum()), int(described.is_unlabelled.sum())
    counts = {"rows": n, "exact": exact, "partial": n - exact - unlabelled, "unlabelled": unlabelled, **groups}
    names = [str(each) for each in output.questions().names] if output.kind in WORDS else []
    scores = [one.as_dict() for one in compared]
    merge = [{"name": o.name, "count": o.count, "means": o.meaning, "reason": o.reason} for o in look_alikes]
    blind, n_review = inseparable(found, name), len(audit.rows())
    sentences = summary(
        output.kind, counts, names, scores, skill, n_review, len(audit.suspects), len(audit.impossible), merge, blind,
        math.isfinite(output.size), people,
    )  # fmt: skip
    verdict = reason if found is None else found.verdict_for(name)
    degree = None if found is None else found.degree
    return Facts(
        title, _version(), output.kind, sentences, counts, names, scores, skill, listed, n_review, merge, blind,
        verdict, degree, people,
    )  # fmt: skip


def _identifiability(
    X: Any, output: OutputSpace, sets: Sets, weights: Any, resolved: DisambiguationResult | None
) -> tuple[Identifiability | None, str]:
    """Return the identifiability, or None and why the output type has none."""
    try:
        return identifiability_of(X, output, sets, weights, resolved=resolved), ""
    except ValueError as error:
        return None, str(error)


def _disambiguated(model: Any, X: Any, output: OutputSpace, sets: Sets) -> DisambiguationResult | None:
    """Return the labels that disambiguation estimates: those of the model, or those that `infimum clean` writes.

    If the model has another principle, a disambiguation with the same parameters is fitted.
    """
    if model.disambiguation_ is not None:
        return model.disambiguation_
    if not output.bilinear or sets.is_unlabelled.all():
        return None
    weights = model.weights if supports_soft(sets) else model.recipe_.weights
    weights = clone(weights) if hasattr(weights, "get_params") else weights
    other = PartialEstimator(
        output,
        Disambiguation(),
        weights=weights,
        max_search_time=model.max_search_time,
        search_config=model.search_config,
    )
    return other.fit(X, sets).disambiguation_


def _namer(names: list | None) -> Callable[[int], str]:
    return lambda row: f"row {row}" if names is None else str(names[row])


def _version() -> str:
    from importlib.metadata import version

    return version("infimum")
