"""Every benchmark, or those named: ``python -m benchmarks [core rankings …]``."""

import importlib
import pkgutil
import sys
import time

import benchmarks


def main() -> None:
    every = sorted(m.name for m in pkgutil.iter_modules(benchmarks.__path__) if not m.name.startswith("_"))
    for name in sys.argv[1:] or every:
        start = time.perf_counter()
        importlib.import_module(f"benchmarks.{name}").main()
        sys.stdout.write(f"({name}: {time.perf_counter() - start:.0f} s)\n")


if __name__ == "__main__":
    main()
