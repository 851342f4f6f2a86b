"""
Learn from few labelled rows
============================

Most rows of a table have no label. Which method should you use, and is it worth to label more rows? Semi-supervised
methods use the features of unlabelled rows. This tutorial compares infimum with self-training and label spreading of
scikit-learn, and with a model of the labelled rows only.
"""

# %%
# The files
# ---------
# The first step writes three tables of scikit-learn, in which one row in ten or twenty keeps its label.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

from infimum import PartialClassifier
from infimum.plotting import COLOURS

folder = Path(tempfile.mkdtemp())
TABLES = {"digits": (load_digits, 0.1), "wine": (load_wine, 0.1), "cancer": (load_breast_cancer, 0.05)}
for name, (load, share) in TABLES.items():
    train, test = train_test_split(load(as_frame=True).frame, test_size=0.4, random_state=0)
    known = np.random.default_rng(0).choice(len(train), int(share * len(train)), replace=False)
    unlabelled = np.delete(np.arange(len(train)), known)
    train = train.astype({"target": "Int64"}).reset_index(drop=True)
    train.loc[unlabelled, "target"] = None
    train.to_csv(folder / f"{name}.csv", index=False)
    test.to_csv(folder / f"{name}_test.csv", index=False)

# %%
# Read and fit
# ------------
# Empty cells are unlabelled rows in infimum. scikit-learn marks them by -1.


def accuracies(name: str) -> dict[str, float]:
    """Return the accuracy of each method on new rows."""
    table = pd.read_csv(folder / f"{name}.csv", dtype={"target": "Int64"})
    test = pd.read_csv(folder / f"{name}_test.csv")
    y, scaler = table["target"], StandardScaler().fit(table.drop(columns="target"))
    X, X_test = scaler.transform(table.drop(columns="target")), scaler.transform(test.drop(columns="target"))
    known, minus = y.notna().to_numpy(), y.fillna(-1).astype(int)
    models = {
        "labelled rows, forest": RandomForestClassifier(random_state=0).fit(X[known], minus[known]),
        "self-training": SelfTrainingClassifier(LogisticRegression(max_iter=500)).fit(X, minus),
        "label spreading": LabelSpreading(kernel="knn", n_neighbors=7).fit(X, minus),
        "infimum": PartialClassifier().fit(X, y),
    }
    return {method: float(model.score(X_test, test["target"])) for method, model in models.items()}


scores = {name: accuracies(name) for name in TABLES}
for name, found in scores.items():
    print(name, {method: round(value, 2) for method, value in found.items()})

# %%
# Decide
# ------
# No method is best on every table. Label spreading is strong if classes form clusters, and weak otherwise. infimum
# selects its base learner by cross-validation on the labelled rows, which is noisy if there are only a few per class.
# With fewer than ten labelled rows per class, label a test set of about 100 rows, compare several methods on it, and
# use the best one. If the best one is not good enough, label more rows by active learning.

for name, found in scores.items():
    print(f"{name}: use {max(found, key=found.get)}")

methods = list(next(iter(scores.values())))
figure, axis = plt.subplots(figsize=(9, 4), layout="constrained")
for k, method in enumerate(methods):
    values = [found[method] for found in scores.values()]
    bars = axis.bar(np.arange(3) + 0.2 * k, values, 0.18, color=("0.85", "0.7", "0.55", COLOURS[0])[k], label=method)
    axis.bar_label(bars, fmt="{:.2f}", fontsize=8)
axis.set_xticks(np.arange(3) + 0.3, [f"{name}, {share:.0%} labelled" for name, (_, share) in TABLES.items()])
axis.set(ylabel="accuracy on new rows", ylim=(0.5, 1.02))
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False, ncol=4, loc="upper center", bbox_to_anchor=(0.5, 1.13))
plt.show()
