"""
Coarse labels of a taxonomy
===========================

Annotators label at different depths: "seven", or only "a straight digit". Coarse labels are quicker to give. How many
exact labels are needed beside them? A node of a taxonomy stands for all classes below it, so both kinds of rows can be
used.
"""

# %%
# The file
# --------
# The first step writes a table of 400 images of digits. The column ``name`` contains the digit for one row in twenty,
# and otherwise its group. Each class is named at least once.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

from infimum import PartialClassifier, Taxonomy
from infimum.plotting import COLOURS

digits = load_digits(as_frame=True)
names = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])[digits.target]
groups = {
    "round": ["zero", "six", "eight", "nine"],
    "straight": ["one", "four", "seven"],
    "bent": ["two", "three", "five"],
}
group_of = {name: group for group, members in groups.items() for name in members}
folder = Path(tempfile.mkdtemp())


def write(share: float) -> Path:
    """Write the table with the given share of exact labels, and return its path."""
    exact = np.random.default_rng(1).random(400) < share
    exact[np.unique(names[:400], return_index=True)[1]] = True
    cells = [name if known else group_of[name] for name, known in zip(names[:400], exact)]
    digits.data[:400].assign(name=cells).to_csv(folder / f"digits_{share}.csv", index=False)
    return folder / f"digits_{share}.csv"


table = pd.read_csv(write(0.05))
print(table["name"].value_counts().head(5).to_dict())

# %%
# A model of both kinds of rows
# -----------------------------
# ``Taxonomy`` lists the children of each node. Names of groups in ``y`` stand for their members.

tree = Taxonomy({"digit": groups})
X_new, names_new = digits.data[1000:], names[1000:]
model = PartialClassifier(cost=tree).fit(table.drop(columns="name"), table["name"])
print(f"accuracy on new images: {np.mean(model.predict(X_new) == names_new):.0%}")

# %%
# More exact labels
# -----------------
# The comparison drops the coarse rows and fits a random forest to the others.

shares, ours, plain, exact_rows = (0.02, 0.05, 0.1, 0.3), [], [], []
for share in shares:
    table = pd.read_csv(write(share))
    X, y = table.drop(columns="name"), table["name"]
    exact = ~y.isin(list(groups))
    ours.append(np.mean(PartialClassifier(cost=tree).fit(X, y).predict(X_new) == names_new))
    plain.append(RandomForestClassifier(random_state=0).fit(X[exact], y[exact]).score(X_new, names_new))
    exact_rows.append(int(exact.sum()))
    print(f"{exact_rows[-1]:3} exact rows: {ours[-1]:.2f} with the coarse rows, {plain[-1]:.2f} without")

# %%
# Decide how many exact labels to collect
# ---------------------------------------
# Choose the smallest number whose accuracy is enough. Here, about 20 exact labels beside coarse ones are worth as
# much as more than 100 without them.

figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
axis.plot(exact_rows, ours, "o-", color=COLOURS[0], lw=2.5, label="exact and coarse rows, infimum")
axis.plot(exact_rows, plain, "o-", color="0.6", lw=2, label="exact rows, random forest")
axis.set(xlabel="rows with an exact label, of 400", ylabel="accuracy on new images")
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False)
plt.show()
