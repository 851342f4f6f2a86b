"""Small tables that the package ships."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent


def example_file(name: str = "tickets.csv") -> Path:
    """Return the path of a table that the package ships.

    ``tickets.csv`` contains 240 invented support tickets: text, numbers, categories, a date, gaps, a partial label and
    the handling time as a range. ``tickets_new.csv`` contains 80 more with exact labels, to check a model.

    ``wells.csv`` contains 200 invented water samples with an arsenic concentration, 125 of them below the detection
    limit of their instrument. ``wells_new.csv`` contains 100 more with exact values.

    ``sentences.csv`` contains 300 sentences of the Open American National Corpus (Ide and Suderman, 2004), one line per
    word: the sentence, the word and its part of speech. The corpus may be used and distributed without restrictions.
    The tags are those of the Penn Treebank, shortened to two letters. A program has assigned them, so some are wrong.

    ``drinks.csv`` contains 260 invented people, each with an age and a comparison of two drinks. ``drinks_new.csv``
    contains 140 more.

    Parameters
    ----------
    name : str, default "tickets.csv"
        The name of the file, one of those above.

    Returns
    -------
    Path
        Where the file is.

    Examples
    --------
    >>> from infimum.datasets import example_file
    >>> example_file("tickets.csv").name
    'tickets.csv'
    """
    names = sorted(path.name for path in FOLDER.glob("*.csv"))
    if name not in names:
        raise ValueError(f"There is no example file {name!r}. Files: {', '.join(names)}.")
    return FOLDER / name
