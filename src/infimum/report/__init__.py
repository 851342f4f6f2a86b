"""One page about a table of sets: what is there, whether it can ever tell, what to look at again, what was learned."""

from .building import Report, build

__all__ = ["Report", "build"]
