"""Checks of partially labelled data, and the theory of the paper.

`identifiability` and `audit` take rows of data. The other functions compute the quantities of the paper at one point x,
for a finite Y, with these conventions:

- ``cost`` is the loss, (m, m): ``cost[z, y]`` = l(z, y), prediction z in the rows and truth y in the columns;
- a weak distribution tau is ``sets``, (k, m) booleans, and ``p``, (k,): the set ``sets[s]`` has probability ``p[s]``;
  estimated from data, p may be signed;
- a distribution rho on Y is an (m,) array.

Given `fractions.Fraction` anywhere (arrays of dtype object), the answer is exact; otherwise it is a float.

References
----------
Cabannes, Rudi and Bach (2020), Structured prediction with partial labelling through the infimum loss, Sec. 2 and 4,
App. A.
"""

from .audit.audit import Audit, audit
from .audit.identifiability import Identifiability, identifiability
from .theory.calibration import Calibration, calibration, discrepancy, eta, intersection
from .theory.eligibility import eligible_region, is_eligible
from .theory.examples import Example, pointwise_example, signed_example
from .theory.risk import average_distribution, set_loss, set_risk
from .theory.variability import LeastVariability, decision_regions, least_variability

__all__ = [
    "Audit",
    "Calibration",
    "Example",
    "Identifiability",
    "LeastVariability",
    "audit",
    "average_distribution",
    "calibration",
    "decision_regions",
    "discrepancy",
    "eligible_region",
    "eta",
    "identifiability",
    "intersection",
    "is_eligible",
    "least_variability",
    "pointwise_example",
    "set_loss",
    "set_risk",
    "signed_example",
]
