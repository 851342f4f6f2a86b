"""
Values below a detection limit
==============================

Which wells are safe? A laboratory reports arsenic in µg/l, and "<5" if the value is below the detection limit of the
instrument. The usual way is to replace "<5" by half of the limit. A Tobit model treats it as censored, but is linear.
This tutorial fits the reported column as it is, and decides which wells to test again.
"""

# %%
# The file of the laboratory
# --------------------------
# The package ships an invented table of 200 wells. Three instruments have three detection limits. Health authorities
# set a guideline of 10 µg/l.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.optimize import minimize
from scipy.stats import norm
from sklearn.ensemble import RandomForestRegressor

from infimum import PartialRegressor
from infimum.datasets import example_file
from infimum.outputs import Reals
from infimum.plotting import COLOURS

wells = pd.read_csv(example_file("wells.csv"), dtype={"arsenic": str})
new = pd.read_csv(example_file("wells_new.csv"))
features = ["depth", "ph", "iron", "distance"]
print(wells["arsenic"].head(8).to_list())
print(f"{wells['arsenic'].str.startswith('<').mean():.0%} of the samples are below their detection limit")

# %%
# Concentrations vary by factors, so models work with logarithms. ``Reals`` parses the text into bounds: "<5" is the
# interval from minus infinity to 5, and a value has two equal bounds.

bounds = np.asarray(Reals().fit(wells["arsenic"]).read(wells["arsenic"]))[:, 0]
with np.errstate(divide="ignore"):
    y = np.log10(np.clip(bounds, 0, None))
X, X_new, truth = wells[features], new[features], np.log10(new["arsenic"])

# %%
# Half of the limit, a Tobit model, and the intervals
# ---------------------------------------------------
# The Tobit model is a linear regression with Gaussian errors. A censored sample contributes the probability that its
# value is below the limit.

censored = np.isneginf(y[:, 0])
half = np.where(censored, y[:, 1] - np.log10(2), y[:, 1])


def scaled(table: pd.DataFrame) -> np.ndarray:
    """Return a column of ones and the standardised features."""
    return np.column_stack([np.ones(len(table)), (table - X.mean()) / X.std()])


def loss(theta: np.ndarray) -> float:
    """Return minus the log-likelihood of the Tobit model."""
    z = (y[:, 1] - scaled(X) @ theta[:-1]) / np.exp(theta[-1])
    return -np.where(censored, norm.logcdf(z), norm.logpdf(z) - theta[-1]).sum()


tobit = minimize(loss, np.zeros(len(features) + 2)).x
predictions = {
    "half of the limit, random forest": RandomForestRegressor(random_state=0).fit(X, half).predict(X_new),
    "Tobit model": scaled(X_new) @ tobit[:-1],
    "intervals, infimum": PartialRegressor().fit(X, y).predict(X_new),
}
for name, z in predictions.items():
    print(f"{name:<34} RMSE {np.sqrt(np.mean((z - truth) ** 2)):.2f} (log10)")

# %%
# Arsenic is highest at a depth of about 30 m. A linear model cannot follow such a peak; if all effects are linear, a
# Tobit model is the simpler choice. Half of the limit pulls the low values together.

# %%
# Decide
# ------
# A well is called safe if the prediction is below the guideline. Unsafe wells that are called safe are the costly
# mistakes. Test a well again if its prediction is within a factor of two of the guideline.

guideline = np.log10(10)
for name, z in predictions.items():
    missed = np.sum((z < guideline) & (truth >= guideline))
    alarms = np.sum((z >= guideline) & (truth < guideline))
    print(f"{name:<34} {missed} unsafe wells called safe, {alarms} safe wells called unsafe")
z = predictions["intervals, infimum"]
again = np.abs(z - guideline) < np.log10(2)
wrong = (z < guideline) != (truth < guideline)
print(f"test again: {again.sum()} of {len(z)} wells, with {np.sum(again & wrong)} of {wrong.sum()} mistakes")

figure, axes = plt.subplots(1, 3, figsize=(10, 3.8), layout="constrained", sharex=True, sharey=True)
for axis, (name, z), colour in zip(axes, predictions.items(), ("0.5", COLOURS[1], COLOURS[0])):
    axis.axhline(10, color="0.8", lw=1)
    axis.axvline(10, color="0.8", lw=1)
    axis.plot([0.3, 100], [0.3, 100], ":", color="0.6", lw=1)
    axis.plot(10**truth, 10**z, ".", color=colour)
    axis.set(xscale="log", yscale="log", title=name, xlabel="measured, µg/l")
    axis.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("predicted, µg/l")
figure.suptitle("New wells: prediction and fine measurement. Grey lines: the guideline of 10 µg/l")
plt.show()
