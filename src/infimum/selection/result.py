"""SelectionResult: the candidates that were compared, and the one that was selected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from html import escape
from math import isnan, nan
from typing import Any

import numpy as np

from ..data.text_tables import aligned, html_table
from .candidates import Candidate
from .config import SearchConfig
from .scores import no_skill

N_SHOWN = 12
"""Lines of the table that are printed."""


@dataclass(frozen=True)
class Result:
    """The cross-validation scores of one candidate, as text and numbers."""

    weights: str
    scaling: str
    kernel: str
    gamma: float
    """The kernel width in units of 1 / (median distance); NaN if there is none, as for all parameters."""
    lam: float
    penalty: float
    n_neighbors: float
    min_samples_leaf: float
    max_features: float
    splits: str
    parts: str
    """The base learners of a mixture, with their shares."""
    rows: str
    """ "exact" if only rows with an exact label are used; empty if all are."""
    principle: str
    negative_weights: str
    n: int
    """The number of rows. Scores are means over the labelled rows among them."""
    covering_rate: float
    neg_set_risk: float
    log_likelihood: float
    """NaN if the sets have no likelihood under this candidate."""
    chance_corrected: float = nan
    """NaN unless computed by `PartialSearch`, or for the selected candidate."""
    seconds: float = nan

    @classmethod
    def of(cls, candidate: Candidate, n: int, scores: dict[str, Any], seconds: float) -> Result:
        """Return the result of a candidate on n rows."""
        found = {field.name: getattr(candidate, field.name) for field in fields(candidate)}
        params: dict[str, Any] = {name: nan if value is None else value for name, value in found.items()}
        texts = [f"{share:.2g} {cls.of(part, n, scores, seconds).text}" for part, share in candidate.parts]
        return cls(**{**params, "parts": "; ".join(texts)}, n=n, **scores, seconds=seconds)

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the candidate; those that its base learner does not have are left out."""
        found = {field.name: getattr(self, field.name) for field in fields(Candidate)}
        return {name: value for name, value in found.items() if value != "" and value == value}

    @property
    def text(self) -> str:
        """The base learner in a few words."""
        return f"{self._learner}, {self.rows} rows" if self.rows else self._learner

    @property
    def _learner(self) -> str:
        if self.parts:
            return f"mixture of {len(self.parts.split('; '))}"
        if self.weights == "linear":
            return f"linear, lam {self.lam:.0e}, {self.scaling}"
        if self.weights == "logistic":
            return f"logistic, penalty {self.penalty:g}"
        if self.kernel:
            text = f"{self.kernel} {self.gamma:g}, lam {self.lam:.0e}, {self.scaling}"
            return text if self.weights == "kernel" else f"{self.weights}, {text}"
        if not isnan(self.n_neighbors):
            return f"{self.weights}, {self.n_neighbors:g} nearest"
        if self.weights == "boosting":
            return f"boosting, {self.max_features:.2g} of the features"
        if isnan(self.min_samples_leaf):
            return self.weights
        trees = "extra trees" if self.splits == "extra" else "forest"
        return f"{trees}, leaves of {self.min_samples_leaf:g}" + (
            "" if isnan(self.max_features) else f", {self.max_features:.2g} of the features"
        )


class SelectionResult:
    """The candidates that were compared, and the one that was selected.

    It contains text and numbers only.

    Attributes
    ----------
    results : list of Result
        One per candidate and number of rows, with its cross-validation scores; the selected one first. Empty if
        nothing was compared.
    best : Result or None
        The selected one.
    best_params : dict
        The parameters of the selected model, by name.
    scoring : str
        The score by which principles were compared: "log_likelihood" if all candidates have one, else "neg_set_risk".
    complete : bool
        False if the search was interrupted, or ended by `max_search_time`.
    not_evaluated : list of str
        Candidates that could not be evaluated, each with the reason.
    reason : str
        Why nothing was compared; empty otherwise.
    config : SearchConfig
        The constants of the search.
    scores : dict
        The scores of the selected candidate on the labelled rows: "covering_rate", "chance_corrected", "set_risk",
        "n_labelled". For regression, "errors" contains the ranges of the RMSE and of R² that the sets allow.
        "constant" contains the same for the best constant prediction, and its "output" as text. Empty if nothing was
        compared.
    beats_constant : bool or None
        Whether the set risk of the selected candidate is below that of the best constant prediction by more than one
        standard error of the difference. If not, the predictions do not allow conclusions about the labels. None if
        nothing was compared.
    """

    def __init__(
        self,
        results: Iterable[Result] = (),
        best: Result | None = None,
        best_params: dict[str, Any] | None = None,
        *,
        complete: bool = True,
        not_evaluated: Iterable[str] = (),
        reason: str = "",
        config: SearchConfig | None = None,
        scores: dict[str, Any] | None = None,
    ):
        results = list(results)
        self.scoring = scoring_of(result.log_likelihood for result in results)
        key = {id(one): (one is not best, -one.n, -getattr(one, self.scoring)) for one in results}
        self.results = sorted(results, key=lambda one: key[id(one)])
        self.best_params = best_params or ({} if best is None else best.params)
        self.complete, self.not_evaluated, self.reason = complete, list(not_evaluated), reason
        self.config = SearchConfig() if config is None else config
        self.scores = scores or {}

    @property
    def beats_constant(self) -> bool | None:
        return self.scores.get("beats_constant")

    @property
    def best(self) -> Result | None:
        return self.results[0] if self.results else None

    def to_frame(self) -> Any:
        """Return the results as a pandas DataFrame, the selected one first."""
        import pandas as pd

        return pd.DataFrame(self._columns())

    def plot(self, ax: Any = None) -> Any:
        """Plot the cross-validation scores of the candidates by principle; the selected one is circled."""
        from ..plotting import SelectionDisplay

        return SelectionDisplay.from_selection(self, ax)

    def table(self) -> list[tuple[str, ...]]:
        """Return the first results as text: a header, then one line per result."""
        head = ("weights", "principle", "negative weights", "rows", "set risk", "covered", "log P(S)")
        body = [
            (one.text, one.principle, one.negative_weights, str(one.n), f"{-one.neg_set_risk:.4g}",
             f"{one.covering_rate:.3f}", "" if isnan(one.log_likelihood) else f"{one.log_likelihood:.4g}")
            for one in self.results[:N_SHOWN]
        ]  # fmt: skip
        last = None if any(line[-1] for line in body) else -1  # no column of likelihoods if there are none
        return [line[:last] for line in (head, *body)]

    def __repr__(self) -> str:
        if not self.results:
            params = ", ".join(str(value) for value in self.best_params.values())
            return f"Nothing was compared: {params}. {self.reason}"
        more = len(self.results) - N_SHOWN
        tail = [f"… and {more} more"] if more > 0 else []
        head = f"Selected from {len(self.results)} candidates by cross-validation:"
        return "\n".join([head, *aligned(self.table()), *tail, *self._beside_constant()])

    def _repr_html_(self) -> str:
        if not self.results:
            return f"<p>{escape(repr(self))}</p>"
        return html_table(self.table()) + "".join(f"<p>{escape(line)}</p>" for line in self._beside_constant())

    def html_details(self) -> str:
        """Return the selected parameters in one line of HTML that unfolds the comparison."""
        text = ", ".join(f"{name}={value}" for name, value in self.best_params.items())
        return f"<details><summary>Selected model: {escape(text)}</summary>{self._repr_html_()}</details>"

    def _beside_constant(self) -> list[str]:
        """Return the comparison with the best constant prediction, in one or two sentences."""
        found = self.scores
        if not found:
            return []
        constant = found["constant"]
        text = (
            f"On {found['n_labelled']} labelled rows, the selected model has set risk {found['set_risk']:.4g} and"
            f" covering rate {found['covering_rate']:.3f} ({found['chance_corrected']:z.3f} chance-corrected); the best"
            f" constant prediction ({constant['output']}) has {constant['set_risk']:.4g} and"
            f" {constant['covering_rate']:.3f}."
        )
        return [text] if found["beats_constant"] else [text, no_skill(constant["output"])]

    def _columns(self) -> dict[str, Any]:
        return {field.name: np.array([getattr(one, field.name) for one in self.results]) for field in fields(Result)}

    def __getstate__(self) -> dict[str, Any]:
        """Save the results as one text and one array, and of the config what differs from the defaults.

        Many small objects would take ten times the space in a file of skops.
        """
        rows = [[getattr(one, name) for name in TEXTS + NUMBERS] for one in self.results]
        text = "\n".join("\t".join(row[: len(TEXTS)]) for row in rows)
        default = SearchConfig()
        config = {name: value for name, value in vars(self.config).items() if value != getattr(default, name)}
        numbers = np.array([row[len(TEXTS) :] for row in rows], dtype=float)
        return {**vars(self), "results": (text, numbers), "config": config}

    def __setstate__(self, state: dict[str, Any]) -> None:
        text, numbers = state["results"]
        rows = [line.split("\t") + row.tolist() for line, row in zip(text.split("\n"), numbers)]
        results = [Result(**dict(zip(TEXTS + NUMBERS, row))) for row in rows]
        self.__dict__.update(state, config=SearchConfig(**state["config"]))
        self.results = [replace(one, n=int(one.n)) for one in results]


TEXTS = tuple(field.name for field in fields(Result) if field.type == "str")
NUMBERS = tuple(field.name for field in fields(Result) if field.type != "str")


def scoring_of(likelihoods: Iterable[float]) -> str:
    """Return the score by which principles are compared: the likelihood if all of them have one, else the set risk."""
    return "neg_set_risk" if any(map(isnan, likelihoods)) else "log_likelihood"
