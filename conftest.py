"""Without PyTorch, what needs it is not collected; ``make test-torch`` installs and runs it."""

from importlib.util import find_spec

spec = find_spec("torch")
if spec is None or spec.origin is None:  # no package, or only the folder tests/torch
    collect_ignore = ["tests/torch", "src/infimum/torch"]
