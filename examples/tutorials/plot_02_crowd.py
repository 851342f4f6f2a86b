"""
Several annotators: who is reliable?
====================================

Thirty people label images of digits. Each image gets three answers. Some people are careful, one guesses, and one
selects a wrong digit on purpose. Whose answers can be trusted, and which images need another answer? The model learns
from all answers and estimates how reliable each person is.
"""

# %%
# The files
# ---------
# The first step writes two tables like those that annotation tools export: the images, and one line per answer. Half of
# the answers are two digits, because people were allowed to answer "a 3 or an 8". The answers are simulated.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from infimum import PartialClassifier, Votes

random = np.random.default_rng(0)
pixels, digits = load_digits(return_X_y=True, as_frame=True)
pixels, X_test, truth, truth_test = train_test_split(pixels, digits.astype(str), train_size=500, random_state=0)

skill = random.uniform(0.3, 0.95, 30)  # the share of right answers of each person
skill[:2] = 0.1, 0.02  # one person guesses, one avoids the true digit
lines = []
for image, digit in zip(truth.index, truth.astype(int)):
    for person in random.choice(30, 3, replace=False):
        answer = digit if random.random() < skill[person] else (digit + random.integers(1, 10)) % 10
        second = f"|{random.integers(10)}" if random.random() < 0.5 else ""
        lines.append((image, f"person {person:02}", f"{answer}{second}"))

folder = Path(tempfile.mkdtemp())
pixels.to_csv(folder / "images.csv", index_label="image")
pd.DataFrame(lines, columns=["image", "person", "answer"]).to_csv(folder / "answers.csv", index=False)

X = pd.read_csv(folder / "images.csv", index_col="image")
answers = pd.read_csv(folder / "answers.csv", dtype={"answer": str})
print(answers.head(4).to_string(index=False))

# %%
# Fit a model
# -----------
# `Votes` is passed as y. `rows=X.index` matches the answers with the rows of X by the name of the image.

votes = Votes.from_table(answers, row="image", annotator="person", answer="answer", rows=X.index)
model = PartialClassifier().fit(X, votes)

# %%
# Compare with a majority vote and with Dawid–Skene
# -------------------------------------------------
# The majority vote treats all people alike. The model of Dawid and Skene estimates the reliability of each person, but
# does not use the images. `fit(None, votes)` is a variant of it that accepts answers of two digits. The same classifier
# is then fitted to the labels of each.

single = answers.assign(answer=answers["answer"].str.split("|")).explode("answer")
count = single.groupby(["image", "answer"]).size().unstack(fill_value=0).reindex(X.index)
majority = count.idxmax(axis=1)
aggregated = PartialClassifier().fit(None, votes).labels_
for name, labels in {"majority vote": majority, "Dawid–Skene": aggregated, "infimum": model.labels_}.items():
    fitted = model if name == "infimum" else PartialClassifier().fit(X, labels)
    right, test = np.mean(np.asarray(labels) == truth), np.mean(fitted.predict(X_test) == truth_test)
    print(f"{name:14} training labels right: {right:.3f}   test accuracy: {test:.3f}")

# %%
# Reliability of each person
# --------------------------
# A reliability of 0 is no better than chance. The two lowest estimates are those of persons 00 and 01: the one who
# guesses, and the one who avoids the true digit.

people = model.sources_.to_frame()
print(people.round(2).head())
model.sources_.plot()
plt.show()

# %%
# The estimates agree with the true accuracies, which the model has not seen.

true = skill[[int(name.split()[1]) for name in people.index]]
print(f"Correlation with the true accuracy: {np.corrcoef(true, people['reliability'])[0, 1]:.2f}")

# %%
# Decision: whom and what to ask next
# -----------------------------------
# There is time for 50 more answers. They should be about the images whose label is least certain, and should come from
# the most reliable people. People whose reliability is below 0.2 are not asked again.

next_images = X.index[np.argsort(model.confidence_)[:50]]
wrong = pd.Series(model.labels_ != truth.to_numpy(), index=X.index)
print("Ask again:", ", ".join(people.index[::-1][:5]))
print("Do not ask again:", ", ".join(people.index[people["reliability"] < 0.2]))
print(f"Labels that are wrong: {wrong.mean():.0%} of all images, {wrong[next_images].mean():.0%} of these 50")

# %%
# The table of images to ask about is a file again, ready for the annotation tool.

to_ask = pd.DataFrame({"image": X.index, "label": model.labels_, "confidence": model.confidence_.round(2)})
to_ask = to_ask.set_index("image").loc[next_images]
to_ask.to_csv(folder / "next.csv")
print(to_ask.head(4))
