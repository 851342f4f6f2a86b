"""Labels: one class among m; the sets are subsets of the classes."""

from .costs import Cost, Groups, Taxonomy
from .forms import Not
from .sets import CandidateLabels
from .space import Labels

__all__ = ["CandidateLabels", "Cost", "Groups", "Labels", "Not", "Taxonomy"]
