"""Blanks around text: white space of any kind, and characters that are not visible."""

from __future__ import annotations

import unicodedata
from typing import Any, Literal

INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad"
"""Zero-width characters, direction marks, the byte order mark and the soft hyphen."""

LAST = 0x3000
"""The last character of Unicode that is white space."""

LONGEST = 1000
"""Characters up to which text is normalised: long runs of accents would take the square of their number."""

BLANKS = "".join(c for c in map(chr, range(LAST + 1)) if c.isspace()) + INVISIBLE


def stripped(name: Any) -> Any:
    """Return text without the blanks around it, as plain text; return anything else unchanged.

    >>> stripped("\\ufeffcat\\u00a0 "), stripped(3)
    ('cat', 3)
    """
    return str.strip(name, BLANKS) if isinstance(name, str) else name


def normalised(text: str, form: Literal["NFC", "NFKC"] = "NFC") -> str:
    """Return text in a normal form of Unicode, if it is no longer than `LONGEST`; é is then always one character.

    >>> normalised("cafe\\u0301") == "caf\\u00e9"
    True
    """
    return text if len(text) > LONGEST else unicodedata.normalize(form, text)
