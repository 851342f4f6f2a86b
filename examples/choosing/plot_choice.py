"""
Automatic model selection on candidate sets
===========================================

By default, a model compares kernels, forests, neighbours and set losses by cross-validation. No true label is needed:
predictions of held-out rows are compared with their candidate sets. This example shows the comparison.
"""

# %%
# The wine data have 178 rows and 13 features with different units. Every wrong class is a candidate with probability
# 0.4.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from infimum import CandidateLabels, PartialClassifier
from infimum.datasets import make_candidate_sets
from infimum.plotting import SelectionDisplay

wine = load_wine()
sets = CandidateLabels(make_candidate_sets(wine.target, 0.4, random_state=0), classes=wine.target_names)
truth = wine.target_names[wine.target]
train, test = np.split(np.random.default_rng(0).permutation(178), [120])

# %%
# `selection_` contains all settings that were compared, the selected one first.

model = PartialClassifier().fit(wine.data[train], sets[train])
model.selection_

# %%
# Parameters that you set are kept. `paper()` is the estimator of the paper. It does not scale the features, so its
# kernel depends mostly on the feature with the largest values.

plain = PartialClassifier.paper().fit(wine.data[train], sets[train])
print(f"accuracy on new rows, selected model: {model.score(wine.data[test], truth[test]):.0%}")
print(f"accuracy on new rows, paper(): {plain.score(wine.data[test], truth[test]):.0%}")

# %%
# Every point is a setting. Settings on the left have the smallest set risk on held-out rows. On a small table many
# settings are equally good.

SelectionDisplay.from_selection(model.selection_)
plt.show()
