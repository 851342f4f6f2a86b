"""
Active learning: cost of partial and whole questions
====================================================

"What is it?" costs as many bits as there are labels to choose from; "is it an 8?" costs one. A model that guesses well
asks the second kind, and learns from every answer, yes or no. This example draws what is learned against what it costs.
"""

# %%
# Digits of scikit-learn, 500 of them: a third is held out, all others may be asked about. Nothing is known at first.

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from infimum.active import simulate
from infimum.plotting import COLOURS

X, truth = load_digits(return_X_y=True)
X, truth = X[:500], truth[:500]

# %%
# One run: the first questions and their answers. While nothing is known, labels are cut into halves; soon a guess is
# confirmed by one word.

curve = simulate(X, truth, "information", budget=250, random_state=0)
for question, answer in [*zip(curve.questions, curve.answers)][:4]:
    print(f"row {question.row:3}: {question.text():34} {question.answer_text(answer)}")
print("...")
for question, answer in [*zip(curve.questions, curve.answers)][-4:]:
    print(f"row {question.row:3}: {question.text():34} {question.answer_text(answer)}")

# %%
# Beside the usual active learning, which asks for the whole label of the least certain row, and beside random rows.

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
