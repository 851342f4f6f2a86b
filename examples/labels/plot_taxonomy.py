"""
Hierarchical labels: learning from taxonomy nodes
=================================================

Few people can name a warbler, but most recognise a bird. With a taxonomy, a label may be any node of the tree: "bird"
as well as "warbler". The cost of a mistake is the distance in the tree, so calling a warbler a finch is better than
calling it a fox.
"""

# %%
# The tree has six species. Mammals are always labelled by their species, birds only in one row of five.

import matplotlib.pyplot as plt
import numpy as np

from infimum import PartialClassifier, Taxonomy, weights

parents = {"warbler": "songbird", "finch": "songbird", "songbird": "bird", "owl": "bird", "bird": "animal"}
parents |= {"fox": "mammal", "badger": "mammal", "hare": "mammal", "mammal": "animal"}
tree = Taxonomy(parents)
species = ["warbler", "finch", "owl", "fox", "badger", "hare"]


def ancestors(name: str) -> list[str]:
    return [name, *ancestors(parents[name])] if name in parents else [name]


rng = np.random.default_rng(0)
centers = np.array([(0, 0), (1.2, 0.2), (0.4, 1.5), (2.0, 1.4), (3.2, 0.9), (2.2, 2.7)])
truth = rng.integers(6, size=1200)
X = centers[truth] + 0.5 * rng.standard_normal((1200, 2))


def said(name: str) -> str:
    """What the observer was sure of: the species, or a node above it."""
    unsure = 0.9 if "bird" in ancestors(name) else 0.1
    while parents[name] != "animal" and rng.random() < unsure:
        name = parents[name]
    return name


y = np.array([said(species[k]) for k in truth[:200]])
print(y[:8])

# %%
# The first model uses only rows with a species, which are mostly mammals. The others use all rows, with the infimum
# loss and with disambiguation.

named = np.isin(y, species)
settings = {"cost": tree, "weights": weights.KernelRidge(lam=1e-2, sigma=1.0)}
models = {
    "the rows with a species": PartialClassifier.paper(**settings).fit(X[:200][named], y[named]),
    "all 200 rows, infimum": PartialClassifier.paper(**settings).fit(X[:200], y),
    "all 200 rows, disambiguation": PartialClassifier.paper(principle="disambiguation", **settings).fit(X[:200], y),
}


def distance(a: str, b: str) -> int:
    """Edges between two species."""
    return len(set(ancestors(a)) ^ set(ancestors(b)))


# %%
# How far are the predictions from the true species, in edges of the tree? 0 is correct, 2 is a sibling, and 4 or more
# is the wrong kind of animal.

colours = {0: "#009E73", 2: "#E69F00", 3: "#E69F00"}
figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), sharey=True, layout="constrained")
for axis, (name, model) in zip(axes, models.items()):
    far = np.array([distance(a, species[k]) for a, k in zip(model.predict(X[200:]), truth[200:])])
    values, counts = np.unique(far, return_counts=True)
    axis.bar(values, counts / len(far), width=0.7, color=[colours.get(int(v), "#D55E00") for v in values])
    axis.set_title(f"{name}\nmean {far.mean():.2f} edges, {np.mean(far == 0):.0%} right")
    axis.set(xlabel="edges from the true species", xticks=range(6))
    axis.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("share of new rows")
plt.show()
