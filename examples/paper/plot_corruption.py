"""
Principles under increasing ambiguity
=====================================

A small version of the experiment of Sec. 5.1. More and more candidates are added to the labels of the most frequent
class, and the three principles are compared. The average favours the classes with exact labels. The supremum ignores
the ambiguous class. The infimum remains accurate longest.
"""

# %%
# The data are the 178 wines of scikit-learn, standardised as in the paper. There are three draws of the candidate sets
# and two folds each.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold

from infimum import CandidateLabels, PartialClassifier, weights
from infimum.datasets import make_candidate_sets
from infimum.plotting import COLOURS

X, y = load_wine(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
LEVELS = np.linspace(0, 0.9, 7)
kernel = weights.KernelRidge(lam=1 / np.sqrt(len(y)), sigma=0.3 * X.shape[1])

# %%
# `make_candidate_sets` adds wrong classes to the rows of the most frequent class, each with probability c.

settings = {
    "infimum": {"principle": "infimum"},
    "infimum, joint": {"principle": "infimum", "negative_weights": "joint"},
    "average": {"principle": "average"},
    "supremum": {"principle": "supremum"},
}
errors = {name: np.zeros((len(LEVELS), 6)) for name in settings}
for draw in range(3):
    folds = StratifiedKFold(2, shuffle=True, random_state=draw).split(X, y)
    for f, (train, test) in enumerate(folds):
        for c, level in enumerate(LEVELS):
            sets = CandidateLabels(make_candidate_sets(y, level, kind="skewed", random_state=draw)[train])
            for name, chosen in settings.items():
                chosen = {"negative_weights": "inside", "weights": kernel} | chosen
                model = PartialClassifier(**chosen).fit(X[train], sets)
                errors[name][c, 2 * draw + f] = 1 - model.score(X[test], y[test])

# %%
# Mean and half a standard deviation in each direction, as in the figures of the paper.

figure, axis = plt.subplots(figsize=(8, 4.4), layout="constrained")
for colour, line, (name, values) in zip(
    (COLOURS[0], COLOURS[4], COLOURS[1], COLOURS[3]), ("-", "--", "-", "-"), errors.items()
):
    mean, half = values.mean(axis=1), values.std(axis=1) / 2
    axis.plot(LEVELS, mean, line, color=colour, lw=2.5, label=name)
    axis.fill_between(LEVELS, mean - half, mean + half, color=colour, alpha=0.2, lw=0)
axis.set(
    xlabel="c: probability of each wrong candidate, most frequent class",
    ylabel="error on new rows",
    ylim=(0, None),
)
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False)
plt.show()
