"""Probable: classifiers with probabilities, calibrated by the likelihood of sets."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..data import Table
from ..probabilities import MAPS, Temperature, fitted_map, left_out, shared
from .base import PartialModel

MOST = 3000  # rows from which the default learns how sure it is


class Probable(PartialModel):
    """What classifiers of labels and of tags share: a map from predictions to probabilities, fitted to sets."""

    probabilities: Any

    def _options(self, solver: Any, alpha: Any) -> NDArray:
        """What is predicted for every option, F (q, g, c), with sums of one."""
        raise NotImplementedError

    def _has_options(self) -> bool:
        """Whether the fitted solver gives them."""
        raise NotImplementedError

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        if self.probabilities is not None and self.probabilities not in MAPS:
            names = ", ".join(map(repr, MAPS))
            raise ValueError(f"probabilities must be None or one of {names}. Got {self.probabilities!r} instead.")
        super()._fit(X, y, sample_weight)
        self.map_: Any = self._learned_map(X, y, sample_weight)

    def _learned_map(self, X: Any, y: Any, sample_weight: Any) -> Any:
        """The map that is asked for; after soft disambiguation, from the rows that it has left out by itself."""
        made = self._resolved_recipe()
        disambiguated = made.disambiguation is not None
        chosen = self.probabilities is None and self.principle == "auto" and not disambiguated
        unasked = self.probabilities is None and not disambiguated and not chosen
        if unasked or (chosen and (made.refits_on_labels or not self._has_options())):
            return None
        found = self.disambiguation_ if self.disambiguation_ is not None and self.disambiguation_.soft else None
        if self.probabilities in (None, "temperature") and found is not None and found.map is not None:
            return found.map
        if self.probabilities is None and (not chosen or not (self.selection_ and self.selection_.results)):
            return Temperature()  # nothing was left out: the plain reading of what is predicted
        rows = self._unfitted_copy()._rows(X, y, sample_weight)
        if chosen:
            rows = self._some(rows)
        if not isinstance(rows, Table):
            raise ValueError(
                "probabilities= leaves rows out: give arrays instead of rows in blocks, or call calibrate."
            )
        sets: Any = rows.read(self.output_)
        kind = "temperature" if chosen else self.probabilities
        if found is not None and found.left_out is not None:
            return fitted_map(kind, shared(found.left_out), sets.options(), rows.w)
        if chosen and sets.options() is None:
            return None
        F, mask = left_out(made, self._options, Table(rows.X, None, rows.w), self.output_, sets)
        return fitted_map(kind, F, mask, rows.w)

    def _some(self, rows: Any) -> Any:
        """At most `MOST` rows, from which the default takes its temperature: the same ones in any order."""
        if not isinstance(rows, Table):
            found = rows.sample(MOST)
            return Table(found.X, found.y, found.w)
        if rows.X.shape[0] <= MOST:
            return rows
        at = rows.first(MOST)
        return Table(rows.X[at], rows.read(self.output_)[at], None if rows.w is None else rows.w[at])

    def calibrate(self, X: Any, y: Any, kind: str = "temperature") -> Self:
        """Fit the map from predictions to probabilities to sets of rows that were not used in `fit`.

        `kind` is "temperature" or "isotonic"; see :mod:`infimum.probabilities` for what it maximises and what that
        means.
        """
        check_is_fitted(self)
        if kind not in MAPS:
            raise ValueError(f"kind must be one of {', '.join(map(repr, MAPS))}. Got {kind!r} instead.")
        F = self.map_weights(X, lambda alpha: self._options(self.solver_, alpha))
        mask = self.output_.read(y).options()
        if mask is None or len(mask) != len(F):
            raise ValueError(f"X has {len(F)} rows; y must give as many, of labels or known tags.")
        self.map_ = fitted_map(kind, F, mask)
        return self

    def _probable(self, X: Any) -> NDArray:
        check_is_fitted(self)
        return self.map_(self.map_weights(X, lambda alpha: self._options(self.solver_, alpha)))


def has_map(model: Any) -> bool:
    """Whether a model has probabilities, or will once it is fitted."""
    if model.probabilities is not None or vars(model).get("map_") is not None:
        return True
    if "map_" not in vars(model) and model.principle == "auto":
        return True
    return model._resolved_recipe().disambiguation is not None
