"""
Several annotators: who is reliable?
====================================

Thirty people label images of digits. Each image gets three answers. Some people are careful, one guesses, and one
selects a wrong digit on purpose. The model learns from all answers and estimates how reliable each person is.
"""

# %%
# The answers
# -----------
# A table with one line per answer is what annotation tools export. Half of the answers are not one digit but two,
# because people were allowed to say "a 3 or an 8".

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from infimum import PartialClassifier, Votes

random = np.random.default_rng(0)
X, truth = load_digits(return_X_y=True)
X, X_test, truth, truth_test = train_test_split(X, truth, train_size=500, random_state=0)

accuracy = random.uniform(0.3, 0.95, 30)
accuracy[:2] = 0.1, 0.02  # one person guesses, one avoids the true digit
lines = []
for image, digit in enumerate(truth):
    for person in random.choice(30, 3, replace=False):
        wrong = (digit + random.integers(1, 10)) % 10
        answer = digit if random.random() < accuracy[person] else wrong
        second = f"|{random.integers(10)}" if random.random() < 0.5 else ""
        lines.append((image, f"person {person:02}", f"{answer}{second}"))
table = pd.DataFrame(lines, columns=["image", "person", "answer"])
print(table.head())

# %%
# Fit a model
# -----------
# `Votes` is passed as y. The rows of X are the images 0, 1, …, so these are the names of the rows.

votes = Votes.from_table(table, row="image", annotator="person", answer="answer", rows=range(len(X)))
model = PartialClassifier().fit(X, votes)
right = np.mean(model.predict(X_test) == truth_test.astype(str))
print(f"Test accuracy: {right:.3f}")

# %%
# Compare with a majority vote
# ----------------------------
# The majority vote treats all people alike. The same model on its labels is less accurate.

count = np.zeros((len(X), 10))
for image, _, answer in lines:
    for digit in answer.split("|"):
        count[image, int(digit)] += 1
majority = PartialClassifier().fit(X, count.argmax(axis=1))
print(f"Test accuracy on majority votes: {np.mean(majority.predict(X_test) == truth_test):.3f}")

# %%
# Reliability of each person
# --------------------------
# A reliability of 0 is no better than chance. The person who avoids the true digit is below 0.

print(model.sources_.to_frame().round(2).head())
model.sources_.plot()
plt.show()

# %%
# The estimates agree with the true accuracies, which the model has not seen.

true = accuracy[[int(name.split()[1]) for name in model.sources_.names]]
print(f"Correlation with the true accuracy: {np.corrcoef(true, model.sources_.reliability)[0, 1]:.2f}")

# %%
# Labels of the training rows
# ---------------------------
# `labels_` are the most likely labels. Rows in which no answer is plausible come first in `label_errors_`.

print(f"Training labels that are right: {np.mean(model.labels_ == truth.astype(str)):.3f}")
print(table[table.image == model.label_errors_[0]])
