"""
Label sequences from partial annotation
=======================================

Each token of a sequence has a label, and annotators have labelled only some of them. This example simulates nights of
sleep: a stage per epoch, and two noisy measurements. An expert has labelled a third of the epochs. For another third
it is only known that the sleeper was, or was not, awake.

The stages follow each other in known ways, so the label of an epoch also depends on its neighbours.
"""

# %%
# Simulated nights
# ----------------
# Stages last for several epochs. Light sleep comes before deep sleep and after it.
import matplotlib.pyplot as plt
import numpy as np

from infimum import Not, PartialSequenceTagger

STAGES = np.array(["awake", "deep", "light"])
STEPS = {"awake": [0.8, 0.0, 0.2], "deep": [0.0, 0.85, 0.15], "light": [0.1, 0.2, 0.7]}
LEVELS = {"awake": (2.0, 1.0), "deep": (0.0, -1.0), "light": (0.8, 0.0)}


def night(rng, length):
    stages = ["awake"]
    while len(stages) < length:
        stages.append(str(rng.choice(STAGES, p=STEPS[stages[-1]])))
    return np.array([LEVELS[s] for s in stages]) + rng.normal(scale=1.0, size=(length, 2)), stages


def annotated(stage, rng):
    """A label, whether the sleeper was awake, or nothing."""
    return [stage, "awake" if stage == "awake" else Not("awake"), None][rng.integers(3)]


rng = np.random.default_rng(0)
nights = [night(rng, int(n)) for n in rng.integers(40, 90, 60)]
X, truth = [x for x, _ in nights], [stages for _, stages in nights]
y = [[annotated(stage, rng) for stage in stages] for stages in truth[:40]]

# %%
# Fit with known transitions
# --------------------------
# Nobody falls from waking directly into deep sleep. The other transitions are learned.
allowed = {None: ["awake"], "awake": ["awake", "light"], "deep": ["deep", "light"]}
model = PartialSequenceTagger(transitions=allowed).fit(X[:40], y)
print(f"share of right labels, new nights: {model.score(X[40:], truth[40:]):.3f}")

# %%
# The same model for single epochs
# --------------------------------
# If each epoch is a sequence of its own, nothing is known about its neighbours.
single = PartialSequenceTagger().fit([x[None] for night in X[:40] for x in night], [[c] for row in y for c in row])
new = [x[None] for night in X[40:] for x in night]
print(f"epochs by themselves: {single.score(new, [[s] for row in truth[40:] for s in row]):.3f}")

# %%
# One night
# ---------
# The probabilities are those of single epochs, given the whole night.
P, stages = model.predict_proba(X[40:41])[0], model.predict(X[40:41])[0]
fig, (top, bottom) = plt.subplots(2, sharex=True, figsize=(8, 4))
top.stackplot(np.arange(len(P)), P.T, labels=model.classes_, alpha=0.7)
top.set(ylabel="probability", ylim=(0, 1))
top.legend(loc="upper right", fontsize="small")
order = ["deep", "light", "awake"]
bottom.step(np.arange(len(P)), [order.index(s) for s in truth[40]], where="mid", label="true", color="grey", lw=3)
bottom.step(np.arange(len(P)), [order.index(s) for s in stages], where="mid", label="predicted", color="C3")
bottom.set(yticks=range(3), yticklabels=order, xlabel="epoch")
bottom.legend(loc="upper right", fontsize="small")
fig.tight_layout()
plt.show()
