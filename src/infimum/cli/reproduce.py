"""infimum reproduce: compute the paper's figures and tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from ._console import USAGE, bars, fail, stderr, stdout

if TYPE_CHECKING:
    from ..paper.base import Experiment


def reproduce(
    name: Annotated[
        str,
        typer.Argument(
            help="Name of an experiment, or `all`. Without a name, the experiments are listed.", metavar="NAME"
        ),
    ] = "",
    out: Annotated[Path, typer.Option(help="Folder for the results.", metavar="FOLDER")] = Path("results"),
    quick: Annotated[
        bool, typer.Option("--quick", help="Run with reduced sizes: minutes instead of half an hour.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Number of tasks that run in parallel.", metavar="NUMBER")] = 1,
    data: Annotated[
        str | None,
        typer.Option(
            help="Folder with the data sets. Default: the environment variable INFIMUM_DATA.", metavar="FOLDER"
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Compute everything again, without stored results.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the experiments and exit.")] = False,
) -> None:
    """Reproduce the paper's figures and tables, next to the numbers of the authors' code.

    Finished results are stored in OUT/.cache, so an interrupted run can be continued. Data sets that are not in the
    data folder are downloaded if they have a public address; this requires the extra "data". With `all`, experiments
    whose data are not available are skipped, and named at the end.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        fail('Figures need the package matplotlib. Install it with: pip install "infimum[cli,plot]"')
    from ..paper import registry as paper

    every = [paper.by_name(each) for each in paper.NAMES]
    if list_ or not name:
        for experiment in every:
            stdout.print(Text.assemble((f"{experiment.name:24}", "bold"), f" {experiment.place}: {experiment.title}"))
        return
    wanted = every if name == "all" else [experiment for experiment in every if experiment.name == name]
    if not wanted:
        fail(f"There is no experiment {name!r}. Names: {', '.join(paper.NAMES)}, or all.", USAGE)
    try:
        skipped = _run(wanted, out, quick, jobs, data, fresh)
        page = paper.index(every, out, quick)
    except OSError as error:  # missing data, a full disk: the message explains it
        fail(str(error))
    for missing, why in skipped.items():
        stderr.print(f"Skipped {missing}: {why}", markup=False)
    stdout.print(f"See {page}")


def _run(wanted: list[Experiment], out: Path, quick: bool, jobs: int, data: str | None, fresh: bool) -> dict[str, str]:
    """Run experiments; return those whose data are missing, and why. A single one raises the error instead."""
    from ..paper import registry as paper

    skipped: dict[str, str] = {}
    with bars() as shown:
        for experiment in wanted:
            bar = shown.add_task(experiment.name, total=None)

            def show(done: int, total: int, bar=bar) -> None:
                shown.update(bar, completed=done, total=total)

            try:
                paper.reproduce(experiment, out, quick=quick, jobs=jobs, data=data, fresh=fresh, progress=show)
            except FileNotFoundError as error:
                if len(wanted) == 1:
                    raise
                skipped[experiment.name] = str(error)
                shown.update(bar, description=f"{experiment.name} (skipped)")
    return skipped
