"""
Identifiability: can these labels separate the classes?
=======================================================

Before you label more rows, check whether the labels can separate the classes. Here two of five birds always appear
together in the labels. More rows of this kind cannot separate them, but one question to an annotator can.
"""

# %%
# Sets of five birds
# ------------------
# Annotators write ``crow|jackdaw`` for crows and for jackdaws. Gulls and terns are sometimes confused, owls rarely.

import matplotlib.pyplot as plt
import numpy as np

from infimum import PartialClassifier, weights
from infimum.diagnostics import audit, identifiability

rng = np.random.default_rng(3)
names = np.array(["crow", "gull", "jackdaw", "owl", "tern"])
centers = np.array([[0, 0], [3, 0], [1.6, 1.2], [0, 4], [4.2, 1.5]])
truth = rng.integers(5, size=300)
X = centers[truth] + 0.5 * rng.standard_normal((300, 2))


def cell(k: int) -> str:
    """What is written for a bird."""
    if names[k] in ("crow", "jackdaw"):
        return "crow|jackdaw"
    other = {"gull": "tern", "tern": "gull", "owl": "gull"}[names[k]]
    return f"{names[k]}|{other}" if rng.random() < (0.1 if names[k] == "owl" else 0.5) else names[k]


y = [cell(k) for k in truth]
found = identifiability(X, y)
print(found)

# %%
# Left: how often class z is a candidate if y is probably true. Two rows of the matrix have a 1 next to the diagonal:
# these two classes cannot be separated. Right: the local separation η around the rows.

found.plot()

# %%
# The cheapest question
# ---------------------
# The question is about the most typical row that has both candidates and few others. After ten answers of this kind,
# the verdict changes.

print(found.questions[0])
apart = np.flatnonzero(np.isin(names[truth], ["crow", "jackdaw"]))[:10]
answered = [names[truth[i]] if i in apart else text for i, text in enumerate(y)]
print(identifiability(X, answered).verdict)

# %%
# The accuracy of the same model before and after ten answers:

model = PartialClassifier(principle="infimum", weights=weights.KernelRidge(lam=1e-3))
for name, sets in (("before", y), ("after", answered)):
    print(f"{name:7} {np.mean(model.fit(X, sets).predict(X) == names[truth]):.0%} of the birds are right")

# %%
# Explanation of a prediction
# ---------------------------
# A prediction minimises a sum over training rows. The contribution of each row to the difference between two outputs is
# therefore exact: the bars sum to the margin.

made = model.fit(X, answered).explain([1.2, 0.9])
print(made)
made.plot()

# %%
# Rows to review
# --------------
# Three cells are wrong on purpose.

for row in (20, 120, 220):
    answered[row] = names[(truth[row] + 1) % 5]
print(audit(X, answered))
plt.show()
