"""The theory of the paper at one point x, for a finite Y; see :mod:`infimum.diagnostics` for the conventions."""
