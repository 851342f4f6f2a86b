"""
A species and a measurement in one row
======================================

Field notes often contain several incomplete facts about one specimen: two possible species, and a length that was read
from a coarse scale. This example predicts both from two other measurements of Fisher's iris data. The petal length is
not a feature, because it will not be known for new plants, but it helps to find out the species of the training rows.
"""

# %%
# Features are the sepals. Each training row has candidate species, and a petal length up to an interval.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

from infimum import Disambiguation, PartialClassifier, PartialMultiOutput, weights
from infimum.plotting import COLOURS

iris = load_iris()
rng = np.random.default_rng(0)
names = iris.target_names
true, petal = names[iris.target], iris.data[:, 2]
possible = rng.random((150, 3)) < 0.6
possible[np.arange(150), iris.target] = True
low, high = petal - rng.uniform(0, 0.3, 150), petal + rng.uniform(0, 0.3, 150)
y = pd.DataFrame({
    "species": ["|".join(names[row]) for row in possible],
    "petal": [f"[{a:.1f},{b:.1f}]" for a, b in zip(low, high)],
})  # fmt: skip
print(y.head())

# %%
# One model for both outputs. Disambiguation estimates the species of each training row, with and without the petals.

sepals = iris.data[:, :2]
settings = {
    "principle": Disambiguation(threshold=None),
    "weights": weights.Scaled(weights.KernelRidge(lam=1e-2)),
}
alone = PartialClassifier(**settings).fit(sepals, y["species"])
both = PartialMultiOutput({"species": "labels", "petal": "number"}, **settings).fit(sepals, y)
print(both.predict(sepals[::50]))
right = {"species alone": alone.labels_ == true, "with the petal length": both.labels_["species"].to_numpy() == true}
for name, rows in right.items():
    print(f"{name}: {rows.mean():.0%} of the training labels are right")

# %%
# The rows whose species is right only with the petal length are those with overlapping sepals. Filled circles are
# right in both models, rings in the second one only, and crosses in none.

figure, axis = plt.subplots(figsize=(8, 4.6), layout="constrained")
first, second = right.values()
for k, name in enumerate(names):
    own = iris.target == k
    for rows, marker, face in ((first & second, "o", COLOURS[k]), (~first & second, "o", "none"), (~second, "x", None)):
        style = {} if marker == "x" else {"facecolors": face}
        axis.scatter(sepals[own & rows, 0], petal[own & rows], marker=marker, color=COLOURS[k], s=36, **style)
    axis.scatter([], [], color=COLOURS[k], label=name)
axis.set(xlabel="sepal length (cm)", ylabel="petal length (cm)", title="Which training labels disambiguation recovers")
axis.legend()
plt.show()
