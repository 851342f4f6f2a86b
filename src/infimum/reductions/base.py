"""Reduction: Problem -> Problem."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..problem import Problem


class Reduction(ABC):
    """A problem becomes a plainer one, which is solved in its place."""

    @abstractmethod
    def reduce(self, problem: Problem) -> Problem:
        """The plainer problem."""
