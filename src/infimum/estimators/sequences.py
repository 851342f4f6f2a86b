"""PartialSequenceTagger: one label per token of a sequence, from partly annotated sequences."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..data.errors import BadRows, check_lengths
from ..data.tokens import Design, TokenFeatures, Tokens, in_rows, read_tokens
from ..disambiguation import DisambiguationResult
from ..disambiguation.chain import fit_chain
from ..outputs import Labels, Lattices, OutputSpace, Sequences, Sets
from ..outputs.question_model import Belief, QuestionModel
from ..outputs.sequences.questions import SequenceQuestions
from ..outputs.sequences.space import rows_in
from ..selection import SearchConfig
from ..selection.chains import select_chain
from ..selection.scores import scored_by
from ..solvers import Minimum
from .held_out import HeldOut, held_out_tokens
from .model import OutputModel
from .token_explanation import TokenExplanation, explained_token

FEATURES = ("auto", "linear", "kernel")
TIED = 0.05
"""Two labels whose probabilities differ by less are tied."""


class PartialSequenceTagger(OutputModel):
    """A model that assigns a label to every token of a sequence, from partly annotated sequences.

    X is a list of sequences: lists of words, (length, d) arrays, or lists of feature dicts. y has one entry per token:
    a label, candidates ``{"a", "b"}``, an exclusion ``Not("a")``, or None. With `sequence`, X is a DataFrame with one
    row per token, and y has one entry per row.

    The model is a linear-chain conditional random field. It maximises the probability of the candidate sets, which are
    lattices of label sequences. Predictions have the least expected number of wrong labels among the allowed sequences.

    Parameters
    ----------
    transitions : None, "bio" or mapping, default None
        Which labels may follow a label, such as ``{"B": ["I", "O"]}``. The key None stands for the start; labels that
        are no key may be followed by all labels. "bio" allows I-X only after B-X and I-X.
    classes : list, optional
        All labels in order; by default those in y, sorted.
    sequence : str, optional
        The column of sequence ids, if X is a DataFrame with one row per token.
    features : {"auto", "linear", "kernel"}, default "auto"
        "kernel" adds features of a Gaussian kernel on the numbers of a token and its two neighbours. "auto" compares
        both for numbers; text and feature dicts have linear features.
    lam : "auto" or float > 0, default "auto"
        The strength of the L2 regularisation, selected by the held-out log-likelihood of the candidate sets.
    max_iter : int, default 200
        The largest number of iterations of L-BFGS.
    random_state : int, RandomState or None, default 0
        The folds of the selection and the centres of kernel features.
    verbose : int, default 0
        Whether progress is shown.

    Attributes
    ----------
    classes_ : (m,)
        The labels.
    output_ : Sequences or Labels
        The fitted output space; `Labels` if rows are tokens.
    transition_scores_ : (m, m)
        The learned score of each step from a label, in rows, to the next one, in columns.
    lam_ : float
        The strength of the regularisation.
    selection_ : SelectionResult or None
        What was compared and selected; None if nothing was "auto".
    labels_ : list of arrays, or array
        The most likely labels of the training tokens that agree with y.
    confidence_ : list of arrays, or array
        Their probabilities.

    Examples
    --------
    >>> from infimum import PartialSequenceTagger
    >>> X = [["Ann", "lives", "in", "Rome"], ["Bob", "saw", "Rome"], ["Ann", "saw", "Bob"]] * 4
    >>> y = [["PER", "O", None, "LOC"], [{"PER", "LOC"}, "O", "LOC"], ["PER", None, "PER"]] * 4
    >>> model = PartialSequenceTagger().fit(X, y)
    >>> model.predict([["Ann", "saw", "Rome"]])[0].tolist()
    ['PER', 'O', 'LOC']
    """

    unit_name = "sequences"

    def __init__(
        self,
        transitions: Any = None,
        classes: Any = None,
        sequence: Any = None,
        features: str = "auto",
        lam: Any = "auto",
        max_iter: int = 200,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self.transitions = transitions
        self.classes = classes
        self.sequence = sequence
        self.features = features
        self.lam = lam
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def _output(self, y: Any) -> OutputSpace:
        if self.sequence is not None:
            return Labels(classes=self.classes)
        return Sequences(self.transitions, self.classes)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model to sequences X and candidate labels y.

        A sequence of sample weight 2 counts as two sequences. If rows are tokens, a sequence has their mean weight.
        """
        self._fit_with_callbacks(X, y, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._check_parameters()
        tokens = read_tokens(X, self.sequence)
        output = self.output_space(y if self.sequence is not None else _with_lengths(y, tokens.lengths))
        sequences = Sequences(self.transitions, self.classes)
        found = self._lattices(output, y, tokens)
        sets = sequences.fit(found).read(found)
        w = self._weights(sample_weight, tokens)
        numbers = tokens.numbers.shape[1] > 0 and not tokens.texts and tokens.dicts is None
        kernels = [False, True] if self.features == "auto" and numbers else [self.features == "kernel"]
        lams = list(SearchConfig().chain_lams) if isinstance(self.lam, str) else [float(self.lam)]
        choice = select_chain(tokens, sets, w, kernels, lams, self.random_state, self.verbose, self._on_candidate)
        seed = self.random_state if isinstance(self.random_state, int) else 0
        features = TokenFeatures(choice.kernel, seed).fit(tokens)
        design = features.design(tokens)
        chain = fit_chain(design, sets, choice.lam, w, max_iter=self.max_iter)
        # all at once: a fit that fails or is interrupted leaves the model as it was
        self.output_, self.sequences_, self.features_, self.chain_ = output, sequences, features, chain
        self.classes_, self.lam_, self.selection_ = sequences.classes_, choice.lam, choice.selection
        self.transition_scores_ = chain.steps.follow
        self.lattices_, self.order_ = sets, tokens.order
        self._posterior = chain.marginals(design, sets, restrict=True)
        self._chosen = chain.predict(design, sets, restrict=True)[0]

    def _check_parameters(self) -> None:
        if self.features not in FEATURES:
            raise ValueError(f"features must be one of {', '.join(map(repr, FEATURES))}. Got {self.features!r}.")
        given = self.lam
        if not (isinstance(given, str) and given == "auto") and not (isinstance(given, int | float) and given > 0):
            raise ValueError(f"lam must be 'auto' or a positive number. Got {given!r}.")

    def _lattices(self, output: Any, y: Any, tokens: Tokens, strict: bool = True) -> Lattices:
        """Return y as candidate labels of the tokens, sequence after sequence."""
        if self.sequence is None:
            sets = output.read(_with_lengths(y, tokens.lengths), strict)
            if not np.array_equal(sets.lengths, tokens.lengths):
                raise ValueError("The sequences of X and y have different lengths. Select the same rows of both.")
            return sets
        labels = output.read(y, strict)
        check_lengths(len(tokens.numbers), len(labels))
        return Lattices(labels.mask[tokens.order], tokens.lengths, None, output.classes_, strict=False)

    def _weights(self, sample_weight: Any, tokens: Tokens) -> NDArray:
        n, N = len(tokens.lengths), len(tokens.numbers)
        w = scored_by(sample_weight, n if tokens.order is None else N)
        if w is None:
            return np.ones(n)
        w = w * np.max(sample_weight)  # scores divide by the largest weight
        if tokens.order is None:
            return w
        of = np.repeat(np.arange(n), tokens.lengths)
        return np.bincount(of, w[tokens.order], minlength=n) / tokens.lengths

    def _prepared(self, X: Any, y: Any = None) -> tuple[Tokens, Design, Lattices]:
        """Return tokens, their features, and the candidates y, or all labels."""
        check_is_fitted(self, "chain_")
        tokens = read_tokens(X, self.sequence)
        design = self.features_.design(tokens)
        if y is None:
            full = np.ones((len(tokens.numbers), len(self.classes_)), dtype=bool)
            sets = Lattices(full, tokens.lengths, self.sequences_.allowed_, self.classes_, strict=False)
        else:
            sets = self.sequences_.read(self._lattices(self.output_, y, tokens))
        return tokens, design, sets

    def _returned(self, values: NDArray, lengths: NDArray, order: NDArray | None) -> Any:
        """Return values of tokens as a list of arrays, or in the order of the rows of a DataFrame."""
        return np.split(values, np.cumsum(lengths)[:-1]) if order is None else in_rows(values, order)

    def predict(self, X: Any, candidates: Any = None) -> Any:
        """Predict the labels of all tokens: a list of arrays, or an array if rows are tokens.

        The result has the least expected number of wrong labels. `candidates`, in the format of y, restricts it.
        """
        tokens, design, sets = self._prepared(X, candidates)
        labels = self.chain_.predict(design, sets, candidates is not None)[0]
        return self._returned(self.classes_[labels], tokens.lengths, tokens.order)

    def predict_proba(self, X: Any, candidates: Any = None) -> Any:
        """Return the probability of each label: a list of (length, m) arrays, or (N, m) if rows are tokens.

        They are marginals of the distribution of label sequences, given `candidates` if there are any.
        """
        tokens, design, sets = self._prepared(X, candidates)
        found = self.chain_.marginals(design, sets, candidates is not None)
        return self._returned(found, tokens.lengths, tokens.order)

    def padded_probabilities(self, X: Any) -> NDArray:
        """Return `predict_proba` as one array, (n, width, m) with NaN beyond the ends; (N, m) if rows are tokens."""
        tokens, design, sets = self._prepared(X)
        found = self.chain_.marginals(design, sets)
        return sets.padded(found, np.nan) if tokens.order is None else in_rows(found, tokens.order)

    def minimum(self, X: Any) -> Minimum:
        """Return predicted sequences, their expected number of wrong labels, and a lower bound, which is equal to it.

        The shortest path is exact, so predictions are provably optimal.
        """
        tokens, design, sets = self._prepared(X)
        labels, value = self.chain_.predict(design, sets)
        return Minimum(self._returned(self.classes_[labels], tokens.lengths, None), value, value)

    def outputs(self, X: Any) -> NDArray:
        """Return predictions in the encoding of the output space: (n, width), or (N,) if rows are tokens."""
        tokens, design, sets = self._prepared(X)
        labels = self.chain_.predict(design, sets)[0]
        return sets.padded(labels) if tokens.order is None else self._returned(labels, tokens.lengths, tokens.order)

    def predicted(self, X: Any, y: Any) -> tuple[NDArray, Sets]:
        """Return the predictions in the encoding of the output space, and y as sets, which scores compare."""
        z = self.outputs(X)
        tokens = read_tokens(X, self.sequence)
        if self.sequence is None:
            return z, self._lattices(self.output_, y, tokens, strict=False)
        return z, self.output_.read(y, strict=False)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of labelled tokens whose predicted label is right, or is a candidate."""
        tokens, design, sets = self._prepared(X)
        truth = self._lattices(self.output_, y, tokens, strict=False)
        labels, counts = self.chain_.predict(design, sets)[0], ~truth.mask.all(axis=1)
        w = np.repeat(self._weights(sample_weight, tokens), tokens.lengths) * counts
        if not w.any():
            raise ValueError("Scores require labelled tokens. Every label is possible for all tokens of y.")
        return float(np.average(truth.mask[np.arange(len(labels)), labels], weights=w))

    def log_likelihood(self, X: Any, y: Any) -> NDArray:
        """Return log P(labels of sequence i in their candidate set | x_i), (n,)."""
        _, design, sets = self._prepared(X, y)
        return self.chain_.log_likelihoods(design, sets)

    @property
    def sets_(self) -> Sets:
        """The candidate sets of the training data: one per sequence, or one per row if rows are tokens."""
        if self.order_ is None:
            return self.lattices_
        return self.output_.read(self._returned(self.lattices_.mask, self.lattices_.lengths, self.order_), strict=False)

    @property
    def labels_(self) -> Any:
        """The most likely labels of the training tokens that agree with y."""
        return self._returned(self.classes_[self._chosen], self.lattices_.lengths, self.order_)

    @property
    def confidence_(self) -> Any:
        """The probabilities of `labels_`."""
        found = np.take_along_axis(self._posterior, self._chosen[:, None], axis=1)[:, 0]
        return self._returned(found, self.lattices_.lengths, self.order_)

    def held_out(self, X: Any) -> HeldOut:
        """Return predictions of the training tokens by models without their sequences, for `infimum.report.build`."""
        check_is_fitted(self, "chain_")
        return held_out_tokens(self, X)

    def explain_token(self, x: Any, token: int, against: Any = None) -> TokenExplanation:
        """Return the contribution of each feature, and of the neighbouring labels, to the label of one token.

        `x` is one sequence, `token` a position in it. `against` is the label that the prediction is compared with, by
        default the most probable other label that is allowed between the predicted neighbours.

        Examples
        --------
        >>> from infimum import PartialSequenceTagger
        >>> model = PartialSequenceTagger(lam=1.0).fit([["Ann", "saw"], ["Bob", "ran"]], [["PER", "O"], ["PER", "O"]])
        >>> found = model.explain_token(["Eve", "saw"], 0)
        >>> found.prediction, found.against, "word: shape=Xx" in found.features
        (np.str_('PER'), np.str_('O'), True)
        """
        check_is_fitted(self, "chain_")
        return explained_token(self, x, token, against)

    @property
    def explain(self) -> Any:
        """Not available: a prediction of this model is no weighted mean over training rows. Use `explain_token`."""
        raise AttributeError(
            "PartialSequenceTagger has no method explain, because its predictions have no weights of training rows."
            " For the features that determine a label, use model.explain_token(X[0], token=0)."
        )

    def units(self, X: Any) -> NDArray | None:
        """Return the number of the sequence of each row, (N,); None if each row of X is a sequence.

        `infimum.conformal.Conformal` calls this, because sequences are exchangeable and their tokens are not.
        """
        if self.sequence is None:
            return None
        tokens = read_tokens(X, self.sequence)
        assert tokens.order is not None  # X has a column of sequence ids
        return in_rows(np.repeat(np.arange(len(tokens.lengths)), tokens.lengths), tokens.order)

    def beliefs(self, X: Any, y: Any) -> tuple[QuestionModel, Belief]:
        """Return what can be asked about X, and the probabilities of all labels given y.

        `infimum.active.QuestionSelector` calls this. Questions are about tokens of sequences, or about rows if these
        are tokens.
        """
        tokens, design, sets = self._prepared(X, y)
        T, F = (self.chain_.marginals(design, sets, restrict) for restrict in (True, False))
        if tokens.order is None:
            model = SequenceQuestions(self.output_, tokens.contexts())
            return model, Belief(model.encode(sets), sets.embedded(T), sets.embedded(F), None)
        E, T, F = (in_rows(part, tokens.order) for part in (sets.mask, T, F))
        return self.output_.questions(), Belief(E, T, F, None)

    @property
    def disambiguation_(self) -> DisambiguationResult:
        """The estimated labels of the training tokens, in the order of the rows."""
        lengths, order = self.lattices_.lengths, self.order_
        flat = np.arange(len(self._chosen)) if order is None else order
        P, z = (self._returned(part, lengths, flat) for part in (self._posterior, self._chosen))
        top = np.sort(P, axis=1)[:, ::-1]
        tied = np.flatnonzero(top[:, 0] - top[:, 1] < TIED) if P.shape[1] > 1 else np.empty(0, dtype=int)
        none = np.empty(0, dtype=int)
        confidence = np.take_along_axis(P, z[:, None], axis=1)[:, 0]
        return DisambiguationResult(self.classes_[z], confidence, tied, None, none, P[:, None], 1 - P, True, z=z)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


def _with_lengths(y: Any, lengths: NDArray) -> Any:
    """Return y with one None per token for a sequence without labels; raise an error if lengths differ."""
    if isinstance(y, Sets):
        return y
    if y is None:
        raise ValueError("PartialSequenceTagger requires y to be passed, but the target y is None.")
    rows = rows_in(y)
    check_lengths(len(lengths), len(rows), "sequences")
    rows = [[None] * n if row is None else row for row, n in zip(rows, lengths.tolist())]
    bad = BadRows("y", "sequence")
    for k, (row, n) in enumerate(zip(rows, lengths.tolist())):
        if len(row) != n:
            bad.add(k, f"{len(row)} labels for {n} tokens")
    bad.raise_if_any("Each sequence of y needs one entry per token; None is an unknown label.")
    return rows
