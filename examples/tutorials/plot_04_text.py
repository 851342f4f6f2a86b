"""
Classify text with TF-IDF or embeddings
=======================================

Texts become vectors first: by TF-IDF, as here, or by a sentence encoder whose vectors you saved. The partial labels
stay as they are.
"""

# %%
# The text column of the shipped tickets, and their candidate labels.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from infimum import PartialClassifier
from infimum.datasets import example_file
from infimum.plotting import COLOURS

tickets = pd.read_csv(example_file("tickets.csv"))
new = pd.read_csv(example_file("tickets_new.csv"))

# %%
# Vectors
# -------
# Embeddings of a language model would be loaded here, ``X = np.load("embeddings.npy")``. A sparse TF-IDF matrix can be
# passed as it is; a truncated SVD makes it dense and small.

embed = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), TruncatedSVD(60, random_state=0))
X, X_new = embed.fit_transform(tickets["message"]), embed.transform(new["message"])

# %%
# Fit on all rows
# ---------------
# The comparison is a logistic regression on the rows whose label is exact, the usual workaround.

model = PartialClassifier().fit(X, tickets["label"])
exact = tickets["label"].notna() & ~tickets["label"].fillna("").str.contains(r"[|!]")
plain = LogisticRegression(max_iter=1000).fit(X[exact], tickets["label"][exact])
scores = {
    f"logistic regression,\n{exact.sum()} exact rows": plain.score(X_new, new["label"]),
    f"infimum, all {len(X)} rows": model.score(X_new, new["label"]),
}
print({name.replace("\n", " "): round(float(value), 2) for name, value in scores.items()})

# %%
# Labels of the ambiguous tickets
# -------------------------------
# Read the estimated labels next to the text to check them.

ambiguous = np.flatnonzero(tickets["label"].fillna("").str.contains(r"\|"))[:5]
for row in ambiguous:
    print(f"{tickets['label'][row]:<28} -> {model.labels_[row]:<10} {tickets['message'][row][:60]}")

# %%
# Decide
# ------
# The ambiguous rows are worth keeping: with them, the accuracy is higher than with the exact rows alone.

figure, axis = plt.subplots(figsize=(7, 2.8), layout="constrained")
bars = axis.barh(list(scores), list(scores.values()), color=["0.7", COLOURS[0]])
axis.bar_label(bars, fmt="{:.0%}", padding=4)
axis.set(xlim=(0, 1), xlabel="accuracy on 80 new tickets")
axis.spines[["top", "right"]].set_visible(False)
plt.show()
