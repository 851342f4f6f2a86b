"""
Active learning: cost of partial and whole questions
====================================================

"What is it?" asks for a choice among all labels. "Is it an 8?" asks for one bit. Active learning with partial questions
learns from every answer, yes or no. This example shows the accuracy against the cost of the answers.
"""

# %%
# The data are 500 digits of scikit-learn. A third is held out, and questions are asked about the others. No label is
# known at first.

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from infimum.active import simulate
from infimum.plotting import COLOURS

X, truth = load_digits(return_X_y=True)
X, truth = X[:500], truth[:500]

# %%
# The first questions of one run and their answers. At first, questions split the labels into halves. Later, a guess is
# confirmed by one answer.

curve = simulate(X, truth, "information", budget=250, random_state=0)
for question, answer in [*zip(curve.questions, curve.answers)][:4]:
    print(f"row {question.row:3}: {question.text():34} {question.answer_text(answer)}")
print("...")
for question, answer in [*zip(curve.questions, curve.answers)][-4:]:
    print(f"row {question.row:3}: {question.text():34} {question.answer_text(answer)}")

# %%
# The comparison is with uncertainty sampling, which asks for the whole label of the least certain row, and with random
# rows.

names = {
    "information": "partial questions, chosen",
    "uncertain": "whole labels, least certain",
    "whole": "whole labels, at random",
}
figure, axis = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for (strategy, name), colour in zip(names.items(), COLOURS):
    run = curve if strategy == "information" else simulate(X, truth, strategy, budget=250, random_state=0)
    axis.plot(run.cost, run.score, color=colour, label=name)
axis.axhline(0.95 * curve.full, color="grey", linestyle=":", label="95 % of all labels known")
axis.set(xlabel="cost of the answers (bits)", ylabel="accuracy on rows never asked about")
axis.legend(frameon=False)
plt.show()
