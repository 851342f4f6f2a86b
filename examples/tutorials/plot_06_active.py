"""
Label less: an active-learning loop in a notebook
=================================================

Active learning chooses the most informative question per unit of cost. "Is it a 3?" takes less time than choosing among
all classes.
The same loop runs in the web app, ``infimum studio tickets.csv``.
"""

# %%
# Start without labels
# --------------------

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from infimum import PartialClassifier
from infimum.active import QuestionSelector
from infimum.outputs import Labels
from infimum.plotting import COLOURS

X, truth = load_digits(return_X_y=True)
X, truth, X_test, truth_test = X[:300], truth[:300], X[1000:1400], truth[1000:1400]
space = Labels(classes=list(range(10)))

# %%
# The loop
# --------
# A person would see ``question.text()`` and choose among ``question.options()``. Here the true label answers. A batch
# of questions is asked between two fits.


def label(strategy: str, budget: float) -> tuple[list[float], list[float]]:
    """Return the cost so far and the accuracy, after each batch."""
    y, spent, cost, accuracy = space.fit([]).read([None] * len(X)), 0.0, [], []
    asker = QuestionSelector(strategy=strategy, random_state=0)
    while spent < budget and (questions := asker.query(X, y, n=20, output=space)):  # none: every row is known
        for question in questions:
            y = question.apply_answer(y, question.true_answer(truth[question.row]))
            spent += question.cost
        model = PartialClassifier.paper(principle="disambiguation", weights="neighbors", classes=list(range(10)))
        cost.append(spent)
        accuracy.append(model.fit(X, y).score(X_test, truth_test))
    return cost, accuracy


curves = {
    "partial questions": label("information", 400),
    "whole labels of uncertain rows": label("uncertain", 400),
    "whole labels of random rows": label("whole", 400),
}

# %%
# Decide when to stop
# -------------------
# Stop when the curve is flat. Partial questions reach the same accuracy at a fraction of the cost.

figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for colour, (name, (cost, accuracy)) in zip((COLOURS[0], COLOURS[1], "0.6"), curves.items()):
    axis.plot(cost, accuracy, color=colour, lw=2.5, label=name)
axis.set(xlabel="cost of all answers", ylabel="accuracy on new images")
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False)
plt.show()
