"""
Learn preferences that depend on the person
===========================================

A café asked 260 guests which of two drinks they prefer. Which drink should it offer to whom? A Bradley–Terry model
gives one ranking for everybody. With features of the person, the ranking may change with age.
"""

# %%
# The file
# --------
# The package ships an invented table. Each person compared two of four drinks: "tea>milk" means that tea is preferred.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from infimum import PartialRanker
from infimum.datasets import example_file
from infimum.plotting import COLOURS

people = pd.read_csv(example_file("drinks.csv"))
new = pd.read_csv(example_file("drinks_new.csv"))
print(people.head(3).to_string(index=False))

# %%
# One ranking for everybody
# -------------------------
# The Bradley–Terry strengths are fitted by the iteration of Zermelo; the package ``choix`` provides the same.

items = ["cola", "juice", "milk", "tea"]
pairs = np.array([[items.index(name) for name in cell.split(">")] for cell in people["preference"]])  # winner, loser
strength, wins = np.ones(4), np.bincount(pairs[:, 0], minlength=4)
for _ in range(200):
    rate = 1 / strength[pairs].sum(axis=1)
    strength = wins / sum(np.bincount(pairs[:, k], rate, minlength=4) for k in range(2))
one_ranking = [items[k] for k in np.argsort(-strength)]
print("Bradley–Terry:", " > ".join(one_ranking))

# %%
# A ranking for each age
# ----------------------
# ``PartialRanker`` reads the column as it is.

model = PartialRanker(items).fit(people[["age"]], people["preference"])

# %%
# Agreement with new people
# -------------------------
# The share of the comparisons of 140 other people that each ranking predicts.


def agreement(rankings: list[list[str]]) -> float:
    """Return the share of new comparisons that the ranking of each person has in the right order."""
    cells = [cell.split(">") for cell in new["preference"]]
    return float(np.mean([row.index(a) < row.index(b) for row, (a, b) in zip(rankings, cells)]))


scores = {
    "infimum, by age": agreement([list(row) for row in model.predict(new[["age"]])]),
    "Bradley–Terry, one ranking": agreement([one_ranking] * len(new)),
}
for name, score in scores.items():
    print(f"{name:<28} {score:.0%} of the new comparisons are right")

# %%
# Decide what to offer
# --------------------
# The first place of the ranking changes with age: this is the offer. Between two ages with different offers, ask.

ages = pd.DataFrame({"age": np.arange(15, 76)})
rankings = model.predict(ages)
starts = [k for k in range(len(ages)) if k == 0 or rankings[k][0] != rankings[k - 1][0]]
for k in starts:
    print(f"from age {ages['age'][k]}: offer {rankings[k][0]} first, then {rankings[k][1]}")

place = np.array([[list(row).index(item) + 1 for item in items] for row in rankings])
figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for k, item in enumerate(items):
    axis.plot(ages["age"], place[:, k], color=COLOURS[k], lw=2.5, label=item)
axis.set(xlabel="age", ylabel="place in the ranking", yticks=[1, 2, 3, 4])
axis.invert_yaxis()
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False)
plt.show()
