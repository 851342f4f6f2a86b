"""Without PyTorch, what needs it is not collected; ``make test-torch`` installs and runs it."""

from importlib.util import find_spec

if find_spec("torch") is None:
    collect_ignore = ["tests/torch_modules", "src/infimum/torch"]
