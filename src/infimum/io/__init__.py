"""Read tables and exports of annotation tools as rows with partial labels, and write them.

Ambiguous answers raise `MeaningError`, which shows rows of the file and the result of each choice for them.
"""

from typing import Any

from ._meaning import MeaningError
from ._records import Records
from .argilla import read_argilla, write_argilla
from .doccano import read_doccano, write_doccano
from .label_studio import read_label_studio, write_label_studio
from .prodigy import read_prodigy, write_prodigy
from .survival import (
    from_censored_data,
    from_durations,
    to_bounds,
    to_censored_data,
    to_durations,
    to_interval_array,
    to_survival,
)
from .tables import read_table, write_table
from .votes import not_vote, read_votes, write_votes
from .zooniverse import read_zooniverse, write_zooniverse

__all__ = [
    "TRUSTED_TYPES",
    "MeaningError",
    "Records",
    "from_censored_data",
    "from_durations",
    "not_vote",
    "read_argilla",
    "read_doccano",
    "read_label_studio",
    "read_prodigy",
    "read_table",
    "read_votes",
    "read_zooniverse",
    "to_bounds",
    "to_censored_data",
    "to_durations",
    "to_interval_array",
    "to_survival",
    "write_argilla",
    "write_doccano",
    "write_label_studio",
    "write_prodigy",
    "write_table",
    "write_votes",
    "write_zooniverse",
]


def __getattr__(name: str) -> Any:
    if name == "TRUSTED_TYPES":  # listing them imports most of the library
        from .trusted import TRUSTED_TYPES

        return TRUSTED_TYPES
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
