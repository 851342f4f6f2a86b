"""
Identifiability: can these labels separate the classes?
=======================================================

Before another thousand rows are labelled: is there anything in them that could tell the classes apart? Here two of
five birds are never parted by anybody, which no number of rows can repair. One question does.
"""

# %%
# Sets of five birds
# ------------------
# Whoever sees a crow writes ``crow|jackdaw``, and so does whoever sees a jackdaw. Gulls and terns are mixed up now and
# then, owls seldom.

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
# Left: how often z is still possible where y is probably the truth. Two rows of the matrix have a 1 beside the
# diagonal: these two cannot be separated. Right: eta around the rows.

found.plot()

# %%
# The cheapest question
# ---------------------
# It is asked of the most typical row that holds both, and little else. Ten answers of that kind, and the verdict is
# another one.

print(found.questions[0])
apart = np.flatnonzero(np.isin(names[truth], ["crow", "jackdaw"]))[:10]
answered = [names[truth[i]] if i in apart else text for i, text in enumerate(y)]
print(identifiability(X, answered).verdict)

# %%
# How much do ten answers bring? The same model, before and after:

model = PartialClassifier(principle="infimum", weights=weights.KernelRidge(lam=1e-3))
for name, sets in (("before", y), ("after", answered)):
    print(f"{name:7} {np.mean(model.fit(X, sets).predict(X) == names[truth]):.0%} of the birds are right")

# %%
# Which rows made a prediction
# ----------------------------
# A prediction minimises a sum over training rows, so what every row contributes to the difference between two outputs
# is exact: the bars sum to the margin.

made = model.fit(X, answered).explain([1.2, 0.9])
print(made)
made.plot()

# %%
# Rows to look at again
# ---------------------
# Three cells are wrong on purpose.

for row in (20, 120, 220):
    answered[row] = names[(truth[row] + 1) % 5]
print(audit(X, answered))
plt.show()
