"""Options that several commands share, with the values that they accept."""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import typer

from ..data.blanks import stripped
from ..data.columns import KINDS as COLUMN_KINDS
from ..io._names import Naming, look_alikes_of
from ..outputs import OUTPUT_TYPES, OutputSpace

KINDS = tuple(OUTPUT_TYPES)
OWN = "MODULE:CLASS"


def is_own(kind: str) -> bool:
    """Whether a kind is written as MODULE:CLASS."""
    module, sign, name = kind.partition(":")
    return bool(sign) and all(part.isidentifier() for part in (*module.split("."), *name.split(".")))


def import_kind(kind: str) -> None:
    """Import an output type that is written as MODULE:CLASS, and add it to OUTPUT_TYPES under this name.

    Modules are found as in Python, also in the current folder.
    """
    module, _, name = kind.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found: Any = import_module(module)
    except ImportError as error:
        raise typer.BadParameter(
            f"the module {module!r} cannot be imported ({error}). Run the command in its folder, or install it."
        ) from error
    for part in name.split("."):
        found = getattr(found, part, None)
    if not (isinstance(found, type) and issubclass(found, OutputSpace)):
        raise typer.BadParameter(
            f"{name!r} of the module {module!r} must be a subclass of infimum.outputs.OutputSpace."
        )
    OUTPUT_TYPES[kind] = found


def check_kind(kind: str | None) -> str | None:
    """Return the value of --kind; raise BadParameter unless it is one of the library or a type that can be imported."""
    if kind is not None and ":" not in kind and kind not in KINDS:
        raise typer.BadParameter(f"{kind!r} is not one of {', '.join(map(repr, KINDS))}, or {OWN}.")
    return kind if kind in KINDS else check_own_kind(kind)


def check_own_kind(kind: str | None) -> str | None:
    """Return the value of --kind, MODULE:CLASS, after it is imported; raise BadParameter if that is impossible."""
    if kind is not None and not is_own(kind):
        raise typer.BadParameter(f"expected {OWN}. Other models need no --kind. Got {kind!r}.")
    if kind is not None:
        import_kind(kind)
    return kind


KINDS_TO_SET = COLUMN_KINDS[:5]
"""Kinds of columns that --column accepts."""
NOISE_WORDS = ("auto", "estimate", "none")
"""Values of --noise that are not shares."""


def option(help: str, metavar: str | None = None, *flags: str, **settings: Any) -> Any:
    """Return an option whose default is not shown, because the help says it or there is none; settings override it."""
    return typer.Option(*flags, help=help, metavar=metavar, **{"show_default": False, **settings})


def check_columns(given: list[str] | None) -> list[str] | None:
    """Raise BadParameter unless every value of --column is COLUMN=KIND."""
    for text in given or []:
        name, sign, kind = text.rpartition("=")
        if not (name and sign) or kind not in KINDS_TO_SET:
            raise typer.BadParameter(f"expected COLUMN=KIND, where KIND is {', '.join(KINDS_TO_SET)}. Got {text!r}.")
    return given


def check_noise(given: str | None) -> str | None:
    """Raise BadParameter unless --noise is a word that it knows, or a share below 1."""
    try:
        known = given in (None, *NOISE_WORDS) or 0 <= float(given or "") < 1
    except ValueError:
        known = False
    if not known:
        raise typer.BadParameter(f"expected {', '.join(NOISE_WORDS)} or a share from 0 to 1. Got {given!r}.")
    return given


@dataclass(frozen=True)
class TableOptions:
    """The options that say how a table is read. A command has those that `table_options` names."""

    target: Annotated[
        list[str],
        option("Column with the labels. Repeat it for bounds, tags, ranks or annotators.", "COLUMN", "--target", "-t"),
    ] = field(default_factory=list)
    kind: Annotated[
        str | None,
        option(
            "Output type. Default: recognised from the cells. MODULE:CLASS is a type of your own; its module is"
            " imported.",
            f"[{'|'.join(KINDS)}|{OWN}]",
            callback=check_kind,
        ),
    ] = None
    id: Annotated[str | None, option("Column with row ids. Default: `id`, if present.", "COLUMN")] = None
    annotator: Annotated[
        str | None,
        option(
            "Column with the annotator, if the table has one line per answer. Default: `annotator`, if present.",
            "COLUMN",
        ),
    ] = None
    gold: Annotated[
        str | None,
        option("Column with the true labels of some rows. They show how reliable each annotator is.", "COLUMN"),
    ] = None
    repeated: Annotated[
        Literal["error", "first", "last", "all"],
        option(
            "Answers that count if an annotator has answered more than once about one id: raise an error (error, the"
            " default), the first one, the last one, or all of them."
        ),
    ] = "error"
    truth: Annotated[
        str | None, option("Column with true outputs, used for evaluation only. Cells may be empty.", "COLUMN")
    ] = None
    event: Annotated[
        str | None,
        option(
            "Column that is 1 if the target is an observed time, and 0 if the time is a lower bound (survival data).",
            "COLUMN",
        ),
    ] = None
    soft: Annotated[
        bool, option("Each target column contains the probability of the class in its name.", None, "--soft")
    ] = False
    sequence: Annotated[
        str | None, option("Column with sequence ids. Each line of the table is then a token.", "COLUMN")
    ] = None
    transitions: Annotated[
        Literal["bio"] | None,
        option("Allowed transitions with --sequence. bio allows I-X only after B-X and I-X. All by default."),
    ] = None
    group: Annotated[str | None, option("Column with groups of rows, whose shares --shares contains.", "COLUMN")] = None
    shares: Annotated[
        str | None,
        option(
            "Table with the share of each class in each group: the column of --group, and one column per class. Rows"
            " then need no labels.",
            "FILE",
        ),
    ] = None
    feature: Annotated[list[str], option("Use only this column as a feature. Can be repeated.", "COLUMN")] = field(
        default_factory=list
    )
    ignore: Annotated[list[str], option("Do not use this column as a feature. Can be repeated.", "COLUMN")] = field(
        default_factory=list
    )
    column: Annotated[
        list[str],
        option(
            f"Kind of a column, for example created=date. Kinds: {', '.join(KINDS_TO_SET)}. Can be repeated.",
            "COLUMN=KIND",
            callback=check_columns,
        ),
    ] = field(default_factory=list)
    meaning: Annotated[
        Literal["one_of", "all_of", "known_tags", "order", "top"] | None,
        option(
            "Meaning of several names in a cell, such as `bar|home`: one of them is the label (one_of), all of them"
            " are present as tags (all_of), the same with other tags unknown (known_tags), a ranking, best first"
            " (order), or the same with all other names after them (top)."
        ),
    ] = None
    unticked: Annotated[
        Literal["no", "unknown"] | None,
        option("Meaning of 0 in a column of tags, and of tags that a cell does not list: absent (no) or unknown."),
    ] = None
    sep: Annotated[str | None, option("Separator of columns in a text file. Default: detected.", "TEXT")] = None
    encoding: Annotated[str | None, option("Encoding of a text file. Default: detected.", "NAME")] = None
    header: Annotated[
        int | None,
        option("Line or row with the column names, if titles are above them. Default: the first.", "NUMBER", min=1),
    ] = None
    missing: Annotated[
        list[str],
        option(
            'Treat cells with this text as empty, for example -1 or `"*per hour*"`; `*` stands for any text. Can be'
            " repeated.",
            "TEXT",
        ),
    ] = field(default_factory=list)
    classes: Annotated[
        str | None,
        option(
            "All allowed classes, tags or items: a file with one name per line, or names separated by commas. Names in"
            " quotes may contain commas. Other names raise an error.",
            "FILE|LIST",
        ),
    ] = None
    separator: Annotated[str | None, option('Additional separator of names in a cell, besides "|".', "TEXT")] = None
    merge_classes: Annotated[
        bool, option("Merge names that look like variants of other names, and print them.", None, "--merge-classes")
    ] = False
    bounds: Annotated[
        tuple[float, float] | None,
        option(
            "Known range of numbers; -inf or inf is an open side. Values that cannot be negative: 0 inf.", "LOW HIGH"
        ),
    ] = None
    contradictions: Annotated[
        Literal["error", "majority", "weigh"] | None,
        option(
            "Rankings that contradict themselves: raise an error (error, the default), keep the comparisons that most"
            " orders agree on (majority), or count each comparison as a row of its own (weigh)."
        ),
    ] = None

    offered: list[str] = field(default_factory=list)
    """Names that cells could list besides those of the table: the classes of a model that is evaluated on it."""
    merges: list[dict[str, Any]] = field(default_factory=list)
    """The names that were merged when the model was fitted."""

    @property
    def settings(self) -> dict[str, Any]:
        """Parameters of the output space."""
        given = {"contradictions": self.contradictions, "bounds": self.bounds}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def columns(self) -> dict[str, str]:
        """Kinds of columns by name."""
        return {name: kind for name, _, kind in (text.rpartition("=") for text in self.column)}


TO_LEARN = tuple(one.name for one in fields(TableOptions) if one.name not in ("truth", "offered", "merges"))
"""The options of commands that fit a model."""


Command = Callable[..., None]


def table_options(*names: str) -> Callable[[Command], Command]:
    """Return a decorator of commands: their parameter `options` becomes these fields of `TableOptions`."""
    hints = get_type_hints(TableOptions, include_extras=True)
    wanted = [one for one in fields(TableOptions) if one.name in names]
    options = {one.name: (hints[one.name], False if one.default is False else None) for one in wanted}
    return expanded("options", TableOptions, options)


def expanded(
    parameter: str, build: Callable[..., Any], options: dict[str, tuple[Any, Any]]
) -> Callable[[Command], Command]:
    """Return a decorator of commands: one parameter becomes several options of the command line.

    Parameters
    ----------
    parameter : str
        The parameter of the command.
    build : callable
        Makes its value from the options that are not None, which are keyword arguments.
    options : dict
        Annotation and default of each option.
    """
    keyword = inspect.Parameter.KEYWORD_ONLY
    new = [inspect.Parameter(name, keyword, annotation=a, default=b) for name, (a, b) in options.items()]

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(**given: Any) -> None:
            chosen = {name: given.pop(name) for name in options}
            command(**given, **{parameter: build(**{k: v for k, v in chosen.items() if v is not None})})

        every: list[inspect.Parameter] = []
        for one in inspect.signature(command, eval_str=True).parameters.values():
            every += new if one.name == parameter else [one.replace(kind=keyword)]
        run.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in every}
        return run

    return decorate


File = Annotated[
    Path,
    typer.Argument(
        help="Table in one of the formats .csv, .tsv, .txt, .xlsx, .json, .jsonl, .parquet, .arrow, .csv.gz, or `-`"
            " for stdin.",
        show_default=False, metavar="FILE",
    ),
]  # fmt: skip
Model = Annotated[Path, typer.Argument(help="Model that `infimum fit` wrote.", show_default=False, metavar="MODEL")]
ModelKind = Annotated[
    str | None,
    option(
        "Output type of the model, if it is your own. The module is imported, and its code is run.", OWN,
        callback=check_own_kind,
    ),
]  # fmt: skip
Weights = Annotated[
    Literal["auto", "kernel", "nystrom", "linear", "logistic", "neighbors", "forest", "boosting", "laplacian"],
    typer.Option(help="Base learner (model family). auto compares all of them by cross-validation."),
]
Principle = Annotated[
    Literal["auto", "infimum", "average", "supremum", "disambiguation"],
    typer.Option(help="How a set of possible outputs is turned into a training loss."),
]
Noise = Annotated[
    str | None,
    option(
        "Share of candidate sets, intervals or known tags that are wrong: estimate it (estimate), estimate it if this"
        " increases the likelihood of held-out sets (auto), assume that there are none (none), or a share such as 0.1."
        " Default: auto, and none for numbers.",
        f"[{'|'.join(NOISE_WORDS)}|SHARE]", callback=check_noise,
    ),
]  # fmt: skip
Level = Annotated[
    float | None,
    option("Also compute prediction sets with this coverage, such as 0.9.", "NUMBER", min=0.5, max=0.999),
]
Covers = Annotated[
    Literal["truth", "set"],
    typer.Option(
        help="What a prediction set must contain: the true output (truth), or a member of the candidate set (set)."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object, for scripts.")]
Escape = Annotated[
    bool,
    typer.Option(
        "--escape/--no-escape", help="Put an apostrophe before text that a spreadsheet would run, such as =1+1."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Do not show progress.")]


def out(default: str, what: str):
    """Return the option --out."""
    return Annotated[Path, option(f"Output file for {what}. Default: {default}.", "FILE", "--out", "-o")]


NAME = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'(?=\s*(?:,|$))|([^,]*))\s*(?:,|$)""")


def names_in_list(text: str) -> list[str]:
    """Return the names of a comma-separated list; names in quotes may contain commas.

    >>> names_in_list('billing, "shipping, damaged", don\\'t know')
    ['billing', 'shipping, damaged', "don't know"]
    """
    names = (stripped(next(filter(None, found.groups()), "")) for found in NAME.finditer(text))
    return [name for name in names if name]


def class_list(text: str | None) -> list[str] | None:
    """Return the names that --classes lists: those of a file, one per line, or of a comma-separated list."""
    if text is None or not stripped(text):
        return None
    try:
        is_file = Path(text).is_file()
    except (OSError, ValueError):  # a list can be too long for the name of a file
        is_file = False
    try:
        lines = Path(text).read_text(encoding="utf-8-sig").splitlines() if is_file else None
    except UnicodeDecodeError:
        raise ValueError(f"--classes: the file {text} is not text in UTF-8.") from None
    names = names_in_list(text) if lines is None else [name for name in map(stripped, lines) if name]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(
            f"--classes must list distinct names. Got {', '.join(map(repr, twice))} twice. Put names that contain"
            " commas in quotes, or write one name per line of a file."
        )
    return names


def naming(options: TableOptions) -> Naming:
    """Return the options as the readers of tables take them."""
    separator = options.separator
    if separator is not None and (not stripped(separator) or separator in ("|", "!")):
        raise ValueError(f"--separator must be text other than '|', '!' and blanks. Got {separator!r}.")
    return Naming(class_list(options.classes), separator, options.merge_classes, look_alikes_of(options.merges))
