"""Tokens of sequences and their features: words and numbers of each token and of its neighbours.

Features of text are computed once per distinct word. A design matrix refers to them by number, so its products cost
little more than those of a matrix with one row per distinct word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .errors import BadRows, InputError, is_missing, listed
from .inputs import is_frame

OFFSETS = {0: "own", -1: "near", 1: "near", -2: "far", 2: "far"}
"""Which features of words are used at which distance from a token: fewer for words that are further away."""

DISTANCES = tuple(dict.fromkeys(OFFSETS.values()))

PLACES = {0: "", -1: "previous ", 1: "next ", -2: "second previous ", 2: "second next "}
"""Names of the distances."""

WINDOW = (0, -1, 1)
"""Tokens whose numbers are features, relative to the token itself."""

CENTRES = 150
"""Nyström centres of each kernel; more are slower and more precise."""

N_CONTEXT = 8
"""Words on each side of a token that are shown to people."""

PADDING = "\0"  # the word before the first token and after the last one
FORMS = (
    "Each sequence of X is a list of words, a list of feature dicts, or a (length, d) array or DataFrame. A DataFrame"
    " with one row per token needs PartialSequenceTagger(sequence='column of sequence ids')."
)


class Tokens(NamedTuple):
    """The tokens of n sequences, one after the other."""

    lengths: NDArray
    """(n,): the number of tokens of each sequence."""
    texts: dict[str, list[str]]
    """The columns of words, N each."""
    numbers: NDArray
    """(N, d): the numeric columns, NaN if missing."""
    names: list[str]
    """The names of the numeric columns; empty if they have none."""
    dicts: list[Mapping] | None = None
    """The features of each token by name, if X has them."""
    order: NDArray | None = None
    """The row of each token in the DataFrame, if X is one."""

    def take(self, rows: NDArray) -> Tokens:
        """Return the tokens of some sequences."""
        starts = np.cumsum(self.lengths) - self.lengths
        at = np.concatenate([np.arange(starts[row], starts[row] + self.lengths[row]) for row in rows])
        texts = {name: [words[k] for k in at.tolist()] for name, words in self.texts.items()}
        dicts = None if self.dicts is None else [self.dicts[k] for k in at.tolist()]
        return Tokens(self.lengths[rows], texts, self.numbers[at], self.names, dicts)

    def contexts(self) -> list[list[str]] | None:
        """Return each token in brackets with the words around it, for each sequence; None if tokens are no words.

        >>> read_tokens([["Ann", "likes", "Rome"]]).contexts()[0][2]
        'Ann likes [Rome]'
        """
        if not self.texts:
            return None
        words, ends = next(iter(self.texts.values())), np.cumsum(self.lengths).tolist()
        return [_in_brackets(words[end - n : end]) for end, n in zip(ends, self.lengths.tolist())]


def _in_brackets(words: list[str]) -> list[str]:
    found = []
    for k, word in enumerate(words):
        before, after = words[max(0, k - N_CONTEXT) : k], words[k + 1 : k + 1 + N_CONTEXT]
        cut = [["…"] * (k > N_CONTEXT), ["…"] * (k + 1 + N_CONTEXT < len(words))]
        found.append(" ".join([*cut[0], *before, f"[{word}]", *after, *cut[1]]))
    return found


def read_tokens(X: Any, sequence: Any = None) -> Tokens:
    """Return the tokens of X.

    Parameters
    ----------
    X : list of sequences, or DataFrame
        Words, feature dicts, or numbers of each token.
    sequence : str, optional
        The column of sequence ids, if X is a DataFrame with one row per token.
    """
    found = _read(X, sequence)
    if np.isinf(found.numbers).any():
        raise InputError("X contains infinite numbers. Replace them, by NaN if the value is missing.")
    return found


def _read(X: Any, sequence: Any) -> Tokens:
    if is_frame(X):
        if sequence is None or sequence not in list(X.columns):
            raise InputError(f"X has no column {sequence!r} of sequence ids. {FORMS}")
        order, lengths = by_sequence(X[sequence].to_numpy())
        columns = {str(name): X[name].to_numpy()[order] for name in X.columns if name != sequence}
        return _of_columns(columns, lengths)._replace(order=order)
    if sequence is not None:
        raise InputError(
            f"sequence={sequence!r} requires X to be a DataFrame with this column. Got {type(X).__name__}."
        )
    parts = list(X) if not isinstance(X, str) else []
    if not parts:
        raise InputError(f"X contains no sequences. {FORMS}")
    bad = BadRows("X", "sequence")
    for row, part in enumerate(parts):
        if isinstance(part, str | Mapping) or not hasattr(part, "__len__"):
            bad.add(row, "expected a sequence of tokens", part)
        elif not len(part):
            bad.add(row, "a sequence without tokens")
    bad.raise_if_any(FORMS)
    lengths = np.array([len(part) for part in parts], dtype=int)
    if is_frame(parts[0]):
        names = list(parts[0].columns)
        return _of_columns({str(n): np.concatenate([part[n].to_numpy() for part in parts]) for n in names}, lengths)
    first = parts[0][0]
    if isinstance(first, str):
        return _of_columns({"word": [word for part in parts for word in part]}, lengths)
    if isinstance(first, Mapping):
        return Tokens(lengths, {}, np.empty((lengths.sum(), 0)), [], [token for part in parts for token in part])
    arrays = [np.asarray(part, dtype=float) for part in parts]
    shapes = {array.shape[1:] for array in arrays}
    if len(shapes) > 1 or arrays[0].ndim != 2:
        raise InputError(f"All sequences of X must have the same number of features. Got {listed(shapes)}. {FORMS}")
    return Tokens(lengths, {}, np.concatenate(arrays), [])


def by_sequence(ids: NDArray) -> tuple[NDArray, NDArray]:
    """Return the rows sequence by sequence, in the order of their first rows, and the lengths of the sequences.

    >>> by_sequence(np.array(["b", "b", "a", "b"]))
    (array([0, 1, 3, 2]), array([3, 1]))
    """
    codes: dict[Any, int] = {}
    of = np.array([codes.setdefault(one, len(codes)) for one in ids.tolist()], dtype=int)
    return np.argsort(of, kind="stable"), np.bincount(of, minlength=len(codes))


def in_rows(values: NDArray, order: NDArray) -> NDArray:
    """Return values of tokens, sequence after sequence, in the order of the rows of a DataFrame."""
    out = np.empty_like(values)
    out[order] = values
    return out


def _of_columns(columns: Mapping[str, Any], lengths: NDArray) -> Tokens:
    texts, numbers = {}, {}
    for name, column in columns.items():
        values = np.asarray(column, dtype=object) if not isinstance(column, np.ndarray) else column
        if values.dtype.kind in "biuf":
            numbers[name] = values.astype(float)
        else:
            texts[name] = ["" if is_missing(cell) else str(cell) for cell in values.tolist()]
    table = np.column_stack(list(numbers.values())) if numbers else np.empty((int(lengths.sum()), 0))
    return Tokens(lengths, texts, table, list(numbers))


class Block(NamedTuple):
    """Columns of a design matrix: row i is ``values[rows[i]]``."""

    values: Any
    """(V, d): the features of distinct words, or of tokens; dense or sparse."""
    rows: NDArray
    """(N,): which of them a token has."""


class Design:
    """A design matrix of tokens, (N, d), stored as blocks of columns.

    Parameters
    ----------
    blocks : list of Block
        Blocks of columns.

    Examples
    --------
    >>> design = Design([Block(np.array([[1.0], [2.0]]), np.array([0, 1, 1]))])
    >>> design.scores(np.array([[10.0]])).ravel().tolist(), design.gradient(np.ones((3, 1))).tolist()
    ([10.0, 20.0, 20.0], [[5.0]])
    """

    def __init__(self, blocks: Sequence[Block]):
        self.blocks, n = list(blocks), len(blocks[0].rows)
        self.ends = np.cumsum([block.values.shape[1] for block in blocks])
        self.n_features = int(self.ends[-1])
        self._count = [
            sparse.csr_matrix((np.ones(n), (b.rows, np.arange(n))), shape=(b.values.shape[0], n)) for b in blocks
        ]

    def __getitem__(self, tokens: NDArray) -> Design:
        return Design([Block(block.values, block.rows[tokens]) for block in self.blocks])

    def row(self, token: int) -> NDArray:
        """Return the features of one token, (d,)."""
        parts = [block.values[[block.rows[token]]] for block in self.blocks]
        return np.concatenate([np.ravel(part.toarray() if sparse.issparse(part) else part) for part in parts])

    def scores(self, coefficients: NDArray) -> NDArray:
        """Return the product with coefficients (d, m), (N, m)."""
        parts = np.split(coefficients, self.ends[:-1])
        found = np.zeros((len(self.blocks[0].rows), coefficients.shape[1]))
        for block, part in zip(self.blocks, parts):
            found += (block.values @ part)[block.rows]
        return found

    def gradient(self, residuals: NDArray) -> NDArray:
        """Return the product of the transpose with residuals (N, m), (d, m)."""
        return np.concatenate([b.values.T @ (count @ residuals) for b, count in zip(self.blocks, self._count)])


class TokenFeatures:
    """Features of tokens: of words, of numbers within a window, or those that the user has computed.

    Parameters
    ----------
    kernel : bool
        Whether Nyström features of Gaussian kernels are added, on the numbers of a token and on its window.
    random_state : int
        The seed of the choice of Nyström centres.
    """

    def __init__(self, kernel: bool = False, random_state: int = 0):
        self.kernel = kernel
        self.random_state = random_state

    def fit(self, tokens: Tokens) -> Self:
        from sklearn.feature_extraction import DictVectorizer  # imported here, because other models do not need it
        from sklearn.kernel_approximation import Nystroem
        from sklearn.preprocessing import StandardScaler

        self.words_ = {
            name: {which: DictVectorizer().fit(_word_dicts([PADDING, *words], which)) for which in DISTANCES}
            for name, words in tokens.texts.items()
        }
        self.names_, self.n_numbers_ = tokens.names, tokens.numbers.shape[1]
        self.dicts_ = None if tokens.dicts is None else DictVectorizer().fit(tokens.dicts)
        self.scaler_: Any = StandardScaler().fit(tokens.numbers) if self.n_numbers_ else None
        self.gaps_ = np.flatnonzero(np.isnan(tokens.numbers).any(axis=0))
        if self.kernel:
            n, seed = min(CENTRES, len(tokens.numbers)), self.random_state
            self.nystroem_ = [
                Nystroem(gamma=1 / table.shape[1], n_components=n, random_state=seed).fit(table)
                for table in self._windows(tokens)
            ]
        return self

    def _scaled(self, tokens: Tokens) -> NDArray:
        """Return the standardised numbers, with an indicator of missing ones and a first row for the outside."""
        values = np.nan_to_num(self.scaler_.transform(tokens.numbers))
        table = np.column_stack([values, np.isnan(tokens.numbers)[:, self.gaps_]])
        return np.vstack([np.zeros(table.shape[1]), table])

    def _windows(self, tokens: Tokens) -> list[NDArray]:
        """Return the numbers of each token, and those of its whole window."""
        table, code = self._scaled(tokens), 1 + np.arange(len(tokens.numbers))
        return [table[1:], np.hstack([table[shifted(code, tokens.lengths, offset)] for offset in WINDOW])]

    def design(self, tokens: Tokens) -> Design:
        """Return the design matrix of tokens with the columns of `fit`."""
        self._check(tokens)
        n = len(tokens.numbers)
        blocks = [Block(np.ones((1, 1)), np.zeros(n, dtype=int))]
        for name, columns in self.words_.items():
            distinct = {word: k for k, word in enumerate(dict.fromkeys([PADDING, *tokens.texts[name]]))}
            code = np.array([distinct[word] for word in tokens.texts[name]], dtype=int)
            tables = {which: own.transform(_word_dicts(distinct, which)) for which, own in columns.items()}
            blocks += [Block(tables[w], shifted(code, tokens.lengths, offset)) for offset, w in OFFSETS.items()]
        if self.dicts_ is not None:
            blocks.append(Block(self.dicts_.transform(tokens.dicts), np.arange(n)))
        if self.n_numbers_:
            table, code = self._scaled(tokens), 1 + np.arange(n)
            blocks += [Block(table, shifted(code, tokens.lengths, offset)) for offset in WINDOW]
        if self.kernel:
            windows = zip(self.nystroem_, self._windows(tokens))
            blocks += [Block(kernel.transform(table), np.arange(n)) for kernel, table in windows]
        return Design(blocks)

    def feature_names(self) -> list[str]:
        """Return the names of the columns of `design`; all columns of a kernel have the same one."""
        found = ["frequency of the label"]
        for name, columns in self.words_.items():
            for offset, which in OFFSETS.items():
                found += [f"{PLACES[offset]}{name}: {own}" for own in columns[which].get_feature_names_out()]
        if self.dicts_ is not None:
            found += map(str, self.dicts_.get_feature_names_out())
        if self.n_numbers_:
            names = self.names_ or [f"number {k}" for k in range(self.n_numbers_)]
            own = [*names, *(f"{names[k]} is missing" for k in self.gaps_)]
            found += [f"{PLACES[offset]}{name}" for offset in WINDOW for name in own]
        if self.kernel:
            for kernel, name in zip(self.nystroem_, ("the token", "the token and its neighbours")):
                found += [f"similarity of {name}"] * len(kernel.components_)
        return found

    def _check(self, tokens: Tokens) -> None:
        expected = (list(self.words_), self.names_, self.n_numbers_, self.dicts_ is None)
        found = (list(tokens.texts), tokens.names, tokens.numbers.shape[1], tokens.dicts is None)
        if expected != found:
            raise InputError(
                f"X must have the features of fit: {_described(*expected)}. Got {_described(*found)}. {FORMS}"
            )


def _described(texts: list[str], names: list[str], n: int, plain: bool) -> str:
    parts = [f"columns of text {listed(texts)}"] if texts else []
    parts += [f"{n} numbers per token" + (f" ({listed(names)})" if names else "")] if n else []
    return " and ".join(parts + ([] if plain else ["feature dicts"])) or "no features"


def _word_dicts(words: Iterable[str], which: str) -> list[dict[str, float]]:
    """Return the features of distinct words as dicts."""
    return [dict.fromkeys(word_features(word, which), 1.0) for word in dict.fromkeys(words)]


def word_features(word: str, which: str) -> list[str]:
    """Return the features of a word as text.

    >>> word_features("Paris", "near")
    ['lower=paris', 'suffix=ris', 'shape=Xx']
    """
    if word == PADDING:
        return ["nothing"]
    low = word.lower()
    if which == "far":
        return [f"lower={low}"]
    found = [f"lower={low}", f"suffix={low[-3:]}", f"shape={word_shape(word)}"]
    if which == "own":
        found += [f"word={word}", *(f"suffix={low[-k:]}" for k in (1, 2, 4) if k < len(low))]
        found += [f"prefix={low[:k]}" for k in (1, 2, 3) if k < len(low)]
    return found


def word_shape(word: str) -> str:
    """Return the kinds of characters of a word, without repetitions.

    >>> word_shape("iPhone-12"), word_shape("USA")
    ('xXx-0', 'X')
    """
    kinds = ["X" if c.isupper() else "x" if c.isalpha() else "0" if c.isdigit() else c for c in word]
    return "".join(kind for kind, before in zip(kinds, [None, *kinds]) if kind != before)


def shifted(code: NDArray, lengths: NDArray, offset: int) -> NDArray:
    """Return the entry of each token's neighbour at a distance, 0 beyond the ends of the sequence.

    >>> shifted(np.array([1, 2, 3, 4]), np.array([3, 1]), -1)
    array([0, 1, 2, 0])
    """
    ends = np.repeat(np.cumsum(lengths), lengths)
    at = np.arange(len(code)) + offset
    inside = (at >= ends - np.repeat(lengths, lengths)) & (at < ends)
    return np.where(inside, code[np.where(inside, at, 0)], 0)
