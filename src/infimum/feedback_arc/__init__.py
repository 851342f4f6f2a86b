"""Minimum feedback arc sets (App. C): the cheapest order of m items, exactly or with a bound, under a partial order."""

from infimum.feedback_arc.extensions import LinearExtensions, linear_extensions, sample_linear_extensions
from infimum.feedback_arc.solve import FeedbackArcResult, minimum_feedback_arc, minimum_feedback_arcs

__all__ = [
    "FeedbackArcResult",
    "LinearExtensions",
    "linear_extensions",
    "minimum_feedback_arc",
    "minimum_feedback_arcs",
    "sample_linear_extensions",
]
