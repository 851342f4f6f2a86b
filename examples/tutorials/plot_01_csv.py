"""
Train a classifier on a CSV file with ambiguous labels
======================================================

A team sorts support tickets. If the team was not sure, the label column contains several classes, an excluded class
or nothing. This tutorial trains a classifier on such a file, checks it, and decides which tickets to route
automatically.
"""

# %%
# Read the file
# -------------
# The table ships with the package. It contains text, numbers, a date, categories, gaps and a column of identifiers.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from infimum import Features, PartialClassifier
from infimum.datasets import example_file
from infimum.plotting import COLOURS

tickets = pd.read_csv(example_file("tickets.csv"))
tickets[["message", "plan", "paid", "label"]].head()

# %%
# A cell of ``label`` is a candidate set: ``account|technical`` means one of the two, ``!account`` any class except this
# one, and an empty cell means that nobody labelled the ticket.


def kind_of(cell):
    """Return the kind of a label."""
    return "empty" if cell == "" else "excluded" if "!" in cell else "several" if "|" in cell else "exact"


tickets["label"].fillna("").map(kind_of).value_counts()

# %%
# Fit
# ---
# ``Features`` turns the table into numbers and leaves the identifiers out. ``PartialClassifier`` selects a base
# learner, its hyperparameters and the set loss by cross-validation on the candidate sets.

X, y = tickets.drop(columns=["label", "minutes"]), tickets["label"]
model = make_pipeline(Features(), PartialClassifier()).fit(X, y)
for column in model[0].describe():
    print(column)

# %%
# Check
# -----
# The covering rate is measured on held-out rows, beside that of the best constant prediction.

scores = model[-1].selection_.scores
print({name: round(value, 2) for name, value in scores.items() if isinstance(value, float)})

# %%
# Eighty further tickets were labelled exactly. They confirm the estimate.

new = pd.read_csv(example_file("tickets_new.csv"))
predicted = model.predict(new[X.columns])
print(f"accuracy on new tickets: {np.mean(predicted == new['label']):.2f}")

# %%
# Decide
# ------
# Tickets with a confident prediction are routed automatically, the others go to a person. The threshold sets how many.

confidence = model.predict_proba(new[X.columns]).max(axis=1)
right = predicted == new["label"].to_numpy()
order = np.argsort(-confidence)
share = np.arange(1, len(order) + 1) / len(order)
accuracy = np.cumsum(right[order]) / np.arange(1, len(order) + 1)

figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
axis.plot(share, accuracy, color=COLOURS[0], lw=2.5)
axis.set(xlabel="share of tickets that are routed automatically", ylabel="accuracy among them", ylim=(0.8, 1.01))
axis.spines[["top", "right"]].set_visible(False)
axis.set_title("Route the confident ones, ask a person about the rest", loc="left")
plt.show()
