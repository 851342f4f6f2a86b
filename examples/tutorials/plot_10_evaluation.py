"""
How good is my model without true labels?
=========================================

A model was trained on candidate sets, and nobody has true labels. Three numbers help: the covering rate on held-out
rows, its value beyond chance, and a small audit.
"""

# %%
# Digits with candidate sets; the true labels are used only at the end.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import KFold, cross_val_predict

from infimum import CandidateLabels, PartialClassifier
from infimum.datasets import uniform
from infimum.plotting import COLOURS
from infimum.selection import left_out_scores

X, truth = load_digits(return_X_y=True)
X, truth = X[:600], truth[:600]

# %%
# Covering rate and chance
# ------------------------
# The covering rate is the share of predictions inside their candidate set. It bounds the accuracy from above. Large
# sets are easy to hit: the chance-corrected value subtracts what permuted predictions would reach.

amounts, rows = (0.1, 0.3, 0.5, 0.7), []
for amount in amounts:
    sets = CandidateLabels(uniform(truth, amount, random_state=0))
    model = PartialClassifier.paper(principle="disambiguation", weights="neighbors")
    scores = left_out_scores(model, X, sets, cv=5)
    predicted = cross_val_predict(model, X, sets, cv=KFold(5))
    rows.append((scores["covering_rate"], scores["chance_corrected"], np.mean(predicted == truth)))
    print(f"{amount:.1f}: covering rate {rows[-1][0]:.3f}, beyond chance {rows[-1][1]:.3f}, accuracy {rows[-1][2]:.3f}")

# %%
# A small audit
# -------------
# Label 50 random rows exactly. The accuracy on them is unbiased, and its interval shows how uncertain it is.

rng = np.random.default_rng(0)
audit = rng.choice(600, 50, replace=False)
right = np.mean(predicted[audit] == truth[audit])
print(f"audit of 50 rows: {right:.2f} ± {1.96 * np.sqrt(right * (1 - right) / 50):.2f}")

# %%
# Decide what to report
# ---------------------
# Report the covering rate, its value beyond chance and the audit, and say how large the candidate sets are.

figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
names = ("covering rate", "beyond chance", "accuracy (unknown in practice)")
for name, values, colour in zip(names, zip(*rows), COLOURS):
    axis.plot(amounts, values, "o-", color=colour, lw=2.5, label=name)
axis.set(xlabel="probability that a wrong digit is a candidate", ylabel="score on held-out rows")
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False)
plt.show()
