"""Figures of matplotlib as SVG in the report, with text in the colour of the page, light or dark."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ._page import Markup, tag

INK = "#123456"  # replaced by the colour of the text of the page
LOOKS: dict[Any, Any] = {
    "svg.fonttype": "none", "text.parse_math": False, "font.family": "sans-serif", "font.size": 10,
    "text.color": INK, "axes.edgecolor": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.titlecolor": INK, "axes.facecolor": "none", "figure.facecolor": "none", "savefig.facecolor": "none",
    "axes.spines.top": False, "axes.spines.right": False, "axes.titlesize": 10, "legend.labelcolor": INK,
}  # fmt: skip
USED = re.compile(r'(?:url\(#|href="#)([\w-]+)')
IDS = re.compile(r' id="([\w.-]+)"')


@contextmanager
def looks(salt: str) -> Iterator[None]:
    """Set the style and backend of matplotlib."""
    import matplotlib
    from matplotlib import rc_context

    backend = matplotlib.get_backend()
    with rc_context({**LOOKS, "svg.hashsalt": salt}):
        matplotlib.use("svg", force=True)
        try:
            yield
        finally:
            matplotlib.use(backend, force=True)


def axes(height: float = 2.6, **settings: Any) -> tuple[Any, Any]:
    """Return a figure that fits every screen, and its axes."""
    import matplotlib.pyplot as plt

    drawn, ax = plt.subplots(figsize=(5, height), layout="constrained")
    ax.set(**settings)
    return drawn, ax


def figure(draw: Callable[[], Any], name: str, caption: str) -> Markup:
    """Return the figure that `draw` returns, with a caption."""
    return tag("figure", svg(draw, name), tag("figcaption", caption))


def svg(draw: Callable[[], Any], name: str) -> Markup:
    """Return the figure as SVG; its ids begin with its name, so several fit on one page."""
    import matplotlib.pyplot as plt

    with looks(name):
        drawn = draw()
        file = io.StringIO()
        drawn.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
        plt.close(drawn)
    text = file.getvalue()
    text = text[text.index("<svg") :].replace(INK, "currentColor").replace("#000000", "currentColor")
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    used = set(USED.findall(text))
    text = IDS.sub(lambda m: f' id="{name}-{m[1]}"' if m[1] in used else "", text)
    text = USED.sub(lambda m: m[0].replace("#" + m[1], f"#{name}-{m[1]}"), text)
    return Markup(text.replace("<svg ", '<svg role="img" aria-label="figure" ', 1))
