"""infimum reproduce: compute the paper's figures and tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from ._console import bars, fail, stdout

if TYPE_CHECKING:
    from ..paper import Experiment


def reproduce(
    name: Annotated[str, typer.Argument(help="An experiment (see --list), or all.")] = "",
    out: Annotated[Path, typer.Option(help="The folder of the results.")] = Path("results"),
    quick: Annotated[bool, typer.Option("--quick", help="Reduced sizes: minutes instead of half an hour.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Tasks run in parallel.")] = 1,
    data: Annotated[str | None, typer.Option(help="The folder of the data sets; by default INFIMUM_DATA.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ignore stored results.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the experiments and exit.")] = False,
) -> None:
    """Reproduce the paper's figures and tables, next to the numbers of the authors' code.

    Finished results are stored in OUT/.cache, so an interrupted run can be continued. Data sets that are not in the
    data folder are downloaded if they have a public address; this requires the extra "data".
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        fail('Figures need the package matplotlib. Install it with: pip install "infimum[cli,plot]"')
    from .. import paper

    every = [paper.by_name(each) for each in paper.NAMES]
    if list_:
        for experiment in every:
            stdout.print(
                Text.assemble((f"{experiment.name:24}", "bold"), f" {experiment.place}: {experiment.title}"),
                highlight=False,
                soft_wrap=True,
            )
        return
    wanted = every if name == "all" else [experiment for experiment in every if experiment.name == name]
    if not wanted:
        fail(f"There is no experiment {name!r}. Names: {', '.join(paper.NAMES)}, or all.")
    try:
        _run(wanted, out, quick, jobs, data, fresh)
        page = paper.index(every, out, quick)
    except OSError as error:  # missing data, a full disk: the message explains it
        fail(str(error))
    stdout.print(f"See {page}", highlight=False, soft_wrap=True)


def _run(wanted: list[Experiment], out: Path, quick: bool, jobs: int, data: str | None, fresh: bool) -> None:
    from .. import paper

    with bars() as shown:
        for experiment in wanted:
            bar = shown.add_task(experiment.name, total=None)

            def show(done: int, total: int, bar=bar) -> None:
                shown.update(bar, completed=done, total=total)

            paper.reproduce(experiment, out, quick=quick, jobs=jobs, data=data, fresh=fresh, progress=show)
