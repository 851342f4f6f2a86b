"""
Label less: an active-learning loop in a notebook
=================================================

A table has no labels yet, and the time of annotators is limited. Which questions should they answer, and when can they
stop? Active learning chooses the most informative question per unit of cost. "Is it a 3?" takes less time than choosing
among all classes.
"""

# %%
# The file
# --------
# The first step writes a table like the one that you may have: 300 images of digits as pixels, with an empty label
# column. The true digits stand for the person who answers.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_digits

from infimum import PartialClassifier
from infimum.active import QuestionSelector
from infimum.outputs import Labels
from infimum.plotting import COLOURS

digits = load_digits(as_frame=True)
person, X_test, truth_test = digits.target[:300], digits.data[1000:1400], digits.target[1000:1400]
file = Path(tempfile.mkdtemp()) / "images.csv"
digits.data[:300].assign(label=None).to_csv(file, index=False)

table = pd.read_csv(file)
X = table.drop(columns="label")
print(f"{len(table)} rows, {table['label'].notna().sum()} of them labelled")

# %%
# The loop
# --------
# A person would see ``question.text()`` and choose among ``question.options()``. Here the true label answers. Twenty
# questions are asked between two fits. Costs are expected seconds of a person.

classes = list(range(10))
space = Labels(classes=classes)


def label(strategy: str, seconds: float) -> tuple[list[float], list[float], list]:
    """Return the seconds so far and the accuracy after each batch of questions, and the labels at the end."""
    y, spent, cost, accuracy = space.fit([]).read(table["label"]), 0.0, [], []
    selector = QuestionSelector(strategy=strategy, random_state=0)
    while spent < seconds and (questions := selector.query(X, y, n=20, output=space)):  # none: every row is known
        for question in questions:
            y = question.apply_answer(y, question.true_answer(person[question.row]))
            spent += question.cost
        model = PartialClassifier.paper(principle="disambiguation", weights="neighbors", classes=classes)
        cost.append(spent)
        accuracy.append(float(model.fit(X, y).score(X_test, truth_test)))
    return cost, accuracy, y


curves = {
    "partial questions": label("information", 400),
    "full labels of uncertain rows": label("uncertain", 400),
    "full labels of random rows": label("whole", 400),
}

# %%
# Decide when to stop
# -------------------
# Without a test set, stop when the predictions no longer change. Here the accuracy on test images shows the same: the
# curve of partial questions is flat first.

target = 0.95 * max(max(accuracy) for _, accuracy, _ in curves.values())
for name, (cost, accuracy, _) in curves.items():
    reached = next((f"{c:.0f} s" for c, a in zip(cost, accuracy) if a >= target), "not reached")
    print(f"{name:<30} time until accuracy {target:.2f}: {reached}")

figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for colour, (name, (cost, accuracy, _)) in zip((COLOURS[0], COLOURS[1], "0.6"), curves.items()):
    axis.plot(cost, accuracy, color=colour, lw=2.5, label=name)
axis.axhline(target, color="0.8", lw=1, label=f"accuracy {target:.2f}")
axis.set(xlabel="expected time of the annotator, seconds", ylabel="accuracy on new images")
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False)
plt.show()

# %%
# Save the labels
# ---------------
# Partial labels are written as text, such as ``3|5`` or ``!7``, and can be continued later. The web app asks the same
# questions: ``infimum studio images.csv --target label``.

cells = space.to_cells(curves["partial questions"][2])
table["label"] = space.cells_to_text(cells)
table.to_csv(file, index=False)
print(table["label"].tail(6).to_list())
