"""Learn from sets of possible answers instead of exact labels."""

__version__ = "0.1.0"


class InfimumWarning(UserWarning):
    """Every warning of the library is of this class."""
