"""Parameters that the docstrings of several readers and writers share."""

from ..data.shared_docs import SharedDocs

FILES = SharedDocs("""
path : path
    The file.
meaning : {"one_of", "all_of", "known_tags"}, optional
    What several names in one answer mean: one of them is the label, all of them are present, or all of them are
    present and the others are unknown.
unticked : {"no", "unknown"}, optional
    Whether names that are not selected are absent or unknown, for tags. Required if the file is ambiguous.
skipped : {"unknown", "drop"}, optional
    Whether skipped rows and empty answers are unlabelled rows or are left out. Required if there are any.
annotators : {"rows", "intersect", "union", "vote"}, optional
    How several answers about one row are combined. "rows" keeps a row for every answer. "intersect" assumes that
    all annotators are right, "union" that one of them is, and "vote" takes the most frequent answer.
conflict : {"error", "unknown", "union", "vote", "drop"}
    What happens to rows whose annotators contradict each other; "error" raises an error.
classes : list, optional
    All allowed names; by default those in the file. Other names raise an error.
backend : {"pandas", "polars"}, optional
    The library of the DataFrame `data`; by default the one that is installed.
records : Records, DataFrame, list of dicts or list of texts
    The rows, as a reader of :mod:`infimum.io` returns them.
y : rows of y or predictions, optional
    By default that of the records. Unlabelled rows (None) are written without an answer.
score : (n,) in [0, 1], optional
    A score in [0, 1] for each row, shown by the tool; NaN leaves it out.
""")
