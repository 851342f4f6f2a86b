"""
Multi-label classification with missing tags
============================================

A shop has six tags per product. People ticked the tags that came to mind, so an empty box can mean "no" or "not
checked". How many known tags are enough? And what happens if every empty box is treated as "no"?
"""

# %%
# Products have 20 features and six tags. Every tag of a training row is known with probability p.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier

from infimum import PartialMultilabelClassifier, weights
from infimum.datasets import drop_tags
from infimum.plotting import COLOURS

X, Y = make_multilabel_classification(900, 20, n_classes=6, n_labels=3, random_state=3)
train, test = slice(0, 500), slice(500, None)
signs = np.where(Y == 1, 1, -1)
kernel = weights.Scaled(weights.KernelRidge(lam=1e-2, gamma=0.01))
SHARES = (1.0, 0.7, 0.5, 0.3, 0.2, 0.1)

# %%
# Unknown tags are 0 in the array. The comparison treats them as absent (-1) and trains a random forest.

right = {"infimum, empty is unknown": [], "forest, empty is no": []}
for p in SHARES:
    known = drop_tags(signs[train], 1 - p, random_state=0)
    model = PartialMultilabelClassifier.paper(weights=kernel).fit(X[train], known)
    right["infimum, empty is unknown"].append(np.mean(model.predict(X[test]) == signs[test]))
    forest = RandomForestClassifier(100, random_state=0).fit(X[train], np.where(known == 1, 1, 0))
    right["forest, empty is no"].append(np.mean(forest.predict(X[test]) == Y[test]))

# %%
# Even if only one tag in five is known, the unknown tags do no harm.

figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for colour, (name, values) in zip((COLOURS[0], COLOURS[1]), right.items()):
    axis.plot(SHARES, values, "o-", color=colour, lw=2.5, label=name)
axis.axhline(
    max(np.mean(signs), -np.mean(signs)) / 2 + 0.5, color="0.6", ls=":", label="most frequent value for all tags"
)
axis.set(xlabel="share of the tags that are known", ylabel="share of correct tags, new products", xlim=(1.05, 0.05))
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False)
plt.show()
