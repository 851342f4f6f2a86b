"""Without PyTorch, what needs it is not collected; ``make test-torch`` installs and runs it."""

from importlib.util import find_spec

if find_spec("torch") is None:
    collect_ignore = ["tests/nets", "src/infimum/torch"]
