"""The contract of every case: the right answer, or a refusal in the library's own words; within time and memory."""

from __future__ import annotations

import contextlib
import re
import resource
import signal
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import infimum
from infimum import InfimumWarning

SECONDS = 20
"""No case is larger than a few rows: who is at work after this much processor time does not end."""
MEBIBYTES = 512
"""By how much a case may raise the largest memory that the process has had."""
HOME = str(Path(infimum.__file__).parent)

FOREIGN = [
    r"could not convert", r"not supported between instances", r"unhashable",
    r"object is not (iterable|callable|subscriptable)",
    r"has no (attribute|len)", r"setting an array element", r"truth value of", r"broadcast", r"invalid literal",
    r"must be real number", r"only (length-1|0-dimensional|integer)", r"inhomogeneous",
    r"cannot (convert|reshape|cast|unpack)",
    r"not enough values", r"too many values", r"out of (bounds|range)", r"unsupported operand", r"unorderable",
    r"list indices", r"infs or NaNs", r"ufunc", r"arg\w+ of an empty sequence", r"zero-size array",
    r"need at least one",
    r"codec can't", r"takes \d+ positional", r"unexpected keyword", r"boolean value of NA", r"cannot be interpreted",
    r"dtype\('", r"no loop", r"must be a string", r"Expected (2|1)D array", r"leading minor", r"SVD did not",
    r"Singular",
    r"cannot do a non-empty take", r"dictionary changed", r"math domain", r"int too large", r"Cannot use a str",
    r"expected (str|int|float|bytes)", r"NoneType", r"abs\(\)", r"bad operand",
]  # fmt: skip
"""How NumPy, SciPy, pandas, polars and Python complain: words that no user of ours should have to read."""

OF_SKLEARN = [
    r"Expected 2D array", r"Found array with", r"Complex data not supported", r"Input \w+ contains",
    r"[Ss]ample.weight",
    r"X has \d+ features", r"feature names", r"inconsistent numbers of samples", r"[Pp]arameter", r"X must",
    r"Sparse data was passed",
]  # fmt: skip
"""Refusals that scikit-learn's own checks ask every estimator to make in these words."""
ALLOWED = r"X has feature names, but|X does not have valid feature names|A column-vector y was passed"
"""Warnings of scikit-learn's conventions: names were given once and not the other time; a y of one column."""

NAMED = re.compile(
    r"\b(rows?|columns?|blocks?|files?|y|X|classes|tags|items|cost|[Tt]axonomy|lam|lams|gamma|gammas|sigma|degree|coef0|"
    r"kernel|n_tags|tag_cost|bounds|loss|principle|negative_weights|weights|solver|sample_weight|n_neighbors|n_centers|centers|"
    r"radius|center|codes|ranks|orders|pairs|negated|listed|time_limit|level|phase|inner|outer|lower|upper|points|"
    r"max_iter|n_starts|max_outputs|features?|target|weight|tol|n_jobs|random_state|verbose|max_search_time|candidates|n|cv|"
    r"groups|level|covers|method|score|holdout|ambiguity|strategy|questions|scoring|scalings|kernels|gammas|"
    r"principles|search_config|estimator|model|reject|\w+\.(skops|csv|json))\b"
)
"""A refusal names a row, a block, a file or a parameter."""


def score(model, X, y):
    """Return the score of a model, or 1 if no row of y is labelled: such rows do not count in scores."""
    try:
        return model.score(X, y)
    except ValueError as error:
        if "Scores require labelled rows" not in str(error):
            raise
        return 1.0


class Broken(AssertionError):
    """The contract is broken: `kind` in a few words."""

    def __init__(self, kind: str, text: str = "") -> None:
        super().__init__(f"{kind}: {text}" if text else kind)
        self.kind, self.text = kind, text

    @property
    def signature(self) -> str:
        """What two failures of one cause have in common: numbers and names are left out."""
        plain = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`|0x\w+|-?\d+(\.\d+)?(e[+-]?\d+)?", "…", self.text.split("\n")[0])
        for _ in range(3):
            plain = re.sub(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}", "…", plain)
        return f"{self.kind}: {re.sub(r'…[…, ]*…', '…', plain)}"[:90]


class TooLong(BaseException):
    """Raised by the alarm; not an Exception, so that no handler takes it for an ordinary error."""


@dataclass
class Refused:
    """A refusal in the library's own words."""

    error: BaseException

    def __str__(self) -> str:
        return str(self.error)


def own_words(error: BaseException) -> str | None:
    """What is wrong with a refusal, or None."""
    kind, text = type(error), str(error)
    if kind not in (ValueError, TypeError, MemoryError) and not kind.__module__.startswith(("infimum", "sklearn.exc")):
        return f"another exception: {kind.__name__}: {text}"
    if not text.strip():
        return f"a bare {kind.__name__}"
    last = traceback.extract_tb(error.__traceback__)[-1].filename
    if "sklearn" in last and kind is ValueError and any(re.search(p, text) for p in OF_SKLEARN):
        return None
    for pattern in FOREIGN:
        if re.search(pattern, text):
            return f"foreign words: {kind.__name__}: {text}"
    if not NAMED.search(text):
        return f"names no row and no parameter: {kind.__name__}: {text}"
    if not last.startswith(HOME):
        return f"raised in {Path(last).name}: {kind.__name__}: {text}"
    return None


@contextlib.contextmanager
def limits(seconds: float = SECONDS) -> Iterator[None]:
    """Break what does not end, or takes more memory than the whole campaign should."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    alarm = threading.current_thread() is threading.main_thread()

    def ring(*_: Any) -> None:
        raise TooLong

    if alarm:
        old = signal.signal(signal.SIGPROF, ring)
        signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    except TooLong:
        raise Broken("no end", f"still at work after {seconds} s of processor time") from None
    finally:
        if alarm:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, old)
    taken = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    if taken > MEBIBYTES:
        raise Broken("memory", f"{taken:.0f} MiB more")


def attempt(action: Callable[[], Any], seconds: float = SECONDS) -> Any:
    """What `action` returns, or `Refused`; anything else is `Broken`."""
    with limits(seconds), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result = action()
        except Broken:
            raise
        except Exception as error:
            wrong = own_words(error)
            if wrong is not None:
                raise Broken(*wrong.split(": ", 1)) from error
            result = Refused(error)
    for w in seen:
        if not issubclass(w.category, InfimumWarning) and not re.search(ALLOWED, str(w.message)):
            raise Broken("leaked warning", f"{w.category.__name__}: {w.message}")
    return result


@dataclass
class Case:
    """One column (or table, or parameter) and what it must lead to.

    verdict "answer": `run` must return (it compares with the oracle itself and raises `Broken`); "either": it may be
    refused; "refuse": it must be. Where one row is at fault, `row` is its number, which the refusal must name.
    """

    run: Callable[[], Any]
    verdict: str = "answer"
    row: int | None = None
    note: str = ""
    what: str = ""

    def __repr__(self) -> str:
        return f"<{self.verdict}{'' if self.row is None else f', row {self.row}'}> {self.note}"


def check(case: Case) -> str:
    """Run a case against the contract; what came of it, "answered" or "refused"."""
    result = attempt(case.run)
    if isinstance(result, Refused):
        if case.verdict == "answer":
            raise Broken("refused", f"a documented form: {result}")
        if case.row is not None and case.verdict == "refuse" and not re.search(rf"\brow {case.row}\b", str(result)):
            raise Broken("row not named", f"row {case.row} is at fault: {result}")
        return "refused"
    if case.verdict == "refuse":
        raise Broken("not refused", case.what or case.note[:300])
    return "answered"
