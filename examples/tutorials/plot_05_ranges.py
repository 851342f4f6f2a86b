"""
Predict a number from ranges, with prediction intervals
=======================================================

How long does a ticket take? The column contains ranges such as ``10-20``, ``under 20`` or ``over 60``. The usual way
is to replace each range by its midpoint. This tutorial fits the ranges themselves and adds prediction intervals.
"""

# %%
# Ranges as people write them
# ---------------------------

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import make_pipeline

from infimum import Features, PartialRegressor
from infimum.conformal import Conformal
from infimum.datasets import example_file
from infimum.outputs import Reals
from infimum.plotting import COLOURS

tickets = pd.read_csv(example_file("tickets.csv"), dtype={"minutes": str})
new = pd.read_csv(example_file("tickets_new.csv"))
X, y = tickets.drop(columns=["label", "minutes"]), tickets["minutes"]
print(y.head(8).to_list())

# %%
# Two models
# ----------
# Midpoints need an end for open ranges; here twice the lower bound, a common choice.

model = make_pipeline(Features(), PartialRegressor()).fit(X, y)
bounds = np.asarray(Reals().fit(y).read(y))[:, 0]
middle = (np.nan_to_num(bounds[:, 0]) + np.nan_to_num(bounds[:, 1])) / 2
middle = np.where(np.isposinf(bounds[:, 1]), 1.5 * bounds[:, 0], middle)
middle = np.where(np.isneginf(bounds[:, 0]), bounds[:, 1] / 2, middle)
known = y.notna().to_numpy()
forest = make_pipeline(Features(), RandomForestRegressor(random_state=0)).fit(X[known], middle[known])
truth = new["minutes"].to_numpy()
for name, one in (("midpoints, random forest", forest), ("ranges, infimum", model)):
    error = np.sqrt(np.mean((one.predict(new[X.columns]) - truth) ** 2))
    print(f"{name:<26} RMSE {error:.1f} minutes")

# %%
# Prediction intervals
# --------------------
# Conformal prediction holds 30 % of the rows out. To cover the true value it uses the farthest point of each range,
# and a tenth of open ranges would already make it unbounded. The level 0.6 is what these ranges support.

conformal = Conformal(make_pipeline(Features(), PartialRegressor()), confidence_level=0.6).fit(X[known], y[known])
ends = np.asarray(conformal.predict_set(new[X.columns]))[:, 0]
print(f"{np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])):.0%} of the true times are inside, level 60 %")

# %%
# Decide
# ------
# Plan by the prediction, and keep a reserve if the interval is wide. The figure shows the predictions of the calibrated
# model, which was fitted to 70 % of the rows.

z = conformal.predict(new[X.columns])
order = np.argsort(z)
figure, axis = plt.subplots(figsize=(8, 4.2), layout="constrained")
finite = np.clip(ends, 0, 250)
axis.vlines(np.arange(len(z)), finite[order, 0], finite[order, 1], color="0.85", lw=4, label="60 % prediction interval")
axis.plot(z[order], color=COLOURS[0], lw=2.5, label="prediction")
axis.plot(truth[order], ".", color=COLOURS[1], label="true time")
axis.set(xlabel="new tickets, by prediction", ylabel="minutes", ylim=(0, 200))
axis.spines[["top", "right"]].set_visible(False)
axis.legend(frameon=False)
plt.show()
