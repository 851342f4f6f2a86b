"""HTML reports about partial labels: overview, identifiability, rows to review, results."""

from .building import Report, build

__all__ = ["Report", "build"]
