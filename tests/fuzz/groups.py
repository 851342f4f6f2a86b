"""The groups of the campaign: a name, the strategy that writes its cases, and its share of them."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from infimum import PartialRanker, PartialRegressor
from small_search import SMALL_SEARCH

from . import alone, clients, labels, masks, orders, parameters, reals, saved, tables, tags, vectors, writes
from .contract import Case


@dataclass(frozen=True)
class Group:
    name: str
    cases: st.SearchStrategy[Case]
    share: float = 1.0
    """How many of its cases are run, against other groups."""
    fixed: int = 0
    """Its cases in a campaign of 100,000, beside those; 0 for a group that has a share of them."""


GROUPS = [
    Group("labels: columns", labels.written(), 3),
    Group("labels: bad cells", labels.hostile(), 2),
    Group("labels: masks", masks.unnamed(), 2),
    Group("labels: named masks", masks.named()),
    Group("labels: masks with gaps", masks.unknown_cells(), 0.5),
    Group("labels: no masks", masks.hostile(), 0.2),
    Group("tags: columns", tags.written(), 2),
    Group("tags: arrays", tags.arrays(), 1.5),
    Group("tags: named columns", tags.frames()),
    Group("tags: bad cells", tags.hostile(), 1.5),
    Group("orders: columns", orders.written(), 1.5),
    Group("orders: text", orders.texts()),
    Group("orders: frames of ranks", orders.rank_frames()),
    Group("orders: ranks and codes", orders.numbers()),
    Group("orders: names of PartialOrders", orders.named_orders(), 0.5),
    Group("orders: bad rows", orders.hostile()),
    Group("numbers: columns", reals.written(), 2),
    Group("numbers: bounds", reals.bounds(), 1.5),
    Group("numbers: values", reals.values()),
    Group("numbers: bad cells", reals.hostile(), 2),
    Group("numbers: scales", reals.scales()),
    Group("vectors: sets", vectors.written()),
    Group("vectors: values", vectors.values(), 0.5),
    Group("vectors: no sets", vectors.hostile(), 0.1),
    Group("X: extremes", tables.extremes()),
    Group("X: no tables", tables.hostile(), 0.5),
    Group("X: kinds of tables", tables.kinds()),
    Group("X: sample weights", tables.sample_weights(), 0.5),
    Group("X: chunks", tables.chunks(), 0.5),
    Group("parameters", parameters.hostile()),
    Group("parameters: names", parameters.names(), 0.5),
    Group("costs and taxonomies", parameters.costs(), 0.5),
    Group("rows alone", alone.features()),
    Group("long cells", alone.long_cells()),
    Group("saved models: damaged", saved.damaged(), 0.5),
    Group("saved models: edited", saved.edited(), 0.5),
    Group("writes: journal", writes.journals(), 0.4, fixed=600),
    Group("writes: files", writes.files(), 0.5, fixed=400),
    Group("requests to the studio", clients.requests(), 2, fixed=1000),
]


def warm() -> None:
    """Compile what is compiled at its first use, so that no case is charged for it."""
    PartialRanker(search_config=SMALL_SEARCH).fit([[0.0], [1.0]], ["a>b>c", [("b", "c")]]).predict([[0.5]])
    PartialRegressor(search_config=SMALL_SEARCH).fit([[0.0], [1.0]], [(1, 2), 3.0]).predict([[0.5]])
