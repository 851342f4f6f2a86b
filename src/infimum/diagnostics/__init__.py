"""What sets can teach: the paper's theory at one point x, for a finite Y; and what a user's own sets can tell.

`identifiability` and `audit` take rows of data. Conventions, shared by every other function:

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

from .audit import Audit, audit
from .calibration import Calibration, calibration, discrepancy, eta, intersection, is_non_ambiguous
from .eligibility import eligible_region, is_eligible
from .examples import Example, average_counterexample, pointwise_example, signed_example, supremum_counterexample
from .identifiability import Identifiability, identifiability
from .risk import average_distribution, risk, set_loss, set_risk
from .samples import Ambiguity, ambiguity
from .variability import LeastVariability, decision_regions, least_variability, variability

__all__ = [
    "Ambiguity",
    "Audit",
    "Calibration",
    "Example",
    "Identifiability",
    "LeastVariability",
    "ambiguity",
    "audit",
    "average_counterexample",
    "average_distribution",
    "calibration",
    "decision_regions",
    "discrepancy",
    "eligible_region",
    "eta",
    "identifiability",
    "intersection",
    "is_eligible",
    "is_non_ambiguous",
    "least_variability",
    "pointwise_example",
    "risk",
    "set_loss",
    "set_risk",
    "signed_example",
    "supremum_counterexample",
    "variability",
]
