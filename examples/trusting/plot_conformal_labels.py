"""
Prediction sets from candidate labels
=====================================

A classifier that learned from candidate labels says "cat". How sure is that? Here it answers with a set of labels
instead, which has the truth with a given probability, and no true label is used to get there.
"""

# %%
# Digits whose labels are blurred
# -------------------------------
# Every wrong digit is a candidate with probability 0.2; a third of the rows, chosen at random, was reviewed and
# is exact.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from infimum import PartialClassifier, datasets, weights
from infimum.conformal import Conformal
from infimum.plotting import COLOURS, ReliabilityDisplay, RiskCoverageDisplay

pictures, truth = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(truth))
pictures, truth = pictures[order], truth[order]
X = pictures / 16 + 0.25 * np.random.default_rng(1).standard_normal(pictures.shape)  # noise, to make it harder
sets = datasets.uniform(truth, 0.2, random_state=0)
exact = np.random.default_rng(2).random(len(truth)) < 1 / 3
sets[exact] = np.eye(10, dtype=bool)[truth[exact]]
fit, held, new = slice(0, 700), slice(700, 1200), slice(1200, None)

model = PartialClassifier(
    principle="disambiguation", weights=weights.KernelRidge(lam=1e-3, gamma=0.01), classes=list(range(10))
).fit(X[fit], sets[fit])
print(f"right: {model.score(X[new], truth[new]):.0%}")

# %%
# Probabilities that mean something
# ---------------------------------
# `predict_proba` was calibrated by the likelihood of sets that were left out of the fit. Whether that worked can be
# seen from sets: the share of rows in which the most probable digit is right lies on the bar. The orange points are
# the truth, which nobody would have.

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
ReliabilityDisplay.from_estimator(model, X[new], sets[new], ax=axes[0])
ReliabilityDisplay.from_estimator(model, X[new], truth[new], ax=axes[1], color=COLOURS[1])
axes[0].set_title("from sets")
axes[1].set_title("from the truth")
plt.show()

# %%
# Four guarantees
# ---------------
# The largest score over each candidate set covers the truth whatever made the sets, and is wide. A bound on how often a
# wrong digit is a candidate, or exact rows chosen at random, are assumptions, which make sets small. The smallest score
# only guarantees to meet the candidates. ``guarantee_`` says what holds, and under which assumption.

ways = {
    "truth": {},
    "truth, ambiguity": {"ambiguity": 0.2},
    "truth, exact rows": {"exact_only": True},
    "the set": {"covers": "set"},
}
made = {
    name: Conformal(model, level=0.9, score="lac", prefit=True, **settings).conformalize(X[held], sets[held])
    for name, settings in ways.items()
}
for name, conformal in made.items():
    found = conformal.predict_set(X[new])
    covered = found.mask[np.arange(len(found)), truth[new]].mean()
    print(f"{name:18} covers the truth in {covered:.0%}, {found.sizes.mean():.2f} digits")
print(made["truth, exact rows"].guarantee_)

# %%
# Some pictures and their sets, at 90 %: where one digit is left, where several are.

found = made["truth, exact rows"].predict_set(X[new])
show = np.concatenate([np.flatnonzero(found.sizes == size)[:6] for size in (1, 2)])
figure, axes = plt.subplots(2, 6, figsize=(9, 3.6), layout="constrained")
for axis, row in zip(axes.flat, show):
    axis.imshow(X[new][row].reshape(8, 8), cmap="gray_r")
    axis.set_title(", ".join(map(str, np.flatnonzero(found.mask[row]))), fontsize=10)
    axis.set_axis_off()
plt.show()

# %%
# Without truth, the guarantee about sets can be checked on later rows; here on the same kind of rows, and on
# pictures that were inverted by mistake.

later = made["the set"]
for name, rows in (("as before", X[new]), ("inverted", 1 - X[new])):
    print(f"{name}: p = {later.check(rows, sets[new]).p_value:.2g}")

# %%
# To abstain
# ----------
# Predictions are hidden where the set has more than one digit. The curve says what is left of the error when only the
# surest rows are answered: from sets it is a band (its lower end dashed), from the truth a line.

predicted = made["truth, exact rows"].predict(X[new], reject=1)
right = predicted.compressed() == truth[new][~predicted.mask]
print(f"answered: {1 - predicted.mask.mean():.0%}, right: {right.mean():.0%}")
doubt = 1 - model.predict_proba(X[new]).max(axis=1)
figure, axis = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
for colour, goal in zip(COLOURS, (sets[new], truth[new])):
    curve = made["truth"].risk_coverage(X[new], goal, doubt=doubt)
    RiskCoverageDisplay.from_curve(curve, axis, color=colour)
axis.set_ylim(0, 0.5)
plt.show()
