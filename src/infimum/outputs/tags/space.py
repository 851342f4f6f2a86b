"""Tags: any number of m tags, with the Hamming loss."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb

from ...data.checks import check_number, is_number
from ...data.containers import Column
from ...data.errors import BadRows, Form, InfimumWarning, InputError, listed, raise_for_rows, shown
from ...data.names import Names, numbered, ordered, shared_columns
from ..base import OutputSpace, Sets
from ..choices import Choices
from ..merging import COUNTED, warn_of_look_alikes
from ..signs import format_signs
from ..summary import Summary, SummaryTable, fraction
from .cells import TagCells
from .forms import BOTH, FORMS, Facts, facts_of, parse, read_cells, signs
from .sets import HammingBalls, PartialTags

if TYPE_CHECKING:
    from .questions import TagQuestions


class Tags(TagCells, OutputSpace):
    """Any number of m tags, with the Hamming loss: multi-label classification.

    Y = {-1, 1}^m and l(z, y) = #{j : z_j != y_j} + tag_cost #{j : z_j = 1}, with
    psi(z) = (-z, 1), phi(y) = ((y - tag_cost) / 2, m (1 + tag_cost) / 2).

    Parameters
    ----------
    tags : int or list, optional
        How many tags, or their names; by default those of y.
    n_tags : int, optional
        Predict exactly this many tags: those with the best scores (App. B.3.1).
    tag_cost : float, default 0
        What it costs to give a tag: scores are compared with tag_cost instead of 0 (App. B.3.1). This, or
        `n_tags`, is needed for positive-only tags, for which predicting every tag would cost nothing.

    Examples
    --------
    >>> space = Tags().fit(["+red -round", "+round"])
    >>> space.read(["+red", None]).values
    array([[1, 0],
           [0, 0]], dtype=int8)
    """

    kind = "tags"

    def __init__(self, tags: Any = None, n_tags: int | None = None, tag_cost: float = 0.0):
        self.tags = tags
        self.n_tags = n_tags
        self.tag_cost = tag_cost

    def summarise(self, y: Any) -> Facts:
        """Return the tags of y, and what decides on its format."""
        return facts_of(y)

    def merge(self, a: Facts, b: Facts) -> Facts:
        return a + b

    def fit_summary(self, summary: Facts) -> Self:
        names = Names(self._named(summary), "tags")
        m = len(names)
        if m == 0:
            summary.raise_unread(FORMS)
            raise InputError("y contains no tags. Pass tags=[…].")
        if self.n_tags is not None and not is_number(self.n_tags, 0, m, integer=True):
            raise ValueError(f"n_tags must be an integer from 0 to the number of tags, {m}. Got {self.n_tags!r}.")
        check_number(self, "tag_cost", 0)
        self.form_ = self._form(summary)
        self._names, self.tags_ = names, names.array
        self.boolean_ = self.form_.kind == "booleans"
        self.size = comb(m, self.n_tags, exact=True) if self.n_tags is not None else 2.0**m if m < 1024 else math.inf
        return self

    def _named(self, facts: Facts) -> Any:
        """Return the tags, in order."""
        if self.tags is not None:
            return numbered(self.tags, "tags")
        width, named = shared_columns(facts.tables, "Tables of tags", "tags")
        if named is None and width is not None and facts.names:
            raise InputError("Some rows name their tags, others are a table without names. Pass tags=[…].")
        return named or (ordered(facts.names.values()) if width is None else range(width))

    @staticmethod
    def _form(facts: Facts) -> Form:
        """Return the meaning of 0 and False in y; raise an error if both occur."""
        if "booleans" in facts.kinds and "signs" in facts.kinds:
            bad = BadRows("y")
            fewer = min(("booleans", "signs"), key=lambda what: facts.kinds[what].number)
            more = "signs" if fewer == "booleans" else "booleans"
            facts.kinds[fewer].add_to(bad, f"{fewer} beside {more}, got {{}}")
            bad.raise_if_any(BOTH)
        named = next((columns for columns in facts.tables if isinstance(columns, tuple)), None)
        kind = next((what for what in ("booleans", "signs", "cells", "sets") if what in facts.kinds), "cells")
        return Form(kind, DESCRIPTIONS[kind] + (", columns by name" if named else ""), named)

    def read(self, y: Any, strict: bool = True) -> Sets:
        m = len(self.tags_)
        if isinstance(y, PartialTags | HammingBalls):
            if y.m != m:
                raise InputError(f"The sets have {y.m} tags; {m} were expected: {listed(self._names.list)}.")
            return y.with_tag_cost(self.tag_cost)
        found = parse(y)
        if isinstance(found, Column):
            return PartialTags(read_cells(found, self._names, strict), tag_cost=self.tag_cost)
        if found.missing.shape[1] == 1 and found.missing.all() and self.form_.columns is None and not self.boolean_:
            return PartialTags(np.zeros((found.n, m)), tag_cost=self.tag_cost)  # unlabelled cells
        if found.missing.shape[1] != m and (found.names is None or not found.n):
            raise InputError(
                f"y must have one column for each of the {m} tags. Got shape {found.missing.shape}. {FORMS}"
            )
        found = found.arranged(self._names, "tags")
        if self.boolean_ and found.values.dtype != bool:
            raise_for_rows(
                ((found.values == 0) & ~found.missing).any(axis=1),
                lambda row: f"0 among numbers, where fit was given booleans, got {shown(found.row(row))}", BOTH,
            )  # fmt: skip
        return PartialTags(signs(found), tag_cost=self.tag_cost)

    def check(self, parts: Iterable[Sets]) -> None:
        """Warn about tags that look like variants of others, and tags that are all confirmed or all ruled out."""
        seen, n, counts = {1: False, -1: False}, 0, np.zeros(len(self.tags_), dtype=int)
        for sets in parts:
            if not isinstance(sets, PartialTags):
                return
            n += len(sets)
            counts += (sets.values != 0).sum(axis=0)
            seen = {sign: found or bool((sets.values == sign).any()) for sign, found in seen.items()}
            if all(seen.values()) and n >= COUNTED:
                break
        if self.tags is None and self.form_.kind == "cells":
            warn_of_look_alikes(self, self.tags_, counts)
        if all(seen.values()) or self.n_tags is not None or self.tag_cost:
            return
        for sign, given, missing in ((1, "present", "absent"), (-1, "absent", "present")):
            if seen[sign]:
                warnings.warn(
                    f"No tag of y is ever {missing}, so a model that predicts every tag as {given} is optimal. Set the"
                    " number of tags with n_tags=…, set a cost per tag with tag_cost=…, or mark absent tags. 0 means"
                    " unknown: if your 0 means absent, pass a boolean array. If your rows list all of their tags,"
                    " pass MultiLabelBinarizer().fit_transform(y).astype(bool).",
                    InfimumWarning,
                    stacklevel=4,
                )

    @property
    def is_product(self) -> bool:  # type: ignore[override]
        return self.n_tags is None

    def questions(self) -> TagQuestions:
        from .questions import TagQuestions

        return TagQuestions(self)

    def summary(self, sets: Any) -> Summary:
        """Return how often each tag is present, absent and unknown."""
        options = sets.options()
        if options is None:  # balls around tags: no tag is known by itself
            return Summary([], [])
        absent, present = options[..., 0] & ~options[..., 1], options[..., 1] & ~options[..., 0]
        rows = [
            [str(name), int(present[:, k].sum()), int(absent[:, k].sum()), int(np.sum(~(present | absent)[:, k])),
             fraction((present | absent)[:, k])]
            for k, name in enumerate(self.tags_)
        ]  # fmt: skip
        return Summary([], [SummaryTable("Tags", ["tag", "present", "absent", "unknown", "fraction known"], rows)])

    def psi(self, z: Any) -> NDArray:
        z = np.asarray(z, dtype=float)
        return np.concatenate([-z, np.ones((*z.shape[:-1], 1))], axis=-1)

    def decode(self, c: NDArray) -> NDArray:
        c = c[..., :-1]
        if self.n_tags is None:
            return np.where(c > 0, 1, -1)
        z = np.full(c.shape, -1)
        np.put_along_axis(z, np.argsort(-c, axis=-1, kind="stable")[..., : self.n_tags], 1, axis=-1)
        return z

    def outputs(self) -> NDArray:
        m = len(self.tags_)
        if self.n_tags is None:
            return np.array(list(product((-1, 1), repeat=m)))
        z = np.full((int(self.size), m), -1)
        for row, positive in enumerate(combinations(range(m), self.n_tags)):
            z[row, list(positive)] = 1
        return z

    def readable(self, z: NDArray) -> NDArray:
        return z > 0 if self.boolean_ else z

    def neighbours(self, z: NDArray) -> NDArray:
        """Return the outputs with one tag changed; with `n_tags`, those with a present and an absent tag exchanged."""
        z = np.asarray(z)
        if self.n_tags is None:
            return np.where(np.eye(len(z), dtype=bool), -z, z)
        pairs = [(i, j) for i in np.flatnonzero(z > 0) for j in np.flatnonzero(z < 0)]
        out = np.repeat(z[None], len(pairs), axis=0)
        for k, (i, j) in enumerate(pairs):
            out[k, [i, j]] = out[k, [j, i]]
        return out

    def format(self, z: NDArray) -> list[str]:
        return [format_signs(row, self.tags_, absent=False) for row in np.asarray(z)]

    def _format_set(self, sets: Any, row: int) -> str:
        return sets.format(row, self.tags_)

    def choices(self, sets: Any) -> Choices:
        mask = sets.options()
        if mask is None:  # Hamming balls: with a positive radius, any tag may differ
            free = np.asarray(sets.radius)[:, None] > 0
            mask = np.stack([free | (sets.centers < 0), free | (sets.centers > 0)], axis=-1)
        return Choices(
            mask, [str(name) for name in self.tags_], [["absent", "present"]] * mask.shape[1],
            "Every tag is present in some rows and absent in others", "is it {name}?", with_name=True,
        )  # fmt: skip

    def conformal_scores(self) -> dict[str, Any]:
        from .conformal import Margin

        return {Margin.name: Margin, **super().conformal_scores()}

    def names_from_data(self) -> dict[str, Any]:
        return {"tags": self.tags_.tolist()}


DESCRIPTIONS = {
    "booleans": "table of booleans, one column per tag; False is absent, missing is unknown",
    "signs": "table of 1, -1 and 0, one column per tag; 0 and missing are unknown",
    "cells": "tags, one entry per row",
    "sets": "sets of tags",
}
