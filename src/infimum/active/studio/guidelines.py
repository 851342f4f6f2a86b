"""Guidelines for people: a Markdown file with a general part, and a part for each class."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")


@dataclass(frozen=True)
class Guidelines:
    """Texts in Markdown."""

    general: str = ""
    """What is not about one class."""
    classes: dict[str, str] = field(default_factory=dict)
    """Name of a class -> its text."""
    missing: list[str] = field(default_factory=list)
    """Classes without a text."""


def read_guidelines(text: str, names: list[str]) -> Guidelines:
    """Split a text at the headings that are names of classes; upper and lower case are the same.

    The part of a class ends at the next heading of the same or a higher level. Lines of code are not headings.

    Examples
    --------
    >>> found = read_guidelines("Read it twice.\\n## Cat\\nIt purrs.\\n## Dog", ["cat", "dog"])
    >>> found.general, found.classes, found.missing
    ('Read it twice.', {'cat': 'It purrs.'}, ['dog'])
    """
    wanted = {name.casefold(): name for name in names}
    general: list[str] = []
    classes: dict[str, list[str]] = {}
    part, level, in_code = general, 0, False
    for line in text.splitlines():
        in_code ^= line.lstrip().startswith("```")
        heading = None if in_code else HEADING.match(line)
        if heading is not None and (part is general or len(heading[1]) <= level):
            name = wanted.get(heading[2].strip("`*_ ").casefold())
            part, level = (general, 0) if name is None else (classes.setdefault(name, []), len(heading[1]))
            if name is not None:
                continue
        part.append(line)
    found = {name: "\n".join(lines).strip() for name, lines in classes.items()}
    found = {name: part for name, part in found.items() if part}
    return Guidelines("\n".join(general).strip(), found, [name for name in names if name not in found])
