"""The style of the figures: one colour per method, legends beside the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito (2008), Color universal design: distinguishable with any kind of colour vision.
BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, YELLOW, GREY = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#777777",
)  # fmt: skip

METHODS: dict[str, dict[str, Any]] = {
    "infimum": {"color": VERMILION, "marker": "o", "label": "infimum (IL)"},
    "average": {"color": GREEN, "marker": "s", "label": "average (AC)"},
    "supremum": {"color": BLUE, "marker": "^", "label": "supremum (SP)"},
    "joint": {"color": PURPLE, "marker": "D", "label": "infimum, joint"},
}

SETTINGS: Any = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "figure.dpi": 100,
    "font.size": 9,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "lines.markersize": 4,
    "pdf.fonttype": 42,
    "savefig.dpi": 110,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}


def figure(columns: int = 1, rows: int = 1, size: tuple[float, float] = (3.4, 2.8), **kwargs: Any) -> tuple[Any, Any]:
    """Return a figure of panels with space for a legend, without a window and without global state."""
    from matplotlib.figure import Figure

    fig = Figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    return fig, fig.subplots(rows, columns, squeeze=False, **kwargs)


def legend(fig: Figure, ax: Axes | None = None, **kwargs: Any) -> None:
    """Add one legend for the whole figure, below the data."""
    handles: dict[str, Any] = {}
    for panel in [ax] if ax is not None else fig.axes:
        for handle, label in zip(*panel.get_legend_handles_labels()):
            handles.setdefault(label, handle)
    columns = kwargs.pop("ncols", min(4, len(handles)))
    fig.legend(list(handles.values()), list(handles), loc="outside lower center", ncols=columns, **kwargs)


def curve(ax: Axes, table: pd.DataFrame, **style: Any) -> None:
    """Draw means against the parameter, with bars of half a standard deviation in each direction as in the paper."""
    table = table.sort_values("parameter")
    ax.errorbar(table["parameter"], table["mean"], yerr=table["std"] / 2, capsize=2, elinewidth=0.8, **style)


def from_zero(*axes: Axes) -> None:
    """Start the vertical axis at zero, with space above the data; call it after everything is drawn."""
    top = 1.05 * max(ax.dataLim.y1 for ax in axes)
    for ax in axes:
        ax.set_ylim(0, top)


def table(cells: list[list[str]], header: list[str], widths: list[float] | None = None) -> Figure:
    """Return a table as a figure."""
    width = sum(widths) if widths else 1.25 * len(header)
    fig, axes = figure(size=(width, 0.34 * (len(cells) + 1) + 0.1))
    ax = axes[0, 0]
    ax.axis("off")
    shares = [w / width for w in widths] if widths else None
    drawn = ax.table(cells, colLabels=header, colWidths=shares, bbox=(0, 0, 1, 1), cellLoc="center", edges="horizontal")
    drawn.auto_set_font_size(False)
    drawn.set_fontsize(9)
    for (row, _), cell in drawn.get_celld().items():
        cell.set_edgecolor("#999999" if row == 0 else "#dddddd")
        if row == 0:
            cell.set_text_props(weight="bold")
    return fig
