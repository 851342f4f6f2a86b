"""
What is chosen, and from what
=============================

A model that is given no settings compares many: kernels and their widths, forests, neighbours, and every way to read
a set. It has no true label to go by. It holds sets out, predicts them, and counts how far predictions are from their
sets. This example opens the box.
"""

# %%
# Wine: 178 bottles, 13 numbers in units of their own; every wrong grape joins the candidates with probability 0.4.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import KFold

from infimum import PartialClassifier, Subsets
from infimum.datasets import uniform
from infimum.plotting import ChoiceDisplay

wine = load_wine()
sets = Subsets(uniform(wine.target, 0.4, random_state=0), classes=wine.target_names)
truth = wine.target_names[wine.target]
sets

# %%
# One call. `choice_` is what was compared, the chosen one first.

model = PartialClassifier(principle="auto", negative_weights="auto", weights="auto").fit(wine.data, sets)
model.choice_

# %%
# Does the held-out risk know what it says? For every setting that was compared, the error on true labels in three
# folds, which the choice has not seen. On sets as small as these many settings are equally good, and the bad ones are
# far to the right.

ChoiceDisplay.from_choice(model.choice_)
plt.show()

# %%
# What is named is kept, and only the rest is chosen: here the principle is the paper's.

named = PartialClassifier(principle="infimum", negative_weights="inside", weights="ridge-cv")
folds = KFold(5, shuffle=True, random_state=0)
right = [named.fit(wine.data[a], sets[a]).score(wine.data[b], truth[b]) for a, b in folds.split(wine.data)]
print(f"ridge at the best lambda, raw features: {np.mean(right):.0%} right")
