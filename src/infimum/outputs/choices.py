"""Sets as choices among named options: what identifiability counts and asks about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True)
class Choices:
    """Sets as g choices among c options each: the label; each tag; each pair of items; the range of a number.

    Examples
    --------
    >>> from infimum.outputs import Labels
    >>> choices = Labels().fit(["cat|dog", "dog"]).choices(Labels().fit(["cat|dog", "dog"]).read(["cat|dog", "dog"]))
    >>> choices.label(0, 1), choices.mask[:, 0].tolist(), choices.ask(0, (0, 1))
    ('dog', [[True, True], [False, True]], 'is it cat or dog?')
    """

    mask: NDArray
    """(n, g, c) boolean: the options that are possible in each row."""
    names: list[str]
    """(g,): what is chosen; "" if there is only one choice."""
    options: list[list[str]]
    """(g, c): the names of the options."""
    separated: str = "Each pair of options is separated by some rows"
    """States that no pair is inseparable."""
    question: str = ""
    """Asks for a choice called {name}; "" asks for the options by name."""
    with_name: bool = False
    """Whether the name of an option requires that of its choice: "red present"."""
    is_ordered: bool = False
    """Whether neighbouring options overlap, such as ranges of numbers: then only distant ones are compared."""
    compares_items: bool = False
    """Whether a choice is the order of two items, which may be the same in every row."""

    @property
    def is_one_of(self) -> bool:
        """Whether a set is one choice among unordered options, as for labels."""
        return len(self.names) == 1 and not self.is_ordered

    def label(self, g: int, k: int) -> str:
        """Return the name of option k of choice g."""
        return f"{self.names[g]} {self.options[g][k]}" if self.with_name else self.options[g][k]

    def ask(self, g: int, options: tuple[int, ...]) -> str:
        """Return a question that separates the first half of these options of choice g from the others."""
        if self.question:
            return self.question.format(name=self.names[g])
        names, half = [self.options[g][k] for k in options], (len(options) + 1) // 2
        if len(names) <= 2:
            return f"is it {' or '.join(names)}?"
        return f"is it {' or '.join(names[:half])}, rather than {' or '.join(names[half:])}?"

    def option_of(self, sets: Any, z: NDArray) -> NDArray:
        """Return the option of each choice for members z_i of S_i: (n, *z) -> (n, g)."""
        return sets.option_of(z)
