"""Look-alike names: misspelt, joined or decorated variants of other classes, tags or items."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .blanks import INVISIBLE, normalised, stripped
from .errors import SHOWN

RATIO = 10
"""A name that is misspelt occurs at most once per this many occurrences of the right one."""

SHORTEST = 4
"""Letters of a name from which on one wrong letter is a misspelling; twice as many for two wrong letters."""

MANY = 2000
"""With more names than this, misspellings are not searched for, because the search would take seconds."""

CROWD = 20
"""More names than this that are one deletion away from each other are a systematic list, not misspellings."""

LONGEST = 64
"""Letters of a name up to which misspellings are searched for: the search takes their square."""

JOINTS = re.compile(r"[;/&+,]|\bor\b|\boder\b|\bou\b")
JOINED = "joined names"
"""The reason of look-alikes that are several names."""

NOT = re.compile(r"(?:not|no|kein|keine)\s+(.+)", re.IGNORECASE | re.DOTALL)
NOT_SEEN = dict.fromkeys(map(ord, INVISIBLE))


@dataclass(frozen=True)
class LookAlike:
    """A name that is probably a variant of other names."""

    name: str
    count: int
    """Number of rows in which it occurs."""
    means: tuple[str, ...]
    """The names that it stands for; several if names were joined."""
    negated: bool
    """Whether it stands for "not this one"."""
    reason: str

    @property
    def meaning(self) -> str:
        """What it stands for, as text."""
        return ("not " if self.negated else "") + " or ".join(map(repr, self.means))

    def __str__(self) -> str:
        return f"{self.name!r} ({self.count}) → {self.meaning}: {self.reason}"


def look_alikes(counts: Mapping[str, int], known: Iterable = ()) -> list[LookAlike]:
    """Return the names that look like variants of more frequent names, most frequent first.

    Variants differ by case, blanks or punctuation at the end, by one or two letters if their counts are very unequal,
    are several names joined by ``;``, ``,`` or ``/``, or begin with "not". Names that differ in their digits are
    never variants of each other.

    Parameters
    ----------
    counts : mapping of str to int
        How often each name occurs.
    known : iterable of str
        Names that are right, however often they occur: other names may be variants of them, they are not.

    Examples
    --------
    >>> counts = {"billing": 90, "Billing": 4, "biling": 2, "refund": 60, "billing;refund": 7, "not refund": 1}
    >>> print(*look_alikes(counts), sep="\\n")
    'billing;refund' (7) → 'billing' or 'refund': joined names
    'Billing' (4) → 'billing': case
    'biling' (2) → 'billing': spelling
    'not refund' (1) → not 'refund': negation
    >>> print(*look_alikes({"Cat": 4, "kat": 1, "dog": 2}, known=["cat", "dog"]), sep="\\n")
    'Cat' (4) → 'cat': case
    """
    right = dict.fromkeys(name for name in known if isinstance(name, str))
    others = sorted((n for n in counts if isinstance(n, str) and n not in right), key=lambda n: (-counts[n], n))
    kept: dict[str, str] = {}
    found: dict[str, LookAlike] = {}
    loose: list[str] = []
    for name in right:
        kept.setdefault(_form(name), name)
    for name in others:
        form = _form(name)
        if form in kept and len(form) > 1:
            found[name] = LookAlike(name, counts[name], (kept[form],), False, _difference(name, kept[form]))
        else:
            kept.setdefault(form, name)
            loose.append(name)
    for name in list(loose):
        parts = _parts(name, kept)
        if parts is not None:
            found[name] = LookAlike(name, counts[name], *parts)
            loose.remove(name)
            kept.pop(_form(name))
    if len(right) + len(loose) <= MANY:
        for name, better in _misspelt([*right, *loose], counts, right):
            found[name] = LookAlike(name, counts[name], (better,), False, "spelling")
    return sorted((_resolved(one, found) for one in found.values()), key=lambda one: (-one.count, one.name))


def look_alike_text(found: Sequence[LookAlike], what: str) -> str:
    """Return look-alikes as the lines of a message, at most ten of them.

    >>> print(look_alike_text(look_alikes({"cat": 9, "Cat": 1}), "class"))
    1 class of y looks like a variant of others:
      'Cat' (1) → 'cat': case
    """
    several = {"class": "classes"}.get(what, f"{what}s")
    one = len(found) == 1
    head = f"1 {what} of y looks like a variant" if one else f"{len(found)} {several} of y look like variants"
    lines = [f"  {name}" for name in found[:SHOWN]]
    more = [f"  (and {len(found) - SHOWN} more)"] if len(found) > SHOWN else []
    return "\n".join([f"{head} of others:", *lines, *more])


def _form(name: str) -> str:
    """Return a name without case, blanks, invisible characters and punctuation at the end."""
    text = normalised(name, "NFKC").translate(NOT_SEEN).casefold()
    return re.sub(r"[\s_]+", "", text).rstrip("?!.,;:") or text


def _difference(name: str, other: str) -> str:
    name, other = stripped(name.translate(NOT_SEEN)), stripped(other.translate(NOT_SEEN))
    if re.sub(r"\s+", "", name) == re.sub(r"\s+", "", other):
        return "blanks"
    if normalised(name, "NFKC") == normalised(other, "NFKC"):
        return "encoding of letters"
    return "case" if name.casefold() == other.casefold() else "case, blanks or punctuation"


def _parts(name: str, kept: Mapping[str, str]) -> tuple[tuple[str, ...], bool, str] | None:
    """Return the names that a name is joined of, or negates; None if it does neither."""
    negated = NOT.fullmatch(name.strip())
    if negated and _form(negated[1]) in kept:
        return (kept[_form(negated[1])],), True, "negation"
    for pieces in _splits(name):
        forms = [_form(piece) for piece in pieces]
        if len(forms) > 1 and all(form in kept and kept[form] != name for form in forms):
            return tuple(dict.fromkeys(kept[form] for form in forms)), False, JOINED
    return None


def _splits(name: str) -> Iterator[list[str]]:
    """Yield the ways to take a name apart: at one kind of joint first, because names may contain commas."""
    for joint in (";", "/", "&", "+", " or ", ","):
        if joint in name:
            yield [piece for piece in name.split(joint) if piece.strip()]
    yield [piece for piece in JOINTS.split(name) if piece.strip()]


def _misspelt(names: Sequence[str], counts: Mapping[str, int], known: Mapping) -> Iterator[tuple[str, str]]:
    """Yield (wrong, right) for names that are one or two letters apart; names with digits and long ones are skipped."""
    words = [name for name in names if len(name) <= LONGEST and not any(letter.isdigit() for letter in name)]
    near: dict[str, list[str]] = {}
    for name in words:
        for form in _deletions(_form(name)):
            near.setdefault(form, []).append(name)
    for name in words:
        if name in known:
            continue
        # names of a systematic list (species aa, species ab, …) share many forms and are no misspellings
        others = {other for form in _deletions(_form(name)) if len(near[form]) <= CROWD for other in near[form]}
        right = [
            other
            for other in others
            if (other in known or counts[other] >= RATIO * counts[name]) and _is_close(name, other)
        ]
        if right:
            yield name, max(right, key=lambda other: (other in known, counts.get(other, 0), other))


def _deletions(form: str) -> set[str]:
    """Return a name without any one letter, or any two if it is long: close names share one of these."""
    once = {form[:k] + form[k + 1 :] for k in range(len(form))} if len(form) >= SHORTEST else set()
    if len(form) < 2 * SHORTEST - 1:
        return {form} | once
    return {form} | once | {one[:k] + one[k + 1 :] for one in once for k in range(len(one))}


def _is_close(name: str, other: str) -> bool:
    a, b = _form(name), _form(other)
    allowed = 2 if min(len(a), len(b)) >= 2 * SHORTEST else 1
    return 0 < _distance(a, b, allowed) <= allowed


def _distance(a: str, b: str, most: int) -> int:
    """Return the edit distance of two words, swaps of neighbours included; more than `most` if it is larger."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        before, last, row = row, before, [i]
        for j, y in enumerate(b, start=1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, last[j - 2] + 1)
            row.append(best)
    return row[-1]


def _resolved(one: LookAlike, found: Mapping[str, LookAlike]) -> LookAlike:
    """Return a look-alike whose meaning contains no look-alikes: 'Biling' → 'Billing' → 'billing'."""
    means: list[str] = []
    for name in one.means:
        means += found[name].means if name in found and not found[name].negated else [name]
    return replace(one, means=tuple(dict.fromkeys(means)))
