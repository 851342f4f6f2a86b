"""Figures: Display classes with `from_…` constructors, as in scikit-learn; matplotlib is imported on first use."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .disambiguation import Disambiguation, DisambiguationResult
from .evidence.calibration import Reliability, reliability
from .outputs.of_model import space_of

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
"""Colours that colour-blind readers can distinguish (Okabe and Ito, 2008)."""

LABELS = {
    "log_likelihood": "held-out log-likelihood of the sets",
    "neg_set_risk": "held-out set risk, negated",
    "covering_rate": "held-out covering rate",
    "chance_corrected": "held-out covering rate beyond chance",
}


class Display:
    """A figure and its axes.

    Attributes
    ----------
    figure_ : Figure of matplotlib
    axes_ : Axes of matplotlib, or an array of them
    """

    def __init__(self, ax: Any = None, size: tuple[float, float] = (6.4, 3.0), panels: int = 1, **settings: Any):
        import matplotlib.pyplot as plt

        if ax is None:
            self.figure_, self.axes_ = plt.subplots(1, panels, figsize=size, layout="constrained", **settings)
        else:
            self.figure_, self.axes_ = np.ravel(ax)[0].figure, ax


class SearchDisplay(Display):
    """The path of a `PartialSearch`: scores against gamma, a panel for each kernel and scaling, a line for each model.

    Attributes
    ----------
    figure_, axes_
        Of matplotlib.
    """

    @classmethod
    def from_search(cls, search: Any, score: str | None = None) -> Self:
        """Draw the path of a fitted search; `score` is the one that settings were compared by, unless it is named."""
        path = {name.removeprefix("param_"): values for name, values in search.cv_results_.items()}
        path["principle"] = np.array(list(map(_with_rule, path["principle"], path["negative_weights"])))
        principles, lams = list(dict.fromkeys(path["principle"])), np.unique(path["lam"])
        score = score or search.scoring_
        panels = list(dict.fromkeys(zip(path["scaling"], path["kernel"])))
        display = cls(None, (2.6 * len(panels) + 1, 3.2), len(panels), sharey=True, squeeze=False)
        display.axes_ = display.axes_[0]
        for axis, (scaling, kernel) in zip(display.axes_, panels):
            here = (path["scaling"] == scaling) & (path["kernel"] == kernel)
            for p, principle in enumerate(principles):
                for k, lam in enumerate(lams):
                    rows = np.flatnonzero(here & (path["principle"] == principle) & (path["lam"] == lam))
                    rows = rows[np.argsort(path["gamma"][rows])]
                    axis.plot(
                        path["gamma"][rows], path[f"mean_test_{score}"][rows], "o-", color=COLOURS[p % len(COLOURS)],
                        alpha=(k + 1) / len(lams), label=f"{principle}, lam = {lam:g}",
                    )  # fmt: skip
            axis.set(title=f"{kernel}, {scaling}", xlabel="gamma × median distance", xscale="log")
            axis.set_xticks(np.unique(path["gamma"]), [f"{g:g}" for g in np.unique(path["gamma"])], minor=False)
            axis.minorticks_off()
        display.axes_[0].set_ylabel(LABELS[score])
        best = search.best_params_
        display._mark(best, panels, path[f"mean_test_{score}"][search.best_index_])
        return display

    def _mark(self, best: dict, panels: list[tuple], value: float) -> None:
        """Draw a ring around the selected setting, and one legend for all panels."""
        axis = self.axes_[panels.index((best["scaling"], best["kernel"]))]
        axis.scatter(best["gamma"], value, s=160, facecolors="none", edgecolors="black", label="selected", zorder=3)
        handles, labels = axis.get_legend_handles_labels()
        self.figure_.legend(handles, labels, loc="outside right upper", frameon=False)


class DisambiguationDisplay(Display):
    """Histograms of the confidence in the estimated labels and of the support of the candidate sets.

    Attributes
    ----------
    figure_, axes_
        Of matplotlib.
    """

    @classmethod
    def from_result(cls, resolved: DisambiguationResult, threshold: float | None = None) -> Self:
        """Draw the confidences and the supports P(S_i); rows left of the threshold are suspects."""
        if resolved.confidence is None or resolved.support is None:
            raise ValueError(
                "The figure requires confidence and support. Use Disambiguation(kind='soft', threshold=0.1)."
            )
        threshold = Disambiguation().threshold if threshold is None else threshold
        display = cls(None, (8, 3), 2, sharey=True)
        bins = np.linspace(0, 1, 21)
        for axis, values, name in zip(
            display.axes_,
            (resolved.confidence, resolved.support),
            ("confidence in the label", "support of the candidate set"),
        ):
            axis.hist(np.clip(values, 0, 1), bins, color=COLOURS[0])
            axis.set(xlabel=name, xlim=(0, 1))
        display.axes_[0].set_ylabel("rows")
        display.axes_[1].axvline(threshold, color=COLOURS[5])
        display.axes_[1].set_title(f"{len(resolved.suspects)} suspects", color=COLOURS[5])
        display.axes_[0].set_title(f"{len(resolved.tied)} tied rows")
        return display


class ExplanationDisplay(Display):
    """Bar chart of an `Explanation`: the rows that contribute most to a prediction or to its alternative.

    Attributes
    ----------
    figure_, axes_
        Of matplotlib.
    """

    @classmethod
    def from_explanation(cls, explanation: Any, k: int = 8, ax: Any = None) -> Self:
        """Draw the k largest contributions, and the sum of all others."""
        display = cls(ax, (6.4, 0.32 * k + 1.2))
        ax = display.axes_
        table = explanation.table(k)
        values = [line["contribution"] for line in table]
        names = [f"row {line['row']}: {line['set']}"[:48] for line in table]
        rest = explanation.margin - sum(values)
        values, names = [*values, rest], [*names, "all other rows"]
        ax.barh(range(len(values)), values, color=[COLOURS[0] if v > 0 else COLOURS[5] for v in values])
        ax.set_yticks(range(len(names)), [_plain(name) for name in names])
        ax.invert_yaxis()
        ax.axvline(0, color="gray", lw=0.8)
        ax.set_xlabel(_plain(f"for {explanation.text_against}  ←  contribution  →  for {explanation.text}"))
        return display


class IdentifiabilityDisplay(Display):
    """Figure of an `Identifiability`: how often z is possible if y is the true label, and eta around the rows.

    Attributes
    ----------
    figure_, axes_
        Of matplotlib.
    """

    @classmethod
    def from_identifiability(cls, found: Any, axes: Any = None) -> Self:
        """Draw the degrees P(z in S | y), as a matrix for labels and as bars for tags and items."""
        display = cls(axes, (9, 3.6), 2, width_ratios=[3, 2])
        axes = display.axes_
        (display._matrix if len(found.choices.names) == 1 else display._bars)(found, axes[0])
        if found.eta.size:
            axes[1].hist(found.eta.ravel(), np.linspace(0, 1, 21), color=COLOURS[0])
        axes[1].set(xlabel="η around x; 0 if two labels remain possible", ylabel="rows", xlim=(0, 1))
        return display

    def _matrix(self, found: Any, ax: Any) -> None:
        value, names = found.degrees.value[0], [_plain(name[:16]) for name in found.choices.options[0]]
        picture = ax.imshow(value, vmin=0, vmax=1, cmap="Blues")
        every = max(1, len(names) // 16)
        ax.set_xticks(range(0, len(names), every), names[::every], rotation=60, ha="right")
        ax.set_yticks(range(0, len(names), every), names[::every])
        ax.set(xlabel="z", ylabel="y, the probable label", title="P(z in S | y)")
        self.figure_.colorbar(picture, ax=ax)

    def _bars(self, found: Any, ax: Any) -> None:
        """Draw how often each tag or comparison is unknown, for each true value."""
        value = found.degrees.value
        worst = np.argsort(-np.nan_to_num(np.fmax(value[:, 0, 1], value[:, 1, 0])), kind="stable")[:12]
        names, options = [_plain(found.choices.names[g][:24]) for g in worst], found.choices.options
        for k, (y, z) in enumerate(((0, 1), (1, 0))):
            said = ("first before second", "second before first")[y] if found.choices.compares_items else options[0][y]
            at = np.arange(len(worst)) + 0.36 * (k - 0.5)
            ax.barh(at, np.nan_to_num(value[worst, y, z]), 0.34, color=COLOURS[k], label=f"true value: {said}")
        ax.set_yticks(range(len(worst)), names)
        ax.invert_yaxis()
        ax.set(xlim=(0, 1), xlabel="share of rows in which it is unknown")
        ax.legend(frameon=False, loc="lower right", fontsize="small")


def _plain(text: str) -> str:
    """Escape text that matplotlib would render as a formula."""
    return text.replace("$", r"\$")


class SelectionDisplay(Display):
    """Scores of the models that ``"auto"`` compared, one line of points per principle; the selected one is circled.

    Points further left are better. The axis is the held-out set risk, or minus the held-out log-likelihood of the sets
    if models were selected by it.

    Attributes
    ----------
    figure_, axes_
        Of matplotlib.
    """

    @classmethod
    def from_selection(cls, choice: Any, ax: Any = None) -> Self:
        """Draw a `SelectionResult`: scores on the rows that the last comparison was made on."""
        display = cls(ax)
        ax = display.axes_
        best = choice.best
        results = [one for one in choice.results if one.n == best.n]
        lines = list(dict.fromkeys(_with_rule(one.principle, one.negative_weights) for one in results))

        def place(one: Any) -> tuple[float, int]:
            return -getattr(one, choice.scoring), lines.index(_with_rule(one.principle, one.negative_weights))

        for f, family in enumerate(dict.fromkeys(one.weights for one in results)):
            x, y = zip(*(place(one) for one in results if one.weights == family))
            ax.plot(x, y, "o", ls="", color=COLOURS[f % len(COLOURS)], alpha=0.6, label=family)
        ax.plot(*place(best), "o", ms=14, mfc="none", mec="black", label="selected")
        label = {"neg_set_risk": "held-out set risk", "log_likelihood": "minus log P(S), held out"}[choice.scoring]
        ax.set(xlabel=f"{label}, {best.n} rows", ylim=(len(lines) - 0.5, -0.5))
        ax.set_yticks(range(len(lines)), lines)
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
        return display


def _with_rule(principle: str, negative_weights: str) -> str:
    """Return a principle, with the rule for negative weights unless it is the default one."""
    return f"{principle}, joint" if negative_weights == "joint" else principle


class ReliabilityDisplay(Display):
    """Reliability diagram of predicted probabilities, without true labels.

    A bar goes from the share of rows whose only candidate is the most probable label to the share of rows that have it
    as a candidate. The accuracy lies on the bar. The point is the accuracy if sets are coarsened at random. The bars of
    calibrated probabilities cross the diagonal.

    Attributes
    ----------
    reliability_ : Reliability
        The numbers that are drawn.
    figure_, axes_
        Of matplotlib.
    """

    reliability_: Reliability

    @classmethod
    def from_estimator(cls, model: Any, X: Any, y: Any, n_bins: int = 10, ax: Any = None, **style: Any) -> Self:
        """Draw the reliability of `predict_proba` of a fitted model, on rows that were not used in `fit`."""
        P = np.asarray(model.predict_proba(X))
        mask = space_of(model).read(y).options()
        if mask is None:
            raise ValueError(f"A reliability diagram requires a model of labels or tags. Got {type(model).__name__}.")
        if mask.shape[1] > 1 or mask.shape[-1] != P.shape[-1]:  # tags: P(tag), (n, m)
            P = np.stack([1 - P, P], axis=-1)
        return cls.from_predictions(P.reshape(mask.shape), mask, n_bins, ax, **style)

    @classmethod
    def from_predictions(cls, P: NDArray, mask: NDArray, n_bins: int = 10, ax: Any = None, **style: Any) -> Self:
        """Draw the reliability of probabilities and candidates, both (n, c) or (n, g, c)."""
        display = cls(ax, (4.2, 4.0))
        display.reliability_ = found = reliability(P, mask, n_bins)
        ax = display.axes_
        style = {"color": COLOURS[0], **style}
        ax.plot([0, 1], [0, 1], color="0.7", lw=1, zorder=0)
        ax.vlines(found.confidence, found.low, found.high, lw=5, alpha=0.35, color=style["color"])
        ax.plot(found.confidence, found.expected, "o", ms=5, ls="", **style)
        ax.set(xlabel="predicted probability of the most probable label", ylabel="share of correct labels")
        ax.set(xlim=(0, 1.02), ylim=(0, 1.02))
        ax.set_aspect("equal")
        return display


class RiskCoverageDisplay(Display):
    """Risk-coverage curve: the loss of the accepted rows against their share, at best and at worst given the sets.

    Attributes
    ----------
    figure_, axes_
        Of matplotlib.
    """

    @classmethod
    def from_curve(cls, curve: Any, ax: Any = None, **style: Any) -> Self:
        """Draw a `RiskCoverage`, the result of `Conformal.risk_coverage`."""
        display = cls(ax, (5.2, 3.4))
        ax = display.axes_
        style = {"color": COLOURS[0], **style}
        exact = np.allclose(curve.low, curve.high)
        ax.plot(curve.coverage, curve.low, "-" if exact else "--", **style)
        if not exact and np.isfinite(curve.high).any():
            ax.fill_between(curve.coverage, curve.low, curve.high, color=style["color"], alpha=0.2, lw=0)
        ax.set(xlabel="share of accepted rows", ylabel="mean loss of accepted rows", xlim=(0, 1.02))
        ax.set_ylim(bottom=0)
        return display
