"""A small table of images, to try the studio."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

N_IMAGES = 400
SCALE = 12  # the digits of scikit-learn have 8 x 8 pixels


def demo_table(folder: Path | None = None) -> Path:
    """Write images of the digits of scikit-learn and a table that names them; return the table.

    Parameters
    ----------
    folder : path, optional
        Where to write; by default a new folder for temporary files.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("The demo requires Pillow. Install it with pip install pillow.") from error
    from sklearn.datasets import load_digits

    data = load_digits()
    folder = Path(tempfile.mkdtemp(prefix="infimum-demo-")) if folder is None else folder
    (folder / "images").mkdir(parents=True, exist_ok=True)
    for k in range(N_IMAGES):
        image = Image.fromarray((255 - data.images[k] * 15.9).astype("uint8"))
        image.resize((8 * SCALE, 8 * SCALE), Image.Resampling.BICUBIC).save(folder / "images" / f"{k:03}.png")
    path = folder / "digits.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "image", "label"])
        writer.writerows([f"D{k:03}", f"images/{k:03}.png", ""] for k in range(N_IMAGES))
    return path
