"""From a fitted model and its table to the page."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from ..data.progress import track
from ..diagnostics import Audit, Identifiability
from ..diagnostics.identifiability import LAM
from ..disambiguation import Disambiguation, DisambiguationResult
from ..outputs import OutputSpace, Sets
from ..weights import KernelRidge, Scaled
from . import _page as h
from . import identifiability as can_tell
from . import overview as what_is_there
from . import results as learned
from . import review as looked_at

SHARP_ROWS = 5000  # up to here two disambiguations are compared
STEPS = ("labels", "identifiability", "audit", "held-out rows", "explanations", "figures")


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """What was found, and the page that says it.

    Attributes
    ----------
    html : str
        The whole page, one file without a network.
    identifiability : Identifiability
    audit : Audit
    compared : list
        The model and simple ones on rows that were held out.
    resolved : DisambiguationResult or None
        What disambiguation made of the sets.
    names : list or None
        What rows are called.
    """

    html: str
    identifiability: Identifiability
    audit: Audit
    compared: list[learned.Compared]
    resolved: DisambiguationResult | None = field(default=None)
    names: list | None = field(default=None)

    @property
    def verdict(self) -> str:
        """Whether these sets can tell, in one sentence; rows go by the names that they were given."""
        return self.identifiability.verdict_for(_caller(self.names))

    @property
    def questions(self) -> list[str]:
        """The cheapest questions, by the same names."""
        return [asked.format(_caller(self.names)) for asked in self.identifiability.questions]

    def __repr__(self) -> str:
        return f"<Report of {len(self.html)} letters: {self.verdict}>"

    def _repr_html_(self) -> str:
        from html import escape

        return f'<iframe srcdoc="{escape(self.html)}" width="100%" height="600"></iframe>'


def build(
    model: Any,
    X: Any,
    *,
    title: str = "What these sets can teach",
    names: list | None = None,
    annotators: list | None = None,
    truth: list | None = None,
    impossible: dict[int, str] | None = None,
    aside: dict[str, str] | None = None,
) -> Report:
    """A report about a fitted model and the rows that it was fitted on.

    Parameters
    ----------
    model : fitted estimator of the library
    X : (n, d)
        The inputs that it was fitted on.
    title : str
        Of the page.
    names : list, optional
        What rows are called, n of them; ids that come several times are rows of one thing. By default, row numbers.
    annotators : list, optional
        Who gave each row.
    truth : list, optional
        The exact answer where it is known, None elsewhere.
    impossible : dict, optional
        Rows that were set aside, and why.
    aside : dict, optional
        Columns that were not learned from, and why.

    Examples
    --------
    >>> import numpy as np
    >>> from infimum import PartialClassifier
    >>> from infimum.report import build
    >>> X = np.arange(24.)[:, None]
    >>> y = ["cat|dog", "cat"] * 6 + ["dog|owl", "dog"] * 6
    >>> build(PartialClassifier().fit(X, y), X)
    <Report of ... letters: ...>
    """
    sets = vars(model).get("sets_")
    if sets is None:
        raise ValueError("A report needs the training sets: fit the model on arrays, not on rows in blocks.")
    output, X = model.output_, model._validated(X)
    if X.shape[0] != len(sets):
        raise ValueError(f"X has {X.shape[0]} rows; the model was fitted on {len(sets)}.")
    call = _caller(names)
    steps = iter(track(STEPS, "report"))
    next(steps)
    resolved = _resolved(model, X, output, sets)
    next(steps)
    weights = model.recipe_.weights
    found = tells_of(X, output, sets, weights, resolved)
    next(steps)
    audit = audits_of(X, output, sets, weights, resolved, impossible)
    next(steps)
    rows = learned.compared(model, X, output, sets)
    next(steps)
    cases = looked_at.cases_of(model, X, audit)
    next(steps)
    sections = [
        ("What is there", "there", what_is_there.content(output, sets, annotators, names, aside)),
        ("Can these sets ever tell?", "tell", can_tell.content(found, call)),
        ("Rows to look at again", "again", looked_at.content(audit, cases, call)),
        ("What was learned", "learned", learned.content(model, output, sets, resolved, rows, found, truth, call)),
    ]
    for _ in steps:
        pass
    lead = h.soft(_lead(output, sets))
    return Report(h.page(title, lead, sections), found, audit, rows, resolved, names)


def tells_of(
    X: Any, output: OutputSpace, sets: Sets, weights: Any, resolved: DisambiguationResult | None
) -> Identifiability:
    from ..diagnostics.identifiability import of_sets

    return of_sets(X, output, sets, weights, resolved=resolved)


def audits_of(
    X: Any,
    output: OutputSpace,
    sets: Sets,
    weights: Any,
    resolved: DisambiguationResult | None,
    impossible: dict[int, str] | None,
) -> Audit:
    from ..diagnostics.audit import of_sets

    return of_sets(X, output, sets, weights, resolved, impossible)


def _resolved(model: Any, X: Any, output: OutputSpace, sets: Sets) -> DisambiguationResult | None:
    """What disambiguation makes of the sets.

    By the weights of the model or, where these were chosen for another principle and suit it less, by sharper ones:
    those under which sets are more probable by rows that did not see them.
    """
    from ..estimators.generic import PartialEstimator

    if model.disambiguation_ is not None:
        return model.disambiguation_
    if not output.bilinear or sets.is_unlabelled.all():
        return None
    weights = model.recipe_.weights
    families = [clone(weights) if hasattr(weights, "get_params") else weights]
    if sets.options() is not None and len(sets) <= SHARP_ROWS:
        families.append(Scaled(KernelRidge(lam=LAM)))
    made = [PartialEstimator(output, Disambiguation(), "inside", family) for family in families]
    return max((one.fit(X, sets).disambiguation_ for one in made), key=_likelihood)


def _likelihood(resolved: DisambiguationResult | None) -> float:
    """The mean log-probability of the sets by rows that did not see them."""
    if resolved is None or resolved.support is None:
        return -math.inf
    return float(np.mean(np.log(np.clip(resolved.support, 1e-6, 1))))


def _caller(names: list | None) -> Callable[[int], str]:
    return lambda row: f"row {row}" if names is None else str(names[row])


def _lead(output: OutputSpace, sets: Sets) -> str:
    return f"{sets!r}".strip("<>") + f". Made by infimum {_version()}, without a network."


def _version() -> str:
    import infimum

    return infimum.__version__
