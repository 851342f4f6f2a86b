"""partial_fit: learn from a stream of chunks, each of which is read once and not kept."""

from __future__ import annotations

from copy import copy, deepcopy
from dataclasses import dataclass
from typing import Any, Self

import joblib
from sklearn.base import clone
from sklearn.utils.validation import _check_sample_weight

from ..data import Chunks, Table
from ..data.containers import materialise
from ..data.errors import InputError
from ..outputs import OutputSpace
from ..recipe import Recipe
from ..solvers import ClosedForm
from ..weights.families.primal import Primal, Sums
from .conditional import available_unless


def check_streaming(model: Any) -> None:
    """Raise an error unless the weights are LinearRidge or Nystrom, and no part is "auto"."""
    if not isinstance(model.weights, Primal) or "auto" in (str(model.principle), model.negative_weights):
        raise AttributeError(
            "partial_fit keeps sums over the rows, so no part can be selected by cross-validation. Set principle=,"
            " negative_weights='inside' and weights=weights.LinearRidge() or weights.Nystrom()."
        )


@dataclass
class Stream:
    """What is kept of the chunks so far; its size does not depend on their number."""

    recipe: Recipe
    output: OutputSpace
    weights: Primal
    summary: Any
    """The summary of y, which later chunks must not change."""
    sums: Sums | None = None

    @classmethod
    def start(cls, recipe: Recipe, output: OutputSpace, table: Table) -> Stream:
        """Learn the output space and the features from the first chunk."""
        if recipe.disambiguation is not None or recipe.is_joint:
            raise ValueError(
                "partial_fit sums over the rows, so it needs principle='infimum', 'average' or 'supremum' and"
                f" negative_weights='inside'. Got principle={recipe.principle} and"
                f" negative_weights={recipe.negative_weights!r}."
            )
        if not output.mergeable:
            raise ValueError(f"{type(output).__name__} learns from all of y at once. Define summarise and merge.")
        summary = output.summarise(table.y)
        weights = clone(recipe.weights).fit(Chunks([(table.X, None, table.w)]))
        return cls(recipe, clone(output).fit_summary(summary), weights, summary)

    def add(self, table: Table) -> None:
        """Add the rows of a chunk to the sums; a chunk that raises an error changes nothing."""
        summary = self.output.merge(self.summary, clone(self.output).summarise(table.y))
        if joblib.hash(vars(clone(self.output).fit_summary(summary))) != joblib.hash(vars(self.output)):
            raise InputError(
                "This chunk contains classes, tags, items or numbers that the first one does not contain. Declare them:"
                " classes=[…] for labels, tags=[…], items=[…], or bounds=(low, high) for numbers."
            )
        embedding = self.recipe.principle.embed(self.output.read(table.y))
        if embedding is None:
            raise ValueError(
                f"partial_fit needs a loss that is linear in the output, unlike the {self.recipe.principle} of these"
                " sets. Use principle='average', or fit on all rows."
            )
        found = self.weights.sums_of(table.X, embedding.columns(), table.w)
        self.sums = found if self.sums is None else self.sums + found
        self.summary = summary

    def solver(self) -> ClosedForm:
        """Return the fitted solver of all rows so far."""
        assert self.sums is not None
        return ClosedForm().fit_projected(self.output, *self.weights.solve(self.sums))


class StreamingMixin:
    """`partial_fit` for estimators with linear or Nyström weights."""

    @available_unless(check_streaming)
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add a chunk of rows to those that were passed before; after all chunks, the model is that of all rows.

        The output space and the features are learned from the first chunk: declare all classes, or the bounds of
        numbers, in the constructor. For weights.Nystrom, the centres are taken from the first chunk, unless they are
        given. `fit` starts again.

        Parameters
        ----------
        X : (n, d)
            Inputs.
        y : n sets
            Candidate sets, in any format that the output space parses.
        sample_weight : (n,), optional
            How much rows count.
        """
        model: Any = self
        before = vars(self).get("stream_")
        new = model._unfitted_copy() if before is None else copy(model)
        if before is None:
            table = new._rows(X, y, sample_weight)
            stream = Stream.start(new._recipe(), new._output(y), table)
        else:
            inputs = new._validated(X)
            w = None if sample_weight is None else _check_sample_weight(sample_weight, inputs, ensure_non_negative=True)
            table, stream = Table(inputs, materialise(y), w), copy(before)
        stream.weights = deepcopy(stream.weights)  # models that were copied before keep their predictions
        stream.add(table)
        new.stream_, new.output_, new.recipe_ = stream, stream.output, stream.recipe
        new.solver_, new.weights_ = stream.solver(), stream.weights
        new.selection_ = new.disambiguation_ = new.sets_ = None
        self.__dict__ = dict(vars(new))
        return self
