"""
Train on the output of rules or a language model
================================================

Keyword rules and language models often return several labels for one text, or none. This tutorial keeps all of them
as a candidate set, and compares that with the usual choice of the first label.
"""

# %%
# Rules that return several labels
# --------------------------------
# Each rule names a class if one of its keywords occurs. A language model that may return several labels
# gives the same kind of answer: a list, possibly empty.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from infimum import PartialClassifier
from infimum.datasets import example_file
from infimum.plotting import COLOURS

RULES = {
    "account": ("account", "password", "log", "user", "email", "code", "team"),
    "billing": ("invoice", "charged", "price", "card", "money", "tax", "bank", "discount"),
    "delivery": ("parcel", "box", "order", "courier", "ship", "tracking", "delivery"),
    "refund": ("refund", "money", "return", "order", "paid", "box"),
    "technical": ("app", "page", "error", "update", "export", "slow", "search", "charts", "code"),
}
tickets = pd.read_csv(example_file("tickets.csv"))
new = pd.read_csv(example_file("tickets_new.csv"))
answers = [
    [name for name, words in RULES.items() if any(word in text.lower() for word in words)]
    for text in tickets["message"]
]
print(answers[:5])

# %%
# From lists to candidate sets
# ----------------------------
# An empty list becomes an unlabelled row. `infimum.io.read_votes` reads such answers from a file, and raises an error
# that names the line of an answer outside the list of classes.

y = [set(found) or None for found in answers]
several = np.mean([row is not None and len(row) > 1 for row in y])
print(f"{several:.0%} of the rows have several labels, {np.mean([row is None for row in y]):.0%} have none")

# %%
# Two models on the same features
# -------------------------------
# The usual way keeps the first label of each answer and drops empty answers.

text = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2)).fit(tickets["message"])
A, B = text.transform(tickets["message"]), text.transform(new["message"])
model = PartialClassifier(classes=list(RULES)).fit(A, y)
kept = [i for i, found in enumerate(answers) if found]
first = make_pipeline(LogisticRegression(max_iter=1000)).fit(A[kept], [answers[i][0] for i in kept])
scores = {
    "rules, first label": np.mean([
        next((name for name, words in RULES.items() if any(w in t.lower() for w in words)), "") == label
        for t, label in zip(new["message"], new["label"])
    ]),
    "logistic regression\non the first label": first.score(B, new["label"]),
    "infimum\non all labels": model.score(B, new["label"]),
}  # fmt: skip
print({name.replace("\n", " "): round(float(value), 2) for name, value in scores.items()})

# %%
# Audit
# -----
# Before you rely on the result, label some rows by hand, and check whether the rules can separate the classes at all
# (`diagnostics.identifiability`).

figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
bars = axis.barh(list(scores), list(scores.values()), color=["0.75", "0.6", COLOURS[0]])
axis.bar_label(bars, fmt="{:.0%}", padding=4)
axis.set(xlim=(0, 1), xlabel="accuracy on 80 tickets with exact labels")
axis.spines[["top", "right"]].set_visible(False)
plt.show()
