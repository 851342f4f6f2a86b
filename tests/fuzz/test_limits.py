"""What must not run for ever or take what is not there: refused by name, each in a process with a limit."""

import json
import re
import resource

import pytest

from .contract import FOREIGN, OF_SKLEARN
from .faults import python

SETUP = "import numpy as np; from infimum import *; X = np.arange(6.0)[:, None]; y = list('abcabc')\n"
ENDLESS = {
    "X of 1e200": ("PartialClassifier.paper().fit([[0.], [1.], [1e200]], list('abc'))", "X|gamma|kernel"),
    "lam": ("PartialClassifier.paper(weights=weights.KernelRidge(lam=np.inf)).fit(X, y)", "lam"),
    "lam of NaN": ("PartialClassifier.paper(weights=weights.KernelRidge(lam=np.nan)).fit(X, y)", "lam"),
    "gamma of NaN": ("PartialClassifier.paper(weights=weights.KernelRidge(gamma=np.nan)).fit(X, y)", "gamma"),
    "gamma": ("PartialClassifier.paper(weights=weights.KernelRidge(gamma=np.inf)).fit(X, y)", "gamma"),
    "gamma of -inf": ("PartialClassifier.paper(weights=weights.KernelRidge(gamma=-np.inf)).fit(X, y)", "gamma"),
    "sample weights": ("PartialClassifier().fit(X, y, sample_weight=[1e308] * 6)", "sample_weight"),
    "lams": ("PartialSearch(lams=[np.inf]).fit(X, y)", "lams"),
    "polynomial":
        ("PartialClassifier.paper(weights=weights.KernelRidge(kernel='polynomial', degree=300)).fit(X * 1e3, y)",
    "kernel|degree"),
    "a kernel of NaN": ("PartialClassifier.paper(weights=weights.KernelRidge(kernel=lambda a, b: np.nan)).fit(X, y)",
    "kernel"),
    "a kernel of inf": ("PartialClassifier.paper(weights=weights.KernelRidge(kernel=lambda a, b: np.inf)).fit(X, y)",
    "kernel"),
    "precomputed":
        ("PartialClassifier.paper(weights=weights.KernelRidge(kernel='precomputed')).fit(X @ X.T + np.inf, y)",
    "X|kernel"),
    "laplacian gamma": ("PartialClassifier.paper(weights=weights.Laplacian(2, gamma=np.inf)).fit(X, y).predict(X)",
                        "gamma"),
    "nystrom gamma": ("PartialClassifier.paper(weights=weights.Nystrom(3, gamma=np.nan)).fit(X, y)", "gamma"),
    "linear lam": ("PartialClassifier.paper(weights=weights.LinearRidge(lam=np.inf)).fit(X, y)", "lam"),
}  # fmt: skip
ALSO_ANSWERED = {"sample weights", "X of 1e200", "laplacian gamma", "polynomial"}
"""Where a finite answer is as good as a refusal."""
EACH = """
import json, signal, sys, warnings
warnings.simplefilter("error", RuntimeWarning)
class TooLong(BaseException):
    pass
def ring(*_):
    raise TooLong
signal.signal(signal.SIGALRM, ring)
for name, action in json.loads(sys.argv[1]).items():
    said = ""
    signal.setitimer(signal.ITIMER_REAL, 10)
    try:
        got = eval(action)
        said = f"ANSWERED {got.predict(X) if hasattr(got, 'predict') else got}"
    except TooLong:
        said = "NO END"
    except Exception as error:
        said = f"REFUSED {type(error).__name__}: {error}"
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(json.dumps([name, said]), flush=True)
"""


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    """What came of every case, each within ten seconds of its own, in one process."""
    actions = {name: action for name, (action, _) in ENDLESS.items()}
    run = python(SETUP + EACH, json.dumps(actions), timeout=400)
    return dict(json.loads(line) for line in run.stdout.splitlines()) | {"": run.stderr[-1000:]}


@pytest.mark.parametrize("name", ENDLESS)
def test_infinite_input_raises_by_name_and_in_time(name, told):
    assert name in told, f"the process died: {told['']}"
    said = told[name]
    if name in ALSO_ANSWERED and said.startswith("ANSWERED"):
        assert not re.search(r"\bnan\b", said), said
        return
    assert said.startswith("REFUSED"), said
    assert re.search(rf"\b({ENDLESS[name][1]})\b", said), said
    if not any(re.search(p, said) for p in OF_SKLEARN):
        assert not any(re.search(p, said) for p in FOREIGN), said


HUGE = {
    "kernel, 30,000 rows": "PartialClassifier.paper().fit(np.arange(30_000.)[:, None], np.tile(['a', 'b'], 15_000))",
    "kernel, 22,000 rows": "PartialClassifier.paper().fit(np.arange(22_000.)[:, None], np.tile(['a', 'b'], 11_000))",
    "items": "PartialRanker(items=100_000).fit(X, [[k] for k in range(6)])",
}


@pytest.fixture(scope="module")
def refused() -> dict[str, str]:
    """What came of every case, in one process with four GiB of address space."""
    four = 4 * 2**30
    run = python(
        SETUP + EACH, json.dumps(HUGE), timeout=400,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (four, four)),
    )  # fmt: skip
    return dict(json.loads(line) for line in run.stdout.splitlines()) | {"": run.stderr[-1000:]}


@pytest.mark.parametrize("name", HUGE)
def test_memory_is_refused_before_it_is_taken(name, refused):
    """An error with a way out, never a bare MemoryError, never a dead process."""
    assert name in refused, f"the process died: {refused['']}"
    said = refused[name]
    assert said.startswith(("REFUSED MemoryError", "REFUSED ValueError", "REFUSED InputError")), said[:500]
    assert "Unable to allocate" not in said
    assert any(word in said for word in ("Nystrom", "Nyström", "items", "GiB", "fewer")), said[:500]
