"""
Coarse labels of a taxonomy
===========================

Experts label at different depths: "Barolo", or only "red wine of Piedmont". A node of a taxonomy stands for all classes
below it. This tutorial uses both kinds of rows.
"""

# %%
# Digits in groups
# ----------------
# Some annotators name the digit, the others only its group.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier

from infimum import PartialClassifier, Taxonomy
from infimum.plotting import COLOURS

X, truth = load_digits(return_X_y=True)
names = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])
groups = {
    "round": ["zero", "six", "eight", "nine"],
    "straight": ["one", "four", "seven"],
    "bent": ["two", "three", "five"],
}
tree = Taxonomy({"digit": groups})
group_of = {name: group for group, members in groups.items() for name in members}

# %%
# Accuracy against the share of exact rows
# ----------------------------------------
# The comparison drops the coarse rows.

shares, ours, plain = (0.02, 0.05, 0.1, 0.3), [], []
for share in shares:
    rng = np.random.default_rng(1)
    exact = rng.random(400) < share
    exact[np.unique(truth[:400], return_index=True)[1]] = True  # each class is named at least once
    y = [name if known else group_of[name] for name, known in zip(names[truth[:400]], exact)]
    model = PartialClassifier(cost=tree).fit(X[:400], y)
    ours.append(np.mean(model.predict(X[1000:]) == names[truth[1000:]]))
    forest = RandomForestClassifier(random_state=0).fit(X[:400][exact], truth[:400][exact])
    plain.append(forest.score(X[1000:], truth[1000:]))
    print(f"{exact.sum():3} exact rows: {ours[-1]:.2f} with the coarse rows, {plain[-1]:.2f} without")

# %%
# Decide
# ------
# Coarse labels are quick to give. With them, a few dozen exact labels are enough.

figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
axis.plot(shares, ours, "o-", color=COLOURS[0], lw=2.5, label="exact and coarse rows, infimum")
axis.plot(shares, plain, "o-", color="0.6", lw=2, label="exact rows, random forest")
axis.set(xlabel="share of rows with an exact label", ylabel="accuracy on new images")
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False)
plt.show()
