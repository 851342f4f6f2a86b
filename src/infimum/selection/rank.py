"""Ranking: which of the settings that were judged are better, and which may still turn out to be."""

from __future__ import annotations

from math import isnan

from ..weights.wrappers import is_relevant

KEPT = 3  # settings a principle that go on to more rows
HOPELESS = 1.3  # times the least risk: principles beyond are not followed
CLEARLY = 1.5  # standard errors of a difference: what is worse by less may be as good
HARDLY = 0.5  # standard errors of a difference of likelihoods: what is worse by less is as good
NOTHING = 1e-3  # of a nat: relevances must gain more
FAMILIES = ("kernel", "linear", "forest", "neighbors")  # of what may be as good, the first


class Ranking:
    """Settings by what became of the same rows.

    Settings of a principle go by its own score, principles by the set risk. The risk is what the infimum makes small,
    right or wrong, and among many settings one is lucky: where the candidates can be weighed, so that there is a
    likelihood, the likeliest goes first unless its risk is clearly larger than the least. Where sets have a probability
    around any prediction, as numbers have, it alone decides: the risk does not know where in a set the truth is.

    Parameters
    ----------
    rows : list of dict
        Settings, their scores, and as "each" what became of every row.
    strict : bool, default False
        Whether the largest likelihood goes first, be it by a hair; else the smoothest of those that are hardly less
        likely.
    has_laws : bool, default False
        Whether likelihoods compare all principles.
    """

    def __init__(self, rows: list[dict], strict: bool = False, has_laws: bool = False):
        self.rows, self.strict, self.has_laws = rows, strict, has_laws
        self.unit = max(abs(row["neg_set_risk"]) for row in rows) or 1.0
        groups: dict[str, list[dict]] = {}
        for row in rows:
            groups.setdefault(f"{row['principle']!r}, {row['negative_weights']}, {row['weights']}", []).append(row)
        self.groups = [self.ranked(group) for group in groups.values()]

    def best(self) -> dict:
        tops = [group[0] for group in self.groups]
        least = min(tops, key=lambda row: (self.risk(row), _place(row)))
        soft = [
            row for row in tops if is_soft(row) and (self.has_laws or not row["each"].is_worse(least["each"], CLEARLY))
        ]
        if not soft:
            return least
        likely = max(soft, key=lambda row: row["log_likelihood"])
        near = [row for row in soft if not row["each"].is_worse(likely["each"], CLEARLY, likely=True)]
        return min(near, key=lambda row: (_place(row), -row["log_likelihood"]))

    def ranked(self, group: list[dict]) -> list[dict]:
        """Best first: by the likelihood where there is one, else by the set risk; of equals, the smoothest."""
        if not all(map(is_soft, group)):
            return sorted(group, key=lambda row: (self.risk(row), *_rough(row)))
        best = max(group, key=lambda row: row["log_likelihood"])

        def place(row: dict) -> tuple:
            slack = NOTHING if is_relevant(best["scaling"]) and not is_relevant(row["scaling"]) else 1e-12
            near = not self.strict and not row["each"].is_worse(best["each"], HARDLY, True, slack)
            return (0, *_rough(row), -row["log_likelihood"]) if near else (1, -row["log_likelihood"], *_rough(row))

        return sorted(group, key=place)

    def followed(self) -> list[list[dict]]:
        """The groups that may still win, each ranked."""
        tops = [group[0] for group in self.groups]
        least = min(map(self.risk, tops))
        likeliest = max(filter(is_soft, tops), key=lambda row: row["log_likelihood"], default=tops[0])

        def is_near(row: dict) -> bool:
            likely = is_soft(row) and not row["each"].is_worse(likeliest["each"], CLEARLY, likely=True)
            return likely or self.risk(row) <= HOPELESS * least

        if self.has_laws:
            return [group for group in self.groups if not group[0]["each"].is_worse(likeliest["each"], CLEARLY, True)]
        return [group for group in self.groups if is_near(group[0])]

    def kept(self) -> list[dict]:
        """The few of every group that is followed that are not clearly worse than its best."""
        found = []
        for best, *others in (group[:KEPT] for group in self.followed()):
            likely = is_soft(best)
            found += [best, *(one for one in others if not one["each"].is_worse(best["each"], CLEARLY, likely))]
        return found

    def promises(self, row: dict) -> bool:
        """Whether a setting that looks better than it is looks better than all others of its principle."""
        same = [
            one
            for one in self.rows
            if (one["principle"], one["negative_weights"]) == (row["principle"], row["negative_weights"])
        ]
        score = "log_likelihood" if is_soft(row) else "neg_set_risk"
        return not same or row[score] > max(one[score] for one in same)

    def risk(self, row: dict) -> float:
        """The set risk, in units of the largest: what differs by rounding only is equal."""
        return round(-row["neg_set_risk"] / self.unit, 9)


def is_soft(row: dict) -> bool:
    """Whether candidates were weighed, so that sets have a likelihood."""
    return not isnan(row["log_likelihood"])


def _rough(row: dict) -> tuple[float, float, float]:
    """Smaller for smoother settings: features as they are, a large lam, then a wide kernel."""
    lam, gamma = (0.0 if isnan(row[name]) else row[name] for name in ("lam", "gamma"))
    return is_relevant(row["scaling"]), -lam, gamma


def _place(row: dict) -> int:
    return FAMILIES.index(row["weights"]) if row["weights"] in FAMILIES else len(FAMILIES)
