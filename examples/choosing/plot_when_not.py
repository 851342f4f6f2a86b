"""
When not to use partial labels
==============================

Candidate sets help if they are needed, contain the true label, and vary. This example violates each of these
conditions. If one of the three panels looks like your data, use another method or ask different questions.
"""

# %%
# The data are the digits of scikit-learn. The baseline is a random forest on one label per row.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from infimum import CandidateLabels, Disambiguation, PartialClassifier, weights
from infimum.datasets import make_candidate_sets
from infimum.plotting import COLOURS

X, truth = load_digits(return_X_y=True)
X, truth = X[:600], truth[:600]
train, test = train_test_split(np.arange(600), test_size=1 / 3, random_state=0)
kernel = weights.Scaled(weights.KernelRidge(lam=1e-4, gamma=0.01))
rng = np.random.default_rng(0)
QUICK = Disambiguation(threshold=None)  # without looking for suspects, which takes five more fits


def ours(mask: np.ndarray) -> float:
    model = PartialClassifier.paper(principle=QUICK, weights=kernel).fit(
        X[train], CandidateLabels(mask[train], range(10))
    )
    return model.score(X[test], truth[test])


def habit(labels: np.ndarray) -> float:
    return RandomForestClassifier(50, random_state=0).fit(X[train], labels[train]).score(X[test], truth[test])


def drawn(mask: np.ndarray) -> np.ndarray:
    return np.array([rng.choice(np.flatnonzero(row)) for row in mask])


# %%
# **One: nearly all labels are exact.** If few rows have more than one candidate, any classifier on one candidate per
# row will do.

exact = np.eye(10, dtype=bool)[truth]
shares = (0.0, 0.2, 0.6, 1.0)
few = [exact | (make_candidate_sets(truth, 0.5, random_state=1) & (rng.random(600) < p)[:, None]) for p in shares]
first = [(ours(mask), habit(drawn(mask))) for mask in few]

# %%
# **Two: sets often miss the true label.** Such a set is not ambiguous, it is wrong, and the infimum loss relies on it.
# `PartialClassifier(noise="estimate")` allows for such sets, which this model does not.

missing = (0.0, 0.2, 0.4)
second = []
for p in missing:
    mask = make_candidate_sets(truth, 0.15, random_state=2)
    out = rng.random(600) < p
    mask[out, truth[out]] = False
    mask[out & ~mask.any(axis=1), (truth[out & ~mask.any(axis=1)] + 1) % 10] = True
    second.append((ours(mask), habit(drawn(mask))))

# %%
# **Three: two labels always appear together.** If 4 is never a candidate without 9, and 9 never without 4, no method
# can separate them, however many rows there are. The model improves as one of them appears alone more often.

alone = (0.0, 0.1, 0.5)
third = []
for p in alone:
    pair = np.isin(truth, (4, 9)) & (rng.random(600) >= p)
    mask = exact.copy()
    mask[np.ix_(pair, [4, 9])] = True
    model = PartialClassifier.paper(principle=QUICK, weights=kernel).fit(X[train], CandidateLabels(mask[train]))
    rows = test[np.isin(truth[test], (4, 9))]
    third.append((model.score(X[rows], truth[rows]), len(model.tied_)))

# %%
# In the third case these rows are listed in `tied_`.

figure, axes = plt.subplots(1, 3, figsize=(12.5, 3.9), layout="constrained")
panels = (
    (shares, first, "rows with several candidates", "1. Almost every row is exact"),
    (missing, second, "sets that miss the true label", "2. Sets miss the true label"),
)
for axis, (x, pairs, label, title) in zip(axes, panels):
    axis.plot(x, [a for a, _ in pairs], "o-", color=COLOURS[0], lw=2.5, label="candidate sets, infimum")
    axis.plot(x, [b for _, b in pairs], "o-", color="0.55", lw=2.5, label="forest, one random candidate per row")
    axis.set(xlabel=f"share of {label}", title=title, ylim=(0.3, 1.02))
axes[0].set_ylabel("accuracy on new rows")
axes[2].plot(alone, [a for a, _ in third], "o-", color=COLOURS[0], lw=2.5)
for p, (score, tied) in zip(alone, third):
    axes[2].annotate(f"{tied} tied rows", (p, score), (4, -14), textcoords="offset points", fontsize=9, color="0.35")
axes[2].set(
    xlabel="share of fours and nines with an exact label", title="3. Two labels always together", ylim=(0.3, 1.02)
)
axes[2].set_ylabel("accuracy on new fours and nines")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower left", ncols=2, frameon=False)
for axis in axes:
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
