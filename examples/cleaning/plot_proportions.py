"""
Learning from proportions
=========================

Votes are counted by district and laboratory results are reported per batch: the share of each class in a group is
known, and the label of no single row. This example trains a classifier of handwritten digits into odd and even ones
from the shares of 20 groups.
"""

# %%
# Each group leans to odd or even digits. The labels of single rows are used only to compute these shares.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from infimum import Disambiguation, PartialClassifier, weights
from infimum.outputs import Share
from infimum.plotting import COLOURS

X, digit = load_digits(return_X_y=True)
true = np.where(digit % 2, "odd", "even")
rng = np.random.default_rng(0)
order = rng.permutation(len(X))
train, new = order[:1200], order[1200:]
lean = rng.beta(2, 2, 20)
chance = np.where(true[train, None] == "odd", lean, 1 - lean)
groups = np.array([rng.choice(20, p=row / row.sum()) for row in chance])
shares = {g: {"odd": float(np.mean(true[train][groups == g] == "odd"))} for g in range(20)}
print({g: round(own["odd"], 2) for g, own in list(shares.items())[:5]})

# %%
# No row has a label: y is None everywhere. The same weights are fitted to the true labels for comparison.

family = weights.Scaled(weights.KernelRidge(lam=1e-3))
how = Disambiguation(threshold=None, constraints=Share.of_groups(groups, shares))
model = PartialClassifier(classes=["even", "odd"], principle=how, weights=family).fit(X[train], [None] * len(train))
supervised = PartialClassifier(weights=family).fit(X[train], true[train])
for name, one in (("from 20 shares", model), ("from 1200 labels", supervised)):
    print(f"{name}: {np.mean(one.predict(X[new]) == true[new]):.1%} of the new rows are right")

# %%
# The probability of "odd" separates the two classes, although each group mixes them.

probability = model.disambiguation_.q[:, 0, 1]
figure, axis = plt.subplots(figsize=(8, 4.4), layout="constrained")
for k, name in enumerate(("even", "odd")):
    own = true[train] == name
    jitter = rng.uniform(-0.3, 0.3, own.sum())
    axis.plot(groups[own] + jitter, probability[own], ".", color=COLOURS[k], alpha=0.5, label=f"{name} digits")
axis.plot(list(shares), [own["odd"] for own in shares.values()], "_", color="black", ms=14, label="known share")
axis.set(xlabel="group", ylabel="estimated probability of odd", xticks=range(20))
axis.legend(loc="center right")
plt.show()
