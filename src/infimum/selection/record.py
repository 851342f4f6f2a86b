"""Record: the evaluations of a search so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from math import inf

from .candidates import Candidate
from .evaluate import Evaluation, EvaluationData, evaluate
from .result import Result


class Record:
    """The evaluations of a search so far; they are only ever added to.

    After `max_search_time` seconds, or after `on_result` has returned True, no further candidate is evaluated.
    """

    def __init__(self, max_search_time: float | None = None, on_result: Callable[[Result], bool] | None = None):
        self.on_result, self.stopped = on_result, False
        self.evaluations: list[Evaluation] = []
        self.not_evaluated: list[str] = []
        self.deadline = inf if max_search_time is None else time.perf_counter() + max_search_time
        self._seen: set[tuple[Candidate, int]] = set()

    def is_over(self, has_result: bool = False) -> bool:
        """Whether time is up; not before there is at least one result."""
        over = self.stopped or time.perf_counter() > self.deadline
        return over and (has_result or bool(self.evaluations))

    def on(self, data: EvaluationData) -> list[Evaluation]:
        """Return the evaluations on these rows."""
        return [one for one in self.evaluations if one.result.n == len(data)]

    def latest(self, data: EvaluationData) -> list[Evaluation]:
        """Return the evaluations on these rows or, if there are none, on the most rows so far."""
        n = max((one.result.n for one in self.evaluations), default=0)
        return self.on(data) or [one for one in self.evaluations if one.result.n == n]

    def compare(
        self, candidates: Iterable[Candidate], data: EvaluationData, previews: Iterable[Candidate] = ()
    ) -> list[Evaluation]:
        """Evaluate and record the candidates that are new on these rows; return the previews, which are not kept."""
        new = [one for one in dict.fromkeys(candidates) if (one, len(data)) not in self._seen]
        self._seen.update((one, len(data)) for one in new)
        found = []
        for one in evaluate(new, data, previews, self.is_over):
            if not isinstance(one, Evaluation):
                text = f"{one.candidate.principle}, {one.candidate.negative_weights}, {one.candidate.weights}"
                reason = f"{text}: {one.reason}"
                self.not_evaluated += [reason] if reason not in self.not_evaluated else []
            elif one.preview:
                found.append(one)
            else:
                self.evaluations.append(one)
                self.stopped |= self.on_result is not None and self.on_result(one.result)
        return found
