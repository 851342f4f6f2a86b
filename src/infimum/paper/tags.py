"""App. B.3: the three principles agree on partial tags; positive-only tags require top-k or epsilon."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import f1_score
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from .. import PartialMultilabelClassifier
from ..data.errors import InfimumWarning
from ..datasets import drop_tags, load
from ..weights import KernelRidge
from . import style
from .base import Comparison, Experiment, Row, Task, row

SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9)
FOLDS = 8


def _emotions(task: Task, data: str | None):
    """Return X and Y of one fold of emotions, for training and testing."""
    bunch = load("mulan/emotions", data_home=data)
    X = StandardScaler().fit_transform(bunch.data)
    train, test = list(KFold(FOLDS, shuffle=True, random_state=0).split(X))[task["fold"]]
    return X[train], bunch.target[train], X[test], bunch.target[test]


class PartialTagsAgree(Experiment):
    name = "partial-tags"
    title = "Multi-label classification: the three losses agree on partly known tags"
    place = "App. B.3, the three losses differ by constants"
    caption = (
        "Test error on emotions (593 songs, six tags) if each tag is unknown with the given probability. For each "
        "unknown tag, the infimum loss is 0, the average 1/2 and the supremum 1, whatever the prediction. Therefore "
        "all predictions are the same (three lines on top of each other)."
    )
    differs = "The paper states this without a figure."

    def tasks(self, quick: bool) -> list[Task]:
        return [{"fold": fold} for fold in range(2 if quick else FOLDS)]

    def run(self, task: Task, data: str | None) -> list[Row]:
        X, Y, queries, truth = _emotions(task, data)
        rows = []
        for share in SHARES:
            known = drop_tags(Y, share, random_state=task["fold"])
            found = {}
            for principle in ("infimum", "average", "supremum"):
                model = PartialMultilabelClassifier.paper(principle=principle, weights=KernelRidge(lam=1e-2))
                found[principle] = model.fit(X, known).predict(queries)
                different = int((found[principle] != found["infimum"]).sum())
                error = float((found[principle] != truth).mean())
                rows.append(row(principle, share, error, task["fold"], task["fold"], different=different))
        return rows

    def draw(self, frame: pd.DataFrame):
        fig, axes = style.figure(size=(3.9, 3.0))
        widths = {"infimum": 5.0, "average": 3.0, "supremum": 1.2}
        for method, width in widths.items():
            means = frame[frame["method"] == method].groupby("parameter")["value"].mean()
            axes[0, 0].plot(means.index, means, **style.METHODS[method] | {"lw": width, "marker": None})
        axes[0, 0].set(xlabel="share of unknown tags", ylabel="test error", title="emotions")
        style.from_zero(axes[0, 0])
        style.legend(fig)
        return fig

    def compare(self, frame: pd.DataFrame) -> list[Comparison]:
        return [Comparison("predicted tags that differ", int(frame["different"].sum()), 0, None, "print")]


METHODS: dict[str, tuple[dict[str, Any], str]] = {
    "as it is": ({}, style.BLUE), "top-k, k = 2": ({"n_tags": 2}, style.VERMILION),
    "ε = 0.1": ({"tag_cost": 0.1}, style.GREEN), "ε = 0.2": ({"tag_cost": 0.2}, style.ORANGE),
    "ε = 0.4": ({"tag_cost": 0.4}, style.PURPLE),
}  # fmt: skip


class PositiveOnly(Experiment):
    name = "positive-tags"
    title = "Multi-label classification: only present tags are known"
    place = "App. B.3.1, tackling positive bias"
    caption = (
        "The data are emotions. Annotators name present tags only, and forget each of them with the given "
        "probability. Without a remedy, predicting all tags minimises the infimum loss (kernel weights can be "
        "negative, so some tags are not predicted). There are two remedies: predicting the k = 2 best tags (songs "
        "have 1.9 on average), or a cost epsilon per tag. The best epsilon decreases with the share of forgotten "
        "tags; top-k does not depend on it."
    )
    differs = "The paper contains the two remedies without a figure. Its f thresholds scores at epsilon, as here."

    def tasks(self, quick: bool) -> list[Task]:
        return [{"fold": fold} for fold in range(2 if quick else FOLDS)]

    def run(self, task: Task, data: str | None) -> list[Row]:
        X, Y, queries, truth = _emotions(task, data)
        rows = []
        for share in SHARES[:-1]:
            known = drop_tags(Y, share, positive_only=True, random_state=task["fold"])
            for name, (settings, _) in METHODS.items():
                model = PartialMultilabelClassifier.paper(weights=KernelRidge(lam=1e-2), **settings)
                with warnings.catch_warnings():
                    # that plain fitting cannot work here is the point of the figure
                    warnings.simplefilter("ignore", InfimumWarning)
                    z = model.fit(X, known).predict(queries)
                f1 = f1_score(truth > 0, z > 0, average="micro", zero_division=0)
                error = float((z != truth).mean())
                rows.append(row(name, share, error, task["fold"], task["fold"], f1=f1, given=float(np.mean(z > 0))))
        return rows

    def draw(self, frame: pd.DataFrame):
        fig, axes = style.figure(2, size=(3.5, 3.0))
        for ax, column, label in zip(axes[0], ("value", "f1"), ("test error", "F1 score, micro")):
            for name, (_, color) in METHODS.items():
                means = frame[frame["method"] == name].groupby("parameter")[column].mean()
                ax.plot(means.index, means, color=color, marker="o", label=name)
            ax.set(xlabel="share of present tags not mentioned", ylabel=label)
            style.from_zero(ax)
        style.legend(fig, ncols=5)
        return fig

    def compare(self, frame: pd.DataFrame) -> list[Comparison]:
        given = float(frame[frame["method"] == "as it is"]["given"].mean())
        return [Comparison("share of tags given, as it is", given, 1.0, 0.02, "print: y = 1 minimises the loss", False)]
