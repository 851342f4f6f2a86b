"""
Learn from few labelled rows
============================

Most rows have no label. Semi-supervised methods use their features. This tutorial compares infimum with self-training
and label spreading of scikit-learn, and with a model of the labelled rows only, on three tables.
"""

# %%
# Three tables of scikit-learn, in which one row in ten or twenty keeps its label.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

from infimum import PartialClassifier
from infimum.plotting import COLOURS

TABLES = {"digits, 10 %": (load_digits, 0.1), "wine, 10 %": (load_wine, 0.1), "cancer, 5 %": (load_breast_cancer, 0.05)}

# %%
# Fit
# ---
# Unlabelled rows are ``None`` in infimum, and -1 in scikit-learn.


def accuracies(load, share: float) -> dict[str, float]:
    """Return the accuracy of each method on new rows."""
    X, y = load(return_X_y=True)
    X, X_test, y, y_test = train_test_split(StandardScaler().fit_transform(X), y, test_size=0.4, random_state=0)
    known = np.zeros(len(X), dtype=bool)
    known[np.random.default_rng(0).choice(len(X), int(share * len(X)), replace=False)] = True
    minus = np.where(known, y, -1)
    models = {
        "labelled rows, forest": RandomForestClassifier(random_state=0).fit(X[known], y[known]),
        "self-training": SelfTrainingClassifier(LogisticRegression(max_iter=500)).fit(X, minus),
        "label spreading": LabelSpreading(kernel="knn", n_neighbors=7).fit(X, minus),
        "infimum": PartialClassifier().fit(X, np.where(known, y, None)),
    }
    return {name: float(model.score(X_test, y_test)) for name, model in models.items()}


scores = {table: accuracies(*settings) for table, settings in TABLES.items()}
for table, found in scores.items():
    print(table, {name: round(value, 2) for name, value in found.items()})

# %%
# Decide
# ------
# No method is best on every table. Label spreading is strong if classes form clusters, and weak otherwise. infimum
# selects its base learner by cross-validation on the labelled rows, which is noisy if there are only a
# few per class. With fewer than ten labelled rows per class, try several methods and label a test set of 100 rows.

names = list(next(iter(scores.values())))
figure, axis = plt.subplots(figsize=(9, 4), layout="constrained")
for k, name in enumerate(names):
    values = [found[name] for found in scores.values()]
    bars = axis.bar(np.arange(3) + 0.2 * k, values, 0.18, color=("0.85", "0.7", "0.55", COLOURS[0])[k], label=name)
    axis.bar_label(bars, fmt="{:.2f}", fontsize=8)
axis.set_xticks(np.arange(3) + 0.3, list(scores))
axis.set(ylabel="accuracy on new rows", ylim=(0.5, 1.02))
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False, ncol=4, loc="upper center", bbox_to_anchor=(0.5, 1.13))
plt.show()
