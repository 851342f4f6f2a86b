"""Cells that are paths of images in the folder of a table."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
         ".bmp": "image/bmp"}  # fmt: skip


def are_images(cells: list) -> bool:
    """Return whether most cells that are not empty are paths of images.

    >>> are_images(["a.png", "b.jpg", None, "/etc/passwd"]), are_images(["a.png", "b", "c"])
    (True, False)
    """
    filled = [cell for cell in cells if isinstance(cell, str) and cell]
    return 2 * sum(Path(cell).suffix.lower() in TYPES for cell in filled) > len(filled)


def image_file(folder: Path, cell: Any) -> tuple[Path, str] | None:
    """Return the file and the type of an image; None unless it is a file in the folder."""
    root = folder.resolve()
    try:
        found = (root / str(cell or "")).resolve()
        is_inside = found.is_relative_to(root) and found.is_file()
    except (OSError, ValueError, RuntimeError):  # a loop of links, a null byte, a name that is too long
        return None
    kind = TYPES.get(found.suffix.lower())
    return (found, kind) if kind and is_inside else None


def read_image(path: Path, side: int) -> Any:
    """Return a decoded image of Pillow, large JPEG files at a smaller size of at least `side` pixels.

    A file that is not an image, or is too large to be safe, raises ValueError.
    """
    from PIL import Image

    try:
        with Image.open(path) as image:
            image.draft("RGB", (side, side))
            image.load()
            return image.copy()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"{path.name} cannot be read as an image: {error}") from error


def thumbnail(path: Path, side: int = 96) -> bytes:
    """Return a PNG of at most `side` pixels in width and height."""
    image = read_image(path, side)
    image.thumbnail((side, side))
    out = BytesIO()
    image.convert("RGB").save(out, "PNG", optimize=True)
    return out.getvalue()
