"""`python -m fuzz`: many cases of every group, and a report with counts and shrunk failures.

cd tests && python -m fuzz --cases 100000 --jobs 2 --seed 1 --out ../campaign.md
"""

from __future__ import annotations

import argparse
import collections
import math
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Flaky

from .contract import Broken, Case, check
from .groups import GROUPS, warm


@dataclass
class Result:
    """What came of one group."""

    name: str
    counts: collections.Counter = field(default_factory=collections.Counter)
    failures: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Signature -> the smallest case of it, and what was said."""
    seconds: float = 0.0


def tried(index: int, cases: int, start: int) -> Result:
    """Run a group until `cases` are done: every distinct failure is shrunk once and counted from then on."""
    warm()
    group, began = GROUPS[index], time.process_time()
    result = Result(group.name)
    known: set[str] = set()
    seen: dict[str, tuple[Case, Broken]] = {}
    shrinking = False

    def one(case: Case) -> None:
        nonlocal shrinking
        try:
            outcome = check(case)
        except Broken as broken:
            outcome = "broken"
            mark = broken.signature
            result.counts[f"! {mark}"] += not shrinking
            before = seen.get(mark)
            if before is None or len(case.note) <= len(before[0].note):
                seen[mark] = (case, broken)
            # what does not end is not run again to be made smaller
            if mark not in known and broken.kind not in ("no end", "memory"):
                shrinking = True
                raise
            known.add(mark)
        finally:
            if not shrinking:
                result.counts["cases"] += 1
        result.counts[outcome] += not shrinking

    rounds = 0
    while result.counts["cases"] < cases and rounds < 200:
        shrinking = False
        run = settings(
            max_examples=max(1, cases - result.counts["cases"]), deadline=None, database=None,
            suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink], report_multiple_bugs=False,
        )(given(group.cases)(one))  # fmt: skip
        done = result.counts["cases"]
        try:
            seed(start + 1000 * rounds)(run)()
        except (Broken, Flaky):  # flaky: it depends on cases before it, so it is counted as it was first seen
            known |= set(seen)
            result.counts["cases"] += 1
            result.counts["broken"] += 1
        rounds += 1
        if result.counts["cases"] == done:
            break
    result.failures = {mark: (case.note, str(broken)) for mark, (case, broken) in seen.items()}
    result.seconds = time.process_time() - began
    return result


def report(results: list[Result], start: int) -> str:
    """Return the counts of each group, then every distinct failure with its smallest case."""
    total: collections.Counter = sum((r.counts for r in results), collections.Counter())
    lines = [
        "# The campaign", "",
        f"{total['cases']:,} cases, seed {start}, {sum(r.seconds for r in results):.0f} s of CPU time: "
        f"{total['answered']:,} correct results, {total['refused']:,} errors that explain themselves, "
        f"{total['broken']:,} failures "
        f"({sum(len(r.failures) for r in results)} distinct ones).", "",
        "| group | cases | correct | errors | failures | distinct failures | CPU seconds |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]  # fmt: skip
    for r in results:
        c = r.counts
        row = (r.name, c["cases"], c["answered"], c["refused"], c["broken"], len(r.failures), f"{r.seconds:.0f}")
        lines.append("| " + " | ".join(map(str, row)) + " |")
    for r in results:
        if r.failures:
            lines += ["", f"## {r.name}", ""]
        for mark, (note, words) in sorted(r.failures.items(), key=lambda item: -r.counts[f"! {item[0]}"]):
            lines += [f"- **{mark}** ({r.counts[f'! {mark}']} times)", "", "      " + note.replace("\n", " ")[:400], ""]
            lines += ["      " + words.replace("\n", " / ")[:400], ""]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description="Hostile input for every output type and part.")
    parser.add_argument("--cases", type=int, default=100_000, help="how many, shared among the groups")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--groups", default="", help="only groups whose name begins so")
    parser.add_argument("--out", type=Path, default=Path("campaign.md"))
    asked = parser.parse_args()
    chosen = [k for k, g in enumerate(GROUPS) if g.name.startswith(asked.groups)]
    one = asked.cases / max(sum(GROUPS[k].share for k in chosen if not GROUPS[k].fixed), 0.1)
    sizes = {k: GROUPS[k].fixed * asked.cases / 100_000 if GROUPS[k].fixed else one * GROUPS[k].share for k in chosen}
    with ProcessPoolExecutor(asked.jobs) as pool:
        runs = [pool.submit(tried, k, math.ceil(size), asked.seed) for k, size in sizes.items()]
        results = []
        for run in as_completed(runs):
            # a campaign that is stopped leaves what it found
            results.append(run.result())
            results.sort(key=lambda r: [g.name for g in GROUPS].index(r.name))
            asked.out.write_text(report(results, asked.seed))
    broken = sum(r.counts["broken"] for r in results)
    print(asked.out.read_text())
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
