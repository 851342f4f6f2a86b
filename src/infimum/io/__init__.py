"""Files of annotation tools and tables, read into rows that the estimators take, and written back.

Meaning is never guessed: where a file does not settle it, the error shows its rows and what each choice makes of them.
"""

from ._meaning import MeaningError
from ._records import Records
from .label_studio import read_label_studio, write_label_studio

__all__ = ["MeaningError", "Records", "read_label_studio", "write_label_studio"]
