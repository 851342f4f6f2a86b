"""The warning class of the library."""


class InfimumWarning(UserWarning):
    """Every warning of the library is of this class, so that one filter serves."""
