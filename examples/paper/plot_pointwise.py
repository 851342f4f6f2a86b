"""
The example of Sec. 4.1 in exact fractions
==========================================

The example of Sec. 4.1 in exact fractions. There are three outputs a, b, c, and the true one is c. Only a distribution
of sets is observed: {a, b, c} with probability 5/8, and {c}, {a, c} and {b, c} with probability 1/8 each. Which output
does each principle choose?
"""

# %%
# `paper.theory` computes with fractions if the input contains fractions.

import matplotlib.pyplot as plt
import numpy as np

from infimum.paper import theory
from infimum.plotting import COLOURS

cost, sets, p, y = theory.pointwise_example()
for members, mass in zip(sets, p):
    print("{" + ", ".join(np.array(list("abc"))[members]) + "}", mass)

# %%
# The risk of every output under every principle. (The paper prints 3/2 for the supremum of c instead of 13/8; its
# conclusion holds.)

risks = {rule: theory.set_risk(cost, sets, p, rule) for rule in ("infimum", "average", "supremum")}
for rule, values in risks.items():
    print(
        f"{rule:9}", "  ".join(f"{z}: {v}" for z, v in zip("abc", values)), "  chosen:", "abc"[int(np.argmin(values))]
    )

# %%
# The distributions that are compatible with the sets form a polygon in the triangle of all distributions. The infimum
# selects the one with the least variability: all mass on c. The average selects a point in the middle, for which a is
# the best output.

corner = np.array([(0.5, np.sqrt(3) / 2), (0.0, 0.0), (1.0, 0.0)])


def plane(points):
    return np.asarray(points, dtype=float) @ corner


def polygon(axis, points, **settings):
    at = plane(points)
    middle = at.mean(axis=0)
    axis.fill(*at[np.argsort(np.arctan2(*(at - middle).T))].T, **settings)


figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained", width_ratios=(1.2, 1))
for k, region in enumerate(theory.decision_regions(cost)):
    polygon(left, region, color=COLOURS[k], alpha=0.25, lw=0)
    left.annotate("abc"[k], corner[k], corner[k] * 1.08 - 0.04, fontsize=15, ha="center", va="center")
polygon(left, theory.eligible_region(sets, p), fill=False, edgecolor="black", lw=2, label="possible distributions")
points = {"infimum": theory.least_variability(cost, sets, p).rho, "average": theory.average_distribution(sets, p)}
for (name, rho), marker, colour in zip(points.items(), "o^", ("black", "#D55E00")):
    left.plot(*plane([rho]).T, marker, ms=11, color=colour, label=f"{name}: {', '.join(map(str, rho))}", ls="")
left.set_aspect("equal")
left.axis("off")
left.legend(loc="upper left", frameon=False, fontsize=9, bbox_to_anchor=(-0.2, 1.0))
left.set_title("colours: the best output for each distribution", fontsize=11)
for k, (rule, values) in enumerate(risks.items()):
    heights = [float(v) for v in values]
    bars = right.bar(np.arange(3) + 0.27 * (k - 1), heights, 0.25, color=COLOURS[k], label=rule)
    bars[int(np.argmin(heights))].set(edgecolor="black", linewidth=2.5)
right.set_xticks(range(3), list("abc"))
right.set(title="risk of each output; framed: the smallest", ylabel="risk")
right.legend(frameon=False, loc="upper left")
right.spines[["top", "right"]].set_visible(False)
plt.show()
