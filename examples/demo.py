"""Recognise digits if every label is only a list of candidates.

Two thirds of the 1,797 digit images that scikit-learn ships are for training. Annotators are sure of 0, 2, 4, 6 and 7;
for 1, 3, 5, 8 and 9 they also list every other digit with probability c. The default selects principle and base learner
by cross-validation on the candidate sets. The others are one kernel under one principle each. Rankings and numbers
without a sign follow. Nothing is downloaded.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from infimum import CandidateLabels, PartialClassifier, PartialOrders, PartialRanker, PartialRegressor, weights
from infimum.datasets import drop_pairs, make_lost_sign
from infimum.metrics import wrong_pairs

METHODS: dict[str, dict] = {
    "the default": {},
    "full supervision": {},
    "infimum": {"principle": "infimum"},
    "infimum, joint": {"principle": "infimum", "negative_weights": "joint"},
    "average": {"principle": "average"},
    "supremum": {"principle": "supremum"},
    "disambiguation": {"principle": "disambiguation"},
}
HEDGING = (0.0, 0.1, 0.3, 0.5, 0.7)
HARD = (1, 3, 5, 8, 9)


def candidates(y: np.ndarray, c: float, rng: np.random.Generator) -> np.ndarray:
    """The true digit; for the hard ones, every other digit too with probability c."""
    return np.eye(10, dtype=bool)[y] | ((rng.random((len(y), 10)) < c) & np.isin(y, HARD)[:, None])


def main() -> None:
    start = time.perf_counter()
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X / 16, y, test_size=1 / 3, random_state=0)
    rng = np.random.default_rng(0)
    kernel = weights.KernelRidge(lam=1e-3, gamma="scale")
    print(f"{len(X_train)} training images with candidate sets, {len(X_test)} test images. Test accuracy:\n")
    masks = [candidates(y_train, c, rng) for c in HEDGING]
    print(f"{'hedging, c':<22}" + "".join(f"{c:>8.0%}" for c in HEDGING))
    print(f"{'candidates per image':<22}" + "".join(f"{mask.sum(axis=1).mean():>8.2f}" for mask in masks))
    accuracy = {}
    for name, settings in METHODS.items():
        accuracy[name] = []
        for mask in masks:
            sets = y_train if name == "full supervision" else CandidateLabels(mask, classes=range(10))
            is_default = name == "the default"
            model = PartialClassifier() if is_default else PartialClassifier.paper(weights=kernel, **settings)
            accuracy[name].append(model.fit(X_train, sets).score(X_test, y_test))
            if is_default and mask is masks[3]:
                chosen = model
        print(f"{name:<22}" + "".join(f"{a:>8.1%}" for a in accuracy[name]), flush=True)
    print(f"\nWhat the default compared at c = {HEDGING[3]:.0%}:", *str(chosen.selection_).splitlines()[:6], sep="\n")
    path = draw(accuracy, chosen, X_train, y_train, masks[3])
    orders(rng)
    numbers()
    print(f"\nFigure: {path} ({time.perf_counter() - start:.0f} s)")


def orders(rng: np.random.Generator) -> None:
    """Eight items whose scores are lines in x: only comparisons of close items are kept."""
    slopes, levels = rng.standard_normal((2, 8))
    x, x_test = rng.uniform(-1, 1, (50, 1)), np.linspace(-1, 1, 200)[:, None]
    known = drop_pairs(x * slopes + levels, c=0.7)
    truth = np.argsort(-(x_test * slopes + levels), axis=1)
    print(f"\nOrders of 8 items from {np.mean(known != 0):.0%} of the pairs; wrong pairs on test orders:")
    for principle in ("infimum", "average"):
        model = PartialRanker.paper(principle=principle, weights=weights.KernelRidge(lam=1e-1, sigma=0.5)).fit(x, known)
        print(f"{principle:<22}{wrong_pairs(PartialOrders.from_orders(truth), model.predict(x_test)):>8.1%}")


def numbers() -> None:
    """The paper's physicist: bounds on |y|, the sign of y three times out of ten."""
    problem, x = make_lost_sign(random_state=0), np.linspace(0, 1, 200)[:, None]
    print("\nNumbers from bounds on |y|, 70 % of the signs lost; mean squared error on test values:")
    for principle in ("infimum", "average"):
        family = weights.KernelRidge(kernel="laplacian", lam=1e-2, sigma=0.05)
        model = PartialRegressor.paper(principle=principle, weights=family).fit(problem.data, problem.pieces)
        print(f"{principle:<22}{np.mean((model.predict(x) - 3 - np.sin(10 * x[:, 0])) ** 2):>8.3f}")
    model = PartialRegressor().fit(problem.data, problem.pieces)
    print(f"{'the default':<22}{np.mean((model.predict(x) - 3 - np.sin(10 * x[:, 0])) ** 2):>8.3f}")


def draw(accuracy: dict, model: PartialClassifier, X: np.ndarray, y: np.ndarray, mask: np.ndarray) -> Path:
    """Accuracy against ambiguity, and some images with their candidates and what was learned of them."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(11, 4.8), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=(1.05, 1))
    axis = left.subplots()
    styles = {"full supervision": ("0.4", ":"), "infimum": ("#0072B2", "-"), "infimum, joint": ("#56B4E9", "--")}
    styles |= {"the default": ("black", "-")}
    styles |= {"average": ("#E69F00", "-"), "supremum": ("#CC79A7", "-"), "disambiguation": ("#009E73", "-")}
    for name, values in accuracy.items():
        colour, line = styles[name]
        axis.plot(HEDGING, values, color=colour, linestyle=line, marker="o", markersize=4, label=name)
    axis.set(xlabel="c: how often a wrong digit is a candidate for 1, 3, 5, 8, 9", ylabel="test accuracy")
    axis.set_title("Learning from candidate sets", loc="left")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, loc="lower left")
    rows = np.flatnonzero(mask.sum(axis=1) >= 3)[:15]
    learned = model.predict(X[rows])
    right.suptitle("Candidates of training images, estimated label in bold (orange: wrong)", fontsize=10)
    for axis, row, digit in zip(right.subplots(3, 5).ravel(), rows, learned):
        axis.imshow(X[row].reshape(8, 8), cmap="gray_r")
        axis.axis("off")
        shown = [rf"$\mathbf{{{k}}}$" if k == digit else str(k) for k in np.flatnonzero(mask[row])]
        axis.set_title(" ".join(shown), fontsize=8)
        axis.title.set_color("#0072B2" if digit == y[row] else "#D55E00")
    path = Path("demo") / "digits.png"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=130)
    return path


if __name__ == "__main__":
    main()
