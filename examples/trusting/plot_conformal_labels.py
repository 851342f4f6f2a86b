"""
Prediction sets from candidate labels
=====================================

How certain is a classifier that learned from candidate labels? Conformal prediction returns a set of labels that
contains the true label with a given probability. No true label is needed for it.
"""

# %%
# Digits with candidate labels
# ----------------------------
# Every wrong digit is a candidate with probability 0.2. A third of the rows, chosen at random, is exact.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from infimum import PartialClassifier, datasets, weights
from infimum.conformal import Conformal
from infimum.plotting import COLOURS, ReliabilityDisplay, RiskCoverageDisplay

images, truth = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(truth))
images, truth = images[order], truth[order]
X = images / 16 + 0.25 * np.random.default_rng(1).standard_normal(images.shape)  # noise, to make it harder
sets = datasets.make_candidate_sets(truth, 0.2, random_state=0)
exact = np.random.default_rng(2).random(len(truth)) < 1 / 3
sets[exact] = np.eye(10, dtype=bool)[truth[exact]]
fit, held, new = slice(0, 700), slice(700, 1200), slice(1200, None)

model = PartialClassifier(
    principle="disambiguation", weights=weights.KernelRidge(lam=1e-3, gamma=0.01), classes=list(range(10))
).fit(X[fit], sets[fit])
print(f"accuracy: {model.score(X[new], truth[new]):.0%}")

# %%
# Calibrated probabilities
# ------------------------
# `predict_proba` is calibrated by the likelihood of held-out candidate sets. Candidate sets also show whether that
# worked: the share of rows in which the most probable digit is right lies on the bar. The orange points use true
# labels, for reference.

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
ReliabilityDisplay.from_estimator(model, X[new], sets[new], ax=axes[0])
ReliabilityDisplay.from_estimator(model, X[new], truth[new], ax=axes[1], color=COLOURS[1])
axes[0].set_title("from candidate sets")
axes[1].set_title("from true labels")
plt.show()

# %%
# Four guarantees
# ---------------
# The largest score over each candidate set covers the true label however the sets arise, and yields large prediction
# sets. A bound on how often a wrong digit is a candidate, or exact rows chosen at random, are assumptions that yield
# small sets. The smallest score guarantees only a common member with the candidate set. ``guarantee_`` describes the
# guarantee and its assumption.

ways = {
    "covers='truth'": {},
    "ambiguity=0.2": {"ambiguity": 0.2},
    "exact_only=True": {"exact_only": True},
    "covers='set'": {"covers": "set"},
}
made = {
    name: Conformal(model, confidence_level=0.9, score="lac", prefit=True, **settings).conformalize(X[held], sets[held])
    for name, settings in ways.items()
}
for name, conformal in made.items():
    found = conformal.predict_set(X[new])
    covered = found.mask[np.arange(len(found)), truth[new]].mean()
    print(f"{name:18} covers the true label in {covered:.0%}, {found.sizes.mean():.2f} digits")
print(made["exact_only=True"].guarantee_)

# %%
# Some images and their prediction sets at 90 %, with one and with several digits.

found = made["exact_only=True"].predict_set(X[new])
show = np.concatenate([np.flatnonzero(found.sizes == size)[:6] for size in (1, 2)])
figure, axes = plt.subplots(2, 6, figsize=(9, 3.6), layout="constrained")
for axis, row in zip(axes.flat, show):
    axis.imshow(X[new][row].reshape(8, 8), cmap="gray_r")
    axis.set_title(", ".join(map(str, np.flatnonzero(found.mask[row]))), fontsize=10)
    axis.set_axis_off()
plt.show()

# %%
# The guarantee about candidate sets can be checked on later rows without true labels: here on similar rows, and on
# images that were inverted by mistake.

later = made["covers='set'"]
for name, rows in (("as before", X[new]), ("inverted", 1 - X[new])):
    print(f"{name}: p = {later.check(rows, sets[new]).p_value:.2g}")

# %%
# Abstention
# ----------
# Predictions are hidden if the prediction set has more than one digit. The curve shows the error among the most certain
# rows: a band if it is computed from candidate sets (lower end dashed), and a line from true labels.

predicted = made["exact_only=True"].predict(X[new], reject=1)
right = predicted.compressed() == truth[new][~predicted.mask]
print(f"answered: {1 - predicted.mask.mean():.0%}, right: {right.mean():.0%}")
doubt = 1 - model.predict_proba(X[new]).max(axis=1)
figure, axis = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
for colour, goal in zip(COLOURS, (sets[new], truth[new])):
    curve = made["covers='truth'"].risk_coverage(X[new], goal, doubt=doubt)
    RiskCoverageDisplay.from_curve(curve, axis, color=colour)
axis.set_ylim(0, 0.5)
plt.show()
