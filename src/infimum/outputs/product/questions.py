"""Questions about several outputs: one question about one of them, or all outputs at once."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...data.errors import InputError
from ..base import OutputSpace
from ..question_model import Belief, QuestionGroup, QuestionModel
from ..questions import PartQuestion, Question, from_dict


class OfOutput(PartQuestion):
    """Ask a question about one of several outputs.

    Parameters
    ----------
    row : int
        The row of X and y.
    output : str
        The name of the output.
    question : Question
        The question about it.
    space : Product
        The fitted output space.
    cost : float, optional
        By default the cost of the question.
    """

    def __init__(self, row: int, output: str, question: Question, space: OutputSpace, cost: float | None = None):
        self.output, self.question = output, question
        self._set(row, space, question.cost if cost is None else cost)

    @classmethod
    def of(cls, row: int, about: Any, space: OutputSpace, cost: float | None = None) -> Self:
        spaces = space.spaces_
        if not isinstance(about, dict) or about.get("output") not in spaces:
            raise InputError(f'A question about one output has {{"output": name, "question": …}}. Got {about!r}.')
        return cls(row, about["output"], from_dict(about.get("question"), spaces[about["output"]]), space, cost)

    @property
    def about(self) -> dict[str, Any]:
        return {"output": self.output, "question": self.question.as_dict()}

    def text(self) -> str:
        return f"{self.output}: {self.question.text()}"

    def consistent_set(self, answer: Any) -> Any:
        part = self.question.space.to_cells(self.question.consistent_set(answer))[0]
        return self.space.read(self.space.from_cells([{self.output: part}]))

    def restrict(self, one: Any, answer: Any) -> Any:
        return one.replace_part(self.output, self.question.restrict(one.parts[self.output], answer))

    def true_answer(self, z: Any) -> Any:
        own = dict(zip(self.space.spaces_, self.space.layout_.split_outputs(z)))
        return self.question.true_answer(own[self.output])

    @staticmethod
    def _about_repr(about: Any) -> str:
        return f"{about['output']}: {about['question']['type']}"


class ProductQuestions(QuestionModel):
    """The questions about each of several outputs; targets, sets and predictions are written one after the other."""

    question_types = (OfOutput,)
    full_text = "What are all its outputs?"
    agreement_name = "Share of right outputs"

    def __init__(self, space: OutputSpace):
        super().__init__(space)
        self.parts: dict[str, QuestionModel] = {name: own.questions() for name, own in self.space.spaces_.items()}
        models = list(self.parts.values())
        self.prior = np.concatenate([model.prior for model in models])
        self.predicts = all(model.predicts for model in models)  # type: ignore[misc]
        self.calibrations = (tuple(model.calibrations[0] for model in models),)  # type: ignore[misc]
        self._targets = np.cumsum([len(model.prior) for model in models])[:-1]
        self._codes = np.cumsum([model.unlabelled.shape[1] for model in models])[:-1]

    def _each(self, E: NDArray, *values: NDArray) -> list[tuple]:
        """Return (model, E, values…) for each output."""
        splits = [np.split(each, self._targets, axis=-1) for each in values]
        return list(zip(self.parts.values(), np.split(E, self._codes, axis=-1), *splits))

    @property
    def names(self) -> list:
        return [*self.parts, *(model.names for model in self.parts.values())]

    @property
    def unlabelled(self) -> NDArray:
        return np.hstack([model.unlabelled for model in self.parts.values()])

    def encode(self, sets: Any) -> NDArray:
        return np.hstack([model.encode(sets.parts[name]) for name, model in self.parts.items()])

    def is_labelled(self, E: NDArray) -> NDArray:
        return np.any([model.is_labelled(own.astype(model.unlabelled.dtype)) for model, own in self._each(E)], axis=0)

    def is_open(self, E: NDArray) -> NDArray:
        return np.any([model.is_open(own.astype(model.unlabelled.dtype)) for model, own in self._each(E)], axis=0)

    def n_outputs(self, E: NDArray) -> NDArray:
        return np.prod([model.n_outputs(own.astype(model.unlabelled.dtype)) for model, own in self._each(E)], axis=0)

    def n_shown(self, E: NDArray) -> NDArray:
        return np.sum([model.n_shown(own.astype(model.unlabelled.dtype)) for model, own in self._each(E)], axis=0)

    def posterior_mean(self, E: NDArray, F: NDArray, spread: Any, calibration: Any) -> NDArray:
        spreads = [None] * len(self.parts) if spread is None else list(np.moveaxis(spread, -1, 0))
        return np.hstack([
            model.posterior_mean(own.astype(model.unlabelled.dtype), f, _known(s), c)
            for (model, own, f), s, c in zip(self._each(E, F), spreads, calibration)
        ])  # fmt: skip

    def residual_scale(self, E: NDArray, F: NDArray) -> Any:
        return [model.residual_scale(own.astype(model.unlabelled.dtype), f) for model, own, f in self._each(E, F)]

    def spread(self, scale: Any, variance: NDArray) -> Any:
        scales = [None] * len(self.parts) if scale is None else scale
        found = [model.spread(one, variance) for model, one in zip(self.parts.values(), scales)]
        return np.column_stack([np.full(len(variance), np.nan) if one is None else one for one in found])

    def predict(self, F: NDArray) -> NDArray:
        pieces = np.split(F, self._targets, axis=-1)
        return self.space.layout_.join_outputs(m.predict(f) for m, f in zip(self.parts.values(), pieces))

    def exact_outputs(self, sets: Any) -> NDArray:
        each = self.parts.items()
        return self.space.layout_.join_outputs(model.exact_outputs(sets.parts[name]) for name, model in each)

    def groups(self, belief: Belief) -> list[QuestionGroup]:
        found, full = [], []
        spreads = np.moveaxis(belief.spread, -1, 0)
        for name, (model, E, T, F), spread in zip(self.parts, self._each(belief.E, belief.T, belief.F), spreads):
            own = model.groups(Belief(E.astype(model.unlabelled.dtype), T, F, _known(spread)))
            full.append(own[-1])
            found += [group._replace(kind=OfOutput.__name__, make=self._make(name, group)) for group in own]
        gain, entropy = (np.sum([getattr(one, what)[:, 0] for one in full], axis=0) for what in ("gain", "entropy"))
        return [*found, self.full_group(belief.E, gain, entropy)]

    def _make(self, name: str, group: QuestionGroup) -> Any:
        return lambda i, f, cost: OfOutput(i, name, group.make(i, f, cost), self.space, cost)


def _known(spread: Any) -> Any:
    """Return the spread of one output; None if its model does not use it."""
    return None if spread is None or np.isnan(spread).all() else spread
