"""
Automatic model selection on candidate sets
===========================================

A model that is given no settings compares many: kernels and their widths, forests, neighbours, and every way to read a
set. It has no true label to go by. It holds sets out, predicts them, and counts how far predictions are from their
sets. This example opens the box.
"""

# %%
# Wine: 178 bottles, 13 numbers in units of their own; every wrong grape joins the candidates with probability 0.4.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from infimum import CandidateLabels, PartialClassifier
from infimum.datasets import uniform
from infimum.plotting import SelectionDisplay

wine = load_wine()
sets = CandidateLabels(uniform(wine.target, 0.4, random_state=0), classes=wine.target_names)
truth = wine.target_names[wine.target]
train, test = np.split(np.random.default_rng(0).permutation(178), [120])

# %%
# One call. `selection_` is what was compared, the chosen one first.

model = PartialClassifier().fit(wine.data[train], sets[train])
model.selection_

# %%
# What is named is kept. The paper's estimator is one word away; on raw features of very different sizes its kernel sees
# little but the largest of them.

plain = PartialClassifier.paper().fit(wine.data[train], sets[train])
print(f"chosen: {model.score(wine.data[test], truth[test]):.0%} right on new bottles")
print(f"the paper's estimator, raw features: {plain.score(wine.data[test], truth[test]):.0%}")

# %%
# Every point is a setting, on the left those whose predictions are nearest to sets that they have not seen. Many are
# equally good on a table as small as this; the bad ones are far to the right.

SelectionDisplay.from_selection(model.selection_)
plt.show()
