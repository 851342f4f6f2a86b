"""The theory of the paper at one point x, for a finite Y.

All functions share these conventions:

- ``cost`` is the loss, (m, m): ``cost[z, y]`` = l(z, y), with the prediction z in the rows and the true label y in the
  columns;
- a weak distribution tau is ``sets``, (k, m) booleans, and ``p``, (k,): the set ``sets[s]`` has probability ``p[s]``;
  estimated from data, p may be signed;
- a distribution rho on Y is an (m,) array.

With `fractions.Fraction` anywhere (arrays of dtype object), the result is exact; otherwise it is a float.

References
----------
Cabannes, Rudi and Bach (2020), Structured prediction with partial labelling through the infimum loss, Sec. 2 and 4,
App. A.
"""

from .calibration import Calibration, calibration, discrepancy, eta, intersection
from .eligibility import eligible_region, is_eligible
from .examples import Example, pointwise_example, signed_example
from .risk import average_distribution, set_loss, set_risk
from .variability import LeastVariability, decision_regions, least_variability

__all__ = [
    "Calibration",
    "Example",
    "LeastVariability",
    "average_distribution",
    "calibration",
    "decision_regions",
    "discrepancy",
    "eligible_region",
    "eta",
    "intersection",
    "is_eligible",
    "least_variability",
    "pointwise_example",
    "set_loss",
    "set_risk",
    "signed_example",
]
