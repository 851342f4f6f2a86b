"""PartialMultiOutput: several outputs per row, such as a class and a price range."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..metrics import r2
from ..outputs import OutputSpace, Product
from ..selection.scores import labelled_weight, scored_by
from .base import PartialModel
from .docs import MODEL

SCORES: dict[str, Any] = {"number": r2, "vector": r2}
"""Scores of outputs by their kind; all others have the mean agreement, which is the accuracy for labels."""


@MODEL
@dataclass(kw_only=True, eq=False, repr=False)
class PartialMultiOutput(PartialModel):
    """A model for several outputs per row, each with its own kind of partial label.

    y is a DataFrame or a mapping with one column per output. The loss is a weighted sum over the outputs. They share
    the base learner and the model selection. Disambiguation uses what is known about one output of a row for the
    others.

    Parameters
    ----------
    parts : mapping of str to OutputSpace or str
        The output space of each column of y, or its kind: "labels", "tags", "ranking", "number", "vector" or "mask".
    importance : mapping of str to float, optional
        The factor of the loss of each output. By default the mean loss between the labels of two rows is 1 for each
        output, so all outputs count alike.
    principle, negative_weights, weights, solver, max_search_time, n_jobs, random_state, verbose, search_config : shared

    Attributes
    ----------
    selection_, labels_, confidence_, suspects_, tied_, label_errors_, noise_, n_features_in_, output_, sets_ : shared

    Examples
    --------
    >>> from infimum import PartialMultiOutput
    >>> X = [[0.0], [0.1], [0.2], [0.8], [0.9], [1.0]]
    >>> y = {"species": ["cat", "cat|dog", None, "dog", "cat|dog", "dog"], "weight": [4, (3, 5), 4, 20, None, (18, 25)]}
    >>> model = PartialMultiOutput({"species": "labels", "weight": "number"}).fit(X, y)
    >>> model.predict([[0.0], [1.0]])["species"].tolist()
    ['cat', 'dog']
    """

    parts: Any = field(default=None, kw_only=False)
    importance: Any = field(default=None, kw_only=False)

    def _output(self, y: Any) -> OutputSpace:
        return Product(self.parts, self.importance)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the mean over the outputs of `scores(X, y)`."""
        return float(np.mean(list(self.scores(X, y, sample_weight).values())))

    def scores(self, X: Any, y: Any, sample_weight: Any = None) -> dict[str, float]:
        """Return the score of each output: R² for numbers and vectors, otherwise accuracy or covering rate.

        Rows in which an output is unlabelled do not count for it.
        """
        z, sets = self.predicted(X, y)
        parsed: Any = sets
        w, found = scored_by(sample_weight, len(z)), {}
        product: Any = self.output_
        for (name, space), own in zip(product.spaces_.items(), product.layout_.split_outputs(z)):
            part = parsed.parts[name]
            counts = labelled_weight(space, part, w)
            if space.kind in SCORES:
                found[name] = float(SCORES[space.kind](part, own, counts))
            else:
                found[name] = float(np.average(part.agreement(own), weights=counts))
        return found
