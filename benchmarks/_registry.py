"""Every benchmark, in the order in which a whole run takes them: what is timed first, the long studies last."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any, NamedTuple


class Benchmark(NamedTuple):
    name: str
    """The module of this package, and a part of it after a colon."""
    minutes: float
    """About how long it takes on two idle cores: a whole run leaves out what would go beyond its time."""
    needs: str = ""
    """A package that may be missing."""
    partial: bool = False
    """Whether it takes --folds, --only and --docs."""

    def missing(self) -> bool:
        return bool(self.needs) and importlib.util.find_spec(self.needs) is None

    def run(self, **settings: Any) -> None:
        module, _, part = self.name.partition(":")
        main = importlib.import_module(f"benchmarks.{module}").main
        main([part], **settings) if part else main(**settings)


BENCHMARKS = [
    Benchmark("core", 1.0),
    Benchmark("regression:speed", 1.0),
    Benchmark("regression:growth", 0.2),
    Benchmark("regression:boxes", 0.2),
    Benchmark("rankings:speed", 0.2),
    Benchmark("exact_orders", 1.5),
    Benchmark("feedback_arc", 1.5, "highspy"),
    Benchmark("weights:forest", 0.5),
    Benchmark("weights:nystrom", 2.0),
    Benchmark("torch:speed", 1.0, "torch"),
    Benchmark("active:speed", 0.5),
    Benchmark("active:studio", 2.0, "uvicorn"),
    Benchmark("active:seconds", 2.0),
    Benchmark("reproduce:grid", 0.5),
    Benchmark("rankings:reached", 0.2),
    Benchmark("rankings:wide", 0.5),
    Benchmark("rankings:errors", 1.0),
    Benchmark("regression:paper", 0.3),
    Benchmark("disambiguation:lost", 1.5),
    Benchmark("disambiguation:vowel", 1.0),
    Benchmark("reproduce:quick", 3.0),
    Benchmark("regression:where", 3.0),
    Benchmark("regression:real_data", 3.0, "xgboost"),
    Benchmark("torch:digits", 2.0, "torch"),
    Benchmark("torch:MSRCv2", 2.0, "torch"),
    Benchmark("weights_table", 3.0),
    Benchmark("conformal", 3.0),
    Benchmark("conformal_assumptions", 0.3),
    Benchmark("probabilities", 1.5),
    Benchmark("beyond:product", 0.5),
    Benchmark("beyond:product_speed", 1.0),
    Benchmark("beyond:proportions", 2.0),
    Benchmark("beyond:proportions_speed", 0.5),
    Benchmark("beyond:sequences", 10.0),
    Benchmark("beyond:sequences_speed", 1.5),
    Benchmark("disambiguation:segment", 3.0),
    Benchmark("disambiguation:MSRCv2", 3.0),
    Benchmark("rankings:real_data", 4.0),
    Benchmark("disambiguation:dna-.5", 5.0),
    Benchmark("disambiguation:dna-.8", 5.0),
    Benchmark("people:speed", 4.0),
    Benchmark("people:crowds", 20.0, "crowdkit"),
    Benchmark("people:noise", 12.0),
    Benchmark("people:table", 0.1),
    Benchmark("active:iris", 0.5),
    Benchmark("active:wine", 0.5),
    Benchmark("active:segment", 5.0),
    Benchmark("active:digits", 6.0),
    Benchmark("active:vowel", 5.0),
    Benchmark("active:dna", 5.0),
    Benchmark("active:seconds", 5.0),
    Benchmark("active:vehicle", 1.5),
    Benchmark("active:diabetes", 3.0),
    Benchmark("weights:million", 8.0),
    Benchmark("weights:cluster", 10.0, "distributed"),
    Benchmark("real:intervals", 6.0),
    Benchmark("real:labels", 60.0, partial=True),
    Benchmark("promise", 2.0),
    Benchmark("real_survival:survival", 1.0, "sksurv"),
    Benchmark("laboratory", 2.0),
    Benchmark("real_rankings:speed", 2.0),
    Benchmark("real_rankings:tables", 6.0),
    Benchmark("defaults:timing", 1.0, "xgboost", partial=True),
    Benchmark("defaults:large", 15.0, "xgboost", partial=True),
    Benchmark("defaults:intervals", 10.0, "xgboost", partial=True),
    Benchmark("defaults:numbers", 6.0, "xgboost", partial=True),
    Benchmark("defaults:labels", 60.0, "xgboost", partial=True),
    Benchmark("defaults:rankings", 60.0, "xgboost", partial=True),
    Benchmark("defaults:tags", 30.0, "xgboost", partial=True),
]


def named(names: list[str]) -> list[Benchmark]:
    """Those with these names, or all parts of a module; an error that lists the names there are."""
    found: list[Benchmark] = []
    for name in names:
        some = [b for b in BENCHMARKS if name in (b.name, b.name.partition(":")[0])]
        if not some:
            raise SystemExit(f"There is no benchmark {name!r}. There are: {', '.join(b.name for b in BENCHMARKS)}.")
        found += [b for b in some if b not in found]
    return found
