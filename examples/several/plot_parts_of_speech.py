"""
Parts of speech from partly annotated sentences
===============================================

Each word of a sentence has a part of speech, and annotators have labelled only some of the words. This example uses 300
sentences of the Open American National Corpus, which may be used without restrictions. Their Penn Treebank tags,
shortened to two letters, were assigned by a program and contain some errors.

We hide two thirds of the tags, train on the rest, and then ask for the tags that are worth most.
"""

# %%
# Sentences with hidden tags
# --------------------------
# One third of the words keeps its tag. For every fourth of the others we only know that it is, or is not, a noun.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from infimum import Not, PartialSequenceTagger
from infimum.active import QuestionSelector
from infimum.datasets import example_file
from infimum.report import build

table = pd.read_csv(example_file("sentences.csv"))
X = [group.tolist() for _, group in table.groupby("sentence").word]
true = [group.tolist() for _, group in table.groupby("sentence").tag]
X_new, true_new = X[200:], true[200:]
X, true = X[:200], true[:200]

rng = np.random.default_rng(0)


def annotated(tag):
    """A tag, whether it is a noun, or nothing."""
    kind = rng.choice(["tag", "noun or not", "nothing"], p=[1 / 3, 1 / 6, 1 / 2])
    return {"tag": tag, "noun or not": "NN" if tag == "NN" else Not("NN"), "nothing": None}[str(kind)]


y = [[annotated(tag) for tag in tags] for tags in true]
print(list(zip(X[3], y[3]))[:8])

# %%
# Fit, and compare with complete sentences
# ----------------------------------------
# The same number of tags, spent on complete sentences, is the usual way to annotate.
model = PartialSequenceTagger().fit(X, y)
whole = PartialSequenceTagger().fit(X[:67], true[:67])
print(f"a third of the tags in all sentences: {model.score(X_new, true_new):.3f}")
print(f"all tags in a third of the sentences: {whole.score(X_new, true_new):.3f}")

# %%
# A report about tokens
# ---------------------
# Each token to review is shown in its sentence, with the tag that the other sentences suggest.
report = build(model, X)
print("\n".join(report.facts.summary))
for row in report.facts.review[:5]:
    print(f"{row.cells['in its sequence']}: {row.set}, probably {row.proposed} ({row.probability:.0%})")

# %%
# Questions about tokens
# ----------------------
# We begin with ten complete sentences. The model asks questions about single tokens or sentences, and is fitted again
# after each batch. Random sentences that are labelled completely are the usual alternative. The cost of an answer is an
# estimate of the time of a person.
classes = sorted(table.tag.unique())
BUDGET = 1200  # seconds


def curve(strategy, batch):
    y = true[:10] + [[None] * len(words) for words in X[10:]]
    asker, tagger = QuestionSelector(strategy, random_state=0), PartialSequenceTagger(classes=classes, lam=0.3)
    points = []
    seconds = 0.0
    while not points or seconds < BUDGET:
        tagger.fit(X, y)
        points.append((seconds, tagger.score(X_new, true_new)))
        answers = tagger.output_.read(true)
        right = answers.member(answers.start(), tagger.output_)
        for question in asker.query(X, y, tagger, n=batch):
            y = question.apply_answer(y, question.true_answer(right[question.row]))
            seconds += question.cost
    print(f"{strategy}: {points[-1][1]:.3f} after {points[-1][0]:.0f} seconds. Last question: {question.text()}")
    return np.array(points)


fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.plot(*curve("information", 20).T, marker="o", label="chosen questions")
ax.plot(*curve("whole", 8).T, marker="s", label="random sentences")
ax.set(xlabel="seconds of answers", ylabel="share of right tags, new sentences")
ax.legend()
plt.show()
