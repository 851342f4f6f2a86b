"""
Image segmentation from scribbles
=================================

Outlining an object in an image takes minutes, scribbling on it takes seconds. A row is a crop of 10 × 10 pixels. Its
label marks a few pixels as "flower" or "not flower", and all others are unknown. Neighbouring pixels are coupled, and
every prediction is an exact minimum cut.
"""

# %%
# The image of a dahlia in scikit-learn, made smaller and noisy. The true mask contains the pixels of the clean image
# that are redder than green.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

from infimum import PartialEstimator, weights
from infimum.outputs import Masks

rng = np.random.default_rng(0)
colours = load_sample_image("flower.jpg")[::4, ::4].astype(float)[:100, :160]
truth = colours[..., 0] > colours[..., 1] + 20
noisy = colours.mean(axis=2) + 50 * rng.standard_normal(truth.shape)


def crops(picture: np.ndarray, corners: np.ndarray) -> np.ndarray:
    return np.array([picture[i : i + 10, j : j + 10].ravel() for i, j in corners])


# %%
# In every crop of the left half, two short lines of pixels are known: 1 is flower, -1 is background, 0 is unknown.

corners = np.column_stack([rng.integers(0, 91, 400), rng.integers(0, 71, 400)])
signs = np.where(crops(truth, corners), 1, -1).reshape(-1, 10, 10)
strokes = np.zeros_like(signs)
for k in range(len(corners)):
    for _ in range(2):
        i, j = rng.integers(0, 10), rng.integers(0, 6)
        strokes[k, i, j : j + 5] = signs[k, i, j : j + 5]
print(f"known pixels: {np.mean(strokes != 0):.0%}")

# %%
# The right half is new to the model. Without coupling, every pixel is predicted on its own. With coupling, contours
# have a cost.

right = np.array([(i, j) for i in range(0, 91, 10) for j in range(80, 151, 10)])
kernel = weights.KernelRidge(lam=1e-3, gamma=1e-7)
images = {"new image": noisy[:, 80:]}
for name, tie in (("without coupling", 0.0), ("with coupling", 0.1)):
    model = PartialEstimator.paper(Masks((10, 10), tie=tie), weights=kernel)
    z = np.asarray(model.fit(crops(noisy, corners), strokes.reshape(len(corners), -1)).predict(crops(noisy, right)))
    found = np.zeros((100, 80))
    for (i, j), crop in zip(right, z.reshape(-1, 10, 10)):
        found[i : i + 10, j - 80 : j - 70] = crop
    images[f"{name}: {np.mean((found > 0) == truth[:, 80:]):.1%} correct"] = found
images["true mask"] = truth[:, 80:]

figure, axes = plt.subplots(1, 4, figsize=(12, 4.2), layout="constrained")
for axis, (name, image) in zip(axes, images.items()):
    axis.imshow(image, cmap="gray")
    axis.set_title(name, fontsize=11)
    axis.axis("off")
plt.show()
