"""
How good is my model without true labels?
=========================================

A model was trained on candidate sets, and nobody has true labels. Is it good enough to use? Three numbers help: the
covering rate on held-out rows, its value beyond chance, and an audit of a small sample that is labelled exactly.
"""

# %%
# The file
# --------
# The package ships 240 support tickets. The label is exact in a third of the rows. The others have several candidates,
# an excluded class, or nothing.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline

from infimum import Features, PartialClassifier
from infimum.datasets import example_file
from infimum.plotting import COLOURS
from infimum.selection import get_scorer

tickets = pd.read_csv(example_file("tickets.csv"))
X, y = tickets.drop(columns=["label", "minutes"]), tickets["label"]
model = make_pipeline(Features(), PartialClassifier(weights="linear"))

# %%
# Covering rate and chance
# ------------------------
# The covering rate is the share of predictions inside their candidate set. It bounds the accuracy from above. Large
# sets are easy to hit: the chance-corrected value subtracts what permuted predictions would reach. 0 means no skill.
# Unlabelled rows do not count.

folds = KFold(5, shuffle=True, random_state=0)
scores = {
    name: cross_val_score(model, X, y, cv=folds, scoring=get_scorer(key))
    for name, key in (("covering rate", "covering_rate"), ("beyond chance", "chance_corrected"))
}
for name, values in scores.items():
    print(f"{name}: {values.mean():.2f}, standard error {values.std(ddof=1) / np.sqrt(5):.2f}")

# %%
# A small audit
# -------------
# Label some random new rows exactly. The accuracy on them is unbiased, and its confidence interval shows how uncertain
# it is. The package ships 80 such tickets.

audit = pd.read_csv(example_file("tickets_new.csv"))
right = model.fit(X, y).predict(audit[X.columns]) == audit["label"]
accuracy, margin = right.mean(), 1.96 * right.std(ddof=1) / np.sqrt(len(right))
print(f"audit of {len(right)} rows: accuracy {accuracy:.2f} ± {margin:.2f}")

# %%
# Decide
# ------
# Suppose that tickets may be routed automatically if at least 80 % of them go to the right team. The lower end of the
# interval decides, not the covering rate. (The covering rate is an upper bound for the same model and rows; here it
# comes from models of four fifths of the rows.) Report all three numbers, and how many candidates the rows have.

needed = 0.8
print("route automatically" if accuracy - margin > needed else "not yet: label more rows, or route by hand")

figure, axis = plt.subplots(figsize=(7, 3), layout="constrained")
rows = [(name, values.mean(), 1.96 * values.std(ddof=1) / np.sqrt(5)) for name, values in scores.items()]
for k, (_, value, error) in enumerate([*rows, ("accuracy (audit)", accuracy, margin)]):
    axis.errorbar(value, k, xerr=error, fmt="o", color=COLOURS[k], lw=2.5, ms=8)
axis.set_yticks(range(3), [*scores, "accuracy (audit)"])
axis.axvline(needed, color="0.6", lw=1)
axis.annotate("needed", (needed, 2.35), ha="center", color="0.4", annotation_clip=False)
axis.set(xlabel="score on rows that the model has not seen", ylim=(-0.6, 2.3))
axis.spines[["top", "right"]].set_visible(False)
plt.show()
