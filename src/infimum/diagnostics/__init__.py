"""Checks of partially labelled data: can the sets separate the outputs, and which rows to review?"""

from .audit import Audit, audit
from .identifiability import Identifiability, identifiability

__all__ = ["Audit", "Identifiability", "audit", "identifiability"]
